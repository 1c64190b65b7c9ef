// Matrices that a warp loads from shared memory, or stores there: `ldmatrix` and `stmatrix` (ISA 9.7.14.5.15, 9.7.14.5.16).
//
// A matrix of 8 x 8 elements of 16 bits has eight rows of 16 bytes. Lanes 0 to 7 give the addresses of the rows of the first matrix, lanes
// 8 to 15 those of the second, and so on. Each of these lanes accesses its row, weakly and through the generic proxy; the other lanes
// access nothing. Each lane then waits until all lanes of the warp have come (warp.h). The ISA calls the whole a weak memory operation.
//
// Registers hold parts of rows that other lanes access. Their values are not computed, and the dependency between them and the accesses is
// left out, as it is where lanes exchange values: without it more may happen, not less.
//
// A row is read and written in elements as wide as the narrowest other access to its object, so that kernels may write a tile by elements
// of any size and load matrices from it. 8 bytes where there is none: copies have no size of their own (carve.h).
#include <algorithm>

#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

constexpr uint32_t row_bytes = 16, rows_of_matrix = 8;

// How many lanes give a row; 0: a form that is not read (8-bit elements and narrower ones, of sm_100a).
uint32_t rows_given(const Statement& statement) {
    const auto has_word = [&](std::string_view word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    };
    if (!has_word("sync") || !has_word("aligned") || !has_word("m8n8") || statement.words.back() != "b16") return 0;
    for (const uint32_t matrices : {1U, 2U, 4U})
        if (has_word("x" + std::to_string(matrices))) return rows_of_matrix * matrices;
    return 0;
}

}  // namespace

Walker::Went Walker::matrix(State& state, size_t block, const Statement& statement) {
    const std::string name = dotted(statement.words);
    const uint32_t rows = rows_given(statement);
    if (rows == 0) fail(state, "`" + name + "` is not read from kernels");
    if (statement.arguments.size() != 2) fail(state, "`" + name + "` takes an address and registers");
    if (seat_.lane() < rows) {
        const Argument& address = statement.arguments[statement.words[0] == "ldmatrix" ? 1 : 0];
        const bool generic = name.find(".shared") == std::string::npos;
        const auto place = place_of(state, block, address, generic ? "" : "shared");
        if (!place) return Went::ended;
        access_row(state, block, statement, *place);
    }
    return park(state, block);
}

// The row of the own lane, by as many vectors as it takes. What is stored means nothing.
void Walker::access_row(State& state, size_t block, const Statement& statement, const Pointee& place) {
    const bool loads = statement.words[0] == "ldmatrix";
    if (place.kind != Pointee::Kind::object || walks_.layout.objects()[place.object].space != Space::shared)
        fail(state, "`" + dotted(statement.words) + "` of memory that is not shared: the behaviour is undefined (ISA 9.7.14.5.15)");
    const auto narrowest = walks_.assumed.narrowest.find(place.object);
    uint32_t width = narrowest == walks_.assumed.narrowest.end() ? 8 : narrowest->second;
    if (place.offset % row_bytes != 0) width = std::max(width, 4U);  // one vector of 16 bytes, which breaks its static rule
    const uint32_t elements = width == 8 ? 2 : 4;
    const std::string type = ".shared.v" + std::to_string(elements) + ".b" + std::to_string(8 * width);
    Operand vector;
    vector.kind = Operand::Kind::vector;
    for (uint32_t e = 0; e < elements; ++e) {
        const auto bits = static_cast<int>(8 * width);
        const std::string name = "row" + std::to_string(bits) + "_" + std::to_string(e);
        vector.elements.push_back(loads ? reg_operand(registers_[static_cast<size_t>(named(name, bits))].name) : number_operand(0));
    }
    for (uint32_t at = 0; at < row_bytes; at += elements * width) {
        Operand address = object_operand(state, statement, place);
        address.offset += at;
        emit(block, state, loads ? *make("ld" + type, {vector, address}) : *make("st" + type, {address, vector}));
    }
    if (loads) return;
    walks_.found.written.insert(place.object);
    walks_.found.opaque.insert(place.object);
}

}  // namespace litmus::kernel

// Places by line, and from them the pairs that changed places.
#include "sass/order.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "ptx/table.h"
#include "ptx/traits.h"
#include "sass/code.h"
#include "sass/flow.h"

namespace litmus::sass {

namespace {

// Where code of a line acts; where none does, its NOPs, which keep its place.
struct Acts {
    std::vector<uint64_t> memory, empty;
};

std::map<uint32_t, Acts> acts_by_line(const Function& function) {
    std::map<uint32_t, Acts> acts;
    const auto& rows = function.rows;
    for (size_t r = 0; r < rows.size(); ++r) {
        const uint64_t end = std::min<uint64_t>(r + 1 < rows.size() ? rows[r + 1].address : function.code.size(), function.code.size());
        for (uint64_t at = rows[r].address; at < end && end - at >= instruction_bytes; at += instruction_bytes) {
            const Effect effect = effect_at(function.code, at);
            if (effect == Effect::memory) acts[rows[r].line].memory.push_back(at);
            if (effect == Effect::empty) acts[rows[r].line].empty.push_back(at);
        }
    }
    return acts;
}

// Whether a thread executes what stands at `later` first.
bool comes_first(const Function& function, const std::vector<uint64_t>& later, const std::vector<uint64_t>& earlier) {
    if (later.front() > earlier.front()) return false;
    const auto is_later = [&](uint64_t at) { return at == later.front(); };
    const auto is_earlier = [&](uint64_t at) { return std::find(earlier.begin(), earlier.end(), at) != earlier.end(); };
    return can_reach_from_entry(function.code, is_later, is_earlier) &&
           can_reach(function.code, later.front(), is_earlier, [](uint64_t) { return false; });
}

// "ld.weak.shared::cta.v2.u32" of a line, without its guard: what stands up to the first blank.
std::string_view operation_of(std::string_view line) {
    const auto skip = [&](const char* what) { line.remove_prefix(std::min(line.find_first_not_of(what), line.size())); };
    skip(" \t");
    if (!line.empty() && line.front() == '@') {
        line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
        skip(" \t");
    }
    return line.substr(0, line.find_first_of(" \t;"));
}

// Whether a line of PTX has nothing that accesses memory, orders or waits: what stands under it is none of its.
bool only_computes(std::string_view line) {
    const std::string_view operation = operation_of(line);
    if (operation.empty() || operation == "{" || operation == "}" || operation.front() == '.' || operation.back() == ':') return true;
    const auto found = resolve(operation);
    const Spelling* spelling = std::get_if<Spelling>(&found);
    if (spelling == nullptr || !spelling->form->op) return false;
    const Op op = *spelling->form->op;
    return is_arithmetic(op) || op == Op::bra || op == Op::exit;
}

// Whether code under the line of a load or a store is not of it: neither its access nor what orders it.
bool is_foreign(std::string_view line, const Function& function, uint64_t at) {
    const std::string_view operation = operation_of(line);
    if (operation.rfind("ld.", 0) != 0 && operation.rfind("st.", 0) != 0) return false;
    return is_object_operation(function.code, at);
}

// Those of the addresses that are copies of code at a place of one of the instructions go there, the others are strays.
void give_back(const Function& function, const std::vector<uint64_t>& lost, Order& order) {
    const std::vector<std::vector<uint64_t>> own = order.places;
    for (const uint64_t at : lost) {
        const auto has_it = [&](const std::vector<uint64_t>& places) {
            return std::any_of(places.begin(), places.end(), [&](uint64_t place) { return are_copies(function.code, at, place); });
        };
        const auto of = std::find_if(own.begin(), own.end(), has_it);
        if (std::count_if(own.begin(), own.end(), has_it) == 1) {
            std::vector<uint64_t>& places = order.places[static_cast<size_t>(of - own.begin())];
            places.insert(std::upper_bound(places.begin(), places.end(), at), at);
        } else {
            order.strays.push_back(at);
        }
    }
}

// The number at the end of a text: 32 of "ld.u32".
int number_behind(std::string_view text) {
    const size_t begin = text.find_last_not_of("0123456789") + 1;
    int number = 0;
    std::from_chars(text.data() + begin, text.data() + text.size(), number);
    return number;
}

// Bits that a load or a store accesses as it is written; 0 for other instructions.
int written_bits(std::string_view line) {
    const std::string_view operation = operation_of(line);
    if (operation.rfind("ld.", 0) != 0 && operation.rfind("st.", 0) != 0) return 0;
    const size_t type = operation.rfind('.');
    const size_t before = operation.rfind('.', type - 1);
    const std::string_view vector = before == std::string_view::npos ? "" : operation.substr(before + 1, type - before - 1);
    const int elements = !vector.empty() && vector.front() == 'v' ? number_behind(vector) : 1;
    return number_behind(operation) * std::max(elements, 1);
}

}  // namespace

Order order_of(const Cubin& cubin, const Function& function, const std::vector<uint32_t>& lines) {
    std::map<uint32_t, Acts> acts = acts_by_line(function);
    const auto text = [&](size_t i) {
        return lines[i] >= 1 && lines[i] <= cubin.lines.size() ? std::string_view(cubin.lines[lines[i] - 1]) : std::string_view();
    };
    Order order;
    std::vector<uint64_t> lost;  // code that is not of the line that it stands under
    for (auto& [line, of_line] : acts) {
        const std::string_view written =
            line >= 1 && line <= cubin.lines.size() ? std::string_view(cubin.lines[line - 1]) : std::string_view();
        const bool watched = std::find(lines.begin(), lines.end(), line) != lines.end();
        const auto is_lost = [&](uint64_t at) { return watched ? is_foreign(written, function, at) : only_computes(written); };
        std::copy_if(of_line.memory.begin(), of_line.memory.end(), std::back_inserter(lost), is_lost);
        std::erase_if(of_line.memory, is_lost);
    }
    for (const uint32_t line : lines) {
        const auto found = acts.find(line);
        if (found == acts.end())
            order.places.emplace_back();
        else
            order.places.push_back(found->second.memory.empty() ? found->second.empty : found->second.memory);
    }
    give_back(function, lost, order);
    for (const std::vector<uint64_t>& places : order.places) {
        int widest = 0;
        for (const uint64_t at : places) widest = std::max(widest, access_bits(function.code, at));
        order.bits.push_back(widest);
    }
    const auto is_wider = [&](size_t i) {
        const int written = written_bits(text(i));
        return written > 0 && order.bits[i] > written;
    };
    for (size_t later = 0; later < lines.size(); ++later) {
        if (order.places[later].empty()) {
            Gone gone{later, std::nullopt};
            for (size_t i = 0; i < lines.size() && !gone.into; ++i)
                if (is_wider(i) && operation_of(text(i)).substr(0, 3) == operation_of(text(later)).substr(0, 3)) gone.into = i;
            order.gone.push_back(gone);
            continue;
        }
        for (size_t earlier = 0; earlier < later; ++earlier)
            if (!order.places[earlier].empty() && comes_first(function, order.places[later], order.places[earlier]))
                order.moved.push_back({earlier, later});
    }
    return order;
}

}  // namespace litmus::sass

// ELF of 64 bits, little-endian, and the line program of DWARF version 2. Every number of the file is taken through Bytes, which throws
// where the file does not have it.
#include "sass/cubin.h"

#include <algorithm>
#include <map>
#include <optional>

namespace litmus::sass {

namespace {

constexpr uint16_t machine_cuda = 190;
constexpr uint32_t no_bits = 8, with_addends = 4, without_addends = 9;  // kinds of sections
constexpr int64_t most_lines = int64_t{1} << 20;                        // of PTX

// Bytes that are read from the front; the first of them stands at place `at` of something larger.
class Bytes {
public:
    explicit Bytes(std::string_view bytes, uint64_t at = 0) : bytes_(bytes), at_(at) {}

    size_t left() const { return bytes_.size(); }
    uint64_t at() const { return at_; }

    std::string_view take(uint64_t count) {
        if (count > bytes_.size()) throw BadCubin("it is cut short");
        const std::string_view taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        at_ += count;
        return taken;
    }
    // The next so many as bytes of their own.
    Bytes part(uint64_t count) {
        const uint64_t at = at_;
        return Bytes(take(count), at);
    }

    uint64_t number(size_t width) {
        const std::string_view taken = take(width);
        uint64_t value = 0;
        for (size_t i = width; i-- > 0;) value = value << 8U | static_cast<unsigned char>(taken[i]);
        return value;
    }

    // LEB128: seven bits a byte, the lowest first. Bits past the 64th are dropped.
    uint64_t variable(bool is_signed) {
        uint64_t value = 0;
        unsigned shift = 0;
        while (true) {
            const uint64_t byte = number(1);
            if (shift < 64) value |= (byte & 0x7fU) << shift;
            shift += 7;
            if ((byte & 0x80U) != 0) continue;
            if (is_signed && (byte & 0x40U) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
            return value;
        }
    }

private:
    std::string_view bytes_;
    uint64_t at_;
};

// ---- the sections ---------------------------------------------------------------------------------

struct Section {
    std::string_view name;
    uint32_t kind = 0;
    uint32_t link = 0;  // another section that this one is about
    std::string_view bytes;
};

// Up to the first zero byte.
std::string_view text_at(std::string_view strings, uint64_t at) {
    if (at >= strings.size()) throw BadCubin("a name lies outside of its section");
    const size_t end = strings.find('\0', at);
    if (end == std::string_view::npos) throw BadCubin("a name does not end");
    return strings.substr(at, end - at);
}

std::string_view part_of(std::string_view file, uint64_t offset, uint64_t size) {
    if (offset > file.size() || size > file.size() - offset) throw BadCubin("a section lies outside of the file");
    return file.substr(offset, size);
}

std::vector<Section> sections_of(std::string_view file) {
    Bytes head(file);
    if (file.size() < 64 || head.take(6) != std::string_view("\x7f"
                                                             "ELF\x02\x01",
                                                             6))
        throw BadCubin("it is no ELF file of 64 bits");
    head.take(12);
    if (head.number(2) != machine_cuda) throw BadCubin("it is no code for a GPU of NVIDIA");
    head.take(20);
    const uint64_t table = head.number(8);
    head.take(10);
    const uint64_t size = head.number(2), count = head.number(2), names = head.number(2);
    if (size != 64 || names >= count) throw BadCubin("its table of sections is not as it has to be");
    Bytes entries(part_of(file, table, size * count));
    std::vector<Section> sections(count);
    std::vector<uint64_t> name_at(count);
    for (size_t s = 0; s < count; ++s) {
        Section& section = sections[s];
        name_at[s] = entries.number(4);
        section.kind = static_cast<uint32_t>(entries.number(4));
        entries.take(16);
        const uint64_t offset = entries.number(8), bytes = entries.number(8);
        section.link = static_cast<uint32_t>(entries.number(4));
        entries.take(20);
        if (section.kind != no_bits) section.bytes = part_of(file, offset, bytes);
    }
    for (size_t s = 0; s < count; ++s) sections[s].name = text_at(sections[names].bytes, name_at[s]);
    return sections;
}

const Section* find(const std::vector<Section>& sections, std::string_view name) {
    const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

// ---- whose addresses the line program means -------------------------------------------------------

struct Symbol {
    std::string_view name;
    std::string_view code;
};

// A function of the table of symbols, which every relocation of an address names.
Symbol symbol_of(const std::vector<Section>& sections, const Section& table, uint64_t number) {
    constexpr uint64_t size = 24;
    if (number >= table.bytes.size() / size) throw BadCubin("a relocation names a symbol that is not there");
    Bytes entry(table.bytes.substr(number * size, size));
    const uint64_t name = entry.number(4);
    entry.take(2);
    const uint64_t section = entry.number(2), begin = entry.number(8), length = entry.number(8);
    if (table.link >= sections.size() || section >= sections.size()) throw BadCubin("a symbol names a section that is not there");
    return {text_at(sections[table.link].bytes, name), part_of(sections[section].bytes, begin, length)};
}

// By the place in the line program where its address belongs.
std::map<uint64_t, Symbol> symbols_of(const std::vector<Section>& sections) {
    std::map<uint64_t, Symbol> symbols;
    for (const char* name : {".rela.nv_debug_line_sass", ".rel.nv_debug_line_sass"}) {
        const Section* relocations = find(sections, name);
        if (relocations == nullptr) continue;
        if (relocations->kind != with_addends && relocations->kind != without_addends) throw BadCubin("relocations are of no known kind");
        if (relocations->link >= sections.size()) throw BadCubin("relocations are for a table that is not there");
        Bytes entries(relocations->bytes);
        while (entries.left() > 0) {
            const uint64_t at = entries.number(8), info = entries.number(8);
            if (relocations->kind == with_addends) entries.take(8);
            symbols[at] = symbol_of(sections, sections[relocations->link], info >> 32U);
        }
    }
    return symbols;
}

// ---- the line program -----------------------------------------------------------------------------

// Runs the program (DWARF 2, section 6.2): a machine with an address and a line, whose instructions change them and write rows. What it
// knows besides (files, columns, statements) is passed over.
class LineProgram {
public:
    // `most_code`: bytes of code that may be kept.
    LineProgram(const std::map<uint64_t, Symbol>& symbols, size_t most_code) : symbols_(symbols), room_(most_code) {}

    std::vector<Function> run(std::string_view section) {
        Bytes units(section);
        while (units.left() > 0) {
            const uint64_t length = units.number(4);
            run_unit(units.part(length));
        }
        for (Function& function : functions_)
            std::stable_sort(function.rows.begin(), function.rows.end(), [](const Row& a, const Row& b) { return a.address < b.address; });
        return std::move(functions_);
    }

private:
    void run_unit(Bytes unit) {
        const uint64_t version = unit.number(2);
        if (version != 2 && version != 3) throw BadCubin("its lines are of DWARF " + std::to_string(version) + ", not 2");
        const uint64_t length = unit.number(4);
        Bytes head = unit.part(length);
        step_ = head.number(1);
        head.take(1);
        line_base_ = static_cast<int64_t>(head.number(1) ^ 0x80U) - 0x80;  // a signed byte
        line_range_ = head.number(1);
        first_special_ = head.number(1);
        if (line_range_ == 0 || first_special_ == 0) throw BadCubin("its line program has a head without sense");
        operands_ = head.take(first_special_ - 1);
        program_ = unit;
        reset();
        while (program_.left() > 0) instruction(program_.number(1));
    }

    void reset() {
        address_ = 0;
        line_ = 1;
        function_.reset();
    }

    void instruction(uint64_t code) {
        if (code >= first_special_) {
            const uint64_t special = code - first_special_;
            address_ += special / line_range_ * step_;
            move_line(line_base_ + static_cast<int64_t>(special % line_range_));
            write_row();
            return;
        }
        switch (code) {
            case 0:
                return extended();
            case 1:
                return write_row();
            case 2:
                address_ += program_.variable(false) * step_;
                return;
            case 3:
                return move_line(static_cast<int64_t>(program_.variable(true)));
            case 8:
                address_ += (255 - first_special_) / line_range_ * step_;
                return;
            case 9:
                address_ += program_.number(2);
                return;
            default:
                for (auto n = static_cast<unsigned char>(operands_[code - 1]); n > 0; --n) program_.variable(false);
        }
    }

    void extended() {
        const uint64_t size = program_.variable(false);
        Bytes body = program_.part(size);
        if (size == 0) return;
        const uint64_t code = body.number(1);
        if (code == 1) reset();
        if (code != 2) return;
        const auto symbol = symbols_.find(body.at());
        if (symbol == symbols_.end()) throw BadCubin("the line program has an address without a function");
        address_ = 0;
        enter(symbol->second);
    }

    void enter(const Symbol& symbol) {
        const auto [known, is_new] = number_.emplace(symbol.name, functions_.size());
        if (is_new) {
            if (symbol.code.size() > room_) throw BadCubin("its functions have more code than the file");
            room_ -= symbol.code.size();
            functions_.push_back({std::string(symbol.name), std::string(symbol.code), {}});
        }
        function_ = known->second;
    }

    void move_line(int64_t by) {
        if (by > most_lines || by < -most_lines) throw BadCubin("the line program leaves the text");
        line_ += by;
        if (line_ < 0 || line_ > most_lines) throw BadCubin("the line program leaves the text");
    }

    void write_row() {
        if (function_) functions_[*function_].rows.push_back({address_, static_cast<uint32_t>(line_)});
    }

    const std::map<uint64_t, Symbol>& symbols_;
    size_t room_;  // bytes of code that may still be kept
    std::vector<Function> functions_;
    std::map<std::string_view, size_t> number_;  // of a function, by its name
    // Of the unit that runs.
    Bytes program_{{}};
    uint64_t step_ = 1, line_range_ = 1, first_special_ = 1;
    int64_t line_base_ = 0;
    std::string_view operands_;  // how many each plain instruction has, by its code less one
    // The machine.
    uint64_t address_ = 0;
    int64_t line_ = 1;
    std::optional<size_t> function_;
};

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        if (lines.size() == most_lines) throw BadCubin("its PTX has too many lines");
        const size_t end = std::min(text.find('\0'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

Cubin read_cubin(std::string_view file) {
    const std::vector<Section> sections = sections_of(file);
    const Section* text = find(sections, ".nv_debug_ptx_txt");
    const Section* program = find(sections, ".nv_debug_line_sass");
    if (text == nullptr || program == nullptr) throw BadCubin("it was assembled without line information (ptxas -lineinfo)");
    const std::map<uint64_t, Symbol> symbols = symbols_of(sections);
    return {lines_of(text->bytes), LineProgram(symbols, file.size()).run(program->bytes)};
}

const Function& function_named(const Cubin& cubin, const std::string& name) {
    const auto found = std::find_if(cubin.functions.begin(), cubin.functions.end(), [&](const Function& f) { return f.name == name; });
    if (found == cubin.functions.end()) throw BadCubin("it has no function '" + name + "'");
    return *found;
}

}  // namespace litmus::sass

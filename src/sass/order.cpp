// Places by line, and from them the pairs that changed places.
#include "sass/order.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>

#include "ptx/table.h"
#include "ptx/traits.h"
#include "sass/code.h"
#include "sass/flow.h"

namespace litmus::sass {

namespace {

// Where code of a line acts, and its NOPs, which keep the place of what needs no code.
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

// Whether code under a line may be a copy of another line's: a read of memory where the line has none, a test of an mbarrier object where
// it is none.
bool is_suspect(std::string_view line, const Function& function, uint64_t at) {
    const std::string_view operation = operation_of(line);
    const auto begins = [&](std::string_view word) { return operation.rfind(word, 0) == 0; };
    if (operation.empty()) return false;
    if (is_phase_test(function.code, at)) return !begins("mbarrier.test_wait") && !begins("mbarrier.try_wait");
    return access_bits(function.code, at) > 0 && !begins("ld") && !begins("st") && !begins("atom") && !begins("red");
}

// Code that stands under a line and may be of another.
struct Lost {
    uint64_t at = 0;
    std::optional<size_t> under;  // which instruction's line that is; none: the line has no access
};

class Owners {
public:
    Owners(const Function& function, Order& order) : code_(function.code), own_(order.places), order_(order) {}

    // What is a copy of code of one other instruction goes there. What stands under no instruction and is none is a stray.
    void give_back(const std::vector<Lost>& lost) {
        std::optional<std::pair<uint64_t, size_t>> last;  // what was given back, and to whom
        for (const auto& [at, under] : lost) {
            std::optional<size_t> owner = owner_of(at, under);
            const bool ends_acquire = forgets_caches(code_, at);
            if (ends_acquire) owner = last && last->first + instruction_bytes == at ? std::optional<size_t>(last->second) : std::nullopt;
            if (owner) {
                std::vector<uint64_t>& places = order_.places[*owner];
                places.insert(std::upper_bound(places.begin(), places.end(), at), at);
                if (under) std::erase(order_.places[*under], at);
                last = {at, *owner};
            } else if (!under) {
                order_.strays.push_back(at);
            }
        }
    }

private:
    // Of several that have the same code, as waits for one object, that of the turn to which the code goes on when it was in vain.
    std::optional<size_t> owner_of(uint64_t at, std::optional<size_t> under) const {
        std::vector<size_t> alike;
        for (size_t i = 0; i < own_.size(); ++i)
            if (i != under && has(i, [&](uint64_t place) { return are_copies(code_, at, place); })) alike.push_back(i);
        if (alike.empty() && is_phase_test(code_, at))  // the copy may have its operands in other registers
            for (size_t i = 0; i < own_.size(); ++i)
                if (i != under && has(i, [&](uint64_t place) { return is_phase_test(code_, place); })) alike.push_back(i);
        const std::optional<uint64_t> again = alike.size() > 1 ? next_branch(at) : std::nullopt;
        if (!again) return alike.size() == 1 ? std::optional<size_t>(alike.front()) : std::nullopt;
        const auto distance = [&](size_t i) {
            uint64_t least = ~uint64_t{0};
            for (const uint64_t place : own_[i])
                if (place >= *again) least = std::min(least, place - *again);
            return least;
        };
        const size_t nearest = *std::min_element(alike.begin(), alike.end(), [&](size_t a, size_t b) { return distance(a) < distance(b); });
        return distance(nearest) <= near * instruction_bytes ? std::optional<size_t>(nearest) : std::nullopt;
    }

    template <class Asked>
    bool has(size_t instruction, const Asked& asked) const {
        return std::any_of(own_[instruction].begin(), own_[instruction].end(), asked);
    }

    std::optional<uint64_t> next_branch(uint64_t at) const {
        for (uint64_t n = 1; n <= near && at + (n + 1) * instruction_bytes <= code_.size(); ++n)
            if (const auto branch = next_of(code_, at + n * instruction_bytes).branch) return branch;
        return std::nullopt;
    }

    static constexpr uint64_t near = 8;  // instructions: a turn of a wait has fewer
    const std::string& code_;
    const std::vector<std::vector<uint64_t>> own_;  // places under their own lines
    Order& order_;
};

// The number at the end of a text: 32 of "ld.u32".
int number_behind(std::string_view text) {
    const size_t begin = text.find_last_not_of("0123456789") + 1;
    int number = 0;
    std::from_chars(text.data() + begin, text.data() + text.size(), number);
    return number;
}

// What a load or a store accesses, as it is written: `s` and 8 of "[s+8]".
struct Address {
    std::string_view base;
    int64_t offset = 0;
};

std::optional<Address> address_of(std::string_view line) {
    const std::string_view operation = operation_of(line);
    const size_t begin = line.find('['), end = line.find(']', std::min(begin, line.size()));
    if ((operation.rfind("ld.", 0) != 0 && operation.rfind("st.", 0) != 0) || end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = line.substr(begin + 1, end - begin - 1);
    const size_t sign = std::min(inside.find_first_of("+-"), inside.size());
    Address address{inside.substr(0, sign)};
    const size_t digits = sign + (sign < inside.size() && inside[sign] == '+' ? 1 : 0);
    std::from_chars(inside.data() + digits, inside.data() + inside.size(), address.offset);
    return address;
}

// ptxas tries to make one access of two, and where it comes back to two of them, the second may have no row: it stands under the line of
// the first. It is told by the distance of their addresses.
void find_second_halves(const Function& function, const std::function<std::string_view(size_t)>& text, Order& order) {
    for (size_t gone = 0; gone < order.places.size(); ++gone) {
        const std::optional<Address> own = address_of(text(gone));
        for (size_t i = 0; i < order.places.size() && own && order.places[gone].empty(); ++i) {
            const std::optional<Address> other = address_of(text(i));
            if (!other || operation_of(text(i)) != operation_of(text(gone)) || other->base != own->base || other->offset == own->offset)
                continue;
            std::vector<uint64_t>& places = order.places[i];
            const auto is_far = [&](uint64_t at) {
                return std::any_of(places.begin(), places.end(),
                                   [&](uint64_t first) { return distance(function.code, first, at) == own->offset - other->offset; });
            };
            std::copy_if(places.begin(), places.end(), std::back_inserter(order.places[gone]), is_far);
            for (const uint64_t at : order.places[gone]) std::erase(places, at);
        }
    }
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
    const std::map<uint32_t, Acts> acts = acts_by_line(function);
    const auto text = [&](size_t i) {
        return lines[i] >= 1 && lines[i] <= cubin.lines.size() ? std::string_view(cubin.lines[lines[i] - 1]) : std::string_view();
    };
    Order order;
    std::vector<Lost> lost;
    for (const auto& [line, of_line] : acts) {
        const std::string_view written =
            line >= 1 && line <= cubin.lines.size() ? std::string_view(cubin.lines[line - 1]) : std::string_view();
        const auto watched = std::find(lines.begin(), lines.end(), line);
        for (const uint64_t at : of_line.memory) {
            if (watched == lines.end() && only_computes(written)) lost.push_back({at, std::nullopt});
            if (watched != lines.end() && is_suspect(written, function, at))
                lost.push_back({at, static_cast<size_t>(watched - lines.begin())});
        }
    }
    for (size_t i = 0; i < lines.size(); ++i) {
        const auto found = acts.find(lines[i]);
        std::vector<uint64_t>& places = order.places.emplace_back();
        if (found == acts.end()) continue;
        places = found->second.memory;
        if (places.empty() && !address_of(text(i))) places = found->second.empty;  // what accesses memory needs more than a NOP
    }
    Owners(function, order).give_back(lost);
    find_second_halves(function, text, order);
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

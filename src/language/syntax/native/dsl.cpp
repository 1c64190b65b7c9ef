// The DSL's parser: recursive descent, one function per construct of litmus/language.md. Here are the header, the
// declarations; threads, instructions and conditions have files of their own.
//
// A name is declared before it is used, so operands are resolved as they are read. An error is recorded
// and the rest of its statement skipped; reading goes on at the next `;` or block. What needs the whole
// test is checked at the end (dsl_check.h).
#include "language/syntax/native/dsl.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "language/syntax/native/dsl_advice.h"
#include "language/syntax/native/dsl_check.h"
#include "language/syntax/native/dsl_condition.h"
#include "language/syntax/native/dsl_reader.h"
#include "language/syntax/native/dsl_special.h"
#include "language/syntax/native/dsl_tensor.h"
#include "language/syntax/native/dsl_thread.h"
#include "language/tensor.h"
#include "ptx/demands.h"
#include "ptx/table.h"

namespace litmus {
namespace {

using dsl::DslToken;
using dsl::Literal;

constexpr size_t max_text = size_t{1} << 20;
constexpr size_t max_locations = 1024;
constexpr uint64_t max_alignment = 1u << 20;
constexpr int first_specific_target = 90;  // ISA 11.1.2: sm_90a is the first of its kind

// Threads whose text names no warp get the lowest free ones of their CTA, in order.
void assign_warps(Test& test) {
    std::map<int, std::set<int>> used;
    for (const Thread& thread : test.threads)
        if (thread.at.warp_named) used[thread.at.cta].insert(thread.at.warp);
    for (Thread& thread : test.threads) {
        if (thread.at.warp_named) continue;
        int warp = 0;
        while (!used[thread.at.cta].insert(warp).second) ++warp;
        thread.at.warp = warp;
    }
}

class Parser {
public:
    explicit Parser(SourcePtr source) : in_(std::move(source)) {}

    Test parse() {
        if (in_.source->text.size() > max_text) throw Failure(in_.source, {}, "the file is larger than 1 MiB");
        in_.guarded([&] { parse_name(); }, [&] { in_.lexer.skip_line(); });
        while (!in_.at_end()) {
            const uint32_t before = in_.lexer.last_end();
            in_.guarded([&] { parse_statement(); }, [&] { skip_block_statement(); });
            if (in_.lexer.last_end() == before && !in_.at_end()) in_.lexer.skip_line();  // always get on
        }
        finish();
        return std::move(in_.test);
    }

private:
    // ---- errors ------------------------------------------------------------------------------------

    // To the line where the next top-level statement may begin.
    void skip_block_statement() {
        for (;;) {
            in_.lexer.skip_line();
            try {
                const DslToken& next = in_.lexer.peek();
                if (next.kind == DslToken::Kind::end || dsl::starts_statement(next.text) || next.text == "." || next.text == "~") return;
            } catch (const Failure&) {  // what cannot be read is skipped with the rest
            }
        }
    }

    void finish() {
        if (in_.errors.empty() && in_.test.threads.empty()) in_.fail({}, "the test has no thread", "write `thread P0 @ cta0 { ... }`");
        assign_warps(in_.test);
        dsl::set_special_registers(in_.test);
        for (Diagnostic& diagnostic : dsl::check(in_.test, in_.threads_complete)) in_.errors.push_back(std::move(diagnostic));
        if (!in_.errors.empty()) in_.give_up();
    }

    // ---- the header and the blocks -------------------------------------------------------------------

    void parse_name() {
        const DslToken first = in_.lexer.peek();
        if (!in_.at("test")) in_.fail(first.span, "expected `test \"name\"`, not " + dsl::shown(first), "a test begins with its name");
        in_.lexer.take();
        in_.test.name = in_.take_string("the test's name in quotes");
        if (in_.test.name.empty()) in_.fail(first.span, "the test's name is empty");
    }

    void parse_statement() {
        if (in_.at(".")) return parse_location();
        if (in_.at("~")) return parse_claim();
        const DslToken word = in_.lexer.peek();
        if (word.kind != DslToken::Kind::word) unexpected(word);
        if (word.text == "doc")
            once("doc"), in_.test.doc = in_.take_string("the description in quotes");
        else if (word.text == "ref")
            in_.lexer.take(), in_.test.refs.push_back(in_.take_string("the source in quotes"));
        else if (word.text == "repairs")
            once("repairs"), in_.test.repairs = in_.take_string("the name of the other test in quotes");
        else if (word.text == "target")
            parse_target();
        else if (word.text == "unroll")
            parse_unroll();
        else if (word.text == "thread")
            in_.lexer.take(), threads_.parse();
        else if (word.text == "filter")
            parse_filter();
        else if (word.text == "exists" || word.text == "forall")
            parse_claim();
        else if (word.text == "racefree")
            once("racefree"), in_.test.claims_racefree = true;
        else if (word.text == "undefined")
            once("undefined"), in_.test.claims_undefined = true;
        else if (word.text == "deadlock")
            once("deadlock"), in_.test.claims_deadlock = true;
        else if (word.text == "may")
            parse_may_deadlock();
        else if (word.text == "terminates")
            parse_terminates();
        else if (word.text == "test")
            in_.fail(word.span, "a file holds one test", "put the other one into a file of its own");
        else
            unexpected(word);
    }

    [[noreturn]] void unexpected(const DslToken& token) const {
        const std::string near =
            token.kind == DslToken::Kind::word ? nearest(token.text, {dsl::statements.begin(), dsl::statements.end()}) : "";
        in_.fail(token.span, "expected a declaration, a thread or a claim, not " + dsl::shown(token),
                 near.empty() ? "" : "the nearest is `" + (near == "may" ? "may-deadlock" : near) + "`");
    }

    // Takes the word that begins a clause which may stand only once.
    void once(const std::string& clause) {
        const DslToken word = in_.lexer.take();
        if (!clauses_.insert(clause).second) in_.fail(word.span, "duplicate `" + clause + "`", "a test has at most one");
    }

    void parse_may_deadlock() {
        const Span span = in_.lexer.peek().span;
        once("may-deadlock");
        if (!in_.accept("-") || !in_.accept("deadlock")) in_.fail(span, "expected `may-deadlock`");
        in_.test.claims_may_deadlock = true;
        refuse_contraries(span);
    }

    void parse_terminates() {
        const Span span = in_.lexer.peek().span;
        once("terminates");
        in_.test.claims_terminates = true;
        refuse_contraries(span);
    }

    void refuse_contraries(Span span) const {
        if (in_.test.claims_may_deadlock && in_.test.claims_terminates)
            in_.fail(span, "`may-deadlock` and `terminates` contradict each other", "`terminates` says that no execution gets stuck");
    }

    void parse_target() {
        once("target");
        const DslToken token = in_.take(DslToken::Kind::word, "a target such as `sm_90`");
        std::string_view number = token.text;
        in_.test.target_specific = number.size() > 4 && number.back() == 'a';
        if (in_.test.target_specific) number.remove_suffix(1);
        const auto sm = in_.numbered(number, "sm_");
        if (!sm || !known_target(*sm) || (in_.test.target_specific && *sm < first_specific_target))
            in_.fail(token.span, "unknown target " + dsl::shown(token), "sm_70, sm_75, sm_80, sm_90, sm_100, sm_100a, sm_120, ...");
        in_.test.target = sm;
    }

    void parse_unroll() {
        once("unroll");
        const Span span = in_.lexer.peek().span;
        in_.test.unroll = static_cast<int>(in_.take_count("the number of iterations", dsl::most_unrolled));
        if (*in_.test.unroll == 0) in_.fail(span, "a loop is executed once at least");
    }

    void check_new_name(const DslToken& token, bool known, const std::string& what) const {
        if (known) in_.fail(token.span, "duplicate " + what + " `" + std::string(token.text) + "`");
    }

    // ---- locations ----------------------------------------------------------------------------------------

    void parse_location() {
        in_.guarded(
            [&] {
                in_.lexer.take();
                if (in_.at("file"))
                    parse_file();
                else if (in_.at("multimem"))
                    parse_multimem();
                else if (in_.at("tensormap"))
                    dsl::parse_tensor_map(in_);
                else if (in_.at("tmem"))
                    parse_tensor_memory();
                else if (in_.at("unlaunched"))
                    parse_unlaunched();
                else if (in_.at("grid"))
                    parse_grid();
                else
                    parse_declaration();
            },
            [&] {
                in_.declarations_complete = in_.threads_complete = false;
                in_.lexer.skip_statement("\n");
            });
    }

    // A source file and its number (ISA 11.5.3).
    void parse_file() {
        in_.lexer.take();
        const Span span = in_.lexer.peek().span;
        const auto number = static_cast<int>(in_.take_count("the number of the file", dsl::max_line));
        const Span named = in_.lexer.peek().span;
        std::string name = in_.take_string("the file's name in quotes");
        if (name.empty()) in_.fail(named, "the file's name is empty");
        if (!in_.test.files.emplace(number, std::move(name)).second)
            in_.fail(span, "duplicate file number " + std::to_string(number), "give each file a number of its own");
        if (in_.at(",")) in_.fail(in_.lexer.peek().span, "the time and the size of a file are not kept", "leave them out");
        in_.end_directive("file");
    }

    // A multimem address, of the type and size of the locations that it points to (ISA 8.2.3): `.multimem m = x, y;`
    void parse_multimem() {
        in_.lexer.take();
        const DslToken name = in_.take_name("a location's name");
        check_new_name(name, find_location(in_.test, name.text) || find_tensor_map(in_.test, name.text), "location");
        in_.expect("=", " and the locations that it points to");
        Location location;
        std::vector<std::string> names;
        do {
            const DslToken target = in_.take_name("a location's name");
            const Location& other = in_.declared(target);
            if (other.space != Space::global || !other.alias_of.empty() || !other.points_to.empty() || is_opaque(other))
                in_.fail(target.span, "a multimem address points to declared locations in global memory (ISA 8.2.3)");
            if (names.empty()) location = other;
            if (std::find(names.begin(), names.end(), other.name) != names.end())
                in_.fail(target.span, "a multimem address points to distinct locations (ISA 8.2.3)");
            if (element_type(other) != element_type(location) || other.count != location.count || other.array != location.array)
                in_.fail(target.span, "the locations of one multimem address have one type and size");
            names.push_back(other.name);
        } while (in_.accept(","));
        location.points_to = std::move(names);
        location.name = name.text;
        location.span = name.span;
        location.init.assign(static_cast<size_t>(location.count), 0);
        in_.expect_semicolon("the declaration");
        in_.test.locations.push_back(std::move(location));
    }

    // A part of tensor memory, without a value that is known (ISA 9.7.16.1): `.tmem d;`, `.tmem.cta1 d;`
    void parse_tensor_memory() {
        Location location;
        location.space = Space::shared;
        location.is_tensor = true;
        location.type = Type::b32;
        location.count = 4;  // the quarters of the lanes, one for each warp of a warpgroup
        location.init.assign(4, 0);
        parse_owner(location, in_.take_dotted("a kind of memory"));
        const DslToken name = in_.take_name("a location's name");
        check_new_name(name, find_location(in_.test, name.text) != nullptr, "location");
        location.name = name.text;
        location.span = name.span;
        in_.expect_semicolon("the declaration");
        in_.test.locations.push_back(std::move(location));
    }

    // How many clusters of the grid have not started (ISA 9.7.13.17): `.unlaunched 2;`
    void parse_unlaunched() {
        once("unlaunched");
        in_.test.unlaunched = static_cast<int>(in_.take_count("the number of clusters", dsl::max_place));
        in_.expect_semicolon("the declaration");
    }

    // When a grid begins: `.grid 1 after 0;`, `.grid 1 programmatic 0;`, `.grid 1 apart;`
    void parse_grid() {
        in_.lexer.take();
        const Span span = in_.lexer.peek().span;
        Grid said;
        said.number = static_cast<int>(in_.take_count("the number of a grid", dsl::max_grid));
        said.span = span;
        const DslToken word = in_.take(DslToken::Kind::word, "`after`, `programmatic` or `apart`");
        said.apart = word.text == "apart";
        if (!said.apart) {
            if (word.text != "after" && word.text != "programmatic")
                in_.fail(word.span, "expected `after`, `programmatic` or `apart`, not " + dsl::shown(word));
            std::vector<int>& before = word.text == "after" ? said.after : said.programmatic;
            do {
                const Span at = in_.lexer.peek().span;
                const auto number = static_cast<int>(in_.take_count("the number of a grid", dsl::max_grid));
                if (number >= said.number)
                    in_.fail(at, "a grid depends on grids of smaller numbers", "number the grids in an order in which they may run");
                if (std::find(before.begin(), before.end(), number) != before.end()) in_.fail(at, "this grid is named twice");
                before.push_back(number);
            } while (in_.accept(","));
        }
        in_.expect_semicolon("the declaration");
        add_grid(said);
    }

    // Full edges and programmatic ones of a grid stand in two lines.
    void add_grid(const Grid& said) {
        std::vector<Grid>& all = in_.test.grids;
        const auto known = std::find_if(all.begin(), all.end(), [&](const Grid& g) { return g.number == said.number; });
        if (known == all.end()) return all.push_back(said);
        const auto both = [](const std::vector<int>& a, const std::vector<int>& b) { return !a.empty() && !b.empty(); };
        if (known->apart || said.apart || both(known->after, said.after) || both(known->programmatic, said.programmatic))
            in_.fail(said.span, "it was said before when grid " + std::to_string(said.number) + " begins");
        for (const auto& [from, to] : {std::pair{&said.after, &known->after}, {&said.programmatic, &known->programmatic}})
            to->insert(to->end(), from->begin(), from->end());
    }

    void parse_declaration() {
        Location location;
        parse_space(location);
        in_.expect(".", " and a type");
        if (in_.accept("align")) parse_alignment();
        parse_location_type(location);
        const DslToken name = in_.take_name("a location's name");
        location.name = name.text;
        location.span = name.span;
        check_new_name(name, find_location(in_.test, name.text) || find_tensor_map(in_.test, name.text), "location");
        if (location.is_tensor_map) {
            dsl::parse_map_in_memory(in_, name);
            in_.expect_semicolon("the declaration");
            in_.test.locations.push_back(std::move(location));
            return;
        }
        if (in_.accept("[")) {
            location.array = true;
            const Span span = in_.lexer.peek().span;
            location.count = static_cast<int>(in_.take_count("the number of elements", dsl::max_elements));
            if (location.count == 0) in_.fail(span, "an array has at least one element");
            in_.expect("]");
        }
        if (location.wide) location.count *= 2;
        if (location.count > static_cast<int>(dsl::max_elements)) in_.fail(name.span, "an array has at most 32 KiB");
        elements_ += static_cast<size_t>(location.count);
        if (in_.test.locations.size() == max_locations || elements_ > max_locations * 64)
            in_.fail(name.span, "too many locations", "at most 1024, and 65536 elements in all");
        if (in_.at("alias"))
            parse_alias(location);
        else
            parse_initial(location);
        in_.expect_semicolon("the declaration");
        in_.test.locations.push_back(std::move(location));
    }

    void parse_space(Location& location) {
        const DslToken token = in_.take_dotted("a state space");
        const size_t dot = token.text.find('.');
        const std::string_view space = token.text.substr(0, dot);
        dsl::refuse_directive(in_, token, space);
        if (space == "const" || space == "local" || space == "param")
            in_.fail(token.span, "the state space `." + std::string(space) + "` is known PTX (ISA 5.1) but not modelled");
        if (space != "global" && space != "shared") {
            const std::string near = nearest(space, {"global", "shared"});
            in_.fail(token.span, "unknown state space `." + std::string(space) + "`",
                     near.empty() ? "write `.global` or `.shared`" : "the nearest is `." + near + "`");
        }
        location.space = space == "global" ? Space::global : Space::shared;
        if (location.space == Space::global && dot != std::string_view::npos && token.text.substr(dot + 1, 3) == "gpu")
            in_.fail(token.span, "global memory has no home GPU: scopes decide which threads an access is for", "write `.global`");
        if (location.space == Space::global && dot != std::string_view::npos)
            in_.fail(token.span, "global memory belongs to no CTA", "write `.global`");
        parse_owner(location, token);
    }

    // The CTA behind `.shared` or `.tmem`; none: one instance in each.
    void parse_owner(Location& location, const DslToken& token) {
        const size_t dot = token.text.find('.');
        if (dot == std::string_view::npos) return;
        location.cta = in_.numbered_cta(token.text.substr(dot + 1));
        const std::string space(token.text.substr(0, dot));
        if (!location.cta) in_.fail(token.span, "expected the owning CTA", "write `." + space + ".cta1`");
    }

    // `.align 16 .b8 s[64]` (ISA 5.4.1): a test needs none.
    void parse_alignment() {
        const Span span = in_.lexer.peek().span;
        const uint64_t bytes = in_.take_count("an alignment in bytes", max_alignment);
        if (bytes == 0 || (bytes & (bytes - 1)) != 0) in_.fail(span, "an alignment is a power of two (ISA 5.4.1)");
        in_.expect(".", " and a type");
    }

    void parse_location_type(Location& location) {
        const DslToken token = in_.take_dotted("a type");
        dsl::refuse_directive(in_, token, token.text);
        if (token.text == "mbarrier") {
            if (location.space == Space::global)
                in_.fail(token.span, "an mbarrier object lies in shared memory (ISA 9.7.13.15)", "write `.shared.cta0`");
            location.is_mbarrier = true;
            location.type = Type::b64;
            return;
        }
        if (token.text == "tensormap") {
            location.is_tensor_map = true;
            location.type = Type::b32;  // the number of the array's location
            location.init.assign(1, 0);
            return;
        }
        const auto type = type_named(token.text);
        if (type == Type::b128) {
            location.wide = true;
            location.type = Type::b64;
            return;
        }
        if (!type || *type == Type::pred) {
            const std::string near = nearest(token.text, {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64",
                                                          "f16", "bf16", "f32", "f64", "f16x2", "bf16x2"});
            in_.fail(token.span, "a location cannot be a `." + std::string(token.text.substr(0, 40)) + "`",
                     near.empty() ? "" : "the nearest is `." + near + "`");
        }
        location.type = *type;
    }

    void parse_alias(Location& location) {
        in_.lexer.take();
        if (location.is_mbarrier) in_.fail(location.span, "an mbarrier object has no alias");
        for (const auto& [word, proxy] :
             {std::pair{"surface", Proxy::surface}, {"texture", Proxy::texture}, {"constant", Proxy::constant}}) {
            if (!in_.at(word) || in_.lexer.followed_by(";")) continue;
            in_.lexer.take();
            location.proxy = proxy;
            break;
        }
        const DslToken target = in_.take_name("a location's name");
        const Location& other = in_.declared(target);
        location.alias_of = target.text;
        if (other.is_mbarrier) in_.fail(target.span, "an mbarrier object has no alias");
        if (other.is_tensor_map) in_.fail(target.span, "an alias of a tensor map is not modelled");
        if (!other.points_to.empty())
            in_.fail(target.span, "`" + other.name + "` is a multimem address, which only multimem operations access (ISA 8.2.3)",
                     "an alias of one of its locations is what plain accesses go by");
        if (other.space != Space::global || location.space != Space::global)
            in_.fail(target.span, "only global memory can have a second address");
        if (element_type(other) != element_type(location) || other.count != location.count || other.array != location.array)
            in_.fail(target.span, "an alias is declared with the type and size of `" + other.name + "`",
                     "write `." + std::string(element_type(other)) + " " + location.name +
                         (other.array ? "[" + std::to_string(other.count / (other.wide ? 2 : 1)) + "]" : "") + " alias " + other.name +
                         "`");
        if (in_.at("=")) in_.fail(in_.lexer.peek().span, "an alias has the initial value of `" + other.name + "`");
        location.init = other.init;
    }

    void parse_initial(Location& location) {
        const auto count = static_cast<size_t>(location.count);
        if (location.is_mbarrier) {
            if (in_.accept("=")) {
                const Span span = in_.lexer.peek().span;
                const Literal arrivals = in_.take_literal("the number of arrivals");
                const bool integer = arrivals.kind == Literal::Kind::integer || arrivals.kind == Literal::Kind::hex;
                Instruction init;
                init.op = Op::mbarrier_init;
                for (const NumberDemand& demand : number_demands(init, Role::count))
                    if (!integer || arrivals.negative || !demand.admits(arrivals.magnitude))
                        in_.fail(span, demand.says() + citation(demand.section, init));
                location.arrivals = static_cast<uint32_t>(arrivals.magnitude);
            }
            location.init.assign(count, 0);
            return;
        }
        if (!in_.accept("=")) {
            location.init.assign(count, 0);
            return;
        }
        const Span open = in_.lexer.peek().span;
        const size_t parts = location.wide ? 2 : 1;
        if ((location.array || !location.wide) && in_.accept("{")) {
            if (!location.array) in_.fail(open, "one value initialises a scalar", "leave out the braces");
            do {
                if (location.init.size() == count)
                    in_.fail(in_.lexer.peek().span, "more than " + std::to_string(count / parts) + " initial values");
                take_element(location);
            } while (in_.accept(","));
            in_.expect("}");
        } else {
            take_element(location);
        }
        if (location.init.size() == parts)
            while (location.init.size() < count) location.init.push_back(location.init[location.init.size() - parts]);
        if (location.init.size() != count)
            in_.fail(open,
                     std::to_string(location.init.size() / parts) + " initial values for " + std::to_string(count / parts) + " elements",
                     "give one for all, or one for each");
    }

    // The value of an element: a number, or of 128 bits the two halves, `{1, 2}`, of which a number alone is the lower one.
    void take_element(Location& location) {
        const bool halves = location.wide && in_.accept("{");
        location.init.push_back(initial_value(location));
        if (!location.wide) return;
        if (halves) in_.expect(",", " before the upper half");
        location.init.push_back(halves ? initial_value(location) : 0);
        if (halves) in_.expect("}");
    }

    uint64_t initial_value(const Location& location) {
        return truncate(in_.value_of(in_.take_literal("a value"), location.type), bits(location.type));
    }

    // ---- conditions ------------------------------------------------------------------------------------------

    void parse_filter() {
        once("filter");
        in_.test.filter = dsl::parse_condition(in_);
    }

    void parse_claim() {
        const DslToken first = in_.lexer.peek();
        Claim claim;
        claim.span = first.span;
        const bool negated = in_.accept("~");
        if (negated && !in_.at("exists"))
            in_.fail(in_.lexer.peek().span, "expected `exists` after `~`, not " + dsl::shown(in_.lexer.peek()));
        const bool forall = in_.at("forall");
        once("claim");
        claim.kind = negated ? Claim::Kind::not_exists : forall ? Claim::Kind::forall : Claim::Kind::exists;
        claim.condition = dsl::parse_condition(in_);
        claim.span.end = in_.lexer.last_end();
        in_.test.claim = std::move(claim);
    }

    dsl::Reader in_;
    dsl::ThreadParser threads_{in_};
    std::set<std::string> clauses_;
    size_t elements_ = 0;
};

}  // namespace

Test parse_dsl(const SourcePtr& source) {
    return Parser(source).parse();
}

}  // namespace litmus

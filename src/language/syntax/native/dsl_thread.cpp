// A thread that is replicated, `thread W[3] @ cta%i { ... }`, is read as often as it stands for threads: the lexer goes back to the
// place after the name, and `%i` is another number each time. What a thread may do, the others may; so when the first reading finds
// a mistake the text is not read again.
#include "language/syntax/native/dsl_thread.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "language/syntax/native/dsl_advice.h"
#include "language/syntax/native/dsl_asm.h"
#include "language/syntax/native/dsl_block.h"
#include "language/syntax/native/dsl_instruction.h"

namespace litmus::dsl {

namespace {

constexpr size_t max_threads = 256;
constexpr size_t max_instructions = 4096;
constexpr int warp_lanes = 32;
constexpr int cta_warps = 32;  // 1024 threads (ISA 2.2.1, every target so far)

// "cta1", or "cta" before `%i`: its number.
std::optional<int> placed(Reader& in, std::string_view word, std::string_view prefix) {
    if (word == prefix && in.at_replica()) return static_cast<int>(in.take_replica_number("the number of the " + std::string(prefix)));
    return in.numbered(word, prefix);
}

Placement parse_placement(Reader& in) {
    Placement placement;
    int grid = 0;
    struct Part {
        int* value;
        int limit;
    };
    const std::array<Part, place_words.size()> parts = {{{&placement.gpu, max_place},
                                                         {&grid, max_grid},
                                                         {&placement.cluster, max_place},
                                                         {&placement.cta, max_place},
                                                         {&placement.warp, cta_warps - 1},
                                                         {&placement.lane, warp_lanes - 1}}};
    size_t next = 0;
    do {
        const DslToken word = in.take(DslToken::Kind::word, "a placement such as `gpu0.cta1`");
        std::optional<int> value;
        while (next < parts.size() && !(value = placed(in, word.text, place_words[next]))) ++next;
        if (!value)
            in.fail(word.span, shown(word) + " is no part of a placement here",
                    "a placement is gpuG.gridK.clusterC.ctaN.warpW.laneL; what is left out is 0");
        if (*value > parts[next].limit)
            in.fail({word.span.begin, in.lexer.last_end()}, "`" + std::string(place_words[next]) + std::to_string(*value) +
                                                                "` is out of range: 0 to " + std::to_string(parts[next].limit));
        *parts[next].value = *value;
        placement.warp_named = placement.warp_named || place_words[next] == "warp";
        ++next;
    } while (in.accept("."));
    placement.cluster = in_grid(grid, placement.cluster);
    placement.cta = in_grid(grid, placement.cta);
    return placement;
}

}  // namespace

// The body of one thread.
class ThreadParser::Body {
public:
    Body(Reader& in, Thread& thread, size_t& instructions) : in_(in), thread_(thread), blocks_(thread), instructions_(instructions) {}

    // From behind the opening brace to behind the closing one.
    void parse() {
        for (bool closed = false; !closed;) in_.guarded([&] { closed = parse_item(); }, [&] { skip_instruction(); });
        thread_.end_labels = std::move(blocks_.labels);
    }

private:
    // An instruction, a label, a directive or a brace; true at the end of the body.
    bool parse_item() {
        const DslToken next = in_.lexer.peek();
        if (in_.accept("}")) return blocks_.close();
        if (in_.accept("{")) return blocks_.open(), false;
        if (in_.at(".")) return parse_directive(), false;
        const bool statement =
            next.kind == DslToken::Kind::word && starts_statement(next.text) && in_.lexer.at_line_start() && !in_.lexer.followed_by(":");
        if (next.kind == DslToken::Kind::end || statement) {
            in_.record(Failure(in_.source, next.span, "expected `}` at the end of thread `" + thread_.name + "`, not " + shown(next)));
            in_.threads_complete = false;
            return true;
        }
        if (next.kind == DslToken::Kind::word && in_.lexer.followed_by(":")) {
            blocks_.labels.emplace_back(in_.take_name("a label").text);
            in_.lexer.take();
            return false;
        }
        if (!in_.pasting && starts_asm(in_)) return parse_pasted(), false;
        parse_instruction();
        return false;
    }

    void parse_instruction() {
        if (++instructions_ > max_instructions) in_.fail_for_good(in_.lexer.peek().span, "more than 4096 instructions");
        Instruction instruction = dsl::parse_instruction(in_);
        instruction.labels = std::exchange(blocks_.labels, {});
        instruction.origin = loc_;
        instruction.wording.own = !in_.replica && !in_.pasting;
        thread_.body.push_back(std::move(instruction));
    }

    // The instructions of an `asm` statement, in place.
    void parse_pasted() {
        const size_t first = thread_.body.size(), depth = blocks_.depth();
        const Pasted pasted = take_asm(in_);
        const InAsm inside(in_, pasted);
        for (const Bound& bound : pasted.operands)
            if (bound.operand.kind == Operand::Kind::reg) blocks_.bound.insert(bound.operand.name);
        const auto parse_next = [&] {
            const Span span = in_.lexer.peek().span;
            if (blocks_.depth() == depth && in_.accept("}")) in_.fail(span, "no block of this `asm` is open here");
            parse_item();
        };
        while (!in_.at_end()) in_.guarded(parse_next, [&] { skip_instruction(); });
        if (blocks_.depth() > depth) in_.record(Failure(in_.source, pasted.span, "a block of this `asm` is not closed", "add `}`"));
        while (blocks_.depth() > depth) blocks_.close();
        blocks_.bound.clear();
        bind(pasted, thread_, first);
    }

    void parse_directive() {
        const DslToken mark = in_.lexer.take();
        if (in_.at("loc")) return in_.guarded([&] { parse_loc(); }, [&] { in_.lexer.skip_line(); });
        const DslToken word = in_.take_dotted("an instruction");
        const std::string_view directive = word.text.substr(0, word.text.find('.'));
        if (word.text == "reg") return blocks_.declare(take_registers(in_));
        refuse_directive(in_, word, directive);
        in_.fail(join(mark.span, word.span), "expected an instruction, not a directive", "locations are declared before the threads");
    }

    // The line of the source that the instructions come from which follow (ISA 11.5.4).
    void parse_loc() {
        in_.lexer.take();
        loc_ = {};
        const Span span = in_.lexer.peek().span;
        const auto file = static_cast<int>(in_.take_count("the number of a file", max_line));
        if (in_.test.files.count(file) == 0) fail_unknown_file(span, file);
        const auto line = static_cast<int>(in_.take_count("the number of a line", max_line));
        int column = 0;
        if (in_.lexer.peek().kind == DslToken::Kind::number && !in_.lexer.at_line_start())
            column = static_cast<int>(in_.take_count("the number of a column", max_line));
        if (in_.at(","))
            in_.fail(in_.lexer.peek().span, "of a function that was inlined a test has one line",
                     "write the line that reports shall name, and leave the rest out");
        in_.end_directive("loc");
        if (line > 0) loc_ = {file, line, column};
    }

    [[noreturn]] void fail_unknown_file(Span span, int file) const {
        if (!in_.declarations_complete) throw Failure(std::vector<Diagnostic>{});  // its declaration may have been in error
        in_.fail(span, "there is no file " + std::to_string(file),
                 "declare it before the threads: `.file " + std::to_string(file) + " \"kernel.cu\"`");
    }

    void skip_instruction() {
        in_.threads_complete = false;
        in_.lexer.skip_statement("}");
    }

    Reader& in_;
    Thread& thread_;
    Blocks blocks_;
    size_t& instructions_;
    CudaLine loc_;  // of the instruction that comes next
};

void ThreadParser::parse() {
    std::optional<Header> header;
    in_.guarded([&] { header = parse_header(); }, [&] { in_.lexer.skip_statement("{"); });
    const int replicas = header ? header->replicas : 0;
    const Lexer::Mark start = in_.lexer.mark();
    const size_t errors = in_.errors.size();
    for (int i = 0; i < std::max(replicas, 1); ++i) {
        if (i > 0 && in_.errors.size() > errors) break;
        in_.lexer.go_back(start);
        if (replicas > 0) in_.replica = i;
        Thread thread;
        if (header) in_.guarded([&] { place(thread, *header, i); }, [&] { in_.lexer.skip_statement("{"); });
        in_.threads_complete = in_.threads_complete && !thread.name.empty();
        in_.expect("{");
        Body(in_, thread, instructions_).parse();
        if (!thread.name.empty()) in_.test.threads.push_back(std::move(thread));
    }
    in_.replica.reset();
}

// `W`, or `W[3]`: W.0, W.1 and W.2.
ThreadParser::Header ThreadParser::parse_header() {
    Header header;
    header.name = in_.take_thread_name();
    if (!in_.accept("[")) return header;
    const Span span = in_.lexer.peek().span;
    header.replicas = static_cast<int>(in_.take_count("the number of threads", max_threads));
    if (header.replicas == 0) in_.fail(span, "there is at least one thread");
    in_.expect("]");
    return header;
}

// The name last: a thread without one is left out.
void ThreadParser::place(Thread& thread, const Header& header, int replica) {
    const std::string name = std::string(header.name.text) + (header.replicas > 0 ? "." + std::to_string(replica) : "");
    if (find_thread(in_.test, name) >= 0) in_.fail(header.name.span, "duplicate thread `" + name + "`");
    if (in_.test.threads.size() == max_threads) in_.fail_for_good(header.name.span, "more than 256 threads");
    in_.expect("@", " and a placement such as `cta0`");
    thread.at = parse_placement(in_);
    thread.span = header.name.span;
    thread.name = name;
}

}  // namespace litmus::dsl

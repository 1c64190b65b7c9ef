// A kernel for each thread.
#include "gpu/emit/bare.h"

#include <algorithm>

#include "gpu/emit/kernel.h"
#include "gpu/emit/plan.h"
#include "gpu/emit/thread_text.h"

namespace litmus::gpu {

namespace {

constexpr int held = 60;  // values that are kept alive under pressure, of 64 bits: half of the 255 registers

class Kernel {
public:
    Kernel(const BareThread& thread, size_t number)
        : test_(*thread.test), thread_(thread.thread), body_(thread.body), number_(std::to_string(number)), plan_(make_plan(test_, {})) {
        plan_.turns = false;  // ranks in a cluster are those that the test writes
    }

    const Plan& plan() const { return plan_; }
    std::string name() const { return "thread" + number_; }

    // Variables of the module.
    void write_variables(PtxText& text) const {
        for (size_t l = 0; l < test_.locations.size(); ++l)
            if (is_variable(l)) text.line(".global .align 128 .b8 " + variable(l) + "[" + std::to_string(bytes(test_.locations[l])) + "];");
    }

    void write(PtxText& text) const {
        PtxText body;
        body.open();
        const size_t kept = emit_bare_thread(test_, plan_, static_cast<int>(thread_), body);
        text.comment(test_.name + ", " + test_.threads[thread_].name);
        write_signature(text);
        text.line("{");
        text.open();
        write_registers(body.str(), kept, text);
        write_addresses(text);
        before(kept, text);
        text.line("{");
        text.append(body);
        text.line("}");
        after(kept, text);
        text.line("ret;");
        text.close();
        text.line("}");
        text.line();
    }

private:
    static int bytes(const Location& location) {
        return location.is_tensor_map ? 128 : location.count * std::max(bits(location.type), 8) / 8;
    }
    bool is_global(size_t l) const { return test_.locations[l].space == Space::global; }
    bool is_variable(size_t l) const { return body_ == Body::fixed && is_global(l) && test_.locations[l].alias_of.empty(); }
    std::string variable(size_t l) const { return "$variable" + number_ + "$" + std::to_string(l); }

    void write_signature(PtxText& text) const {
        std::string list = ".param .u64 results, .param .u32 turns";
        for (size_t l = 0; l < test_.locations.size(); ++l)
            if (is_global(l) && !is_variable(l)) list += ", .param .u64 global" + std::to_string(l);
        for (size_t k = 0; k < test_.tensor_maps.size(); ++k) list += ", .param .align 64 .b8 tensor" + std::to_string(k) + "[128]";
        text.line(".visible .entry " + name() + "(" + list + ")");
    }

    void write_registers(const std::string& body, size_t kept, PtxText& text) const {
        text.line(".reg .pred $go;");
        text.line(".reg .b32 $turn, $turns;");
        text.line(".reg .b64 $results, $value, $global<" + std::to_string(test_.locations.size() + 1) + ">;");
        text.line(".reg .b64 $kept<" + std::to_string(kept + 1) + ">, $sum<" + std::to_string(kept + 1) + ">;");
        if (body_ == Body::pressure) text.line(".reg .b64 $held<" + std::to_string(held) + ">;");
        for (const std::string width : {"8", "16", "32", "64"})
            if (body.find("$t" + width + "$") != std::string::npos) text.line(".reg .b" + width + " $t" + width + "$<16>;");
    }

    void write_addresses(PtxText& text) const {
        text.line("ld.param.u64 $results, [results];");
        text.line("cvta.to.global.u64 $results, $results;");
        for (size_t l = 0; l < test_.locations.size(); ++l) {
            if (!is_global(l)) continue;
            const std::string number = std::to_string(l);
            if (!is_variable(l)) {
                text.line("ld.param.u64 $global" + number + ", [global" + number + "];");
                continue;
            }
            text.line("mov.u64 $global" + number + ", " + variable(l) + ";");
            text.line("cvta.global.u64 $global" + number + ", $global" + number + ";");
        }
        load_tensor_maps(test_, text);
    }

    void before(size_t kept, PtxText& text) const {
        if (body_ == Body::pressure)
            for (int k = 0; k < held; ++k)
                text.line("ld.global.u64 $held" + std::to_string(k) + ", [$results+" + std::to_string(8 * (4096 + k)) + "];");
        if (body_ != Body::loop) return;
        for (size_t w = 0; w < kept; ++w) text.line("mov.b64 $sum" + std::to_string(w) + ", 0;");
        text.line("ld.param.u32 $turns, [turns];");
        text.line("mov.b32 $turn, 0;");
        text.label("$next");
        text.line(".pragma \"nounroll\";", "one copy of each instruction");
    }

    void after(size_t kept, PtxText& text) const {
        if (body_ == Body::loop) {
            for (size_t w = 0; w < kept; ++w)
                text.line("mad.lo.u64 $sum" + std::to_string(w) + ", $sum" + std::to_string(w) + ", 3, $kept" + std::to_string(w) + ";");
            text.line("add.u32 $turn, $turn, 1;");
            text.line("setp.lt.u32 $go, $turn, $turns;");
            text.line("@$go bra $next;");
        }
        for (size_t w = 0; w < kept; ++w)
            text.line("st.global.u64 [$results+" + std::to_string(8 * w) + "], " + (body_ == Body::loop ? "$sum" : "$kept") +
                      std::to_string(w) + ";");
        if (body_ == Body::pressure)
            for (int k = 0; k < held; ++k)
                text.line("st.global.u64 [$results+" + std::to_string(8 * (8192 + k)) + "], $held" + std::to_string(k) + ";");
    }

    const Test& test_;
    const size_t thread_;
    const Body body_;
    const std::string number_;
    Plan plan_;
};

}  // namespace

std::string_view name(Body body) {
    switch (body) {
        case Body::plain:
            return "plain";
        case Body::fixed:
            return "fixed";
        case Body::loop:
            return "loop";
        case Body::pressure:
            return "pressure";
    }
    return {};
}

BareModule emit_bare(const std::vector<BareThread>& threads, const std::string& target) {
    std::vector<Kernel> kernels;
    int version = 86, shared = 0;  // PTX 8.6: sm_100a (ISA 11.1.2)
    for (const BareThread& thread : threads) {
        kernels.emplace_back(thread, kernels.size());
        version = std::max(version, kernels.back().plan().ptx);
        shared = std::max(shared, kernels.back().plan().shared_bytes);
    }
    BareModule module;
    PtxText text;
    text.line(".version " + std::to_string(version / 10) + "." + std::to_string(version % 10));
    text.line(".target " + target);
    text.line(".address_size 64");
    if (shared > 0) text.line(".shared .align 128 .b8 $shared[" + std::to_string(shared) + "];");
    for (const Kernel& kernel : kernels) {
        const size_t before = text.marks().size();
        kernel.write_variables(text);
        kernel.write(text);
        module.entries.push_back({kernel.name(), {text.marks().begin() + static_cast<std::ptrdiff_t>(before), text.marks().end()}});
    }
    module.ptx = text.str();
    return module;
}

}  // namespace litmus::gpu

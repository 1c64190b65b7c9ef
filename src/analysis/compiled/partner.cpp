// The contrary of an access is one of the same location, strong and of the widest scope.
#include "analysis/compiled/partner.h"

#include <algorithm>
#include <set>

#include "language/syntax/native/print.h"
#include "ptx/traits.h"

namespace litmus::compiled {

namespace {

class Partner {
public:
    explicit Partner(const Thread& thread) : thread_(thread) {}

    std::vector<std::string> lines() const { return lines_; }

    void fence() {
        if (!lines_.empty()) lines_.emplace_back("fence.sc.sys;");
    }

    void meet(size_t instruction) {
        const Instruction& i = thread_.body[instruction];
        using Kind = Traits::Kind;
        switch (kind(i.op)) {
            case Kind::load:
                return access(i, true);
            case Kind::store:
                return access(i, false);
            case Kind::atomic:
                return access(i, traits(i.op).result != Traits::Result::none);
            case Kind::mbarrier_wait:
                return add("mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];");
            case Kind::mbarrier_arrival:
                return add("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p" + std::to_string(registers_++) + ", [bar], 0;");
            case Kind::cta_barrier:
            case Kind::cluster_barrier: {
                Instruction own = i;
                own.guard.reset();
                own.labels.clear();
                if (own.find(Role::predicate) || own.find(Role::source)) return;  // registers of the other thread
                return add(print(own) + ";");
            }
            default:
                return;
        }
    }

private:
    void add(const std::string& line) {
        if (met_.insert(line).second) lines_.push_back(line);
    }

    // Writes what is read, reads what is written, each element once.
    void access(const Instruction& i, bool reads) {
        const Operand& address = i.at(Role::address);
        if (address.indirect) return;
        const bool shared =
            std::any_of(i.qualifiers.begin(), i.qualifiers.end(), [](const std::string& q) { return q.rfind("shared", 0) == 0; });
        const std::string space = shared ? ".shared::cta" : ".global";
        for (int e = 0; e < vector_width(i); ++e) {
            const int64_t offset = address.offset + e * bits(data_type(i)) / 8;
            const std::string place = "[" + address.name + (offset > 0 ? "+" + std::to_string(offset) : "") + "]";
            if (!met_.insert((reads ? "w" : "r") + place).second) continue;
            if (reads)
                lines_.push_back("st.relaxed.sys" + space + ".u32 " + place + ", 1;");
            else
                lines_.push_back("ld.relaxed.sys" + space + ".u32 q" + std::to_string(registers_++) + ", " + place + ";");
        }
    }

    const Thread& thread_;
    std::set<std::string> met_;
    std::vector<std::string> lines_;
    size_t registers_ = 0;
};

}  // namespace

std::vector<std::vector<std::string>> partners(const Test& test, const Change& change) {
    const Thread& thread = test.threads[change.thread];
    std::vector<std::vector<std::string>> all = {{}};
    Partner before(thread);
    before.meet(change.instruction);
    before.fence();
    for (size_t i = change.instruction; i-- > 0;) before.meet(i);
    all.push_back(before.lines());
    Partner behind(thread);
    for (size_t i = thread.body.size(); i-- > change.instruction + 1;) behind.meet(i);
    behind.fence();
    behind.meet(change.instruction);
    if (behind.lines() != before.lines()) all.push_back(behind.lines());
    return all;
}

}  // namespace litmus::compiled

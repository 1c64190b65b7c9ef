// Programs are written statement by statement, each by a thread drawn anew. What orders them is drawn, too: waits, proxy fences, barriers.
#include "random_boxes.h"

#include <array>
#include <vector>

#include "random_program.h"

namespace litmus {

namespace {

using Words = std::vector<std::string>;

std::string number(int n) {
    return std::to_string(n);
}

// A tensor of the array `g` of 64 elements of .u32, with the words of its copies.
struct Tensor {
    std::string name, declared, dim;
    std::vector<int> extent;
    int bytes;  // of a box
};
const std::array<Tensor, 5> tensors{{{"t1", "dim 64, box 8", "1d", {64}, 32},
                                     {"t2", "dim 8, 8, box 4, 2", "2d", {8, 8}, 32},
                                     {"t3", "dim 4, 4, 4, box 4, 2, 2", "3d", {4, 4, 4}, 64},
                                     {"t4", "dim 8, 2, 2, 2, box 4, 2, 1, 2", "4d", {8, 2, 2, 2}, 64},
                                     {"t5", "dim 4, 2, 2, 2, 2, box 4, 1, 2, 1, 2", "5d", {4, 2, 2, 2, 2}, 64}}};

class Boxes {
public:
    explicit Boxes(uint64_t seed) : random_(seed), threads_(static_cast<size_t>(1 + random_.below(3))), rows_(random_.chance(30)) {
        for (size_t t = 0; t < threads_.size(); ++t) ctas_.push_back(t == 0 ? 0 : random_.below(2));
        const int statements = 2 + random_.below(4);
        for (int k = 0; k < statements; ++k) {
            at_ = static_cast<size_t>(random_.below(static_cast<int>(threads_.size())));
            statement();
            if (random_.chance(20)) say("fence.proxy.async");
            if (random_.chance(15)) meet();
        }
        if (random_.chance(60)) {
            const std::string r = fresh("r");
            say("ld.weak.global.u32 " + r + ", [" + any_of("g") + "]");
            claim_ = "P" + number(static_cast<int>(at_)) + ":" + r + " == 5";
        }
    }

    std::string text() const {
        std::string result = "test \"t\"\n";
        if (rows_) result += "target sm_100a\n";
        result += ".global .u32 g[64] = 1;\n.global .u32 h[64] = 2;\n.multimem m = g, h;\n";
        for (const std::string& line : declarations_) result += line + "\n";
        for (const Tensor& tensor : tensors)
            if (uses(" [" + tensor.name)) result += ".tensormap " + tensor.name + " = g, " + tensor.declared + ";\n";
        if (uses("[rows")) result += ".tensormap rows = g, dim 4, 16, box 4, 1;\n";
        if (uses("[cols")) result += ".tensormap cols = g, dim 4, 4, 4, lower 0, upper 0, channels 4, pixels 3;\n";
        if (uses("[changing")) result += ".global .tensormap changing = g, dim 8, 8, box 4, 2;\n";
        result += ".shared.cta0 .u32 s[32] = 5;\n.shared.cta0 .u32 t[32] = 6;\n";
        result += ".shared.cta1 .u32 u[32] = 7;\n.shared.cta1 .u32 v[32] = 8;\n";
        if (uses("wgmma")) result += ".shared.cta0 .u32 a[512] = 0x01010101;\n";
        for (size_t k = 0; k < threads_.size(); ++k) {
            result += "thread P" + number(static_cast<int>(k)) + " @ cta" + number(ctas_[k]) + " {\n";
            for (const std::string& line : threads_[k]) result += "  " + line + ";\n";
            result += "}\n";
        }
        if (ctas_.size() == 1 || (ctas_.back() == 0 && ctas_[1] == 0)) result += "thread Q @ cta1 {\n" + meetings("  ") + "}\n";
        return result + (claim_.empty() ? "" : "exists (" + claim_ + ")\n");
    }

private:
    void say(const std::string& line) { threads_[at_].push_back(line); }
    std::string fresh(const std::string& prefix) { return prefix + number(names_++); }
    bool uses(const std::string& word) const {
        for (const Words& body : threads_)
            for (const std::string& line : body)
                if (line.find(word) != std::string::npos) return true;
        return false;
    }
    std::string meetings(const std::string& before) const {
        std::string result;
        for (int k = 0; k < met_; ++k) result += before + "barrier.cluster.arrive;\n" + before + "barrier.cluster.wait;\n";
        return result;
    }
    void meet() {
        ++met_;
        for (Words& body : threads_) {
            body.push_back("barrier.cluster.arrive");
            body.push_back("barrier.cluster.wait");
        }
    }

    bool first_cta() const { return ctas_[at_] == 0; }
    // An array in the shared memory of the thread's CTA.
    std::string own_array() { return first_cta() ? random_.pick<std::string>({"s", "t"}) : random_.pick<std::string>({"u", "v"}); }
    std::string plus(const std::string& array, int bytes) const { return bytes == 0 ? array : array + "+" + number(bytes); }
    std::string any_of(const std::string& array) { return plus(array, 4 * random_.below(array == "g" || array == "h" ? 64 : 32)); }
    // Where a bulk operation of so many bytes may begin.
    std::string room_in(const std::string& array, int bytes) {
        const int size = array == "g" || array == "h" || array == "m" ? 256 : 128;
        return plus(array, 16 * random_.below((size - bytes) / 16 + 1));
    }

    std::string bar() {
        const std::string name = fresh("bar");
        declarations_.push_back(".shared .mbarrier " + name + " = 1;");
        return name;
    }
    void expect(const std::string& name, int bytes) {
        say("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [" + name + "], " + number(bytes));
    }
    void await(const std::string& name) {
        if (random_.chance(90)) say("await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [" + name + "], 0");
    }
    void finish_group() {
        say("cp.async.bulk.commit_group");
        if (random_.chance(75)) say("cp.async.bulk.wait_group" + random_.pick<std::string>({"", "", ".read"}) + " 0");
    }

    // The place and the mode of a copy, and its bytes. `outside`: how many of a hundred coordinates are negative.
    struct Box {
        std::string dim, load, store, place;
        int bytes;
        std::string offsets = {};
    };
    Box box(int outside) {
        const int way = random_.below(10);
        if (rows_ && way < 4) {
            std::string place = "[rows, {0";
            for (int k = 0; k < 4; ++k) place += ", " + number(random_.chance(outside) ? -1 : random_.below(18));
            return {"2d", ".tile::gather4", ".tile::scatter4", place + "}]", 64};
        }
        if (way == 4)
            return {"3d", ".im2col", ".im2col_no_offs", "[cols, {0, " + number(random_.below(4)) + ", " + number(random_.below(4)) + "}]",
                    48,   ", {0}"};
        if (!rows_ && way == 5)
            return {"2d", ".tile", ".tile", "[changing, {" + number(random_.below(3) * 2) + ", " + number(random_.below(7)) + "}]", 32};
        const Tensor& tensor = tensors[static_cast<size_t>(random_.below(5))];
        std::string place = "[" + tensor.name + ", {";
        for (size_t d = 0; d < tensor.extent.size(); ++d)
            place += (d > 0 ? ", " : "") + number(random_.chance(outside) ? -1 : random_.below(tensor.extent[d]));
        return {tensor.dim, ".tile", ".tile", place + "}]", tensor.bytes};
    }

    void statement() {
        switch (random_.below(13)) {
            case 0:
            case 1:
            case 2:
                return store_box();
            case 3:
            case 4:
                return load_box();
            case 5:
                return bulk_out();
            case 6:
                return bulk_in();
            case 7:
            case 8:
                return alone();
            case 9:
                return small_copy();
            case 10:
                return through_mapa();
            case 11:
                return whole_range();
            default:
                return other_address();
        }
    }

    void store_box() {
        const Box b = box(0);
        const bool reduces = b.store == ".tile" && random_.chance(30);
        say(std::string("cp.") + (reduces ? "reduce." : "") + "async.bulk.tensor." + b.dim + ".global.shared::cta" +
            (reduces ? ".add" : "") + b.store + ".bulk_group " + b.place + ", [" + own_array() + "]");
        finish_group();
    }

    void load_box() {
        const Box b = box(10);
        const std::string name = bar();
        const bool multicast = random_.chance(30);
        expect(name, b.bytes);
        say("cp.async.bulk.tensor." + b.dim + ".shared::cluster.global" + b.load + ".mbarrier::complete_tx::bytes" +
            (multicast ? ".multicast::cluster" : "") + " [" + own_array() + "], " + b.place + ", [" + name + "]" + b.offsets +
            (multicast ? ", 3" : ""));
        await(name);
    }

    void bulk_out() {
        const int bytes = 16 * (1 + random_.below(4));
        const bool reduces = random_.chance(35);
        const std::string to = room_in(random_.pick<std::string>({"g", "g", "h"}), bytes), from = room_in(own_array(), bytes);
        say(reduces ? "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [" + to + "], [" + from + "], " + number(bytes)
                    : "cp.async.bulk.global.shared::cta.bulk_group [" + to + "], [" + from + "], " + number(bytes));
        finish_group();
    }

    void bulk_in() {
        const int bytes = 16 * (1 + random_.below(4));
        const std::string name = bar();
        const bool multicast = random_.chance(35);
        expect(name, bytes);
        say(std::string("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes") + (multicast ? ".multicast::cluster" : "") +
            " [" + room_in(own_array(), bytes) + "], [" + room_in(random_.pick<std::string>({"g", "g", "h"}), bytes) + "], " +
            number(bytes) + ", [" + name + "]" + (multicast ? ", 3" : ""));
        await(name);
    }

    void alone() {
        const bool global = random_.chance(50);
        const std::string space = global ? "global" : "shared::cta", at = any_of(global ? "g" : own_array());
        say(random_.chance(50) ? "st.weak." + space + ".u32 [" + at + "], 9"
                               : "ld.weak." + space + ".u32 " + fresh("r") + ", [" + at + "]");
    }

    void small_copy() {
        say("cp.async.ca.shared.global [" + room_in(own_array(), 16) + "], [" + room_in("g", 16) + "], 16" +
            random_.pick<std::string>({"", ", 8"}));
        if (random_.chance(75)) say("cp.async.wait_all");
    }

    void through_mapa() {
        const std::string a = fresh("a"), b = fresh("b");
        say("mov.u32 " + a + ", " + own_array());
        say("mapa.shared::cluster.u32 " + b + ", " + a + ", " + (first_cta() ? "1" : "0"));
        say("st.weak.shared::cluster.u32 [" + any_of(b) + "], 9");
    }

    void whole_range() {
        if (random_.chance(60)) return say("st.bulk.weak.shared::cta [" + room_in(own_array(), 32) + "], 32, 0");
        if (random_.chance(50) || !first_cta() || rows_) return say("discard.global.L2 [" + plus("g", 128 * random_.below(2)) + "], 128");
        say("wgmma.fence.sync.aligned");
        const std::string d = fresh("d");
        say("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {" + d + "0, " + d + "1, " + d + "2, " + d + "3}, [a], [s], 0");
        say("wgmma.commit_group.sync.aligned");
        say("wgmma.wait_group.sync.aligned 0");
    }

    void other_address() {
        if (random_.chance(50)) {
            const int bytes = 16 * (1 + random_.below(3));
            say("multimem.cp.async.bulk.global.shared::cta.bulk_group [" + room_in("m", bytes) + "], [" + room_in(own_array(), bytes) +
                "], " + number(bytes));
            return finish_group();
        }
        if (rows_) return alone();
        const std::string h = fresh("h");
        say("mov.u64 " + h + ", h");
        say("tensormap.replace.tile.global_address.global.b1024.b64 [changing], " + h);
        if (random_.chance(70)) say("fence.proxy.tensormap::generic.release.gpu");
        if (random_.chance(70)) say("fence.proxy.tensormap::generic.acquire.gpu [changing], 128");
    }

    Random random_;
    std::vector<Words> threads_;
    const bool rows_;  // a target that gathers and scatters rows; the other one has wgmma
    std::vector<int> ctas_;
    Words declarations_;
    std::string claim_;
    size_t at_ = 0;
    int names_ = 0, met_ = 0;
};

}  // namespace

std::string random_boxes(uint64_t seed) {
    return Boxes(seed).text();
}

}  // namespace litmus

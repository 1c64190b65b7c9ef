// Random tests with tensor maps: tiles, rows and columns are stored, reduced and loaded beside plain accesses to the same elements, some of
// them reach over the edge of the tensor, with the fences and waits that they need or others. In some the map lies in memory and is given
// another array.
#include "random_tensor.h"

#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

using Texts = std::vector<std::string>;

// A way through the tensor: its map, the words and operands of copies.
struct Way {
    std::string map;           // behind the array's name
    std::string elements;      // that are copied
    std::string bytes;         // these are
    std::string dim, in, out;  // "2d", and the mode of loads and of stores
    Texts from, to, offsets;   // coordinates, and what stands behind the mbarrier object of a load
    bool reduces = true;
};

const Way tile{"dim 4, 2, box 4, 2", "8", "32", "2d", "", "", {"{0, 0}", "{0, 1}", "{0, -1}"}, {"{0, 0}", "{0, 1}", "{4, 0}"}, {""}};
const Way rows{"dim 4, 2, box 4, 1",
               "16",
               "64",
               "2d",
               ".tile::gather4",
               ".tile::scatter4",
               {"{0, 0, 1, 2, 3}", "{0, 1, 0, -1, 0}", "{0, 7, 0, 1, 1}"},
               {"{0, 0, 1, 2, 3}", "{0, 2, 1, 5, 0}", "{4, 0, 1, 2, 3}"},
               {""},
               false};
const Way column{"dim 4, 1, 2, lower 0, upper 0, channels 4, pixels 2",
                 "8",
                 "32",
                 "3d",
                 ".im2col",
                 ".im2col_no_offs",
                 {"{0, 0, 0}", "{0, 0, 1}", "{0, 0, -1}"},
                 {"{0, 0, 0}", "{0, 0, 1}", "{4, 0, 0}"},
                 {", {0}", ", {0}", ", {1}"}};

class Tiles {
public:
    explicit Tiles(uint64_t seed) : random_(seed), title_("tensor-" + std::to_string(seed)) {}

    std::string text() {
        if (random_.chance(40)) return changing_map();
        way_ = random_.pick(std::vector<Way>{tile, tile, tile, rows, column});
        const bool apart = random_.chance(60);
        pair_ = apart && random_.chance(30);
        std::string bodies = "thread P0 @ cta0 {\n" + copy(0, "s", "bar") + "}\n";
        const std::string second = apart ? "1" : "0";
        const bool two_copies = random_.chance(35);
        bodies += "thread P1 @ cta" + second + " {\n" + (two_copies ? copy(1, "t", "baz") : accesses(1)) + "}\n";
        terms_.insert(terms_.end(), {"g[0]", "g[4]"});
        std::string condition = atom();
        if (random_.chance(50)) condition += " /\\ " + atom();
        return "test \"" + title_ + "\"\n\n.global .u32 g[8] = 0;\n.global .u32 f = 0;\n.shared.cta0 .u32 s[" + way_.elements +
               "] = 1;\n.shared.cta" + second + " .u32 t[" + way_.elements + "] = 2;\n.shared.cta0 .mbarrier bar = 1;\n.shared.cta" +
               second + " .mbarrier baz = 1;\n.tensormap tm = g, " + way_.map + ";\n\n" + bodies + "\n" +
               pick({"exists", "~exists", "forall"}) + " (" + condition + ")\n";
    }

private:
    // ---- a map in memory that one thread changes, it or another one copies a tile by it
    std::string changing_map() {
        if (random_.chance(30)) return fenced_by_others();
        const bool alone = random_.chance(30);
        const std::string second = random_.chance(60) ? "1" : "0", at = alone ? "0" : second;
        const int user = alone ? 0 : 1;
        std::string writer = changes(), reader;
        if (!alone) {
            writer += maybe(85, "st." + pick({"release.gpu", "relaxed.gpu"}) + ".global.u32 [f], 1");
            reader += maybe(85, "ld." + pick({"acquire.gpu", "relaxed.gpu"}) + ".global.u32 " + result(user) + ", [f]");
            reader += maybe(25, release());
        }
        reader += maybe(75, acquire()) + tile_by_map(user);
        terms_.insert(terms_.end(), {"g[0]", "h[0]"});
        return with_maps(at, "thread P0 @ cta0 {\n" + writer + (alone ? reader : "}\nthread P1 @ cta" + second + " {\n" + reader) + "}\n");
    }

    // One thread changes the map, another one copies by it; each fence stands in a thread of either CTA.
    std::string fenced_by_others() {
        const std::string flagged = "  st.release.gpu.global.u32 [f], 1;\n", meets = "  bar.sync 0;\n";
        const std::string writer = changes() + flagged;
        std::string between = "  ld.acquire.gpu.global.u32 " + result(1) + ", [f];\n";
        between += maybe(40, release()) + maybe(70, acquire()) + meets;
        const std::string user = meets + maybe(25, release()) + maybe(40, acquire()) + tile_by_map(2);
        return with_maps("1",
                         "thread P0 @ cta0 {\n" + writer + "}\nthread P1 @ cta1 {\n" + between + "}\nthread P2 @ cta1 {\n" + user + "}\n");
    }

    // The threads with what they name, and a claim.
    std::string with_maps(const std::string& cta, const std::string& threads) {
        std::string condition = atom();
        if (random_.chance(50)) condition += " /\\ " + atom();
        return "test \"" + title_ + "\"\n\n.global .u64 g[2] = 1;\n.global .u64 h[2] = 2;\n.global .u32 f = 0;\n" +
               ".global .tensormap tm = g, dim 2, box 2;\n.global .tensormap tn = g, dim 2, box 2;\n" +
               ".shared.cta0 .tensormap sm = g, dim 2, box 2;\n.shared.cta" + cta + " .u64 s[2] = 3;\n.shared.cta" + cta +
               " .mbarrier bar = 1;\n\n" + threads + "\n" + pick({"exists", "~exists", "forall"}) + " (" + condition + ")\n";
    }

    std::string release() { return "fence.proxy.tensormap::generic.release." + pick({"gpu", "gpu", "cta"}); }
    std::string acquire() {
        return "fence.proxy.tensormap::generic.acquire." + pick({"gpu", "gpu", "cta"}) + " [" + pick({"tm", "tm", "tm", "tn"}) + "], 128";
    }

    std::string changes() {
        const bool prepared = random_.chance(45);
        const std::string replace = "tensormap.replace.tile.global_address", copied = pick({"tm", "tm", "tn"});
        std::string text = "  mov.u64 a, h;\n" + maybe(prepared ? 40 : 95, replace + ".global.b1024.b64 [tm], a");
        if (prepared) {
            text += maybe(75, replace + ".shared::cta.b1024.b64 [sm], a");
            text += maybe(90, "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic." +
                                  pick({"release.gpu", "release.gpu", "release.cta"}) + ".sync.aligned [" + copied + "], [sm], 128");
        }
        return text + maybe(prepared ? 10 : 70, release()) + maybe(20, acquire()) + maybe(15, "fence.proxy.async");
    }

    std::string tile_by_map(int user) {
        if (random_.chance(50)) {
            std::string text = "  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;\n";
            text += "  cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {0}], [bar];\n";
            text += maybe(85, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
            return text + "  ld.weak.shared::cta.u64 " + result(user) + ", [s];\n";
        }
        std::string text = "  mov.u64 b, h;\n  cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [tm, {0}], [s];\n";
        text += "  cp.async.bulk.commit_group;\n" + maybe(85, "cp.async.bulk.wait_group" + pick({"", ".read"}) + " 0");
        text += maybe(30, "tensormap.replace.tile.global_address.global.b1024.b64 [tm], b");
        return text + "  ld.weak.global.u64 " + result(user) + ", [" + pick({"g", "h"}) + "];\n";
    }

    // ---- a map that does not change

    std::string pick(const Texts& from) { return random_.pick(from); }
    std::string atom() { return random_.pick(terms_) + " == " + std::to_string(random_.below(4)); }
    std::string maybe(int percent, const std::string& line) { return random_.chance(percent) ? "  " + line + ";\n" : ""; }
    std::string result(int thread) {
        const std::string name = "r" + std::to_string(registers_++);
        terms_.push_back("P" + std::to_string(thread) + ":" + name);
        return name;
    }
    std::string proxy_fence() { return "fence.proxy.async" + pick({"", "", ".shared::cta", ".global"}); }

    // A tile goes out, or comes in.
    std::string copy(int thread, const std::string& tile, const std::string& bar) {
        std::string text;
        if (random_.chance(30)) {
            text += maybe(40, "ld.acquire.gpu.global.u32 " + result(thread) + ", [f]") + maybe(50, proxy_fence());
            const bool elsewhere = pair_ && random_.chance(60);
            const std::string signalled = !elsewhere ? bar : thread == 0 ? "baz" : "bar";
            text += "  mbarrier.arrive.expect_tx.release.cta.shared::" + std::string(elsewhere ? "cluster" : "cta") + ".b64 _, [" +
                    signalled + "], " + pick({way_.bytes, way_.bytes, "16"}) + ";\n";
            text += "  cp.async.bulk.tensor." + way_.dim + ".shared::cta.global" + way_.in + ".mbarrier::complete_tx::bytes" +
                    (elsewhere ? ".cta_group::2" : "") + " [" + tile + "], [tm, " + pick(way_.from) + "], [" + signalled + "]" +
                    pick(way_.offsets) + ";\n";
            text += maybe(elsewhere ? 0 : 85, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [" + bar + "], 0");
            return text + "  ld.weak.shared::cta.u32 " + result(thread) + ", [" + tile + pick({"", "+16"}) + "];\n";
        }
        const bool reduces = way_.reduces && random_.chance(55);
        text += maybe(45, "st.weak.shared::cta.u32 [" + tile + "], 3") + maybe(50, proxy_fence());
        text += std::string("  cp") + (reduces ? ".reduce" : "") + ".async.bulk.tensor." + way_.dim + ".global.shared::cta" +
                (reduces ? pick({".add", ".add", ".max"}) : "") + way_.out + ".bulk_group [tm, " + pick(way_.to) + "], [" + tile + "];\n";
        text += maybe(90, "cp.async.bulk.commit_group") + maybe(85, "cp.async.bulk.wait_group" + pick({"", "", ".read"}) + " 0");
        return text + maybe(50, "st." + pick({"release.gpu", "relaxed.gpu"}) + ".global.u32 [f], 1");
    }

    std::string accesses(int thread) {
        std::string text =
            maybe(70, "ld." + pick({"acquire.gpu", "relaxed.gpu"}) + ".global.u32 " + result(thread) + ", [f]") + maybe(25, proxy_fence());
        const std::string place = pick({"g", "g+16"});
        if (pair_) text += maybe(70, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [baz], 0");
        text += random_.chance(50) ? "  ld.weak.global.u32 " + result(thread) + ", [" + place + "];\n"
                                   : "  red.relaxed.gpu.global.add.u32 [" + place + "], 1;\n";
        return text + maybe(30, proxy_fence()) + maybe(40, "st.release.gpu.global.u32 [f], 1");
    }

    Random random_;
    std::string title_;
    Way way_;
    bool pair_ = false;  // a load may signal the other CTA of its pair
    Texts terms_;        // what the claim may speak of
    int registers_ = 0;
};

}  // namespace

std::string random_tensor(uint64_t seed) {
    return Tiles(seed).text();
}

}  // namespace litmus

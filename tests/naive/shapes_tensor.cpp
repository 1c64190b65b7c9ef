// Shapes about tensor copies: boxes, rows and columns inside of a tensor, at its edges and outside of it; maps that are changed before a
// copy or behind it.
#include "story.h"

namespace litmus::naive {

namespace {

// A way through a tensor `g` of .u64: what the words of its copies are, and how many bytes go.
struct Way {
    std::string tensor;          // the declaration of the map `tm`
    std::string dim;             // "2d"
    std::string load, store;     // the mode
    Lines from, to;              // coordinates
    Lines offsets = {};          // behind the mbarrier object of a load
    std::string elements;        // of the array
    int count = 2;               // elements that are copied
    bool reduces = true;         // there are reductions
    bool other_barrier = false;  // a load may signal the other CTA of its pair
};

void move_out(Story& s, const Way& way, int a, int b) {
    const bool reduces = way.reduces && s.chance(45);
    s.maybe(65, a, s.store("shared::cta", "u64", s.one({"s", "s", "s+8"}), "6"));
    s.maybe(60, a, "fence.proxy.async" + s.one({"", ".shared::cta", ".global"}));
    s.say(a, std::string("cp.") + (reduces ? "reduce." : "") + "async.bulk.tensor." + way.dim + ".global.shared::cta" +
                 (reduces ? "." + s.one({"add", "add", "max", "xor"}) : "") + way.store + ".bulk_group [tm, " + s.one(way.to) + "], [s]");
    s.maybe(25, a, s.store("shared::cta", "u64", "s", "8"));
    s.maybe(90, a, "cp.async.bulk.commit_group");
    s.maybe(85, a, "cp.async.bulk.wait_group" + s.one({"", "", ".read"}) + " 0");
    if (s.chance(70)) s.synchronize(a, b);
    s.maybe(30, b, "fence.proxy.async");
    const std::string at = s.one({"g", "g+8", "g+16", "g+24"});
    s.say(b, s.chance(60) ? s.load("global", "u64", "r0", at) : "red.relaxed.gpu.global.add.u64 [" + at + "], 1");
}

void move_in(Story& s, const Way& way, int a, int b) {
    const std::string bytes = std::to_string(8 * way.count);
    s.declare(".shared .mbarrier bar = 1;");
    s.maybe(60, b, s.store("global", "u64", s.one({"g", "g", "g+8", "g+16"}), "9"));
    s.maybe(60, b, "fence.proxy.async" + s.one({"", ".global"}));
    if (s.chance(70)) s.synchronize(b, a);
    s.maybe(50, a, "fence.proxy.async" + s.one({"", ".global"}));
    const bool elsewhere = way.other_barrier && s.chance(60);
    const std::string object = elsewhere ? "bar@cta1" : "bar", of = elsewhere ? ".shared::cluster" : ".shared::cta";
    s.say(a, "mbarrier.arrive.expect_tx." + s.one({"release.cta", "relaxed.cta"}) + of + ".b64 _, [" + object + "], " +
                 s.one({bytes, bytes, bytes, "16"}));
    s.say(a, "cp.async.bulk.tensor." + way.dim + ".shared::" + s.one({"cta", "cluster"}) + ".global" + way.load +
                 ".mbarrier::complete_tx::bytes" + (way.other_barrier ? ".cta_group::2" : "") + " [s], [tm, " + s.one(way.from) + "], [" +
                 object + "]" + (way.offsets.empty() ? "" : ", " + s.one(way.offsets)));
    s.maybe(85, elsewhere ? b : a, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (elsewhere && s.chance(70)) s.synchronize(b, a);
    s.say(a, s.load("shared::cta", "u64", "r0", s.one({"s", "s+8"})));
}

void move(Story& s, const Way& way, bool together) {
    const int a = s.thread("cta0"), b = s.thread("cta" + (together ? s.one({"0", "1"}) : "1"));
    s.declare(".global .u64 g[" + way.elements + "] = 7;");
    s.declare(".tensormap tm = g, " + way.tensor + ";");
    s.declare(".shared.cta0 .u64 s[" + std::to_string(way.count) + "] = 5;");
    if (s.chance(50))
        move_out(s, way, a, b);
    else
        move_in(s, way, a, b);
}

}  // namespace

void tiles(Story& s) {
    const std::string tile = s.one({"", "", ".tile"});
    if (s.chance(65)) {
        const bool large = s.chance(35);
        move(s,
             {.tensor = std::string("dim 2, 2, box 2, ") + (large ? "2" : "1"),
              .dim = "2d",
              .load = tile,
              .store = tile,
              .from = {"{0, 0}", "{0, 1}", "{0, -1}", "{1, 0}", "{-1, 1}", "{0, 2}"},
              .to = {"{0, 0}", "{0, 1}", "{0, 1}", "{1, 0}", "{0, 2}"},
              .elements = s.one({"4", "4", "6"}),
              .count = large ? 4 : 2},
             true);
        return;
    }
    move(s,
         {.tensor = "dim " + s.one({"4", "3", "2"}) + ", box 2",
          .dim = "1d",
          .load = tile,
          .store = tile,
          .from = {"{0}", "{2}", "{-1}", "{1}", "{3}", "{-2}"},
          .to = {"{0}", "{2}", "{1}", "{3}"},
          .elements = s.one({"4", "4", "6"})},
         true);
}

// Rows that are gathered and scattered, some of them twice, some outside of the tensor; a load may signal the other CTA of the pair.
void rows(Story& s) {
    const bool pair = s.chance(40);
    move(s,
         {.tensor = "dim 2, " + s.one({"2", "3"}) + ", box 2, 1",
          .dim = "2d",
          .load = ".tile::gather4",
          .store = ".tile::scatter4",
          .from = {"{0, 0, 1, 2, 3}", "{0, 1, 0, -1, 0}", "{1, 0, 1, 1, 0}", "{-1, 2, 2, 0, 1}"},
          .to = {"{0, 0, 1, 2, 3}", "{0, 2, 0, 7, 1}", "{1, 0, 2, 1, 5}"},
          .elements = "6",
          .count = 8,
          .reduces = false,
          .other_barrier = pair},
         !pair);
}

// Columns of pixels, over the edges of the bounding box and of the images.
void columns(Story& s) {
    const bool flat = s.chance(60);
    const std::string corners = s.one({"lower 0, upper 0", "lower 0, upper 0", "lower 0, upper -1"});
    const int pixels = 1 + s.below(3);
    move(s,
         {.tensor = flat ? "dim 2, 2, 2, " + corners + ", channels 2, pixels " + std::to_string(pixels)
                         : "dim 2, 2, 2, 1, lower 0, 0, upper " + s.one({"0, 0", "-1, 0", "0, -1"}) + ", channels 2, pixels " +
                               std::to_string(pixels),
          .dim = flat ? "3d" : "4d",
          .load = ".im2col",
          .store = ".im2col_no_offs",
          .from =
              flat ? Lines{"{0, 0, 0}", "{0, 0, 1}", "{1, 0, 0}", "{-1, 0, -1}"} : Lines{"{0, 0, 0, 0}", "{1, 0, 0, 0}", "{0, 0, 0, -1}"},
          .to = flat ? Lines{"{0, 0, 0}", "{0, 0, 1}", "{1, 0, 0}"} : Lines{"{0, 0, 0, 0}", "{1, 0, 0, 0}"},
          .offsets = flat ? Lines{"{0}", "{1}"} : Lines{"{0, 0}", "{1, 0}", "{0, 1}"},
          .elements = "8",
          .count = 2 * pixels},
         true);
}

namespace {

// Thread t gives the map another array, in place or from shared memory, and releases it or not.
void change_map(Story& s, int t, const std::string& array) {
    const std::string r = s.fresh("m"), scope = s.one({"gpu", "gpu", "cta", "cluster"});
    s.say(t, "mov.u64 " + r + ", " + array);
    const auto set_field = [&](const std::string& space, const std::string& map) {
        const std::string field =
            s.one({"global_dim" + space + ".b1024.b32 [" + map + "], 0, 2", "box_dim" + space + ".b1024.b32 [" + map + "], 0, 2",
                   "rank" + space + ".b1024.b32 [" + map + "], 0", "swizzle_mode" + space + ".b1024.b32 [" + map + "], 0"});
        s.maybe(25, t, "tensormap.replace.tile." + field);
    };
    if (s.chance(40)) {
        s.say(t, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sm], " + r);
        set_field(".shared::cta", "sm");
        s.say(t, "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release." + scope + ".sync.aligned [tm], [sm], 128");
        return;
    }
    s.say(t, "tensormap.replace.tile.global_address.global.b1024.b64 [" + s.one({"tm", "tm", "tm", "tn"}) + "], " + r);
    set_field(".global", s.one({"tm", "tm", "tn"}));
    s.maybe(70, t, "fence.proxy.tensormap::generic.release." + scope);
}

void acquire_map(Story& s, int t, int percent) {
    s.maybe(percent, t,
            "fence.proxy.tensormap::generic.acquire." + s.one({"gpu", "gpu", "cta", "cluster"}) + " [" + s.one({"tm", "tm", "tm", "tn"}) +
                "], 128");
}

}  // namespace

void maps(Story& s) {
    const int place = s.below(2), a = s.thread("cta0"), b = s.chance(35) ? a : s.thread("cta" + std::to_string(place));
    const std::string at = std::to_string(b == a ? 0 : place);
    s.declare(".global .u64 g[2] = 7;");
    s.declare(".global .u64 h[2] = 8;");
    s.declare(".global .tensormap tm = g, dim 2, box 2;");
    s.declare(".global .tensormap tn = g, dim 2, box 2;");
    s.declare(".shared .tensormap sm = " + s.one({"g", "h"}) + ", dim 2, box 2;");
    s.declare(".shared.cta" + at + " .u64 s[2] = 5;");
    if (s.chance(75)) change_map(s, a, "h");
    if (s.chance(20)) acquire_map(s, a, 100);
    if (a != b && s.chance(85)) s.synchronize(a, b);
    acquire_map(s, b, 65);
    if (s.chance(45)) {
        const bool reduces = s.chance(30);
        s.say(b, "cp." + std::string(reduces ? "reduce." : "") + "async.bulk.tensor.1d.global.shared::cta" + (reduces ? ".add" : "") +
                     ".bulk_group [tm, {" + s.one({"0", "0", "1"}) + "}], [s]");
        s.maybe(90, b, "cp.async.bulk.commit_group");
        s.maybe(75, b, "cp.async.bulk.wait_group" + s.one({"", ".read"}) + " 0");
        if (s.chance(40)) change_map(s, b, "h");
        s.say(b, s.load("global", "u64", "r0", s.one({"g", "h", "h+8"})));
        return;
    }
    s.declare(".shared.cta" + at + " .mbarrier bar = 1;");
    s.say(b, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16");
    s.say(b, "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [s], [tm, {" + s.one({"0", "0", "1", "-1"}) +
                 "}], [bar]");
    const bool grouped = s.chance(35);
    if (grouped) s.say(b, Lines{"cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"});
    if (grouped && s.chance(60)) change_map(s, b, "h");
    s.maybe(85, b, "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0");
    if (!grouped && s.chance(30)) change_map(s, b, "h");
    s.say(b, s.load("shared::cta", "u64", "r0", s.one({"s", "s+8"})));
}

}  // namespace litmus::naive

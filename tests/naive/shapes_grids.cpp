// Kernels of one stream and programmatic dependents: what one leaves for the next, and what it takes back.
#include "story.h"

namespace litmus::naive {

namespace {

const Lines grid_places{"x", "y", "z"};

// One access, or a fence; reads go to registers of their own.
std::string access(Story& s) {
    const std::string at = s.one(grid_places);
    const int way = s.below(10);
    if (way < 4) return s.store("global", "u32", at, std::to_string(1 + s.below(2)));
    if (way < 7) return s.load("global", "u32", s.fresh("r"), at);
    if (way == 7) return "ld.global.nc.u32 " + s.fresh("r") + ", [" + at + "]";
    if (way == 8) return "ld.weak.global.u32 " + s.fresh("r") + ", [alias]";
    return "red.relaxed.gpu.global.add.u32 [" + at + "], 1";
}

void trigger(Story& s, int t) {
    if (s.chance(60))
        s.say(t, "fence." + s.one({"acq_rel", "release", "release", "sc", "acquire"}) + "." + s.one({"gpu", "gpu", "sys", "cta"}));
    if (!s.chance(15)) return s.say(t, "griddepcontrol.launch_dependents");
    const std::string r = s.fresh("r"), p = s.fresh("p");
    s.say(t, Lines{"ld.relaxed.gpu.global.u32 " + r + ", [" + s.one(grid_places) + "]", "setp.eq.u32 " + p + ", " + r + ", 0",
                   "@" + p + " griddepcontrol.launch_dependents"});
}

// A grid that others may follow.
void primary(Story& s, int t) {
    if (s.chance(80)) s.say(t, access(s));
    if (s.chance(10)) {  // a copy that nobody waits for
        s.declare(".shared.cta0 .u64 from[2] = 3;");
        s.declare(".global .u64 to[2] = 4;");
        s.say(t, "cp.async.bulk.global.shared::cta.bulk_group [to], [from], 16");
    }
    if (s.chance(70)) trigger(s, t);
    if (s.chance(50)) s.say(t, access(s));
}

void dependent(Story& s, int t) {
    if (s.chance(30)) s.say(t, access(s));
    if (s.chance(60)) s.say(t, "griddepcontrol.wait");
    if (s.chance(85)) s.say(t, access(s));
}

}  // namespace

void grids(Story& s) {
    for (const std::string& name : grid_places) s.declare(".global .u32 " + name + " = 0;");
    s.declare(".global .u32 alias alias x;");
    const bool three = s.chance(30);
    const int way = s.below(20);
    if (way < 13) s.declare(".grid 1 programmatic 0;");
    if (way == 13) s.declare(".grid 1 apart;");
    if (way == 14) s.declare(".grid 1 after 0;");
    if (three) {
        const std::string edge = s.one({".grid 2 programmatic 1;", ".grid 2 programmatic 1;", ".grid 2 programmatic 0;", ".grid 2 after 0;",
                                        ".grid 2 after 0, 1;", ".grid 2 after 1;", ".grid 2 programmatic 0, 1;", "", ".grid 2 apart;"});
        if (!edge.empty()) s.declare(edge);
        if (edge == ".grid 2 programmatic 1;" && s.chance(30)) s.declare(".grid 2 after 0;");
    }
    const int a = s.thread("cta0");
    primary(s, a);
    if (s.chance(45)) {
        const int b = s.thread(s.one({"cta0", "cta0", "cluster1.cta1"}));
        if (s.chance(50)) s.synchronize(a, b);
        if (s.chance(50)) s.say(b, access(s));
        if (s.chance(60)) trigger(s, b);
    }
    if (s.chance(8)) {  // it waits for what may follow it
        s.say(a, "await ld.acquire.gpu.global.u32 " + s.fresh("r") + ", [" + s.one(grid_places) + "] == 2");
    }
    const int c = s.thread("grid1.cta0");
    dependent(s, c);
    if (three && s.chance(60)) trigger(s, c);
    if (!three && s.chance(30)) {
        const int d = s.thread("grid1.cta0");
        if (s.chance(70))
            for (const int t : {c, d}) s.say(t, "bar.sync 0");
        if (s.chance(20)) s.say(d, "griddepcontrol.wait");
        s.say(d, access(s));
    }
    if (three) dependent(s, s.thread("grid2.cta0"));
}

}  // namespace litmus::naive

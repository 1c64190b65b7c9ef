// The mutations, as substitutions in the shipped text of ptx.cat and its prelude, by the kind of random programs that tells them.
#include "async_mutations.h"

#include <span>
#include <stdexcept>

#include "cat/readings.h"
#include "cat/shipped.h"
#include "compare.h"
#include "solve/solve.h"

namespace litmus {
namespace {

struct Substitution {
    const char* name;
    const char* readings;
    const char* from;  // stands once in the text
    const char* to;
    bool hazards = false;
};

const Substitution of_stories[] = {
    {"core without grp", "weakest", "po | ([free]; sync; [free]) | grp\n", "po | ([free]; sync; [free])\n"},
    {"core without sync", "weakest", "po | ([free]; sync; [free]) | grp\n", "po | grp\n"},
    {"issue does not publish through releasing writes", "weakest", "    | iss; [REL \\ C]\n", ""},
    {"issue publishes through completions", "weakest", "iss; [REL \\ C]\n", "iss; [REL]\n"},
    {"completion-carries without its rule", "weakest,completion-carries", "then [DIRECT]; iss; [C] else 0", "then 0 else 0"},
    {"completion-carries of all operations", "weakest,completion-carries", "then [DIRECT]; iss; [C] else 0", "then iss; [C] else 0"},
    {"causes without iss?", "weakest", "let causes = within?; core+; iss?", "let causes = within?; core+"},
    {"causes without within?", "weakest", "let causes = within?; core+; iss?", "let causes = core+; iss?"},
    {"causes through the operation", "weakest", "let causes = within?; core+; iss?", "let causes = within?; (core | (iss; within))+; iss?"},
    {"multicast-all without its rule", "weakest,multicast-all", "then aio-multicast else 0", "then 0 else 0"},

    {"sync without mbarrier-sync", "weakest", " | cluster-barrier | mbarrier-sync\n", " | cluster-barrier\n"},
    {"sync without cluster-barrier", "weakest", " | cta-barrier | cluster-barrier |", " | cta-barrier |"},
    {"sync without cta-barrier", "weakest", " | cta-barrier | cluster-barrier |", " | cluster-barrier |"},
    {"relaxed cluster arrival after a fence orders nothing", "weakest", "    | in-scope & ([releasing-fence]; po; clusterbar)\n", ""},
    {"fence before a relaxed cluster arrival whatever its scope", "weakest", "| in-scope & ([releasing-fence]", "| ([releasing-fence]"},
    {"relaxed cluster arrival orders", "weakest", "      [REL]; clusterbar\n", "      clusterbar\n"},

    {"mbarrier-sync of any scope", "weakest", "= morally-strong & (mbarrier-release;", "= (mbarrier-release;"},
    {"relaxed updates release", "weakest", "      [MB & REL]\n", "      [W & MB]\n"},
    {"no release by the update itself", "weakest", "      [MB & REL]\n    |", "     "},
    {"no release by a fence before the update", "weakest", "    | [releasing-fence]; po; [MB]\n", ""},
    {"completion-fenced without its rule", "weakest,completion-fenced", "then [releasing-fence]; po; iss; [C] else 0", "then 0 else 0"},
    {"relaxed waits acquire", "weakest", "returned; ([ACQ] | (", "returned; ([R] | ("},
    {"acquiring waits do not", "weakest", "returned; ([ACQ] | (", "returned; (0 | ("},
    {"fences after relaxed waits do not acquire", "weakest", "| (po; [acquiring-fence]))", "| 0)"},
    {"waits that return false acquire", "weakest", "= returned; ([ACQ]", "= [MB]; ([ACQ]"},
    {"mbarrier-endpoints without its rule", "weakest", "(if \"mbarrier-endpoints\" then reaches else",
     "(if \"mbarrier-endpoints\" then observed-by(morally-strong) else"},
    {"without mbarrier-endpoints, links of any scope", "weakest,-mbarrier-endpoints", "then reaches else observed-by(morally-strong))",
     "then reaches else reaches)"},
    {"async-scope without its rule", "weakest,async-scope", "then sr-owner & ((C * _) | (_ * C)) else 0", "then 0 else 0"},
    {"async-patterns without its rule", "weakest", "then [releasing-fence]; po; iss; [strong-write \\ C] else 0", "then 0 else 0"},
    {"reductions begin acquire patterns", "weakest", "(strong-read \\ RED \\ MB, loc)", "(strong-read \\ MB, loc)"},

    {"restricted fences order everything", "weakest", "let admitted = (_ * free) | covers^-1", "let admitted = _ * _"},
    {"restricted fences order nothing", "weakest", "= causes | (across; core*; iss?)", "= causes"},
    {"restricted fences order nothing after a proxy fence", "weakest", "= issues | (core+; onward)", "= issues"},
    {"restricted fences order everything after a proxy fence", "weakest", "let admits = (free * _) | covers", "let admits = _ * _"},
    {"an alias through the async proxy is never ordered", "weakest",
     "let addressed = vloc | multimem-alias | (loc & (cause-base; [ALIAS]; cause-base))", "let addressed = vloc | multimem-alias"},
    {"an alias through the async proxy needs no fence", "weakest",
     "let addressed = vloc | multimem-alias | (loc & (cause-base; [ALIAS]; cause-base))", "let addressed = loc"},

    {"a value that is waited for is not there", "weakest", "then (performed | (po; [ACQ_REL]) |", "then ((po; [ACQ_REL]) |"},
    {"a full fence waits for no value", "weakest", "| (po; [ACQ_REL]) |", "|"},
    {"a completion waits for no source", "weakest", " | (within; [C])); core*", "); core*"},
    {"values are always there", "weakest", "then (performed | (po; [ACQ_REL]) | (within; [C])); core*", "then within?; core*"},
    {"slots are given back by restricted fences to everybody", "weakest",
     "(across-until-arrival; core*)) & admitted); mbarrier-sync) & admitted", "(across-until-arrival; core*)) & admitted); mbarrier-sync)"},
    {"restricted fences before the arrival give nothing back", "weakest",
     "let given-back = (((until-arrival | (across-until-arrival; core*))", "let given-back = ((until-arrival"},
    {"completion-observed without its rule", "weakest,completion-observed",
     "(if \"completion-observed\" then morally-strong & ([C]; reaches; returned) else 0)", "(if \"completion-observed\" then 0 else 0)"},

    {"into-async: not by the fence of the generic thread", "weakest",
     "let into-async =\n      (cause-base & int); proxy-fence; (leads-to & scta & covered)\n", "let into-async =\n      0\n"},
    {"into-async: fences in other threads", "weakest", "let into-async =\n      (cause-base & int); proxy-fence;",
     "let into-async =\n      cause-base; proxy-fence;"},
    {"into-async: fences in other CTAs", "weakest",
     "let into-async =\n      (cause-base & int); proxy-fence; (leads-to & scta & covered)\n",
     "let into-async =\n      (cause-base & int); proxy-fence; (leads-to & covered)\n"},
    {"into-async: not by fence-cta", "weakest,fence-cta",
     "    | (if \"fence-cta\" then cause-base; proxy-fence; (leads-to & scta & covered) else 0)\n    | (if "
     "\"fence-generic-thread\"",
     "    | (if \"fence-generic-thread\""},
    {"into-async: not by fence-generic-thread", "weakest,fence-generic-thread",
     "then (cause-base & int); proxy-fence; (leads-to & covered) else 0", "then 0 else 0"},
    {"into-async: not by fence-path", "weakest,fence-path",
     "then cause-base; proxy-fence; (leads-to & covered) else 0)\n\n// A write through", "then 0 else 0)\n\n// A write through"},
    {"into-async without any fence", "weakest", "addressed & (to-generic(cause-base); into-async; [ASYNC])",
     "addressed & (to-generic(cause-base); cause-base; [ASYNC])"},
    {"proxy fences cover every space", "weakest", "let covered = if \"fence-space-peers\" then covers-peers else covers",
     "let covered = _ * _"},
    {"fence-space-peers without its rule", "weakest,fence-space-peers", "then covers-peers else covers", "then covers else covers"},

    {"after-read: not by war-mbarrier", "weakest,war-mbarrier", "    if \"war-mbarrier\" then within?; core*\n",
     "    if \"war-mbarrier\" then 0\n"},
    {"after-read: not by war-unfenced", "weakest,war-unfenced", "(if \"war-unfenced\" then cause-base else 0)", "0"},
    {"after-read: writes too", "weakest", "addressed & ([R & (GEN | ASYNC)]; after-read; [W & ASYNC])",
     "addressed & ([GEN | ASYNC]; after-read; [ASYNC])"},
    {"after-read: not after what asynchronous operations read", "weakest", "[R & (GEN | ASYNC)]; after-read", "[R & GEN]; after-read"},

    {"among-async: not in one CTA", "weakest", "      cause-base & scta\n", "      0\n"},
    {"among-async: of two CTAs", "weakest", "      cause-base & scta\n", "      cause-base\n"},
    {"among-async: not by async-home", "weakest,async-home", "then [PEER]; cause-base | cause-base; [PEER] else 0", "then 0 else 0"},
    {"among-async: async-home for global memory", "weakest,async-home", "then [PEER]; cause-base | cause-base; [PEER] else 0",
     "then cause-base else 0"},
    {"among-async: not by async-cluster", "weakest,async-cluster", "then cause-base & scluster else 0", "then 0 else 0"},
    {"among-async: not by the issuer's fence", "weakest", "    | cause-base; proxy-fence; (leads-to & int & covered)\n", ""},
    {"among-async: not by fence-cta", "weakest,fence-cta",
     "    | (if \"fence-cta\" then cause-base; proxy-fence; (leads-to & scta & covered) else 0)\n    | (if \"fence-path\" then "
     "cause-base; "
     "proxy-fence; (leads-to & covered) else 0)\n\n// ---- 9.7.13.4",
     "    | (if \"fence-path\" then cause-base; proxy-fence; (leads-to & covered) else 0)\n\n// ---- 9.7.13.4"},
    {"among-async: not by fence-path", "weakest,fence-path",
     "then cause-base; proxy-fence; (leads-to & covered) else 0)\n\n// ---- 9.7.13.4", "then 0 else 0)\n\n// ---- 9.7.13.4"},
    {"no way from the async proxy to the generic one", "weakest", "    | addressed & (out-of-async; from-generic(cause-base))\n", ""},

    {"no fence pairs", "weakest", "    | addressed & (fence-pair; [ASYNC])\n", ""},
    {"fence pairs cover every space", "weakest", "((pair-released | (pair-published; core*)) & covers^-1); pair-sync",
     "(pair-released | (pair-published; core*)); pair-sync"},
    {"fence pairs: a second pair brings nothing on", "weakest", "(pair-released | (pair-published; core*))", "pair-released"},
    {"fence pairs: nothing that was acquired", "weakest", "let pair-released = po | ([ASYNC]; cause-base)", "let pair-released = po"},
    {"fence pairs: the release side in any thread", "weakest", "let pair-released = po | ([ASYNC]; cause-base)",
     "let pair-released = cause-base"},
    {"fence pairs: the release side by fence-path", "weakest,fence-path",
     "([ASYNC]; cause-base) | (if \"fence-path\" then cause-base else 0)", "([ASYNC]; cause-base) | (if \"fence-path\" then 0 else 0)"},
    {"fence pairs: the acquire side by fence-path", "weakest,fence-path",
     "pair-published; ((po; iss) | (if \"fence-path\" then leads-to else 0))", "pair-published; po; iss"},
    {"fence pairs: no mbarriers between", "weakest", "    | po; [MB]; passes-on; returned; po\n", ""},
    {"fence pairs: no barriers between", "weakest", "    | po; clusterbar; po\n", ""},
    {"a commit leads to no wait for it", "weakest", "waits | ([BEFORE_SYNC]; iss; [C]; reaches; returned))+", "waits)+"},
    {"tensor maps: a second pair brings nothing on", "weakest", "(map-released | (map-published; core*))", "map-released"},

    {"mbarrier-coherence without po", "weakest", "acyclic ((po | rmw | co | rf | fr) & loc) & (MB * MB)",
     "acyclic ((rmw | co | rf | fr) & loc) & (MB * MB)"},
    {"mbarrier-coherence without rmw", "weakest", "acyclic ((po | rmw | co | rf | fr) & loc) & (MB * MB)",
     "acyclic ((po | co | rf | fr) & loc) & (MB * MB)"},
    {"no-thin-air without iss", "weakest", "acyclic rf | depends | waits | iss | completes | grp as",
     "acyclic rf | depends | waits | completes | grp as"},
    {"no-thin-air without within", "weakest", "acyclic rf | depends | waits | iss | completes | grp as",
     "acyclic rf | depends | waits | iss | grp as"},
    {"no-thin-air without grp", "weakest", "acyclic rf | depends | waits | iss | completes | grp as",
     "acyclic rf | depends | waits | iss | completes as"},

    {"completions without what was read", "weakest", "let completes = ([R \\ RED]; within) |", "let completes = 0 |"},
    {"completion-performed without its rule", "weakest,completion-performed", "(if \"completion-performed\" then within else 0)",
     "(if \"completion-performed\" then 0 else 0)"},
    {"no-thin-air without what decides", "weakest", "let depends = decides | blocks", "let depends = blocks"},
    {"no-thin-air without what blocks", "weakest", "let depends = decides | blocks", "let depends = decides"},
    {"syntactic-dependencies without its rule", "weakest,syntactic-dependencies", "(if \"syntactic-dependencies\" then dependency else 0)",
     "(if \"syntactic-dependencies\" then 0 else 0)"},

    {"not-initialised whatever the order", "weakest", "let initialised = (begins & cause-base) |", "let initialised = begins |", true},
    {"not-initialised without restricted fences", "weakest", "let initialised = (begins & cause-base) |",
     "let initialised = (begins & causes) |", true},
    {"the declaration vouches for nothing", "weakest", "(begins & cause-base) | ([DECL]; begins)", "(begins & cause-base)", true},
    {"lives never end", "weakest", "let next-life = [INIT]; co?", "let next-life = 0", true},
    {"arrivals need no wait before", "weakest", "range((confirms & fr) \\ (fr; next-life))", "range(confirms \\ (fr; next-life))", true},
    {"reductions may not read a destination", "weakest", "([W & COPY]; loc; [R \\ RED])", "([W & COPY]; loc; [R])", true},
    {"sources of reductions may not be written", "weakest", "([R & COPY \\ RED]; loc; [W \\ IW])", "([R & COPY]; loc; [W \\ IW])", true},
    {"around without completions", "weakest", "let around = (within; [C]; step+; iss?) |", "let around =", true},
    {"around without what comes before the issue", "weakest", "iss?) | (before; iss)^-1\n", "iss?)\n", true},
    {"around by any read", "weakest", "let around = (within; [C]; step+; iss?)", "let around = before", true},
    {"step without grp", "weakest", "      po | grp | syncbar | clusterbar | (rf", "      po | syncbar | clusterbar | (rf", true},
    {"step without syncbar", "weakest", "      po | grp | syncbar | clusterbar | (rf", "      po | grp | clusterbar | (rf", true},
    {"step without clusterbar", "weakest", "      po | grp | syncbar | clusterbar | (rf", "      po | grp | syncbar | (rf", true},
    {"step without rf", "weakest", "| (rf \\ (MB * MB)) | iss; [W \\ C]", "| iss; [W \\ C]", true},
    {"step without issued writes", "weakest", "(rf \\ (MB * MB)) | iss; [W \\ C]\n", "(rf \\ (MB * MB))\n", true},
    {"step without waits", "weakest", "    | [W \\ INIT]; reaches; returned\nlet before", "let before", true},
    {"before without within?", "weakest", "let before = within?; step+", "let before = step+", true},
    {"exits wait for nobody", "weakest", "domain(before & exit-of-owner) | domain(outlived)", "domain(before & exit-of-owner)", true},
    {"remote accesses whatever the exits", "weakest", "REMOTE \\ DEALLOC \\ in-time as undefined", "REMOTE \\ DEALLOC as undefined", true},
};

const Substitution of_multimem[] = {
    {"multimem-address: not morally strong", "weakest,multimem-address", "= (vloc | multimem-alias | multimem-signal) &",
     "= (vloc | multimem-signal) &"},
    {"multimem-address: an alias fence between proxies of one kind", "weakest,multimem-address",
     "    | multimem-alias & (cause-base; [GEN])\n", ""},
    {"multimem-whole without its rule", "weakest,multimem-whole", "then [MULTIMEM]; replicas; (rf | co | fr) else 0", "then 0 else 0"},
    {"multimem-signals without its rule", "weakest,multimem-signals", " | multimem-signal) & same-size", ") & same-size"},
    {"multimem-signals of weak accesses", "weakest,multimem-signals", "then through-multimem & (strong * strong) else 0",
     "then through-multimem else 0"},
    {"multimem-signals orders data", "weakest,multimem-signals", "    | multimem-alias & (cause-base; [GEN])\n",
     "    | (multimem-alias | multimem-signal) & (cause-base; [GEN])\n"},
    {"multimem addresses need no alias fence", "weakest", "= (vloc | multimem-alias | multimem-signal) &", "= (vloc | through-multimem) &"},
    {"an alias fence orders no generic accesses", "weakest", "    | loc & (to-generic(path); path; [ALIAS]; path; from-generic(path))\n",
     ""},
};

const Substitution of_helpers[] = {
    {"reads past the coherent caches see what was written", "weakest", "      proxy-preserved(cause-base)\n",
     "      proxy-preserved(cause-base)\n    | addressed & ([GEN]; cause-base; [R & TEX])\n"},
    {"a CTA knows of the failures that others have seen", "weakest", "(range(failed) * CANCEL) & leads & scta",
     "(range(failed) * CANCEL) & leads", true},
    {"a thread knows of no failures that others have seen", "weakest", "(range(failed) * CANCEL) & leads & scta",
     "(range(failed) * CANCEL) & po", true},
    {"a failure is known at once", "weakest", "(range(failed) * CANCEL) & leads & scta", "(domain(failed) * CANCEL) & scta", true},
    {"every request fails", "weakest", "(range(failed) * CANCEL) & leads & scta", "(range([C]; reaches; returned) * CANCEL) & leads & scta",
     true},
    {"parts of several answers are queried", "weakest", "queried \\ (rf^-1; iss^-1; iss; rf)", "(queried & id) \\ (rf^-1; iss^-1; iss; rf)",
     true},
    {"what was there before is queried", "weakest", "queried \\ (rf^-1; iss^-1; iss; rf)",
     "queried \\ (rf^-1; ((iss^-1; iss) | (IW * IW)); rf)", true},
};

const Substitution of_tcgen05[] = {
    {"tensor memory: nothing is pipelined", "weakest", "    | (pipelined & (iss^-1; executed; iss))\n", ""},
    {"tensor memory: everything is", "weakest", "(pipelined & (iss^-1; executed; iss))", "(iss^-1; executed; iss)"},
    {"tensor memory: no order across threads", "weakest", "= po | (po; [BEFORE_SYNC]; leads; [AFTER_SYNC]; po)", "= po"},
    {"tensor memory: no fence before", "weakest", "(po; [BEFORE_SYNC]; leads; [AFTER_SYNC]; po)", "(po; leads; [AFTER_SYNC]; po)"},
    {"tensor memory: no fence after", "weakest", "(po; [BEFORE_SYNC]; leads; [AFTER_SYNC]; po)", "(po; [BEFORE_SYNC]; leads; po)"},
    {"tensor memory: no wait completes", "weakest", "[C]; (grp | (reaches; returned; leads; [AFTER_SYNC]))",
     "[C]; (reaches; returned; leads; [AFTER_SYNC])"},
    {"tensor memory: no commit completes", "weakest", "[C]; (grp | (reaches; returned; leads; [AFTER_SYNC]))", "[C]; grp"},
    {"tensor memory: a commit completes without a fence", "weakest", "(reaches; returned; leads; [AFTER_SYNC])", "(reaches; returned)"},
    {"tensor-fence-orders without its rule", "weakest,tensor-fence-orders",
     "then iss^-1; [in-tensor-core]; fenced; [in-tensor-core]; iss else 0", "then 0 else 0"},
    {"tensor-fence-orders without a fence", "weakest,tensor-fence-orders", "[in-tensor-core]; fenced;", "[in-tensor-core]; executed;"},
    {"tensor-fence-orders of what comes out", "weakest,tensor-fence-orders", "[in-tensor-core]; fenced; [in-tensor-core];",
     "[in-tensor-core]; fenced;"},
    {"tensor-fence-orders by a fence behind alone", "weakest,tensor-fence-orders", "[BEFORE_SYNC | AFTER_SYNC]", "[AFTER_SYNC]"},
    {"tensor-fence-orders in one thread alone", "weakest,tensor-fence-orders", " | (executed \\ po)\n", "\n"},
    {"commit-carries without its rule", "weakest,commit-carries", "then [BEFORE_SYNC]; iss else 0", "then 0 else 0"},
    {"tensor-causality without its rule", "weakest,tensor-causality", "then cause-base else 0)))+", "then 0 else 0)))+"},
    {"tensor-commit-fence without its rule", "weakest,tensor-commit-fence", "then [TCGEN]; cause-base else 0", "then 0 else 0"},
    {"no fence leads out of a multiplication", "weakest", "    | ([TCGEN]; (cause-base & scta)); proxy-fence; (cause-base & covered)\n",
     ""},
    {"tensor memory: nothing is ordered", "weakest", "    | tensor-order\n", ""},
    {"tensor memory: an operation reads after it writes", "weakest", "        ( aio\n        | (pipelined",
     "        ( 0\n        | (pipelined"},
    {"tensor memory: nothing is known to be complete", "weakest", "        | (known-complete?; executed; iss?)\n", ""},
    {"tensor memory: what gives it back is never over", "weakest", "(known-complete?; executed; iss?)", "(known-complete; executed; iss?)"},
    {"tensor memory: what gives it back comes at any time", "weakest", "(known-complete?; executed; iss?)",
     "(known-complete?; executed; iss)"},
    {"tensor memory: orders do not add up", "weakest", "then cause-base else 0)))+", "then cause-base else 0)))"},
    {"tensor memory: a wait that returns false completes", "weakest", "(reaches; returned; leads; [AFTER_SYNC])",
     "(reaches; leads; [AFTER_SYNC])"},
    {"a multiplication passes a fence at its completion", "weakest", "[ASYNC \\ TCGEN]; cause-base\n", "[ASYNC]; cause-base\n"},
    {"a fence of another CTA leads out of a multiplication", "weakest",
     "([TCGEN]; (cause-base & scta)); proxy-fence; (cause-base & covered)", "([TCGEN]; cause-base); proxy-fence; (cause-base & covered)"},
    {"a fence of another space leads out of a multiplication", "weakest",
     "([TCGEN]; (cause-base & scta)); proxy-fence; (cause-base & covered)", "([TCGEN]; (cause-base & scta)); proxy-fence; cause-base"},
    {"nothing leads on through a multiplication's reads", "weakest", "= kept | (kept; [TCGEN]; kept)", "= kept"},
    {"matrices may be written", "weakest", "([MMA]; loc; [W \\ IW]) \\ around", "0", true},
};

const Substitution of_tensor[] = {
    {"tensor maps: no fence orders", "weakest", "around-tensormap = into-tensormap |", "around-tensormap ="},
    {"tensor maps: fences of any scope", "weakest", "    sr & (released;", "    (released;"},
    {"tensor maps: not by base causality", "weakest", "(cause-base | (cause-base?; relaxed-communication; cause-base?))",
     "relaxed-communication"},
    {"tensor maps: no relaxed flag between", "weakest", "(cause-base | (cause-base?; relaxed-communication; cause-base?))", "cause-base"},
    {"tensor maps: released by another thread", "weakest", "let map-released = po |", "let map-released = cause-base |"},
    {"tensor maps: every map acquired", "weakest", "(map-acquired & covers)", "map-acquired"},
    {"tensor maps: a copy releases all maps", "weakest", "((map-released | (map-published; core*)) & covers^-1); map-sync",
     "(map-released | (map-published; core*)); map-sync"},
    {"tensor maps: fence-cta without its rule", "weakest,fence-cta", "then leads-to & scta else 0) | (if", "then 0 else 0) | (if"},
    {"tensor maps: fence-path without its rule", "weakest,fence-path", "let map-released = po | (if \"fence-path\" then cause-base else 0)",
     "let map-released = po"},
    {"tensor maps: nothing after the reading", "weakest", "into-tensormap | ([TENSORMAP]; cause-base)", "into-tensormap"},
    {"tensor maps: fences of another proxy", "weakest", "into-async; [ASYNC])", "into-async)"},
    {"map-read-waited without its rule", "weakest,map-read-waited", "then aio-map else 0", "then 0 else 0"},
    {"tensor maps may be written", "weakest", "([R & TENSORMAP]; loc; [W \\ IW]) \\ around", "0", true},
};

const Substitution of_wgmma[] = {
    {"warpgroup-collective without its rule", "weakest,warpgroup-collective", "then aio-warpgroup else 0", "then 0 else 0"},
    {"warpgroup-collective by the letter, too", "weakest", "(if \"warpgroup-collective\" then aio-warpgroup else 0)", "aio-warpgroup"},
};

const Substitution of_words[] = {
    {"wide-whole without its rule", "weakest,wide-whole", "then parts else", "then 0 else"},
    {"wide-whole by the letter, too", "weakest", "(if \"wide-whole\" then parts else [ATOM | (M \\ WIDE)]; parts)", "parts"},
    {"vector-whole without its rule", "weakest,vector-whole", "then elements else 0", "then 0 else 0"},
    {"vector-whole by the letter, too", "weakest", "(if \"vector-whole\" then elements else 0)", "elements"},
    {"atom of 128 bits is two", "weakest", "[ATOM | (M \\ WIDE)]; parts", "[M \\ WIDE]; parts"},
    {"words of a vector overlap 128 bits completely", "weakest", "multimem-signal) & same-size", "multimem-signal)"},
    {"a read and a write are no whole", "default", "irreflexive communication; whole; communication; whole as",
     "irreflexive co; whole; co; whole as"},
    {"two writes are no whole", "default", "let communication = morally-strong & (rf | co | fr)",
     "let communication = morally-strong & (rf | fr)"},
    {"128 bits are whole whatever the scopes", "default", "let communication = morally-strong & (rf | co | fr)",
     "let communication = rf | co | fr"},
};

struct OfKind {
    const char* kind;
    std::span<const Substitution> substitutions;
};
const OfKind by_kind[] = {{"story", of_stories},   {"multimem", of_multimem}, {"helpers", of_helpers}, {"tensor", of_tensor},
                          {"tcgen05", of_tcgen05}, {"wgmma", of_wgmma},       {"words", of_words}};

// Of a constraint of the model that is removed.
std::string kind_of(const std::string& constraint) {
    if (constraint == "undefined-write-of-matrix" || constraint == "undefined-access-after-dealloc" || constraint == "columns-in-turn")
        return "tcgen05";
    if (constraint == "undefined-read-of-discarded-data" || constraint == "undefined-request-after-failure" ||
        constraint == "undefined-query-of-no-answer")
        return "helpers";
    if (constraint == "single-copy-atomicity") return "words";
    if (constraint == "undefined-write-of-tensor-map" || constraint == "undefined-phase-completes-within-a-copy") return "tensor";
    return "story";
}

// The text with the one place where `from` stands replaced.
std::string substituted(std::string text, const Substitution& s) {
    const std::string from = s.from;
    const size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error(std::string("mutation \"") + s.name + "\": ptx.cat has no such rule any more");
    if (text.find(from, at + 1) != std::string::npos)
        throw std::logic_error(std::string("mutation \"") + s.name + "\": not one place in ptx.cat");
    return text.replace(at, from.size(), s.to);
}

// ptx.cat, with what it includes in its place.
std::string whole_text() {
    std::string text;
    std::string_view prelude;
    for (const ShippedText& shipped : shipped_texts()) {
        if (shipped.file == "ptx.cat") text = shipped.text;
        if (shipped.file == "prelude.cat") prelude = shipped.text;
    }
    constexpr std::string_view include = "include \"prelude.cat\"";
    const size_t at = text.find(include);
    if (at == std::string::npos || prelude.empty()) throw std::logic_error("ptx.cat and prelude.cat are not shipped");
    return text.replace(at, include.size(), prelude);
}

// With the part of the model that tells: lost updates of mbarrier objects are told by who stays blocked, disordered ones
// by undefined behaviour. (Of stories outcomes are asked alone: that some rules decide none is argued in async_run.cpp.)
Mutation mutation(const std::string& name, const std::string& kind, const std::string& readings, const Model& wrong, bool hazards) {
    const bool order = name == "without mbarrier-order" || name == "without mbarrier-atomicity";
    const bool coherence = name.find("mbarrier-coherence") != std::string::npos;
    Mutation result;
    result.name = name;
    result.kind = kind;
    result.readings = readings;
    using By = Mutation::By;
    result.told_by = order ? By::blocked : hazards || coherence ? By::hazards : kind == "story" ? By::outcomes : By::races;
    result.wrong = restricted(
        wrong, [&](const Constraint& c) { return !c.flag || result.told_by == By::hazards || (!is_hazard(c) && result.by_outcomes()); });
    return result;
}

}  // namespace

std::vector<Mutation> mutations() {
    const std::string text = whole_text();
    const Model plain = load_model("ptx", {});
    std::vector<Mutation> result;
    for (const OfKind& of_kind : by_kind) {
        for (const Substitution& s : of_kind.substitutions) {
            const std::vector<std::string> readings = resolve_readings(plain, s.readings);
            const std::string changed = substituted(text, s);
            // a reading whose rule is gone is no variant of the text any more
            std::vector<std::string> left;
            for (const std::string& r : readings)
                if (changed.find("if \"" + r + "\"") != std::string::npos) left.push_back(r);
            const Model wrong = parse_model(make_source("<mutant.cat>", changed), left);
            result.push_back(mutation(s.name, of_kind.kind, s.readings, wrong, s.hazards));
        }
    }
    const Model weakest = load_model("ptx", resolve_readings(plain, "weakest"));
    for (size_t k = 0; k < weakest.constraints.size(); ++k) {
        const Constraint& c = weakest.constraints[k];
        const bool says_nothing = weakest.nodes[c.node].op == Node::Op::empty;  // a reading that is off
        if (!says_nothing && (!c.flag || is_hazard(c)))
            result.push_back(mutation("without " + c.name, kind_of(c.name), "weakest", without(weakest, k), c.flag));
    }
    return result;
}

}  // namespace litmus

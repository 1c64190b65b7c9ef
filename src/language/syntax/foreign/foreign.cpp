// The formats name the CTA of a thread and no warp.
#include "language/syntax/foreign/foreign.h"

#include <map>
#include <utility>

namespace litmus::foreign {

void assign_warps(Test& test) {
    std::map<std::pair<int, int>, int> next;
    for (Thread& thread : test.threads) thread.at.warp = next[{thread.at.gpu, thread.at.cta}]++;
}

}  // namespace litmus::foreign

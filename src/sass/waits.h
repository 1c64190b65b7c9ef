// Which accesses do not wait for an acquire that stands before them.
//
// An acquire orders what comes behind it only once its result is there. The machine issues the next instruction at once; that the result is
// waited for is said by scoreboards alone (sass/code.h): the load releases one when its value has come, and some instruction before the
// next access, often a NOP or the CCTL that ends the acquire, has it in its mask. A fence or a barrier is several instructions, of which
// more than the first has to be behind the thread. And what a cache may answer has to come behind a CCTL that makes it forget, where the
// acquire is of a wider scope than the CTA, or has one. Here each way through the code is looked at: an access that a thread can come to
// without these has not waited.
//
// One instruction of PTX may be code for each kind of memory that its address may be in, with a question (QSPC) which it is. A thread whose
// address is in global memory does not come to what stands behind the question.
#pragma once

#include <cstddef>
#include <vector>

#include "sass/cubin.h"
#include "sass/order.h"

namespace litmus::sass {

// Two instructions by their numbers in the thread: `access` stands behind `acquire` and is issued behind it, too, but not behind its end.
struct Unwaited {
    size_t acquire = 0, access = 0;
    bool stale = false;  // it has waited for the value, and reads through a cache that has not forgotten
    bool operator==(const Unwaited& other) const = default;
};

struct Acquires {
    enum class How : uint8_t {
        no,
        when_read,  // when the value that it reads has come
        at_end,     // when its last instruction has been issued: a fence, a barrier
    };
    How how = How::no;
    bool shared = false;  // its address is in shared memory
    bool wide = false;    // it acquires what other multiprocessors wrote: caches have to forget
};

// `order` is that of the function's instructions, `acquires` says of each of them what it is.
std::vector<Unwaited> unwaited(const Function& function, const Order& order, const std::vector<Acquires>& acquires);

}  // namespace litmus::sass

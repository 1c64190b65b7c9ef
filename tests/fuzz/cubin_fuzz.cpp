// Fuzz target of the reader of cubins: what is no cubin is refused by BadCubin, and of what is one the order can be asked.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sass/order.h"

using namespace litmus::sass;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const Cubin cubin = read_cubin({reinterpret_cast<const char*>(data), size});
        for (const Function& function : cubin.functions) {
            const Order order = order_of(cubin, function, {1, 2, 3, 4});
            if (order.places.size() != 4) std::abort();
            for (const Moved& m : order.moved)
                if (m.earlier >= m.later || order.places[m.later].front() >= order.places[m.earlier].front()) std::abort();
            for (const Gone& g : order.gone)
                if (!order.places[g.instruction].empty()) std::abort();
        }
    } catch (const BadCubin&) {
    }
    return 0;
}

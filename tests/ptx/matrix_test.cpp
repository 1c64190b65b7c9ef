// Which products of the tensor core are executed in the order in which they are issued.
#include "ptx/matrix.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

using namespace litmus;

namespace {

constexpr uint64_t idesc = uint64_t{128 / 16} << 24 | uint64_t{64 / 8} << 17;  // M is 128, N is 64

}  // namespace

TEST_CASE("products are pipelined where all that makes their shape is the same (ISA 9.7.16.6.2)") {
    const auto of = [](const std::string& kind, uint64_t descriptor = idesc, const std::string& form = "tcgen05.mma.cta_group::1") {
        return pipeline_of(form + ".kind::" + kind, descriptor);
    };
    CHECK(of("f16") == of("f16"));
    CHECK(of("f8f6f4") == of("i8"));                                         // K is 32 in both
    CHECK(of("f16", idesc, "tcgen05.mma.sp.cta_group::1") == of("f8f6f4"));  // as in these two
    const std::set<int> unlike = {of("f16"),
                                  of("tf32"),
                                  of("i8"),
                                  of("mxf4"),
                                  of("mxf4", idesc | uint64_t{1} << 31),
                                  of("f16", idesc | 1 << 4),
                                  of("f16", idesc + (1 << 24)),
                                  of("f16", idesc + (1 << 17)),
                                  of("f16", idesc, "tcgen05.mma.cta_group::2"),
                                  of("f16", idesc, "tcgen05.mma.ws.cta_group::1")};
    CHECK(unlike.size() == 10);
    CHECK_FALSE(unlike.contains(0));
    // with factors the accumulator has one type, and bits 4 and 5 are others
    CHECK(of("mxf4") == of("mxf4", idesc | 1 << 4));
    CHECK_THROWS_AS(pipeline_of("tcgen05.mma.cta_group::1", idesc), std::logic_error);
}

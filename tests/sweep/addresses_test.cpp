// Addresses of the state spaces (kernel/addresses.h).
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

// A kernel of two blocks of a cluster, of one thread each, that accesses an element outside of `x` where its body sets %p1. Its registers
// have generic addresses. Three are of its shared array: %rd2 of the own CTA's, %rd3 of the other CTA's, %rd4 of the own CTA's as `mapa`
// gives it. %rd5 has that of x, %rd6 of a local variable, %rd7 of a constant, %rd8 of a parameter. %r2 is the own rank.
std::string kernel_that_leaves_if(const std::string& body) {
    return R"(.const .align 4 .b8 c[4];
.visible .entry k(.param .u64 k_param_0)
{
.shared .align 8 .b8 s[64];
.local .align 8 .b8 l[8];
.reg .pred %p<3>;
.reg .b32 %r<9>;
.reg .b64 %rd<12>;
ld.param.u64 %rd1, [k_param_0];
mov.u32 %r2, %cluster_ctarank;
xor.b32 %r3, %r2, 1;
mov.u64 %rd2, s;
cvta.shared.u64 %rd2, %rd2;
mapa.u64 %rd3, %rd2, %r3;
mapa.u64 %rd4, %rd2, %r2;
cvta.global.u64 %rd5, %rd1;
mov.u64 %rd6, l;
cvta.local.u64 %rd6, %rd6;
mov.u64 %rd7, c;
cvta.const.u64 %rd7, %rd7;
mov.b64 %rd8, k_param_0;
cvta.param.u64 %rd8, %rd8;
)" + body + R"(
selp.u32 %r4, 4, 0, %p1;
mul.wide.u32 %rd9, %r4, 4;
add.u64 %rd9, %rd1, %rd9;
ld.relaxed.gpu.global.u32 %r5, [%rd9];
ret;
}
)";
}

// Why the kernel is refused.
std::string why_refused(const std::string& body) {
    const kernel::Module module = kernel::testing::module_of(kernel_that_leaves_if(body));
    kernel::LaunchTexts texts;
    texts.grid = texts.cluster = "2";
    texts.block = "1";
    texts.arguments = {"x=u32[4]"};
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return kernel::testing::refusal([&] { sweep::sweep_in_orders(module, launch); });
}

// Whether the body sets %p1 in a thread.
bool holds(const std::string& body) {
    const std::string why = why_refused(body);
    CHECK_MESSAGE((why.empty() || has(why, "accesses `x[4]`")), why);
    return !why.empty();
}

}  // namespace

TEST_CASE("isspacep tells the state spaces of generic addresses") {
    const std::vector<std::string> spaces = {"shared", "shared::cta", "shared::cluster", "global",
                                             "local",  "const",       "param",           "param::entry"};
    const std::vector<std::pair<std::string, std::string>> addresses = {
        {"%rd2", "shared shared::cta shared::cluster"},  // the own CTA's
        {"%rd3", "shared::cluster"},                     // the other CTA's: `.shared` is `.shared::cta`
        {"%rd4", "shared shared::cta shared::cluster"},
        {"%rd5", "global"},
        {"%rd6", "local"},
        {"%rd7", "const"},
        {"%rd8", "global param param::entry"},
    };
    for (const auto& [address, within] : addresses)
        for (const std::string& space : spaces) {
            INFO(address << " in " << space);
            const bool expected = has(" " + within + " ", " " + space + " ");
            CHECK(holds("isspacep." + space + " %p1, " + address + ";") == expected);
        }
}

TEST_CASE("an address of shared memory has the rank of its CTA") {
    for (const auto& [address, rank] :
         std::vector<std::pair<std::string, std::string>>{{"%rd2", "%r2"}, {"%rd3", "%r3"}, {"%rd4", "%r2"}}) {
        INFO(address);
        CHECK_FALSE(holds("getctarank.u64 %r6, " + address + ";\nsetp.ne.u32 %p1, %r6, " + rank + ";"));
        CHECK_FALSE(holds("cvta.to.shared.u64 %rd10, " + address +
                          ";\nshr.u64 %rd10, %rd10, 24;\ncvt.u32.u64 %r6, %rd10;\nsetp.ne.u32 %p1, %r6, " + rank + ";"));
    }
    // `mapa` to the own CTA changes nothing
    CHECK_FALSE(holds("setp.ne.u64 %p1, %rd2, %rd4;"));
    // without the bit it is an address of the first CTA of the pair
    CHECK_FALSE(holds("and.b64 %rd10, %rd2, -16777217;\ngetctarank.u64 %r6, %rd10;\nsetp.ne.u32 %p1, %r6, 0;"));
}

TEST_CASE("the address of a rank that the cluster does not have leads nowhere") {
    const std::string nobody = "setp.ne.u32 %p1, %r2, %r2;\n";
    for (const std::string rank : {"2", "255", "256", "65536", "-1"}) {  // 256 * 2^24 would be 0 again in 32 bits
        CAPTURE(rank);
        const std::string generic = nobody + "mapa.u64 %rd10, %rd2, " + rank + ";\n";
        const std::string window = nobody + "cvt.u32.u64 %r6, %rd2;\nmapa.shared::cluster.u32 %r6, %r6, " + rank + ";\n";
        CHECK_FALSE(holds(generic + window));  // nobody accesses it
        for (const std::string& body : {generic + "ld.u32 %r7, [%rd10];", window + "ld.shared::cluster.u32 %r7, [%r6];"})
            CHECK(has(why_refused(body), ", and the cluster has 2 blocks"));
    }
}

TEST_CASE("a parameter of the kernel is in global memory, too") {
    const std::string body = "setp.ne.u32 %p1, %r2, %r2;\nld.global.u64 %rd10, [%rd8];\nsetp.ne.u64 %p1, %rd10, %rd1;\n";
    CHECK_FALSE(holds(body));
}

// The forms of tcgen05.mma: which parts of tensor memory, and how much of shared memory, each reads.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "event/failure.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

struct Multiplied {
    explicit Multiplied(const std::string& multiplication)
        : test(parse_dsl(make_source("t.litmus",
                                     "test \"t\"\n.tmem.cta0 d;\n.tmem.cta0 sa;\n.tmem.cta0 sb;\n.tmem.cta0 meta;\n"
                                     ".shared.cta0 .u64 a[2048] = 0;\n.shared.cta0 .u64 b[2048] = 0;\nthread P0 @ cta0 {\n" +
                                         multiplication + ";\n}\n"))),
          program(build_program(test, {})) {}
    // Accesses to a cell.
    size_t count(Event::Kind kind, const std::string& name) const {
        return static_cast<size_t>(std::count_if(program.events.begin(), program.events.end(), [&](const Event& e) {
            return e.kind == kind && e.thread == 0 && e.cell >= 0 && program.cells.at(static_cast<size_t>(e.cell)).name == name;
        }));
    }
    size_t reads(const std::string& name) const { return count(Event::Kind::read, name); }

    Test test;
    Program program;
};

}  // namespace

TEST_CASE("factors of blocks and metadata are read, each once, and nothing of them is written") {
    const Multiplied plain("tcgen05.mma.cta_group::1.kind::f16 [d], [a], [b], 0x08020000, 1");
    for (const char* part : {"sa", "sb", "meta"}) CHECK(plain.reads(part) == 0);
    const Multiplied scaled("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [d], [a], [b], 0x08020000, [sa], [sb], 1");
    const Multiplied sparse("tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [d], [a], [b], [meta], 0x08020000, [sa], [sb], 1");
    for (const Multiplied* form : {&scaled, &sparse})
        for (const char* part : {"sa", "sb"}) {
            CHECK(form->reads(part) == 1);
            CHECK(form->count(Event::Kind::write, part) == 0);
        }
    CHECK(scaled.reads("meta") == 0);
    CHECK(sparse.reads("meta") == 1);
    CHECK(sparse.reads("d") == 1);
    CHECK(sparse.count(Event::Kind::write, "d") == 1);
    CHECK(Multiplied("tcgen05.mma.ws.sp.cta_group::1.kind::i8 [d], [a], [b], [meta], 0x02100000, 0").reads("meta") == 1);
}

TEST_CASE("a field of a tensor map is replaced by a read of the map and a write of it") {
    const Test test = parse_dsl(make_source("t.litmus",
                                            "test \"t\"\n.global .u64 g[2] = 1;\n.global .tensormap tm = g, dim 2, box 2;\n"
                                            "thread P0 @ cta0 {\ntensormap.replace.tile.rank.global.b1024.b32 [tm], 0;\n}\n"));
    const Program program = build_program(test, {});
    size_t reads = 0, writes = 0;
    for (const Event& e : program.events) {
        if (e.thread != 0 || e.cell < 0) continue;
        CHECK(e.sem == Sem::weak);
        ++(e.kind == Event::Kind::read ? reads : writes);
    }
    CHECK(reads == 1);
    CHECK(writes == 1);
}

TEST_CASE("beside a sparse A the columns of B are twice as long") {
    const std::string stored = "st.weak.shared::cta.u64 [b+256], 1;\n";  // behind 8 columns of 32 bytes
    CHECK(Multiplied(stored + "tcgen05.mma.cta_group::1.kind::f16 [d], [a], [b], 0x08020000, 0").reads("b[32]") == 0);
    CHECK(Multiplied(stored + "tcgen05.mma.sp.cta_group::1.kind::f16 [d], [a], [b], [meta], 0x08020000, 0").reads("b[32]") == 1);
}

// Intervals of memory and what they remember.
#include "sweep/shadow.h"

#include <doctest/doctest.h>

#include <vector>

using namespace litmus;
using namespace litmus::sweep;

namespace {

Access by(size_t component, uint32_t number, bool writes) {
    Access access;
    access.component = component;
    access.number = number;
    access.writes = writes;
    return access;
}

// The components and first bytes of what an access conflicts with.
std::vector<std::pair<size_t, uint64_t>> conflicts(Shadow& shadow, uint64_t begin, uint64_t end, const Access& access, const Clock& known) {
    std::vector<std::pair<size_t, uint64_t>> found;
    shadow.access(begin, end, access, {known, known, known},
                  [&](const Access& earlier, uint64_t at) { found.emplace_back(earlier.component, at); });
    return found;
}

using Found = std::vector<std::pair<size_t, uint64_t>>;

}  // namespace

TEST_CASE("a read after a write that is not known, byte by byte") {
    Shadow shadow;
    CHECK(conflicts(shadow, 16, 32, by(0, 1, true), {}).empty());
    CHECK(conflicts(shadow, 0, 16, by(1, 1, false), {}).empty());
    CHECK(conflicts(shadow, 12, 20, by(1, 1, false), {}) == Found{{0, 16}});
    Clock knows;
    knows.raise(0, 1);
    CHECK(conflicts(shadow, 16, 32, by(2, 1, false), knows).empty());
}

TEST_CASE("a write meets the last write and every read since") {
    Shadow shadow;
    conflicts(shadow, 0, 64, by(0, 1, true), {});
    Clock knows;
    knows.raise(0, 1);
    conflicts(shadow, 0, 8, by(1, 1, false), knows);
    conflicts(shadow, 4, 8, by(2, 1, false), knows);
    CHECK(conflicts(shadow, 0, 64, by(3, 1, true), knows) == Found{{1, 0}, {1, 4}, {2, 4}});
    CHECK(shadow.intervals() == 1);  // a write is one piece again
    knows.raise(3, 1);
    CHECK(conflicts(shadow, 0, 64, by(4, 1, true), knows).empty());
}

TEST_CASE("of reads that are ordered the last is kept") {
    Shadow shadow;
    conflicts(shadow, 0, 4, by(0, 1, false), {});
    Clock knows;
    knows.raise(0, 1);
    conflicts(shadow, 0, 4, by(1, 1, false), knows);
    Clock second;
    second.raise(1, 1);
    CHECK(conflicts(shadow, 0, 4, by(2, 1, true), second).empty());
}

namespace {

Access strong(size_t component, uint32_t number, bool writes, Scope scope = Scope::sys) {
    Access access = by(component, number, writes);
    access.thread = static_cast<uint32_t>(component);
    access.scope = scope;
    return access;
}

}  // namespace

TEST_CASE("behind a strong write the weak ones before it are kept, and strong ones that are not ordered with it") {
    Shadow shadow;
    Clock first;
    first.raise(0, 1);
    conflicts(shadow, 0, 4, by(0, 1, true), {});
    CHECK(conflicts(shadow, 0, 4, strong(0, 1, true), first).empty());
    // a strong access is not ordered after the strong one, and so not after the weak one, either
    CHECK(conflicts(shadow, 0, 4, strong(1, 1, true), {}) == Found{{0, 0}, {0, 0}});
    Clock second;
    second.raise(1, 1);
    // a weak one that is ordered after one of two strong writes races with the other
    CHECK(conflicts(shadow, 0, 4, by(2, 1, false), second) == Found{{0, 0}, {0, 0}});
    // behind a weak write nothing is kept
    conflicts(shadow, 0, 4, by(3, 1, true), {});
    Clock third;
    third.raise(3, 1);
    CHECK(conflicts(shadow, 0, 4, by(4, 1, true), third).empty());
}

TEST_CASE("behind strong accesses of a whole scope earlier ones that are ordered need no keeping") {
    Shadow shadow;
    conflicts(shadow, 0, 4, strong(0, 1, true), {});
    Clock first;
    first.raise(0, 1);
    conflicts(shadow, 0, 4, strong(1, 1, true), first);
    Clock second;
    second.raise(1, 1);
    CHECK(conflicts(shadow, 0, 4, by(2, 1, true), second).empty());
    // of a narrower scope: who is no race for the later one may be one for the earlier
    Shadow narrow;
    conflicts(narrow, 0, 4, strong(0, 1, true, Scope::cta), {});
    conflicts(narrow, 0, 4, strong(1, 1, true), first);
    CHECK(conflicts(narrow, 0, 4, strong(2, 1, true), {}) == Found{{0, 0}, {1, 0}});
}

TEST_CASE("a strong access stands for none of another size or proxy") {
    const auto kept = [](const Access& second) {
        Shadow shadow;
        Access first = strong(0, 1, true);
        first.size = 4;
        conflicts(shadow, 0, 4, first, {});
        Clock known;
        known.raise(0, 1);
        conflicts(shadow, 0, 4, second, known);
        return conflicts(shadow, 0, 4, strong(2, 1, true), {}).size();
    };
    Access second = strong(0, 2, true);
    second.size = 4;
    CHECK(kept(second) == 1);
    second.asynchronous = true;
    CHECK(kept(second) == 2);
    second.asynchronous = false;
    second.size = 2;
    CHECK(kept(second) == 2);
}

TEST_CASE("a read that carries is ordered behind the write that it has read, and behind no later one") {
    const auto after_read = [](const Access& second) {
        Shadow shadow;
        Clock first, reader, writer;
        first.raise(0, 1);
        reader.raise(1, 1);
        writer.raise(2, 1);
        conflicts(shadow, 0, 4, by(0, 1, true), {});
        Access carrying = by(1, 1, false);
        carrying.carries = true;
        CHECK(conflicts(shadow, 0, 4, carrying, first).empty());
        CHECK(conflicts(shadow, 0, 4, by(3, 1, false), reader).empty());  // who knows of the read knows of what it read
        // a weak read that knows of it does not stand for it
        CHECK(conflicts(shadow, 0, 4, by(4, 1, false), reader).empty());
        if (second.number != 0) {
            reader.raise(3, 1);
            reader.raise(4, 1);
            CHECK(conflicts(shadow, 0, 4, second, reader).empty());
        }
        return conflicts(shadow, 0, 4, by(5, 1, false), reader);
    };
    CHECK(after_read({}).empty());
    Access copy = by(2, 1, true);
    copy.apart = true;
    CHECK(after_read(copy).back() == Found::value_type{2, 0});
    CHECK(after_read(strong(2, 1, true)).back() == Found::value_type{2, 0});
}

TEST_CASE("a weak read before a strong one is kept for strong writes") {
    Shadow shadow;
    conflicts(shadow, 0, 4, by(0, 1, false), {});
    Clock first;
    first.raise(0, 1);
    conflicts(shadow, 0, 4, strong(0, 2, false), first);
    CHECK(conflicts(shadow, 0, 4, strong(1, 1, true), {}) == Found{{0, 0}, {0, 0}});
}

TEST_CASE("a read of a loop that goes on stands for none that went before") {
    Shadow shadow;
    conflicts(shadow, 0, 4, strong(0, 1, false), {});
    Access again = strong(0, 2, false);
    again.repeats = true;
    Clock own;
    own.raise(0, 2);
    conflicts(shadow, 0, 4, again, own);
    CHECK(conflicts(shadow, 0, 4, strong(1, 1, true), {}) == Found{{0, 0}});
}

TEST_CASE("a copy that a read carries stays known behind the copy that takes its place") {
    Access first = by(0, 1, true), second = by(1, 1, true), product = by(2, 1, false);
    first.apart = second.apart = true;
    product.carries = true;
    Clock of_first, of_product;
    of_first.raise(0, 1);
    of_product.raise(2, 1);
    Clock of_both = of_product;
    of_both.raise(1, 1);
    Clock of_second;
    of_second.raise(1, 1);
    for (const bool carries : {true, false}) {
        product.carries = carries;
        Shadow shadow;
        CHECK(conflicts(shadow, 0, 8, first, {}).empty());
        CHECK(conflicts(shadow, 0, 8, product, of_first).empty());
        CHECK(conflicts(shadow, 0, 8, second, of_product) == (carries ? Found{} : Found{{0, 0}}));
        CHECK(conflicts(shadow, 0, 8, by(3, 1, false), of_both) == (carries ? Found{} : Found{{0, 0}}));
        CHECK(conflicts(shadow, 0, 8, by(4, 1, false), of_second) == Found{{0, 0}});
        // a strong write behind both stands for them, where it comes after the read that carries
        CHECK(conflicts(shadow, 0, 8, strong(5, 1, true), of_both).size() == (carries ? 2 : 3));  // the reads
    }
}

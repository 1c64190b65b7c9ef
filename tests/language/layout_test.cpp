// Where shared locations lie, and what lies where.
#include "language/layout.h"

#include <doctest/doctest.h>

using namespace litmus;

namespace {

Location shared(const std::string& name, Type type, int count, std::optional<int> cta) {
    Location location;
    location.name = name;
    location.space = Space::shared;
    location.type = type;
    location.count = count;
    location.array = count > 1;
    location.cta = cta;
    return location;
}

}  // namespace

TEST_CASE("shared memory is laid out in order, instances in every CTA first, arrays at multiples of 16") {
    Test test;
    Location global = shared("g", Type::u32, 8, std::nullopt);
    global.space = Space::global;
    test.locations = {shared("a", Type::u8, 1, 0),  shared("b", Type::u32, 3, 0), global,
                      shared("c", Type::b64, 1, 1), shared("d", Type::u16, 1, 1), shared("every", Type::u32, 1, std::nullopt)};
    CHECK(shared_offset(test, test.locations[5], 0) == 0);
    CHECK(shared_offset(test, test.locations[5], 7) == 0);
    CHECK(shared_offset(test, test.locations[0], 0) == 4);
    CHECK(shared_offset(test, test.locations[1], 0) == 16);
    CHECK(shared_offset(test, test.locations[3], 1) == 8);
    CHECK(shared_offset(test, test.locations[4], 1) == 16);
    CHECK_THROWS_AS(shared_offset(test, test.locations[1], 1), std::logic_error);

    const auto name_at = [&](int cta, int64_t offset) {
        const auto place = shared_place(test, cta, offset);
        return place ? place->location->name + "+" + std::to_string(place->offset) : "nothing";
    };
    CHECK(name_at(0, 3) == "every+3");
    CHECK(name_at(0, 4) == "a+0");
    CHECK(name_at(0, 5) == "nothing");
    CHECK(name_at(0, 27) == "b+11");
    CHECK(name_at(0, 28) == "nothing");
    CHECK(name_at(1, 8) == "c+0");
    CHECK(name_at(1, 17) == "d+1");
    CHECK(name_at(2, 4) == "nothing");
    CHECK(name_at(0, -1) == "nothing");
}

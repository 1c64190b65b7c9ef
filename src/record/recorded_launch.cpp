// Parameters by their places, allocations as arrays (see recorded_launch.h).
#include "record/recorded_launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/own_files.h"
#include "base/source.h"
#include "base/visible.h"
#include "kernel/dimensions.h"
#include "kernel/parameters.h"

namespace litmus::record {

namespace {

constexpr uint64_t most_array_bytes = uint64_t{64} << 20;  // of all arrays together, as arguments of a command line may have

std::string text_of(const std::array<uint32_t, 3>& dimensions) {
    return std::to_string(dimensions[0]) + "," + std::to_string(dimensions[1]) + "," + std::to_string(dimensions[2]);
}

// What nvcc calls `KERNEL_param_3` is `arg3` here.
std::string short_name(const kernel::Function& entry, size_t parameter) {
    const std::string& name = entry.parameters[parameter].name;
    const bool by_number = name == entry.name + "_param_" + std::to_string(parameter);
    return by_number ? "arg" + std::to_string(parameter) : name;
}

// Bytes of an allocation.
struct Extent {
    uint64_t begin = 0, end = 0;
    uint64_t bytes() const { return end - begin; }
};

// The bytes of each allocation that its array has, in all of these launches: they have the same allocations. These are all bytes, unless
// they are more than the share of the array. Then they begin with the first that was recorded, or that an address leads to. The smallest
// allocation comes first, and each may take its share of the room that is left. `folder`: of the first launch.
std::vector<Extent> extents(const std::vector<const Recording*>& together, const std::string& folder) {
    const std::vector<Allocation>& all = together.front()->allocations;
    std::vector<Extent> known;  // of each
    for (const Allocation& allocation : all) known.push_back({allocation.bytes, 0});
    const auto cover = [&](size_t allocation, uint64_t from, uint64_t to) {
        known[allocation].begin = std::min(known[allocation].begin, from);
        known[allocation].end = std::max(known[allocation].end, to);
    };
    for (const Recording* one : together) {
        for (const RecordedPointer& pointer : one->pointers) cover(pointer.allocation, pointer.offset, pointer.offset + 1);
        for (size_t a = 0; a < all.size(); ++a) {
            for (const Piece& piece : one->allocations[a].pieces) cover(a, piece.at, piece.at + piece.bytes);
            for (const RecordedPointer& pointer : one->allocations[a].pointers) {
                cover(a, pointer.at, pointer.at + pointer_bytes);
                cover(pointer.allocation, pointer.offset, pointer.offset + 1);
            }
        }
    }
    std::vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a].bytes < all[b].bytes; });
    std::vector<Extent> result(all.size());
    uint64_t room = most_array_bytes;
    for (size_t i = 0; i < order.size(); ++i) {
        const uint64_t share = room / (order.size() - i), bytes = all[order[i]].bytes;
        Extent extent{0, bytes};
        if (bytes > share) {
            extent = known[order[i]];
            if (extent.begin >= extent.end) extent.begin = 0;  // nothing of it is known
            extent.end = std::max(extent.end, extent.begin + std::min(share, bytes - extent.begin));
        }
        if (extent.bytes() > room)
            throw Failure(nullptr, {}, folder + ": its memory takes more than " + std::to_string(most_array_bytes >> 20) + " MiB",
                          "record less of it, with --bytes");
        room -= extent.bytes();
        result[order[i]] = extent;
    }
    return result;
}

class RecordedLaunch {
public:
    // `kept`: the extents of its allocations.
    RecordedLaunch(const kernel::Module& module, const Recording& recording, const std::string& folder, const kernel::LaunchTexts& instead,
                   const std::vector<Extent>& kept, const Budget& budget)
        : recording_(recording),
          kept_(kept),
          folder_(folder),
          budget_(budget),
          entry_(kernel::entry_named(module, instead.entry.empty() ? recording.kernel : instead.entry)) {
        launch_.entry = entry_.name;
        launch_.shared_bytes = instead.shared_bytes != 0 ? instead.shared_bytes : recording.shared_bytes;
        const auto or_recorded = [](const std::string& text, const std::array<uint32_t, 3>& recorded) {
            return text.empty() ? text_of(recorded) : text;
        };
        const std::string cluster = recording.cluster ? or_recorded(instead.cluster, *recording.cluster) : instead.cluster;
        kernel::set_dimensions(launch_, module, entry_,
                               {or_recorded(instead.grid, recording.grid), or_recorded(instead.block, recording.block), cluster});
        kernel::set_unlaunched(launch_, instead.unlaunched);
        for (size_t a = 0; a < recording.allocations.size(); ++a) by_address_.emplace(recording.allocations[a].address, a);
        place_parameters();
        name_arrays();
        make_arrays();
        put_pointers();
        put_maps();
        say_values();
        for (const std::string& note : recording.notes) launch_.notes.push_back(visible(note));
    }

    kernel::Launch launch() { return std::move(launch_); }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        throw Failure(nullptr, {}, folder_ + ": " + what, hint);
    }

    std::string file(const std::string& name, uint64_t bytes) const {
        budget_.check();
        SourcePtr source = read_own(folder_ + "/" + name, folder_, most_array_bytes);
        if (source->text.size() != bytes)
            fail(visible(name) + " has " + std::to_string(source->text.size()) + " bytes, and should have " + std::to_string(bytes));
        return source->text;
    }

    void place_parameters() {
        uint64_t end = 0;
        for (const kernel::Parameter& parameter : entry_.parameters) {
            begins_.push_back(kernel::begin_of(parameter, end));
            end = begins_.back() + parameter.bytes;
        }
        const std::string bytes = read_own(folder_ + "/" + parameters_file, folder_, most_array_bytes)->text;
        if (bytes.size() < end)
            fail("the parameters have " + std::to_string(bytes.size()) + " bytes, and those of `" + entry_.name + "` take " +
                     std::to_string(end),
                 "was kernel.ptx changed?");
        for (size_t p = 0; p < entry_.parameters.size(); ++p) {
            const std::string part = bytes.substr(begins_[p], entry_.parameters[p].bytes);
            launch_.arguments.push_back({{}, {part.begin(), part.end()}, {}});
        }
    }

    // The parameter that has this byte, and the place in it; nothing: it is of none.
    std::optional<std::pair<size_t, uint64_t>> place_of(uint64_t at) const {
        const auto next = std::upper_bound(begins_.begin(), begins_.end(), at);
        if (next == begins_.begin()) return std::nullopt;
        const auto p = static_cast<size_t>(next - begins_.begin()) - 1;
        return at - begins_[p] < entry_.parameters[p].bytes ? std::optional(std::pair(p, at - begins_[p])) : std::nullopt;
    }

    // Each after the first address that leads there.
    void name_arrays() {
        names_.resize(recording_.allocations.size());
        const auto name = [&](size_t allocation, uint64_t at, const std::string& ending) {
            const auto place = place_of(at);
            if (!place || !names_[allocation].empty()) return;
            names_[allocation] =
                short_name(entry_, place->first) + (place->second == 0 ? "" : "_" + std::to_string(place->second)) + ending;
        };
        for (const RecordedPointer& pointer : recording_.pointers) name(pointer.allocation, pointer.at, "");
        for (const TensorMap& map : recording_.tensor_maps)
            if (const auto allocation = allocation_at(map.address)) name(*allocation, map.at, "_tensor");
        for (size_t a = 0; a < names_.size(); ++a)
            if (names_[a].empty()) names_[a] = "memory" + std::to_string(a);
    }

    // That has this address.
    std::optional<size_t> allocation_at(uint64_t address) const {
        const auto next = by_address_.upper_bound(address);
        if (next == by_address_.begin()) return std::nullopt;
        const size_t allocation = std::prev(next)->second;
        const Allocation& there = recording_.allocations[allocation];
        return address - there.address < there.bytes ? std::optional(allocation) : std::nullopt;
    }

    void make_arrays() {
        for (size_t a = 0; a < recording_.allocations.size(); ++a) {
            const Allocation& allocation = recording_.allocations[a];
            const uint64_t begin = kept_[a].begin;
            kernel::Array array;
            array.name = names_[a];
            array.typed = false;
            budget_.check();
            array.bytes.resize(kept_[a].bytes());
            uint64_t recorded = 0;
            for (const Piece& piece : allocation.pieces) {
                const std::string bytes = file(piece.file, piece.bytes);
                std::copy(bytes.begin(), bytes.end(), array.bytes.begin() + static_cast<std::ptrdiff_t>(piece.at - begin));
                array.recorded.emplace_back(piece.at - begin, piece.bytes);
                recorded += piece.bytes;
            }
            say_what_is_left_out(array, allocation, recorded);
            launch_.arrays.push_back(std::move(array));
        }
    }

    void say_what_is_left_out(const kernel::Array& array, const Allocation& allocation, uint64_t recorded) {
        const std::string all = std::to_string(allocation.bytes);
        if (array.bytes.size() < allocation.bytes)
            launch_.notes.push_back(array.name + " is " + std::to_string(array.bytes.size()) + " of the " + all +
                                    " bytes of an allocation; an access to the others is said to be out of bounds");
        if (recorded == 0)
            launch_.notes.push_back(array.name + ": its contents were not recorded, and count as zeros");
        else if (recorded < array.bytes.size())
            launch_.notes.push_back(array.name + ": " + std::to_string(recorded) + " of its " + std::to_string(array.bytes.size()) +
                                    " bytes were recorded; the others count as zeros");
    }

    void put_pointers() {
        for (size_t a = 0; a < recording_.allocations.size(); ++a)
            for (const RecordedPointer& pointer : recording_.allocations[a].pointers)
                launch_.arrays[a].pointers.push_back({static_cast<uint32_t>(pointer.at - kept_[a].begin), pointer.allocation,
                                                      pointer.offset - kept_[pointer.allocation].begin});
        for (const RecordedPointer& pointer : recording_.pointers) {
            const auto place = place_of(pointer.at);
            if (!place || place->second + pointer_bytes > entry_.parameters[place->first].bytes) continue;  // padding
            launch_.arguments[place->first].pointers.push_back(
                {static_cast<uint32_t>(place->second), pointer.allocation, pointer.offset - kept_[pointer.allocation].begin});
        }
    }

    // Maps of tiles without gaps, whose tensor lies in an array. A kernel that copies by another one is told that there is no map.
    void put_maps() {
        constexpr std::array types{Type::u8,  Type::u16, Type::u32,  Type::s32, Type::u64, Type::s64, Type::f16,
                                   Type::f32, Type::f64, Type::bf16, Type::f32, Type::f32, Type::f32};  // by CUtensorMapDataType
        for (const TensorMap& map : recording_.tensor_maps) {
            const auto place = place_of(map.at);
            const bool dense =
                map.interleave == 0 && std::all_of(map.steps.begin(), map.steps.end(), [](uint32_t step) { return step == 1; });
            const auto array = allocation_at(map.address);
            if (!place || !array || map.im2col || !dense || map.type >= types.size()) continue;
            const uint64_t offset = map.address - recording_.allocations[*array].address;
            if (offset < kept_[*array].begin) continue;
            kernel::TensorMap made;
            made.array = *array;
            made.type = types[map.type];
            made.sizes = map.sizes;
            made.box.assign(map.box.begin(), map.box.end());
            made.strides = map.strides;
            made.offset = offset - kept_[*array].begin;
            made.swizzled = map.swizzle != 0;
            made.at = static_cast<uint32_t>(place->second);
            launch_.arguments[place->first].maps.push_back(std::move(made));
        }
    }

    // "arg0=[4096 bytes]", "arg1=3", "arg2={24 bytes}"
    void say_values() {
        std::set<uint64_t> maps;  // where they begin
        for (const TensorMap& map : recording_.tensor_maps) maps.insert(map.at);
        for (size_t p = 0; p < entry_.parameters.size(); ++p) {
            const kernel::Parameter& parameter = entry_.parameters[p];
            kernel::Value& value = launch_.arguments[p];
            value.text = short_name(entry_, p) + "=";
            if (parameter.bytes == map_bytes && maps.contains(begins_[p])) {
                value.text += "a tensor map";
            } else if (parameter.bytes > pointer_bytes) {
                value.text += "{" + std::to_string(parameter.bytes) + " bytes}";
            } else if (value.pointers.empty()) {
                std::array<uint8_t, pointer_bytes> number{};  // a parameter may have no bytes at all
                std::copy(value.bytes.begin(), value.bytes.end(), number.begin());
                value.text += std::to_string(std::bit_cast<uint64_t>(number));
            } else {
                const kernel::Pointer& pointer = value.pointers.front();
                const kernel::Array& array = launch_.arrays[pointer.array];
                value.text += "[" + std::to_string(array.bytes.size() - pointer.offset) + " bytes]";
            }
        }
    }

    const Recording& recording_;
    const std::vector<Extent>& kept_;
    const std::string& folder_;
    const Budget& budget_;
    const kernel::Function& entry_;
    std::vector<uint64_t> begins_;           // of the parameters
    std::map<uint64_t, size_t> by_address_;  // allocations
    std::vector<std::string> names_;         // of their arrays
    kernel::Launch launch_;
};

// By address; what overlaps is joined. Nothing is in them yet.
std::vector<Allocation> common_allocations(const std::vector<Recording>& recordings) {
    std::map<uint64_t, uint64_t> ends;  // by beginning
    for (const Recording& recording : recordings)
        for (const Allocation& allocation : recording.allocations) {
            uint64_t& end = ends[allocation.address];
            end = std::max(end, allocation.address + allocation.bytes);
        }
    std::vector<Allocation> common;
    for (const auto& [begin, end] : ends) {  // none wraps (recording.h)
        if (common.empty() || begin - common.back().address >= common.back().bytes) common.push_back({begin, 0});
        common.back().bytes = std::max(common.back().bytes, end - common.back().address);
    }
    return common;
}

// The same launch, in whose terms these are the allocations.
Recording with_allocations(const Recording& recording, const std::vector<Allocation>& common) {
    Recording result = recording;
    result.allocations = common;
    const auto place_of = [&](size_t allocation) {  // which of the common ones, and where in it
        const uint64_t address = recording.allocations[allocation].address;
        const auto next =
            std::upper_bound(common.begin(), common.end(), address, [](uint64_t at, const Allocation& one) { return at < one.address; });
        return std::pair(static_cast<size_t>(next - common.begin()) - 1, address - std::prev(next)->address);
    };
    const auto moved = [&](RecordedPointer pointer, uint64_t by) {
        const auto [allocation, offset] = place_of(pointer.allocation);
        return RecordedPointer{pointer.at + by, allocation, pointer.offset + offset};
    };
    for (RecordedPointer& pointer : result.pointers) pointer = moved(pointer, 0);
    for (size_t a = 0; a < recording.allocations.size(); ++a) {
        const auto [allocation, offset] = place_of(a);
        for (const Piece& piece : recording.allocations[a].pieces)
            result.allocations[allocation].pieces.push_back({piece.at + offset, piece.bytes, piece.file});
        for (const RecordedPointer& pointer : recording.allocations[a].pointers)
            result.allocations[allocation].pointers.push_back(moved(pointer, offset));
    }
    return result;
}

}  // namespace

kernel::Launch recorded_launch(const kernel::Module& module, const Recording& recording, const std::string& folder,
                               const kernel::LaunchTexts& instead, const Budget& budget) {
    return RecordedLaunch(module, recording, folder, instead, extents({&recording}, folder), budget).launch();
}

std::vector<kernel::Launch> recorded_launches(const std::vector<const kernel::Module*>& modules, const std::vector<Recording>& recordings,
                                              const std::vector<std::string>& folders, const Budget& budget) {
    const std::vector<Allocation> common = common_allocations(recordings);
    std::vector<Recording> all;
    for (const Recording& recording : recordings) {
        budget.check();
        all.push_back(with_allocations(recording, common));
    }
    std::vector<const Recording*> together;
    for (const Recording& recording : all) together.push_back(&recording);
    std::vector<kernel::Launch> result;
    const std::vector<Extent> kept = extents(together, folders.front());
    for (size_t n = 0; n < all.size(); ++n) result.push_back(RecordedLaunch(*modules[n], all[n], folders[n], {}, kept, budget).launch());
    return result;
}

}  // namespace litmus::record

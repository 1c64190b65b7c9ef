// Parameters by their places, allocations as arrays (see recorded_launch.h).
#include "record/recorded_launch.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/own_files.h"
#include "base/source.h"
#include "base/visible.h"
#include "kernel/dimensions.h"

namespace litmus::record {

namespace {

constexpr uint64_t most_array_bytes = uint64_t{64} << 20;  // of all arrays together, as arguments of a command line may have
constexpr uint64_t pointer_bytes = 8, map_bytes = 128;

std::string text_of(const std::array<uint32_t, 3>& dimensions) {
    return std::to_string(dimensions[0]) + "," + std::to_string(dimensions[1]) + "," + std::to_string(dimensions[2]);
}

// What nvcc calls `KERNEL_param_3` is `arg3` here.
std::string short_name(const kernel::Function& entry, size_t parameter) {
    const std::string& name = entry.parameters[parameter].name;
    const bool by_number = name == entry.name + "_param_" + std::to_string(parameter);
    return by_number ? "arg" + std::to_string(parameter) : name;
}

class RecordedLaunch {
public:
    // `together`: launches that have the same allocations, this one among them.
    RecordedLaunch(const kernel::Module& module, const Recording& recording, const std::string& folder, const kernel::LaunchTexts& instead,
                   const std::vector<const Recording*>& together)
        : recording_(recording),
          together_(together),
          folder_(folder),
          entry_(kernel::entry_named(module, instead.entry.empty() ? recording.kernel : instead.entry)) {
        launch_.entry = entry_.name;
        launch_.shared_bytes = instead.shared_bytes != 0 ? instead.shared_bytes : recording.shared_bytes;
        const auto or_recorded = [](const std::string& text, const std::array<uint32_t, 3>& recorded) {
            return text.empty() ? text_of(recorded) : text;
        };
        const std::string cluster = recording.cluster ? or_recorded(instead.cluster, *recording.cluster) : instead.cluster;
        kernel::set_dimensions(launch_, module, entry_,
                               {or_recorded(instead.grid, recording.grid), or_recorded(instead.block, recording.block), cluster});
        place_parameters();
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
        SourcePtr source = read_own(folder_ + "/" + name, folder_, most_array_bytes);
        if (source->text.size() != bytes)
            fail(visible(name) + " has " + std::to_string(source->text.size()) + " bytes, and should have " + std::to_string(bytes));
        return source->text;
    }

    void place_parameters() {
        uint64_t end = 0;
        for (const kernel::Parameter& parameter : entry_.parameters) {
            const uint64_t align = std::max<uint64_t>(parameter.align, 1), begin = (end + align - 1) / align * align;
            begins_.push_back(begin);
            end = begin + parameter.bytes;
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
        for (size_t p = 0; p < begins_.size(); ++p)
            if (at >= begins_[p] && at - begins_[p] < entry_.parameters[p].bytes) return std::pair(p, at - begins_[p]);
        return std::nullopt;
    }

    // After the first address that leads there.
    std::string name_of(size_t allocation) const {
        const Allocation& there = recording_.allocations[allocation];
        const auto named = [&](uint64_t at, const std::string& ending) -> std::string {
            const auto place = place_of(at);
            if (!place) return {};
            return short_name(entry_, place->first) + (place->second == 0 ? "" : "_" + std::to_string(place->second)) + ending;
        };
        for (const RecordedPointer& pointer : recording_.pointers)
            if (pointer.allocation == allocation)
                if (std::string name = named(pointer.at, ""); !name.empty()) return name;
        for (const TensorMap& map : recording_.tensor_maps)
            if (map.address >= there.address && map.address - there.address < there.bytes)
                if (std::string name = named(map.at, "_tensor"); !name.empty()) return name;
        return "memory" + std::to_string(allocation);
    }

    // The bytes of an allocation that its array has: all, or where these are more than its share those from the first that was recorded, or
    // that an address leads to, in any of the launches together.
    std::pair<uint64_t, uint64_t> extent(size_t allocation, uint64_t share, uint64_t room) const {
        const Allocation& there = recording_.allocations[allocation];
        if (there.bytes <= share) return {0, there.bytes};
        uint64_t begin = there.bytes, end = 0;
        const auto cover = [&](uint64_t from, uint64_t to) {
            begin = std::min(begin, from);
            end = std::max(end, to);
        };
        const auto cover_pointers = [&](const std::vector<RecordedPointer>& pointers) {
            for (const RecordedPointer& pointer : pointers)
                if (pointer.allocation == allocation) cover(pointer.offset, pointer.offset + 1);
        };
        for (const Recording* one : together_) {
            for (const Piece& piece : one->allocations[allocation].pieces) cover(piece.at, piece.at + piece.bytes);
            cover_pointers(one->pointers);
            for (const Allocation& other : one->allocations) cover_pointers(other.pointers);
            for (const RecordedPointer& pointer : one->allocations[allocation].pointers) cover(pointer.at, pointer.at + pointer_bytes);
        }
        if (begin >= end) begin = 0;  // nothing of it is known
        end = std::max(end, begin + std::min(share, there.bytes - begin));
        if (end - begin > room)
            fail("its memory takes more than " + std::to_string(most_array_bytes >> 20) + " MiB", "record less of it, with --bytes");
        return {begin, end};
    }

    // The smallest first: each may take its share of the room that is left.
    std::vector<std::pair<uint64_t, uint64_t>> extents() const {
        const std::vector<Allocation>& all = recording_.allocations;
        std::vector<size_t> order(all.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return all[a].bytes < all[b].bytes; });
        std::vector<std::pair<uint64_t, uint64_t>> result(all.size());
        uint64_t room = most_array_bytes;
        for (size_t i = 0; i < order.size(); ++i) {
            const auto [begin, end] = result[order[i]] = extent(order[i], room / (order.size() - i), room);
            room -= end - begin;
        }
        return result;
    }

    void make_arrays() {
        const std::vector<std::pair<uint64_t, uint64_t>> kept = extents();
        for (size_t a = 0; a < recording_.allocations.size(); ++a) {
            const Allocation& allocation = recording_.allocations[a];
            const auto [begin, end] = kept[a];
            kernel::Array array;
            array.name = name_of(a);
            array.typed = false;
            array.bytes.resize(end - begin);
            uint64_t recorded = 0;
            for (const Piece& piece : allocation.pieces) {
                const std::string bytes = file(piece.file, piece.bytes);
                std::memcpy(array.bytes.data() + (piece.at - begin), bytes.data(), bytes.size());
                array.recorded.emplace_back(piece.at - begin, piece.bytes);
                recorded += piece.bytes;
            }
            say_what_is_left_out(array, allocation, recorded);
            begins_of_arrays_.push_back(begin);
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
                launch_.arrays[a].pointers.push_back({static_cast<uint32_t>(pointer.at - begins_of_arrays_[a]), pointer.allocation,
                                                      pointer.offset - begins_of_arrays_[pointer.allocation]});
        for (const RecordedPointer& pointer : recording_.pointers) {
            const auto place = place_of(pointer.at);
            if (!place || place->second + pointer_bytes > entry_.parameters[place->first].bytes) continue;  // padding
            launch_.arguments[place->first].pointers.push_back(
                {static_cast<uint32_t>(place->second), pointer.allocation, pointer.offset - begins_of_arrays_[pointer.allocation]});
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
            if (!place || map.im2col || !dense || map.type >= types.size()) continue;
            for (size_t a = 0; a < recording_.allocations.size(); ++a) {
                const Allocation& there = recording_.allocations[a];
                if (map.address < there.address + begins_of_arrays_[a] || map.address - there.address >= there.bytes) continue;
                kernel::TensorMap made;
                made.array = a;
                made.type = types[map.type];
                made.sizes = map.sizes;
                made.box.assign(map.box.begin(), map.box.end());
                made.strides = map.strides;
                made.offset = map.address - there.address - begins_of_arrays_[a];
                made.swizzled = map.swizzle != 0;
                made.at = static_cast<uint32_t>(place->second);
                launch_.arguments[place->first].maps.push_back(std::move(made));
                break;
            }
        }
    }

    // "arg0=[4096 bytes]", "arg1=3", "arg2={24 bytes}"
    void say_values() {
        for (size_t p = 0; p < entry_.parameters.size(); ++p) {
            const kernel::Parameter& parameter = entry_.parameters[p];
            kernel::Value& value = launch_.arguments[p];
            value.text = short_name(entry_, p) + "=";
            const bool is_map = std::any_of(recording_.tensor_maps.begin(), recording_.tensor_maps.end(),
                                            [&](const TensorMap& map) { return map.at == begins_[p] && parameter.bytes == map_bytes; });
            if (is_map) {
                value.text += "a tensor map";
            } else if (parameter.bytes > pointer_bytes) {
                value.text += "{" + std::to_string(parameter.bytes) + " bytes}";
            } else if (value.pointers.empty()) {
                uint64_t number = 0;
                std::memcpy(&number, value.bytes.data(), value.bytes.size());
                value.text += std::to_string(number);
            } else {
                const kernel::Pointer& pointer = value.pointers.front();
                const kernel::Array& array = launch_.arrays[pointer.array];
                value.text += "[" + std::to_string(array.bytes.size() - pointer.offset) + " bytes]";
            }
        }
    }

    const Recording& recording_;
    const std::vector<const Recording*>& together_;
    const std::string& folder_;
    const kernel::Function& entry_;
    std::vector<uint64_t> begins_;            // of the parameters
    std::vector<uint64_t> begins_of_arrays_;  // in their allocations
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
    for (const auto& [begin, end] : ends) {
        if (common.empty() || begin >= common.back().address + common.back().bytes) common.push_back({begin, 0});
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
                               const kernel::LaunchTexts& instead) {
    return RecordedLaunch(module, recording, folder, instead, {&recording}).launch();
}

std::vector<kernel::Launch> recorded_launches(const std::vector<const kernel::Module*>& modules, const std::vector<Recording>& recordings,
                                              const std::vector<std::string>& folders) {
    const std::vector<Allocation> common = common_allocations(recordings);
    std::vector<Recording> all;
    for (const Recording& recording : recordings) all.push_back(with_allocations(recording, common));
    std::vector<const Recording*> together;
    for (const Recording& recording : all) together.push_back(&recording);
    std::vector<kernel::Launch> result;
    for (size_t n = 0; n < all.size(); ++n) result.push_back(RecordedLaunch(*modules[n], all[n], folders[n], {}, together).launch());
    return result;
}

}  // namespace litmus::record

// Static rules of the operands that say where in a tensor a copy goes (ISA 5.5, 9.7.9.27.1).
//
// What a map is and what the mode of an instruction asks of it stands in the text. Numbers are checked where they are known.
#include <array>

#include "language/rule_subject.h"
#include "language/tensor.h"
#include "ptx/traits.h"

namespace litmus::rules {
namespace {

// "dimension W" of a column's tensor.
std::string dimension_name(size_t d) {
    return std::string("dimension ") + "WHD"[d];
}

class CoordinateRules {
public:
    explicit CoordinateRules(Subject& subject)
        : s_(subject),
          instruction_(subject.instruction()),
          tensor_(subject.in(Role::tensor)),
          offsets_(subject.in(Role::image)),
          map_(*find_tensor_map(subject.test(), tensor_.text->name)),
          mode_(tensor_mode(instruction_)) {}

    bool run() {
        if (!check_count() || !check_map()) return false;
        check_numbers();
        if (traits(instruction_.op).reduces) check_reduced_type();
        return true;
    }

private:
    bool to_global() const { return instruction_.has("bulk_group"); }

    std::string word() const {
        for (const char* mode : {"tile::gather4", "tile::scatter4", "im2col", "im2col_no_offs"})
            if (instruction_.has(mode)) return std::string("`.") + mode + "`";
        return "`.tile`";
    }

    bool check_count() {
        const size_t wanted = coordinate_count(instruction_), found = tensor_.text->elements.size();
        const auto dimensions = static_cast<size_t>(litmus::dimensions(instruction_));
        const std::string several = wanted == 1 ? " coordinate" : " coordinates";
        if (found != wanted)
            s_.report(tensor_,
                      (mode_ == TensorMode::rows ? word() : "`." + std::to_string(wanted) + "d`") + " takes " + std::to_string(wanted) +
                          several + ", not " + std::to_string(found) + s_.isa(),
                      mode_ == TensorMode::rows ? "the column, and then the four rows" : "innermost first, as the map has its dimensions");
        else if (map_.dim.size() != dimensions)
            s_.report(tensor_,
                      in_ticks(map_.name) + " has " + std::to_string(map_.dim.size()) + " dimensions, and the instruction `." +
                          std::to_string(dimensions) + "d`" + s_.isa(),
                      mode_ == TensorMode::rows ? "" : "write `." + std::to_string(map_.dim.size()) + "d`");
        else
            return true;
        return false;
    }

    // A map is made for the mode in which it is used.
    bool check_map() {
        if (mode_ == TensorMode::column && !map_.column)
            s_.report(tensor_, in_ticks(map_.name) + " is a map of boxes, and " + word() + " copies a column of pixels (ISA 5.5.4)",
                      "declare it with `lower`, `upper`, `channels` and `pixels` in place of `box`");
        else if (mode_ != TensorMode::column && map_.column)
            s_.report(tensor_, in_ticks(map_.name) + " is a map of columns, and " + word() + " copies a box (ISA 5.5.3)",
                      "write `.im2col` or, towards global memory, `.im2col_no_offs`");
        else if (mode_ == TensorMode::rows && map_.box[1] != 1)
            s_.report(tensor_,
                      "the box of " + in_ticks(map_.name) + " has " + std::to_string(map_.box[1]) + " rows, and for " + word() +
                          " it has one (ISA 5.5.3.4.1)",
                      "declare it as box " + std::to_string(map_.box[0]) + ", 1");
        else
            return mode_ != TensorMode::column || !to_global() || check_inner_box();
        return false;
    }

    // ISA 9.7.9.27.1.1
    bool check_inner_box() {
        for (size_t d = 0; d < map_.column->lower.size(); ++d)
            if (map_.column->lower[d] < 0 || map_.column->upper[d] > 0) {
                s_.report(tensor_,
                          "towards global memory the bounding box stays within the tensor, and that of " + in_ticks(map_.name) +
                              " reaches from " + std::to_string(bounding_box(map_, d).first) + " to " +
                              std::to_string(bounding_box(map_, d).last) + " in " + dimension_name(d) + " (ISA 9.7.9.27.1.1)",
                          "its lower corner is 0 or more, its upper one 0 or less");
                return false;
            }
        return true;
    }

    void check_numbers() {
        for (size_t d = 0; d < tensor_.known.elements.size() && needs_coordinates_inside(instruction_); ++d)
            if (const auto known = coordinate(d); known && *known < 0)
                return s_.report(tensor_, "a copy to global memory has no negative coordinate (ISA 9.7.9.27.1.1)",
                                 "only a copy to shared memory may begin before the tensor: zeros are there");
        if (mode_ != TensorMode::column) return;
        check_offsets();
        for (size_t d = 0; d < map_.column->lower.size(); ++d) {
            const auto base = coordinate(1 + d);
            const Interval bounds = bounding_box(map_, d);
            if (base && (*base < bounds.first || *base > bounds.last))
                s_.report(tensor_, "the filter's base lies at " + std::to_string(*base) + " in " + dimension_name(d) +
                                       ", and the bounding box of " + in_ticks(map_.name) + " is from " + std::to_string(bounds.first) +
                                       " to " + std::to_string(bounds.last) + " (ISA 5.5.4.1)");
        }
    }

    std::optional<int32_t> coordinate(size_t d) const {
        const auto& known = tensor_.known.elements[d];
        return known ? std::optional(static_cast<int32_t>(*known)) : std::nullopt;
    }

    // The ranges of ISA 5.5.4.1, by dimensions.
    void check_offsets() {
        constexpr std::array<uint64_t, 3> limits = {(1 << 16) - 1, (1 << 8) - 1, (1 << 5) - 1};
        const uint64_t limit = limits[map_.dim.size() - least_dimensions];
        for (const auto& offset : offsets_.known.elements)
            if (offset && truncate(*offset, 16) > limit)
                return s_.report(offsets_, "an offset is at most " + std::to_string(limit) + " in a tensor of " +
                                               std::to_string(map_.dim.size()) + " dimensions (ISA 5.5.4.1)");
    }

    void check_reduced_type() {
        const Operator op = operation(instruction_);
        const Type type = tensor_array(s_.test(), map_).type;
        if (!has_tensor_reduction(op, type))
            s_.report(tensor_, "there is no reduction `." + std::string(name(op)) + "` of a tensor of `." + std::string(name(type)) + "`" +
                                   s_.isa());
    }

    Subject& s_;
    const Instruction& instruction_;
    const Subject::Part tensor_, offsets_;
    const TensorMap& map_;
    const TensorMode mode_;
};

}  // namespace

bool check_tensor_place(Subject& subject) {
    return CoordinateRules(subject).run();
}

}  // namespace litmus::rules

// Specifications of readings, and the models that they make.
#include "cat/readings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/nearest.h"
#include "cat/fold.h"
#include "cat/syntax.h"

namespace litmus {

namespace {

constexpr size_t most_vocabularies = 32;  // that are kept: about 5 MB, and two thirds of the library's tests find theirs
constexpr size_t most_members = 32;       // of each

std::optional<Reading::Base> base_named(std::string_view word) {
    for (const Reading::Base base : {Reading::Base::weakest, Reading::Base::default_, Reading::Base::strongest})
        if (word == name(base)) return base;
    return std::nullopt;
}

[[noreturn]] void refuse(const Model& model, std::string_view word) {
    std::vector<std::string_view> known{"weakest", "default", "strongest"};
    for (const Reading& reading : model.readings) known.push_back(reading.name);
    const std::string near = nearest(word, known);
    std::string hint = near.empty() ? "`litmus models` lists them" : "did you mean `" + near + "`?";
    if (model.readings.empty()) hint = "this model has none";
    throw Failure(nullptr, {}, "model `" + model.name + "` has no reading `" + std::string(word) + "`", std::move(hint));
}

std::vector<std::string> together(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// An open model under variants, and the readings of a base beside them.
Model made(const Model& open, const std::vector<std::string>& variants, std::optional<Reading::Base> base) {
    return with_variants(open, base ? together(variants, readings_of(open, *base)) : variants);
}

// Only the choices of readings stay open, and of those only what `variants` does not switch on.
Model with_open_readings(Model open, const std::vector<std::string>& variants) {
    const auto active = [&](std::string_view variant) -> std::optional<bool> {
        if (std::find(variants.begin(), variants.end(), variant) != variants.end()) return true;
        const auto is_it = [&](const Reading& r) { return r.name == variant; };
        if (std::any_of(open.readings.begin(), open.readings.end(), is_it)) return std::nullopt;
        return false;
    };
    const bool all_open = std::none_of(open.variants.begin(), open.variants.end(), active);
    if (all_open) return open;
    return folded(open, {nullptr, active});
}

}  // namespace

Model load_model(const std::string& name_or_path, const std::vector<std::string>& variants, std::optional<Reading::Base> base) {
    return made(load_open_model(name_or_path), variants, base);
}

Model parse_model(const SourcePtr& source, const std::vector<std::string>& variants, std::optional<Reading::Base> base) {
    return made(parse_open_model(source), variants, base);
}

std::string_view name(Reading::Base base) {
    constexpr std::array<std::string_view, 3> names{"weakest", "default", "strongest"};
    return names[static_cast<size_t>(base)];
}

std::string refutation(const std::vector<std::string>& names) {
    std::string devices, compilers;
    for (const std::string& name : names) {
        const bool is_compiler = name.rfind(cat::by_compiler, 0) == 0;
        std::string& list = is_compiler ? compilers : devices;
        if (list.empty())
            list = (is_compiler ? "refuted " : "refuted on ") + name;
        else
            list += ", " + (is_compiler ? name.substr(cat::by_compiler.size()) : name);
    }
    return devices + (devices.empty() || compilers.empty() ? "" : "; ") + compilers;
}

std::vector<std::string> readings_of(const Model& model, Reading::Base base) {
    std::vector<std::string> result;
    for (const Reading& reading : model.readings)
        if (reading.base <= base) result.push_back(reading.name);
    return result;
}

std::vector<std::string> resolve_readings(const Model& model, std::string_view spec) {
    std::vector<std::string> on = readings_of(model, Reading::Base::default_);
    size_t begin = 0;
    for (bool first = true; begin <= spec.size(); first = false) {
        const size_t end = std::min(spec.find(',', begin), spec.size());
        std::string_view word = spec.substr(begin, end - begin);
        begin = end + 1;
        if (const auto base = base_named(word)) {
            if (!first)
                throw Failure(nullptr, {}, "`" + std::string(word) + "` stands first in a list of readings", "then come names, and -names");
            on = readings_of(model, *base);
            continue;
        }
        const bool off = !word.empty() && word.front() == '-';
        if (off) word.remove_prefix(1);
        if (std::none_of(model.readings.begin(), model.readings.end(), [&](const Reading& r) { return r.name == word; }))
            refuse(model, word);
        on.erase(std::remove(on.begin(), on.end(), word), on.end());
        if (!off) on.emplace_back(word);
    }
    return on;
}

FoldedFamily::FoldedFamily(const Model& open, const std::set<std::string>& vocabulary)
    : open_(folded(open, {[&](std::string_view name) { return vocabulary.count(std::string(name)) > 0; }, nullptr})),
      concerning_(open_variants(open_)) {}

std::shared_ptr<const FoldedFamily::Member> FoldedFamily::under(const std::set<std::string>& readings) {
    const std::lock_guard lock(mutex_);
    if (const auto known = members_.find(readings); known != members_.end()) return known->second;
    const auto is_on = [&](std::string_view reading) { return readings.count(std::string(reading)) > 0; };
    const auto member = std::make_shared<Member>(Member{folded(open_, {nullptr, is_on}), {}});
    member->text = graph_text(member->model);
    if (members_.size() == most_members) members_.clear();
    members_[readings] = member;
    return member;
}

ModelFamily::ModelFamily(const std::string& name_or_path, const std::vector<std::string>& variants)
    : open_(with_open_readings(load_open_model(name_or_path), variants)),
      variants_(variants),
      default_(made(open_, variants, Reading::Base::default_)) {}

std::vector<std::string> ModelFamily::readings(std::string_view spec) const {
    return spec.empty() ? readings_of(default_, Reading::Base::default_) : resolve_readings(default_, spec);
}

std::shared_ptr<FoldedFamily> ModelFamily::folded_to(const std::set<std::string>& vocabulary) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(folded_.begin(), folded_.end(), [&](const Folded& f) { return f.first == vocabulary; });
    if (known != folded_.end()) {
        folded_.splice(folded_.begin(), folded_, known);
    } else {
        folded_.emplace_front(vocabulary, std::make_shared<FoldedFamily>(open_, vocabulary));
        if (folded_.size() > most_vocabularies) folded_.pop_back();
    }
    return folded_.front().second;
}

const Model& ModelFamily::under(std::vector<std::string> readings) {
    std::sort(readings.begin(), readings.end());
    std::vector<std::string> usual = readings_of(default_, Reading::Base::default_);
    std::sort(usual.begin(), usual.end());
    if (readings == usual) return default_;
    const std::lock_guard lock(mutex_);
    const auto known = models_.find(readings);
    if (known != models_.end()) return known->second;
    Model model = with_variants(open_, together(variants_, readings));
    return models_.emplace(std::move(readings), std::move(model)).first->second;
}

}  // namespace litmus

// Specifications of readings, and the models that they make.
#include "cat/readings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cat/syntax.h"

namespace litmus {

namespace {

std::optional<Reading::Base> base_named(std::string_view word) {
    for (const Reading::Base base : {Reading::Base::weakest, Reading::Base::default_, Reading::Base::strongest})
        if (word == name(base)) return base;
    return std::nullopt;
}

[[noreturn]] void refuse(const Model& model, std::string_view word) {
    std::vector<std::string_view> known{"weakest", "default", "strongest"};
    for (const Reading& reading : model.readings) known.push_back(reading.name);
    const std::string near = cat::nearest(word, known);
    std::string hint = near.empty() ? "`litmus models` lists them" : "did you mean `" + near + "`?";
    if (model.readings.empty()) hint = "this model has none";
    throw Failure(nullptr, {}, "model `" + model.name + "` has no reading `" + std::string(word) + "`", std::move(hint));
}

}  // namespace

std::string_view name(Reading::Base base) {
    constexpr std::array<std::string_view, 3> names{"weakest", "default", "strongest"};
    return names[static_cast<size_t>(base)];
}

std::string refutation(const std::vector<std::string>& devices) {
    std::string text;
    for (const std::string& device : devices) text += (text.empty() ? "refuted on " : ", ") + device;
    return text;
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

ModelFamily::ModelFamily(std::string name_or_path, std::vector<std::string> variants)
    : name_(std::move(name_or_path)), variants_(std::move(variants)), default_(load_model(name_, variants_, Reading::Base::default_)) {}

const Model& ModelFamily::under(std::vector<std::string> readings) {
    std::sort(readings.begin(), readings.end());
    std::vector<std::string> usual = readings_of(default_, Reading::Base::default_);
    std::sort(usual.begin(), usual.end());
    if (readings == usual) return default_;
    const std::lock_guard lock(mutex_);
    const auto known = models_.find(readings);
    if (known != models_.end()) return known->second;
    std::vector<std::string> variants = variants_;
    variants.insert(variants.end(), readings.begin(), readings.end());
    Model model = load_model(name_, variants);
    return models_.emplace(std::move(readings), std::move(model)).first->second;
}

}  // namespace litmus

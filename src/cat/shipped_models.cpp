// The models that travel with the tool, by name, and the choice between them and a file.
#include <algorithm>
#include <filesystem>

#include "base/nearest.h"
#include "base/own_files.h"
#include "base/source.h"
#include "cat/model.h"
#include "cat/shipped.h"
#include "cat/syntax.h"

namespace litmus {

namespace {

std::string_view without_extension(std::string_view file) {
    return file.substr(0, file.rfind('.'));
}

// The string at the head of a cat text.
std::string_view title_of(std::string_view text) {
    const size_t open = text.find('"');
    const size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
    return close == std::string_view::npos ? std::string_view{} : text.substr(open + 1, close - open - 1);
}

[[noreturn]] void fail_unknown(const std::string& name) {
    std::vector<std::string_view> names;
    std::string list;
    for (const ShippedModel& model : shipped_models()) {
        names.push_back(model.name);
        list += (list.empty() ? "" : ", ") + std::string(model.name);
    }
    const std::string near = nearest(name, names);
    const std::string hint = near.empty() ? "models: " + list + ", or the path of a cat file" : "did you mean `" + near + "`?";
    throw Failure(Diagnostic{Diagnostic::Level::error, nullptr, {}, "no model is named `" + name + "`, and no file", hint});
}

}  // namespace

const std::vector<ShippedModel>& shipped_models() {
    static const std::vector<ShippedModel> models = [] {
        std::vector<ShippedModel> result;
        for (const ShippedText& text : shipped_texts()) {
            if (text.file != "prelude.cat") result.push_back({without_extension(text.file), title_of(text.text), text.text});
        }
        return result;
    }();
    return models;
}

Model load_open_model(const std::string& name_or_path) {
    for (const ShippedModel& shipped : shipped_models()) {
        if (shipped.name != name_or_path) continue;
        Model model = parse_open_model(make_source("<" + name_or_path + ".cat>", std::string(shipped.text)));
        model.name = name_or_path;
        return model;
    }
    std::error_code ignored;
    if (!std::filesystem::exists(name_or_path, ignored)) fail_unknown(name_or_path);
    // Messages quote a model. What is called otherwise, here or behind a link, may be anything.
    if (std::filesystem::path(name_or_path).extension() != ".cat")
        throw Failure(nullptr, {}, "'" + name_or_path + "' is no model: the name of a model's file ends in .cat");
    if (std::filesystem::canonical(name_or_path, ignored).extension() != ".cat")
        throw Failure(nullptr, {},
                      "'" + name_or_path + "' is no model: it is a link, and the name of what it leads to does not end in .cat");
    return parse_open_model(read_regular(name_or_path, most_model_bytes));
}

}  // namespace litmus

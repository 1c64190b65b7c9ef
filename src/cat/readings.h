// Readings of a model: named sets of variants, and one model under several of them.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cat/model.h"

namespace litmus {

// The readings of `model` that are on under a base: those that it and the bases before it have.
std::vector<std::string> readings_of(const Model& model, Reading::Base base);

std::string_view name(Reading::Base base);  // "weakest"

// "refuted on H100, H200; refuted by ptxas 13.0" of a reading that these devices and compilers refuted; nothing for none.
std::string refutation(const std::vector<std::string>& devices);

// The readings that `spec` switches on (model/semantics.md section 10): a comma-separated list of `weakest`, `default` or
// `strongest`, a reading's name to switch it on, `-name` to switch it off; without a base, `default`. Throws Failure
// for a name that the model does not have.
std::vector<std::string> resolve_readings(const Model& model, std::string_view spec);

// What is left of an open model for programs in which no other bases than those of a vocabulary have members. Safe to share among threads.
class FoldedFamily {
public:
    FoldedFamily(const Model& open, const std::set<std::string>& vocabulary);

    // Open where it still matters which readings are on, and these readings.
    const Model& open() const { return open_; }
    const std::set<std::string>& concerning() const { return concerning_; }

    struct Member {
        Model model;
        std::string text;  // of its graph (fold.h)
    };
    // Under these readings of those that concern it.
    std::shared_ptr<const Member> under(const std::set<std::string>& readings);

private:
    const Model open_;
    const std::set<std::string> concerning_;
    std::mutex mutex_;
    std::map<std::set<std::string>, std::shared_ptr<const Member>> members_;
};

// A model under any set of its readings, read once. Safe to share among threads.
class ModelFamily {
public:
    // `variants`: switched on beside the readings. Throws as load_model.
    ModelFamily(const std::string& name_or_path, const std::vector<std::string>& variants);

    // Under the default readings; also where to look up which readings there are.
    const Model& by_default() const { return default_; }
    const Model& under(std::vector<std::string> readings);
    // What a user asks for: as resolve_readings(); the default for an empty text.
    std::vector<std::string> readings(std::string_view spec) const;
    // Open where only readings decide.
    const Model& open() const { return open_; }
    const std::vector<std::string>& variants() const { return variants_; }
    // The vocabularies of many programs are the same: what is left for the last ones is kept.
    std::shared_ptr<FoldedFamily> folded_to(const std::set<std::string>& vocabulary);

private:
    using Folded = std::pair<std::set<std::string>, std::shared_ptr<FoldedFamily>>;

    const Model open_;
    const std::vector<std::string> variants_;
    const Model default_;
    std::mutex mutex_;
    std::map<std::vector<std::string>, Model> models_;
    std::list<Folded> folded_;  // by vocabulary, the last asked for first
};

}  // namespace litmus

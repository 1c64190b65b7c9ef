// What is known is not asked again: results in a folder, each under the key of its question.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "analysis/verdict/result.h"

namespace litmus {

// What tells two builds of one version apart, which can answer differently: the version and a digest of the executable.
std::string build_of_tool();

// Safe to share among threads, and the folder among runs and machines. An entry holds its whole question, its result and a digest of
// both: what does not agree with itself, or answers another question, is no answer. Entries of another build of the tool are
// not looked at. An entry is a regular file in a folder of its own; a link, a FIFO or a folder in its place stays as it is. An entry is
// believed: so it is one only if no other user could have written it (tool/trusted.h).
class Cache {
public:
    // Makes the folder where there is none. Throws Failure where that cannot be done, and where others may write to it.
    explicit Cache(const std::string& folder);

    // The result that answers the question, with the places of its warnings in `source`; its file is that of the run that asked.
    std::optional<Result> find(const std::string& question, const SourcePtr& source) const;

    // Keeps a result that more time or memory would not change, and that is no error. The first time that nothing can be written, it is
    // noted on standard error.
    void keep(const std::string& question, const Result& result);

private:
    std::string path_of(const std::string& question) const;

    std::string folder_;  // of this build of the tool
    std::mutex mutex_;
    bool complained_ = false;
};

}  // namespace litmus

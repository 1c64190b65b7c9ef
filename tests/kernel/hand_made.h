// Traces made by hand: a litmus test gives the objects (its locations) and what each thread of a launch does.
#pragma once

#include <functional>
#include <string>

#include "kernel/trace.h"
#include "kernel/write.h"
#include "language/syntax/read.h"

namespace litmus::kernel {

struct HandMade {
    Module module;
    Launch launch;
    Traces traces;
};

// `body` gives the text of a thread's body from its block and its number in the block. Line n of a body is line n of "k.cu".
inline HandMade hand_made(uint32_t blocks, uint32_t threads, uint32_t cluster, const std::string& declarations,
                          const std::function<std::string(uint32_t block, uint32_t thread)>& body) {
    HandMade made;
    made.module.source = make_source("k.ptx", "");
    made.module.target = "sm_90a";
    made.module.files[1] = "/home/k.cu";
    made.launch.entry = "k";
    made.launch.grid[0] = blocks;
    made.launch.block[0] = threads;
    made.launch.cluster[0] = cluster;
    std::string text = "test \"k\"\n" + declarations + "\n";
    for (uint32_t b = 0; b < blocks; ++b)
        for (uint32_t t = 0; t < threads; ++t)
            text += "thread b" + std::to_string(b) + "t" + std::to_string(t) + " @ cluster" + std::to_string(b / cluster) + ".cta" +
                    std::to_string(b) + " {\n" + body(b, t) + "\n}\n";
    const Test test = parse_tests(make_source("k.litmus", text)).front();
    for (const Location& location : test.locations) {
        Object object;
        object.name = location.name;
        object.space = location.space;
        object.type = location.is_mbarrier ? Type::b64 : location.type;
        object.typed = true;
        const size_t width = static_cast<size_t>(bits(object.type)) / 8;
        for (size_t i = 0; i < static_cast<size_t>(location.count); ++i)
            for (size_t byte = 0; byte < width; ++byte)
                object.bytes.push_back(location.is_mbarrier ? uint8_t{0} : static_cast<uint8_t>(location.init[i] >> (8 * byte)));
        made.traces.objects.push_back(object);
    }
    for (uint32_t b = 0; b < blocks; ++b)
        for (uint32_t t = 0; t < threads; ++t) {
            const Thread& thread = test.threads[b * threads + t];
            Trace trace;
            trace.seat = {b, t, b / cluster};
            trace.body = thread.body;
            trace.end_labels = thread.end_labels;
            const int first = position(*test.source, thread.span.begin).line;
            for (size_t i = 0; i < trace.body.size(); ++i) {
                trace.origins.push_back({Line{1, position(*test.source, trace.body[i].span.begin).line - first, 1}});
                trace.statements.push_back(i);
            }
            made.traces.threads.push_back(std::move(trace));
        }
    return made;
}

inline Written write_hand_made(const HandMade& made, const ChoiceOptions& options = {}) {
    return write_test(made.module, made.launch, made.traces, options);
}

// Whether a line about the choice has this in it.
inline bool says(const Written& written, const std::string& text) {
    for (const std::string& line : written.lines_about_choice)
        if (line.find(text) != std::string::npos) return true;
    return false;
}

// The message of the Failure that ends it; empty: none does.
inline std::string refusal_of(const HandMade& made, const ChoiceOptions& options = {}) {
    try {
        write_hand_made(made, options);
    } catch (const Failure& failure) {
        return failure.diagnostics().front().message;
    }
    return {};
}

inline std::string n(uint64_t number) {
    return std::to_string(number);
}

}  // namespace litmus::kernel

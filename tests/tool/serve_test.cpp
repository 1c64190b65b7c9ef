// `litmus mcp` from outside, by messages that a careless or a hostile client sends.
#include <map>

#include "tool/shell.h"

namespace {

std::string call(int id, const std::string& tool, const Json& arguments) {
    const Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", {{"name", tool}, {"arguments", arguments}}}};
    return message.dump() + "\n";
}

// The answers of the server to these lines, by id, when its input ends behind them.
std::map<int, Json> answers(const std::string& lines_in) {
    const TemporaryFolder folder;
    folder.write("in", lines_in);
    const Run run = shell(folder, "litmus mcp < in");
    INFO(run.err);
    CHECK(run.status == 0);
    std::map<int, Json> result;
    for (const Json& line : json_lines(run.out)) result[line.at("id").get<int>()] = line;
    return result;
}

std::string said(const Json& answer) {
    return answer.at("result").at("content").at(0).at("text");
}

const char* const test = "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n";
const char* const ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n";

}  // namespace

TEST_CASE("calls that are pending when the input ends are answered, the last line without an end too") {
    std::string lines_in;
    for (int id = 1; id <= 6; ++id) lines_in += call(id, "check", {{"test", test}});
    lines_in.pop_back();
    const std::map<int, Json> got = answers(lines_in);
    REQUIRE(got.size() == 6);
    for (const auto& [id, answer] : got) CHECK(answer.at("result").at("structuredContent").at("verdict") == "ok");
}

TEST_CASE("names of any length are answered, and by no crash") {
    const std::string name(200'000, 'a');
    const std::map<int, Json> got =
        answers(call(1, "judge_kernel", {{"ptx", ptx}, {"entry", name}, {"grid", "1"}, {"block", "1"}}) +
                call(2, "judge_kernel", {{"ptx", ptx}, {"grid", "1"}, {"block", "1"}, {"arguments", {name + "=1"}}}) +
                call(3, "instruction", {{"name", name}}) + call(4, name, Json::object()) +
                // a name that the PTX has, which messages quote
                call(5, "judge_kernel",
                     {{"ptx", std::string(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 ") + name +
                                  ")\n{\nret;\n}\n"},
                      {"grid", "1"},
                      {"block", "1"}}));
    REQUIRE(got.size() == 5);
    for (const int id : {1, 2, 3}) CHECK(has(said(got.at(id)), "longer than "));
    CHECK(has(got.at(4).at("error").at("message").get<std::string>(), "there is no tool `aaa"));
    CHECK(got.at(5).at("result").at("isError") == true);
    CHECK(has(said(got.at(5)), "`arguments`"));
    for (const auto& [id, answer] : got) {
        CHECK(answer.dump().size() < 40'000);
        CHECK_FALSE(has(answer.dump(), "not decided within"));
    }
}

TEST_CASE("what an answer quotes acts on nobody") {
    const std::string act = "ld\x1b[2J\xe2\x80\xae\x07";
    const std::map<int, Json> got =
        answers(call(1, "instruction", {{"name", act}}) + call(2, "check", {{"test", act}}) + call(3, act, Json::object()) +
                call(4, "judge_kernel", {{"ptx", ptx}, {"entry", act}, {"grid", "1"}, {"block", "1"}}) +
                call(5, "check", {{"test", std::string(test) + "// " + act + "\nnonsense " + act}}) + call(6, "check", {{act, 1}}));
    REQUIRE(got.size() == 6);
    for (const auto& [id, answer] : got) {
        const std::string text = answer.contains("error") ? answer.at("error").at("message").get<std::string>()
                                 : answer.at("result").at("isError")
                                     ? said(answer)
                                     : answer.at("result").at("structuredContent").at("text").get<std::string>();
        INFO(text);
        CHECK(has(text, id == 2 ? "no litmus test" : "\\x1b[2J\\u202e\\x07"));
        for (const char* part : {"\x1b", "\x07", "\xe2\x80\xae"}) CHECK_FALSE(has(text, part));
        for (const char* part : {"\\u001b", "\\u0007", "\xe2\x80\xae"}) CHECK_FALSE(has(answer.dump(), part));
    }
}

TEST_CASE("what is said in options of the command line is said in arguments of the tool") {
    const auto asked = [&](const Json& more) {
        Json arguments = {{"ptx", ptx}, {"grid", "1"}, {"block", "1"}};
        arguments.update(more);
        return said(answers(call(1, "judge_kernel", arguments)).at(1));
    };
    const std::string missing = asked(Json::object());
    CHECK(has(missing, "`arguments`"));
    CHECK_FALSE(has(missing, "--arg"));
    CHECK_FALSE(has(missing, "@FILE"));
    CHECK(has(asked({{"grid", "0"}}), "`grid`"));
}

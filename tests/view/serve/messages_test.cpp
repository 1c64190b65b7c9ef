// Messages in frames: whole, in pieces, several at once, and heads that are none.
#include "view/serve/messages.h"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <new>

#include "base/strict_json.h"
#include "view/serve/document.h"
#include "view/serve/errands.h"

namespace litmus {

TEST_CASE("messages are taken out of what came, however it was cut") {
    const std::string both = framed({{"a", 1}}, Framing::length) + framed({{"b", "é"}}, Framing::length);
    for (size_t cut = 0; cut <= both.size(); ++cut) {
        Incoming incoming(Framing::length);
        std::vector<std::string> found;
        for (const std::string& part : {both.substr(0, cut), both.substr(cut)}) {
            incoming.put(part);
            while (const auto text = incoming.take()) found.push_back(*text);
        }
        REQUIRE(found.size() == 2);
        CHECK(found[0] == "{\"a\":1}");
        CHECK(found[1] == "{\"b\":\"é\"}");
    }
    Incoming lines(Framing::line);
    lines.put("{\"a\":1}\n\r\n{\"b\":2}\n{");
    CHECK(lines.take() == "{\"a\":1}");
    CHECK(lines.take() == "{\"b\":2}");
    CHECK_FALSE(lines.take());
}

TEST_CASE("the head of a message has a length, in any case of letters and among other fields") {
    Incoming incoming(Framing::length);
    incoming.put("content-type: x\r\nCONTENT-LENGTH:  2\r\n\r\n{}");
    CHECK(incoming.take() == "{}");
    for (const std::string head :
         {"Content-Length: -1", "Content-Length: 2x", "Content-Length:", "Content-Length: 99999999999", "Nothing: 2"}) {
        INFO(head);
        Incoming wrong(Framing::length);
        wrong.put(head + "\r\n\r\n{}");
        CHECK_THROWS_AS(wrong.take(), std::runtime_error);
    }
    Incoming endless(Framing::length);
    endless.put(std::string(5000, 'x'));
    CHECK_THROWS_AS(endless.take(), std::runtime_error);
}

TEST_CASE("a message is nested as deep as one may be, and no deeper") {
    const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(parse_message(nested(deepest_json)).is_array());
    CHECK_THROWS_AS(parse_message(nested(deepest_json + 1)), NoMessage);
    CHECK_THROWS_AS(parse_message(nested(1'000'000)), NoMessage);
    CHECK_THROWS_AS(parse_message("{"), NoMessage);
    CHECK_THROWS_AS(parse_message(R"({"id": 1, "id": 2})"), NoMessage);
}

TEST_CASE("where fewer cores are than errands may run, each has longer on the clock") {
    const ErrandLimits limits{.seconds = 2};
    CHECK(limits.on_the_clock(ErrandLimits::at_once) == 3);
    CHECK(limits.on_the_clock(64) == 3);
    CHECK(limits.on_the_clock(ErrandLimits::at_once / 2) == 6);
    CHECK(limits.on_the_clock(0) == limits.on_the_clock(1));  // 0: nobody knows
}

TEST_CASE("what is said in an answer is harmless, and of a long text its beginning") {
    CHECK(sayable("a\n\xe2\x80\xae\x1b") == "a\n\\u202e\\x1b");
    const std::string most = sayable(std::string(1'000'000, 'n'));
    CHECK(most.size() < 20'000);
    CHECK(most.ends_with("n ... (cut)"));
    CHECK(sayable(std::string(20'000, '\xe9')).size() < 20'000);  // escapes are longer
    const Message error = error_response(1, RpcError::internal, "\x1b" + std::string(1'000'000, 'n'));
    CHECK(error.at("error").at("message").get<std::string>().size() < 20'000);
}

TEST_CASE("an errand that a fault ends is told from one that a limit ends") {
    const auto came_back = [](double seconds, const std::function<std::string()>& work) {
        Errands errands({.seconds = seconds});
        errands.send(work);
        std::vector<Errands::Return> back;
        while (back.empty()) errands.wait(-1, back);
        return back.front();
    };
    CHECK(came_back(10, [] { return std::string("done"); }).text == "done");
    CHECK(came_back(10, [] { return std::string("done"); }).fault.empty());
    const Errands::Return crashed = came_back(10, []() -> std::string { std::signal(SIGBUS, SIG_DFL), std::raise(SIGBUS), std::abort(); });
    CHECK_FALSE(crashed.text);
    CHECK(crashed.fault == "signal 7 (Bus error)");
    CHECK(came_back(10, []() -> std::string { throw 1; }).fault == "exit status 1");
    const Errands::Return spent = came_back(10, []() -> std::string { throw std::bad_alloc(); });
    CHECK_FALSE(spent.text);
    CHECK(spent.fault.empty());
    const Errands::Return late = came_back(1, []() -> std::string {
        while (clock() >= 0) {
        }
        return {};
    });
    CHECK_FALSE(late.text);
    CHECK(late.fault.empty());
}

TEST_CASE("positions count units of UTF-16, or bytes where both sides say so") {
    const std::string text = "a\u00e9\U0001f600b\nc";  // 1, 2 and 4 bytes; 1, 1 and 2 units
    const TextPositions utf16(text, false), utf8(text, true);
    const auto at = [](int line, int character) { return nlohmann::ordered_json{{"line", line}, {"character", character}}; };
    CHECK(utf16.at(7) == at(0, 4));
    CHECK(utf8.at(7) == at(0, 7));
    CHECK(utf16.at(9) == at(1, 0));
    CHECK(utf16.byte(at(0, 4)) == 7);
    CHECK(utf8.byte(at(0, 7)) == 7);
    CHECK(utf16.byte(at(0, 99)) == 8);  // the end of the line
    CHECK(utf16.byte(at(7, 0)) == text.size());
    CHECK_THROWS_AS(utf16.byte(at(-1, 0)), std::invalid_argument);
    for (const char* none : {"{}", "null", "[]", R"({"line": "a", "character": 0})", R"({"line": 1.5, "character": 0})"}) {
        INFO(none);
        CHECK_THROWS_AS(utf16.byte(nlohmann::ordered_json::parse(none)), std::invalid_argument);
    }
    for (size_t byte = 0; byte <= text.size(); ++byte)
        if (byte == 0 || (static_cast<unsigned char>(text[byte]) & 0xc0U) != 0x80) CHECK(utf16.byte(utf16.at(byte)) == byte);
}

TEST_CASE("a text changes in parts, or as a whole") {
    Document document{"u", "one\ntwo\n", {}};
    const auto range = [](int line, int from, int to) {
        return nlohmann::ordered_json{{"start", {{"line", line}, {"character", from}}}, {"end", {{"line", line}, {"character", to}}}};
    };
    document.change({{"range", range(1, 0, 3)}, {"text", "2"}}, false);
    CHECK(document.text == "one\n2\n");
    document.change({{"range", range(0, 3, 3)}, {"text", "!"}}, false);
    CHECK(document.text == "one!\n2\n");
    document.change({{"text", "new"}}, false);
    CHECK(document.text == "new");
    CHECK(path_of("file:///a%20b/c%zz.litmus") == "/a b/c%zz.litmus");
    CHECK(path_of("untitled:1") == "untitled:1");
}

}  // namespace litmus

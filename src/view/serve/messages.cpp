// Framing, and the three shapes of answers.
#include "view/serve/messages.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "base/strict_json.h"
#include "base/visible.h"

namespace litmus {

namespace {

constexpr size_t largest_head = 4096;

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

// Of `Content-Length: 17`, among other fields, 17.
size_t length_in(std::string_view head) {
    constexpr std::string_view field = "content-length:";
    for (size_t at = 0; at < head.size();) {
        const size_t end = std::min(head.find("\r\n", at), head.size());
        std::string_view line = head.substr(at, end - at);
        at = end + 2;
        if (lower(line.substr(0, field.size())) != field) continue;
        line.remove_prefix(std::min(line.find_first_not_of(' ', field.size()), line.size()));
        size_t length = 0;
        const auto [rest, wrong] = std::from_chars(line.data(), line.data() + line.size(), length);
        if (wrong != std::errc() || rest != line.data() + line.size()) break;
        return length;
    }
    throw std::runtime_error("a message has no Content-Length");
}

}  // namespace

Message parse_message(const std::string& text) {
    try {
        return strict_json<Message>(text);
    } catch (const NoJson& error) {
        throw NoMessage(std::string(error.what()) + " (at byte " + std::to_string(error.span.begin + 1) + " of the message)");
    }
}

std::optional<std::string> Incoming::take() {
    return framing_ == Framing::length ? take_counted() : take_line();
}

std::optional<std::string> Incoming::take_counted() {
    const size_t head = text_.find("\r\n\r\n");
    if (std::min(head, text_.size()) > largest_head) throw std::runtime_error("the head of a message does not end");
    if (head == std::string::npos) return std::nullopt;
    const size_t length = length_in(std::string_view(text_).substr(0, head)), begin = head + 4;
    if (length > largest) throw std::runtime_error("a message is larger than 16 MiB");
    if (text_.size() - begin < length) return std::nullopt;
    std::string message = text_.substr(begin, length);
    text_.erase(0, begin + length);
    return message;
}

std::optional<std::string> Incoming::take_line() {
    while (true) {
        const size_t end = text_.find('\n');
        if (std::min(end, text_.size()) > largest) throw std::runtime_error("a message is larger than 16 MiB");
        if (end == std::string::npos) return std::nullopt;
        std::string message = text_.substr(0, end);
        text_.erase(0, end + 1);
        if (message.find_first_not_of(" \t\r") != std::string::npos) return message;
    }
}

std::string framed(const Message& message, Framing framing) {
    const std::string text = message.dump(-1, ' ', false, Message::error_handler_t::replace);
    return framing == Framing::length ? "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text : text + "\n";
}

std::string sayable(const std::string& text) {
    constexpr size_t longest = 16384;  // bytes
    const std::string whole = visible_lines(text.substr(0, longest + 1));
    if (whole.size() <= longest) return whole;
    size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(whole[end]) & 0xc0U) == 0x80) --end;  // between code points
    return whole.substr(0, end) + " ... (cut)";
}

Message response(const Message& id, Message result) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Message error_response(const Message& id, RpcError code, const std::string& message) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", sayable(message)}}}};
}

}  // namespace litmus

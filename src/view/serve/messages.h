// Messages of JSON-RPC 2.0 over two file descriptors, as editors and agents send them.
//
// Debian has no library that frames them, and there is little to frame: before a message stands its length (the base protocol of the
// Language Server Protocol, 3.17), or behind it a line break (the stdio transport of the Model Context Protocol).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace litmus {

using Message = nlohmann::ordered_json;

enum class Framing { length, line };

// A text that is no message.
struct NoMessage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws NoMessage for what is no JSON, or not as strict as a message has to be (base/strict_json.h).
Message parse_message(const std::string& text);

// What came in so far. Bytes are put in as they arrive; whole messages are taken out.
class Incoming {
public:
    explicit Incoming(Framing framing) : framing_(framing) {}
    static constexpr size_t largest = size_t{16} << 20;  // bytes of one message

    void put(std::string_view bytes) { text_ += bytes; }
    // The text of the next message, when all of it is there. Throws std::runtime_error for a head that is none, and a message that is
    // too large: nobody knows where the next one begins.
    std::optional<std::string> take();

private:
    std::optional<std::string> take_counted();
    std::optional<std::string> take_line();

    Framing framing_;
    std::string text_;
};

// The bytes to send.
std::string framed(const Message& message, Framing framing);

// The numbers of errors (JSON-RPC 2.0, and LSP 3.17).
enum class RpcError : int {
    parse = -32700,
    invalid_request = -32600,
    no_such_method = -32601,
    invalid_parameters = -32602,
    internal = -32603,
    not_initialized = -32002,
    cancelled = -32800,
    changed = -32801,  // the text is another one by now
};

// A text as an answer may have it: its lines are harmless to look at (base/visible.h), and a long text ends after its beginning.
std::string sayable(const std::string& text);

Message response(const Message& id, Message result);
// `message`: as sayable() has it.
Message error_response(const Message& id, RpcError code, const std::string& message);

}  // namespace litmus

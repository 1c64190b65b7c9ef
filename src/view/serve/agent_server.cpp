// The protocol asks for little: who is there, which tools, and calls of them.
#include "view/serve/agent_server.h"

#include <stdexcept>
#include <utility>

#include "base/source.h"
#include "view/serve/agent_tools.h"
#include "view/serve/rpc_server.h"

namespace litmus {

namespace {

// Of the versions of the protocol that are spoken, 2024-11-05 is the same so far as this goes. The one between them (2025-03-26) asks for
// lists of messages, which these two do not have.
constexpr const char* newest_protocol = "2025-06-18";
constexpr const char* oldest_protocol = "2024-11-05";

constexpr const char* instructions =
    "litmus decides questions about the memory model of NVIDIA GPUs (PTX): which outcomes a few threads can have, which races and hangs, "
    "and "
    "which fence, scope or wait is missing. Ask it before you rule on a fence. Write the accesses in question as a litmus test, bug beside "
    "repair: if the version without the fence is ok as well, the fence is not needed for what the test claims. An answer holds for the "
    "test, "
    "under the readings of the ISA that it names; say both when you report it.";

class AgentServer : public RpcServer {
public:
    AgentServer(int input, int output, double seconds, std::string version)
        : RpcServer(input, output, Framing::line, ErrandLimits::of_searches(seconds)), tools_(seconds), version_(std::move(version)) {}

private:
    void request(const Message& id, const std::string& method, const Message& parameters) override {
        if (method == "initialize") {
            const std::string asked = parameters.value("protocolVersion", newest_protocol);
            return send(response(id, {{"protocolVersion", asked == oldest_protocol ? oldest_protocol : newest_protocol},
                                      {"capabilities", {{"tools", Message::object()}}},
                                      {"serverInfo", {{"name", "litmus"}, {"title", "litmus"}, {"version", version_}}},
                                      {"instructions", instructions}}));
        }
        if (method == "ping") return send(response(id, Message::object()));
        if (method == "tools/list") return send(response(id, {{"tools", AgentTools::list()}}));
        if (method == "tools/call") return call(id, parameters);
        send(error_response(id, RpcError::no_such_method, "`" + method + "` is not offered"));
    }

    void notification(const std::string& method, const Message& parameters) override {
        if (method == "notifications/cancelled") call_back(parameters.at("requestId"), RpcError::cancelled, "cancelled");
    }

    // What a tool cannot answer is its result, too, marked as an error: the agent reads it, and asks better.
    void call(const Message& id, const Message& parameters) {
        const std::string name = parameters.at("name");
        if (!AgentTools::has(name)) return send(error_response(id, RpcError::invalid_parameters, "there is no tool `" + name + "`"));
        const Message arguments = parameters.value("arguments", Message::object());
        const auto work = [this, name, arguments] { return tools_.call(name, arguments); };
        send_out("", id, work, [this, id](const Message& given) {
            const bool failed = !given.contains("result");
            const std::string text = failed ? given.at("failed").get<std::string>() : given.at("result").dump(1);
            Message result = {{"content", Message::array({{{"type", "text"}, {"text", text}}})}, {"isError", failed}};
            if (!failed) result["structuredContent"] = given.at("result");
            send(response(id, std::move(result)));
        });
    }

    AgentTools tools_;
    std::string version_;
};

}  // namespace

int serve_agent(int input, int output, double seconds, const std::string& version) {
    return AgentServer(input, output, seconds, version).run() ? 0 : 1;
}

}  // namespace litmus

// Fuzz target of the messages of agents and editors. Each line is a message, which is taken out of its frame, read, and answered as the
// servers do. That happens in this process, under a budget that ends soon. The answers can be shown.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/visible.h"
#include "view/serve/agent_tools.h"
#include "view/serve/messages.h"
#include "view/serve/service.h"

using namespace litmus;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

// Nothing in it acts on who reads it, but line breaks and what is put back into a text.
void check_sayable(const Message& said, const std::string& key = {}) {
    if (said.is_string() && key != "patch" && key != "newText" && key != "uri") {
        const std::string text = said;
        for (size_t at = 0; at < text.size(); ++at) require(text[at] == '\n' || acting(std::string_view(text).substr(at)) == 0);
    }
    if (said.is_object())
        for (const auto& [name, value] : said.items()) check_sayable(value, name);
    if (said.is_array())
        for (const Message& value : said) check_sayable(value, key);
}

class Servers {
public:
    void take(const std::string& text) {
        try {
            const Message message = parse_message(text);
            const std::string method = message.at("method");
            const Message parameters = message.value("params", Message::object());
            if (method == "tools/call")
                check_sayable(tools_.call(parameters.at("name"), parameters.value("arguments", Message::object())));
            else
                edit(method, parameters);
        } catch (const NoMessage&) {
        } catch (const Message::exception&) {
        } catch (const std::invalid_argument& error) {
            check_sayable(error_response(1, RpcError::invalid_parameters, error.what()));
        } catch (const Unformatted&) {
        } catch (const Failure& failure) {
            check_sayable(error_response(1, RpcError::internal, failure.what()));
        } catch (const OverBudget&) {
        }
    }

private:
    void edit(const std::string& method, const Message& parameters) {
        constexpr size_t largest = 1 << 16;
        const Message& named = parameters.at("textDocument");
        if (method == "textDocument/didOpen") document_ = {named.at("uri"), named.at("text"), nullptr};
        if (method == "textDocument/didChange")
            for (const Message& change : parameters.at("contentChanges")) document_.change(change, false);
        if (document_.text.size() > largest) document_.text.clear();
        if (method == "textDocument/didChange" || method == "textDocument/didOpen") check_sayable(service_.diagnostics(document_));
        if (method == "textDocument/hover") check_sayable(service_.hover(document_, parameters.at("position")));
        if (method == "textDocument/completion") service_.completion(document_, parameters.at("position"));
        if (method == "textDocument/definition") service_.definition(document_, parameters.at("position"));
        if (method == "textDocument/documentSymbol") check_sayable(service_.symbols(document_));
        if (method == "textDocument/formatting") service_.formatting(document_);
        if (method == "textDocument/codeLens") check_sayable(service_.lenses(document_));
        if (method == "textDocument/codeAction") check_sayable(service_.actions(document_, parameters.at("range")));
    }

    static constexpr double seconds_ = 0.05;
    AgentTools tools_{seconds_};
    LanguageService service_{{.reading = {}, .seconds = seconds_, .utf8 = false}};
    Document document_{"file:///fuzz.litmus", "", nullptr};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const Framing framing : {Framing::length, Framing::line}) {
        Incoming incoming(framing);
        Servers servers;
        constexpr size_t cut = 61;
        try {
            for (size_t at = 0; at < text.size(); at += cut) {
                incoming.put(std::string_view(text).substr(at, cut));
                while (const auto one = incoming.take()) servers.take(*one);
            }
        } catch (const std::runtime_error&) {  // no frame
        }
    }
    return 0;
}

// Requests come in as messages; each is answered by an errand about its text.
#include "view/serve/language_server.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "view/serve/rpc_server.h"

namespace litmus {

namespace {

constexpr size_t largest_text = size_t{1} << 20;  // bytes, as of a file

Message capabilities(bool utf8) {
    return {{"positionEncoding", utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}}},  // 2: in parts
            {"hoverProvider", true},
            {"completionProvider", {{"triggerCharacters", {".", ":"}}}},
            {"definitionProvider", true},
            {"documentSymbolProvider", true},
            {"documentFormattingProvider", true},
            {"codeLensProvider", Message::object()},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
            {"executeCommandProvider", {{"commands", {"litmus.report"}}}}};
}

class LanguageServer : public RpcServer {
public:
    LanguageServer(int input, int output, ServiceOptions options, std::string version)
        : RpcServer(input, output, Framing::length, ErrandLimits::of_searches(options.seconds)),
          options_(std::move(options)),
          version_(std::move(version)) {}

    bool shut_down() const { return shut_down_; }

private:
    using Json = Message;
    // What is asked of a text, by name of the method.
    using Question = std::function<Json(LanguageService&, const Document&, const Json& parameters)>;
    static const std::map<std::string, Question>& questions();

    void request(const Json& id, const std::string& method, const Json& parameters) override;
    void notification(const std::string& method, const Json& parameters) override;
    void initialize(const Json& id, const Json& parameters);
    void ask(const Json& id, const std::string& uri, const Json& parameters, const Question& question);
    void diagnose(const std::string& uri);
    void publish(const std::string& uri, const Json& version, const Json& diagnostics);

    ServiceOptions options_;
    std::string version_;
    std::optional<LanguageService> service_;  // from `initialize` on
    std::map<std::string, Document> documents_;
    bool shut_down_ = false;
};

const std::map<std::string, LanguageServer::Question>& LanguageServer::questions() {
    static const std::map<std::string, Question> all = {
        {"textDocument/hover", [](auto& s, const auto& d, const auto& p) { return s.hover(d, p.at("position")); }},
        {"textDocument/completion", [](auto& s, const auto& d, const auto& p) { return s.completion(d, p.at("position")); }},
        {"textDocument/definition", [](auto& s, const auto& d, const auto& p) { return s.definition(d, p.at("position")); }},
        {"textDocument/documentSymbol", [](auto& s, const auto& d, const auto&) { return s.symbols(d); }},
        {"textDocument/formatting", [](auto& s, const auto& d, const auto&) { return s.formatting(d); }},
        {"textDocument/codeLens", [](auto& s, const auto& d, const auto&) { return s.lenses(d); }},
        {"textDocument/codeAction", [](auto& s, const auto& d, const auto& p) { return s.actions(d, p.at("range")); }},
    };
    return all;
}

void LanguageServer::request(const Json& id, const std::string& method, const Json& parameters) {
    if (method == "initialize") return initialize(id, parameters);
    if (!service_) return send(error_response(id, RpcError::not_initialized, "`initialize` comes first"));
    if (shut_down_) return send(error_response(id, RpcError::invalid_request, "the server is shut down"));
    if (method == "shutdown") {
        shut_down_ = true;
        return send(response(id, nullptr));
    }
    if (method == "workspace/executeCommand") {
        const Json& arguments = parameters.at("arguments");
        if (parameters.at("command") != "litmus.report") throw std::invalid_argument("no such command");
        return ask(id, arguments.at(0), parameters,
                   [](auto& s, const auto& d, const auto& p) { return s.report(d, p.at("arguments").at(1)); });
    }
    const auto question = questions().find(method);
    if (question == questions().end()) return send(error_response(id, RpcError::no_such_method, "`" + method + "` is not offered"));
    ask(id, parameters.at("textDocument").at("uri"), parameters, question->second);
}

void LanguageServer::initialize(const Json& id, const Json& parameters) {
    if (service_) throw std::invalid_argument("`initialize` comes once");
    const Json none = Json::object();
    const Json& wishes = parameters.contains("initializationOptions") && parameters.at("initializationOptions").is_object()
                             ? parameters.at("initializationOptions")
                             : none;
    options_.reading = wishes.value("reading", options_.reading);
    options_.seconds = std::min(60.0, std::max(0.1, wishes.value("seconds", options_.seconds)));
    const Json general = parameters.value("/capabilities/general/positionEncodings"_json_pointer, Json::array());
    options_.utf8 = general.is_array() && std::find(general.begin(), general.end(), "utf-8") != general.end();
    limit(ErrandLimits::of_searches(options_.seconds));
    service_.emplace(options_);
    send(response(id, {{"capabilities", capabilities(options_.utf8)}, {"serverInfo", {{"name", "litmus"}, {"version", version_}}}}));
}

void LanguageServer::notification(const std::string& method, const Json& parameters) {
    if (method == "exit") {
        end();
        return;
    }
    if (!service_ || shut_down_) return;
    if (method == "$/cancelRequest") return call_back(parameters.at("id"), RpcError::cancelled, "cancelled");
    if (method.rfind("textDocument/", 0) != 0) return;  // `initialized`, and what may be left unheard
    const Json& named = parameters.at("textDocument");
    const std::string uri = named.at("uri");
    if (method == "textDocument/didOpen") {
        documents_[uri] = {uri, named.at("text"), named.value("version", Json())};
        diagnose(uri);
    } else if (method == "textDocument/didChange") {
        const auto document = documents_.find(uri);
        if (document == documents_.end()) return;
        for (const Json& change : parameters.at("contentChanges")) document->second.change(change, options_.utf8);
        document->second.version = named.value("version", Json());
        diagnose(uri);
    } else if (method == "textDocument/didClose") {
        call_back_about(uri, RpcError::changed, "the text is closed");
        documents_.erase(uri);
        publish(uri, nullptr, Json::array());
    }
}

void LanguageServer::ask(const Json& id, const std::string& uri, const Json& parameters, const Question& question) {
    const auto found = documents_.find(uri);
    if (found == documents_.end()) return send(error_response(id, RpcError::invalid_parameters, "the text is not open: " + uri));
    const Document& document = found->second;  // as long as it is that text: then its errands are called back
    if (document.text.size() > largest_text) return send(response(id, nullptr));
    const auto work = [this, &document, parameters, question] {
        try {
            return Json{{"answer", question(*service_, document, parameters)}};
        } catch (const Unformatted& why) {
            return Json{{"answer", nullptr}, {"shown", why.what()}};
        } catch (const Failure&) {  // no test: that is among the diagnostics
            return Json{{"answer", nullptr}};
        } catch (const std::invalid_argument& error) {
            return Json{{"invalid", error.what()}};
        } catch (const Json::exception& error) {  // a parameter is missing
            return Json{{"invalid", error.what()}};
        }
    };
    send_out(uri, id, work, [this, id](const Json& given) {
        if (given.contains("failed")) return send(error_response(id, RpcError::internal, given.at("failed")));
        const Json& said = given.at("result");
        if (said.contains("invalid")) return send(error_response(id, RpcError::invalid_parameters, said.at("invalid")));
        if (said.contains("shown"))
            send({{"jsonrpc", "2.0"},
                  {"method", "window/showMessage"},
                  {"params", {{"type", 2}, {"message", said.at("shown")}}}});  // 2: a warning
        send(response(id, said.at("answer")));
    });
}

void LanguageServer::diagnose(const std::string& uri) {
    call_back_about(uri, RpcError::changed, "the text has changed");
    const Document& document = documents_.at(uri);
    const auto about_all = [](int severity, const std::string& message) -> Json {
        const Json start = {{"line", 0}, {"character", 0}};
        return {{"range", {{"start", start}, {"end", start}}}, {"severity", severity}, {"source", "litmus"}, {"message", message}};
    };
    if (document.text.size() > largest_text)
        return publish(uri, document.version, Json::array({about_all(1, "the text is larger than 1 MiB")}));
    send_out(
        uri, nullptr, [this, &document] { return service_->diagnostics(document); },
        [this, uri, about_all, version = document.version](const Json& given) {
            publish(uri, version, given.contains("result") ? given.at("result") : Json::array({about_all(3, given.at("failed"))}));
        });
}

void LanguageServer::publish(const std::string& uri, const Json& version, const Json& diagnostics) {
    Json parameters = {{"uri", uri}, {"diagnostics", diagnostics}};
    if (version.is_number()) parameters["version"] = version;
    send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(parameters)}});
}

}  // namespace

int serve_language(int input, int output, const ServiceOptions& options, const std::string& version) {
    LanguageServer server(input, output, options, version);
    return server.run() && server.shut_down() ? 0 : 1;
}

}  // namespace litmus

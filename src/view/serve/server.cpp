// Requests come in as messages; each is answered at once, or by an errand that is remembered until it comes back.
#include "view/serve/server.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "view/serve/errands.h"
#include "view/serve/messages.h"

namespace litmus {

namespace {

constexpr size_t largest_text = size_t{1} << 20;  // bytes, as of a file

Message capabilities(bool utf8) {
    return {{"positionEncoding", utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 2}}},  // 2: in parts
            {"hoverProvider", true},
            {"completionProvider", {{"triggerCharacters", {"."}}}},
            {"definitionProvider", true},
            {"documentSymbolProvider", true},
            {"documentFormattingProvider", true},
            {"codeLensProvider", Message::object()},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
            {"executeCommandProvider", {{"commands", {"litmus.report"}}}}};
}

class Server {
public:
    Server(int input, int output, ServiceOptions options, std::string version)
        : input_(input), output_(output), options_(std::move(options)), version_(std::move(version)) {}

    int run();

private:
    using Json = Message;
    // What is asked of a text, by name of the method.
    using Question = std::function<Json(LanguageService&, const Document&, const Json& parameters)>;

    struct Sent {
        std::string uri;
        Json id;              // of the request; null: diagnostics, which nobody has asked for
        Json version;
    };

    void take(const std::string& text);
    void request(const Json& id, const std::string& method, const Json& parameters);
    void notification(const std::string& method, const Json& parameters);
    void initialize(const Json& id, const Json& parameters);
    void ask(const Json& id, const std::string& uri, const Json& parameters, const Question& question);
    void diagnose(const std::string& uri);
    void call_back_of(const std::string& uri);
    void cancel(const Json& id);
    void back(const Errands::Return& one);
    void send(const Json& message);
    const Document* find(const std::string& uri) const;

    static const std::map<std::string, Question>& questions();

    int input_, output_;
    ServiceOptions options_;
    std::string version_;
    Incoming incoming_{Framing::length};
    Errands errands_{ErrandLimits{}};
    std::optional<LanguageService> service_;  // from `initialize` on
    std::map<std::string, Document> documents_;
    std::map<Errands::Name, Sent> sent_;
    bool shut_down_ = false, ended_ = false;
};

const std::map<std::string, Server::Question>& Server::questions() {
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

void Server::send(const Json& message) {
    const std::string text = framed(message, Framing::length);
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(output_, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {  // nobody listens any more
            ended_ = true;
            return;
        }
        done += static_cast<size_t>(n);
    }
}

const Document* Server::find(const std::string& uri) const {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : &found->second;
}

int Server::run() {
    std::array<char, 65536> bytes{};
    while (!ended_) {
        std::vector<Errands::Return> returned;
        const bool readable = errands_.wait(input_, returned);
        for (const Errands::Return& one : returned) back(one);
        if (!readable) continue;
        const ssize_t n = read(input_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        incoming_.put({bytes.data(), static_cast<size_t>(n)});
        try {
            while (!ended_) {
                const std::optional<std::string> text = incoming_.take();
                if (!text) break;
                take(*text);
            }
        } catch (const std::runtime_error& error) {  // where the next message begins, nobody knows
            send(error_response(nullptr, RpcError::parse, error.what()));
            return 1;
        }
    }
    return shut_down_ ? 0 : 1;
}

void Server::take(const std::string& text) {
    Json id;
    try {
        const Json message = Json::parse(text);
        if (!message.is_object()) throw std::invalid_argument("no message");
        if (message.contains("id")) id = message.at("id");
        if (!message.contains("method")) return;  // an answer: this server asks nothing
        const std::string method = message.at("method");
        const Json parameters = message.value("params", Json::object());
        if (message.contains("id"))
            request(id, method, parameters);
        else
            notification(method, parameters);
    } catch (const Json::parse_error& error) {
        send(error_response(nullptr, RpcError::parse, error.what()));
    } catch (const Json::exception& error) {
        if (!id.is_null()) send(error_response(id, RpcError::invalid_parameters, error.what()));
    } catch (const std::invalid_argument& error) {
        send(error_response(id, RpcError::invalid_request, error.what()));
    } catch (const Failure& failure) {  // a reading that nobody has
        send(error_response(id, RpcError::invalid_parameters, failure.what()));
    }
}

void Server::request(const Json& id, const std::string& method, const Json& parameters) {
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
        const auto number = arguments.at(1).get<size_t>();
        return ask(id, arguments.at(0), parameters, [number](auto& s, const auto& d, const auto&) { return s.report(d, number); });
    }
    const auto question = questions().find(method);
    if (question == questions().end()) return send(error_response(id, RpcError::no_such_method, "`" + method + "` is not offered"));
    ask(id, parameters.at("textDocument").at("uri"), parameters, question->second);
}

void Server::initialize(const Json& id, const Json& parameters) {
    if (service_) throw std::invalid_argument("`initialize` comes once");
    const Json none = Json::object();
    const Json& wishes = parameters.contains("initializationOptions") && parameters.at("initializationOptions").is_object()
                             ? parameters.at("initializationOptions")
                             : none;
    options_.reading = wishes.value("reading", options_.reading);
    options_.seconds = std::min(60.0, std::max(0.1, wishes.value("seconds", options_.seconds)));
    const Json general = parameters.value("/capabilities/general/positionEncodings"_json_pointer, Json::array());
    options_.utf8 = general.is_array() && std::find(general.begin(), general.end(), "utf-8") != general.end();
    service_.emplace(options_);
    send(response(id, {{"capabilities", capabilities(options_.utf8)}, {"serverInfo", {{"name", "litmus"}, {"version", version_}}}}));
}

void Server::notification(const std::string& method, const Json& parameters) {
    if (method == "exit") {
        ended_ = true;
        return;
    }
    if (!service_ || shut_down_) return;
    if (method == "$/cancelRequest") return cancel(parameters.at("id"));
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
        call_back_of(uri);
        documents_.erase(uri);
        send({{"jsonrpc", "2.0"},
              {"method", "textDocument/publishDiagnostics"},
              {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
    }
}

// Errands about a text that is another one by now.
void Server::call_back_of(const std::string& uri) {
    for (auto one = sent_.begin(); one != sent_.end();) {
        if (one->second.uri != uri) {
            ++one;
            continue;
        }
        errands_.call_back(one->first);
        if (!one->second.id.is_null()) send(error_response(one->second.id, RpcError::changed, "the text has changed"));
        one = sent_.erase(one);
    }
}

void Server::cancel(const Json& id) {
    for (auto one = sent_.begin(); one != sent_.end(); ++one) {
        if (one->second.id != id || id.is_null()) continue;
        errands_.call_back(one->first);
        send(error_response(id, RpcError::cancelled, "cancelled"));
        sent_.erase(one);
        return;
    }
}

// What an errand gives is one of {"result": ...}, {"failed": "..."}.
void Server::ask(const Json& id, const std::string& uri, const Json& parameters, const Question& question) {
    const Document* const document = find(uri);
    if (document == nullptr) return send(error_response(id, RpcError::invalid_parameters, "the text is not open: " + uri));
    if (document->text.size() > largest_text) return send(response(id, nullptr));
    const auto work = [this, &document = *document, parameters, question] {
        Json given;
        try {
            given["result"] = question(*service_, document, parameters);
        } catch (const Failure&) {  // no test: that is among the diagnostics
            given["result"] = nullptr;
        } catch (const OverBudget& over) {
            given["failed"] = over.what();
        } catch (const std::exception& error) {
            given["failed"] = error.what();
        }
        return given.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    sent_[errands_.send(work)] = {uri, id, document->version};
}

void Server::diagnose(const std::string& uri) {
    call_back_of(uri);
    const Document& document = documents_.at(uri);
    const auto work = [this, &document] {
        Json list = Json::array();
        if (document.text.size() > largest_text)
            list.push_back({{"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}},
                            {"severity", 1},
                            {"source", "litmus"},
                            {"message", "the text is larger than 1 MiB"}});
        else
            list = service_->diagnostics(document);
        return Json{{"result", list}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    sent_[errands_.send(work)] = {uri, nullptr, document.version};
}

void Server::back(const Errands::Return& one) {
    const auto found = sent_.find(one.name);
    if (found == sent_.end()) return;
    const Sent sent = found->second;
    sent_.erase(found);
    const Json given = one.text ? Json::parse(*one.text) : Json{{"failed", "the limits of time or memory were met"}};
    if (!sent.id.is_null()) {
        send(given.contains("result") ? response(sent.id, given.at("result"))
                                      : error_response(sent.id, RpcError::internal, given.at("failed")));
        return;
    }
    Json parameters = {{"uri", sent.uri}, {"diagnostics", given.value("result", Json::array())}};
    if (sent.version.is_number()) parameters["version"] = sent.version;
    if (!given.contains("result"))
        parameters["diagnostics"].push_back(
            {{"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}},
             {"severity", 3},
             {"source", "litmus"},
             {"message", "not decided: " + given.at("failed").get<std::string>()}});
    send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(parameters)}});
}

}  // namespace

int serve_language(int input, int output, const ServiceOptions& options, const std::string& version) {
    return Server(input, output, options, version).run();
}

}  // namespace litmus

// One loop: what came back first, then what came in.
#include "view/serve/rpc_server.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <stdexcept>

#include "base/source.h"

namespace litmus {

bool RpcServer::run() {
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
            return false;
        }
    }
    return true;
}

void RpcServer::take(const std::string& text) {
    Message id;
    try {
        const Message message = parse_message(text);
        if (!message.is_object()) return send(error_response(nullptr, RpcError::invalid_request, "a message is one object"));
        if (message.contains("id")) id = message.at("id");
        if (!message.contains("method")) return;  // an answer: these servers ask nothing
        const std::string method = message.at("method");
        const Message parameters = message.value("params", Message::object());
        if (message.contains("id"))
            request(id, method, parameters);
        else
            notification(method, parameters);
    } catch (const NoMessage& error) {
        send(error_response(nullptr, RpcError::parse, error.what()));
    } catch (const Message::exception& error) {
        if (!id.is_null()) send(error_response(id, RpcError::invalid_parameters, error.what()));
    } catch (const std::invalid_argument& error) {
        if (!id.is_null()) send(error_response(id, RpcError::invalid_request, error.what()));
    } catch (const Failure& failure) {  // a reading that nobody has
        send(error_response(id, RpcError::invalid_parameters, failure.what()));
    }
}

void RpcServer::send(const Message& message) {
    const std::string text = framed(message, framing_);
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(output_, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return end();  // nobody listens any more
        done += static_cast<size_t>(n);
    }
}

void RpcServer::send_out(const std::string& about, const Message& id, std::function<Message()> work, Then then) {
    const auto in_words = [work = std::move(work)] {
        Message given;
        try {
            given["result"] = work();
        } catch (const std::exception& error) {
            given = {{"failed", error.what()}};
        }
        return given.dump(-1, ' ', false, Message::error_handler_t::replace);
    };
    sent_[errands_.send(in_words)] = {about, id, std::move(then)};
}

void RpcServer::back(const Errands::Return& one) {
    const auto found = sent_.find(one.name);
    if (found == sent_.end()) return;
    const Sent sent = std::move(found->second);
    sent_.erase(found);
    sent.then(one.text ? Message::parse(*one.text) : Message{{"failed", "not decided within the limits of time and memory"}});
}

std::map<Errands::Name, RpcServer::Sent>::iterator RpcServer::drop(std::map<Errands::Name, Sent>::iterator one, RpcError code,
                                                                   const std::string& why) {
    errands_.call_back(one->first);
    if (!one->second.id.is_null()) send(error_response(one->second.id, code, why));
    return sent_.erase(one);
}

void RpcServer::call_back_about(const std::string& about, RpcError code, const std::string& why) {
    for (auto one = sent_.begin(); one != sent_.end();) one = one->second.about == about ? drop(one, code, why) : std::next(one);
}

void RpcServer::call_back(const Message& id, RpcError code, const std::string& why) {
    for (auto one = sent_.begin(); one != sent_.end();) one = !id.is_null() && one->second.id == id ? drop(one, code, why) : std::next(one);
}

}  // namespace litmus

// One loop: what came back first, then what came in.
#include "view/serve/rpc_server.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <optional>
#include <stdexcept>

#include "base/source.h"

namespace litmus {

namespace {

bool has_reader(int output) {
    pollfd other{output, 0, 0};
    return poll(&other, 1, 0) < 0 || (other.revents & POLLERR) == 0;
}

}  // namespace

bool RpcServer::run() {
    std::array<char, 65536> bytes{};
    bool open = true, whole = true;
    while (!ended_ && (open || (is_awaited() && has_reader(output_)))) {
        std::vector<Errands::Return> returned;
        const bool readable = errands_.wait(open ? input_ : -1, returned);
        for (const Errands::Return& one : returned) back(one);
        if (!open || !readable) continue;
        const ssize_t n = read(input_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        open = n > 0;
        if (open) incoming_.put({bytes.data(), static_cast<size_t>(n)});
        if (!open && framing_ == Framing::line) incoming_.put("\n");  // the last line may have no end
        whole = take_all();
        open = open && whole;
    }
    return whole;
}

// Takes the messages that are there as a whole. False: nobody knows where the next one begins.
bool RpcServer::take_all() {
    try {
        while (!ended_) {
            const std::optional<std::string> text = incoming_.take();
            if (!text) break;
            take(*text);
        }
    } catch (const std::runtime_error& error) {
        send(error_response(nullptr, RpcError::parse, error.what()));
        return false;
    }
    return true;
}

bool RpcServer::is_awaited() const {
    return std::any_of(sent_.begin(), sent_.end(), [](const auto& one) { return !one.second.id.is_null(); });
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
        } catch (const std::bad_alloc&) {  // a limit, as the process says by its status
            throw;
        } catch (const std::exception& error) {
            given = {{"failed", sayable(error.what())}};
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
    if (one.text) return sent.then(Message::parse(*one.text));
    sent.then(
        {{"failed", one.fault.empty() ? "not decided within the limits of time and memory"
                                      : "internal error: the process that worked on this ended by " + one.fault + " (please report)"}});
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

// What the servers have in common: messages in and out, and errands for what takes time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "view/serve/errands.h"
#include "view/serve/messages.h"

namespace litmus {

class RpcServer {
public:
    // Both are file descriptors.
    RpcServer(int input, int output, Framing framing, ErrandLimits limits)
        : input_(input), output_(output), framing_(framing), incoming_(framing), errands_(limits) {}
    RpcServer(const RpcServer&) = delete;
    RpcServer& operator=(const RpcServer&) = delete;
    virtual ~RpcServer() = default;

    // Until end() is called, or the input has ended and every request is answered. Gives whether all that came were messages in frames.
    bool run();

protected:
    // What these throw is answered: as invalid parameters what nlohmann::json and Failure say, as an invalid request
    // std::invalid_argument.
    virtual void request(const Message& id, const std::string& method, const Message& parameters) = 0;
    virtual void notification(const std::string& method, const Message& parameters) = 0;

    void send(const Message& message);
    // Of the errands that are sent out from now on.
    void limit(ErrandLimits limits) { errands_.limit(limits); }
    void end() { ended_ = true; }

    // An errand with what it is about, and what is to be done with what it gives: {"result": ...}, or {"failed": "..."} where it threw
    // or ended by a limit.
    using Then = std::function<void(const Message& given)>;
    void send_out(const std::string& about, const Message& id, std::function<Message()> work, Then then);
    // Its errands are called back: those about something, with what their requests are told; or that of one request.
    void call_back_about(const std::string& about, RpcError code, const std::string& why);
    void call_back(const Message& id, RpcError code, const std::string& why);

private:
    struct Sent {
        std::string about;
        Message id;  // of the request; null: nobody has asked
        Then then;
    };
    bool take_all();
    void take(const std::string& text);
    bool is_awaited() const;
    void back(const Errands::Return& one);
    std::map<Errands::Name, Sent>::iterator drop(std::map<Errands::Name, Sent>::iterator one, RpcError code, const std::string& why);

    int input_, output_;
    Framing framing_;
    Incoming incoming_;
    Errands errands_;
    std::map<Errands::Name, Sent> sent_;
    bool ended_ = false;
};

}  // namespace litmus

// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/subscriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "yarp/ports/name_server.h"
#include "yarp/ports/output_connection.h"

namespace servosim::yarp {

namespace {

constexpr std::chrono::seconds kSubscriptionTimeout{5};

// Parses CARRIER:/NAME, or /NAME alone.
std::optional<AdminAdd> subscription_end(const Bottle& request, std::size_t index) {
  if (index >= request.size() || as_string(request.items[index]) == nullptr) {
    return std::nullopt;
  }
  AdminRequest end = parse_admin({{Vocab("add"), request.items[index]}});
  AdminAdd* const add = std::get_if<AdminAdd>(&end);
  return add != nullptr && add->name.starts_with('/') ? std::optional(std::move(*add))
                                                      : std::nullopt;
}

}  // namespace

struct Subscriptions::Request {
  explicit Request(net::EventLoop& loop) : timer(loop) {}
  net::Timer timer;
  std::unique_ptr<OutputConnection> link;
  std::string refusal;  // in the reply
};

Bottle Subscriptions::answer(const Bottle& request) {
  const std::string* const verb = request.empty() ? nullptr : as_string(request.items[0]);
  const bool subscribes = verb != nullptr && *verb == "subscribe";
  if (!subscribes && (verb == nullptr || *verb != "unsubscribe")) {
    return admin_failed_reply(
        "a name server only knows subscribe and unsubscribe here; other requests to it are lines "
        "that begin with NAME_SERVER");
  }
  const std::optional<AdminAdd> from = subscription_end(request, 1);
  const std::optional<AdminAdd> to = subscription_end(request, 2);
  if (!from || !to) {
    return admin_failed_reply(
        fmt::format("use: {} \"tcp://source\" \"tcp://destination\", by tcp, fast_tcp, udp, text "
                    "or text_ack",
                    *verb));
  }
  auto known = std::find_if(
      subscriptions_.begin(), subscriptions_.end(), [&](const Subscription& subscription) {
        return subscription.from == from->name && subscription.to.name == to->name;
      });
  if (known != subscriptions_.end() && !(subscribes && known->to.carrier == to->carrier)) {
    end_request(*known);
    subscriptions_.erase(known);
    known = subscriptions_.end();
  }
  if (subscribes) {
    if (known == subscriptions_.end()) {
      if (!make_room()) {
        return admin_failed_reply(
            fmt::format("no room: there are {} subscriptions", kMaxSubscriptions));
      }
      known = subscriptions_.emplace(known, Subscription{.from = from->name, .to = *to});
    }
    known->due = known->due || !known->request;
  }
  ask_sources();
  return {{Vocab("ok")}};
}

// A program that has ended may have left its subscription.
bool Subscriptions::make_room() {
  if (subscriptions_.size() < kMaxSubscriptions) {
    return true;
  }
  const auto left = std::find_if(subscriptions_.begin(), subscriptions_.end(),
                                 [this](const Subscription& subscription) {
                                   return names_.find(subscription.to.name) == nullptr;
                                 });
  if (left == subscriptions_.end()) {
    return false;
  }
  end_request(*left);
  subscriptions_.erase(left);
  return true;
}

void Subscriptions::announced(std::string_view name) {
  for (Subscription& subscription : subscriptions_) {
    if (subscription.from == name || subscription.to.name == name) {
      subscription.due = true;
    }
  }
  ask_sources();
}

// Asks those sources that are due, as far as there is room.
void Subscriptions::ask_sources() {
  auto asked = static_cast<std::size_t>(std::count_if(
      subscriptions_.begin(), subscriptions_.end(),
      [](const Subscription& subscription) { return subscription.request != nullptr; }));
  for (Subscription& subscription : subscriptions_) {
    if (subscription.due && !subscription.request && asked < kMaxRequests) {
      ask_source(subscription);
      asked += subscription.request ? 1 : 0;
    }
  }
}

// Asks the source to connect to the destination. If that fails, it is tried again when one of them
// is announced again.
void Subscriptions::ask_source(Subscription& subscription) {
  subscription.due = false;
  const Contact* const from = names_.find(subscription.from);
  const auto address = from ? net::find_address(from->ip, from->port) : std::nullopt;
  if (!address || address->port == 0 || names_.find(subscription.to.name) == nullptr) {
    return;
  }
  const auto request = std::make_shared<Request>(loop_);
  const auto end = [this, weak = std::weak_ptr(request)](const std::string& why) {
    const auto still = weak.lock();
    const auto its = std::find_if(
        subscriptions_.begin(), subscriptions_.end(),
        [&](const Subscription& candidate) { return still && candidate.request == still; });
    if (its == subscriptions_.end()) {
      return;  // it is cancelled
    }
    if (why.empty()) {
      its->failed = false;
    } else {
      failed(*its, why);
    }
    end_request(*its);
    ask_sources();
  };
  OutputConnection::Calls calls;
  calls.opened = [link = &request->link, to = subscription.to] {
    (*link)->send({PortCommand::Admin, true, {}}, admin_message(to));
  };
  calls.reply = [raw = request.get()](const BottleOrError& reply) {
    const auto* const bottle = std::get_if<Bottle>(&reply);
    if (bottle != nullptr && !bottle->empty() && as_int(bottle->items[0]) != 0) {
      raw->refusal = to_text(*bottle);
    }
  };
  calls.finished = [raw = request.get(), end] { end(raw->refusal); };
  calls.closed = [end](const std::string& why) {
    end(why.empty() ? "it closes the connection" : why);
  };
  try {
    request->link = std::make_unique<OutputConnection>(loop_, *address, Carrier::TextAck, "admin",
                                                       Generation::V3, std::move(calls));
  } catch (const std::system_error& error) {
    return failed(subscription, error.what());
  }
  request->timer.start(kSubscriptionTimeout, [end] { end("it does not answer"); });
  subscription.request = request;
}

void Subscriptions::failed(Subscription& subscription, const std::string& why) {
  if (!std::exchange(subscription.failed, true) && report_) {
    report_(
        fmt::format("{} is not connected to {}, which has subscribed to it: {}; this is tried "
                    "again when one of them starts anew",
                    subscription.from, subscription.to.name, why));
  }
}

// The link may be calling.
void Subscriptions::end_request(Subscription& subscription) {
  if (const auto request = std::exchange(subscription.request, nullptr)) {
    request->timer.stop();
    request->link->quit();
    loop_.destroy_later(request);
  }
}

}  // namespace servosim::yarp

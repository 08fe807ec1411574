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
  subscriptions_.remove_if([&](const Subscription& known) {
    return known.from == from->name && known.to.name == to->name;
  });
  if (subscribes) {
    if (subscriptions_.size() >= kMaxSubscriptions) {
      return admin_failed_reply(
          fmt::format("no room: there are {} subscriptions", kMaxSubscriptions));
    }
    subscriptions_.push_back({from->name, *to});
    connect(subscriptions_.back());
  }
  return {{Vocab("ok")}};
}

void Subscriptions::announced(std::string_view name) {
  for (const Subscription& subscription : subscriptions_) {
    if (subscription.from == name || subscription.to.name == name) {
      connect(subscription);
    }
  }
}

// Asks the source to connect to the destination. If that fails, it is tried again when one of them
// is announced again.
void Subscriptions::connect(const Subscription& subscription) {
  const Contact* const from = names_.find(subscription.from);
  const auto address = from ? net::find_address(from->ip, from->port) : std::nullopt;
  if (!address || address->port == 0 || names_.find(subscription.to.name) == nullptr) {
    return;
  }
  const auto request = std::make_shared<Request>(loop_);
  const auto end = [this, weak = std::weak_ptr(request)] {
    if (const auto still = weak.lock()) {
      requests_.remove(still);
      still->timer.stop();
      still->link->quit();
      loop_.destroy_later(still);
    }
  };
  OutputConnection::Calls calls;
  calls.opened = [link = &request->link, to = subscription.to] {
    (*link)->send({PortCommand::Admin, true, {}}, admin_message(to));
  };
  calls.reply = [](const BottleOrError&) {};
  calls.finished = end;
  calls.closed = [end](const std::string&) { end(); };
  try {
    request->link = std::make_unique<OutputConnection>(loop_, *address, Carrier::TextAck, "admin",
                                                       Generation::V3, std::move(calls));
  } catch (const std::system_error&) {
    return;
  }
  request->timer.start(kSubscriptionTimeout, end);
  requests_.push_back(request);
}

}  // namespace servosim::yarp

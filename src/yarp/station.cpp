// SPDX-License-Identifier: Apache-2.0
#include "yarp/station.h"

#include <fmt/format.h>

#include <exception>
#include <thread>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr int kMessagesPerSecond = 5;
constexpr std::chrono::seconds kFarewell{1};

}  // namespace

Station::Station(Options options, Say say) : say_(std::move(say)) {
  thread_.call([&] {
    if (options.own_name_server) {
      const auto port = static_cast<std::uint16_t>(*options.own_name_server);
      own_server_ =
          std::make_unique<NameServer>(thread_.reactor(), net::Address{INADDR_LOOPBACK, port});
    }
    const auto server = own_server_
                            ? std::variant<net::Address, std::string>(own_server_->address())
                            : find_name_server(options.name_server);
    if (const auto* address = std::get_if<net::Address>(&server)) {
      names_ = std::make_unique<NameClient>(thread_.reactor(), *address);
    } else {
      this->say(std::get<std::string>(server) +
                "; ports are found by their addresses only. Give the address of a yarpserver, or "
                "use the built-in name server");
    }
  });
}

Station::~Station() {
  withdraw_all();
  thread_.stop();
}

std::optional<net::Address> Station::name_server() const {
  return names_ ? std::optional(names_->server()) : std::nullopt;
}

Port& Station::open(PortOptions options, Port::Handler handler) {
  thread_.call([&] {
    ports_.emplace_back(thread_.reactor(), std::move(options), names_.get(), std::move(handler),
                        [this](const std::string& message) { say(message); });
    if (names_) {
      enroll(ports_.back().contact());
    }
  });
  return ports_.back();
}

void Station::enroll(const Contact& contact) {
  ++enrolling_;
  names_->enroll(contact, [this, contact](const std::string& error) {
    --enrolling_;
    if (error.empty()) {
      enrolled_.push_back(contact.name);
    } else {
      say(fmt::format("{} is not registered, and is found as {}:{} only: {}", contact.name,
                      contact.ip, contact.port, error));
    }
  });
}

// In the reactor's thread.
void Station::say(const std::string& message) {
  const auto now = net::Clock::now();
  if (now - said_since_ > std::chrono::seconds(1)) {
    said_since_ = now;
    said_ = 0;
  }
  if (++said_ <= kMessagesPerSecond) {
    queue_.push([this, message] { say_(message); });
  }
}

Port::Handler Station::in_simulation(Work work) {
  const auto shared = std::make_shared<const Work>(std::move(work));
  return [this, shared](Request request, Respond respond) {
    queue_.push([shared, request = std::move(request), respond = std::move(respond)] {
      PortReply reply;
      try {
        reply = (*shared)(request);
      } catch (const std::exception& error) {
        reply = Bottle{{Vocab("fail"), std::string(error.what())}};
      }
      respond(std::move(reply));
    });
  };
}

void Station::withdraw_all() {
  wait_for([this] { return enrolling_ == 0; });
  const auto left = std::make_shared<std::size_t>(0);
  thread_.call([&] {
    *left = enrolled_.size();
    for (const std::string& name : enrolled_) {
      names_->withdraw(name, [left](const std::string&) { --*left; });
    }
  });
  wait_for([&] { return *left == 0; });
}

void Station::wait_for(const std::function<bool()>& idle) {
  const auto end = net::Clock::now() + kFarewell;
  bool done = false;
  while (!done && net::Clock::now() < end) {
    thread_.call([&] { done = idle(); });
    if (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace servosim::yarp

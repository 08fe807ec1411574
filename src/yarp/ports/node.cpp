// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace servosim::yarp {

namespace {

constexpr int kMaxMessagesPerSecond = 5;
constexpr std::chrono::seconds kCloseTimeout{3};

}  // namespace

YarpNode::YarpNode(Options options, Report report)
    : options_(std::move(options)), report_(std::move(report)) {
  thread_.call([this] {
    const auto warn = [this](const std::string& message) { this->report(message); };
    std::variant<net::Address, std::string> server;
    if (options_.own_name_server) {
      const auto port = static_cast<std::uint16_t>(*options_.own_name_server);
      own_server_ = std::make_unique<NameServer>(
          thread_.loop(), net::Address{options_.own_ip, port},
          NameServerOptions{.announced_ip = options_.announced_ip, .report = warn});
      server = net::dialable(own_server_->address());
    } else {
      server = find_name_server(options_.name_server);
    }
    if (const auto* address = std::get_if<net::Address>(&server)) {
      names_ = std::make_unique<NameClient>(thread_.loop(), *address);
      registrations_ =
          std::make_unique<Registrations>(thread_.loop(), *names_, warn, options_.intervals);
    } else {
      warn(std::get<std::string>(server) +
           "; ports are found by their addresses only. Give the address of a yarpserver, or use "
           "the built-in name server");
    }
  });
}

YarpNode::~YarpNode() {
  close();
  thread_.stop();
}

std::optional<net::Address> YarpNode::name_server() const {
  if (!names_) {
    return std::nullopt;
  }
  return own_server_ && options_.announced_ip
             ? net::Address{*options_.announced_ip, own_server_->address().port}
             : names_->server();
}

Port& YarpNode::open(PortOptions options, Port::Handler handler) {
  if (!options.announced_ip) {
    options.announced_ip = options_.announced_ip;
  }
  thread_.call([&] {
    ports_.emplace_back(thread_.loop(), std::move(options), names_.get(), std::move(handler),
                        [this](const std::string& message) { report(message); });
    if (registrations_) {
      registrations_->add(ports_.back().contact());
    }
  });
  return ports_.back();
}

// Runs in the loop's thread.
void YarpNode::report(const std::string& message) {
  const auto now = net::Clock::now();
  if (now - reported_since_ > std::chrono::seconds(1)) {
    reported_since_ = now;
    reported_ = 0;
  }
  if (++reported_ <= kMaxMessagesPerSecond) {
    queue_.push([this, message] { report_(message); });
  }
}

Port::Handler YarpNode::in_simulation(Work work) {
  return in_simulation_later(
      [work = std::move(work)](const PortRequest& request, const Respond& respond) {
        PortReply reply = work(request);
        respond(std::move(reply));
      });
}

Port::Handler YarpNode::in_simulation_later(LaterWork work) {
  const auto shared = std::make_shared<const LaterWork>(std::move(work));
  return [this, shared](PortRequest request, Respond respond) {
    std::function<void()> task = [shared, request = std::move(request),
                                  respond = std::move(respond)] {
      try {
        (*shared)(request, respond);
      } catch (const std::exception& error) {
        respond(Bottle{{Vocab("fail"), std::string(error.what())}});
      }
    };
    queue_.push([this, task = std::move(task)] {
      if (holds_ || !held_.empty()) {
        held_.push_back(task);
      } else {
        task();
      }
    });
  };
}

// A request that was held may hold those after it.
void YarpNode::serve() {
  while (!holds_ && !held_.empty()) {
    const std::function<void()> task = std::move(held_.front());
    held_.pop_front();
    task();
  }
  queue_.serve();
}

// Unregisters the ports, and notifies the receivers of their outputs.
void YarpNode::close() {
  const auto end = net::Clock::now() + kCloseTimeout;
  thread_.call([this] {
    std::for_each(ports_.begin(), ports_.end(), [](Port& port) { port.close_outputs(); });
    if (registrations_) {
      registrations_->unregister_all();
    }
  });
  wait_for(
      [&] {
        return (!registrations_ || registrations_->idle()) &&
               std::none_of(ports_.begin(), ports_.end(),
                            [](const Port& port) { return port.is_closing(); });
      },
      end);
}

void YarpNode::wait_for(const std::function<bool()>& idle, net::Clock::time_point end) {
  bool done = false;
  while (!done && net::Clock::now() < end) {
    thread_.call([&] { done = idle(); });
    if (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace servosim::yarp

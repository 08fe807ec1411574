// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/board_server.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "base/report_once.h"
#include "yarp/server/dispatcher.h"
#include "yarp/server/states.h"

namespace servosim::wire {

namespace {

constexpr std::chrono::seconds kQuiet{1};  // between two messages about clients

Notices notices_of(std::function<void(const std::string&)> say) {
  return say ? Notices([say = std::move(say)](std::string_view text) { say(std::string(text)); })
             : Notices();
}

}  // namespace

struct BoardServer::Impl {
  Impl(yarp::YarpNode& the_station, Simulation& the_simulation, Board& the_board, Options options)
      : node(the_station),
        simulation(the_simulation),
        board(the_board),
        generation(options.generation),
        name(std::move(options.name)),
        listen(options.listen),
        notices(notices_of(std::move(options.say))),
        dispatcher(simulation, board, generation) {}

  using Answer = Dispatcher::Outcome (Dispatcher::*)(const yarp::Bottle&);

  // Requests outlive the server in the node's queue.
  static yarp::Port::Handler handler(const std::shared_ptr<Impl>& self, const std::string& port,
                                     Answer answer) {
    const yarp::Bottle gone = self->generation == yarp::Generation::V4
                                  ? return_value("err6")
                                  : yarp::Bottle{{yarp::Vocab("fail")}};
    return self->node.in_simulation([weak = std::weak_ptr(self), port, answer,
                                     gone](const yarp::Request& request) -> yarp::PortReply {
      const auto impl = weak.lock();
      if (!impl) {
        return gone;
      }
      Dispatcher::Outcome outcome = (impl->dispatcher.*answer)(request.body);
      if (!outcome.trouble.empty()) {
        impl->say(fmt::format("{}, from {}: {}", impl->ports.at(port)->contact().name,
                              request.sender, outcome.trouble));
      }
      return std::move(outcome.reply);
    });
  }
  // At the given port of the machine or those after it, if one is given.
  yarp::Port& open(const std::string& port, const std::string& path, yarp::Port::Handler handler) {
    yarp::PortOptions options;
    options.name = name + path + port;
    options.listen = listen;
    if (listen.port != 0) {
      const std::size_t number = listen.port + ports.size();
      if (number > std::numeric_limits<std::uint16_t>::max()) {
        throw std::system_error(std::make_error_code(std::errc::address_not_available),
                                fmt::format("port {} for {}", number, options.name));
      }
      options.listen.port = static_cast<std::uint16_t>(number);
    }
    options.generation = generation;
    yarp::Port& opened = node.open(std::move(options), std::move(handler));
    ports.emplace(port, &opened);
    return opened;
  }
  void say(const std::string& text) {
    if (const auto line = trouble.say(text)) {
      notices.say(*line);
    }
  }

  yarp::YarpNode& node;
  Simulation& simulation;
  Board& board;
  yarp::Generation generation;
  std::string name;
  net::Address listen;
  Notices notices;
  Dispatcher dispatcher;
  std::map<std::string, yarp::Port*> ports;
  std::optional<States> states;
  RateLimiter trouble{kQuiet};
};

BoardServer::BoardServer(yarp::YarpNode& node, Simulation& simulation, yarp::ControlBoard& board,
                         Options options)
    : impl_(std::make_shared<Impl>(node, simulation, board, options)) {
  const auto open = [&](const char* port, Impl::Answer answer, const char* path = "/") {
    return std::ref(impl_->open(port, path, answer ? Impl::handler(impl_, port, answer) : nullptr));
  };
  open("rpc:i", &Dispatcher::request, options.generation == yarp::Generation::V4 ? "/nws/" : "/");
  open("command:i", &Dispatcher::streamed);
  yarp::Port& state = open("state:o", nullptr);
  yarp::Port& state_ext = open("stateExt:o", nullptr);
  impl_->states.emplace(node, state, state_ext, options.period, options.generation, board);
}

BoardServer::~BoardServer() = default;

void BoardServer::before_step() { impl_->board.before_step(); }
void BoardServer::after_step() { impl_->states->update(impl_->simulation.time()); }

yarp::Contact BoardServer::contact(const std::string& port) const {
  return impl_->ports.at(port)->contact();
}

}  // namespace servosim::wire

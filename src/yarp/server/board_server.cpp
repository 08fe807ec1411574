// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/board_server.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/queues.h"
#include "base/report_once.h"
#include "servosim/yarp/control_board.h"
#include "yarp/ports/node.h"
#include "yarp/protocol/message.h"
#include "yarp/protocol/streaming.h"
#include "yarp/server/dispatcher.h"
#include "yarp/server/output_schedule.h"

namespace servosim::yarp::server {

/// A state on its way from the simulation's thread to the node's.
struct StampedReadings {
  BoardReadings readings;
  Stamp stamp;
};

/// Publishes the states of a board on NAME/state:o and NAME/stateExt:o, one per period of simulated
/// time. If none is due for kRepeatInterval of real time, it publishes the last one again with the
/// same stamp. The simulation's thread calls all functions; the node's thread encodes and sends.
class StateOutput {
 public:
  /// Both ports belong to `node`.
  StateOutput(YarpNode& node, Port& state, Port& state_ext, double period, Generation generation,
              const ControlBoard& board);

  /// Publishes a state if one is due at this time [s].
  void update(double time);

 private:
  void send(const StampedReadings& state);

  Port& state_;
  Port& state_ext_;
  OutputSchedule schedule_;
  Generation generation_;
  const ControlBoard& board_;
  // Used by the node's thread.
  Writer writer_;
  std::vector<double> no_temperatures_;
  net::StatePublisher<StampedReadings> publisher_;
};

namespace {

// Clients treat a state as valid for 0.5 s, but a slow simulation may take longer to reach the next
// one.
constexpr std::chrono::milliseconds kRepeatInterval{200};

StampedReadings readings_of(const ControlBoard& board) {
  StampedReadings state;
  board.read(state.readings);
  return state;
}

JointStates views(const BoardReadings& readings, std::span<const double> no_temperatures) {
  JointStates states;
  states.positions = states.motor_positions = {readings.encoders, true};
  states.velocities = states.motor_velocities = {readings.encoder_speeds, true};
  states.accelerations = states.motor_accelerations = {readings.encoder_accelerations, true};
  states.torques = {readings.torques, true};
  states.duty_cycles = {readings.duty_cycles, true};
  states.currents = {readings.currents, true};
  states.control_modes = {readings.control_modes, true};
  states.interaction_modes = {readings.interaction_modes, true};
  states.temperatures = {no_temperatures, false};
  return states;
}

}  // namespace

StateOutput::StateOutput(YarpNode& node, Port& state, Port& state_ext, double period,
                         Generation generation, const ControlBoard& board)
    : state_(state),
      state_ext_(state_ext),
      schedule_(period),
      generation_(generation),
      board_(board),
      publisher_(
          node.thread(), readings_of(board),
          [this](const StampedReadings& stamped) { send(stamped); }, kRepeatInterval) {}

void StateOutput::update(double time) {
  if (schedule_.due(time)) {
    publisher_.put([this](StampedReadings& state) {
      board_.read(state.readings);
      state.stamp = schedule_.stamp();
    });
  }
}

// Runs in the node's thread.
void StateOutput::send(const StampedReadings& state) {
  const auto& [readings, stamp] = state;
  if (state_.output_count() > 0) {
    writer_.clear();
    encode_vector(writer_, std::span<const double>(readings.encoders), generation_);
    state_.publish(writer_.bytes(), stamp);
  }
  if (state_ext_.output_count() > 0) {
    writer_.clear();
    no_temperatures_.resize(readings.encoders.size());
    encode_joint_states(writer_, views(readings, no_temperatures_), generation_);
    state_ext_.publish(writer_.bytes(), stamp);
  }
}

namespace {

constexpr std::chrono::seconds kWarningInterval{1};  // between two messages about clients

Notices notices_of(std::function<void(const std::string&)> report) {
  return report ? Notices([report = std::move(report)](std::string_view text) {
    report(std::string(text));
  })
                : Notices();
}

}  // namespace

struct BoardServer::Impl {
  Impl(YarpNode& the_node, const Timeline& the_timeline, Board& the_board, Options options)
      : node(the_node),
        timeline(the_timeline),
        board(the_board),
        generation(options.generation),
        name(std::move(options.name)),
        listen(options.listen),
        notices(notices_of(std::move(options.report))),
        dispatcher(timeline, board, generation) {}

  using Handle = Dispatcher::Outcome (Dispatcher::*)(const Bottle&);

  // Requests may still be in the node's queue when the server is destroyed. The reply to them is
  // `gone`.
  static Port::Handler handler(const std::shared_ptr<Impl>& self, const std::string& port,
                               Handle handle) {
    const Bottle gone =
        self->generation == Generation::V4 ? return_value("err6") : Bottle{{Vocab("fail")}};
    return self->node.in_simulation(
        [weak = std::weak_ptr(self), port, handle, gone](const PortRequest& request) -> PortReply {
          const auto impl = weak.lock();
          if (!impl) {
            return gone;
          }
          Dispatcher::Outcome outcome = (impl->dispatcher.*handle)(request.body);
          if (!outcome.warning.empty()) {
            impl->report(outcome.kind,
                         fmt::format("{}, from {}: {}", impl->ports.at(port)->contact().name,
                                     request.sender, outcome.warning));
          }
          return std::move(outcome.reply);
        });
  }
  // If a port number is given, the ports count upwards from it.
  Port& open(const std::string& port, const std::string& path, Port::Handler handler) {
    PortOptions options;
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
    Port& opened = node.open(std::move(options), std::move(handler));
    ports.emplace(port, &opened);
    return opened;
  }
  void report(std::string_view kind, const std::string& text) {
    RateLimiter& limiter = warnings.try_emplace(kind, kWarningInterval).first->second;
    if (const auto line = limiter.admit(text)) {
      notices.report(*line);
    }
  }

  YarpNode& node;
  const Timeline& timeline;
  Board& board;
  Generation generation;
  std::string name;
  net::Address listen;
  Notices notices;
  Dispatcher dispatcher;
  std::map<std::string, Port*> ports;
  std::optional<StateOutput> states;
  std::map<std::string_view, RateLimiter> warnings;  // the key is the kind of request
};

BoardServer::BoardServer(YarpNode& node, const Timeline& timeline, ControlBoard& board,
                         Options options)
    : impl_(std::make_shared<Impl>(node, timeline, board, options)) {
  const auto open = [&](const char* port, Impl::Handle handle, const char* path = "/") {
    return std::ref(impl_->open(port, path, handle ? Impl::handler(impl_, port, handle) : nullptr));
  };
  open("rpc:i", &Dispatcher::request, options.generation == Generation::V4 ? "/nws/" : "/");
  open("command:i", &Dispatcher::streamed);
  Port& state = open("state:o", nullptr);
  Port& state_ext = open("stateExt:o", nullptr);
  impl_->states.emplace(node, state, state_ext, options.period, options.generation, board);
}

BoardServer::~BoardServer() = default;

void BoardServer::before_step() { impl_->board.before_step(); }
void BoardServer::after_step() { impl_->states->update(impl_->timeline.now()); }

Contact BoardServer::contact(const std::string& port) const {
  return impl_->ports.at(port)->contact();
}

}  // namespace servosim::yarp::server

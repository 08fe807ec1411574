// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/clock_server.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/report_once.h"
#include "yarp/protocol/streaming.h"
#include "yarp/server/step_requests.h"
#include "yarp/server/thrift_service.h"

namespace servosim::yarp::server {

namespace {

constexpr std::chrono::seconds kClockWarningInterval{1};
constexpr double kAsFastAsPossible = std::numeric_limits<double>::infinity();

/// Seconds and nanoseconds, as the clock gives a time.
using ClockTime = std::array<std::int32_t, 2>;

ClockTime clock_time(double time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  const std::int64_t nanoseconds = std::llround(time * 1e9);
  return {static_cast<std::int32_t>(nanoseconds / kPerSecond),
          static_cast<std::int32_t>(nanoseconds % kPerSecond)};
}

}  // namespace

struct ClockServer::Impl {
  enum class ResetKind : std::uint8_t {
    State,  ///< time goes on
    All,
  };

  struct Reset {
    ResetKind kind = ResetKind::All;
    Respond respond;
  };

  Impl(YarpNode& the_node, const Simulation& the_simulation, Timeline& the_timeline,
       Options options);

  // Requests may still be in the node's queue when the server is destroyed.
  static Port::Handler handler(const std::shared_ptr<Impl>& self);
  void open(const std::shared_ptr<Impl>& self, const Options& options);
  void publish();
  void end_reset(const Bottle& reply);

  YarpNode& node;
  const Simulation& simulation;
  Timeline& timeline;
  ThriftService service;
  std::function<void(const std::string&)> report;
  RateLimiter warnings{kClockWarningInterval};
  std::string name;
  Port* clock = nullptr;
  Port* rpc = nullptr;
  Writer writer;  // used in the node's thread
  std::optional<net::StatePublisher<ClockTime>> publisher;

  double speed = kAsFastAsPossible;  // that others have set; requested steps are faster
  RunChanges changes;
  StepRequests steps;
  std::optional<Reset> due;  // requested, and not done yet; meanwhile the node holds requests
  bool was_reset = false;    // a reset took the place of the last step
  double before = 0.0;       // time before the last step [s]

 private:
  std::vector<ThriftService::Method> methods();
  ThriftService::Method oneway(const char* name, const char* about, void (Impl::*act)());
  ThriftService::Method resetting(const char* name, const char* about, ResetKind kind);
  ThriftService::Method stepping(const char* name, const char* about, bool waits);
  ThriftService::Method query(const char* name, const char* about, std::function<double()> number);
  void go_on();
  void pause() { steps.pause(); }
  void reset_time();
};

ClockServer::Impl::Impl(YarpNode& the_node, const Simulation& the_simulation,
                        Timeline& the_timeline, Options options)
    : node(the_node),
      simulation(the_simulation),
      timeline(the_timeline),
      service(methods()),
      report(std::move(options.report)),
      name(std::move(options.name)) {}

ThriftService::Method ClockServer::Impl::oneway(const char* method, const char* about,
                                                void (Impl::*act)()) {
  return {method, fmt::format("oneway void {}()", method), about,
          [this, act](ThriftArguments arguments, const Respond& respond) {
            if (!arguments.empty()) {
              return false;
            }
            (this->*act)();
            respond(ThriftService::done());
            return true;
          }};
}

// The reset is done after the next step. What clients request in between would be lost.
ThriftService::Method ClockServer::Impl::resetting(const char* method, const char* about,
                                                   ResetKind kind) {
  return {method, fmt::format("oneway void {}()", method), about,
          [this, kind](ThriftArguments arguments, const Respond& respond) {
            if (!arguments.empty()) {
              return false;
            }
            steps.drop();
            due = Reset{kind, respond};
            changes.reset = true;
            node.hold();
            return true;
          }};
}

void ClockServer::Impl::end_reset(const Bottle& reply) {
  if (const std::optional<Reset> done = std::exchange(due, std::nullopt)) {
    done->respond(reply);
    node.release();
  }
}

ThriftService::Method ClockServer::Impl::stepping(const char* method, const char* about,
                                                  bool waits) {
  return {method, fmt::format("{}void {}(i32 numberOfSteps = 1)", waits ? "" : "oneway ", method),
          about, [this, waits](ThriftArguments arguments, const Respond& respond) {
            const std::optional<std::int32_t> count =
                arguments.empty() ? 1 : as_int(arguments.front());
            if (arguments.size() > 1 || !count || *count < 0) {
              return false;
            }
            steps.allow(*count);
            changes.speed = kAsFastAsPossible;  // since a client waits for them
            if (waits) {
              steps.reply_afterwards([respond](bool taken) {
                respond(taken ? ThriftService::nothing() : Bottle{{Vocab("fail")}});
              });
            } else {
              respond(ThriftService::done());
            }
            return true;
          }};
}

ThriftService::Method ClockServer::Impl::query(const char* method, const char* about,
                                               std::function<double()> number) {
  return {method, fmt::format("double {}()", method), about,
          [number = std::move(number)](ThriftArguments arguments, const Respond& respond) {
            if (!arguments.empty()) {
              return false;
            }
            respond(ThriftService::value(number()));
            return true;
          }};
}

std::vector<ThriftService::Method> ClockServer::Impl::methods() {
  return {
      oneway("pauseSimulation", "The run takes no more steps.", &Impl::pause),
      oneway("continueSimulation", "The run takes steps again.", &Impl::go_on),
      stepping("stepSimulation", "Pauses the run, which then takes this number of steps.", false),
      stepping("stepSimulationAndWait",
               "Pauses the run, and replies when it has taken this number of steps.", true),
      oneway("resetSimulationTime", "The time becomes 0; nothing moves.", &Impl::reset_time),
      query("getSimulationTime", "The time [s].", [this] { return timeline.now(); }),
      query("getStepSize", "The length of a step [s].",
            [this] { return simulation.basic_time_step_ms() / 1000.0; }),
      resetting("resetSimulation", "All returns to the start, and the time becomes 0.",
                ResetKind::All),
      resetting("resetSimulationState", "All returns to the start; the time goes on.",
                ResetKind::State),
  };
}

Port::Handler ClockServer::Impl::handler(const std::shared_ptr<Impl>& self) {
  return self->node.in_simulation_later(
      [weak = std::weak_ptr(self)](const PortRequest& request, const Respond& respond) {
        const auto impl = weak.lock();
        if (!impl) {
          return respond(Bottle{{Vocab("fail")}});
        }
        if (impl->service.request(request.body, respond) || !impl->report) {
          return;
        }
        const auto line = impl->warnings.admit(fmt::format(
            "{}/rpc, from {}: {} is no request of this clock, or has wrong arguments; \"help\" "
            "lists its requests",
            impl->name, request.sender, quote(request.body)));
        if (line) {
          impl->report(*line);
        }
      });
}

void ClockServer::Impl::open(const std::shared_ptr<Impl>& self, const Options& options) {
  PortOptions of_clock{.name = name, .listen = options.listen};
  of_clock.generation = options.generation;
  of_clock.latched = true;
  PortOptions of_rpc{.name = name + "/rpc", .listen = options.listen};
  of_rpc.generation = options.generation;
  if (of_rpc.listen.port != 0) {
    ++of_rpc.listen.port;
  }
  clock = &node.open(std::move(of_clock), nullptr);
  rpc = &node.open(std::move(of_rpc), handler(self));
  publisher.emplace(
      node.thread(), ClockTime{},
      [this](const ClockTime& time) {
        writer.clear();
        encode_vector(writer, time);
        clock->publish(writer.bytes());
      },
      std::chrono::milliseconds(0), net::Delivery::AtOnce);
  publish();
}

void ClockServer::Impl::publish() {
  publisher->put([this](ClockTime& time) { time = clock_time(timeline.now()); });
}

// This also sets the speed if it is unchanged, since the clock may have been stopped.
void ClockServer::Impl::go_on() {
  steps.go_on();
  changes.speed = speed;
}

void ClockServer::Impl::reset_time() {
  timeline.set(0.0);
  publish();
}

ClockServer::ClockServer(YarpNode& node, const Simulation& simulation, Timeline& timeline,
                         Options options)
    : impl_(std::make_shared<Impl>(node, simulation, timeline, options)) {
  impl_->open(impl_, options);
}

ClockServer::~ClockServer() {
  impl_->steps.drop();
  impl_->end_reset(Bottle{{Vocab("fail")}});
}

void ClockServer::begin(std::optional<double> realtime_factor) {
  impl_->speed = realtime_factor.value_or(kAsFastAsPossible);
}

void ClockServer::speed_changed(double speed) { impl_->speed = speed; }

bool ClockServer::ready() const { return impl_->steps.ready() || impl_->due; }

RunChanges ClockServer::take_changes() { return std::exchange(impl_->changes, {}); }

void ClockServer::before_step() { impl_->before = impl_->timeline.now(); }

// The simulation counts the reset as a step.
void ClockServer::after_reset() {
  if (!impl_->due) {  // a Supervisor has requested it
    impl_->timeline.follow();
  } else {
    impl_->timeline.set(impl_->due->kind == Impl::ResetKind::State ? impl_->before : 0.0);
  }
  impl_->was_reset = true;
}

// Replies follow the time on its way to the node's thread, so that a client has the time first.
void ClockServer::after_step() {
  impl_->publish();
  if (std::exchange(impl_->was_reset, false)) {
    impl_->end_reset(ThriftService::done());
  } else {
    impl_->steps.count_step();
  }
}

Contact ClockServer::clock() const { return impl_->clock->contact(); }
Contact ClockServer::rpc() const { return impl_->rpc->contact(); }

}  // namespace servosim::yarp::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/controller.h"
#include "run/extern_listener.h"
#include "run/launch_plan.h"
#include "run/output_pump.h"
#include "run/real_time_pacer.h"
#include "run/run_extension.h"
#include "run/signals.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_writer.h"

struct pollfd;

namespace servosim {

/// Cores this process may use.
std::size_t usable_cores();

struct HostOptions {
  /// Basic steps to simulate. Without it: with front ends until a signal; else until all
  /// controllers have ended or, when there are none, ten simulated seconds.
  std::optional<std::int64_t> steps;
  std::vector<ControllerOverride> controllers;
  /// Wall-clock seconds after which a controller that is waited for is removed; never without.
  std::optional<double> controller_timeout;
  /// Wall-clock seconds that controllers have to end when the simulation is over; >= 0. Then they
  /// get SIGTERM, and half a second later SIGKILL.
  double end_timeout = 1.0;
  /// The run ends when a controller fails; without it only when a supervisor fails before it has
  /// asked for a step.
  bool stop_on_failure = false;
  ExternOptions extern_controllers;
  /// Simulated seconds per second; finite, > 0. Without it as fast as possible.
  std::optional<double> realtime_factor;
  /// For how long supervisors let the others go first when those say nothing.
  std::chrono::milliseconds patience_with_others{10000};
  /// Cores that are this run's alone; 0: those the process may use.
  std::size_t cores = 0;
  std::string trace_path;  ///< .csv or .jsonl file, or empty
  TraceOptions trace;
  std::function<void()> on_start;  ///< called when all controllers are started
  std::function<void()> on_step;   ///< called after every basic step
  /// Loads another world when a supervisor asks for it; without it that is refused.
  std::function<Simulation(const std::string& path)> load_world;
  std::function<void()> on_load;  ///< called when another world has taken the simulation's place
};

/// Runs a simulation together with the controllers of its robots, each a process of its own.
///
/// Time advances when every synchronous controller that runs has asked for a step. A controller
/// that ends is done without; one that fails too, but then the run has failed.
class Host {
 public:
  /// `simulation` and `console` must outlive the host.
  Host(Simulation& simulation, HostOptions options, Console& console);
  ~Host();

  /// Somebody outside takes part, who outlives run().
  void add(RunExtension& extension) { extensions_.push_back(&extension); }
  /// To be done before the next step, as if a supervisor had asked for it.
  void order(const SupervisorOrders& orders) { orders_ = orders; }
  /// Runs to the end and returns the exit code of the program: 0; 1 when a controller failed, the
  /// simulation diverged or the trace could not be written; what a supervisor said when it quit;
  /// 128 + signal number after SIGINT or SIGTERM.
  /// @throws InputError, or std::system_error when the system has no pipe or process left, before
  /// anything was simulated; no controller is left running then.
  int run();

  /// Basic steps this run takes at most, if that is known (once run() has begun).
  std::optional<std::int64_t> planned_steps() const { return steps_; }
  /// Basic steps that this run has taken, and the simulated time of all of them [s], whatever took
  /// time back in between.
  std::int64_t steps_taken() const { return taken_; }
  double seconds_simulated() const { return seconds_before_ + simulation_.time(); }
  /// How much later than planned the present state is; nothing when time is not held to the clock.
  std::optional<double> seconds_late() const;
  /// After run(): that and how far it could not keep up with the clock, if so.
  const std::optional<std::string>& pace_verdict() const { return pace_verdict_; }
  /// What a supervisor quit with; 0 if none did.
  int quit_status() const;

 private:
  using Clock = HostedController::Clock;
  /// A robot that got its controller, or is left without, and what said which.
  struct ControllerBinding {
    const Robot* robot;
    std::string controller;
    std::vector<std::string> arguments;
    friend bool operator==(const ControllerBinding&, const ControllerBinding&) = default;
  };

  void start_controllers();
  void warn_of_rivals(const std::vector<PlannedController>& plans) const;
  void open_door(std::vector<PlannedController>& plans);
  void name_folder(const std::string& path, std::vector<PlannedController>& plans) const;
  void serve_door();
  void plan_end(bool anyone);
  const ControllerOverride* option_for(const Robot& robot);
  std::vector<PlannedController> plan(const std::vector<int>& robots);
  void start(std::vector<PlannedController> plans);
  bool can_do_without(const std::runtime_error& error);
  void simulate();
  bool obey();
  bool take_orders(SupervisorOrders& orders);
  bool attend_to_tree(SupervisorOrders& orders);
  ControllerBinding acquaintance(const Robot& robot);
  void restart_controllers(const std::vector<Robot*>& robots);
  std::vector<int> all_robots() const;
  bool load_world(const std::string& path);
  void reset();
  void begin_episode(double seconds);
  void dismiss(const std::vector<HostedController*>& controllers);
  std::vector<HostedController*> everyone() const;
  bool over();
  bool ends_by_failure();
  bool may_end_by(const HostedController& controller) const;
  bool anyone_may_fail() const;
  bool wait_for_requests();
  bool everyone_ready() const;
  bool anyone_awaited() const;
  bool receive_all();
  bool comes_later(const HostedController& controller) const;
  bool is_patient() const;
  bool wait_for_pace(Clock::time_point now);
  void block(Clock::duration at_most);
  void look_after(Clock::time_point now);
  void step();
  void wait_for_leavers();
  void end_controllers();
  void end_these(const std::vector<HostedController*>& controllers);
  bool wait_until_ended(const std::vector<HostedController*>& controllers, Clock::duration at_most);
  void stop_remaining(const std::vector<HostedController*>& controllers, int signal_number);
  void judge_pace();
  void close_trace();
  int exit_code() const;

  Simulation& simulation_;
  HostOptions options_;
  Console& console_;
  std::optional<std::int64_t> steps_;
  SignalWatch signals_;  // from the beginning: front ends are told to go, too
  std::vector<RunExtension*> extensions_;
  std::unique_ptr<Trace> trace_;
  std::optional<RealTimePacer> pace_;
  std::optional<Clock::time_point> last_step_;  // its end, where time is held to the clock
  std::optional<std::string> pace_verdict_;
  std::unique_ptr<OutputPump> pump_;
  std::vector<std::unique_ptr<HostedController>> controllers_;
  std::optional<SupervisorOrders> orders_;
  std::vector<ControllerBinding> met_;
  std::map<const Robot*, const ControllerOverride*> options_of_;  // also of robots that are gone
  std::uint64_t tree_version_ = 0;
  std::int64_t taken_ = 0;                // steps of this run
  double seconds_before_ = 0.0;           // of the episodes before this one
  std::optional<ExternListener> door_;    // where there are extern controllers
  std::optional<InstanceFolder> folder_;  // where there are none
  std::vector<pollfd> queries_;
  Clock::time_point next_look_;
  Clock::time_point last_heard_;  // in its turn, where there are supervisors
  bool has_supervisor_ = false;
  bool spin_ = false;
  bool under_way_ = false;  // the first controllers are there
  bool failed_ = false;
  bool stopped_ = false;    // by a failure, which has been reported
  bool reset_due_ = false;  // after the next step
  bool traced_ = false;     // this step has its row
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "run/controller.h"
#include "run/extern_listener.h"
#include "run/launch_plan.h"
#include "run/output_pump.h"
#include "servosim/simulation.h"
#include "sim/simulation_core.h"

namespace servosim {

/// Cores this process may use.
std::size_t usable_cores();

struct ControllerOptions {
  std::vector<ControllerOverride> overrides;
  /// Wall-clock seconds after which a controller that delays the run is removed; without: never.
  std::optional<double> timeout;
  /// Wall-clock seconds after which the run goes on without an extern controller that has not
  /// connected; never without.
  std::optional<double> extern_timeout;
  /// Wall-clock seconds that controllers have to end when the simulation is over; >= 0. Then they
  /// get SIGTERM, and half a second later SIGKILL.
  double end_timeout = 1.0;
  ExternOptions extern_controllers;
  /// What controllers write to standard output goes to standard error.
  bool output_to_stderr = false;
  /// Cores that are this run's alone; 0: those the process may use.
  std::size_t cores = 0;
};

/// How a controller ended.
struct ControllerEnd {
  std::string robot;
  std::string how;  ///< `exited with status 1`
  bool failed = false;
  std::optional<MissingPart> missing;  ///< the robot had none after all
};

/// The controllers of a run: their assignment to robots, their processes, and the end of these.
///
/// Invariants:
/// * Controllers stand in the order of their robots, whenever they were started; a robot has one at
///   most.
/// * After start(), each robot of the present tree has a ControllerBinding.
/// * A controller is destroyed only after its process has ended.
class ControllerSet {
 public:
  using Clock = Controller::Clock;

  /// All must outlive the set.
  ControllerSet(Simulation& simulation, const ControllerOptions& options, Console& console);

  // ---- starting
  /// Plans the controllers of all robots, or of some: finds and builds programs.
  /// @throws InputError, unless a controller has been started before: then the run continues
  /// without
  std::vector<PlannedController> plan_all();
  std::vector<PlannedController> plan(const std::vector<int>& robots);
  /// Starts them. @throws as plan(), and std::system_error when the system has no pipe left
  void start(std::vector<PlannedController> plans);
  /// The tree of the simulation has changed since start().
  bool tree_changed() const { return tree_version_ != core_of(simulation_).tree_version(); }
  /// Stops the controllers of robots that are gone and starts those of new robots. Robots that are
  /// to have another controller are added to `restart`. True if there were any of the three.
  bool follow_tree(std::vector<Robot*>& restart);
  /// Stops the controllers of these robots and starts them again.
  void restart(const std::vector<Robot*>& robots);

  // ---- during the run
  const std::vector<std::unique_ptr<Controller>>& all() const { return controllers_; }
  bool empty() const { return controllers_.empty(); }
  bool has_supervisor() const { return has_supervisor_; }
  /// Each process has a core of its own, so that a waiting process may spin.
  bool may_spin() const { return may_spin_; }
  /// Reports processes that have ended, warns of controllers that are waited for, removes those
  /// that take too long, and accepts extern ones.
  void watch(Clock::time_point now);
  /// Whether an extern controller, or one in place of a hosted program, is expected to connect.
  bool awaits_connection() const;
  /// Accepts extern controllers for robots without one.
  void accept_extern();
  /// Descriptors that are readable when accept_extern() has work.
  void add_extern_queries(std::vector<pollfd>& queries) const;

  // ---- ending
  /// Stops all controllers of a world that another one replaces, and removes its robots.
  void stop_all();
  /// Waits until the processes have ended that disconnected from the simulation before its end.
  void wait_for_remaining_processes();
  /// Ends all: notifies them, waits, sends signals. Forwards their output.
  void end();
  /// One has failed, or could not be started.
  bool failed() const;
  /// The same, but for those that are there now.
  bool failed_before() const { return failed_before_; }
  /// One could not be found, built or started during the run, so that ends() lacks it.
  bool lacks_any() const { return lacks_any_; }
  /// The status that a supervisor quit with; 0 if none did.
  int quit_status() const;
  bool supervisor_has_quit() const;
  /// How all ended that have been started, also those that were stopped before the end.
  std::vector<ControllerEnd> ends() const;
  /// The controllers that robots should have had, and did not.
  std::vector<MissingPart> missing() const;

 private:
  /// The controller of a robot, or that it has none, and the reason.
  struct ControllerBinding {
    const Robot* robot;
    std::string controller;
    friend bool operator==(const ControllerBinding&, const ControllerBinding&) = default;
  };
  /// Controllers of a robot, each of which was stopped before its first step.
  struct Restarts {
    Clock::time_point since;
    int count = 0;
  };
  using Controllers = std::vector<Controller*>;

  int output() const { return options_.output_to_stderr ? STDERR_FILENO : STDOUT_FILENO; }
  const ControllerOverride* override_for(const Robot& robot);
  ControllerBinding binding_of(const Robot& robot);
  bool continues_without(const std::runtime_error& error);
  bool restarts_for_too_long(const PlannedController& plan);
  void start_one(const PlannedController& plan, const std::string& prefix);
  void open_listener(std::vector<PlannedController>& plans);
  void announce_extern(const PlannedController& plan);
  void stop(const Controllers& controllers);
  void end(const Controllers& controllers);
  bool wait_until_ended(const Controllers& controllers, Clock::duration at_most);
  void signal_remaining(const Controllers& controllers, int signal_number);
  Controllers pointers() const;
  ControllerEnd end_of(const Controller& controller) const;

  Simulation& simulation_;
  const ControllerOptions& options_;
  Console& console_;
  std::optional<OutputPump> pump_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<ControllerBinding> bindings_;
  std::map<const Robot*, const ControllerOverride*> overrides_;  // also of robots that are gone
  std::optional<ExternListener> listener_;                       // where there are extern ones
  std::optional<InstanceFolder> folder_;                         // where there are none
  std::uint64_t tree_version_ = 0;
  bool has_supervisor_ = false;
  bool may_spin_ = false;
  bool under_way_ = false;  // the first controllers are started
  bool failed_before_ = false;
  bool lacks_any_ = false;
  std::map<std::string, Restarts> restarts_;  // by robot
  std::vector<MissingPart> missing_;          // when they were planned
  std::vector<ControllerEnd> ends_before_;    // of controllers that are gone
};

}  // namespace servosim

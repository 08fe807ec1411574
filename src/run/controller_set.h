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

#include "run/extern_listener.h"
#include "run/launch_plan.h"
#include "run/output_pump.h"
#include "run/run_controller.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"

namespace servosim {

/// Returns the number of cores that this process may use.
std::size_t usable_cores();

struct ControllerOptions {
  std::vector<ControllerOverride> overrides;
  /// Wall-clock seconds after which a controller that delays the run is removed. Nothing means
  /// never.
  std::optional<double> timeout;
  /// Wall-clock seconds after which the run continues without an extern controller that has not
  /// connected. Nothing means never.
  std::optional<double> extern_timeout;
  /// Wall-clock seconds that controllers have to end after the simulation is over; >= 0. Then they
  /// get SIGTERM, and half a second later SIGKILL.
  double end_timeout = 1.0;
  ExternOptions extern_controllers;
  /// Redirects what controllers write to standard output to standard error.
  bool output_to_stderr = false;
  /// Number of cores that only this run uses; 0 means those that the process may use.
  std::size_t cores = 0;
};

/// The controllers of a run: their assignment to robots, their processes, and how these end.
///
/// Invariants:
/// * Controllers are in the order of their robots, whenever they were started; a robot has at most
///   one.
/// * After start(), each robot of the present tree has a ControllerBinding.
/// * A controller is destroyed only after its process has ended.
class ControllerSet {
 public:
  using Clock = RunController::Clock;

  /// All arguments must outlive the set.
  ControllerSet(Simulation& simulation, const ControllerOptions& options, Console& console);

  // ---- starting
  /// Plan the controllers of all robots, or of some: find and build programs.
  /// @throws InputError, unless a controller has been started before: then the run continues
  /// without
  std::vector<PlannedController> plan_all();
  std::vector<PlannedController> plan(const std::vector<int>& robots);
  /// Starts the planned controllers. @throws as plan(), and std::system_error if the system has no
  /// pipe left
  void start(std::vector<PlannedController> plans);
  /// Returns whether the tree of the simulation has changed since start().
  bool tree_changed() const { return tree_version_ != WorldInspector(simulation_).tree_version(); }
  /// Stops the controllers of robots that no longer exist and starts those of new robots. Adds
  /// robots that need another controller to `restart`. Returns true if there were any of the three.
  bool follow_tree(std::vector<Robot*>& restart);
  /// Stops the controllers of these robots and starts them again.
  void restart(const std::vector<Robot*>& robots);

  // ---- during the run
  const std::vector<std::unique_ptr<RunController>>& all() const { return controllers_; }
  bool empty() const { return controllers_.empty(); }
  bool has_supervisor() const { return has_supervisor_; }
  /// Returns whether each process has its own core, so that a waiting process may spin.
  bool may_spin() const { return may_spin_; }
  /// Reports processes that have ended, warns of controllers that the run waits for, removes those
  /// that take too long, and accepts extern controllers.
  void watch(Clock::time_point now);
  /// Returns whether an extern controller, or one that replaces a hosted program, is expected to
  /// connect.
  bool awaits_connection() const;
  /// Accepts extern controllers for robots without one.
  void accept_extern();
  /// Adds descriptors that are readable when accept_extern() has work.
  void add_extern_queries(std::vector<pollfd>& queries) const;

  // ---- ending
  /// Stops all controllers of a world that another one replaces, and forgets its robots.
  void stop_all();
  /// Waits until the processes that disconnected before the end of the simulation have ended.
  void wait_for_remaining_processes();
  /// Ends all controllers: notifies them, waits, and sends signals. Forwards their output.
  void end();
  /// Returns whether a controller has failed or could not be started.
  bool failed() const;
  /// Returns the same without the controllers that exist now.
  bool failed_before() const { return failed_before_; }
  /// Returns whether a controller could not be found, built or started during the run, so that
  /// ends() lacks it.
  bool lacks_any() const { return lacks_any_; }
  /// Returns the status with which a supervisor has quit; 0 if none has.
  int quit_status() const;
  bool supervisor_has_quit() const;
  /// Returns how all controllers ended, including those that were stopped before the end.
  std::vector<ControllerEnd> ends() const;
  /// Returns the controllers that robots should have had but did not have.
  std::vector<MissingPart> missing() const;

 private:
  /// Which controller a robot has, or that it has none, and the reason.
  struct ControllerBinding {
    const Robot* robot;
    std::string controller;
    friend bool operator==(const ControllerBinding&, const ControllerBinding&) = default;
  };
  /// Counts controllers of a robot that were stopped before their first step.
  struct Restarts {
    Clock::time_point since;
    int count = 0;
  };
  using Controllers = std::vector<RunController*>;

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

  Simulation& simulation_;
  const ControllerOptions& options_;
  Console& console_;
  std::optional<OutputPump> pump_;
  std::vector<std::unique_ptr<RunController>> controllers_;
  std::vector<ControllerBinding> bindings_;
  // Includes robots that no longer exist.
  std::map<const Robot*, const ControllerOverride*> overrides_;
  std::optional<ExternListener> listener_;  // exists if there are extern controllers
  std::optional<InstanceFolder> folder_;    // exists if there are no extern controllers
  std::uint64_t tree_version_ = 0;
  bool has_supervisor_ = false;
  bool may_spin_ = false;
  bool under_way_ = false;  // whether the first controllers are started
  bool failed_before_ = false;
  bool lacks_any_ = false;
  std::map<std::string, Restarts> restarts_;  // the key is the name of the robot
  std::vector<MissingPart> missing_;          // found by planning
  std::vector<ControllerEnd> ends_before_;    // ends of controllers that no longer exist
};

}  // namespace servosim

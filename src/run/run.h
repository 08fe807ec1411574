// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/controller_set.h"
#include "run/lock_step.h"
#include "run/real_time_pacer.h"
#include "run/run_extension.h"
#include "run/signals.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_writer.h"

namespace servosim {

struct RunOptions {
  /// Basic steps to simulate. By default a run with extensions lasts until a signal. Other runs
  /// last until all controllers have ended or, if there are none, for ten simulated seconds.
  std::optional<std::int64_t> steps;
  /// Without `steps` only a signal or a supervisor's quit ends the run, as in Webots.
  bool endless = false;
  bool paused = false;  ///< controllers are started, but no step is taken
  ControllerOptions controllers;
  /// The run ends when a controller fails. If false, it ends only when a supervisor fails before it
  /// has requested a step.
  bool stop_on_failure = false;
  /// Simulated seconds per second; finite, > 0. Nothing means as fast as possible.
  std::optional<double> realtime_factor;
  /// See LockStep.
  std::chrono::milliseconds others_idle_limit{10000};
  std::string trace_path;  ///< path of a .csv or .jsonl file; may be empty
  TraceOptions trace;
  std::function<void()> on_start;  ///< called when all controllers are started
  std::function<void()> on_step;   ///< called after every basic step
  /// Loads another world when a supervisor requests it. If it is empty, such requests are refused.
  std::function<Simulation(const std::string& path)> load_world;
  std::function<void()> on_load;  ///< called when another world has taken the simulation's place
};

/// Runs a simulation with the controllers of its robots, each in its own process, to the end: the
/// loop, the trace, requests of supervisors, and the exit code.
///
/// Time advances when every synchronous controller that runs has requested a step. The run
/// continues without a controller that has ended. It also continues without one that has failed,
/// but then the run fails.
///
/// Invariants:
/// * The trace has one row for each step, and one for the start of the world after a reset.
/// * steps_taken() and seconds_simulated() never decrease, not even by a reset.
class Run {
 public:
  /// `simulation` and `console` must outlive the run.
  Run(Simulation& simulation, RunOptions options, Console& console);

  /// Adds an extension, which takes part in the run and must outlive execute().
  void add(RunExtension& extension) { extensions_.push_back(&extension); }
  /// Sets requests to apply before the next step, as if a supervisor had sent them.
  void request(const RunRequests& requests) { requests_ = requests; }
  /// Runs to the end and returns the exit code of the program: 0; 1 if a controller failed, the
  /// simulation diverged or the trace could not be written; the status with which a supervisor has
  /// quit; 128 + signal number after SIGINT or SIGTERM.
  /// @throws InputError, or std::system_error if the system has no pipe or process left, before
  /// anything was simulated; no controller is left running then
  int execute();

  /// Returns the most basic steps that this run takes, if that is known (once execute() has begun).
  std::optional<std::int64_t> planned_steps() const { return steps_; }
  /// Return the basic steps that this run has taken, and the simulated time of all of them [s].
  std::int64_t steps_taken() const { return taken_; }
  double seconds_simulated() const { return seconds_before_ + simulation_.time(); }
  /// Returns the delay of the present state; nothing if time is not synchronized with the clock.
  std::optional<double> seconds_late() const;
  /// Returns, after execute(), whether and how far it could not keep up with the clock.
  const std::optional<std::string>& late_report() const { return late_report_; }
  /// Return, after execute(), how each controller ended, and which controllers were missing.
  std::vector<ControllerEnd> controller_ends() const { return controllers_.ends(); }
  std::vector<MissingPart> missing() const { return controllers_.missing(); }
  /// Returns, after execute(), whether it failed for a reason that controller_ends() does not tell:
  /// it diverged, the trace or another world was lost, or a controller could not be started.
  bool failed() const { return failed_ || controllers_.lacks_any(); }
  /// Returns whether it ended early because a controller failed: see RunOptions::stop_on_failure.
  bool ended_by_failure() const { return ended_by_failure_; }
  /// Returns the status with which a supervisor has quit; 0 if none has.
  int quit_status() const { return controllers_.quit_status(); }

 private:
  using Clock = RunController::Clock;

  void start();
  void open_trace();
  void limit_without_controllers(bool any_controller);
  void warn_of_conflicts(const std::vector<PlannedController>& plans) const;
  void simulate();
  bool wait_for_step();
  void apply(const RunChanges& changes, const RunExtension& of);
  void begin_pace(Clock::time_point now);
  bool wait_for_pace(Clock::time_point now);
  void watch_controllers(Clock::time_point now);
  void step();
  bool over();
  bool ends_by_failure();
  bool may_end_by(const RunController& controller) const;
  bool any_exit_pending() const;

  bool apply_round();
  bool apply_requests();
  bool collect_requests(RunRequests& requests);
  bool load_world(const std::string& path);
  void reset();
  void begin_episode(double seconds);

  void report_pace();
  void close_trace();
  int exit_code() const;

  Simulation& simulation_;
  const RunOptions options_;
  Console& console_;
  std::optional<std::int64_t> steps_;
  // Exists from the beginning, since signals also end the start of extensions.
  SignalWatch signals_;
  std::vector<RunExtension*> extensions_;
  std::unique_ptr<Trace> trace_;
  std::optional<double> realtime_factor_;  // the factor of pace_
  std::optional<RealTimePacer> pace_;
  std::optional<Clock::time_point> last_step_;  // its end, if time is synchronized with the clock
  std::optional<std::string> late_report_;
  ControllerSet controllers_;
  LockStep lock_step_;
  std::optional<RunRequests> requests_;
  std::int64_t taken_ = 0;       // steps of this run
  int rounds_ = 0;               // rounds of requests since the last step
  double seconds_before_ = 0.0;  // duration of the previous episodes [s]
  Clock::time_point next_watch_;
  bool failed_ = false;
  bool ended_by_failure_ = false;  // this was reported
  bool reset_due_ = false;         // due after the next step
  bool told_of_labels_ = false;    // the user was told that the trace has no labels
};

}  // namespace servosim

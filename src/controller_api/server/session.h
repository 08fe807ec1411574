// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "controller_api/server/custom_data.h"
#include "controller_api/server/device_commands.h"
#include "controller_api/server/device_descriptions.h"
#include "controller_api/server/sample_stream.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_format.h"

namespace servosim {

class SupervisorServer;

/// How a session works.
///
/// Threads: a plain value.
struct SessionOptions {
  /// Whether the controller spins shortly for each answer before it blocks. That is faster if every
  /// process of the run has a core of its own.
  bool spin = true;
  /// Whether the controller can open memory of this process: its stream is local, and the caller
  /// sends take_descriptors() with each reply().
  bool shares_memory = false;
  /// The customData of the robot's previous controller; without it, that of the world.
  std::optional<std::string> custom_data = std::nullopt;
};

/// What a supervisor requests from the run. The run does it before the next step.
///
/// Threads: a plain value.
struct RunRequests {
  std::optional<std::string> load_world;  ///< path of the next file
  bool reload_world = false;              ///< reload the present file
  /// Whether to call WorldControl::restart() and then Session::after_reset(), after the next step
  /// and before its answers.
  bool reset = false;
  std::vector<Robot*> restart_controllers;  ///< robots whose controllers are restarted
  std::vector<TraceLabel> labels;           ///< labels that the trace gets
};

/// The simulation's end of the connection with one controller: reads a request, applies its
/// commands to the robot, and writes the answer when it is due. It has no socket.
///
///     receive() → Answered: send reply() now
///               → Pending:  simulate; send reply() when after_step() returns true
///
/// A controller sends nothing between a request and its answer; a message in between is Garbage.
///
/// Invariants:
/// * Before the hello, which comes once, nothing else is answered.
/// * A pending step is answered exactly once: by after_step() or ending_answer().
/// * After ending_answer(), or when the robot has left the world, each step is answered by -1.
///
/// Threads: one at a time, with the simulation.
class Session {
 public:
  enum class Outcome : std::uint8_t {
    Answered,  ///< the caller sends reply() now; no time passes
    Pending,   ///< a step was requested: see pending() and after_step()
    Bye,       ///< the controller disconnects; there is nothing to send
    Quit,      ///< as Answered, and a supervisor has ended the simulation: see quit_status()
    Garbage,   ///< it is no message of this protocol: the caller closes the connection. error()
               ///< describes the error; reply() is the message for the controller, if it can
               ///< still be sent
  };

  /// Makes a session for robot number `robot` of `simulation`, which must outlive it and stay at
  /// its address.
  Session(Simulation& simulation, int robot, SessionOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Takes one message, without its length, and applies its commands at once, in their order. The
  /// first message must be the hello with which every controller begins.
  Outcome receive(Bytes message);

  /// Applies a supervisor's changes of the tree to the simulation. The caller calls it before every
  /// Simulation::step(), and when the controller disconnects. Errors go to stderr.
  void settle();

  /// Checks whether the pending step is over. The caller calls it after every Simulation::step(),
  /// pending or not.
  /// @returns true if the caller sends reply() now
  bool after_step();

  /// The message that the caller sends. It is valid until the next call of a function that is not
  /// const.
  Bytes reply() const { return writer_.bytes(); }
  /// The descriptors that the caller sends with reply().
  std::vector<Descriptor> take_descriptors() { return samples_.take_descriptors(); }

  /// Ends the session: a pending step is answered by −1. Every later step gets −1 too, from
  /// receive().
  /// @returns the answer; empty if no step is pending
  Bytes ending_answer();

  /// Whether a step was requested and is not over yet.
  bool pending() const { return state_ == State::Pending; }
  /// Whether the hello has arrived.
  bool started() const { return state_ != State::BeforeHello; }
  /// The status that a supervisor has given to wb_supervisor_simulation_quit().
  std::optional<int> quit_status() const { return quit_status_; }
  /// What the supervisor has requested from the run since the last call.
  std::optional<RunRequests> take_requests() { return std::exchange(run_requests_, std::nullopt); }
  /// Whether the run must continue, since another world or controller was requested.
  bool run_must_continue() const {
    return run_requests_ && (run_requests_->load_world || run_requests_->reload_world ||
                             !run_requests_->restart_controllers.empty());
  }
  /// Drops older samples, so that the samples of the world at its start are sent next. The pending
  /// step goes on. The caller calls it after WorldControl::restart() and
  /// before after_step().
  void after_reset();
  /// The error that receive() has returned as Garbage.
  const std::string& error() const { return error_; }
  /// The index in Scene::robots. -1: the robot is no longer in the world, and every step gets −1.
  int robot() const { return robot_.index(); }
  /// The text that wb_robot_set_custom_data() has set.
  const std::string& custom_data() const { return custom_data_.text(); }

 private:
  enum class State : std::uint8_t { BeforeHello, Idle, Pending };

  Outcome handle(const Hello& hello);
  Outcome handle(const StepRequest& request);
  Outcome handle(const UrdfRequest& request);
  Outcome handle(const SupervisorRequest& request);
  Outcome handle(const Goodbye& goodbye);
  Outcome handle(const ProtocolError& error);
  Outcome garbage(std::string error);

  void write_welcome();
  /// @throws std::invalid_argument for a command that nothing takes, or with a bad value
  void apply(const DeviceCommand& command);
  void apply_to_robot(const DeviceCommand& command);
  void warn_of_odd_step(int duration_ms);
  void begin_step(int duration_ms);
  void write_answer(int result);
  bool follow_supervisor();
  bool refuse_long_reply();
  bool over() const { return ending_ || robot_.index() < 0; }
  double elapsed_ms() const;

  Simulation& simulation_;
  SessionOptions options_;
  Robot& robot_;
  std::uint64_t tree_version_;
  CustomData custom_data_;
  DeviceDescriptions descriptions_;
  SampleStream samples_;
  DeviceCommands device_commands_;
  std::optional<RunRequests> run_requests_;
  std::unique_ptr<SupervisorServer> supervisor_;  // exists if the robot is or was one
  bool is_supervisor_ = false;                    // what the controller was told
  std::vector<DeviceCommand> commands_;           // scratch memory of receive()
  Writer writer_;

  State state_ = State::BeforeHello;
  bool ending_ = false;
  std::int64_t steps_ = 0;            // steps of the simulation; a reset does not set them back
  std::optional<double> request_ms_;  // elapsed_ms() when the last step was requested
  double due_ms_ = 0.0;               // elapsed_ms() at the end of that step
  int delay_ms_ = 0;                  // result of that step
  bool told_of_step_ = false;
  std::optional<int> quit_status_;
  std::string error_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "controller/protocol/protocol.h"
#include "scene/device_spec.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_format.h"

namespace servosim {

struct RobotSpec;
class SupervisorServer;

struct SessionOptions {
  /// Tells the controller to spin shortly for each answer before it blocks: right when every
  /// process of the run has a core of its own.
  bool spin = true;
  /// A run takes the requests of supervisors: worlds can be loaded and controllers restarted.
  bool hosted = false;
  /// What the controller before it left in the robot's field; nothing: what the file says.
  std::optional<std::string> custom_data = std::nullopt;
};

/// What a supervisor asks of the run, to be done before the next step.
struct RunRequests {
  std::optional<std::string> load_world;  ///< path of the file to go on with
  bool reload_world = false;              ///< read the present file anew
  /// After the next step, before its answers: Simulation::restart(), then Session::after_reset().
  bool reset = false;
  std::vector<Robot*> restart_controllers;  ///< robots whose controllers start anew
  std::vector<TraceLabel> labels;           ///< for a trace
};

/// The simulation's end of one controller: takes its messages, applies their commands to the robot
/// and says when and with what each is to be answered. Knows nothing of sockets.
///
///     receive() → Answered: send reply() now
///               → Pending:  simulate; when after_step() says true, send reply()
///
/// A controller sends nothing between a request and its answer, but a bad one might: that is
/// Garbage.
class Session {
 public:
  enum class Outcome : std::uint8_t {
    Answered,  ///< reply() is to be sent now; no time passes
    Pending,   ///< a step was asked for: see pending(), after_step()
    Bye,       ///< the controller cleaned up and leaves; nothing to send
    Quit,      ///< like Answered; and a supervisor ended the simulation: quit_status()
    Garbage,   ///< not a message of this protocol: drop the controller. error() says what;
               ///< reply() tells it to the controller, if it can still be sent
  };

  /// The session of robot number `robot` of `simulation`, which must outlive it and stay in place.
  Session(Simulation& simulation, int robot, SessionOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Takes one message (without its length prefix) and applies its commands at once, in their
  /// order. The first one must be the hello every controller starts with.
  Outcome receive(Bytes message);

  /// Lets what a supervisor has changed of the tree reach the simulation: to be called before every
  /// Simulation::step(), and when the controller leaves. Says on stderr what cannot be.
  void settle();

  /// To be called after every Simulation::step(), pending or not. True when the pending step is
  /// over: reply() is to be sent now.
  bool after_step();

  /// The message to send. Valid until the next call of a function that is not const.
  Bytes reply() const { return writer_.bytes(); }

  /// Ends the session: the pending step, if any, is answered by −1; that answer is returned, empty
  /// when no step is pending. Every later step gets −1 too, from receive().
  Bytes ending_answer();

  /// A step was asked for and is not over: the world may not go on without this controller having
  /// had its time, but it may step.
  bool pending() const { return pending_; }
  /// The hello has arrived.
  bool started() const { return started_; }
  /// The status a supervisor gave to wb_supervisor_simulation_quit().
  std::optional<int> quit_status() const { return quit_status_; }
  /// What the supervisor has asked of the run since the last call, if anything.
  std::optional<RunRequests> take_requests() { return std::exchange(run_requests_, std::nullopt); }
  /// Whether one of these requests is for another world or controller, after which the run goes on.
  bool run_must_continue() const {
    return run_requests_ && (run_requests_->load_world || run_requests_->reload_world ||
                             !run_requests_->restart_controllers.empty());
  }
  /// Must follow Simulation::restart(): sensors are read anew; what is left of the pending step
  /// stays.
  void after_reset();
  /// What was wrong, after Garbage.
  const std::string& error() const { return error_; }
  /// Index in Scene::robots; -1: it is no longer in the world, and every step gets −1.
  int robot() const { return robot_.index(); }
  /// The text of wb_robot_set_custom_data().
  const std::string& custom_data() const { return custom_data_; }

 private:
  /// A value the controller may have asked to measure, and how much of it was already sent.
  struct Channel {
    std::uint16_t tag;
    ReadingKind kind;
    const Sampler* sampler;
    std::span<const double> values;  ///< of the last sample
    std::uint64_t sent = 0;
  };

  /// An emitter: the bytes that wait in it are sent after each packet and each change.
  struct Emission {
    std::uint16_t tag;
    const Emitter* emitter;
    std::size_t reported;  ///< [bytes]
  };
  struct Reception {
    std::uint16_t tag;
    Receiver* receiver;
  };
  /// What both its controller and a supervisor may set of a device, as numbers.
  using Settings = std::array<double, 9>;
  /// What the controller knows of a device.
  struct Known {
    Settings settings{};
    std::vector<DeviceField> fields;
    bool again = false;  ///< it has set something: the next answer has what the device made of it
  };

  void add_channels();
  void introduce_devices(Welcome& welcome);
  WelcomeDevice introduce_next_device();
  void introduce_new_devices();
  void tell_setups(bool other_tree);
  void tell_again(const Command& command, std::string_view field = {});
  static Settings settings_of(const Device& device);
  bool over() const { return ending_ || robot_.index() < 0; }
  void add_channel(std::uint16_t tag, ReadingKind kind, const Sampler& sampler,
                   std::span<const double> values);
  Outcome handle(const Hello& hello);
  Outcome handle(const StepRequest& request);
  Outcome handle(const UrdfRequest& request);
  Outcome handle(const SupervisorRequest& request);
  Outcome handle(const Goodbye& goodbye);
  Outcome handle(const ProtocolError& error);
  Outcome garbage(std::string error);

  // These throw std::invalid_argument for a command that fits no device or has a bad value.
  void apply(const Command& command);
  void apply_to_robot(const Command& command);
  void apply_to_motor(const Command& command);
  void apply_to_wheels(const Command& command);
  void apply_to_connector(const Command& command);
  void apply_to_led(const Command& command);
  void set_sampling(const Device& device, int period_ms);
  void apply_to_radio(const Command& command);
  void add_radio(std::uint16_t tag, const Device& device);
  void write_radio();
  const Device& device(const Command& command) const;
  Motor& motor(const Command& command) const;

  double now_ms() const;
  double elapsed_ms() const;
  double charge() const;
  void share_custom_data();
  void follow_custom_data();
  void ask_for_step(int duration_ms);
  void write_answer(int result);
  void refuse_long_reply();

  Simulation& simulation_;
  SessionOptions options_;
  Robot& robot_;
  std::uint64_t tree_version_;
  std::size_t known_devices_ = 0;  // they have channels
  Writer writer_;
  std::vector<Command> commands_;  // scratch of receive()
  std::vector<Channel> channels_;
  std::vector<Emission> emissions_;
  std::vector<Reception> receptions_;
  std::vector<Known> known_;  // by device, from the hello on
  Writer setup_;              // scratch of tell_setups()
  Sampler battery_;
  std::string custom_data_;
  std::shared_ptr<const wbt::WorldFile> seen_tree_;  // it was compared with

  bool started_ = false;
  bool pending_ = false;
  bool ending_ = false;
  std::int64_t steps_ = 0;            // of the simulation; a reset takes none of them back
  std::optional<double> request_ms_;  // elapsed_ms() when the last step was asked for
  double due_ms_ = 0.0;               // elapsed_ms() when it is over
  int delay_ms_ = 0;                  // what it will return
  std::optional<int> quit_status_;
  std::optional<RunRequests> run_requests_;
  std::unique_ptr<SupervisorServer> supervisor_;  // of a supervisor
  std::string error_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/nodes.h>
#include <webots/types.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/report_once.h"
#include "base/scoped.h"
#include "controller_api/client/call_error.h"
#include "controller_api/client/client_devices.h"
#include "controller_api/client/ending.h"
#include "controller_api/client/tracked_answers.h"
#include "controller_api/protocol/link.h"
#include "controller_api/protocol/protocol.h"

namespace servosim {

/// The wheels of a DifferentialWheels.
struct ClientWheels {
  bool exist = false;
  double max_speed = 0.0;                   ///< [rad/s]
  double speed_unit = 0.0;                  ///< [rad/s]
  std::array<double, 2> speeds{};           ///< what was set last [speedUnit]
  std::array<double, 2> encoders_to_set{};  ///< [pulses]
  std::array<double, 2> encoders{kNotMeasured, kNotMeasured};
  int encoder_period_ms = 0;
};

/// The controller's copy of its robot between two steps: commands and measurements.
struct ClientRobot {
  std::string name;
  std::string model;
  std::string custom_data;
  std::string controller;
  std::string controller_arguments;
  std::string world_path;
  std::string project_path;
  std::string urdf;
  double basic_time_step_ms = 0.0;
  double time = 0.0;         ///< [s]
  int step_duration_ms = 0;  ///< as the controller has given it
  bool synchronization = true;
  bool supervisor = false;
  bool has_battery = false;
  bool gps_in_degrees = false;

  ClientWheels wheels;
  int battery_period_ms = 0;
  double battery = kNotMeasured;
  bool pinned = false;
  int quit_status = 0;
  std::uint32_t requests = 0;
};

class SupervisorRefs;

/// The state behind the C API. A setter writes here and marks a command; the next step sends what
/// is marked and stores what was measured.
///
/// Invariants: at most one thread waits for an answer; between begin_step() and end_step() nothing
/// else is sent.
///
/// Every member but mutex() needs the mutex to be locked. Those that take `lock` release it while
/// they wait for the simulation, so that other threads may use the API meanwhile.
class ControllerClient {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Sends the hello over `link` and stores the welcome. @throws std::runtime_error if that fails
  explicit ControllerClient(std::unique_ptr<Link> link);
  ~ControllerClient();

  std::mutex& mutex() { return mutex_; }
  ClientRobot& robot() { return robot_; }

  /// Names the function of the C API that runs, for report_error().
  void enter(const char* function) { function_ = function; }
  /// @throws CallError unless this robot is a supervisor; reported once for each function, since a
  /// program may call it in each step
  void refuse_unless_supervisor();
  /// Prints `Error: function(): why` on stderr, for an error that does not stop the call.
  void report_error(const char* why) const;

  ClientDevices& devices() { return devices_; }
  /// The device of a tag if it is of that node type. @throws CallError if not
  ClientDevice& device(WbDeviceTag tag, WbNodeType type) { return devices_.device(tag, type); }

  /// Sends a command that belongs to no step: at once if no thread waits for the simulation, else
  /// with the next message. Other marked values stay marked.
  void tell(Lock& lock, WbDeviceTag tag, CommandKind kind);

  /// Marks a value to be sent.
  static void request(ClientDevice& device, CommandKind kind) { device.requests |= bit(kind); }
  void request(CommandKind kind) { robot_.requests |= bit(kind); }
  /// Returns whether a value is still to be sent.
  static bool is_requested(const ClientDevice& device, CommandKind kind) {
    return (device.requests & bit(kind)) != 0;
  }

  /// wb_robot_step() and its halves. They return −1 when the simulation has ended. @throws Ending
  /// at the next call, or if the simulation fails
  int step(Lock& lock, int duration_ms);
  int begin_step(Lock& lock, int duration_ms);
  int end_step(Lock& lock);
  /// Sends what is marked; no time passes. It does nothing between the halves of a step.
  void flush(Lock& lock);
  /// Waits until no thread waits for the simulation. Until this thread gives the lock away no other
  /// one sends a message.
  void wait_until_idle(Lock& lock);
  /// @throws CallError between the halves of a step
  const std::string& urdf(Lock& lock, const std::string& prefix);
  /// Sends a supervisor's request. The response is valid until the next message. Between the halves
  /// of a step a change waits for the end of that step, and its response is empty.
  /// @throws CallError if the request is refused, and for any request that changes nothing between
  ///   the halves
  const SupervisorResponse& call(Lock& lock, const SupervisorRequest& request);
  /// Does the same, and from now on the answers of steps contain the response every `period_ms` >=
  /// 1, so that call() sends no request. For a robot without synchronization it is the same as
  /// call().
  /// @throws CallError; an earlier track() by that user then stays
  const SupervisorResponse& track(Lock& lock, SupervisorRequest request, int period_ms,
                                  const TrackedAnswers::User& user);
  /// Ends track() by that user, if there was one. @throws CallError; the tracking then stays
  void untrack(Lock& lock, const SupervisorRequest& request, const TrackedAnswers::User& user);
  SupervisorRefs& supervisor_refs() { return *supervisor_refs_; }
  /// Sends what is marked and a Goodbye, and closes the link. Getters still work.
  void leave(Lock& lock);
  bool left() const { return link_ == nullptr; }
  /// Whether flush() sends something now: not between the halves of a step, and not after the end.
  bool can_flush() const { return link_ != nullptr && !begun_ && !ended_; }
  /// Closes the link without a Goodbye, when the process ends.
  void drop();

 private:
  /// A change that was requested between the halves of a step.
  struct Deferred {
    SupervisorRequest request;
    std::string text;
    std::string more;
    const char* function;
  };

  void set_robot(const Welcome& welcome);
  void prepare_call(Lock& lock);
  Bytes exchange(Lock& lock);
  void do_deferred(Lock& lock);
  void write_requests();
  void write_device_requests(WbDeviceTag tag, ClientDevice& device);
  Bytes receive(Lock& lock);
  bool send_step(int duration_ms);
  int take_answer(Bytes message);
  void take_reading(const Reading& reading);
  static void take_setup(ClientDevice& device, std::string_view text);
  void check_alive() const;
  [[noreturn]] void end(EndingKind kind, const std::string& why);
  int lost();

  std::mutex mutex_;
  std::condition_variable idle_;
  std::unique_ptr<Link> link_;  // null after leave()
  ClientRobot robot_;
  ClientDevices devices_;
  std::deque<Descriptor> memory_;  // of new pictures, in the order of their readings
  std::unique_ptr<SupervisorRefs> supervisor_refs_;
  SupervisorResponse last_response_;
  TrackedAnswers tracked_;
  std::vector<Deferred> deferred_;
  Writer writer_;
  const char* function_ = "";
  ReportOnce<std::string> supervision_refused_;  // keyed by function
  bool busy_ = false;                            // a thread waits for an answer
  bool begun_ = false;                           // between begin_step() and end_step()
  bool ended_ = false;                           // the simulation has answered −1
  bool end_reported_ = false;                    // the controller has been told so
  // Why the simulation answers no more requests; empty while it does.
  std::optional<Ending> broken_;
};

/// Prints `Warning: text` on stderr.
void warn(const std::string& text);

/// Prints the text of a response on stderr, if it has one.
void print(const SupervisorResponse& response);

/// Prints `Error: function(): what` on stderr, unless what() is empty.
void print_error(const char* function, const std::exception& error) noexcept;

/// Gives the motors the positions of all motions that play, and advances these by `duration_ms`.
/// The client must be locked.
void play_motions(ControllerClient& client, int duration_ms);

}  // namespace servosim

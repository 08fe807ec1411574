// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace servosim {

/// The changes that an extension requests from the run.
struct RunChanges {
  bool reset = false;  ///< resets to the start, after the next step
  /// Time continues from here at this factor: simulated seconds per second, > 0; infinite means as
  /// fast as possible.
  std::optional<double> speed;
};

/// An interface that commands or reads robots in addition to their controllers, such as one for
/// clients of a control board. All members are called in the thread of the simulation and must not
/// block.
class RunExtension {
 public:
  RunExtension() = default;
  RunExtension(const RunExtension&) = delete;
  RunExtension& operator=(const RunExtension&) = delete;
  virtual ~RunExtension() = default;

  /// The run begins with this number of simulated seconds per second; nothing means as fast as
  /// possible.
  virtual void begin([[maybe_unused]] std::optional<double> realtime_factor) {}
  /// Another extension has set the speed; see RunChanges::speed.
  virtual void speed_changed([[maybe_unused]] double speed) {}
  /// Processes requests from outside. It is called before each step and while the run waits for the
  /// next one.
  virtual void serve() = 0;
  /// Returns a descriptor to poll while the run sleeps, which is readable when serve() has work. -1
  /// means that serve() has work now.
  virtual int wake_descriptor() = 0;
  /// Returns whether the next step may be taken; false in lock-step with a client that has not
  /// requested it.
  virtual bool ready() const { return true; }
  /// Returns whether it commands motors of a robot, which is an index in Scene::robots.
  virtual bool commands([[maybe_unused]] int robot) const { return false; }
  /// Returns the requested changes, each once; called after serve().
  virtual RunChanges take_changes() { return {}; }
  /// Returns whether it continues when another world is loaded.
  virtual bool follows_worlds() const { return false; }
  virtual void before_step() {}
  virtual void after_step() {}
  /// The world was reset to its start. This is called after a step and before its after_step().
  virtual void after_reset() {}
  /// Another world has replaced the simulation. This is called only if follows_worlds().
  virtual void after_load() {}
};

}  // namespace servosim

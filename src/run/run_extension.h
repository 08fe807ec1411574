// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace servosim {

/// What an extension asks of the run.
struct RunChanges {
  bool reset = false;  ///< to the start, after the next step
  /// Time goes on from here at this factor: simulated seconds per second, > 0; infinite: as fast as
  /// possible.
  std::optional<double> speed;
};

/// An interface that commands or reads robots beside their controllers, such as for clients of a
/// control board. All members are called in the thread of the simulation, and must not block.
class RunExtension {
 public:
  RunExtension() = default;
  RunExtension(const RunExtension&) = delete;
  RunExtension& operator=(const RunExtension&) = delete;
  virtual ~RunExtension() = default;

  /// The run begins, with so many simulated seconds per second; nothing: as fast as possible.
  virtual void begin([[maybe_unused]] std::optional<double> realtime_factor) {}
  /// Processes requests from outside: before each step, and while the next one is waited for.
  virtual void serve() = 0;
  /// A descriptor to poll while the run sleeps: readable when serve() has work. -1: serve() has
  /// work now.
  virtual int wake_descriptor() = 0;
  /// Whether the next step may be taken; false in lock-step with a client that has not requested
  /// it.
  virtual bool ready() const { return true; }
  /// Whether it commands motors of that robot, an index in Scene::robots.
  virtual bool commands([[maybe_unused]] int robot) const { return false; }
  /// Changes that it asks for, once; after serve().
  virtual RunChanges take_changes() { return {}; }
  /// Whether it goes on when another world is loaded.
  virtual bool follows_worlds() const { return false; }
  virtual void before_step() {}
  virtual void after_step() {}
  /// The world was reset to its start, after a step and before its after_step().
  virtual void after_reset() {}
  /// Another world has taken the simulation's place; only if follows_worlds().
  virtual void after_load() {}
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

/// Somebody outside who drives or watches robots beside their controllers, such as the clients of a
/// control board. All of it is called in the thread of the simulation, and none of it may wait.
class RunExtension {
 public:
  RunExtension() = default;
  RunExtension(const RunExtension&) = delete;
  RunExtension& operator=(const RunExtension&) = delete;
  virtual ~RunExtension() = default;

  /// Does what has come from outside: before each step, and while the next one is waited for.
  virtual void serve() = 0;
  /// To be watched while the run sleeps: readable when there is something for serve(). -1: there
  /// is already.
  virtual int wake_descriptor() = 0;
  /// Whether the next step may be taken; false in lock-step with somebody who has not asked for it.
  virtual bool ready() const { return true; }
  /// Whether it commands motors of that robot, an index in Scene::robots.
  virtual bool commands([[maybe_unused]] int robot) const { return false; }
  virtual void before_step() {}
  virtual void after_step() {}
  /// Time has gone back to 0 and everything to where it was then, after a step and before its
  /// after_step().
  virtual void after_reset() {}
};

}  // namespace servosim

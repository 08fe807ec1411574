// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class ConnectorSearch;
class PhysicsWorld;
struct ConnectorSpec;

/// A Connector: finds another one that fits and holds it.
///
/// Two connectors fit when their models are equal, both are symmetric or one is active and one
/// passive, and they face each other within the tolerances of the one that searches. Locked means
/// that the connector was commanded to hold; attached means that it holds a partner.
///
/// A VacuumGripper is a Connector too. Locked then means that it is switched on. While it is on and
/// holds nothing, it takes the Solid that touches it at most points, if these are `contactPoints`
/// or more. It remains on after its load was torn off.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Connector : public Device {
 public:
  explicit Connector(const DeviceBinding& binding);

  /// Starts searching a partner every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable_presence(int period_ms, double now_ms) { enable(period_ms, now_ms); }
  /// Last sample: 1 with a partner that fits or is attached, 0 without, -1 for a passive one. NaN
  /// before the first.
  double presence() const { return sampler_.value(); }
  /// Holds a partner that is present; with autoLock also one that comes later. Nothing happens to a
  /// passive one.
  void lock();
  /// Unlocks it, and releases its partner, except where unilateralUnlock of either is FALSE and the
  /// partner is locked.
  void unlock();
  /// Whether it was commanded to hold.
  bool locked() const { return state_.locked; }
  /// Whether it holds a partner now.
  bool attached() const;

  /// The field isLocked as the tree has it; FALSE for a passive connector.
  bool is_locked_by_tree() const;

  // Only Simulation uses what follows.
  /// Gives it the list of all connectors of the world, in which it is number `index`. The list must
  /// outlive the connector or the next rebind().
  void meet(ConnectorSearch& all, int index);
  /// After meet() with other numbers: `before` are those by which the partner was known. One that
  /// was detached since has none.
  void renumber(const std::vector<Connector*>& before);
  /// Applies isLocked at the start, as before_step() does before each step.
  void start() { seek(); }
  void before_step(double h) override;
  Vec3 place() const;  ///< its origin, in the world [m]
  const Sampler& presence_sampler() const { return sampler_; }

 private:
  struct State {
    int peer = -1;  // its number, -1: nothing is attached, which is part of the physics
    bool locked = false;
  };

  void follow() override;  ///< breaks what is pulled too hard
  void measure(double now_ms) override;
  /// To be followed by meet() and renumber(), unless its node is gone: then it holds nothing.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set(std::string_view field, std::span<const double> numbers) override;
  void archive_state(DeviceArchive& archive) override;
  const char* lock_field() const;
  Connector* partner() const;
  bool fits(const Connector& other) const;
  bool is_ready(const Connector& other) const;
  void seek();
  void attach(Connector& other);
  void detach();
  void align(const Connector& other);
  bool is_torn() const;
  bool tears(int held, double tensile, double shear) const;
  int touched() const;
  void grip();
  void let_go();
  double present() const;

  const ConnectorSpec* spec_;       // not null
  PhysicsWorld* physics_;           // nullptr: its node is gone
  ConnectorSearch* all_ = nullptr;  // nullptr before meet()
  int index_ = -1;                  // its number in `all_`
  State state_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include "servosim/math.h"

namespace servosim {

class Fnv1a;
class PhysicsWorld;
class Receiver;
class StateReader;
class StateWriter;
struct EmitterSpec;
struct ReceiverSpec;
struct Scene;

/// The most bytes that wait at one Emitter or Receiver, with 64 more for each packet.
inline constexpr std::size_t kMaxRadioBytes = 16u << 20;

/// An Emitter. What is sent in between two steps is there after the next step or, with a baudRate,
/// after the step in which its transmission ends; distances are those at the step's beginning, the
/// direction in which a Receiver sees the Emitter is that at its end. Infra-red light is stopped by
/// any shape in between that is no part of either robot.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Emitter {
 public:
  Emitter(const EmitterSpec& spec, const Scene& scene, PhysicsWorld& physics);

  /// Sends `data` as far as `range` [m] (-1: any distance; never beyond the field maxRange) on
  /// `channel` >= 0, or -1 for all. False, and nothing happens, if there is no data, or no room for
  /// it in the buffer.
  bool send(std::span<const std::byte> data, int channel, double range, double now_ms);
  /// What its controller has set; each packet carries its own.
  int channel() const { return state_.channel; }
  double range() const { return state_.range; }
  /// -1: all. @throws std::invalid_argument for less.
  void set_channel(int channel);
  /// [m], -1: any distance; at most the field maxRange. @throws std::invalid_argument for another
  /// negative number or NaN.
  void set_range(double range);
  /// Bytes whose transmission is not over.
  std::size_t waiting_bytes() const { return state_.waiting_bytes; }

  // Used by Simulation.
  /// Binds it to the same node's new description in another scene and its physics. A channel or
  /// range that the tree changes counts more than the one that was set. A range that was set stays
  /// when another maxRange gives the field another value, as far as it may.
  void rebind(const EmitterSpec& spec, const Scene& scene, PhysicsWorld& physics);
  /// Its node is gone: what it sends arrives nowhere. `spec` describes it as before.
  void detach(const EmitterSpec& spec);
  const EmitterSpec& spec() const { return *spec_; }
  /// Whether a packet of that range [m], or -1, reaches a receiver from where both are now.
  bool reaches(const Receiver& receiver, double range);
  /// Delivers what has been transmitted at `now_ms`.
  void transmit(std::span<Receiver* const> receivers, double now_ms);
  /// Off: what is sent is lost.
  void set_power(bool on) { state_.powered = on; }

  struct Outgoing {
    std::vector<std::byte> data;
    int channel;
    double range;
    double end_ms;  ///< of its transmission
  };
  /// Everything that changes while the emitter runs.
  struct State {
    std::list<Outgoing> queue;
    std::size_t waiting_bytes = 0;
    double busy_until_ms = 0.0;
    bool powered = true;
    int channel = 0;
    double range = -1.0;  ///< [m]
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }
  void save(StateWriter& out) const;
  void restore(StateReader& in);
  /// Adds what was set and what is on its way to a hash.
  void add_state(Fnv1a& hash) const;

 private:
  bool is_own(const ReceiverSpec& other) const;
  double within_reach(double range) const;
  bool is_hidden(int solid, const Vec3& from, const Vec3& to);

  const EmitterSpec* spec_;  // not null
  const Scene* scene_;       // nullptr, like physics_: its node is gone
  PhysicsWorld* physics_;
  State state_;
};

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include "servosim/math.h"
#include "servosim/sampler.h"

namespace servosim {

class Fnv1a;
class PhysicsWorld;
class Random;
class Receiver;
class StateReader;
class StateWriter;
struct EmitterSpec;
struct ReceiverSpec;
struct Scene;

/// Most bytes that wait at one Emitter or Receiver, with 64 more for each packet.
inline constexpr std::size_t kMaxRadioBytes = 16u << 20;

/// What a Receiver got.
/// Threads: a plain value.
struct Packet {
  std::vector<std::byte> data;
  double signal_strength = 0.0;  ///< 1 / (distance to the emitter [m])²
  Vec3 direction;                ///< of length one, to the emitter, in the axes of the receiver
};

/// An Emitter. What is sent in between two steps is there after the next step or, with a baudRate,
/// after the step in which its transmission ends; distances are those at the step's beginning, the
/// direction in which a Receiver sees the Emitter is that at its end.
/// Infra-red light is stopped by whatever stands in between and is no part of either robot.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Emitter {
 public:
  Emitter(const EmitterSpec& spec, const Scene& scene, PhysicsWorld& physics);

  /// Sends `data` as far as `range` [m] (-1: any distance; never beyond the field maxRange) on
  /// `channel` >= 0, or -1 for all. False, and nothing happens, if there is no data, or no room for
  /// it in the buffer.
  bool send(std::span<const std::byte> data, int channel, double range, double now_ms);
  /// What its controller has set, for whoever asks; each packet says its own.
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
  bool reaches(const Receiver& receiver, const Pose& pose, double range);
  bool is_hidden(int solid, const Vec3& from, const Vec3& to);

  const EmitterSpec* spec_;  // not null
  const Scene* scene_;       // nullptr, like physics_: its node is gone
  PhysicsWorld* physics_;
  State state_;
};

/// A Receiver: collects packets, and every sampling period gives out what it has collected. What
/// arrives while it is disabled, or finds no room in its buffer, is lost.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Receiver {
 public:
  Receiver(const ReceiverSpec& spec, const PhysicsWorld& physics, Random& random);

  /// Starts sampling every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable(int period_ms, double now_ms);
  int channel() const { return state_.channel; }
  /// -1: all. @throws std::invalid_argument for less.
  void set_channel(int channel);
  /// Packets of the samples so far, to be taken away by whoever reads them.
  const std::list<Packet>& queue() const { return state_.queue; }
  const Sampler& sampler() const { return state_.sampler; }
  /// The first of them, which leaves the queue; there must be one.
  Packet take();

  // Used by Emitter and Simulation.
  /// Binds it to the same node's new description in another physics. A channel that the tree
  /// changes counts more than the one that was set.
  void rebind(const ReceiverSpec& spec, const PhysicsWorld& physics);
  /// Its node is gone: nothing arrives. `spec` describes it as before.
  void detach(const ReceiverSpec& spec);
  const ReceiverSpec& spec() const { return *spec_; }
  bool listens(int channel) const {
    return state_.sampler.period_ms() > 0 && state_.powered &&
           (channel == state_.channel || channel == -1 || state_.channel == -1);
  }
  /// A packet from the Solid `emitter`, which is at `origin` in the world; in this step.
  void receive(std::span<const std::byte> data, int emitter, const Vec3& origin);
  void after_step(double now_ms) {
    if (!arrivals_.empty()) {
      find_directions();
    }
    if (state_.sampler.due(now_ms) && state_.powered) {
      sample(now_ms);
    }
  }
  /// Off: hears nothing.
  void set_power(bool on) { state_.powered = on; }

  /// Everything that changes while the receiver runs.
  struct State {
    Sampler sampler;
    int channel = 0;
    bool powered = true;
    std::list<Packet> waiting;  ///< for the next sample
    std::list<Packet> queue;
    std::size_t bytes = 0;  ///< in both
  };
  const State& state() const { return state_; }
  void set_state(const State& state) {
    state_ = state;
    arrivals_.clear();  // of a step that failed
  }
  void save(StateWriter& out) const;
  void restore(StateReader& in);
  /// Adds the channel and what has arrived to a hash.
  void add_state(Fnv1a& hash) const;

 private:
  void bind(const ReceiverSpec& spec, const PhysicsWorld* physics);
  void sample(double now_ms);
  void find_directions();

  const ReceiverSpec* spec_;     // not null
  const PhysicsWorld* physics_;  // nullptr: its node is gone
  Random* random_;
  State state_;
  std::vector<int> arrivals_;  // who sent the last packets of `waiting`, in this step; then empty
};

}  // namespace servosim

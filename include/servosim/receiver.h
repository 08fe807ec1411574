// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "servosim/math.h"
#include "servosim/sampler.h"

namespace servosim {

class Fnv1a;
class Emitter;
class PhysicsWorld;
class Random;
class StateReader;
class StateWriter;
struct ReceiverSpec;

/// What a Receiver has received.
/// Threads: a plain value.
struct Packet {
  std::vector<std::byte> data;
  double signal_strength = 0.0;  ///< 1 / (distance to the emitter [m])²
  Vec3 direction;                ///< of length one, to the emitter, in the axes of the receiver
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
  /// Packets of the samples so far; the reader removes those it has taken.
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
  /// A packet that `emitter`, which is at `origin` in the world, sends as far as `range` [m] (-1:
  /// without end) in this step. Whether it arrives is decided at the end of the step.
  void receive(std::shared_ptr<const std::vector<std::byte>> data, Emitter& emitter, double range,
               const Vec3& origin);
  void after_step(double now_ms) {
    if (!arrivals_.empty()) {
      take_arrivals();
    }
    if (state_.sampler.due(now_ms) && state_.powered) {
      sample(now_ms);
    }
  }
  /// Off: receives nothing.
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
  void take_arrivals();
  void take_arrival(std::span<const std::byte> data, const Emitter& emitter, double strength);

  const ReceiverSpec* spec_;     // not null
  const PhysicsWorld* physics_;  // nullptr: its node is gone
  Random* random_;
  State state_;
  struct Arrival {
    std::shared_ptr<const std::vector<std::byte>> data;
    Emitter* emitter;
    double range;     // [m], or -1
    double strength;  // without noise
  };
  std::vector<Arrival> arrivals_;  // of this step; then empty
};

}  // namespace servosim

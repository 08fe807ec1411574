// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class Emitter;
class PhysicsWorld;
class Random;
struct ReceiverSpec;

/// What a Receiver has received.
///
/// Threads: a plain value.
struct Packet {
  /// The bytes as they were sent.
  std::vector<std::byte> data;
  /// 1 / (distance to the emitter [m])² at the beginning of the step in which it arrived, with the
  /// noise of the receiver; at most 1e12.
  double signal_strength = 0.0;
  /// Where the emitter was at the end of that step: a vector of length one in the axes of the
  /// receiver, or the null vector if both were at the same place.
  Vec3 direction;
};

/// A Receiver: collects packets, and hands out at the end of each sampling period what it has
/// collected. A packet is lost that arrives while the receiver is disabled, or that finds no room
/// in its buffer.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Receiver : public Device {
 public:
  /// What `binding` refers to must outlive the receiver or its next rebind().
  explicit Receiver(const DeviceBinding& binding);

  /// The channel that it listens to; -1: all.
  int channel() const { return state_.channel; }
  /// @param channel  >= 0, or -1 for all
  /// @throws std::invalid_argument for less than -1
  void set_channel(int channel);
  /// The packets that it has handed out, the oldest first. They remain until take() removes them.
  /// The reference is valid as long as the receiver.
  const std::list<Packet>& queue() const { return state_.queue; }
  /// Removes the first packet of the queue, which must not be empty, and returns it.
  Packet take();

  // Only Emitter and Simulation use what follows.
  const ReceiverSpec& spec() const { return *spec_; }
  /// Whether it is enabled, has power, and hears packets of this channel (-1: of all channels).
  bool listens(int channel) const {
    return sampler_.period_ms() > 0 && powered_ &&
           (channel == state_.channel || channel == -1 || state_.channel == -1);
  }
  /// Takes note of a packet that is on its way in this step. after_step() decides whether it
  /// arrives.
  /// @param data  its bytes
  /// @param emitter  the sender; it must live until the end of the step
  /// @param range  how far the packet reaches [m]; -1: any distance
  /// @param origin  where the emitter is now, in the world [m]
  void receive(std::shared_ptr<const std::vector<std::byte>> data, Emitter& emitter, double range,
               const Vec3& origin);

 private:
  // Everything that changes while the receiver runs.
  struct State {
    int channel = 0;
    /// Packets that the next sample hands out.
    std::list<Packet> waiting;
    /// Packets that were handed out and not taken.
    std::list<Packet> queue;
    /// The bytes of the data in both lists.
    std::size_t bytes = 0;
  };

  /// Decides which packets of this step have arrived.
  void follow() override;
  /// Hands out the packets that it has collected.
  void measure(double now_ms) override;
  /// Binds it to the same node's new description in another physics, or to none if the node is
  /// gone: then nothing arrives. A channel that the tree has changed replaces the one that was set.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  /// Drops the packets that it has collected and handed out.
  void restart() override;
  std::function<void()> keep_settings() override;
  void archive_state(DeviceArchive& archive) override;
  void take_arrivals();
  void take_arrival(std::span<const std::byte> data, const Emitter& emitter, double strength);

  const ReceiverSpec* spec_;     // not null
  const PhysicsWorld* physics_;  // nullptr: its node is gone
  Random* random_;
  State state_;
  struct Arrival {
    std::shared_ptr<const std::vector<std::byte>> data;
    Emitter* emitter;
    double range;     // [m]; -1: any distance
    double strength;  // without noise
  };
  std::vector<Arrival> arrivals_;  // empty between steps
};

}  // namespace servosim

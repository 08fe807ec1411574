// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <span>
#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
class Receiver;
struct EmitterSpec;
struct ReceiverSpec;
struct Scene;

/// The limit of the bytes that wait at one Emitter or Receiver. Each packet counts 64 bytes more
/// than its data.
inline constexpr std::size_t kMaxRadioBytes = 16u << 20;

/// An Emitter: sends packets to the Receivers of the same type and channel.
///
/// A packet that is sent between two steps arrives with the next step or, with a baudRate, with the
/// step in which its transmission ends. Its signal strength follows from the distance at the
/// beginning of that step; whether it is within range and cones, and the direction from which it
/// comes, follow from the poses at the end of the step. A shape that belongs to neither robot stops
/// infra-red light.
///
/// docs/explanation/deviations.md#emitters-and-receivers has what differs from Webots.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Emitter : public Device {
 public:
  /// What `binding` refers to must outlive the emitter or the next rebind().
  explicit Emitter(const DeviceBinding& binding);

  /// Sends a packet, which keeps the channel and range of this call. Without power the packet is
  /// lost, and the call returns true.
  /// @param data  the bytes; at least one
  /// @param channel  >= 0, or -1 for Receivers of every channel
  /// @param range  how far it reaches [m], at most the field maxRange; -1: as far as maxRange
  ///   allows
  /// @param now_ms  the simulated time [ms]
  /// @returns false if there are no data or the buffer has no room for them; then nothing happens
  bool send(std::span<const std::byte> data, int channel, double range, double now_ms);
  /// The channel that the controller has set, or else that of the field; -1: all. send() does not
  /// use it.
  int channel() const { return state_.channel; }
  /// The range that the controller has set [m]; -1: any distance. send() does not use it.
  double range() const { return state_.range; }
  /// @param channel  >= 0, or -1 for all
  /// @throws std::invalid_argument for less than -1
  void set_channel(int channel);
  /// @param range  [m]; >= 0, or -1 or infinity for any distance. More than the field maxRange
  ///   becomes maxRange.
  /// @throws std::invalid_argument for another negative number or NaN
  void set_range(double range);
  /// The number of bytes whose transmission has not ended.
  std::size_t waiting_bytes() const { return state_.waiting_bytes; }

  // Only Receiver and Simulation use what follows.
  const EmitterSpec& spec() const { return *spec_; }
  /// Whether a packet of this range reaches the receiver at the present poses of both: it is within
  /// range and both cones, is not hidden (infra-red), and does not come from the receiver's own
  /// robot.
  /// @param receiver  of the same type
  /// @param range  [m]; -1: any distance
  bool reaches(const Receiver& receiver, double range);
  /// Hands the packets whose transmission has ended at `now_ms` [ms] to the receivers that listen
  /// to them. Without power such packets are lost.
  void transmit(std::span<Receiver* const> receivers, double now_ms);

 private:
  // A packet on its way.
  struct Outgoing {
    std::vector<std::byte> data;
    int channel;
    double range;
    /// When its transmission ends [ms].
    double end_ms;
  };
  // Everything that changes while the emitter runs.
  struct State {
    /// The packets on their way, in the order of their ends.
    std::list<Outgoing> queue;
    std::size_t waiting_bytes = 0;
    /// When the last of them has been transmitted [ms].
    double busy_until_ms = 0.0;
    int channel = 0;
    /// [m]; -1: any distance
    double range = -1.0;
  };

  void archive_state(DeviceArchive& archive) override;
  /// Binds it to the same node's new description in another scene and to its physics, or to none if
  /// the node is gone: then packets arrive nowhere. Where the tree has changed the channel or the
  /// range, the value of the tree replaces the one that was set. A range that was set is kept,
  /// within maxRange, where the field's value has changed only because maxRange did.
  void rebind(const DeviceBinding& binding) override;
  CommandEffect command(const DeviceCommand& command, double now_ms) override;
  void list_settings(std::vector<DeviceSetting>& settings) const override;
  void set_field(std::string_view field, std::span<const double> numbers) override;
  /// Drops the packets that are on their way.
  void restart() override;
  std::function<void()> keep_settings() override;
  bool is_own(const ReceiverSpec& other) const;
  double within_reach(double range) const;
  bool is_hidden(int solid, const Vec3& from, const Vec3& to);

  const EmitterSpec* spec_;  // not null
  const Scene* scene_;       // nullptr, like physics_: its node is gone
  PhysicsWorld* physics_;
  State state_;
};

}  // namespace servosim

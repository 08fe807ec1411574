// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/scoped.h"
#include "controller_api/protocol/protocol.h"
#include "controller_api/protocol/shared_memory.h"
#include "servosim/display.h"
#include "servosim/picture_sensor.h"
#include "servosim/radar.h"
#include "servosim/recognition.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {

/// Returns the simulated time since the last reset [ms].
double time_ms(const Simulation& simulation);

/// Writes the samples and packets of a robot's devices into the answers of steps.
///
/// Invariants:
/// * Each sample is written once, in the first answer after it was taken.
/// * Packets of a receiver keep their order; one answer has at most kMaxPacketBytes of them.
///
/// Threads: one at a time, with the simulation.
class SampleStream {
 public:
  /// The first two arguments must outlive the object.
  /// @param shares_memory  whether the controller can open shared memory, in which pictures are
  SampleStream(const Simulation& simulation, Robot& robot, bool shares_memory);
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;

  /// Reads also the devices that are new on the robot from now on.
  void add_new_devices();
  /// Measures the charge of the battery every `period_ms` [ms], which must be >= 0; 0 stops.
  void enable_battery(int period_ms);
  /// Notes that the controller has given a packet to the emitter of this tag.
  void packet_was_sent(std::uint16_t tag);
  /// Measures the battery. The caller calls it after each step.
  void after_step();
  /// Drops older samples, so that the samples of the world at its start are written next. The
  /// caller calls it after WorldControl::restart() and before after_step().
  void after_reset();
  /// Adds the new samples to an answer.
  void write_samples(Writer& writer);
  /// Adds the number of bytes that wait in emitters, and the packets of receivers. Packets that do
  /// not fit into this answer are written into the next one.
  void write_packets(Writer& writer);
  /// Adds what Cameras have recognised and Radars have found since the last answer.
  void write_objects(Writer& writer);
  /// Adds what the controller has asked its Displays.
  void write_drawn(Writer& writer);
  /// Adds the new pictures to an answer. Those that do not fit into this answer are written into
  /// the next one, in which the first of them comes first.
  void write_pictures(Writer& writer);
  /// The descriptors of memory that go with the answer.
  std::vector<Descriptor> take_descriptors() { return std::exchange(descriptors_, {}); }

 private:
  /// A value that the controller may have enabled, and which of its samples were written.
  struct Channel {
    std::uint16_t tag;
    ReadingKind kind;
    const Sampler* sampler;
    std::span<const double> values;  ///< the values of the last sample
    std::uint64_t written = 0;       ///< the number of the last sample that was written
  };
  /// An emitter whose number of waiting bytes is written after each packet and each change.
  struct EmitterChannel {
    std::uint16_t tag;
    const Emitter* emitter;
    std::size_t written_bytes;
  };
  /// A sensor of pictures, and which of its samples were written; kUnknown for none.
  struct PictureChannel {
    std::uint16_t tag;
    const PictureSensor* sensor;
    std::uint64_t written;
    std::optional<SharedMemory> memory = std::nullopt;  // as large as the picture
  };
  /// A Camera that recognises objects, and which of its samples were written.
  struct RecognitionChannel {
    std::uint16_t tag;
    const Recognition* recognition;
    std::uint64_t written;
  };
  /// A Radar, and which of its samples were written.
  struct RadarChannel {
    std::uint16_t tag;
    const Radar* radar;
    std::uint64_t written;
  };
  struct DisplayChannel {
    std::uint16_t tag;
    Display* display;
  };
  struct ReceiverChannel {
    std::uint16_t tag;
    Receiver* receiver;
  };

  void add(std::uint16_t tag, const DeviceNode& node);
  void add(std::uint16_t tag, ReadingKind kind, const Sampler& sampler,
           std::span<const double> values);
  void write_targets(Writer& writer);
  PictureTransfer share(PictureChannel& channel);
  double charge() const;

  const Simulation& simulation_;
  Robot& robot_;
  Sampler battery_;
  std::size_t known_devices_ = 0;  // the number of devices that have channels
  std::vector<Channel> channels_;
  std::vector<EmitterChannel> emitters_;
  std::vector<ReceiverChannel> receivers_;
  std::vector<DisplayChannel> displays_;
  std::vector<PictureChannel> pictures_;
  bool shares_memory_;
  std::vector<Descriptor> descriptors_;  // to be sent with the answer
  std::vector<RecognitionChannel> recognitions_;
  std::vector<RadarChannel> radars_;
  Writer objects_;                 // scratch memory
  std::size_t first_picture_ = 0;  // of pictures_, in the next answer
};

}  // namespace servosim

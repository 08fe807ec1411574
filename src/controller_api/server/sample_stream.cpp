// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/sample_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "controller_api/protocol/stream.h"
#include "scene/scene.h"

namespace servosim {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
// The bytes that a packet needs in a message in addition to its data.
constexpr std::size_t kPacketOverhead = 48;

Reading reading_of(std::uint16_t tag, ReadingKind kind, std::span<const double> values) {
  Reading reading{tag, kind, {}, static_cast<std::uint8_t>(values.size())};
  std::copy(values.begin(), values.end(), reading.numbers.begin());
  return reading;
}

ReadingKind kind_of(const PictureSensor& sensor) {
  return sensor.turn() == Turn::Ranging  ? ReadingKind::Distances
         : sensor.turn() == Turn::Camera ? ReadingKind::Pixels
                                         : ReadingKind::Segments;
}

}  // namespace

double time_ms(const Simulation& simulation) {
  return static_cast<double>(simulation.step_count()) * simulation.basic_time_step_ms();
}

SampleStream::SampleStream(const Simulation& simulation, Robot& robot, bool shares_memory)
    : simulation_(simulation), robot_(robot), shares_memory_(shares_memory) {
  add(0, ReadingKind::Battery, battery_, {&battery_.value(), 1});
  if (const DifferentialWheels* wheels = robot_.wheels()) {
    add(0, ReadingKind::Sample, wheels->sampler(), wheels->values());
  }
  add_new_devices();
}

void SampleStream::add_new_devices() {
  for (; known_devices_ < robot_.devices().size(); ++known_devices_) {
    add(static_cast<std::uint16_t>(known_devices_ + 1), robot_.devices()[known_devices_]);
  }
}

void SampleStream::add(std::uint16_t tag, const DeviceNode& node) {
  for (const auto& device : node.devices) {
    if (auto* const emitter = dynamic_cast<Emitter*>(device.get())) {
      emitters_.push_back({tag, emitter, kUnknown});
    } else if (auto* const receiver = dynamic_cast<Receiver*>(device.get())) {
      receivers_.push_back({tag, receiver});
    } else if (auto* const display = dynamic_cast<Display*>(device.get())) {
      displays_.push_back({tag, display});
    } else if (const auto* const sensor = dynamic_cast<const PictureSensor*>(device.get())) {
      pictures_.push_back({tag, sensor, kUnknown});
      if (const auto* const recognition = dynamic_cast<const Recognition*>(sensor)) {
        recognitions_.push_back({tag, recognition, recognition->sampler().count()});
      }
    } else if (const auto* const radar = dynamic_cast<const Radar*>(device.get())) {
      radars_.push_back({tag, radar, radar->sampler().count()});
    } else {
      const bool is_motor = device->turn() == Turn::Motor;
      add(tag, is_motor ? ReadingKind::ForceFeedback : ReadingKind::Sample, device->sampler(),
          device->values());
    }
  }
}

void SampleStream::add(std::uint16_t tag, ReadingKind kind, const Sampler& sampler,
                       std::span<const double> values) {
  SERVOSIM_ASSERT(values.size() <= kMaxReadingNumbers, "device {} measures {} numbers", tag,
                  values.size());
  channels_.push_back({tag, kind, &sampler, values, sampler.count()});
}

void SampleStream::enable_battery(int period_ms) {
  battery_.enable(period_ms, time_ms(simulation_));
}

void SampleStream::packet_was_sent(std::uint16_t tag) {
  for (EmitterChannel& channel : emitters_) {
    if (channel.tag == tag) {
      channel.written_bytes = kUnknown;
    }
  }
}

void SampleStream::after_step() {
  if (const double now = time_ms(simulation_); battery_.due(now)) {
    battery_.store(charge(), now);
  }
}

// Returns the charge of the battery [J]. A negative number in the file means that the battery is
// not simulated, and remains the charge.
double SampleStream::charge() const {
  return robot_.battery() != nullptr ? robot_.battery()->energy() : robot_.spec().battery.front();
}

// After a reset, the samples of devices count from 0 again.
void SampleStream::after_reset() {
  battery_.enable(battery_.period_ms(), Sampler::kLongAgo);
  for (Channel& channel : channels_) {
    channel.written = channel.sampler == &battery_ ? battery_.count() : 0;
  }
  for (PictureChannel& channel : pictures_) {
    channel.written = kUnknown;
  }
  for (RecognitionChannel& channel : recognitions_) {
    channel.written = 0;
  }
  for (RadarChannel& channel : radars_) {
    channel.written = 0;
  }
}

void SampleStream::write_samples(Writer& writer) {
  for (Channel& channel : channels_) {
    if (channel.written != channel.sampler->count()) {
      channel.written = channel.sampler->count();
      encode_reading(writer, reading_of(channel.tag, channel.kind, channel.values));
    }
  }
}

void SampleStream::write_objects(Writer& writer) {
  for (RecognitionChannel& channel : recognitions_) {
    const std::uint64_t count = channel.recognition->sampler().count();
    if (channel.written == count) {
      continue;
    }
    channel.written = count;
    std::vector<WireObject> objects;
    for (const RecognizedObject& object : channel.recognition->objects()) {
      if (objects.size() == kMaxObjects) {
        break;
      }
      WireObject& wire = objects.emplace_back();
      const AxisAngle& turned = object.orientation;
      wire.id = static_cast<std::int32_t>(object.node);
      wire.position = {object.position.x, object.position.y, object.position.z};
      wire.orientation = {turned.axis.x, turned.axis.y, turned.axis.z, turned.angle};
      wire.size = object.size;
      wire.position_on_image = object.middle;
      wire.size_on_image = object.frame_size;
      for (const Vec3& color : object.colors) {
        wire.colors.insert(wire.colors.end(), {color.x, color.y, color.z});
      }
      wire.model = object.model;
    }
    encode_objects(objects_, objects);
    encode_reading(writer, {channel.tag, ReadingKind::Objects, {}, 0, as_text(objects_.bytes())});
  }
  write_targets(writer);
}

void SampleStream::write_targets(Writer& writer) {
  for (RadarChannel& channel : radars_) {
    const std::uint64_t count = channel.radar->sampler().count();
    if (channel.written == count) {
      continue;
    }
    channel.written = count;
    const std::span<const RadarTarget> found = channel.radar->targets();
    std::vector<WireTarget> targets;
    for (const RadarTarget& target : found.first(std::min(found.size(), kMaxObjects))) {
      targets.push_back({target.distance, target.received_power, target.speed, target.azimuth});
    }
    encode_targets(objects_, targets);
    encode_reading(writer, {channel.tag, ReadingKind::Targets, {}, 0, as_text(objects_.bytes())});
  }
}

void SampleStream::write_drawn(Writer& writer) {
  for (const DisplayChannel& channel : displays_) {
    if (const std::optional<Display::Answer> answer = channel.display->take_answer()) {
      encode_reading(writer, {channel.tag,
                              ReadingKind::Drawn,
                              {answer->done ? 1.0 : 0.0, static_cast<double>(answer->width),
                               static_cast<double>(answer->height)},
                              3,
                              as_text(std::as_bytes(std::span(answer->bytes)))});
    }
  }
}

// Copies a picture into the memory that it shares with the controller, where there is some.
PictureTransfer SampleStream::share(PictureChannel& channel) {
  const std::span<const std::byte> picture = channel.sensor->picture_bytes();
  const bool fits = channel.memory && channel.memory->bytes().size() == picture.size();
  PictureTransfer place = PictureTransfer::Memory;
  if (!fits) {
    Descriptor descriptor;
    channel.memory = shares_memory_ && descriptors_.size() < MessageStream::kMostDescriptors
                         ? SharedMemory::make(picture.size(), descriptor)
                         : std::nullopt;
    if (!channel.memory) {
      return PictureTransfer::Text;
    }
    descriptors_.push_back(std::move(descriptor));
    place = PictureTransfer::NewMemory;
  }
  std::memcpy(channel.memory->bytes().data(), picture.data(), picture.size());
  return place;
}

void SampleStream::write_pictures(Writer& writer) {
  constexpr std::size_t kOverhead = 64;  // more than a reading has in addition to its text
  std::optional<std::size_t> refused;
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    const std::size_t number = (first_picture_ + i) % pictures_.size();
    PictureChannel& channel = pictures_[number];
    const Sampler& sampler = channel.sensor->sampler();
    const std::span<const std::byte> picture = channel.sensor->picture_bytes();
    if (channel.written == sampler.count() || picture.empty() || sampler.period_ms() <= 0) {
      continue;
    }
    const std::size_t used = writer.size() + kOverhead;
    const PictureTransfer place = used <= kMaxAnswer ? share(channel) : PictureTransfer::Text;
    const bool is_text = place == PictureTransfer::Text;
    if (used + (is_text ? picture.size() : 0) > kMaxAnswer) {
      refused = refused.value_or(number);
      continue;
    }
    channel.written = sampler.count();
    encode_reading(writer, {channel.tag,
                            kind_of(*channel.sensor),
                            {sampler.last_ms() / 1000.0, static_cast<double>(place),
                             static_cast<double>(picture.size())},
                            3,
                            is_text ? as_text(picture) : std::string_view()});
  }
  first_picture_ = refused.value_or(first_picture_);
}

void SampleStream::write_packets(Writer& writer) {
  for (EmitterChannel& channel : emitters_) {
    if (const std::size_t waiting = channel.emitter->waiting_bytes();
        channel.written_bytes != waiting) {
      channel.written_bytes = waiting;
      encode_reading(writer,
                     {channel.tag, ReadingKind::Sample, {static_cast<double>(waiting)}, 1, {}});
    }
  }
  std::size_t written = 0;
  for (const ReceiverChannel& channel : receivers_) {
    Receiver& receiver = *channel.receiver;
    while (!receiver.queue().empty() &&
           written + receiver.queue().front().data.size() <= kMaxPacketBytes) {
      const Packet packet = receiver.take();
      const Vec3& to = packet.direction;
      encode_reading(writer, {channel.tag,
                              ReadingKind::Packet,
                              {packet.signal_strength, to.x, to.y, to.z},
                              0,
                              as_text(packet.data)});
      written += packet.data.size() + kPacketOverhead;
    }
  }
}

}  // namespace servosim

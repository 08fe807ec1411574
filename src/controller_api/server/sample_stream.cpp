// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/sample_stream.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/assert.h"
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

}  // namespace

double time_ms(const Simulation& simulation) {
  return static_cast<double>(simulation.step_count()) * simulation.basic_time_step_ms();
}

SampleStream::SampleStream(const Simulation& simulation, Robot& robot)
    : simulation_(simulation), robot_(robot) {
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
    } else if (device->turn() == Turn::Ranging) {
      pictures_.push_back({tag, device.get(), device->sampler().count()});
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

void SampleStream::write_pictures(Writer& writer) {
  constexpr std::size_t kOverhead = 64;  // more than a reading has in addition to its text
  std::optional<std::size_t> refused;
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    const std::size_t number = (first_picture_ + i) % pictures_.size();
    PictureChannel& channel = pictures_[number];
    const Sampler& sampler = channel.device->sampler();
    const std::span<const float> picture = channel.device->picture();
    if (channel.written == sampler.count()) {
      continue;
    }
    if (writer.size() + picture.size_bytes() + kOverhead > kMaxMessage) {
      refused = refused.value_or(number);
    } else {
      channel.written = sampler.count();
      encode_reading(writer, {channel.tag,
                              ReadingKind::Distances,
                              {sampler.last_ms() / 1000.0},
                              1,
                              as_text(std::as_bytes(picture))});
    }
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

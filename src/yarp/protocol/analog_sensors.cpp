// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/analog_sensors.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "yarp/protocol/streaming.h"

namespace servosim::yarp {

namespace {

// Calls `begin(count)` for each kind, in order, and then `add` for each of its sensors.
template <typename Begin, typename Add>
void for_each_kind(std::span<const AnalogSensor> sensors, const Begin& begin, const Add& add) {
  auto next = sensors.begin();
  for (std::size_t kind = 0; kind < kSensorKinds; ++kind) {
    const auto end = std::find_if(next, sensors.end(), [kind](const AnalogSensor& sensor) {
      return static_cast<std::size_t>(sensor.kind) != kind;
    });
    begin(static_cast<std::size_t>(end - next));
    for (; next != end; ++next) {
      add(*next);
    }
  }
  SERVOSIM_ASSERT(next == sensors.end(), "{} sensors that are not sorted", sensors.end() - next);
}

bool has_frame(SensorKind kind) {
  return kind != SensorKind::ContactLoads && kind != SensorKind::Encoders &&
         kind != SensorKind::SkinPatch;
}

}  // namespace

Bottle sensor_metadata(std::span<const AnalogSensor> sensors) {
  std::vector<Bottle> kinds;
  for_each_kind(
      sensors, [&](std::size_t) { kinds.emplace_back().tagged = true; },
      [&](const AnalogSensor& sensor) {
        kinds.back().add(Bottle{
            {sensor.name, has_frame(sensor.kind) ? sensor.frame : std::string(), std::string()},
            true});
      });
  Bottle reply{{}, true};
  for (Bottle& kind : kinds) {
    reply.add(std::move(kind));
  }
  return reply;
}

void encode_measurements(Writer& writer, std::span<const AnalogSensor> sensors,
                         std::span<const double> values, std::span<const double> times,
                         Generation generation) {
  begin_list(writer, kSensorKinds);
  for_each_kind(
      sensors, [&](std::size_t count) { begin_list(writer, count); },
      [&](const AnalogSensor& sensor) {
        begin_list(writer, 2);
        encode_vector(writer, values.first(sensor.values), generation);
        encode_item(writer, times.front(), generation);
        values = values.subspan(sensor.values);
        times = times.subspan(1);
      });
}

}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#include "yarp/server/sensor_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/queues.h"
#include "scene/device_spec.h"
#include "scene/scene.h"
#include "servosim/body_sensor.h"
#include "servosim/motor.h"
#include "servosim/position_sensor.h"
#include "servosim/robot.h"
#include "sim/world_inspector.h"
#include "yarp/server/output_schedule.h"
#include "yarp/server/thrift_service.h"

namespace servosim::yarp::server {

/// A device that is an analog sensor, and how its values become those of the sensor.
struct SensorSource {
  AnalogSensor sensor;
  Device* device = nullptr;      // sampled
  const Motor* motor = nullptr;  // of a Temperature, which is not sampled
  double factor = 1.0;
};

/// Values of all sensors on their way to the node's thread.
struct Measurements {
  std::vector<double> values;
  std::vector<double> times;  // [s]
  Stamp stamp;
};

namespace {

// Stock clients report a timeout after 0.02 s without a message.
constexpr std::chrono::milliseconds kSensorRepeatInterval{15};
constexpr double kDegrees = 180.0 / std::numbers::pi;

// Roll, pitch and yaw [deg] of the rotation Rz(yaw)·Ry(pitch)·Rx(roll), from its quaternion x, y,
// z, w.
void put_angles(std::span<const double> q, double* to) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  to[0] = kDegrees * std::atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y));
  to[1] = kDegrees * std::asin(std::clamp(2.0 * (w * y - z * x), -1.0, 1.0));
  to[2] = kDegrees * std::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
}

// Returns nothing for a device of no kind, such as a GPS that gives degrees.
std::optional<SensorSource> source_of(const DeviceNode& node, const WorldSettings& world) {
  struct Row {
    std::string_view type;
    SensorKind kind;
    double factor;
  };
  static constexpr Row kThreeAxes[] = {{"Gyro", SensorKind::Gyroscope, kDegrees},
                                       {"Accelerometer", SensorKind::Accelerometer, 1.0},
                                       {"Compass", SensorKind::Magnetometer, 1.0},
                                       {"InertialUnit", SensorKind::Orientation, 1.0},
                                       {"GPS", SensorKind::Position, 1.0}};
  Device* const sensor = node.sensor();
  const auto* const row = std::find_if(std::begin(kThreeAxes), std::end(kThreeAxes),
                                       [&](const Row& r) { return r.type == node.node_type; });
  const bool is_gps_in_degrees = node.node_type == "GPS" && world.gps_in_degrees;
  if (sensor != nullptr && row != std::end(kThreeAxes) && !is_gps_in_degrees) {
    return SensorSource{{row->kind, "", "", 3}, sensor, nullptr, row->factor};
  }
  if (sensor != nullptr && node.node_type == "TouchSensor") {
    const TouchType type = node.spec->body_sensor->touch_type;
    const SensorKind kind = type == TouchType::Bumper        ? SensorKind::SkinPatch
                            : type == TouchType::ForceTorque ? SensorKind::ForceTorque
                                                             : SensorKind::ContactLoads;
    return SensorSource{{kind, "", "", sensor->values().size()}, sensor};
  }
  if (const auto* const encoder =
          node.node_type == "PositionSensor" ? node.get<PositionSensor>() : nullptr) {
    return SensorSource{{SensorKind::Encoders, "", "", 1},
                        sensor,
                        nullptr,
                        encoder->type() == JointType::Rotational ? kDegrees : 1.0};
  }
  if (const auto* const motor = node.get<Motor>(); motor != nullptr && motor->servo().model()) {
    return SensorSource{{SensorKind::Temperature, "", "", 1}, nullptr, motor};
  }
  return std::nullopt;
}

std::vector<SensorSource> sources_of(const Robot& robot, const std::vector<std::string>& devices,
                                     const WorldSettings& world) {
  std::vector<SensorSource> sources;
  const auto add = [&](const DeviceNode& node) {
    std::optional<SensorSource> source = source_of(node, world);
    if (source) {
      source->sensor.name = source->sensor.frame = node.name;
      sources.push_back(std::move(*source));
    }
    return source.has_value();
  };
  std::set<std::string_view> names;
  for (const std::string& name : devices) {
    if (!names.insert(name).second) {
      throw std::invalid_argument(
          fmt::format("device '{}' of robot '{}' is named twice", name, robot.name()));
    }
    const DeviceNode* const node = robot.find(name);
    if (node == nullptr) {
      throw std::out_of_range(fmt::format("robot '{}' has no device '{}'", robot.name(), name));
    }
    if (!add(*node)) {
      throw std::invalid_argument(
          fmt::format("device '{}' of robot '{}' is a {}, which is no analog sensor", name,
                      robot.name(), node->node_type));
    }
  }
  if (devices.empty()) {
    std::for_each(robot.devices().begin(), robot.devices().end(), add);
  }
  if (sources.empty()) {
    throw std::invalid_argument(fmt::format("robot '{}' has no analog sensor", robot.name()));
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const auto& a, const auto& b) { return a.sensor.kind < b.sensor.kind; });
  return sources;
}

Measurements empty_measurements(const std::vector<AnalogSensor>& sensors) {
  std::size_t values = 0;
  for (const AnalogSensor& sensor : sensors) {
    values += sensor.values;
  }
  return {std::vector<double>(values), std::vector<double>(sensors.size()), {}};
}

std::vector<AnalogSensor> sensors_of(const std::vector<SensorSource>& sources) {
  std::vector<AnalogSensor> sensors;
  for (const SensorSource& source : sources) {
    sensors.push_back(source.sensor);
  }
  return sensors;
}

}  // namespace

struct SensorServer::Impl {
  Impl(YarpNode& node, Simulation& the_simulation, const Timeline& the_timeline,
       const Options& options)
      : simulation(the_simulation),
        timeline(the_timeline),
        sources(sources_of(simulation.robot(options.robot), options.devices,
                           WorldInspector(simulation).scene().world)),
        sensors(sensors_of(sources)),
        period_ms(std::max(1, static_cast<int>(std::llround(1e3 * options.period)))),
        generation(options.generation),
        schedule(options.period) {
    enable();
    open(node, options);
  }

  void open(YarpNode& node, const Options& options);
  void enable();
  bool has_samples() const;
  void read(Measurements& to) const;

  Simulation& simulation;
  const Timeline& timeline;
  std::vector<SensorSource> sources;
  std::vector<AnalogSensor> sensors;  // those of sources
  int period_ms;
  Generation generation;
  OutputSchedule schedule;
  bool has_begun = false;  // each sensor has a sample
  Port* measures = nullptr;
  Port* rpc = nullptr;
  Writer writer;  // used in the node's thread
  std::optional<net::StatePublisher<Measurements>> publisher;
};

void SensorServer::Impl::open(YarpNode& node, const Options& options) {
  PortOptions of_measures{.name = options.name + "/measures:o", .listen = options.listen};
  of_measures.generation = generation;
  PortOptions of_rpc{.name = options.name + "/rpc:o", .listen = options.listen};
  of_rpc.generation = generation;
  if (of_rpc.listen.port != 0) {
    ++of_rpc.listen.port;
  }
  // The names never change, so the node's thread answers.
  ThriftService service(
      {{"getMetadata", "SensorRPCData getMetadata()",
        "The names and frames of the sensors of each kind.",
        [metadata = sensor_metadata(sensors)](ThriftArguments arguments, const Respond& respond) {
          if (arguments.empty()) {
            respond(metadata);
          }
          return arguments.empty();
        }}});
  measures = &node.open(std::move(of_measures), nullptr);
  rpc = &node.open(std::move(of_rpc), [service = std::move(service)](const PortRequest& request,
                                                                     const Respond& respond) {
    service.request(request.body, respond);
  });
  publisher.emplace(
      node.thread(), empty_measurements(sensors),
      [this](const Measurements& state) {
        if (state.stamp.sequence > 0 && measures->output_count() > 0) {
          writer.clear();
          encode_measurements(writer, sensors, state.values, state.times, generation);
          measures->publish(writer.bytes(), state.stamp);
        }
      },
      kSensorRepeatInterval);
}

// A controller may have switched a sensor off.
void SensorServer::Impl::enable() {
  for (const SensorSource& source : sources) {
    if (source.device != nullptr && source.device->sampler().period_ms() == 0) {
      source.device->enable(period_ms, 1e3 * simulation.time());
    }
  }
}

bool SensorServer::Impl::has_samples() const {
  return std::all_of(sources.begin(), sources.end(), [](const SensorSource& source) {
    return source.device == nullptr || source.device->sampler().count() > 0;
  });
}

void SensorServer::Impl::read(Measurements& to) const {
  const double shift = timeline.now() - simulation.time();
  double* value = to.values.data();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const SensorSource& source = sources[i];
    to.times[i] = timeline.now();
    if (source.motor != nullptr) {
      const auto reading = source.motor->servo().reading();
      *value = reading ? reading->temperature : std::nan("");
    } else {
      const std::span<const double> values = source.device->values();
      to.times[i] = 1e-3 * source.device->sampler().last_ms() + shift;
      if (source.sensor.kind == SensorKind::Orientation) {
        put_angles(values.subspan(3), value);
      } else {
        std::transform(values.begin(),
                       values.begin() + static_cast<std::ptrdiff_t>(source.sensor.values), value,
                       [&](double x) { return source.factor * x; });
      }
    }
    value += source.sensor.values;
  }
  to.stamp = schedule.stamp();
}

SensorServer::SensorServer(YarpNode& node, Simulation& simulation, const Timeline& timeline,
                           Options options)
    : impl_(std::make_unique<Impl>(node, simulation, timeline, options)) {}

SensorServer::~SensorServer() = default;

// The schedule begins with the first samples, so that messages follow samples at once.
void SensorServer::after_step() {
  impl_->has_begun = impl_->has_begun || impl_->has_samples();
  if (impl_->has_begun && impl_->schedule.due(impl_->timeline.now())) {
    impl_->enable();
    impl_->publisher->put([this](Measurements& state) { impl_->read(state); });
  }
}

const std::vector<AnalogSensor>& SensorServer::sensors() const { return impl_->sensors; }
Contact SensorServer::measures() const { return impl_->measures->contact(); }
Contact SensorServer::rpc() const { return impl_->rpc->contact(); }

}  // namespace servosim::yarp::server

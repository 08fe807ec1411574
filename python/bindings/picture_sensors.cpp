// SPDX-License-Identifier: Apache-2.0
// Cameras, RangeFinders and Lidars of a simulation.
#include "picture_sensors.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "classes.h"
#include "servosim/camera.h"
#include "servosim/ranging_sensor.h"
#include "servosim/recognition.h"
#include "servosim/robot.h"

namespace servosim::python {

namespace {

// An array over the memory of a picture, which lives as long as the array.
py::array array_over(const PictureSensor& sensor, const py::dtype& type,
                     std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                     std::size_t from) {
  auto memory = std::make_unique<std::shared_ptr<const void>>(sensor.shared_picture());
  const auto* const first = static_cast<const std::byte*>(memory->get()) + from;
  const py::capsule owner(
      memory.release(), [](void* kept) { delete static_cast<std::shared_ptr<const void>*>(kept); });
  py::array array(type, std::move(shape), std::move(strides), first, owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

// Raises AttributeError for a picture that this type of sensor does not take.
void check_kind(const PictureSensorHandle& self, const PictureSensor* sensor, const char* kind,
                const char* remedy) {
  if (sensor == nullptr) {
    throw py::attribute_error("'" + self.name + "', a " + self.node_type + ", has no " + kind +
                              remedy);
  }
}

const PictureSensor& with_picture(const PictureSensorHandle& self, const PictureSensor* sensor,
                                  const char* how) {
  self.owner->idle();
  if (sensor->picture_bytes().empty()) {
    throw std::runtime_error("'" + self.name + "' has no picture yet: " + how + " starts it");
  }
  return *sensor;
}

// A pixel in memory is blue, green, red and 255.
py::array colors(const PictureSensor& sensor) {
  const py::ssize_t width = sensor.width();
  return array_over(sensor, py::dtype::of<std::uint8_t>(), {sensor.height(), width, 3},
                    {4 * width, 4, -1}, 2);
}

py::array rgb(const PictureSensorHandle& self) {
  check_kind(self, self.camera, "rgb", ": only a Camera has colors");
  return colors(with_picture(self, self.camera, "enable()"));
}

Recognition* segmenter(const PictureSensorHandle& self) {
  return self.recognition != nullptr && self.recognition->can_segment() ? self.recognition
                                                                        : nullptr;
}

constexpr const char* kSegmentation =
    ": only a Camera with Recognition { segmentation TRUE } has it";

py::array segmentation(const PictureSensorHandle& self) {
  check_kind(self, segmenter(self), "segmentation", kSegmentation);
  return colors(with_picture(self, self.recognition, "enable(segmentation=True)"));
}

py::array distances(const PictureSensorHandle& self, const char* kind, bool of_lidar) {
  const bool fits = (self.node_type == "Lidar") == of_lidar;
  check_kind(self, fits ? self.distances : nullptr, kind,
             of_lidar ? ": only a Lidar has them" : ": only a RangeFinder has it");
  const PictureSensor& sensor = with_picture(self, self.distances, "enable()");
  const py::ssize_t width = sensor.width();
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(float));
  return array_over(sensor, py::dtype::of<float>(), {sensor.height(), width},
                    {kSize * width, kSize}, 0);
}

PictureSensor& any_of(const PictureSensorHandle& self) {
  return self.camera != nullptr ? static_cast<PictureSensor&>(*self.camera) : *self.distances;
}

void set_picture_period(const PictureSensorHandle& self, int period_ms, bool segments) {
  const double now_ms = 1000.0 * self.owner->idle().time();
  for (PictureSensor* const sensor :
       {static_cast<PictureSensor*>(self.camera), static_cast<PictureSensor*>(self.distances)}) {
    if (sensor != nullptr) {
      sensor->enable(period_ms, now_ms);
    }
  }
  if (self.recognition != nullptr) {
    self.recognition->set_segmentation(segments);
    self.recognition->enable(segments ? period_ms : 0, now_ms);
  }
}

void enable_pictures(const PictureSensorHandle& self, std::optional<int> period_ms, bool segments) {
  if (period_ms && *period_ms < 1) {
    throw py::value_error("period_ms is 1 or more, not " + std::to_string(*period_ms) +
                          "; disable() stops the sensor");
  }
  if (segments && segmenter(self) == nullptr) {
    throw py::value_error("'" + self.name + "', a " + self.node_type + ", has no segmentation" +
                          kSegmentation);
  }
  const double basic_ms = self.owner->idle().basic_time_step_ms();
  set_picture_period(self, period_ms.value_or(static_cast<int>(std::ceil(basic_ms))), segments);
}

}  // namespace

PictureSensorHandle::PictureSensorHandle(const Owner& the_owner, std::string the_name,
                                         const DeviceNode& node)
    : owner(the_owner),
      name(std::move(the_name)),
      node_type(node.node_type),
      camera(node.get<Camera>()),
      distances(node.get<RangingSensor>()),
      recognition(node.get<Recognition>()) {}

void bind_picture_sensor(py::module_& module) {
  Class<PictureSensorHandle>(
      module, "PictureSensor",
      "A Camera, RangeFinder or Lidar; see Simulation.picture_sensors. It takes pictures once it "
      "is "
      "enabled.\n\n"
      "Pictures are arrays over the memory of the sensor, read-only: each one that it takes "
      "overwrites the former. Before the first one, colors are black and distances 0.")
      .def_property_readonly(
          "name", [](const PictureSensorHandle& self) { return text(self.name); },
          "'robot/sensor', which no other picture sensor has.")
      .def_property_readonly(
          "type", [](const PictureSensorHandle& self) { return text(self.node_type); },
          "'Camera', 'RangeFinder' or 'Lidar'.")
      .def_property_readonly(
          "width",
          [](const PictureSensorHandle& self) {
            self.owner->idle();
            return any_of(self).width();
          },
          "How many columns; of a Lidar the points of a layer.")
      .def_property_readonly(
          "height",
          [](const PictureSensorHandle& self) {
            self.owner->idle();
            return any_of(self).height();
          },
          "How many rows; of a Lidar its layers.")
      .def("enable", &enable_pictures, py::arg("period_ms") = py::none(), py::kw_only(),
           py::arg("segmentation") = false,
           "Takes a picture every `period_ms` [ms], 1 or more, by default each step; with "
           "`segmentation` also that of a Camera.\n\n"
           "The first picture comes one period later.")
      .def(
          "disable", [](const PictureSensorHandle& self) { set_picture_period(self, 0, false); },
          "Takes no more pictures; the last one stays, but that of segmentation.")
      .def_property_readonly(
          "sampling_period",
          [](const PictureSensorHandle& self) {
            self.owner->idle();
            return any_of(self).sampler().period_ms();
          },
          "[ms]; 0 while it takes no pictures.")
      .def_property_readonly("rgb", &rgb,
                             "The picture of a Camera: uint8 (height, width, 3), red, green, blue.")
      .def_property_readonly(
          "segmentation", &segmentation,
          "The same, in which each object that is recognised has its first recognitionColor.")
      .def_property_readonly(
          "depth", [](const PictureSensorHandle& self) { return distances(self, "depth", false); },
          "The picture of a RangeFinder: float32 (height, width) [m].")
      .def_property_readonly(
          "ranges", [](const PictureSensorHandle& self) { return distances(self, "ranges", true); },
          "The picture of a Lidar: float32 (layers, points) [m].")
      .def("__repr__", [](const PictureSensorHandle& self) {
        return text("<PictureSensor '" + self.name + "', " + self.node_type + ">");
      });
}

}  // namespace servosim::python

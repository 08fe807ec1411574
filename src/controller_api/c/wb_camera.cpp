// SPDX-License-Identifier: Apache-2.0
#include <webots/camera.h>

#include <limits>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::device_integer;
using servosim::device_number;
using servosim::refuse;

namespace {

constexpr WbNodeType kCamera = WB_NODE_CAMERA;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kSegmentation = "recognition.segmentation";
constexpr std::string_view kSegmentationOn = "recognition.segmentation.on";

bool has(const ClientDevice& device, std::string_view field) {
  return !device.field(field).numbers.empty();
}

// A limit of the field of view. Without Zoom both limits are the field fieldOfView.
double fov_bound(const char* function, WbDeviceTag tag, std::string_view field) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& camera = client.device(tag, kCamera);
    return camera.number(has(camera, field) ? field : "fieldOfView");
  });
}

bool has_recognition(const ClientDevice& camera) { return has(camera, "recognition.maxRange"); }

// The camera of a tag. @throws CallError if it has no Recognition node
ClientDevice& recognizing(ControllerClient& client, WbDeviceTag tag) {
  ClientDevice& camera = client.device(tag, kCamera);
  refuse(!has_recognition(camera), "this camera has no Recognition node.");
  return camera;
}

void enable_segmentation(const char* function, WbDeviceTag tag, bool on) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = recognizing(client, tag);
    refuse(camera.number(kSegmentation) == 0.0,
           "the field segmentation of the Recognition node is FALSE.");
    camera.setting(kSegmentationOn) = on ? 1.0 : 0.0;
  });
}

// Whether segmentation is enabled. Reports an error if it is not.
bool makes_segments(const char* function, WbDeviceTag tag) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    refuse(client.device(tag, kCamera).number(kSegmentationOn) == 0.0,
           "segmentation is disabled: call wb_camera_recognition_enable_segmentation() first.");
    return true;
  });
}

std::nullptr_t no_object(const char* function, WbDeviceTag tag) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock& lock) {
    const bool is_on = recognizing(client, tag).segments.is_enabled();
    if (!is_on) {
      client.report_error(
          "called while recognition is disabled: call "
          "wb_camera_recognition_enable() first.");
    }
    servosim::read_blindly(function, client, lock, tag, kCamera, is_on);
  });
  return nullptr;
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(camera, kCamera)

const unsigned char* wb_camera_get_image(WbDeviceTag tag) {
  return servosim::blank_pixels(__func__, tag, kCamera);
}

int wb_camera_save_image(WbDeviceTag tag, const char* filename, int) {
  return servosim::save_blank_pixels(__func__, tag, kCamera, filename);
}

int wb_camera_get_width(WbDeviceTag tag) { return device_integer(__func__, tag, kCamera, "width"); }

int wb_camera_get_height(WbDeviceTag tag) {
  return device_integer(__func__, tag, kCamera, "height");
}

double wb_camera_get_near(WbDeviceTag tag) { return device_number(__func__, tag, kCamera, "near"); }

// ---- as a range finder

const float* wb_camera_get_range_image(WbDeviceTag tag) {
  return servosim::blank_ranges(__func__, tag, kCamera, "width", "height");
}

double wb_camera_get_max_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "maxRange");
}

int wb_camera_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) -> int {
    const std::string& type = client.device(tag, kCamera).field("type").text;
    return type.empty() ? static_cast<int>(WB_CAMERA_COLOR) : type.front();
  });
}

// ---- zoom, exposure, focus

double wb_camera_get_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "fieldOfView");
}

double wb_camera_get_max_fov(WbDeviceTag tag) {
  return fov_bound(__func__, tag, "zoom.maxFieldOfView");
}

double wb_camera_get_min_fov(WbDeviceTag tag) {
  return fov_bound(__func__, tag, "zoom.minFieldOfView");
}

void wb_camera_set_fov(WbDeviceTag tag, double fov) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = client.device(tag, kCamera);
    refuse(!has(camera, "zoom.minFieldOfView"), "this camera has no Zoom node.");
    refuse(!(fov >= camera.number("zoom.minFieldOfView") &&
             fov <= camera.number("zoom.maxFieldOfView")),
           "the field of view is out of the range of the Zoom node.");
    camera.setting("fieldOfView") = fov;
  });
}

double wb_camera_get_exposure(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "exposure");
}

void wb_camera_set_exposure(WbDeviceTag tag, double exposure) {
  servosim::set_device_number(__func__, tag, kCamera, "exposure", exposure, 0.0, kInfinity,
                              "the exposure");
}

double wb_camera_get_focal_length(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "focus.focalLength");
}

double wb_camera_get_focal_distance(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "focus.focalDistance");
}

double wb_camera_get_max_focal_distance(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "focus.maxFocalDistance");
}

double wb_camera_get_min_focal_distance(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "focus.minFocalDistance");
}

void wb_camera_set_focal_distance(WbDeviceTag tag, double focal_distance) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = client.device(tag, kCamera);
    refuse(!has(camera, "focus.focalDistance"), "this camera has no Focus node.");
    refuse(!(focal_distance >= camera.number("focus.minFocalDistance") &&
             focal_distance <= camera.number("focus.maxFocalDistance")),
           "the focal distance is out of the range of the Focus node.");
    camera.setting("focus.focalDistance") = focal_distance;
  });
}

// ---- recognition

bool wb_camera_has_recognition(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return has_recognition(client.device(tag, kCamera));
  });
}

void wb_camera_recognition_enable(WbDeviceTag tag, int sampling_period) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = recognizing(client, tag);
    refuse(sampling_period < 0, "the sampling period is negative.");
    camera.segments.enable(sampling_period, client.robot().time);
  });
}

void wb_camera_recognition_disable(WbDeviceTag tag) {
  servosim::alias(__func__, wb_camera_recognition_enable, tag, 0);
}

int wb_camera_recognition_get_sampling_period(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, kCamera).segments.period_ms();
  });
}

int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag) {
  no_object(__func__, tag);
  return 0;
}

const WbCameraRecognitionObject* wb_camera_recognition_get_objects(WbDeviceTag tag) {
  return no_object(__func__, tag);
}

const WbCameraRecognitionObject* wb_camera_recognition_get_object(WbDeviceTag tag, int) {
  return no_object(__func__, tag);
}

bool wb_camera_recognition_has_segmentation(WbDeviceTag tag) {
  return device_integer(__func__, tag, kCamera, kSegmentation) != 0;
}

void wb_camera_recognition_enable_segmentation(WbDeviceTag tag) {
  enable_segmentation(__func__, tag, true);
}

void wb_camera_recognition_disable_segmentation(WbDeviceTag tag) {
  enable_segmentation(__func__, tag, false);
}

bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag) {
  return device_integer(__func__, tag, kCamera, kSegmentationOn) != 0;
}

const unsigned char* wb_camera_recognition_get_segmentation_image(WbDeviceTag tag) {
  return makes_segments(__func__, tag)
             ? servosim::blank_pixels(__func__, tag, kCamera, &ClientDevice::segments)
             : nullptr;
}

int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char* filename, int) {
  return makes_segments(__func__, tag)
             ? servosim::save_blank_pixels(__func__, tag, kCamera, filename,
                                           &ClientDevice::segments)
             : -1;
}

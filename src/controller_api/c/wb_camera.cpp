// SPDX-License-Identifier: Apache-2.0
#include <webots/camera.h>

#include <cstdio>
#include <numbers>
#include <span>
#include <string>

#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"

using servosim::api_call;
using servosim::CallError;
using servosim::ClientDevice;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::device_integer;
using servosim::device_number;
using servosim::kSegmentation;
using servosim::PictureKind;
using servosim::refuse;

namespace {

constexpr WbNodeType kCamera = WB_NODE_CAMERA;
constexpr std::string_view kFieldOfView = "fieldOfView";
constexpr std::string_view kFocalDistance = "focus.focalDistance";
constexpr PictureKind kPixels{kCamera,  &ClientDevice::pixels, "width",
                              "height", servosim::kBlackPixel, "wb_camera_enable"};
constexpr PictureKind kSegments{kCamera,  &ClientDevice::segments, "width",
                                "height", servosim::kBlackPixel,   "wb_camera_recognition_enable"};
// Up to V8.3 a camera could be a range finder, too.
constexpr PictureKind kCameraDistances{kCamera,  &ClientDevice::ranges, "width",
                                       "height", servosim::kNoDistance, "wb_camera_enable"};

bool has(const ClientDevice& device, std::string_view field) {
  return !device.field(field).numbers.empty();
}

// A limit of the field of view. Without Zoom both limits are the present one.
double fov_bound(const ClientDevice& camera, std::string_view field) {
  return camera.number(has(camera, field) ? field : kFieldOfView);
}

double fov_bound(const char* function, WbDeviceTag tag, std::string_view field) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return fov_bound(client.device(tag, kCamera), field);
  });
}

bool is_planar(const ClientDevice& camera) {
  return camera.field("projection").text == "planar" && camera.number("spherical") == 0.0;
}

// Refuses a number that is out of a range; `range` names that.
void check_range(double value, double low, double high, const char* range) {
  if (!(value >= low && value <= high)) {
    char text[160];
    std::snprintf(text, sizeof text, "out of %s range [%f, %f].", range, low, high);
    throw CallError(text);
  }
}

// Sets a number and sends it with the next step. A number that does not change is not sent, since
// the simulator refuses one of a camera without Zoom or Focus.
void set(ClientDevice& camera, std::string_view field, double value, CommandKind kind) {
  if (camera.number(field) != value) {
    camera.setting(field) = value;
    ControllerClient::request(camera, kind);
  }
}

const unsigned char* pixels(ClientDevice& camera, const PictureKind& kind) {
  return servosim::has_picture(camera, kind)
             ? servosim::picture_of(camera, kind).values<unsigned char>().data()
             : nullptr;
}

void save(const char* file, int quality, ClientDevice& camera, const PictureKind& kind,
          bool is_enabled) {
  servosim::kind_of_file(file);
  refuse(!is_enabled, "there is no picture: the device is disabled.");
  refuse(!servosim::has_picture(camera, kind), "there is no picture before a step.");
  servosim::save_pixels(file, quality, static_cast<int>(camera.number("width")),
                        static_cast<int>(camera.number("height")),
                        servosim::picture_of(camera, kind).values<unsigned char>());
}

// Calls action(client, camera), and returns 0, or -1 after a message.
template <typename Action>
int saved(const char* function, WbDeviceTag tag, const Action& action) {
  int result = -1;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    action(client.device(tag, kCamera));
    result = 0;
  });
  return result;
}

bool has_recognition(const ClientDevice& camera) { return has(camera, "recognition.maxRange"); }

// The camera of a tag. @throws CallError if it has no Recognition node
ClientDevice& recognizing(ControllerClient& client, WbDeviceTag tag) {
  ClientDevice& camera = client.device(tag, kCamera);
  refuse(!has_recognition(camera), "called on a Camera without Recognition node.");
  return camera;
}

// The same. @throws CallError also if its field segmentation is FALSE
ClientDevice& segmenting(ControllerClient& client, WbDeviceTag tag) {
  ClientDevice& camera = recognizing(client, tag);
  refuse(camera.number("recognition.segmentation") == 0.0,
         "segmentation is disabled in Recognition node.");
  return camera;
}

bool is_segmented(const ClientDevice& camera) { return camera.number(kSegmentation) != 0.0; }

// The camera of a tag whose recognition is enabled; null after a message if it is not.
const ClientDevice* recognized(ControllerClient& client, WbDeviceTag tag) {
  const ClientDevice& camera = recognizing(client, tag);
  if (camera.recognition_period_ms <= 0) {
    servosim::report_disabled(client, kSegments.enable);
    return nullptr;
  }
  return &camera;
}

void enable_segmentation(const char* function, WbDeviceTag tag, bool on) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = segmenting(client, tag);
    camera.setting(kSegmentation) = on ? 1.0 : 0.0;
    ControllerClient::request(camera, CommandKind::Segmentation);
  });
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(camera, kCamera)

const unsigned char* wb_camera_get_image(WbDeviceTag tag) {
  return api_call(__func__,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const unsigned char* {
                    ClientDevice& camera = client.device(tag, kCamera);
                    if (!servosim::is_sampled(camera)) {
                      servosim::report_disabled(client, kPixels.enable);
                      return nullptr;
                    }
                    return pixels(camera, kPixels);
                  });
}

int wb_camera_save_image(WbDeviceTag tag, const char* filename, int quality) {
  return saved(__func__, tag, [=](ClientDevice& camera) {
    save(filename, quality, camera, kPixels, servosim::is_sampled(camera));
  });
}

int wb_camera_get_width(WbDeviceTag tag) { return device_integer(__func__, tag, kCamera, "width"); }

int wb_camera_get_height(WbDeviceTag tag) {
  return device_integer(__func__, tag, kCamera, "height");
}

double wb_camera_get_near(WbDeviceTag tag) { return device_number(__func__, tag, kCamera, "near"); }

// ---- as a range finder

const float* wb_camera_get_range_image(WbDeviceTag tag) {
  return servosim::distances(__func__, tag, kCameraDistances);
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
    const bool planar = is_planar(camera);
    const double most = (planar ? 1.0 : 2.0) * std::numbers::pi;
    refuse(!(fov >= 0.0 && fov <= most),
           planar ? "called with 'fov' argument outside of the [0, pi] range."
                  : "called with 'fov' argument outside of the [0, 2.0*pi] range.");
    check_range(fov, fov_bound(camera, "zoom.minFieldOfView"),
                fov_bound(camera, "zoom.maxFieldOfView"), "zoom");
    set(camera, kFieldOfView, fov, CommandKind::FieldOfView);
  });
}

double wb_camera_get_exposure(WbDeviceTag tag) {
  return device_number(__func__, tag, kCamera, "exposure");
}

void wb_camera_set_exposure(WbDeviceTag tag, double exposure) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& camera = client.device(tag, kCamera);
    if (!(exposure >= 0.0)) {  // Webots' text, which is not of the usual form
      servosim::print_to_stderr(
          "Error", "'exposure' argument of wb_camera_set_exposure() can't be negative.");
      return;
    }
    set(camera, "exposure", exposure, CommandKind::Exposure);
  });
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
    refuse(!is_planar(camera), "can only be called on a planar camera.");
    check_range(focal_distance, camera.number("focus.minFocalDistance"),
                camera.number("focus.maxFocalDistance"), "focus");
    set(camera, kFocalDistance, focal_distance, CommandKind::FocalDistance);
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
    servosim::check_period(sampling_period);
    camera.recognition_period_ms = sampling_period;
    ControllerClient::request(camera, CommandKind::Recognition);
  });
}

void wb_camera_recognition_disable(WbDeviceTag tag) {
  servosim::alias(__func__, wb_camera_recognition_enable, tag, 0);
}

int wb_camera_recognition_get_sampling_period(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return recognizing(client, tag).recognition_period_ms;
  });
}

int wb_camera_recognition_get_number_of_objects(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice* const camera = recognized(client, tag);
    return camera != nullptr ? static_cast<int>(camera->objects.list().size()) : 0;
  });
}

const WbCameraRecognitionObject* wb_camera_recognition_get_objects(WbDeviceTag tag) {
  return api_call(
      __func__,
      [=](ControllerClient& client, ControllerClient::Lock&) -> const WbCameraRecognitionObject* {
        const ClientDevice* const camera = recognized(client, tag);
        return camera != nullptr ? camera->objects.list().data() : nullptr;
      });
}

const WbCameraRecognitionObject* wb_camera_recognition_get_object(WbDeviceTag tag, int index) {
  return api_call(
      __func__,
      [=](ControllerClient& client, ControllerClient::Lock&) -> const WbCameraRecognitionObject* {
        const ClientDevice* const camera = recognized(client, tag);
        if (camera == nullptr) {
          return nullptr;
        }
        const std::vector<WbCameraRecognitionObject>& list = camera->objects.list();
        refuse(index < 0 || static_cast<std::size_t>(index) >= list.size(),
               "there is no such object.");
        return &list[static_cast<std::size_t>(index)];
      });
}

bool wb_camera_recognition_has_segmentation(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return recognizing(client, tag).number("recognition.segmentation") != 0.0;
  });
}

void wb_camera_recognition_enable_segmentation(WbDeviceTag tag) {
  enable_segmentation(__func__, tag, true);
}

void wb_camera_recognition_disable_segmentation(WbDeviceTag tag) {
  enable_segmentation(__func__, tag, false);
}

bool wb_camera_recognition_is_segmentation_enabled(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return recognizing(client, tag).number(kSegmentation) != 0.0;
  });
}

const unsigned char* wb_camera_recognition_get_segmentation_image(WbDeviceTag tag) {
  return api_call(__func__,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const unsigned char* {
                    ClientDevice& camera = recognizing(client, tag);
                    if (camera.number("recognition.segmentation") == 0.0) {
                      return nullptr;
                    }
                    refuse(!is_segmented(camera),
                           "segmentation is disabled! Please use: "
                           "wb_camera_recognition_enable_segmentation().");
                    return camera.recognition_period_ms > 0 ? pixels(camera, kSegments) : nullptr;
                  });
}

int wb_camera_recognition_save_segmentation_image(WbDeviceTag tag, const char* filename,
                                                  int quality) {
  return saved(__func__, tag, [=](ClientDevice& camera) {
    refuse(!has_recognition(camera), "called on a Camera without Recognition node.");
    refuse(!is_segmented(camera),
           "segmentation is disabled! Please use: wb_camera_recognition_enable_segmentation().");
    save(filename, quality, camera, kSegments, camera.recognition_period_ms > 0);
  });
}

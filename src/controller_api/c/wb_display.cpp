// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <webots/display.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::refuse;
using servosim::set_device_number;

/// An image without its pixels.
struct WbImageStructPrivate {
  double width;
  double height;
};

namespace {

constexpr WbNodeType kDisplay = WB_NODE_DISPLAY;
constexpr double kMaxPixels = 1 << 26;
constexpr int kQuality = 100;  // of a .jpg file

// The images that exist. The client's mutex guards them.
std::vector<std::unique_ptr<WbImageStructPrivate>>& images() {
  static auto* list = new std::vector<std::unique_ptr<WbImageStructPrivate>>;
  return *list;
}

auto find_image(WbImageRef ir) {
  auto& list = images();
  return std::find_if(list.begin(), list.end(),
                      [=](const auto& image) { return image.get() == ir; });
}

WbImageRef make_image(double width, double height) {
  images().push_back(std::make_unique<WbImageStructPrivate>(WbImageStructPrivate{width, height}));
  return images().back().get();
}

// Checks the display, and the sizes of the figure.
void draw(const char* function, WbDeviceTag tag, int width = 1, int height = 1) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(width < 1 || height < 1, "a size is smaller than 1.");
    servosim::report_absent(function, display, servosim::kNoDrawing);
  });
}

void draw_polygon(const char* function, WbDeviceTag tag, const int* x, const int* y, int size) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(x == nullptr || y == nullptr, "the corners are NULL.");
    refuse(size < 3, "a polygon has 3 corners or more.");
    servosim::report_absent(function, display, servosim::kNoDrawing);
  });
}

void use_image(const char* function, WbDeviceTag tag, WbImageRef ir) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kDisplay);
    refuse(find_image(ir) == images().end(), "this is no image of wb_display_image_…().");
  });
}

// A PNG file has its size. An image of another format counts as large as the display.
WbImageRef make_image_of(const char* file, const ClientDevice& display) {
  std::array<unsigned char, 24> begin{};
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(begin.data()), begin.size());
  const auto number = [&](std::size_t at) {
    return 16777216.0 * begin[at] + 65536.0 * begin[at + 1] + 256.0 * begin[at + 2] + begin[at + 3];
  };
  const bool is_png = std::memcmp(begin.data(), "\x89PNG", 4) == 0;
  return make_image(is_png ? number(16) : display.number("width"),
                    is_png ? number(20) : display.number("height"));
}

bool is_file(const char* path) {
  struct stat info {};
  return path != nullptr && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

int wb_display_get_width(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kDisplay, "width");
}

int wb_display_get_height(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kDisplay, "height");
}

// ---- drawing

void wb_display_set_color(WbDeviceTag tag, int color) {
  set_device_number(__func__, tag, kDisplay, "color", color, 0.0, 0xffffff, "the color");
}

void wb_display_set_alpha(WbDeviceTag tag, double alpha) {
  set_device_number(__func__, tag, kDisplay, "alpha", alpha, 0.0, 1.0, "alpha");
}

void wb_display_set_opacity(WbDeviceTag tag, double opacity) {
  set_device_number(__func__, tag, kDisplay, "opacity", opacity, 0.0, 1.0, "the opacity");
}

void wb_display_set_font(WbDeviceTag tag, const char* font, int size, bool) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kDisplay);
    refuse(font == nullptr || *font == '\0', "the font is NULL or empty.");
    refuse(size < 1, "the size is smaller than 1.");
  });
}

void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kDisplay);
    client.device(camera_tag, WB_NODE_CAMERA);
  });
}

void wb_display_detach_camera(WbDeviceTag tag) { servosim::check_device(__func__, tag, kDisplay); }

void wb_display_draw_pixel(WbDeviceTag tag, int, int) { draw(__func__, tag); }

void wb_display_draw_line(WbDeviceTag tag, int, int, int, int) { draw(__func__, tag); }

void wb_display_draw_rectangle(WbDeviceTag tag, int, int, int width, int height) {
  draw(__func__, tag, width, height);
}

void wb_display_draw_oval(WbDeviceTag tag, int, int, int a, int b) { draw(__func__, tag, a, b); }

void wb_display_draw_polygon(WbDeviceTag tag, const int* x, const int* y, int size) {
  draw_polygon(__func__, tag, x, y, size);
}

void wb_display_draw_text(WbDeviceTag tag, const char* text, int, int) {
  api_call(__func__, [=, function = __func__](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(text == nullptr, "the text is NULL.");
    servosim::report_absent(function, display, servosim::kNoDrawing);
  });
}

void wb_display_fill_rectangle(WbDeviceTag tag, int, int, int width, int height) {
  draw(__func__, tag, width, height);
}

void wb_display_fill_oval(WbDeviceTag tag, int, int, int a, int b) { draw(__func__, tag, a, b); }

void wb_display_fill_polygon(WbDeviceTag tag, const int* x, const int* y, int size) {
  draw_polygon(__func__, tag, x, y, size);
}

// ---- images

WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void* data,
                                int format) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kDisplay);
    refuse(data == nullptr, "the data is NULL.");
    refuse(width < 1 || height < 1, "a size is smaller than 1.");
    refuse(format < WB_IMAGE_RGB || format > WB_IMAGE_ABGR, "there is no such format.");
    return make_image(width, height);
  });
}

WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& display = client.device(tag, kDisplay);
    refuse(width < 1 || height < 1, "a size is smaller than 1.");
    const auto outside = [&](std::int64_t begin, std::int64_t size, const char* field) {
      return begin < 0 || static_cast<double>(begin + size) > display.number(field);
    };
    refuse(outside(x, width, "width") || outside(y, height, "height"),
           "the rectangle is not inside the display.");
    return make_image(width, height);
  });
}

WbImageRef wb_display_image_load(WbDeviceTag tag, const char* filename) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& display = client.device(tag, kDisplay);
    refuse(!is_file(filename), "there is no such file.");
    return make_image_of(filename, display);
  });
}

void wb_display_image_delete(WbDeviceTag tag, WbImageRef ir) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, kDisplay);
    const auto found = find_image(ir);
    refuse(found == images().end(), "this is no image of wb_display_image_…().");
    images().erase(found);
  });
}

void wb_display_image_paste(WbDeviceTag tag, WbImageRef ir, int, int, bool) {
  use_image(__func__, tag, ir);
}

void wb_display_image_save(WbDeviceTag tag, WbImageRef ir, const char* filename) {
  api_call(
      __func__, [=, function = __func__](ControllerClient& client, ControllerClient::Lock& lock) {
        ClientDevice& display = client.device(tag, kDisplay);
        refuse(ir != nullptr && find_image(ir) == images().end(),
               "this is no image of wb_display_image_…().");
        const servosim::PictureFile kind = servosim::kind_of_file(filename);
        refuse(kind != servosim::PictureFile::Png && kind != servosim::PictureFile::Jpeg,
               "unsupported file format. Supported file formats are \".jpg\" and \".png\".");
        const double width = ir != nullptr ? ir->width : display.number("width");
        const double height = ir != nullptr ? ir->height : display.number("height");
        refuse(!(width >= 1.0 && height >= 1.0 && width * height <= kMaxPixels),
               "the picture has no pixels, or too many.");
        const std::vector<unsigned char> black(4 * static_cast<std::size_t>(width * height));
        servosim::save_pixels(filename, kQuality, static_cast<int>(width), static_cast<int>(height),
                              black);
        servosim::read_blindly(function, client, lock, tag, kDisplay, true, servosim::kNoDrawing);
      });
}

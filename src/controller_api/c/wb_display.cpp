// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <webots/display.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/drawing_call.h"
#include "base/scoped.h"
#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::DrawingCall;
using servosim::DrawingKind;
using servosim::refuse;

/// An image, whose pixels the simulation has.
struct WbImageStructPrivate {
  WbDeviceTag display;
  int number;  ///< among the images of the Display
};

namespace {

constexpr WbNodeType kDisplay = WB_NODE_DISPLAY;
constexpr int kQuality = 100;                                 // of a .jpg file
constexpr std::size_t kMaxDrawnBytes = std::size_t{8} << 20;  // in one message, of all Displays

using Lock = ControllerClient::Lock;
using ImageList = std::unordered_map<WbImageRef, std::unique_ptr<WbImageStructPrivate>>;

// The images that exist. The client's mutex guards them.
ImageList& images() {
  static auto* list = new ImageList;
  return *list;
}

// Returns the number of an image. @throws CallError if it is none of this display
int number_of(WbImageRef ir, WbDeviceTag display) {
  refuse(!images().contains(ir), "invalid WbImageRef argument.");
  refuse(ir->display != display, "invalid WbImageRef created by a different Display device.");
  return ir->number;
}

WbImageRef make_image(WbDeviceTag tag, int number) {
  auto image = std::make_unique<WbImageStructPrivate>(WbImageStructPrivate{tag, number});
  const WbImageRef made = image.get();
  images()[made] = std::move(image);
  return made;
}

// ---- the stream of calls

std::size_t drawn_bytes(ControllerClient& client) {
  std::size_t bytes = 0;
  for (const ClientDevice& device : client.devices()) {
    bytes += device.drawing.stream.size();
  }
  return bytes;
}

constexpr const char* kCannotAsk =
    "not between wb_robot_step_begin() and wb_robot_step_end(), and not after the end of the "
    "simulation.";

// Adds a call to what the next message carries. A message has a limit, so that a long call goes in
// several, of which all but the last one are sent at once. No other thread may put a call between
// them: while a message is on its way and the lock is free, `is_in_parts` keeps them away.
void send(ControllerClient& client, Lock& lock, ClientDevice& display, const DrawingCall& call) {
  servosim::Writer whole;
  servosim::write_drawing_call(whole, call);
  while (display.drawing.is_in_parts) {
    client.wait_until_idle(lock);
  }
  if (drawn_bytes(client) + whole.size() > kMaxDrawnBytes) {
    client.wait_until_idle(lock);
  }
  const std::size_t kept = drawn_bytes(client);
  refuse(
      kept + whole.size() > kMaxDrawnBytes && !client.can_flush(),
      "more than 8 MiB are drawn between wb_robot_step_begin() and wb_robot_step_end(), or after "
      "the end of the simulation; draw less there.");
  std::string_view left = servosim::as_text(whole.bytes());
  bool sends = true;
  const servosim::ScopedSwap<bool> in_parts(display.drawing.is_in_parts, sends);
  if (kept > 0 && kept + left.size() > kMaxDrawnBytes) {
    client.flush(lock);
  }
  for (; left.size() > kMaxDrawnBytes; left.remove_prefix(kMaxDrawnBytes)) {
    display.drawing.stream.chars(left.substr(0, kMaxDrawnBytes));
    ControllerClient::request(display, CommandKind::Draw);
    client.flush(lock);
  }
  display.drawing.stream.chars(left);
  ControllerClient::request(display, CommandKind::Draw);
}

// Sends a call that is answered. @throws CallError if no answer comes
servosim::DrawnPicture ask(ControllerClient& client, Lock& lock, ClientDevice& display,
                           const DrawingCall& call) {
  client.wait_until_idle(lock);  // a question of another thread is answered first
  refuse(!client.can_flush(), kCannotAsk);
  display.drawing.answer.reset();
  send(client, lock, display, call);
  client.flush(lock);
  refuse(!display.drawing.answer, "the simulator does not answer.");
  return std::move(*display.drawing.answer);
}

// Sends a call of a display. Sizes below 1 are an error; `what` names them.
struct Size {
  const char* error;
  int value;
};
void draw(const char* function, WbDeviceTag tag, const DrawingCall& call,
          std::initializer_list<Size> sizes = {}) {
  api_call(function, [&](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    for (const Size& size : sizes) {
      refuse(size.value < 1, size.error);
    }
    send(client, lock, display, call);
  });
}

constexpr const char* kBadWidth = "'width' argument is negative or null.";
constexpr const char* kBadHeight = "'height' argument is negative or null.";

void draw_oval(const char* function, WbDeviceTag tag, DrawingKind kind, int cx, int cy, int a,
               int b) {
  api_call(function, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(a < 1, "'horizontal_radius' argument is negative or null.");
    refuse(b < 1, "'vertical_radius' argument is negative or null.");
    refuse(std::max(a, b) > servosim::kMaxRadius, "a radius is larger than 65536 pixels.");
    send(client, lock, display, {kind, {cx, cy, a, b}});
  });
}

void draw_polygon(const char* function, WbDeviceTag tag, DrawingKind kind, const int* x,
                  const int* y, int size) {
  api_call(function, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(x == nullptr || y == nullptr, "the corners are NULL.");
    refuse(size < 1, "'size' argument is negative or null.");
    constexpr std::size_t kMostCorners = servosim::kMaxCallBytes / 8;
    refuse(static_cast<std::size_t>(size) > kMostCorners,
           "a polygon has more than 8388608 corners.");
    servosim::Writer corners;
    for (int i = 0; i < size; ++i) {
      corners.i32(x[i]);
      corners.i32(y[i]);
    }
    send(client, lock, display, {kind, {}, servosim::as_text(corners.bytes())});
  });
}

// A share in [0, 1] as 0 to 255.
void set_share(const char* function, WbDeviceTag tag, DrawingKind kind, double share,
               const char* error) {
  api_call(function, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(!(share >= 0.0 && share <= 1.0), error);
    send(client, lock, display, {kind, {static_cast<std::int32_t>(255.0 * share)}});
  });
}

bool is_of_type(ControllerClient& client, WbDeviceTag tag, WbNodeType type) {
  return tag > 0 && tag <= client.devices().size() && client.devices()[tag - 1u].node_type == type;
}

}  // namespace

int wb_display_get_width(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kDisplay, "width", -1);
}

int wb_display_get_height(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kDisplay, "height", -1);
}

// ---- drawing

void wb_display_set_color(WbDeviceTag tag, int color) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(color < 0 || color > 0xffffff, "'color' argument out of bounds.");
    send(client, lock, display, {DrawingKind::Color, {color}});
  });
}

void wb_display_set_alpha(WbDeviceTag tag, double alpha) {
  set_share(__func__, tag, DrawingKind::Alpha, alpha, "'alpha' argument out of bounds.");
}

void wb_display_set_opacity(WbDeviceTag tag, double opacity) {
  set_share(__func__, tag, DrawingKind::Opacity, opacity, "'opacity' argument out of bounds.");
}

void wb_display_set_font(WbDeviceTag tag, const char* font, int size, bool anti_aliasing) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(font == nullptr || *font == '\0', "the font is NULL or empty.");
    refuse(size < 1, "'size' argument is negative or null.");
    send(client, lock, display, {DrawingKind::Font, {size, anti_aliasing ? 1 : 0}, font});
  });
}

void wb_display_attach_camera(WbDeviceTag tag, WbDeviceTag camera_tag) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    refuse(!is_of_type(client, tag, kDisplay), "invalid display.");
    refuse(!is_of_type(client, camera_tag, WB_NODE_CAMERA), "invalid camera.");
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(display.drawing.shows_camera, "a camera is already attached to the display.");
    send(client, lock, display,
         {DrawingKind::AttachCamera, {}, client.devices()[camera_tag - 1u].name});
    display.drawing.shows_camera = true;
  });
}

void wb_display_detach_camera(WbDeviceTag tag) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    refuse(!is_of_type(client, tag, kDisplay), "invalid display.");
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(!display.drawing.shows_camera, "no camera to detach.");
    send(client, lock, display, {DrawingKind::DetachCamera});
    display.drawing.shows_camera = false;
  });
}

void wb_display_draw_pixel(WbDeviceTag tag, int x, int y) {
  draw(__func__, tag, {DrawingKind::Pixel, {x, y}});
}

void wb_display_draw_line(WbDeviceTag tag, int x1, int y1, int x2, int y2) {
  draw(__func__, tag, {DrawingKind::Line, {x1, y1, x2, y2}});
}

void wb_display_draw_rectangle(WbDeviceTag tag, int x, int y, int width, int height) {
  draw(__func__, tag, {DrawingKind::Rectangle, {x, y, width, height}},
       {{kBadWidth, width}, {kBadHeight, height}});
}

void wb_display_draw_oval(WbDeviceTag tag, int cx, int cy, int a, int b) {
  draw_oval(__func__, tag, DrawingKind::Oval, cx, cy, a, b);
}

void wb_display_draw_polygon(WbDeviceTag tag, const int* x, const int* y, int size) {
  draw_polygon(__func__, tag, DrawingKind::Polygon, x, y, size);
}

void wb_display_draw_text(WbDeviceTag tag, const char* text, int x, int y) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(text == nullptr || *text == '\0', "'text' argument is NULL or empty.");
    refuse(std::strlen(text) > servosim::kMaxText, "the text is longer than 1 MiB.");
    send(client, lock, display, {DrawingKind::Text, {x, y}, text});
  });
}

void wb_display_fill_rectangle(WbDeviceTag tag, int x, int y, int width, int height) {
  draw(__func__, tag, {DrawingKind::FillRectangle, {x, y, width, height}},
       {{kBadWidth, width}, {kBadHeight, height}});
}

void wb_display_fill_oval(WbDeviceTag tag, int cx, int cy, int a, int b) {
  draw_oval(__func__, tag, DrawingKind::FillOval, cx, cy, a, b);
}

void wb_display_fill_polygon(WbDeviceTag tag, const int* x, const int* y, int size) {
  draw_polygon(__func__, tag, DrawingKind::FillPolygon, x, y, size);
}

// ---- images

namespace {

constexpr const char* kBadSize = "'width' or 'height' argument is invalid.";

// The places of red, green, blue and alpha in a pixel of a format. WB_IMAGE_RGB has no alpha.
std::array<int, 4> places_in(int format) {
  switch (format) {
    case WB_IMAGE_ARGB:
      return {1, 2, 3, 0};
    case WB_IMAGE_BGRA:
      return {2, 1, 0, 3};
    case WB_IMAGE_ABGR:
      return {3, 2, 1, 0};
    default:
      return {0, 1, 2, 3};
  }
}

std::string pixels_of(const void* data, std::size_t pixels, int format) {
  const auto* from = static_cast<const char*>(data);
  const bool has_alpha = format != WB_IMAGE_RGB;
  const std::array<int, 4> places = places_in(format);
  if (format == WB_IMAGE_RGBA) {
    return {from, 4 * pixels};
  }
  std::string made(4 * pixels, '\xff');
  char* to = made.data();
  for (std::size_t i = 0; i < pixels; ++i, from += has_alpha ? 4 : 3, to += 4) {
    to[0] = from[places[0]];
    to[1] = from[places[1]];
    to[2] = from[places[2]];
    if (has_alpha) {
      to[3] = from[places[3]];
    }
  }
  return made;
}

// The bytes of a file of at most the length of a call; an empty text without one.
std::string bytes_of(const char* file) {
  struct stat info {};
  if (file == nullptr || stat(file, &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<std::uint64_t>(info.st_size) > servosim::kMaxCallBytes) {
    return {};
  }
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

WbImageRef wb_display_image_new(WbDeviceTag tag, int width, int height, const void* data,
                                int format) {
  return api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(data == nullptr, "'data' argument is NULL.");
    refuse(width < 1 || height < 1 ||
               static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) >
                   servosim::kMaxImagePixels,
           kBadSize);
    refuse(format < WB_IMAGE_RGB || format > WB_IMAGE_ABGR, "'format' argument is invalid.");
    const std::string pixels =
        pixels_of(data, static_cast<std::size_t>(width) * static_cast<std::size_t>(height), format);
    const int number = ++display.drawing.images;
    send(client, lock, display, {DrawingKind::NewImage, {number, width, height}, pixels});
    return make_image(tag, number);
  });
}

WbImageRef wb_display_image_copy(WbDeviceTag tag, int x, int y, int width, int height) {
  return api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    refuse(width < 1 || height < 1, kBadSize);
    const int number = ++display.drawing.images;
    send(client, lock, display, {DrawingKind::CopyImage, {number, x, y, width, height}});
    return make_image(tag, number);
  });
}

WbImageRef wb_display_image_load(WbDeviceTag tag, const char* filename) {
  return api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    const std::string bytes = bytes_of(filename);
    const int number = ++display.drawing.images;
    const bool is_read = !bytes.empty() &&
                         ask(client, lock, display, {DrawingKind::LoadImage, {number}, bytes}).done;
    if (!is_read) {
      throw servosim::CallError("the \"" + std::string(filename != nullptr ? filename : "") +
                                "\" image is unreadable.");
    }
    return make_image(tag, number);
  });
}

void wb_display_image_delete(WbDeviceTag tag, WbImageRef ir) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    send(client, lock, display, {DrawingKind::DeleteImage, {number_of(ir, tag)}});
    images().erase(ir);
  });
}

void wb_display_image_paste(WbDeviceTag tag, WbImageRef ir, int x, int y, bool blend) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    send(client, lock, display,
         {DrawingKind::PasteImage, {number_of(ir, tag), x, y, blend ? 1 : 0}});
  });
}

void wb_display_image_save(WbDeviceTag tag, WbImageRef ir, const char* filename) {
  api_call(__func__, [=](ControllerClient& client, Lock& lock) {
    ClientDevice& display = client.device(tag, kDisplay);
    const int number = ir != nullptr ? number_of(ir, tag) : 0;
    const servosim::PictureFile kind = filename != nullptr && *filename != '\0'
                                           ? servosim::kind_of_file(filename)
                                           : servosim::PictureFile::Other;
    refuse(kind != servosim::PictureFile::Png && kind != servosim::PictureFile::Jpeg,
           "unsupported file format. Supported file formats are \".jpg\" and \".png\".");
    std::vector<unsigned char> pixels;
    servosim::DrawnPicture part;
    std::size_t size = 0;
    do {
      part = ask(client, lock, display,
                 {DrawingKind::GetImage, {number, static_cast<std::int32_t>(pixels.size())}});
      size = std::size_t{4} * static_cast<std::size_t>(std::max(0, part.width)) *
             static_cast<std::size_t>(std::max(0, part.height));
      for (const std::byte byte : part.bytes) {
        pixels.push_back(static_cast<unsigned char>(byte));
      }
    } while (part.done && !part.bytes.empty() && pixels.size() < size);
    refuse(!part.done || pixels.size() != size || size == 0, "the image has no pixels.");
    bool has_alpha = false;
    for (std::size_t i = 0; i < pixels.size(); i += 4) {
      std::swap(pixels[i], pixels[i + 2]);
      has_alpha = has_alpha || pixels[i + 3] != 255;
    }
    servosim::save_pixels(filename, kQuality, part.width, part.height, pixels, has_alpha);
  });
}

// SPDX-License-Identifier: Apache-2.0
#include "servosim/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/device_command.h"
#include "base/drawing_call.h"
#include "base/files.h"
#include "base/report_once.h"
#include "base/text.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/drawing_state.h"
#include "devices/painted_surfaces.h"
#include "scene/mesh_file.h"
#include "servosim/camera.h"

namespace servosim {

namespace {

// Fonts that programs expect everywhere. Where no font of that name is found, one of Debian's
// DejaVu fonts takes its place, so that texts are legible.
constexpr std::array<std::pair<std::string_view, bool>, 15> kReplacedFonts{
    {{"Arial", false},
     {"Arial Black", false},
     {"Comic Sans MS", false},
     {"Courier New", true},
     {"DejaVu Sans", false},
     {"DejaVu Sans Mono", true},
     {"Georgia", false},
     {"Impact", false},
     {"Lucida Console", true},
     {"Lucida Sans Unicode", false},
     {"Palatino Linotype", false},
     {"Tahoma", false},
     {"Times New Roman", false},
     {"Trebuchet MS", false},
     {"Verdana", false}}};

// Returns the file of a font, or an empty text if there is none.
std::string find_font(const std::string& name, const std::vector<std::string>& folders) {
  const bool is_name = !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
  for (const std::string& folder : folders) {
    const std::string file = folder + '/' + name + ".ttf";
    std::error_code ignored;
    if (is_name && std::filesystem::is_regular_file(file, ignored)) {
      return file;
    }
  }
  const auto* const found = std::find_if(kReplacedFonts.begin(), kReplacedFonts.end(),
                                         [&name](const auto& font) { return font.first == name; });
  return found == kReplacedFonts.end() ? std::string()
         : found->second               ? helper_program_path("fonts/DejaVuSansMono.ttf")
                                       : helper_program_path("fonts/DejaVuSans.ttf");
}

std::uint8_t byte_of(std::int32_t number) {
  return static_cast<std::uint8_t>(std::clamp(number, 0, 255));
}

Canvas::Point point_at(const DrawingCall& call, std::size_t first) {
  return {call.numbers[first], call.numbers[first + 1]};
}

[[noreturn]] void refuse_call() { throw std::invalid_argument("a malformed call of a Display"); }

void check_sizes(std::int32_t width, std::int32_t height) {
  if (width < 1 || height < 1) {
    refuse_call();
  }
}

// Returns the node of the Camera of that name of the robot to which a device belongs; 0 if there is
// none.
std::uint32_t camera_beside(const Scene& scene, const DeviceSpec& device, std::string_view name) {
  for (const RobotSpec& robot : scene.robots) {
    const auto is_own = [&](const DeviceSpec& other) { return other.node == device.node; };
    if (std::none_of(robot.devices.begin(), robot.devices.end(), is_own)) {
      continue;
    }
    for (const DeviceSpec& other : robot.devices) {
      if (other.camera && other.name == name) {
        return other.node;
      }
    }
  }
  return 0;
}

// Saves an image, or puts the saved one in its place. One that is the same keeps its address, so
// that those who show it see no change.
void archive_image(DeviceArchive& archive, std::shared_ptr<Image>& image) {
  const std::shared_ptr<Image> before = image;
  if (archive.restores()) {
    image = std::make_shared<Image>();
  }
  archive.unhashed(image->width);
  archive.unhashed(image->height);
  archive.unhashed_list(image->pixels);
  if (archive.restores() && before != nullptr && *before == *image) {
    image = before;
  }
}

// The pixel of a Camera that lies below one of a picture. Their sizes may differ.
std::size_t pixel_below(const Camera& camera, const Image& image, int x, int y) {
  const std::size_t column = static_cast<std::size_t>(x) * camera.width() / image.width;
  const std::size_t row = static_cast<std::size_t>(y) * camera.height() / image.height;
  return row * camera.width() + column;
}

// Gives a picture the light that other Cameras see, over that of a Camera or over black if it has
// none. Its bytes are those that have been drawn.
void add_light(Image& image, const Camera* camera) {
  const std::span<const float> below =
      camera != nullptr ? camera->light() : std::span<const float>();
  image.light.assign(image.pixels.size(), 1.0f);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::size_t first = 4 * (static_cast<std::size_t>(y) * image.width + x);
      const std::uint8_t* const p = &image.pixels[first];
      const std::size_t pixel = below.empty() ? 0 : pixel_below(*camera, image, x, y);
      const float alpha = static_cast<float>(p[3]) / 255.0f;
      for (std::size_t part = 0; part < 3; ++part) {
        const float shining = below.empty() ? 0.0f : below[3 * pixel + part];
        image.light[first + part] = (1.0f - alpha) * shining + alpha * p[part] / 255.0f;
      }
    }
  }
}

// Lays the bytes of a picture over those of a Camera, or over black if it has none.
void lay_over(Image& image, const Camera* camera) {
  const std::span<const std::uint8_t> below =
      camera != nullptr ? camera->picture() : std::span<const std::uint8_t>();
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::uint8_t* const p = &image.pixels[4 * (static_cast<std::size_t>(y) * image.width + x)];
      const std::size_t pixel = below.empty() ? 0 : pixel_below(*camera, image, x, y);
      for (std::size_t part = 0; part < 3; ++part) {
        const int seen = below.empty() ? 0 : below[4 * pixel + 2 - part];
        p[part] = static_cast<std::uint8_t>(((255 - p[3]) * seen + p[3] * p[part]) / 255);
      }
      p[3] = 255;
    }
  }
}

}  // namespace

Display::Display(const DeviceBinding& binding)
    : Device(Turn::Display),
      spec_(&binding.spec),
      notices_(binding.world->notices),
      state_(std::make_unique<DrawingState>()) {
  Display::rebind(binding);
}

Display::~Display() = default;

int Display::width() const { return spec_->display->width; }
int Display::height() const { return spec_->display->height; }
std::span<const std::uint8_t> Display::picture() const { return own_picture()->pixels; }

// The former description still exists.
void Display::rebind(const DeviceBinding& binding) {
  const DisplaySpec& before = *spec_->display;
  spec_ = &binding.spec;
  scene_ = binding.world != nullptr ? &binding.world->scene : nullptr;
  surfaces_ = binding.world != nullptr ? &binding.world->surfaces : nullptr;
  if (before.width != width() || before.height != height()) {
    state_->picture.reset();
    state_->undrawn.reset();
  }
  if (surfaces_ != nullptr) {
    surfaces_->add(*this, spec_->display->number);
  }
}

std::shared_ptr<const Image> Display::own_picture() const {
  if (state_->picture != nullptr) {
    return state_->picture;
  }
  if (state_->undrawn == nullptr) {
    state_->undrawn = spec_->display->undrawn->get(width(), height());
  }
  return state_->undrawn;
}

Image& Display::writable() {
  if (state_->picture == nullptr || state_->picture.use_count() > 1) {
    state_->picture = std::make_shared<Image>(*own_picture());
    state_->undrawn.reset();
  }
  return *state_->picture;
}

CommandEffect Display::command(const DeviceCommand& command, double now_ms) {
  if (command.kind != CommandKind::Draw) {
    return Device::command(command, now_ms);
  }
  std::vector<std::byte>& stream = state_->stream;
  const Bytes piece = as_bytes(command.text);
  stream.insert(stream.end(), piece.begin(), piece.end());
  Bytes left = stream;
  const auto next_call = [&left] {
    if (is_malformed_drawing_call(left)) {
      refuse_call();
    }
    return read_drawing_call(left);
  };
  try {
    while (const std::optional<DrawingCall> call = next_call()) {
      draw(*call);
    }
    stream.erase(stream.begin(), stream.end() - static_cast<std::ptrdiff_t>(left.size()));
  } catch (...) {
    stream.clear();  // what follows a bad call has no meaning
    throw;
  }
  return {true};
}

void Display::draw(const DrawingCall& call) {
  Brush& brush = state_->brush;
  const auto color = static_cast<std::uint32_t>(call.numbers[0]);
  switch (call.kind) {
    case DrawingKind::Color:
      for (std::size_t i = 0; i < 3; ++i) {
        brush.color[i] = static_cast<std::uint8_t>(color >> (16 - 8 * i) & 0xffu);
      }
      return;
    case DrawingKind::Alpha:
      brush.alpha = byte_of(call.numbers[0]);
      return;
    case DrawingKind::Opacity:
      brush.opacity = byte_of(call.numbers[0]);
      return;
    case DrawingKind::Font:
      return choose_font(call);
    case DrawingKind::AttachCamera:
      state_->camera = scene_ != nullptr ? camera_beside(*scene_, *spec_, call.bytes) : 0;
      return;
    case DrawingKind::DetachCamera:
      state_->camera = 0;
      return;
    case DrawingKind::Text:
      return draw_text(call);
    case DrawingKind::NewImage:
    case DrawingKind::CopyImage:
    case DrawingKind::DeleteImage:
    case DrawingKind::PasteImage:
      return use_image(call);
    case DrawingKind::LoadImage:
    case DrawingKind::GetImage:
      if (answer_) {
        refuse_call();  // a controller waits for each answer
      }
      return call.kind == DrawingKind::LoadImage ? answer_load(call) : answer_read(call);
    default:
      return draw_figure(call);
  }
}

void Display::draw_figure(const DrawingCall& call) {
  const Brush& brush = state_->brush;
  Canvas canvas(writable());
  const Canvas::Point first = point_at(call, 0);
  const Canvas::Point second = point_at(call, 2);
  const auto corners = [&call] {
    std::vector<Canvas::Point> points(call.bytes.size() / sizeof(Canvas::Point));
    if (points.empty()) {
      refuse_call();
    }
    std::memcpy(points.data(), call.bytes.data(), points.size() * sizeof(Canvas::Point));
    return points;
  };
  switch (call.kind) {
    case DrawingKind::Pixel:
      return canvas.pixel(first[0], first[1], brush);
    case DrawingKind::Line:
      return canvas.line(first, second, brush);
    case DrawingKind::Rectangle:
      check_sizes(second[0], second[1]);
      return canvas.rectangle(first, second[0], second[1], brush);
    case DrawingKind::FillRectangle:
      check_sizes(second[0], second[1]);
      return canvas.fill_rectangle(first, second[0], second[1], brush);
    case DrawingKind::Oval:
    case DrawingKind::FillOval:
      check_sizes(second[0], second[1]);
      if (std::max(second[0], second[1]) > kMaxRadius) {
        refuse_call();
      }
      return canvas.oval(first, second, call.kind == DrawingKind::FillOval, brush);
    case DrawingKind::Polygon:
    case DrawingKind::FillPolygon:
      return canvas.polygon(corners(), call.kind == DrawingKind::FillPolygon, brush);
    default:
      refuse_call();
  }
}

// ---- text

// Returns the file of a font, or an empty text if there is none. A file that is found once is not
// looked for again.
std::string Display::font_file(const std::string& name) const {
  const auto known = state_->font_files.find(name);
  if (known != state_->font_files.end()) {
    return known->second;
  }
  const std::string found = find_font(name, spec_->display->font_folders);
  if (!found.empty()) {
    state_->font_files.emplace(name, found);
  }
  return found;
}

void Display::choose_font(const DrawingCall& call) {
  const std::string name(call.bytes);
  if (font_file(name).empty()) {
    return notices_.report(fmt::format("Invalid '{}' font.", name));
  }
  state_->font = name;
  state_->font_size = std::clamp(call.numbers[0], 1, kMaxFontSize);
  state_->is_smooth = call.numbers[1] != 0;
}

void Display::draw_text(const DrawingCall& call) {
  const std::string file = font_file(state_->font);
  const std::u32string text = characters_of(call.bytes);
  FontLetters& font = state_->fonts[{file, state_->font_size, state_->is_smooth}];
  std::vector<char32_t> missing;
  const auto miss = [&](char32_t letter) {
    if (!font.glyphs.contains(letter) && missing.size() < kMaxGlyphs) {
      font.glyphs[letter] = {};
      missing.push_back(letter);
    }
  };
  const bool is_new = std::any_of(text.begin(), text.end(), [&font](char32_t letter) {
    return letter != '\n' && !font.glyphs.contains(letter);
  });
  if (is_new) {
    for (char32_t letter = ' '; letter <= '~'; ++letter) {
      miss(letter);
    }
    for (const char32_t letter : text) {
      miss(letter);
    }
    ReadGlyphs read = read_glyphs(file, state_->font_size, state_->is_smooth, missing);
    if (const auto* const reason = std::get_if<std::string>(&read)) {
      return notices_.report(fmt::format("Display \"{}\": font '{}' {}; no text is drawn",
                                         spec_->name, file, *reason));
    }
    font.line_height = std::get<GlyphSet>(read).line_height;
    for (auto& [letter, glyph] : std::get<GlyphSet>(read).glyphs) {
      font.glyphs[letter] = std::move(glyph);
    }
  }
  Canvas canvas(writable());
  std::int64_t x = call.numbers[0];
  std::int64_t y = std::int64_t{call.numbers[1]} + state_->font_size;
  constexpr std::int64_t kBeyond = 1 << 24;  // more than a Display has
  for (const char32_t letter : text) {
    if (letter == '\n') {
      x = call.numbers[0];
      y += font.line_height;
      continue;
    }
    const Glyph& glyph = font.glyphs[letter];
    if (letter != ' ' && std::abs(x) < kBeyond && std::abs(y) < kBeyond) {
      canvas.glyph({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)}, glyph,
                   state_->brush);
    }
    x += glyph.advance;
  }
}

// ---- images

void Display::use_image(const DrawingCall& call) {
  const std::int32_t number = call.numbers[0];
  if (call.kind == DrawingKind::DeleteImage) {
    state_->images.remove(number);
    return;
  }
  if (call.kind == DrawingKind::PasteImage) {
    if (const std::shared_ptr<const Image> image = state_->images.use(number)) {
      Canvas(writable()).paste(*image, point_at(call, 1), call.numbers[3] != 0);
    }
    return;
  }
  if (call.kind == DrawingKind::CopyImage) {
    check_sizes(call.numbers[3], call.numbers[4]);
    keep_image(number, std::make_shared<const Image>(part_of(*copied(), point_at(call, 1),
                                                             call.numbers[3], call.numbers[4])));
    return;
  }
  check_sizes(call.numbers[1], call.numbers[2]);
  auto image = std::make_shared<Image>();
  image->width = call.numbers[1];
  image->height = call.numbers[2];
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(image->width) * static_cast<std::uint64_t>(image->height);
  if (pixels > kMaxImagePixels || call.bytes.size() != 4 * pixels) {
    refuse_call();
  }
  image->pixels.assign(call.bytes.begin(), call.bytes.end());
  keep_image(number, std::move(image));
}

void Display::keep_image(std::int32_t number, std::shared_ptr<const Image> image) {
  if (!state_->images.keep(number, std::move(image)) && !std::exchange(state_->is_full, true)) {
    notices_.report(
        fmt::format("Display \"{}\": its images have more than {} MB, so that those used longest "
                    "ago are dropped; delete those that are no longer used",
                    spec_->name, kMostImageBytes >> 20));
  }
}

void Display::answer_load(const DrawingCall& call) {
  const ReadImage read = read_image(call.bytes);
  const auto* const image = std::get_if<std::shared_ptr<const Image>>(&read);
  if (image != nullptr) {
    keep_image(call.numbers[0], *image);
  }
  answer_ = Answer{image != nullptr, 0, 0, {}};
}

void Display::answer_read(const DrawingCall& call) {
  const std::shared_ptr<const Image> image =
      call.numbers[0] == 0 ? copied() : state_->images.use(call.numbers[0]);
  if (image == nullptr) {
    answer_ = Answer{};
    return;
  }
  const std::vector<std::uint8_t>& pixels = image->pixels;
  const std::size_t first =
      std::min(pixels.size(), static_cast<std::size_t>(std::max(0, call.numbers[1])));
  const std::size_t count = std::min(pixels.size() - first, kMaxAnsweredBytes);
  const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(first);
  answer_ = Answer{
      true, image->width, image->height, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

std::optional<Display::Answer> Display::take_answer() {
  return std::exchange(answer_, std::nullopt);
}

// ---- what is seen

const Camera* Display::attached_camera() const {
  return surfaces_ != nullptr ? surfaces_->camera(state_->camera) : nullptr;
}

std::shared_ptr<const Image> Display::shown() const {
  if (state_->camera == 0) {
    return own_picture();
  }
  auto image = std::make_shared<Image>(*own_picture());
  add_light(*image, attached_camera());
  lay_over(*image, attached_camera());
  if (shown_ == nullptr || *shown_ != *image) {
    shown_ = std::move(image);
  }
  return shown_;
}

std::shared_ptr<const Image> Display::copied() const {
  if (state_->camera == 0) {
    return own_picture();
  }
  auto image = std::make_shared<Image>(*own_picture());
  lay_over(*image, attached_camera());
  return image;
}

double Display::red_at(const Texture& texture, const std::array<double, 2>& place) const {
  Texture own = texture;
  own.image = own_picture();
  return own.red_at(place);
}

// ---- state

std::function<void()> Display::keep_settings() {
  return [this, was = static_cast<const DrawingSettings&>(*state_),
          measures = Device::keep_settings()] {
    static_cast<DrawingSettings&>(*state_) = was;
    measures();
  };
}

// The pictures are no part of the hash, like those of Cameras.
void Display::archive_state(DeviceArchive& archive) {
  if (archive.hashes()) {
    return;
  }
  DrawingState& state = *state_;
  bool is_drawn = state.picture != nullptr;
  archive.unhashed(is_drawn);
  if (is_drawn) {
    archive_image(archive, state.picture);
  } else {
    state.picture.reset();
  }
  archive.unhashed(state.brush);
  std::vector<char> font(state.font.begin(), state.font.end());
  archive.unhashed_list(font);
  state.font.assign(font.begin(), font.end());
  archive.unhashed(state.font_size);
  archive.unhashed(state.is_smooth);
  archive.unhashed(state.camera);
  archive.unhashed_list(state.stream);
  if (archive.restores()) {
    answer_.reset();
    state.images.clear();
  }
  std::vector<std::int32_t> numbers = state.images.numbers();
  archive.unhashed_list(numbers);
  for (const std::int32_t number : numbers) {
    std::shared_ptr<Image> image;
    if (!archive.restores()) {
      image = std::const_pointer_cast<Image>(state.images.use(number));  // saving changes nothing
    }
    archive_image(archive, image);
    if (archive.restores()) {
      state.images.keep(number, std::move(image));
    }
  }
}

}  // namespace servosim

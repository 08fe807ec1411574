// SPDX-License-Identifier: Apache-2.0
// Displays in worlds: what is drawn, and who sees it.
#include "servosim/display.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/device_command.h"
#include "base/drawing_call.h"
#include "devices/drawing_state.h"
#include "devices/tone_map.h"
#include "scene/surface_look.h"
#include "servosim/camera.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/worlds.h"
#include "wbt/test_support.h"

namespace servosim {
namespace display_test {

using Pixel = std::array<int, 3>;  // red, green, blue
using Numbers = std::array<std::int32_t, 5>;

// Draws as a controller does that makes these calls before a step.
class Drawer {
 public:
  explicit Drawer(Display& display) : display_(display) {}
  Drawer& operator()(DrawingKind kind, const Numbers& numbers = {}, std::string_view bytes = {}) {
    Writer stream;
    write_drawing_call(stream, {kind, numbers, bytes});
    return send(as_text(stream.bytes()));
  }
  Drawer& send(std::string_view piece) {
    display_.command({1, CommandKind::Draw, {}, 0, piece}, 0.0);
    return *this;
  }

 private:
  Display& display_;
};

Display& display_of(Simulation& simulation) {
  return *simulation.robot(0).find("d")->get<Display>();
}
Camera& camera_of(Simulation& simulation, const char* name = "c") {
  return *simulation.robot(0).find(name)->get<Camera>();
}

Pixel drawn(const Display& display, int x, int y) {
  const std::uint8_t* const p =
      &display.picture()[4 * (static_cast<std::size_t>(y) * display.width() + x)];
  return {p[0], p[1], p[2]};
}

Pixel seen(const Camera& camera, int x, int y) {
  const std::uint8_t* const p =
      &camera.picture()[4 * (static_cast<std::size_t>(y) * camera.width() + x)];
  return {p[2], p[1], p[0]};
}

int shown(int byte) {
  return static_cast<int>(std::lround(255.0 * ToneMap::part_of(byte / 255.0)));
}

Simulation plain(const std::string& fields = "width 20 height 10") {
  return test::load(
      "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { children [ Display { name \"d\" " + fields +
      " } ] }\n");
}

TEST(Display, IsBlackAtFirstAndTakesCallsInTheirOrder) {
  Simulation simulation = plain();
  Display& display = display_of(simulation);
  EXPECT_EQ(display.width(), 20);
  EXPECT_EQ(display.height(), 10);
  EXPECT_EQ(drawn(display, 0, 0), (Pixel{0, 0, 0}));
  EXPECT_EQ(display.picture()[3], 255);
  Drawer draw(display);
  draw(DrawingKind::Color, {0x102030})(DrawingKind::FillRectangle, {0, 0, 20, 10});
  draw(DrawingKind::Color, {0xff0000})(DrawingKind::Pixel, {19, 9});
  draw(DrawingKind::Opacity, {0})(DrawingKind::Pixel, {0, 0});
  EXPECT_EQ(drawn(display, 0, 0), (Pixel{0x10, 0x20, 0x30}));
  EXPECT_EQ(drawn(display, 19, 9), (Pixel{255, 0, 0}));
}

TEST(Display, TakesACallInPieces) {
  Simulation simulation = plain();
  Display& display = display_of(simulation);
  Writer stream;
  const std::string green("\x00\xff\x00\xff", 4);
  write_drawing_call(stream, {DrawingKind::NewImage, {7, 1, 1}, green});
  write_drawing_call(stream, {DrawingKind::PasteImage, {7, 2, 3, 0}});
  Drawer draw(display);
  for (const char& c : as_text(stream.bytes())) {
    draw.send({&c, 1});
  }
  EXPECT_EQ(drawn(display, 2, 3), (Pixel{0, 255, 0}));
}

// The time grows with the length of a call, and not with its square: that would be 70 GB of copies.
TEST(Display, TakesALongCallInManyPieces) {
  Simulation simulation = plain();
  Writer stream;
  const std::string pixels(std::size_t{4} * 512 * 512, '\x7f');
  write_drawing_call(stream, {DrawingKind::NewImage, {7, 512, 512}, pixels});
  write_drawing_call(stream, {DrawingKind::PasteImage, {7, 0, 0, 0}});
  Drawer draw(display_of(simulation));
  const std::clock_t begin = std::clock();
  std::string_view left = as_text(stream.bytes());
  for (; !left.empty(); left.remove_prefix(std::min<std::size_t>(16, left.size()))) {
    draw.send(left.substr(0, 16));
  }
  EXPECT_LT(std::clock() - begin, 4 * CLOCKS_PER_SEC);
  EXPECT_EQ(drawn(display_of(simulation), 19, 9), (Pixel{127, 127, 127}));
}

TEST(Display, SharesThePictureThatNobodyHasDrawn) {
  Simulation simulation = plain();
  Simulation clone = simulation.clone();
  const SimulationState state = simulation.save();
  const std::uint8_t* const black = display_of(simulation).picture().data();
  EXPECT_EQ(display_of(clone).picture().data(), black);
  simulation.restore(state);
  EXPECT_EQ(display_of(simulation).picture().data(), black);
  Drawer draw(display_of(simulation));
  draw(DrawingKind::Pixel, {0, 0});
  EXPECT_EQ(drawn(display_of(simulation), 0, 0), (Pixel{255, 255, 255}));
  EXPECT_EQ(drawn(display_of(clone), 0, 0), (Pixel{0, 0, 0}));
  simulation.restore(state);
  EXPECT_EQ(display_of(simulation).picture().data(), black);
}

TEST(KeptImages, DropTheOneThatWasUsedLongestAgo) {
  const auto image = [] {
    return std::make_shared<const Image>(Image{16, 16, std::vector<std::uint8_t>(1024)});
  };
  KeptImages images(4 * 1280);  // with 256 bytes for each
  for (const std::int32_t number : {1, 2, 3, 4}) {
    EXPECT_TRUE(images.keep(number, image()));
  }
  EXPECT_NE(images.use(1), nullptr);
  EXPECT_TRUE(images.keep(3, image())) << "it takes the place of the other one";
  EXPECT_FALSE(images.keep(5, image()));
  EXPECT_EQ(images.use(2), nullptr);
  EXPECT_EQ(images.numbers(), (std::vector<std::int32_t>{4, 1, 3, 5}));
  images.remove(4);
  EXPECT_TRUE(images.keep(6, image()));
}

TEST(Display, RefusesMalformedCallsAndGoesOn) {
  Simulation simulation = plain();
  Display& display = display_of(simulation);
  Drawer draw(display);
  EXPECT_THROW(draw.send("\xfe"), std::invalid_argument);
  Writer huge;
  huge.u8(static_cast<std::uint8_t>(DrawingKind::Text));
  for (int i = 0; i < 5; ++i) {
    huge.i32(0);
  }
  huge.u32(0xffffffffu);
  EXPECT_THROW(draw.send(as_text(huge.bytes())), std::invalid_argument);
  EXPECT_THROW(draw(DrawingKind::NewImage, {1, 100000, 100000}, "abc"), std::invalid_argument);
  EXPECT_THROW(draw(DrawingKind::FillOval, {0, 0, 1 << 20, 1}), std::invalid_argument);
  EXPECT_THROW(draw(DrawingKind::FillPolygon), std::invalid_argument);
  EXPECT_THROW(draw(DrawingKind::Rectangle, {0, 0, 0, 1}), std::invalid_argument);
  draw(DrawingKind::PasteImage, {99, 0, 0, 0});  // such an image was not kept
  draw(DrawingKind::Pixel, {1, 1});
  EXPECT_EQ(drawn(display, 1, 1), (Pixel{255, 255, 255}));
}

TEST(Display, AnswersOneQuestionAtATime) {
  Simulation simulation = plain();
  Display& display = display_of(simulation);
  Drawer draw(display);
  draw(DrawingKind::Pixel, {1, 0})(DrawingKind::CopyImage, {4, 1, 0, 2, 2});
  draw(DrawingKind::GetImage, {4, 4});
  EXPECT_THROW(draw(DrawingKind::GetImage, {4}), std::invalid_argument);
  const std::optional<Display::Answer> answer = display.take_answer();
  ASSERT_TRUE(answer && answer->done);
  EXPECT_EQ(answer->width, 2);
  EXPECT_EQ(answer->bytes.size(), 12u) << "from the fourth byte on";
  EXPECT_FALSE(display.take_answer());
  draw(DrawingKind::GetImage, {5});
  EXPECT_FALSE(display.take_answer()->done);
  draw(DrawingKind::LoadImage, {6}, "no picture");
  EXPECT_FALSE(display.take_answer()->done);
}

int lit(const Display& display, int left, int right) {
  int count = 0;
  for (int y = 0; y < display.height(); ++y) {
    for (int x = left; x < right; ++x) {
      count += drawn(display, x, y)[0] > 100 ? 1 : 0;
    }
  }
  return count;
}

TEST(Display, WritesText) {
  Simulation simulation = plain("width 60 height 40");
  Display& display = display_of(simulation);
  Drawer draw(display);
  draw(DrawingKind::Font, {16, 0}, "Lucida Console")(DrawingKind::Text, {0, 0}, "I H");
  // All letters of this font are equally wide: an H has more pixels than an I, a space none.
  const int width = 10;
  EXPECT_GT(lit(display, 0, width), 10);
  EXPECT_EQ(lit(display, width + 1, 2 * width - 1), 0);
  EXPECT_GT(lit(display, 2 * width, 3 * width), lit(display, 0, width));
  for (int y = 17; y < 40; ++y) {
    EXPECT_EQ(drawn(display, 23, y), (Pixel{0, 0, 0})) << "below the baseline " << y;
  }
  draw(DrawingKind::Text, {0, 0}, "\nH");
  EXPECT_GT(lit(display, 0, width), 30) << "the second line";
}

TEST(Display, KeepsItsFontForAnUnknownOne) {
  std::vector<std::string> notices;
  LoadOptions options;
  options.notice = [&](std::string_view text) { notices.emplace_back(text); };
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { children [ Display { name \"d\" } ] }\n",
      options);
  Drawer draw(display_of(simulation));
  draw(DrawingKind::Font, {12, 1}, "Nowhere Sans");
  draw(DrawingKind::Font, {12, 1}, "../../etc/x");
  EXPECT_EQ(notices, (std::vector<std::string>{"Invalid 'Nowhere Sans' font.",
                                               "Invalid '../../etc/x' font."}));
  draw(DrawingKind::Text, {0, 0}, "x\xff");
  EXPECT_GT(lit(display_of(simulation), 0, 8), 0);
}

// A Camera looks along +x at a Display of its size, which fills its picture. Behind it is a red
// sky.
std::string watched(const std::string& appearance, const std::string& more = "") {
  return fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\nBackground {{ skyColor [ 1 0 0 ] "
      "}}\n"
      "Robot {{ children [ Camera {{ name \"c\" width 80 height 80 fieldOfView 0.9273 }}\n"
      "Display {{ name \"d\" width 64 height 64 children [ Group {{ children [ Pose {{ translation "
      "1 "
      "0 0 rotation 0 1 0 -1.5707963 children [ Pose {{ rotation 0 0 1 -1.5707963 children [ Shape "
      "{{ appearance {} geometry Plane {{ size 1 1 }} }} ] }} ] }} ] }} ] }} {} ] }}\n",
      appearance, more);
}
const std::string kPlain = "Appearance { texture ImageTexture { } }";

Camera& look(Simulation& simulation) {
  Camera& camera = camera_of(simulation);
  camera.enable(32, 1000.0 * simulation.time());
  simulation.step();
  return camera;
}

// The colours are those of Webots' test display_attach_camera.
TEST(Display, IsSeenByCamerasWithItsAlpha) {
  for (const std::string& appearance :
       {kPlain,
        std::string("PBRAppearance { baseColor 0 0 0 roughness 1 IBLStrength 0 emissiveColorMap "
                    "ImageTexture { } }")}) {
    Simulation simulation = test::load(watched(appearance));
    Drawer draw(display_of(simulation));
    EXPECT_EQ(seen(look(simulation), 40, 40), (Pixel{0, 0, 0}));
    draw(DrawingKind::FillRectangle, {0, 0, 64, 64});
    const Camera& camera = look(simulation);
    EXPECT_EQ(seen(camera, 20, 40), (Pixel{0xcf, 0xcf, 0xcf}));
    EXPECT_EQ(seen(camera, 60, 40), (Pixel{0xcf, 0xcf, 0xcf}));
  }
  Simulation simulation = test::load(watched(kPlain));
  Drawer draw(display_of(simulation));
  draw(DrawingKind::Alpha, {0})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  draw(DrawingKind::Alpha, {255})(DrawingKind::Color, {0x00ff00});
  draw(DrawingKind::FillRectangle, {0, 0, 32, 64});
  const Camera& camera = look(simulation);
  EXPECT_EQ(seen(camera, 20, 40), (Pixel{0, 0xcf, 0}));
  EXPECT_EQ(seen(camera, 60, 40), (Pixel{0xff, 0, 0})) << "what is behind";
}

// The other Camera looks at a wall that shines in blue, with a sky of another colour above.
TEST(Display, ShowsAnAttachedCamera) {
  const std::string other =
      "Camera { name \"other\" width 64 height 64 translation 0 -20 0 }\n"
      "Solid { translation 2 -20 -5 children [ Shape { appearance Appearance { material Material { "
      "diffuseColor 0 0 0 ambientIntensity 0 emissiveColor 0 0 1 } } geometry Box { size 0.1 20 10 "
      "} "
      "} ] }";
  Simulation simulation = test::load(watched(kPlain, other));
  camera_of(simulation, "other").enable(32, 0.0);
  Drawer draw(display_of(simulation));
  draw(DrawingKind::AttachCamera, {}, "other");
  draw(DrawingKind::Alpha, {0})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  draw(DrawingKind::Alpha, {255})(DrawingKind::Color, {0xff00ff});
  draw(DrawingKind::FillRectangle, {0, 0, 8, 64});
  look(simulation);
  const Camera& camera = look(simulation);  // of the picture that the other one has made
  EXPECT_EQ(seen(camera_of(simulation, "other"), 40, 50), (Pixel{0, 0, 207}));
  EXPECT_EQ(seen(camera, 60, 60), (Pixel{0, 0, 207})) << "the same light";
  EXPECT_EQ(seen(camera, 60, 20), (Pixel{255, 0, 0}));
  EXPECT_EQ(seen(camera, 6, 40), (Pixel{0xcf, 0, 0xcf}));
  // A copy has the blend.
  draw(DrawingKind::CopyImage, {1, 40, 50, 2, 1})(DrawingKind::GetImage, {1});
  EXPECT_EQ(display_of(simulation).take_answer()->bytes,
            (std::vector<std::uint8_t>{0, 0, 207, 255, 0, 0, 207, 255}));
  draw(DrawingKind::DetachCamera);
  EXPECT_EQ(seen(look(simulation), 60, 60), (Pixel{0xff, 0, 0})) << "the sky behind";
}

// The light of the attached Camera is shown, not its bytes: a Display that shows bytes alone is at
// most 207. These numbers are those of Webots' test display_attach_camera.
TEST(Display, ShowsLightThatIsBrighterThanWhite) {
  const auto wall = [](double y, const std::string& light) {
    return fmt::format(
        "Solid {{ name \"{}\" translation 2 {} 0 children [ Shape {{ appearance PBRAppearance {{ "
        "baseColor 0 0 0 roughness 1 IBLStrength 0 {} }} geometry Box {{ size 0.1 4 10 }} }} ] "
        "}}\n",
        y, y, light);
  };
  const std::string other = "Camera { name \"other\" width 64 height 64 translation 0 -20 0 }\n" +
                            wall(-18.0, "emissiveColor 1 0.202 0 emissiveIntensity 10") +
                            wall(-22.0, "emissiveColor 0 0 0.625");
  for (const bool is_half : {false, true}) {
    Simulation simulation = test::load(watched(kPlain, other));
    camera_of(simulation, "other").enable(32, 0.0);
    Drawer draw(display_of(simulation));
    draw(DrawingKind::AttachCamera, {}, "other");
    draw(DrawingKind::Alpha, {is_half ? 51 : 0})(DrawingKind::Color, {0x0000ff});
    draw(DrawingKind::FillRectangle, {0, 0, 64, 64});
    look(simulation);
    const Camera& camera = look(simulation);
    const auto expect_near = [&](int x, const Pixel& expected) {
      const Pixel found = seen(camera, x, 40);
      for (std::size_t part = 0; part < 3; ++part) {
        EXPECT_NEAR(found[part], expected[part], 1) << x << ' ' << part << ' ' << is_half;
      }
    };
    // A Display with the alpha 51 has a fifth of its own colour.
    const auto shown_as = [](double light) {
      return static_cast<int>(std::lround(255.0 * ToneMap::part_of(light)));
    };
    expect_near(20, is_half ? Pixel{shown_as(8.0), shown_as(1.616), shown_as(0.2)}
                            : Pixel{0xff, 0xef, 0x00});
    expect_near(60, is_half ? Pixel{0, 0, shown_as(0.7)} : Pixel{0x00, 0x00, 0xb4});
  }
}

TEST(Display, IsPartOfTheState) {
  Simulation simulation = test::load(watched(kPlain));
  Drawer draw(display_of(simulation));
  draw(DrawingKind::Color, {0x0000ff})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  draw(DrawingKind::CopyImage, {3, 0, 0, 5, 5});
  const SimulationState state = simulation.save();
  const std::uint64_t hash = simulation.state_hash();
  Simulation clone = simulation.clone();
  EXPECT_EQ(seen(look(clone), 40, 40), (Pixel{0, 0, 0xcf}));
  draw(DrawingKind::Color, {0x00ff00})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  EXPECT_EQ(simulation.state_hash(), hash) << "like the pictures of Cameras";
  EXPECT_EQ(seen(look(simulation), 40, 40), (Pixel{0, 0xcf, 0}));
  EXPECT_EQ(drawn(display_of(clone), 9, 9), (Pixel{0, 0, 255}));
  simulation.restore(state);
  EXPECT_EQ(seen(look(simulation), 40, 40), (Pixel{0, 0, 0xcf}));
  // Images and colours are those of the state; a reset keeps them, and blackens the picture.
  WorldControl(simulation).restart();
  EXPECT_EQ(drawn(display_of(simulation), 9, 9), (Pixel{0, 0, 0}));
  draw(DrawingKind::PasteImage, {3, 10, 10, 0})(DrawingKind::Pixel, {0, 0});
  EXPECT_EQ(drawn(display_of(simulation), 12, 12), (Pixel{0, 0, 255}));
  EXPECT_EQ(drawn(display_of(simulation), 0, 0), (Pixel{0, 0, 255}));
}

TEST(Display, IsSeenByInfraRedSensors) {
  const std::string sensor =
      "DistanceSensor { name \"ds\" type \"infra-red\" lookupTable [ 0 0 0, 10 10 0 ] "
      "translation 0 0 0 } ";
  Simulation simulation = test::load(watched(kPlain, sensor));
  const DeviceNode& node = *simulation.robot(0).find("ds");
  const auto distance = [&] {
    node.devices.front()->enable(32, 1000.0 * simulation.time());
    simulation.step();
    return node.devices.front()->values()[0];
  };
  // The distance is 1 m, and the reflection 0.2 + 0.8 red.
  EXPECT_NEAR(distance(), 5.0, 1e-6) << "black";
  Drawer draw(display_of(simulation));
  draw(DrawingKind::Color, {0x00ffff})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  EXPECT_NEAR(distance(), 5.0, 1e-6);
  draw(DrawingKind::Color, {0x330000})(DrawingKind::FillRectangle, {0, 0, 64, 64});
  EXPECT_NEAR(distance(), 1.0 / 0.36, 1e-6);
}

TEST(Display, ReplacesBadSizes) {
  Simulation simulation = test::load_bad(
      "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { children [ Display { name \"d\" width -3 "
      "height "
      "100000 } ] }\n");
  EXPECT_EQ(display_of(simulation).width(), 64);
  EXPECT_EQ(display_of(simulation).height(), 4096);
}

}  // namespace display_test
}  // namespace servosim

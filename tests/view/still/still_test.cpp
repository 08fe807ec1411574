// SPDX-License-Identifier: Apache-2.0
// Pictures of worlds and recordings: whose light they have, from where, and what is drawn over
// them.
#include "view/still/still.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

#include "devices/tone_map.h"
#include "recording/recorder.h"
#include "recording/recording_reader.h"
#include "run/test_support.h"
#include "scene/mesh_file.h"
#include "scene/viewpoint.h"
#include "servosim/camera.h"
#include "servosim/simulation.h"
#include "sim/world_inspector.h"
#include "view/still/canvas.h"
#include "view/still/still_eye.h"
#include "view/still/still_layer.h"

namespace servosim::still {
namespace still_test {

using Pixel = std::array<int, 3>;  // red, green, blue

// A picture that was read again.
struct Seen {
  std::shared_ptr<const Image> image;
  bool is_lit_by_view = false;

  Pixel at(double x, double y) const {
    const auto column = static_cast<std::size_t>(x * image->width);
    const auto row = static_cast<std::size_t>(y * image->height);
    const std::uint8_t* const pixel =
        &image->pixels[4 * (row * static_cast<std::size_t>(image->width) + column)];
    return {pixel[0], pixel[1], pixel[2]};
  }
  // The number of pixels that are less than 25 away from a colour in each part.
  int count(const Pixel& color) const {
    int found = 0;
    for (int i = 0; i < image->width * image->height; ++i) {
      const std::uint8_t* const pixel = &image->pixels[std::size_t{4} * i];
      bool is_near = true;
      for (std::size_t part = 0; part < 3; ++part) {
        is_near = is_near && std::abs(pixel[part] - color[part]) < 25;
      }
      found += is_near ? 1 : 0;
    }
    return found;
  }
};

Seen seen(const StillSource& source, const StillView& view) {
  const Still still = draw_still(source, view);
  const test::TempFolder folder;
  Diagnostics diagnostics;
  MeshFiles files(folder.path(), diagnostics);
  const ReadImage image = files.image(folder.write("still.png", still.png));
  return {std::get<std::shared_ptr<const Image>>(image), still.is_lit_by_view};
}

StillView small(const std::array<double, 6>& camera) {
  StillView view;
  view.width = 96;
  view.height = 64;
  view.camera = camera;
  view.shown.clear();
  return view;
}

Seen of_world(const std::string& text, const StillView& view) {
  Simulation simulation = Simulation::from_text(text);
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  return seen({&recording, &simulation, nullptr}, view);
}

Seen of_recording(const std::string& text, const StillView& view) {
  Simulation simulation = Simulation::from_text(text);
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  return seen({&recording, nullptr, nullptr}, view);
}

constexpr const char* kHead = "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 16 }\n";
constexpr const char* kBox = R"(Solid { children [ Shape {
  appearance Appearance { material Material { diffuseColor 0.8 0.3 0.1 } }
  geometry Box { size 1 1 1 } } ] }
)";

// A Viewpoint and a Camera at the same place see the same bytes.
TEST(Still, OfAWorldIsWhatItsCamerasSee) {
  const std::string place = "-3 0.4 0.9";
  const std::string turn = "0 1 0 0.25";
  const std::string text = fmt::format(
      "{}{}Viewpoint {{ position {} orientation {} fieldOfView 0.9 exposure 1.2 }}\n"
      "Background {{ skyColor [ 0.3 0.5 0.9 ] }}\n"
      "DirectionalLight {{ direction 1 0.5 -0.8 intensity 1.3 ambientIntensity 0.3 }}\n"
      "Robot {{ name \"r\" translation {} rotation {} children [ Camera {{ name \"c\" width 96 "
      "height 64 fieldOfView 0.9 exposure 1.2 antiAliasing FALSE }} ] }}\n",
      kHead, kBox, place, turn, place, turn);
  StillView view = small({});
  view.camera = std::monostate();
  const Seen still = of_world(text, view);
  EXPECT_FALSE(still.is_lit_by_view);

  Simulation simulation = Simulation::from_text(text);
  auto& camera = *simulation.robot(0).find("c")->get<Camera>();
  camera.enable(16, 0.0);
  simulation.step();
  int different = 0;
  for (int i = 0; i < 96 * 64; ++i) {
    for (std::size_t part = 0; part < 3; ++part) {
      const int here = still.image->pixels[4 * static_cast<std::size_t>(i) + part];
      const int there = camera.picture()[4 * static_cast<std::size_t>(i) + 2 - part];
      different += std::abs(here - there) > 1 ? 1 : 0;
    }
  }
  // Only on the edges is the mean of four rays another colour than that of one.
  EXPECT_LT(different, 3 * 96 * 64 / 20);
  EXPECT_EQ(still.at(0.02, 0.02), (Pixel{77, 128, 230}))
      << "the sky, at the exposure it is meant for";
}

TEST(Still, OfAWorldWithoutLightsIsLitByTheView) {
  const Seen still = of_world(std::string(kHead) + kBox, small({3, -3, 3, 0, 0, 0}));
  EXPECT_TRUE(still.is_lit_by_view);
  const Pixel middle = still.at(0.5, 0.35);
  EXPECT_GT(middle[0], middle[1] + 50);
  EXPECT_GT(middle[1], middle[2]);
  EXPECT_GT(middle[0], 150);
  EXPECT_EQ(still.at(0.02, 0.02), (Pixel{0xee, 0xf1, 0xf4})) << "the page's background";
  EXPECT_EQ(still.image->pixels,
            of_recording(std::string(kHead) + kBox, small({3, -3, 3, 0, 0, 0})).image->pixels);
}

TEST(Still, OfARecordingHasItsColoursAndShadows) {
  const std::string text = std::string(kHead) + R"(
Solid { translation 0 0 -0.5 children [ Shape { appearance PBRAppearance { baseColor 0.6 0.6 0.6 }
  geometry Plane { size 9 9 } } ] }
)" + kBox;
  const Seen still = of_recording(text, small({0, -4, 4, 0, 0, 0}));
  EXPECT_FALSE(still.is_lit_by_view) << "nothing is missing from a recording";
  const Pixel lit = still.at(0.9, 0.85);
  EXPECT_NEAR(lit[0], 153, 30);
  EXPECT_EQ(lit[0], lit[2]);
  // The sun is at the right and in front, so the shadow is at the left, behind.
  int darkest = 255;
  for (double x = 0.3; x < 0.45; x += 0.01) {
    for (double y = 0.4; y < 0.55; y += 0.01) {
      const Pixel pixel = still.at(x, y);
      darkest = pixel[0] == pixel[2] ? std::min(darkest, pixel[0]) : darkest;
    }
  }
  EXPECT_LT(darkest, lit[0] - 30);
  EXPECT_GT(darkest, 30) << "a shadow is not black";
}

TEST(Still, ShowsTheBoundingObjectOfABodyWithoutAShape) {
  const std::string text = std::string(kHead) +
                           "DirectionalLight { direction 0 1 -1 }\n"
                           "Solid { boundingObject Box { size 1 1 1 } }\n";
  for (const bool is_world : {true, false}) {
    const StillView view = small({0, -4, 4, 0, 0, 0});
    const Seen still = is_world ? of_world(text, view) : of_recording(text, view);
    EXPECT_NE(still.at(0.5, 0.5), still.at(0.02, 0.02)) << is_world;
    EXPECT_GT(still.at(0.5, 0.4)[0], 100) << is_world;
  }
}

TEST(Still, HasASkyOrAPlainBackground) {
  const std::string text =
      std::string(kHead) + kBox + "Background { skyColor [ 0.2 0.4 0.8 ] }\nDirectionalLight { }\n";
  for (const bool is_world : {true, false}) {
    const auto corner = [&](StillView view) {
      return (is_world ? of_world(text, view) : of_recording(text, view)).at(0.02, 0.02);
    };
    StillView view = small({0, -4, 4, 0, 0, 0});
    EXPECT_EQ(corner(view), is_world ? (Pixel{51, 102, 204}) : (Pixel{0xee, 0xf1, 0xf4}))
        << "the sky of a recording is one of the things that are shown: " << is_world;
    view.theme = Theme::Dark;
    EXPECT_EQ(corner(view), (Pixel{0x1b, 0x21, 0x29})) << is_world;
    view.theme = Theme::Light;
    EXPECT_EQ(corner(view), (Pixel{0xee, 0xf1, 0xf4})) << is_world;
    view.shown = {"background"};
    EXPECT_EQ(corner(view), (Pixel{51, 102, 204})) << is_world;
  }
}

constexpr const char* kArm = R"(
Robot { name "r" controller "<none>" children [
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.5 }
    device [ RotationalMotor { name "m" minPosition -1 maxPosition 1 } ]
    endPoint Solid { name "top" translation 0.3 0 0.5
      children [ Shape { appearance Appearance { material Material { diffuseColor 0.5 0.5 0.5 } }
        geometry Box { size 0.6 0.1 0.1 } } ]
      boundingObject Sphere { radius 0.2 } physics Physics { density -1 mass 1 } } } ] }
)";

TEST(Still, DrawsMarksOverThePicture) {
  const std::string text = std::string(kHead) + kArm;
  const StillView plain = small({0, -3, 2, 0, 0, 0.5});
  const std::array<std::pair<const char*, Pixel>, 6> marks{{{"axes", {0x4a, 0x7d, 0xd8}},
                                                            {"limits", {0xe8, 0x82, 0x2a}},
                                                            {"frames", {0x3d, 0x73, 0xd6}},
                                                            {"masses", {0x1d, 0x25, 0x30}},
                                                            {"bounding", {0x5a, 0xb0, 0xa5}},
                                                            {"grid", {0xc2, 0xc8, 0xcf}}}};
  for (const auto& [name, color] : marks) {
    StillView view = plain;
    view.width = 480;
    view.height = 320;
    view.shown = {name};
    const int with = of_recording(text, view).count(color);
    EXPECT_GT(of_world(text, view).count(color), 20) << name;
    view.shown.clear();
    // An edge of the arm may have the colour of the grid.
    EXPECT_GT(with, of_recording(text, view).count(color) + 20) << name;
  }
}

TEST(Still, ShowsTheTimeBetweenTwoFrames) {
  Simulation simulation = Simulation::from_text(std::string(kHead) + kArm);
  simulation.robot("r").motor("m").set_position(1.0);
  std::string bytes;
  Recorder recorder(simulation, {1.0, "w.wbt"},
                    [&bytes](std::string_view piece) { bytes += piece; });
  for (int step = 0; step < 125; ++step) {
    simulation.step();
    recorder.step(simulation.time());
  }
  recorder.end(simulation.time(), "enough");
  const Recording recording = read_recording(bytes);
  const auto picture = [&recording](double time) {
    StillView view = small({0, 0, 4, 0, 0, 0});
    view.time = time;
    return draw_still({&recording, nullptr, nullptr}, view).png;
  };
  EXPECT_NE(picture(0.0), picture(0.5));
  EXPECT_NE(picture(0.5), picture(1.0));
  EXPECT_EQ(picture(-1.0), picture(0.0));
  EXPECT_EQ(picture(2.0), picture(99.0));
  // A second recording is translucent, over the first, where it is elsewhere.
  const Recording start = read_recording(record_state(
      *std::make_unique<Simulation>(Simulation::from_text(std::string(kHead) + kArm)), "w.wbt"));
  StillView view = small({0, 0, 4, 0, 0, 0});
  view.time = 2.0;
  const Seen both = seen({&recording, nullptr, &start}, view);
  EXPECT_GT(both.count({230, 185, 140}), 20);
}

TEST(Still, RefusesABodyThatIsNotThere) {
  StillView view = small({0, 0, 4, 0, 0, 0});
  view.follow = "nobody";
  EXPECT_THROW(of_recording(std::string(kHead) + kArm, view), std::invalid_argument);
  view.follow = "r/top";
  view.camera = "z";
  EXPECT_NE(of_recording(std::string(kHead) + kArm, view).at(0.5, 0.5), (Pixel{0xee, 0xf1, 0xf4}));
}

TEST(Still, LooksAtABodyFromANamedCameraAlone) {
  const std::string text = std::string(kHead) + kArm;
  const auto pixels = [&text](const StillView& view) {
    return of_recording(text, view).image->pixels;
  };
  StillView view = small({});
  view.camera = std::monostate();
  StillView following = view;
  following.follow = "r/top";
  EXPECT_EQ(pixels(following), pixels(view));
  for (const char* camera : {"x", "-y", "start"}) {
    view.camera = following.camera = std::string(camera);
    following.follow = "r";
    EXPECT_NE(pixels(following), pixels(view)) << camera;
  }
  // It leaves the Viewpoint of a world as it is.
  const std::string placed = text + "DirectionalLight { }\nViewpoint { position -4 0.5 1 }\n";
  view.camera = following.camera = std::monostate();
  EXPECT_EQ(of_world(placed, following).image->pixels, of_world(placed, view).image->pixels);
}

// The Viewpoint's exposure is for the light of the world.
TEST(Still, ExposesTheLightOfTheViewAsItIs) {
  StillView view = small({3, -3, 3, 0, 0, 0});
  const std::string viewpoint = "Viewpoint { position -9 0 1 exposure 0.1 }\n";
  EXPECT_EQ(of_world(std::string(kHead) + kBox + viewpoint, view).image->pixels,
            of_world(std::string(kHead) + kBox, view).image->pixels);
  // A second recording over a world is as bright, whatever the exposure.
  Simulation other = Simulation::from_text(std::string(kHead) + kArm);
  const Recording over = read_recording(record_state(other, "w.wbt"));
  view = small({0, 0, 4, 0, 0, 0});
  const auto with_exposure = [&](double exposure) {
    Simulation world = Simulation::from_text(fmt::format(
        "{}DirectionalLight {{ }}\nViewpoint {{ position 0 0 9 exposure {} }}\n", kHead, exposure));
    const Recording recording = read_recording(record_state(world, "w.wbt"));
    view.theme = Theme::Light;
    return seen({&recording, &world, &over}, view).image->pixels;
  };
  EXPECT_EQ(with_exposure(0.1), with_exposure(4.0));
}

// A damaged recording could have a long chain or a cycle of parents.
TEST(Still, FindsTheRootOfALongChainOfBodiesSoon) {
  SceneParts parts;
  for (int i = 0; i < 300'000; ++i) {
    PartBody& body = parts.bodies.emplace_back();
    body.parent = i + 1;
    body.moves = true;
  }
  RecordedMoment moment;
  moment.bodies.resize(parts.bodies.size());
  for (const int last : {-1, 0}) {
    parts.bodies.back().parent = last;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(layer_of_parts(parts, moment, PartsUse::World).poses.empty());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << last;
  }
}

TEST(Still, EndsByWhatItsCheckThrows) {
  Simulation simulation = Simulation::from_text(std::string(kHead) + kBox);
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  StillSource source{&recording, nullptr, nullptr};
  source.check = [] { throw std::runtime_error("enough"); };
  EXPECT_THROW(draw_still(source, small({3, -3, 3, 0, 0, 0})), std::runtime_error);
}

// The start camera is searched for by rays, in up to 16 directions, before anything is drawn.
TEST(Still, CanBeEndedWhileItLooksForItsCamera) {
  Simulation simulation = Simulation::from_text(std::string(kHead) + kArm);
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  StillView view = small({});
  int calls = 0;
  StillSource source{&recording, nullptr, nullptr};
  source.check = [&calls] { ++calls; };
  draw_still(source, view);
  const int of_drawing = calls;  // with a camera that is given
  view.camera = std::monostate();
  draw_still(source, view);
  EXPECT_GT(calls - of_drawing, of_drawing);
}

TEST(Stage, OfAWorldThatIsNotRunHasOneMoment) {
  Simulation simulation = Simulation::from_text(std::string(kHead) + kArm);
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  const SceneParts parts = read_scene_parts(recording.scenes[0]);
  EXPECT_EQ(find_stage(recording, parts, 0.0).places.size(), 1u) << "that of the arm, once";
}

// An opacity belongs to a place of a line, also where it is cut at the edge of the picture.
TEST(StillCanvas, CutsTheOpacityOfALineAtTheEdge) {
  const StillEye eye = eye_at({0, -1, 0}, {0, 0, 0}, {0, 0, 1}, 100, 100);
  const double half = std::tan(0.5 * eye.field_of_view);
  StillCanvas canvas(100, 100);
  // From the middle of the picture, opaque, to five times as far as its right edge.
  canvas.draw(eye, {{0, 0, 0}, {5.0 * half, 0, 0}, {1, 1, 1}, 8.0, 1.0, 0.0});
  const auto red = [&canvas](int column) {
    return static_cast<int>(canvas.pixels[3 * (std::size_t{50} * 100 + column)]);
  };
  EXPECT_NEAR(red(52), 255 * 0.99, 3);
  EXPECT_NEAR(red(97), 255 * (1.0 - 0.95 / 5.0), 3);
}

TEST(Viewpoint, IsReadWithTheAxesOfItsVersion) {
  const auto view_of = [](const std::string& text) {
    const Simulation simulation = Simulation::from_text(text);
    return read_viewpoint(*WorldInspector(simulation).world_file());
  };
  const auto now = view_of(
      "#VRML_SIM R2023b utf8\nViewpoint { position 1 2 3 orientation 0 0 1 1.5707963267948966 }\n");
  ASSERT_TRUE(now && now->is_placed);
  EXPECT_NEAR((now->pose.rotation * Vec3{1.0, 0.0, 0.0}).y, 1.0, 1e-12);
  const auto old = view_of("#VRML_SIM R2021b utf8\nViewpoint { position 1 2 3 fieldOfView 9 }\n");
  ASSERT_TRUE(old && old->is_placed);
  EXPECT_NEAR((old->pose.rotation * Vec3{1.0, 0.0, 0.0}).z, -1.0, 1e-12);
  EXPECT_NEAR((old->pose.rotation * Vec3{0.0, 0.0, 1.0}).y, 1.0, 1e-12);
  EXPECT_EQ(old->field_of_view, 0.785398) << "9 rad is out of range";
  EXPECT_FALSE(view_of("#VRML_SIM R2023b utf8\nViewpoint { }\n")->is_placed);
  EXPECT_FALSE(view_of("#VRML_SIM R2023b utf8\n"));
}

}  // namespace still_test
}  // namespace servosim::still

// SPDX-License-Identifier: Apache-2.0
// Camera in worlds: what it sees, its settings, and what it recognises.
#include "servosim/camera.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/device_command.h"
#include "devices/noise_mask.h"
#include "devices/tone_map.h"
#include "scene/scene_builder.h"
#include "servosim/batch.h"
#include "servosim/ranging_sensor.h"
#include "servosim/recognition.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "support/pictures.h"
#include "support/worlds.h"
#include "wbt/test_support.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim {
namespace {

using Pixel = std::array<int, 3>;  // red, green, blue

Simulation world_with(const std::string& sensor, const std::string& shapes,
                      const std::string& version = "R2023b") {
  return test::load(
      fmt::format("#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}\n"
                  "Robot {{ name \"r\" children [ {} ] }}\n",
                  version, shapes, sensor));
}

// A Shape without a Material is seen as it is: this one has light of the given colour.
std::string glowing(double x, double y, double side, const std::string& color,
                    const std::string& more = "") {
  return fmt::format(
      "Pose {{ translation {} {} 0 children [ Shape {{ appearance Appearance {{ material Material "
      "{{ diffuseColor 0 0 0 ambientIntensity 0 emissiveColor {} }} }} geometry Box {{ size 0.2 {} "
      "{} }} {} }} ] }}\n",
      x, y, color, side, side, more);
}

std::string camera(const std::string& fields = "", int width = 8, int height = 8) {
  return fmt::format("Camera {{ name \"c\" width {} height {} {} }}", width, height, fields);
}

Camera& camera_of(Simulation& simulation) { return *simulation.robot(0).find("c")->get<Camera>(); }

Recognition& recognition_of(Simulation& simulation) {
  return *simulation.robot(0).find("c")->get<Recognition>();
}

void command(Device& device, CommandKind kind, double number, int integer = 0) {
  device.command({1, kind, {number}, integer, {}}, 0.0);
}

Pixel pixel(std::span<const std::uint8_t> picture, int width, int x, int y) {
  const std::uint8_t* const at = &picture[4 * (static_cast<std::size_t>(y) * width + x)];
  EXPECT_EQ(at[3], 255);
  return {at[2], at[1], at[0]};
}

Pixel middle(Simulation& simulation) {
  const Camera& seen = camera_of(simulation);
  return pixel(seen.picture(), seen.width(), seen.width() / 2, seen.height() / 2);
}

void step(Simulation& simulation, int period_ms = 32, int steps = 1) {
  if (period_ms > 0) {
    camera_of(simulation).enable(period_ms, 1000.0 * simulation.time());
  }
  for (int i = 0; i < steps; ++i) {
    simulation.step();
  }
}

int toned(double light) { return static_cast<int>(std::lround(255.0 * ToneMap::part_of(light))); }

TEST(ToneMap, RoundsAsTheFormula) {
  const ToneMap map;
  EXPECT_EQ(map.byte_of(1.0f), 207);  // Webots' white
  EXPECT_EQ(map.byte_of(0.0f), 0);
  EXPECT_EQ(map.byte_of(-1.0f), 0);
  EXPECT_EQ(map.byte_of(std::nanf("")), 0);
  EXPECT_EQ(map.byte_of(INFINITY), 255);
  for (double light = 1e-7; light < 40.0; light *= 1.0007) {
    const auto single = static_cast<float>(light);
    const double exact = 255.0 * ToneMap::part_of(single);
    if (std::abs(exact - std::floor(exact) - 0.5) > 1e-4) {
      ASSERT_EQ(map.byte_of(single), std::lround(exact)) << light;
    }
  }
}

TEST(Camera, IsBlackBeforeItsFirstPicture) {
  Simulation simulation = world_with(camera(), glowing(2.1, 0, 9, "1 1 1"));
  EXPECT_TRUE(camera_of(simulation).picture().empty());
  step(simulation, 64);
  EXPECT_EQ(middle(simulation), (Pixel{0, 0, 0}));
  step(simulation, 0);
  EXPECT_NE(middle(simulation), (Pixel{0, 0, 0}));
}

TEST(Camera, SeesColoursInItsOwnFrame) {
  Simulation simulation =
      world_with(camera("fieldOfView 1.5", 8, 4),
                 glowing(2.1, 1.0, 0.8, "1 0 0") + glowing(2.1, -1.0, 0.8, "0 1 0"));
  step(simulation);
  const std::span<const std::uint8_t> seen = camera_of(simulation).picture();
  const Pixel left = pixel(seen, 8, 1, 2);
  const Pixel right = pixel(seen, 8, 6, 2);
  EXPECT_GT(left[0], 150);
  EXPECT_LT(left[1], 30);
  EXPECT_GT(right[1], 150);
  EXPECT_LT(right[0], 30);
}

TEST(Camera, LooksAlongMinusZInOldWorlds) {
  Simulation simulation = world_with(camera(), R"(
    Transform { translation 0 0 -2 children [ Shape { appearance Appearance { material Material {
      diffuseColor 0 0 0 ambientIntensity 0 emissiveColor 0 0 1 } } geometry Box { size 9 9 0.2 } } ] }
    )",
                                     "R2021b");
  step(simulation);
  EXPECT_GT(middle(simulation)[2], 150);
}

TEST(Camera, TakesExposureAndFieldOfViewForTheNextPicture) {
  Simulation simulation =
      world_with(camera("fieldOfView 1.0 zoom Zoom { minFieldOfView 0.2 maxFieldOfView 1.4 }"),
                 glowing(2.1, 0, 0.9, "0.5 0.5 0.5"));
  step(simulation);
  const int before = middle(simulation)[0];
  EXPECT_LT(pixel(camera_of(simulation).picture(), 8, 0, 4)[0], 40);
  command(camera_of(simulation), CommandKind::Exposure, 0.25);
  command(camera_of(simulation), CommandKind::FieldOfView, 0.3);
  step(simulation, 0);
  EXPECT_LT(middle(simulation)[0], before);
  EXPECT_EQ(pixel(camera_of(simulation).picture(), 8, 0, 4), middle(simulation));
  EXPECT_THROW(command(camera_of(simulation), CommandKind::FieldOfView, 1.5),
               std::invalid_argument);
  EXPECT_THROW(command(camera_of(simulation), CommandKind::Exposure, -1.0), std::invalid_argument);
  EXPECT_EQ(camera_of(simulation).field_of_view(), 0.3);
}

TEST(Camera, BlursMotionInLinearLight) {
  Simulation simulation = world_with(
      camera("motionBlur 100 fieldOfView 0.2 zoom Zoom { minFieldOfView 0.1 maxFieldOfView 3 }"),
      glowing(2.1, 0, 1, "1 1 1"));
  step(simulation);
  const double light = -std::log1p(-std::pow(middle(simulation)[0] / 255.0, ToneMap::kGamma));
  command(camera_of(simulation), CommandKind::FieldOfView, 3.0);
  step(simulation, 0);
  const double stays = std::pow(0.005, 0.32);
  const Pixel corner = pixel(camera_of(simulation).picture(), 8, 0, 0);
  EXPECT_NEAR(corner[0], toned(stays * light), 2);  // nothing is there now, before a dark sky
}

TEST(Camera, AddsNoiseOfTheSimulation) {
  const auto picture = [] {
    Simulation simulation = world_with(camera("noise 0.05 fieldOfView 0.2", 100, 100),
                                       glowing(2.1, 0, 3, "0.5 0.5 0.5"));
    step(simulation);
    return std::vector<std::uint8_t>(camera_of(simulation).picture().begin(),
                                     camera_of(simulation).picture().end());
  };
  const std::vector<std::uint8_t> first = picture();
  EXPECT_EQ(first, picture());
  Simulation clean =
      world_with(camera("fieldOfView 0.2", 100, 100), glowing(2.1, 0, 3, "0.5 0.5 0.5"));
  step(clean);
  const int expected = middle(clean)[0];
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < first.size(); i += 4) {
    sum += first[i] - expected;
    squares += std::pow(first[i] - expected, 2.0);
  }
  EXPECT_NEAR(sum / 10000.0, 0.0, 0.5);
  EXPECT_NEAR(std::sqrt(squares / 10000.0), 0.05 * 255.0, 0.5);
}

TEST(Camera, NoiseInABatchDoesNotDependOnThreads) {
  const auto bytes = [](std::size_t threads) {
    Simulation simulation = world_with(
        camera("noise 0.1") + " RangeFinder { name \"s\" width 5 height 5 maxRange 9 noise 0.1 }",
        glowing(2.1, 0, 1, "1 1 1"));
    Batch batch(simulation, 6, {.threads = threads});
    batch.bind({"c.rgb", "s.depth"}, {});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(batch.step());
    }
    std::vector<std::vector<std::byte>> all;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const char* name : {"c", "s"}) {
        const auto* const sensor = batch.simulation(i).robots()[0].find(name)->get<PictureSensor>();
        all.emplace_back(sensor->picture_bytes().begin(), sensor->picture_bytes().end());
      }
    }
    return all;
  };
  const std::vector<std::vector<std::byte>> one = bytes(1);
  EXPECT_EQ(one, bytes(2));
  EXPECT_NE(one[0], one[2]);
  EXPECT_NE(one[1], one[3]);
}

// A clone draws with one thread. The picture is large enough for the tone map to start another one.
TEST(Camera, HasTheSameBytesForAnyNumberOfThreads) {
  Simulation simulation =
      world_with(camera("fieldOfView 1.5", 512, 512), glowing(2.1, 0.9, 0.8, "1 0.2 0") +
                                                          glowing(2.6, 0, 1.1, "0.1 0.4 0.9") +
                                                          glowing(2.1, -0.7, 0.4, "0 1 0.5"));
  Simulation clone = simulation.clone();
  step(simulation);
  step(clone);
  EXPECT_NE(middle(simulation), (Pixel{0, 0, 0}));
  EXPECT_TRUE(std::ranges::equal(camera_of(simulation).picture(), camera_of(clone).picture()));
}

TEST(Camera, MayBeDisabledAndEnabledAgain) {
  Simulation simulation = world_with(camera("zoom Zoom { minFieldOfView 0.1 maxFieldOfView 3 }"),
                                     glowing(2.1, 0, 1, "1 1 1"));
  step(simulation);
  const Pixel seen = middle(simulation);
  camera_of(simulation).enable(0, 1000.0 * simulation.time());
  command(camera_of(simulation), CommandKind::Exposure, 0.0);
  step(simulation, 0, 3);
  EXPECT_EQ(middle(simulation), seen);  // it keeps its picture
  camera_of(simulation).enable(64, 1000.0 * simulation.time());
  step(simulation, 0);
  EXPECT_EQ(middle(simulation), seen);  // a period is not over
  step(simulation, 0);
  EXPECT_EQ(middle(simulation), (Pixel{0, 0, 0}));
}

TEST(Camera, BlursWhatIsNotInFocus) {
  const std::string scene = glowing(2.1, 1.5, 3, "1 0 0");
  const auto columns_between = [&scene](const std::string& focus) {
    Simulation simulation = world_with(camera(focus, 64, 64), scene);
    step(simulation);
    const std::span<const std::uint8_t> seen = camera_of(simulation).picture();
    const int red = pixel(seen, 64, 2, 32)[0];
    int between = 0;
    for (int x = 0; x < 64; ++x) {
      const int here = pixel(seen, 64, x, 32)[0];
      between += here > 20 && here < red - 20 ? 1 : 0;
    }
    return between;
  };
  EXPECT_LE(columns_between(""), 1);
  EXPECT_LE(columns_between("focus Focus { focalDistance 2 maxFocalDistance 9 }"), 1);
  EXPECT_GE(columns_between("focus Focus { focalDistance 0.2 focalLength 0.1 maxFocalDistance 9 }"),
            3);
}

TEST(Camera, MeasuresDistancesInOldWorldsByItsType) {
  for (const auto& [type, is_finder, sees] :
       {std::tuple{"both", true, true}, {"range-finder", true, false}, {"color", false, true}}) {
    Simulation simulation = world_with(
        fmt::format("Camera {{ name \"c\" type \"{}\" maxRange 5 }}", type),
        "Transform { translation 0 0 -2.1 children [ Shape { geometry Box { size 9 9 0.2 } } ] "
        "}\n",
        "V8.0.0");
    RangingSensor* const distances = simulation.robot(0).find("c")->get<RangingSensor>();
    EXPECT_EQ(distances != nullptr, is_finder) << type;
    EXPECT_EQ(simulation.robot(0).find("c")->get<Camera>() != nullptr, sees) << type;
    if (distances != nullptr) {
      distances->enable(32, 0.0);
      simulation.step();
      EXPECT_NEAR(distances->picture()[64 * 32 + 32], 2.0, 1e-6);
    }
  }
}

TEST(Camera, KeepsItsSettingsInAState) {
  Simulation simulation = world_with(camera("zoom Zoom { minFieldOfView 0.2 maxFieldOfView 1.4 }"),
                                     glowing(2.1, 0, 9, "1 1 1"));
  step(simulation);
  const SimulationState state = simulation.save();
  command(camera_of(simulation), CommandKind::FieldOfView, 1.2);
  command(camera_of(simulation), CommandKind::Exposure, 0.1);
  simulation.restore(state);
  EXPECT_NEAR(camera_of(simulation).field_of_view(), 0.785398, 1e-9);
  EXPECT_EQ(camera_of(simulation).exposure(), 1.0);
}

TEST(Camera, ReplacesBadFields) {
  Diagnostics diagnostics;
  const std::string fields =
      "fieldOfView -1 near 0 exposure -2 noise -0.5 motionBlur -3 projection \"flat\" zoom Zoom { "
      "minFieldOfView 2 maxFieldOfView 1 } focus Focus { focalLength -1 minFocalDistance 3 "
      "maxFocalDistance 2 } noiseMaskUrl \"absent.png\" recognition Recognition { occlusion 7 "
      "maxRange -1 }";
  const Scene scene =
      build_scene(wbt::read_world_text("#VRML_SIM R2023b utf8\nRobot { children [ " +
                                           camera(fields, 70000, 70000) + " ] }\n",
                                       "w", ".", {}, diagnostics),
                  diagnostics);
  const CameraSpec& spec = *scene.robots.at(0).devices.at(0).camera;
  EXPECT_EQ(spec.width, 65536);
  EXPECT_EQ(spec.height, 32);
  EXPECT_EQ(spec.projection, Projection::Planar);
  EXPECT_EQ(spec.field_of_view, 0.7854);  // which the Zoom does not limit
  EXPECT_EQ(spec.near, 0.01);
  EXPECT_EQ(spec.exposure, 1.0);
  EXPECT_EQ(spec.noise, 0.0);
  EXPECT_EQ(spec.motion_blur, 0.0);
  EXPECT_EQ(*spec.zoom, (std::array{2.0, 2.0}));
  EXPECT_EQ(spec.focus->length, 0.0);
  EXPECT_EQ(spec.focus->max_distance, 3.0);
  EXPECT_EQ(spec.noise_mask->url, "absent.png");  // it is read when the Camera is enabled
  EXPECT_EQ(spec.recognition->occlusion, 1);
  EXPECT_EQ(spec.recognition->max_range, 100.0);
  EXPECT_GE(diagnostics.list().size(), 13u);
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    EXPECT_FALSE(diagnostic.missing) << diagnostic.message;
  }
}

// A picture is taken all the same.
TEST(Camera, ReplacesFieldsThatAreNoNumbers) {
  for (const char* number : {"nan", "1e999", "-1e999"}) {
    std::string fields;
    for (const char* field : {"fieldOfView", "near", "far", "exposure", "noise", "motionBlur"}) {
      fields += fmt::format("{} {} ", field, number);
    }
    Simulation simulation = test::load_bad(fmt::format(
        "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}Robot {{ name \"r\" children [ "
        "{} RangeFinder {{ name \"f\" width 8 height 8 fieldOfView {} minRange {} maxRange {} "
        "noise "
        "{} }} ] }}\n",
        glowing(2.1, 0, 9, "1 1 1"), camera(fields), number, number, number, number));
    RangingSensor& finder = *simulation.robot(0).find("f")->get<RangingSensor>();
    finder.enable(32, 0.0);
    step(simulation);
    EXPECT_EQ(middle(simulation), (Pixel{207, 207, 207})) << number;
    EXPECT_EQ(camera_of(simulation).exposure(), 1.0) << number;
    EXPECT_FALSE(std::isnan(finder.picture()[36])) << number;
  }
}

TEST(Camera, ReadsItsNoiseMaskWhenItIsEnabled) {
  Simulation simulation =
      world_with(camera("noiseMaskUrl \"absent.png\""), glowing(2.1, 0, 3, "1 1 1"));
  simulation.step();
  EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
  step(simulation, 32, 2);
  EXPECT_EQ(middle(simulation), (Pixel{207, 207, 207}));
  const std::vector<MissingPart> missing = WorldControl(simulation).take_missing();
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].subject, "picture 'absent.png'");
  EXPECT_TRUE(missing[0].remedy.ends_with("; Camera \"c\" sees without it")) << missing[0].remedy;
}

// The numbers of Webots' test camera_noise_mask: an opaque mask is all that is seen, and a
// transparent one changes nothing.
TEST(Camera, LaysItsNoiseMaskOverThePicture) {
  const wbt::test::TemporaryProject project;
  project.write("worlds/opaque.png", test::png(1, 1, {42, 140, 32, 255}));
  project.write("worlds/transparent.png", test::png(1, 1, {42, 140, 32, 0}));
  for (const Pixel& color :
       {Pixel{123, 71, 58}, Pixel{156, 205, 195}, Pixel{207, 207, 207}, Pixel{44, 44, 44}}) {
    // The light that Webots shows as this colour.
    const auto light = [](int byte) { return -std::log1p(-std::pow(byte / 255.0, 2.2)); };
    const auto coded = [&](int byte) { return 1.055 * std::pow(light(byte), 1.0 / 2.4) - 0.055; };
    for (const auto& [mask, seen] :
         {std::pair{"opaque.png", Pixel{42, 140, 32}}, {"transparent.png", color}}) {
      project.write(
          "worlds/w.wbt",
          "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\n" +
              glowing(2.1, 0, 9,
                      fmt::format("{} {} {}", coded(color[0]), coded(color[1]), coded(color[2]))) +
              "Robot { name \"r\" children [ " + camera(fmt::format("noiseMaskUrl \"{}\"", mask)) +
              " ] }\n");
      Simulation simulation(project.path("worlds/w.wbt"));
      step(simulation);
      for (const int x : {0, 3, 7}) {
        const Pixel found = pixel(camera_of(simulation).picture(), 8, x, x);
        for (std::size_t part = 0; part < 3; ++part) {
          EXPECT_NEAR(found[part], seen[part], 1) << mask;
        }
      }
    }
  }
}

// The columns, and the rows, of a mask that a row and a column of a picture show.
std::array<std::vector<int>, 2> shown_by(int width, int height, int mask_width, int mask_height) {
  Image image;
  image.width = mask_width;
  image.height = mask_height;
  for (int y = 0; y < mask_height; ++y) {
    for (int x = 0; x < mask_width; ++x) {
      image.pixels.insert(image.pixels.end(),
                          {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0, 255});
    }
  }
  const NoiseMask mask(image, width, height, 0.0, 0.0);
  std::array<std::vector<int>, 2> shown;
  const auto show = [&](int x, int y, std::size_t part) {
    std::array<double, 3> parts{};
    mask.cover(x, y, parts);
    shown[part].push_back(static_cast<int>(std::lround(255.0 * parts[part])));
  };
  for (int x = 0; x < width; ++x) {
    show(x, 0, 0);
  }
  for (int y = 0; y < height; ++y) {
    show(0, y, 1);
  }
  return shown;
}

// A mask that is as large as the picture has the size of its pixels. A smaller one is stretched, by
// Webots' rule: over the side in which it lacks more, and by the same factor over the other one.
TEST(NoiseMask, IsStretchedWhereItIsSmaller) {
  using Shown = std::array<std::vector<int>, 2>;
  EXPECT_EQ(shown_by(4, 2, 6, 4), (Shown{{{0, 1, 2, 3}, {0, 1}}}));
  EXPECT_EQ(shown_by(8, 4, 4, 4), (Shown{{{0, 0, 1, 1, 2, 2, 3, 3}, {0, 0, 1, 1}}}));
  EXPECT_EQ(shown_by(4, 8, 4, 4), (Shown{{{0, 0, 1, 1}, {0, 0, 1, 1, 2, 2, 3, 3}}}));
  // It lacks less in its width, which spans the width over the height of the picture.
  EXPECT_EQ(shown_by(8, 4, 9, 2), (Shown{{{1, 3, 5, 7, 1, 3, 5, 7}, {0, 0, 1, 1}}}));
}

// A Camera tells of what its pictures do not have, once.
TEST(Camera, TellsWhichEffectsAreNotDrawn) {
  const auto notices_of = [](const std::string& fields) {
    std::vector<std::string> notices;
    LoadOptions options;
    options.notice = [&notices](std::string_view text) { notices.emplace_back(text); };
    Simulation simulation = Simulation::from_text(
        "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nRobot { name \"r\" children [\n" +
            camera(fields) + " ] }\n",
        options);
    EXPECT_TRUE(notices.empty()) << "before it is enabled";
    Simulation clone = simulation.clone();
    step(simulation, 32, 2);
    step(clone);
    EXPECT_TRUE(WorldControl(simulation).take_missing().empty());
    return notices;
  };
  EXPECT_TRUE(notices_of("bloomThreshold -1 ambientOcclusionRadius 0").empty());
  const std::vector<std::string> notices =
      notices_of("bloomThreshold 2 ambientOcclusionRadius 0.5 lensFlare LensFlare { }");
  ASSERT_EQ(notices.size(), 3u);
  EXPECT_NE(notices[0].find(":4:"), std::string::npos) << notices[0];
  EXPECT_TRUE(
      notices[0].ends_with("Camera \"c\": ambientOcclusionRadius has no effect: ambient "
                           "occlusion is not drawn"))
      << notices[0];
  EXPECT_TRUE(notices[1].ends_with("bloomThreshold has no effect: bloom is not drawn"));
  EXPECT_TRUE(notices[2].ends_with("lensFlare has no effect: a lens flare is not drawn"));
}

// Only other settings of the sensor itself make it begin again.
TEST(Camera, KeepsThePastOfMotionBlurWhenTheTreeChanges) {
  const auto red_after = [](const std::string& before, const std::string& after,
                            const std::string& more) {
    Simulation simulation =
        world_with(camera("motionBlur 100 " + before), glowing(2.1, 0, 9, "1 1 1"));
    step(simulation);
    Diagnostics diagnostics;
    WorldControl(simulation)
        .rebuild(std::make_shared<const wbt::WorldFile>(wbt::read_world_text(
            fmt::format("#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 32 }}\n{}\n"
                        "Robot {{ name \"r\" children [ {} ] }}\n{}",
                        glowing(-2.1, 0, 9, "1 1 1"), camera("motionBlur 100 " + after), more),
            "w", ".", {}, diagnostics)));
    step(simulation, 0);
    return middle(simulation)[0];
  };
  const int stays = toned(std::pow(0.005, 0.32));
  EXPECT_NEAR(red_after("", "", "Solid { name \"new\" }"), stays, 1);
  EXPECT_NEAR(red_after("fieldOfView 0.5", "fieldOfView 0.6", ""), stays, 1);
  EXPECT_EQ(red_after("", "noise 0.0001", ""), 0);
  EXPECT_EQ(red_after("", "projection \"spherical\"", ""), 0);
  EXPECT_EQ(red_after("projection \"spherical\" fieldOfView 0.5",
                      "projection \"spherical\" fieldOfView 0.6", ""),
            0);
  EXPECT_EQ(red_after("", "lens Lens { }", ""), 0);
}

// A supervisor may hide a node from one sensor.
TEST(Camera, DoesNotSeeWhatIsHiddenFromIt) {
  Simulation simulation = world_with(
      camera("recognition Recognition { segmentation TRUE }") +
          " Camera { name \"other\" width 8 height 8 } RangeFinder { name \"f\" width 1 height 1 "
          "maxRange 9 }",
      "DEF WALL Solid { recognitionColors [ 0 1 0 ] children [ " + glowing(2.1, 0, 9, "1 0 0") +
          "] }\n" + glowing(3.1, 0, 20, "0 0 1"));
  const std::uint32_t wall = WorldControl(simulation).tree().find_def("WALL");
  Camera& other = *simulation.robot(0).find("other")->get<Camera>();
  RangingSensor& finder = *simulation.robot(0).find("f")->get<RangingSensor>();
  other.enable(32, 0.0);
  finder.enable(32, 0.0);
  Recognition& recognition = recognition_of(simulation);
  recognition.enable(32, 0.0);
  command(recognition, CommandKind::Segmentation, 0.0, 1);
  step(simulation);
  EXPECT_EQ(middle(simulation), (Pixel{207, 0, 0}));
  EXPECT_NEAR(finder.picture()[0], 2.0, 1e-5);
  for (PictureSensor* const sensor :
       std::initializer_list<PictureSensor*>{&camera_of(simulation), &recognition, &finder}) {
    sensor->set_visible(wall, false);
    sensor->set_visible(wall, false);
  }
  const SimulationState state = simulation.save();
  const auto expect_hidden = [&] {
    step(simulation, 0);
    EXPECT_EQ(middle(simulation), (Pixel{0, 0, 207}));
    EXPECT_EQ(pixel(other.picture(), 8, 4, 4), (Pixel{207, 0, 0}));
    EXPECT_NEAR(finder.picture()[0], 3.0, 1e-5);
    EXPECT_EQ(pixel(recognition.picture(), 8, 4, 4), (Pixel{0, 0, 0}));
  };
  expect_hidden();
  camera_of(simulation).set_visible(wall, true);
  step(simulation, 0);
  EXPECT_EQ(middle(simulation), (Pixel{207, 0, 0}));
  simulation.restore(state);
  expect_hidden();
  camera_of(simulation).set_visible(123456, false);
  expect_hidden();
}

// A Shape that USE puts into a second Solid is hidden with the Solid that it is in.
TEST(Camera, HidesSharedShapesByTheirSolids) {
  Simulation simulation = world_with(
      "RangeFinder { name \"f\" width 1 height 1 maxRange 9 }",
      "DEF A Solid { translation 2.1 0 0 children [ DEF S Shape { geometry Box { size 0.2 9 9 } } "
      "] }\nDEF B Solid { name \"b\" translation 3.1 0 0 children [ USE S ] }");
  const std::uint32_t a = WorldControl(simulation).tree().find_def("A");
  const std::uint32_t b = WorldControl(simulation).tree().find_def("B");
  RangingSensor& finder = *simulation.robot(0).find("f")->get<RangingSensor>();
  finder.enable(32, 0.0);
  const auto distance = [&] {
    simulation.step();
    return finder.picture()[0];
  };
  EXPECT_NEAR(distance(), 2.0, 1e-5);
  finder.set_visible(b, false);
  EXPECT_NEAR(distance(), 2.0, 1e-5);
  finder.set_visible(a, false);
  EXPECT_TRUE(std::isinf(distance()));
  finder.set_visible(b, true);
  EXPECT_NEAR(distance(), 3.0, 1e-5);
}

// A laser throws a red disc with ten sides, which sensors of distances do not see.
TEST(Camera, SeesTheSpotsOfLasers) {
  const std::string wall =
      "Solid { translation 2.1 0 0 name \"wall\" children [ DEF S Shape { appearance Appearance { "
      "material Material { diffuseColor 0 0 0 ambientIntensity 0 } } geometry Box { size 0.2 9 9 } "
      "} ] boundingObject USE S }\n";
  const std::string devices =
      camera("fieldOfView 0.2", 100, 100) +
      " RangeFinder { name \"f\" width 1 height 1 maxRange 9 fieldOfView 0.1 } DistanceSensor { "
      "name \"laser\" type \"laser\" aperture 0.05 rotation 0 0 1 {} lookupTable [ 0 0 0, 9 9 0 ] "
      "}";
  const auto with = [&](const std::string& turn) {
    std::string text = devices;
    return world_with(text.replace(text.find("{}"), 2, turn), wall);
  };
  Simulation simulation = with("0");
  BodySensor& laser = simulation.robot(0).body_sensor("laser");
  RangingSensor& finder = *simulation.robot(0).find("f")->get<RangingSensor>();
  finder.enable(32, 0.0);
  step(simulation);
  EXPECT_EQ(middle(simulation), (Pixel{0, 0, 0})) << "it is not enabled";
  laser.enable(32, 1000.0 * simulation.time());
  step(simulation, 0);
  EXPECT_EQ(laser.values()[0], 2.0);
  EXPECT_EQ(middle(simulation), (Pixel{207, 0, 0}));
  EXPECT_NEAR(finder.picture()[0], 2.0, 1e-5);
  double lit = 0.0;
  const std::span<const std::uint8_t> picture = camera_of(simulation).picture();
  for (std::size_t i = 2; i < picture.size(); i += 4) {
    lit += picture[i] > 0 ? 1.0 : 0.0;
  }
  // The area of a decagon, 0.5 mm in front of the wall; a pixel is 4 mm wide there.
  const double pixel_side = 2.0 * std::tan(0.1) * 1.9995 / 100.0;
  EXPECT_NEAR(lit * pixel_side * pixel_side, 5.0 * 0.05 * 0.05 * std::sin(0.628318531), 1e-4);
  const SimulationState state = simulation.save();
  laser.enable(0, 1000.0 * simulation.time());
  step(simulation, 0);
  EXPECT_EQ(middle(simulation), (Pixel{0, 0, 0}));
  simulation.restore(state);
  step(simulation, 0);
  EXPECT_EQ(middle(simulation), (Pixel{207, 0, 0}));
  // None where the beam grazes the wall by less than 10 degrees.
  for (const auto& [turn, is_seen] : {std::pair{"1.37", true}, {"1.41", false}}) {
    Simulation grazing = world_with(
        "Camera { name \"c\" width 100 height 100 fieldOfView 0.3 rotation 0 0 1 " +
            std::string(turn) +
            " } "
            "DistanceSensor { name \"laser\" type \"laser\" aperture 0.5 rotation 0 0 1 " +
            std::string(turn) + " lookupTable [ 0 0 0, 30 30 0 ] }",
        "Solid { translation 1.1 0 0 children [ DEF S Shape { appearance Appearance { material "
        "Material { diffuseColor 0 0 0 } } geometry Box { size 0.2 90 90 } } ] boundingObject USE "
        "S }\n");
    grazing.robot(0).body_sensor("laser").enable(32, 0.0);
    step(grazing);
    const std::span<const std::uint8_t> found = camera_of(grazing).picture();
    bool any = false;
    for (std::size_t i = 2; i < found.size(); i += 4) {
      any = any || found[i] > 100;
    }
    EXPECT_EQ(any, is_seen) << turn;
  }
}

// Lines and points are a pixel wide and are not lit.
TEST(Camera, SeesLinesAndPoints) {
  const std::string strokes = R"(
    Shape { appearance Appearance { material Material { emissiveColor 1 0 0 } }
      geometry IndexedLineSet { coord Coordinate { point [ 2 -9 0.05, 2 9 0.05, 1 0 0, -1 0 0, 1e30 0 0 ] }
        coordIndex [ 0 1 -1 2 3 -1 7 0 4 ] } }
    Shape { geometry PointSet { coord Coordinate { point [ 2 0.5 0.5, 2 -0.5 0.5, -2 0.5 0.5 ] }
        color Color { color [ 0 1 0, 0 0.5 1, 1 1 1 ] } } }
    )";
  const auto lit = [](Simulation& simulation) {
    int count = 0;
    const std::span<const std::uint8_t> picture = camera_of(simulation).picture();
    for (std::size_t i = 0; i < picture.size(); i += 4) {
      count += picture[i] + picture[i + 1] + picture[i + 2] > 0 ? 1 : 0;
    }
    return count;
  };
  for (const std::string& projection : std::vector<std::string>{"planar", "cylindrical"}) {
    Simulation simulation =
        world_with(camera("fieldOfView 1 projection \"" + projection + "\"", 100, 100), strokes);
    step(simulation);
    const Camera& seen = camera_of(simulation);
    const double row = projection == "planar" ? 50.0 - 100.0 * 0.025 / (2.0 * std::tan(0.5))
                                              : 50.0 - 100.0 * std::atan(0.025);
    EXPECT_EQ(pixel(seen.picture(), 100, 50, static_cast<int>(row)), (Pixel{207, 0, 0}));
    EXPECT_GT(lit(simulation), 99) << "the line spans the picture";
    EXPECT_LT(lit(simulation), 125) << projection;
    const auto place = [&projection](double y) {
      return static_cast<int>(projection == "planar" ? 50.0 - 100.0 * y / (4.0 * std::tan(0.5))
                                                     : 50.0 - 100.0 * std::atan(0.5 * y));
    };
    const int up = projection == "planar"
                       ? place(0.5)
                       : static_cast<int>(50.0 - 100.0 * std::asin(0.5 / std::sqrt(4.5)));
    EXPECT_EQ(pixel(seen.picture(), 100, place(0.5), up), (Pixel{0, 207, 0})) << projection;
    EXPECT_EQ(pixel(seen.picture(), 100, place(-0.5), up), (Pixel{0, toned(0.5), 207}));
  }
  // What is opaque hides them.
  Simulation hidden = world_with(camera("fieldOfView 1", 100, 100), strokes + R"(
    Pose { translation 1.5 0 0 children [ Shape { appearance Appearance { material Material {
      diffuseColor 0 0 0 } } geometry Box { size 0.1 9 9 } } ] })");
  step(hidden);
  EXPECT_LT(lit(hidden), 3) << "a part of the line towards the sensor is in front of it";
}

// ---- recognition

std::string solid(const std::string& name, double x, double y, const std::string& more = "",
                  const std::string& color = "1 0 0", double side = 0.4) {
  return fmt::format(
      "Solid {{ translation {} {} 0 name \"{}\" model \"m {}\" recognitionColors [ {}, 0 0 1 ] "
      "children [ DEF S_{} Shape {{ geometry Box {{ size {} {} {} }} }} ] boundingObject USE S_{} "
      "{} }}\n",
      x, y, name, name, color, name, side, side, side, name, more);
}

std::string recognizing(const std::string& fields = "", const std::string& more = "") {
  return camera("recognition Recognition { " + fields + " } " + more, 100, 100);
}

std::vector<std::string> models(Simulation& simulation) {
  recognition_of(simulation).enable(32, 1000.0 * simulation.time());
  simulation.step();
  std::vector<std::string> found;
  for (const RecognizedObject& object : recognition_of(simulation).objects()) {
    found.push_back(object.model);
  }
  return found;
}

TEST(Recognition, DescribesAnObject) {
  Simulation simulation =
      world_with(recognizing("", "fieldOfView 1.0"), solid("a", 2.0, 0.5, "rotation 0 0 1 1.5708"));
  ASSERT_EQ(models(simulation), std::vector<std::string>{"m a"});
  const RecognizedObject& object = recognition_of(simulation).objects()[0];
  EXPECT_NEAR(object.position.x, 2.0, 1e-6);
  EXPECT_NEAR(object.position.y, 0.5, 1e-6);
  EXPECT_NEAR(object.orientation.angle, 1.5708, 1e-9);
  EXPECT_NEAR(object.size[0], 0.4, 1e-5);
  EXPECT_NEAR(object.size[1], 0.4, 1e-5);
  ASSERT_EQ(object.colors.size(), 2u);
  EXPECT_EQ(object.colors[0].x, 1.0);
  // Its nearest corners are at x = 1.8 and y from 0.3 to 0.7, its farthest ones at x = 2.2.
  const auto column = [](double y, double x) {
    return static_cast<int>(99.0 * (0.5 - y / (2.0 * x * std::tan(0.5))));
  };
  EXPECT_EQ(object.frame_size[0], column(0.3, 2.2) - column(0.7, 1.8));
  EXPECT_NEAR(object.middle[0], 0.5 * (column(0.3, 2.2) + column(0.7, 1.8)), 0.5);
  EXPECT_NEAR(object.middle[1], 49, 1);
}

TEST(Recognition, LeavesOutWhatIsFarOrOutside) {
  Simulation simulation = world_with(recognizing("maxRange 3"),
                                     solid("near", 2.0, 0.0) + solid("far", 9.0, 0.5) +
                                         solid("aside", 0.5, 3.0) + solid("behind", -2.0, 0.0));
  EXPECT_EQ(models(simulation), std::vector<std::string>{"m near"});
}

TEST(Recognition, HidesWhatIsBehindOthers) {
  const std::string wall =
      "Solid { translation 1 0 0 name \"wall\" boundingObject Box { size 0.1 1 1 } }\n";
  for (const auto& [rule, found] :
       {std::pair{"occlusion 0", 1u}, {"occlusion 1", 0u}, {"occlusion 2", 0u}}) {
    Simulation simulation = world_with(recognizing(rule), solid("a", 2.0, 0.0) + wall);
    EXPECT_EQ(models(simulation).size(), found) << rule;
  }
  // Only its middle is hidden: rays to its corners pass.
  const std::string pole =
      "Solid { translation 1 0 0 name \"wall\" boundingObject Box { size 0.05 0.05 2 } }\n";
  for (const auto& [rule, found] : {std::pair{"occlusion 1", 0u}, {"occlusion 2", 1u}}) {
    Simulation simulation = world_with(recognizing(rule), solid("a", 2.0, 0.0) + pole);
    EXPECT_EQ(models(simulation).size(), found) << rule;
  }
}

TEST(Recognition, KeepsTheLargestObjectsAndNoneOfItsRobot) {
  Simulation simulation =
      world_with(recognizing("maxObjects 2 occlusion 0") + solid("own", 1.0, 0.0),
                 solid("small", 2.0, 0.3, "", "1 0 0", 0.1) + solid("large", 2.0, -0.3) +
                     solid("middle", 2.0, 0.0, "", "1 0 0", 0.2));
  EXPECT_EQ(models(simulation), (std::vector<std::string>{"m large", "m middle"}));
}

TEST(Recognition, TakesTheSphereOfLooksWithoutABoundingObject) {
  Simulation simulation = world_with(recognizing(), R"(
    Solid { translation 2 0 0 recognitionColors [ 1 1 0 ] children [
      Shape { geometry Sphere { radius 0.25 } } ] }
    )");
  ASSERT_EQ(models(simulation).size(), 1u);
  EXPECT_NEAR(recognition_of(simulation).objects()[0].size[1], 0.5, 1e-6);
}

// Without a boundingObject the rays go to the six tips of the sphere, not to the corners of its
// box.
TEST(Recognition, CastsRaysToTheTipsOfASphere) {
  const std::string ball =
      "Solid { translation 3 0 0 recognitionColors [ 1 1 0 ] children [ Shape { geometry Sphere { "
      "radius 0.5 } } ] }\n";
  // This wall has a hole for the corners: it hides a cross, and so all tips of the sphere.
  const std::string cross =
      "Solid { translation 1 0 0 name \"wall\" boundingObject Group { children [ Box { size 0.1 2 "
      "0.2 } Box { size 0.1 0.2 2 } ] } }\n";
  Simulation crossed = world_with(recognizing("occlusion 2"), ball + cross);
  EXPECT_EQ(models(crossed).size(), 0u);
  // These hide the corners alone.
  std::string posts;
  for (const auto& [y, z] : {std::pair{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}) {
    posts += fmt::format(
        "Solid {{ translation 1 {} {} name \"{} {}\" boundingObject Box {{ size 0.1 0.15 0.15 }} "
        "}}\n",
        0.17 * y, 0.17 * z, y, z);
  }
  Simulation posted = world_with(recognizing("occlusion 2"), ball + posts);
  EXPECT_EQ(models(posted).size(), 1u);
}

// A wall hides a corner unless it is nearer to it than half of a size of the object. For the last
// two corners, at the upper left edge, Webots has no size, so that any wall hides them.
TEST(Recognition, HidesTheLastCornersByAnyWall) {
  // The wall that is far in front hides all corners but two at an upper edge.
  const auto found = [](double side, bool is_near) {
    const std::string walls = fmt::format(
        "Solid {{ translation 1 0 0 name \"far\" boundingObject Group {{ children [ Pose {{ "
        "translation 0 0 -1 children [ Box {{ size 0.1 4 2 }} ] }} Pose {{ translation 0 {} 0 "
        "children [ Box {{ size 0.1 2 4 }} ] }} ] }} }}\n",
        -side);
    const std::string near =
        "Solid { translation 1.75 0 0 name \"near\" boundingObject Box { size 0.002 2 2 } }\n";
    Simulation simulation = world_with(recognizing("occlusion 2"),
                                       solid("a", 2.0, 0.0) + walls + (is_near ? near : ""));
    return models(simulation).size();
  };
  for (const double side : {1.0, -1.0}) {
    EXPECT_EQ(found(side, false), 1u) << side;
  }
  EXPECT_EQ(found(1.0, true), 0u) << "left";
  EXPECT_EQ(found(-1.0, true), 1u) << "right: the wall is 0.05 m in front of a corner";
}

// A round shape at the edge of the picture is cut there only if the picture spans at most π/2.
TEST(Recognition, CutsRoundShapesInNarrowViews) {
  const auto width = [](double angle) {
    const double side = std::tan(0.5 * angle);
    Simulation simulation =
        world_with(recognizing("", fmt::format("fieldOfView {}", angle)),
                   fmt::format("Solid {{ translation 2 {} 0 recognitionColors [ 1 1 0 ] "
                               "boundingObject Sphere {{ radius 0.5 }} }}\n",
                               2.0 * side));
    EXPECT_EQ(models(simulation).size(), 1u) << angle;
    return recognition_of(simulation).objects()[0].size[1];
  };
  EXPECT_NEAR(width(1.5), 0.5, 1e-6);
  EXPECT_NEAR(width(1.7), 1.0, 1e-6);
}

TEST(Recognition, PaintsSegments) {
  Simulation simulation =
      world_with(recognizing("segmentation TRUE"),
                 solid("a", 2.0, 0.0, "", "0.2 0.6 1") + glowing(2.1, 0, 3, "1 1 1"));
  Recognition& recognition = recognition_of(simulation);
  EXPECT_EQ(models(simulation).size(), 1u);
  EXPECT_TRUE(recognition.picture().empty());
  command(recognition, CommandKind::Segmentation, 0.0, 1);
  simulation.step();
  EXPECT_EQ(pixel(recognition.picture(), 100, 50, 50), (Pixel{51, 153, 255}));
  EXPECT_EQ(pixel(recognition.picture(), 100, 5, 5), (Pixel{0, 0, 0}));
  EXPECT_TRUE(camera_of(simulation).picture().empty());
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// Pictures among the observations of a Batch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_worlds.h"
#include "servosim/batch.h"
#include "servosim/camera.h"
#include "servosim/ranging_sensor.h"
#include "servosim/recognition.h"

namespace servosim::test {
namespace {

namespace batch_pictures_test {

using batch_worlds::refusal;
using Bytes = std::vector<std::byte>;

// A motor moves a glowing board of red light across the view, 2 m in front.
std::string board_world(const std::string& sensors, const std::string& name = "eye") {
  return fmt::format(R"(#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 16 randomSeed 3 }}
Robot {{ name "{}" children [
  SliderJoint {{
    jointParameters JointParameters {{ axis 0 1 0 }}
    device LinearMotor {{ name "board" maxForce 50 maxVelocity 3 }}
    endPoint DEF BOARD Solid {{ translation 2 0.25 0 name "board" recognitionColors [ 0.2 0.4 0.6 ]
      children [ DEF LOOK Shape {{
        appearance Appearance {{ material Material {{ diffuseColor 0 0 0 ambientIntensity 0
          emissiveColor 1 0.25 0 }} }}
        geometry Box {{ size 0.25 0.5 0.5 }} }} ]
      boundingObject USE LOOK physics Physics {{ density -1 mass 0.5 }} }} }}
  {} ] }})",
                     name, sensors);
}

constexpr const char* kCameraNode =
    "DEF CAMERA Camera { name \"camera\" width 12 height 8 fieldOfView 1.2 "
    "recognition Recognition { segmentation TRUE } }\n";
constexpr const char* kAllNodes =
    "RangeFinder { name \"finder\" width 6 height 4 fieldOfView 1.2 maxRange 5 }\n"
    "Lidar { name \"scan\" horizontalResolution 9 numberOfLayers 2 fieldOfView 1.2 maxRange 5 }\n";

const std::vector<std::string> kMotor{"board.target_velocity"};

std::string everything() { return board_world(std::string(kCameraNode) + kAllNodes); }

// A velocity that differs by instance and step [m/s].
double velocity_for(std::size_t instance, std::size_t step) {
  return force_for(instance, step) / 14.0;
}

void move_boards(Batch& batch, std::size_t step) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.actions<double>()[i] = velocity_for(i, step);
  }
}

Bytes bytes_of(const Batch& batch, std::size_t picture) {
  const BatchPicture& one = batch.pictures()[picture];
  return {one.data.get(), one.data.get() + batch.size() * one.bytes()};
}

std::vector<Bytes> all_pictures(const Batch& batch) {
  std::vector<Bytes> all;
  for (std::size_t p = 0; p < batch.pictures().size(); ++p) {
    all.push_back(bytes_of(batch, p));
  }
  return all;
}

std::string refusal_of_observing(Batch& batch, const std::vector<std::string>& observe) {
  return refusal([&] { batch.bind(observe, {}); });
}

const Camera& camera_of(const Batch& batch, std::size_t instance) {
  return *batch.simulation(instance).robots()[0].find("camera")->get<Camera>();
}

// The red, green and blue of a picture of a sensor.
Bytes colors_of(std::span<const std::uint8_t> picture) {
  Bytes colors;
  for (std::size_t i = 0; i < picture.size(); i += 4) {
    for (const std::size_t part : {2, 1, 0}) {
      colors.push_back(static_cast<std::byte>(picture[i + part]));
    }
  }
  return colors;
}

}  // namespace batch_pictures_test
using namespace batch_pictures_test;

TEST(BatchPictures, AreThoseOfSimulations) {
  constexpr std::size_t kCount = 3;
  BatchOptions options;
  options.control_step_ms = 32.0;
  Batch batch = batch_of(everything(), kCount, options);
  batch.bind({"camera.rgb", "board.position", "scan.ranges", "*.depth", "eye/*.segmentation"},
             kMotor);
  ASSERT_EQ(batch.pictures().size(), 4u);
  EXPECT_EQ(batch.observation_names(), std::vector<std::string>{"eye/board.position"});
  const std::vector<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool>> expected{
      {"eye/camera.rgb", 8, 12, 3, false},
      {"eye/scan.ranges", 2, 9, 1, true},
      {"eye/finder.depth", 4, 6, 1, true},
      {"eye/camera.segmentation", 8, 12, 3, false}};
  for (std::size_t p = 0; p < 4; ++p) {
    const BatchPicture& one = batch.pictures()[p];
    EXPECT_EQ(std::tuple(one.name, one.height, one.width, one.channels, one.is_float), expected[p]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data.get()) % 64, 0u);
  }
  for (std::size_t t = 0; t < 12; ++t) {
    move_boards(batch, t);
    ASSERT_TRUE(batch.step());
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    Simulation alone = Simulation::from_text(everything());
    const DeviceNode& camera = *alone.robot(0).find("camera");
    camera.get<Recognition>()->set_segmentation(true);
    const std::vector<PictureSensor*> sensors{camera.get<Camera>(), camera.get<Recognition>(),
                                              alone.robot(0).find("finder")->get<RangingSensor>(),
                                              alone.robot(0).find("scan")->get<RangingSensor>()};
    for (PictureSensor* const sensor : sensors) {
      sensor->enable(32, 0.0);
    }
    for (std::size_t t = 0; t < 12; ++t) {
      alone.robot(0).motor("board").set_position(INFINITY);
      alone.robot(0).motor("board").set_velocity(velocity_for(i, t));
      alone.step(2);
    }
    const auto row = [&](std::size_t p) {
      const BatchPicture& one = batch.pictures()[p];
      return Bytes(one.data.get() + i * one.bytes(), one.data.get() + (i + 1) * one.bytes());
    };
    const auto bytes = [](const PictureSensor& sensor) {
      return Bytes(sensor.picture_bytes().begin(), sensor.picture_bytes().end());
    };
    const Bytes seen = colors_of(camera.get<Camera>()->picture());
    EXPECT_EQ(row(0), seen);
    EXPECT_NE(std::ranges::find(seen, static_cast<std::byte>(207)), seen.end()) << "of light 1";
    EXPECT_EQ(row(1), bytes(*sensors[3]));
    EXPECT_EQ(row(2), bytes(*sensors[2]));
    EXPECT_EQ(row(3), colors_of(camera.get<Recognition>()->picture()));
    EXPECT_NE(row(3), Bytes(row(3).size())) << "the board has its recognitionColors";
  }
}

TEST(BatchPictures, AreTheSameWithAnyNumberOfThreads) {
  std::vector<std::vector<Bytes>> by_threads;
  for (const std::size_t threads : {1, 2, 3}) {
    BatchOptions options;
    options.threads = threads;
    Batch batch = batch_of(
        board_world("Camera { name \"camera\" width 9 height 7 fieldOfView 1.2 noise 0.1 }" +
                    std::string(kAllNodes)),
        19, options);
    batch.bind({"*.rgb", "*.depth", "*.ranges"}, kMotor);
    for (std::size_t t = 0; t < 6; ++t) {
      move_boards(batch, t);
      ASSERT_TRUE(batch.step());
    }
    by_threads.push_back(all_pictures(batch));
  }
  EXPECT_EQ(by_threads[0], by_threads[1]);
  EXPECT_EQ(by_threads[0], by_threads[2]);
}

TEST(BatchPictures, ShowTheBeginningOfAnEpisodeAtOnce) {
  Batch batch = batch_of(board_world("Camera { name \"camera\" width 24 height 8 fieldOfView 1.2 "
                                     "motionBlur 500 }"),
                         2);
  batch.bind({"camera.rgb"}, kMotor);
  const Bytes begin = bytes_of(batch, 0);
  EXPECT_NE(begin, Bytes(begin.size()));
  std::vector<double> velocities{3.0, 3.0};
  std::ranges::copy(velocities, batch.actions<double>().begin());
  for (int t = 0; t < 8; ++t) {
    ASSERT_TRUE(batch.step());
  }
  const Bytes moved = bytes_of(batch, 0);
  ASSERT_NE(moved, begin);
  const std::vector<SimulationState> states{batch.save(1)};
  batch.reset(std::vector<std::uint8_t>{1, 0});
  const Bytes half = bytes_of(batch, 0);
  const std::size_t one = batch.pictures()[0].bytes();
  EXPECT_TRUE(std::equal(half.begin(), half.begin() + one, begin.begin()))
      << "the former episode neither stays nor fades";
  EXPECT_TRUE(std::equal(half.begin() + one, half.end(), moved.begin() + one));
  ASSERT_TRUE(batch.step());
  batch.reset({}, states);
  const Bytes restored = bytes_of(batch, 0);
  EXPECT_TRUE(std::equal(restored.begin(), restored.begin() + one, restored.begin() + one));
  EXPECT_NE(restored, begin);
  Batch other = batch_of(everything(), 2);
  other.bind({"camera.rgb"}, kMotor);
  const Bytes of_other = bytes_of(other, 0);
  ASSERT_TRUE(other.step());
  other.bind({}, kMotor);
  EXPECT_TRUE(other.pictures().empty());
  const auto* const camera = other.simulation(1).robots()[0].find("camera")->get<Camera>();
  EXPECT_EQ(camera->sampler().period_ms(), 0) << "what nobody observes is not drawn";
}

TEST(BatchPictures, AreBlackWithoutPower) {
  Batch batch = batch_of(everything(), 1);
  batch.bind({"camera.rgb", "camera.segmentation", "finder.depth"}, kMotor);
  Robot& robot = const_cast<Simulation&>(batch.simulation(0)).robot(0);
  robot.set_power(false);
  const std::vector<SimulationState> without{batch.save(0)};
  robot.set_power(true);
  ASSERT_TRUE(batch.step());
  for (const Bytes& picture : all_pictures(batch)) {
    EXPECT_NE(picture, Bytes(picture.size()));
  }
  batch.reset({}, without);
  for (const Bytes& picture : all_pictures(batch)) {
    EXPECT_EQ(picture, Bytes(picture.size())) << "nothing of the former episode";
  }
}

TEST(BatchPictures, OfRolloutsAreKeptWhereAskedFor) {
  constexpr std::size_t kCount = 3;
  constexpr std::size_t kSteps = 5;
  Batch stepped = batch_of(everything(), kCount);
  Batch rolled = batch_of(everything(), kCount);
  for (Batch* batch : {&stepped, &rolled}) {
    batch->bind({"camera.rgb", "finder.depth", "board.position"}, kMotor);
  }
  std::vector<double> actions;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t t = 0; t < kSteps; ++t) {
      actions.push_back(velocity_for(i, t));
    }
  }
  const std::size_t size = rolled.pictures()[1].bytes();
  Bytes kept(kCount * kSteps * size);
  std::vector<double> rows(kCount * kSteps);
  const std::vector<BatchPictureRows> wanted{{1, kept}};
  ASSERT_TRUE(rolled.rollout<double>(actions, kSteps, rows, {}, wanted));
  for (std::size_t t = 0; t < kSteps; ++t) {
    move_boards(stepped, t);
    ASSERT_TRUE(stepped.step());
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(std::memcmp(&kept[(i * kSteps + t) * size],
                            stepped.pictures()[1].data.get() + i * size, size),
                0)
          << i << ' ' << t;
    }
  }
  EXPECT_EQ(all_pictures(rolled), all_pictures(stepped));
  kept.pop_back();
  const auto refusal_of = [&](std::size_t picture) {
    return refusal([&] {
      rolled.rollout<double>(actions, kSteps, rows, {},
                             std::vector<BatchPictureRows>{{picture, kept}});
    });
  };
  EXPECT_EQ(refusal_of(1),
            "1439 bytes for 3 instances, 5 steps and pictures of 96 bytes: 1440 are needed");
  EXPECT_EQ(refusal_of(2), "picture 2: the batch has 2, counted from 0");
}

TEST(BatchPictures, RefuseWhatIsNoPicture) {
  Batch batch = batch_of(everything(), 2);
  EXPECT_EQ(refusal_of_observing(batch, {"finder.rgb"}),
            "\"finder.rgb\": no Camera is called \"finder\"; there are 'eye/camera'");
  EXPECT_EQ(refusal_of_observing(batch, {"eye/camra.segmentation"}),
            "\"eye/camra.segmentation\": no Camera with Recognition.segmentation TRUE is called "
            "\"eye/camra\"; there are 'eye/camera'");
  EXPECT_EQ(refusal_of_observing(batch, {"scan.depth"}),
            "\"scan.depth\": no RangeFinder is called \"scan\"; there are 'eye/finder'");
  EXPECT_EQ(refusal_of_observing(batch, {"camera.value"}),
            "\"camera.value\": no sensor is called \"camera\"; there are 'eye/board'");
  EXPECT_NE(refusal_of_observing(batch, {"camera.rbg"}).find("did you mean 'camera.rgb'?"),
            std::string::npos);
  Batch blind = batch_of(cart_pole(), 2);
  EXPECT_EQ(refusal_of_observing(blind, {"*.ranges"}),
            "\"*.ranges\": no Lidar is called \"*\"; there is none");
  batch.bind({"camera.rgb", "*.rgb", "board.position"}, {});
  EXPECT_EQ(batch.pictures().size(), 1u) << "a picture is taken once";
  EXPECT_EQ(refusal([&] {
              batch.randomize({{"camera.rgb noise", 0.1, 0.2}});
            }),
            "\"camera.rgb\" is a picture, which gets no noise of a batch: the field `noise` "
            "of its sensor gives it some");
}

TEST(BatchPictures, OfEqualNamesHaveNumbers) {
  Batch batch = batch_of(board_world("Camera { name \"c\" width 3 height 2 }\n"
                                     "Camera { name \"c\" width 5 height 4 }\n"),
                         2);
  batch.bind({"*.rgb"}, {});
  ASSERT_EQ(batch.pictures().size(), 2u);
  EXPECT_EQ(batch.pictures()[0].name, "eye/c.rgb");
  EXPECT_EQ(batch.pictures()[1].name, "eye/c #2.rgb");
  EXPECT_EQ(batch.pictures()[1].bytes(), 60u) << "pictures of a pattern may have other sizes";
  Batch other = batch_of(
      board_world(
          "Camera { name \"c\" width 3 height 2 }\n"
          "RangeFinder { name \"c\" width 3 height 2 }\n"
          "Camera { name \"c\" width 3 height 2 recognition Recognition { segmentation TRUE } "
          "}\n"),
      1);
  other.bind({"*.rgb", "*.segmentation", "*.depth"}, {});
  std::vector<std::string> names;
  for (const BatchPicture& picture : other.pictures()) {
    names.push_back(picture.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"eye/c.rgb", "eye/c #3.rgb", "eye/c #3.segmentation",
                                             "eye/c #2.depth"}));
}

TEST(BatchPictures, ThatCannotBeBoundLeaveTheArrays) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"board.position", "finder.depth"}, kMotor);
  batch.set("CAMERA.width", std::vector<double>{12.0, 20.0});
  const std::vector<std::string> names = batch.observation_names();
  const auto numbers = batch.observation_data(BatchNumber::Float64);
  const auto picture = batch.pictures()[0].data;
  EXPECT_EQ(refusal_of_observing(batch, {"camera.rgb"}),
            "\"eye/camera.rgb\" has 20 x 8 pixels, but the array of the batch has 12 x 8: pictures "
            "of all instances have the same size");
  EXPECT_EQ(batch.observation_names(), names);
  EXPECT_EQ(batch.action_names().size(), 1u);
  EXPECT_EQ(batch.observation_data(BatchNumber::Float64), numbers);
  ASSERT_EQ(batch.pictures().size(), 1u);
  EXPECT_EQ(batch.pictures()[0].data, picture);
  EXPECT_EQ(camera_of(batch, 0).sampler().period_ms(), 0);
  const Bytes before = bytes_of(batch, 0);
  std::ranges::fill(batch.actions<double>(), 3.0);
  for (int t = 0; t < 20; ++t) {
    ASSERT_TRUE(batch.step());
  }
  EXPECT_NE(bytes_of(batch, 0), before) << "the former pictures go on";
  batch.set("CAMERA.width", std::vector<double>{20.0});
  batch.bind({"camera.rgb"}, kMotor);
  EXPECT_EQ(batch.pictures()[0].width, 20u) << "all instances have the size that was set";
}

TEST(BatchPictures, AreTakenOnceInEachStep) {
  for (const auto& [basic_ms, control_ms] :
       {std::pair{0.5, 0.5}, {0.5, 1.5}, {2.5, 12.5}, {0.8, 4.0}, {16.0, 16.0}, {16.0, 64.0}}) {
    std::string world = board_world(
        "Camera { name \"camera\" width 12 height 8 fieldOfView 1.2 noise 0.2 exposure 0.5 }");
    const std::string fixed = "basicTimeStep 16";
    world.replace(world.find(fixed), fixed.size(), fmt::format("basicTimeStep {}", basic_ms));
    BatchOptions options;
    options.control_step_ms = control_ms;
    Batch batch = batch_of(world, 1, options);
    batch.bind({"camera.rgb"}, kMotor);
    for (int t = 1; t <= 9; ++t) {
      const Bytes before = bytes_of(batch, 0);
      const std::uint64_t count = camera_of(batch, 0).sampler().count();
      ASSERT_TRUE(batch.step());
      EXPECT_NE(bytes_of(batch, 0), before) << control_ms << ' ' << t;
      EXPECT_EQ(camera_of(batch, 0).sampler().count(), count + 1) << control_ms << ' ' << t;
      EXPECT_NEAR(camera_of(batch, 0).sampler().last_ms(), t * control_ms, 1e-9)
          << control_ms << " at the end of the step";
    }
  }
}

TEST(BatchPictures, AreNotTakenWhereParametersAreSet) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"camera.rgb"}, kMotor);
  const Bytes before = bytes_of(batch, 0);
  const std::uint64_t count = camera_of(batch, 1).sampler().count();
  batch.set("board.maxForce", std::vector<double>{50.0});
  batch.set("board.maxForce", std::vector<double>{40.0});
  EXPECT_EQ(camera_of(batch, 1).sampler().count(), count) << "random numbers would be drawn";
  EXPECT_EQ(bytes_of(batch, 0), before);
  ASSERT_TRUE(batch.step());
  EXPECT_EQ(camera_of(batch, 1).sampler().count(), count + 1);
}

TEST(BatchPictures, ThatNobodyObservesAreNotTaken) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"camera.rgb", "camera.segmentation", "scan.ranges"}, kMotor);
  const std::vector<SimulationState> states{batch.save(0)};
  batch.bind({"time", "finder.depth"}, kMotor);
  batch.reset({}, states);
  EXPECT_EQ(camera_of(batch, 0).sampler().period_ms(), 0);
  const DeviceNode& camera = *batch.simulation(1).robots()[0].find("camera");
  EXPECT_EQ(camera.get<Recognition>()->sampler().period_ms(), 0);
  EXPECT_EQ(
      batch.simulation(1).robots()[0].find("scan")->get<RangingSensor>()->sampler().period_ms(), 0);
  EXPECT_GT(
      batch.simulation(1).robots()[0].find("finder")->get<RangingSensor>()->sampler().period_ms(),
      0);
  Simulation seeing = Simulation::from_text(everything());
  seeing.robot(0).find("camera")->get<Camera>()->enable(16, 0.0);
  const Batch made(seeing, 1);
  EXPECT_EQ(camera_of(made, 0).sampler().period_ms(), 0);
}

TEST(BatchPictures, ThatAreGoneAreErrors) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"camera.segmentation"}, kMotor);
  const Bytes before = bytes_of(batch, 0);
  EXPECT_EQ(refusal([&] {
              batch.set("CAMERA.recognition.segmentation", std::vector<double>{1.0, 0.0});
            }),
            "\"CAMERA.recognition.segmentation\": \"eye/camera.segmentation\" is observed, "
            "but it is not there with these values");
  ASSERT_TRUE(batch.step());
  EXPECT_EQ(batch.failed()[1], 0);
  EXPECT_EQ(bytes_of(batch, 0), before);
}

TEST(BatchPictures, HaveOneSizeInAllInstances) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"camera.rgb"}, kMotor);
  const Bytes before = bytes_of(batch, 0);
  EXPECT_EQ(refusal([&] {
              batch.set("CAMERA.width", std::vector<double>{12.0, 14.0});
            }),
            "\"CAMERA.width\": \"eye/camera.rgb\" has 14 x 8 pixels, but the array of the "
            "batch has 12 x 8: pictures of all instances have the same size");
  EXPECT_EQ(bytes_of(batch, 0), before);
  EXPECT_EQ(refusal([&] {
              batch.randomize({{"CAMERA.width", 12.0, 15.0}});
            }),
            "\"CAMERA.width\": \"eye/camera.rgb\" has 15 x 8 pixels, but the array of the "
            "batch has 12 x 8: pictures of all instances have the same size");
  batch.randomize({{"CAMERA.fieldOfView", 1.2, 1.2}});
  batch.randomize({});
  batch.set("CAMERA.fieldOfView", std::vector<double>{0.6, 1.2});
  const std::size_t one = batch.pictures()[0].bytes();
  for (int t = 0; t < 2; ++t) {
    t == 0 ? static_cast<void>(batch.step()) : batch.reset();
    const Bytes after = bytes_of(batch, 0);
    EXPECT_FALSE(std::equal(after.begin(), after.begin() + one, before.begin())) << t;
    EXPECT_TRUE(std::equal(after.begin() + one, after.end(), before.begin() + one)) << t;
  }
  batch.set("CAMERA.exposure", std::vector<double>{0.0});
  ASSERT_TRUE(batch.step());
  EXPECT_EQ(bytes_of(batch, 0), Bytes(2 * one));
}

TEST(BatchPictures, OfAFailedInstanceStay) {
  Batch batch = batch_of(everything(), 2);
  batch.bind({"camera.rgb"}, kMotor);
  move_boards(batch, 4);
  ASSERT_TRUE(batch.step());
  const Bytes before = bytes_of(batch, 0);
  const_cast<Simulation&>(batch.simulation(1)).solid("board").set_velocity({{1e30, 0.0, 0.0}, {}});
  for (int t = 0; t < 3; ++t) {
    ASSERT_TRUE(batch.step());
  }
  ASSERT_EQ(batch.failed()[1], 1);
  const Bytes after = bytes_of(batch, 0);
  const std::size_t one = batch.pictures()[0].bytes();
  EXPECT_TRUE(std::equal(after.begin() + one, after.end(), before.begin() + one));
  batch.reset();
  EXPECT_EQ(batch.failed()[1], 0);
  const Bytes fresh = bytes_of(batch, 0);
  EXPECT_TRUE(std::equal(fresh.begin() + one, fresh.end(), fresh.begin()));
}

}  // namespace
}  // namespace servosim::test

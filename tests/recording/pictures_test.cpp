// SPDX-License-Identifier: Apache-2.0
// What recordings have of the pictures of sensors, and the parts of a scene that programs draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "recording/picture_record.h"
#include "recording/recorder.h"
#include "recording/recording_format.h"
#include "recording/recording_reader.h"
#include "recording/scene_parts.h"
#include "run/test_support.h"
#include "scene/mesh_file.h"
#include "servosim/camera.h"
#include "servosim/ranging_sensor.h"
#include "servosim/simulation.h"

namespace servosim::test {
namespace pictures_test {

constexpr const char* kEyes = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 20 }
DirectionalLight { direction 1 0.2 -0.3 }
Solid { translation 2 0 0 children [ Shape { appearance Appearance { material Material {
  diffuseColor 0.9 0.2 0.3 } } geometry Box { size 0.5 1 1 } } ] }
Robot { name "r" controller "<none>" children [
  Camera { name "small" width 40 height 30 }
  Camera { name "large" width 800 height 400 }
  Camera { name "off" width 8 height 8 }
  RangeFinder { name "depth" width 64 height 48 maxRange 5 }
] }
)";

struct Made {
  std::string bytes;
  std::uint64_t hash = 0;
};

Made record_eyes(double picture_rate, int period_ms = 20, int steps = 50) {
  Simulation simulation = Simulation::from_text(kEyes);
  Made made;
  Recorder recorder(simulation, {25.0, "eyes.wbt", picture_rate},
                    [&made](std::string_view piece) { made.bytes += piece; });
  for (const char* name : {"small", "depth"}) {
    simulation.robot("r").find(name)->devices[0]->enable(period_ms, 0.0);
  }
  simulation.robot("r").find("large")->devices[0]->enable(200, 0.0);
  for (int step = 0; step < steps; ++step) {
    simulation.step();
    recorder.step(simulation.time());
  }
  recorder.end(simulation.time(), "enough");
  made.hash = simulation.state_hash();
  return made;
}

Recording read_with_pictures(std::string_view bytes) {
  return read_recording(bytes, {.keeps_pictures = true});
}

std::vector<const RecordedSight*> of_sensor(const Recording& recording, const std::string& name) {
  std::vector<const RecordedSight*> found;
  for (const RecordedSight& picture : recording.pictures) {
    if (picture.name == name) {
      found.push_back(&picture);
    }
  }
  return found;
}

std::shared_ptr<const Image> decoded(const std::string& file) {
  const TempFolder folder;
  Diagnostics diagnostics;
  MeshFiles files(folder.path(), diagnostics);
  return std::get<std::shared_ptr<const Image>>(files.image(folder.write("picture", file)));
}

TEST(RecordedPictures, AreThoseOfEnabledSensorsAtARate) {
  const Recording recording = read_with_pictures(record_eyes(5.0).bytes);
  EXPECT_TRUE(of_sensor(recording, "r/off").empty());
  for (const char* name : {"r/small", "r/large", "r/depth"}) {
    const auto pictures = of_sensor(recording, name);
    ASSERT_EQ(pictures.size(), 5u) << name;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      EXPECT_NEAR(pictures[i]->head.time, 0.2 * static_cast<double>(i + 1), 1e-9) << name;
    }
  }
  // A sensor that measures once in 0.5 s has two pictures in a second, however often it is asked.
  EXPECT_EQ(of_sensor(read_with_pictures(record_eyes(10.0, 500).bytes), "r/small").size(), 2u);
}

TEST(RecordedPictures, HaveTheColoursOfTheSensor) {
  Simulation simulation = Simulation::from_text(kEyes);
  auto& camera = *simulation.robot("r").find("small")->get<Camera>();
  camera.enable(20, 0.0);
  simulation.step();
  const Recording recording = read_with_pictures(record_eyes(5.0).bytes);
  const RecordedSight& small = *of_sensor(recording, "r/small")[0];
  EXPECT_TRUE(small.file.starts_with("\x89PNG")) << "a small picture is exact";
  EXPECT_EQ(small.head.width, 40);
  EXPECT_EQ(small.head.height, 30);
  EXPECT_EQ(small.head.farthest, 0.0F);
  const auto image = decoded(small.file);
  ASSERT_EQ(image->pixels.size(), camera.picture().size());
  for (std::size_t i = 0; i < image->pixels.size(); i += 4) {
    ASSERT_EQ(image->pixels[i], camera.picture()[i + 2]) << i;
    ASSERT_EQ(image->pixels[i + 2], camera.picture()[i]) << i;
  }
  const RecordedSight& large = *of_sensor(recording, "r/large")[0];
  EXPECT_TRUE(large.file.starts_with("\xff\xd8\xff")) << "a JPEG file";
  EXPECT_EQ(large.head.columns, 800);
  EXPECT_EQ(large.head.rows, 400);
  EXPECT_EQ(large.head.width, 267) << "3 x 3 pixels are one";
  EXPECT_EQ(large.head.height, 134);
  const auto reduced = decoded(large.file);
  EXPECT_EQ(reduced->width, 267);
  const std::size_t middle = 4 * (std::size_t{67} * 267 + 133);
  EXPECT_GT(reduced->pixels[middle], reduced->pixels[middle + 1] + 60) << "the box is red";
}

TEST(RecordedPictures, HaveDepthsFromWhiteToDark) {
  const Recording recording = read_with_pictures(record_eyes(5.0).bytes);
  const RecordedSight& depth = *of_sensor(recording, "r/depth")[0];
  EXPECT_NEAR(depth.head.nearest, 1.75, 1e-5);
  EXPECT_EQ(depth.head.farthest, depth.head.nearest) << "all that is seen has one depth";
  const auto image = decoded(depth.file);
  const auto grey = [&image](int x, int y) {
    return static_cast<int>(image->pixels[4 * (static_cast<std::size_t>(y) * image->width +
                                               static_cast<std::size_t>(x))]);
  };
  EXPECT_EQ(grey(32, 24), 255) << "the box";
  EXPECT_EQ(grey(1, 24), 0) << "nothing in range";
}

TEST(RecordedPictures, OfNamesakesHaveNumbersAndTheRestIsNamed) {
  std::string text = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 20 }
Robot { name "r" controller "<none>" children [ )";
  constexpr int kSensors = PictureSource::kMaxSensors + 2;
  for (int i = 0; i < kSensors; ++i) {
    text += fmt::format("Camera {{ name \"{}\" width 4 height 4 }}\n",
                        i < 2 ? "c" : fmt::format("c{}", i));
  }
  Simulation simulation = Simulation::from_text(text + "] }\n");
  for (const DeviceNode& node : simulation.robot("r").devices()) {
    node.devices[0]->enable(20, 0.0);
  }
  simulation.step();
  PictureSource source;
  Writer records;
  source.add_pictures(simulation, 0.02, records);
  const std::string_view bytes = as_text(records.bytes());
  EXPECT_NE(bytes.find("r/c\x89PNG"), bytes.npos);
  EXPECT_NE(bytes.find("r/c #2\x89PNG"), bytes.npos);
  EXPECT_EQ(source.left_out(), (std::set<std::string>{"r/c16", "r/c17"}));
}

TEST(RecordedPictures, ChangeNothingElse) {
  const Made with = record_eyes(5.0);
  const Made without = record_eyes(0.0);
  EXPECT_EQ(with.hash, without.hash);
  EXPECT_EQ(read_with_pictures(without.bytes).pictures.size(), 0u);
  EXPECT_GT(read_with_pictures(with.bytes).pictures.size(), 0u);
  EXPECT_EQ(read_recording(with.bytes).pictures.size(), 0u)
      << "they are kept where they are asked for";
  EXPECT_EQ(read_recording(with.bytes).frames.size(), read_recording(without.bytes).frames.size());
  EXPECT_EQ(record_eyes(5.0).bytes, with.bytes);
}

TEST(RecordedPictures, WithAWrongHeadAreRefused) {
  Simulation simulation = Simulation::from_text(kEyes);
  const auto read = [&simulation](const RecordedPicture& head, std::string_view name,
                                  std::string_view file) {
    Writer records;
    RecordSource source(simulation, {"w.wbt", 0.04});
    source.add_frame(0.0, records);
    Writer content;
    RecordedPicture::for_each(head, [&content](const auto& number) { content.number(number); });
    EXPECT_EQ(content.size(), kPictureHeadBytes);
    content.chars(name);
    content.chars(file);
    RecordingStream::append(records, kPictureRecord, content.bytes());
    std::string bytes;
    RecordingStream stream([&bytes](std::string_view piece) { bytes += piece; });
    stream.send_records(records.bytes());
    stream.finish();
    EXPECT_THROW(read_recording(bytes, {.pictures = 0}), RecordingError);
    return read_with_pictures(bytes).pictures.size();
  };
  RecordedPicture good;
  good.width = good.height = 320;
  good.name = 3;
  EXPECT_EQ(read(good, "r/c", "file"), 1u);
  EXPECT_THROW(read(good, "r/c", ""), RecordingError);
  EXPECT_THROW(read(good, "r", ""), RecordingError);
  RecordedPicture bad = good;
  bad.width = 321;
  EXPECT_THROW(read(bad, "r/c", "file"), RecordingError);
  bad = good;
  bad.height = 0;
  EXPECT_THROW(read(bad, "r/c", "file"), RecordingError);
  bad = good;
  bad.name = 0;
  EXPECT_THROW(read(bad, "", "file"), RecordingError);
  bad.name = 0xffffffff;
  EXPECT_THROW(read(bad, "r/c", "file"), RecordingError);
  bad = good;
  bad.time = NAN;
  EXPECT_THROW(read(bad, "r/c", "file"), RecordingError);
}

TEST(RecordedPlaces, AreCountedUpToTheFirstThatIsNotFinite) {
  Recording recording;
  recording.frames.resize(4);
  for (RecordedFrame& frame : recording.frames) {
    frame.poses.resize(2);
  }
  EXPECT_EQ(count_placed_frames(recording), 4u);
  for (const float wrong : {NAN, INFINITY, 2e9F}) {
    recording.frames[2].poses[1].position[1] = wrong;
    EXPECT_EQ(count_placed_frames(recording), 2u) << wrong;
  }
  recording.frames[0].poses[0].position[2] = NAN;
  EXPECT_EQ(count_placed_frames(recording), 0u);
}

// The parts of a scene with one body, whose members are given, and at most one joint.
SceneParts parts_of(const std::string& body, const std::string& more = "") {
  RecordedScene scene;
  scene.bodies.resize(1);
  scene.joints.resize(more.empty() ? 0 : 1);
  scene.json = fmt::format(
      R"({{"format": 1, "meshes": [{{"positions": "AACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/",
      "indices": "AAAAAAEAAAACAAAA"}}], "textures": [], "joints": [{}], "bodies": [{{"name": "b",
      "moves": false, "pose": [0, 0, 0, 0, 0, 0, 1]{}}}]}})",
      more, body);
  return read_scene_parts(scene);
}

TEST(SceneParts, HaveTheShapesOfABody) {
  const SceneParts parts = parts_of(
      R"(, "mass": 2, "center_of_mass": [1, 2, 3], "shapes": [
        {"geometry": {"type": "mesh", "mesh": 0}, "color": [1, 0.5, 0], "scale": [1, 2, 3]},
        {"geometry": {"type": "box", "size": [1, 2, 3]}, "bounding": true, "opacity": 0.5},
        {"geometry": {"type": "sphere", "radius": 0}}])");
  ASSERT_EQ(parts.shapes.size(), 2u) << "a sphere without an extent is not seen";
  EXPECT_EQ(parts.shapes[0].mesh->positions.size(), 9u);
  EXPECT_EQ(parts.shapes[0].scale, (Vec3{1.0, 2.0, 3.0}));
  EXPECT_EQ(*parts.shapes[0].color, (Vec3{1.0, 0.5, 0.0}));
  EXPECT_TRUE(parts.shapes[1].bounding);
  EXPECT_EQ(shown_shapes(parts), std::vector<std::size_t>{0});
  EXPECT_EQ(*parts.bodies[0].center_of_mass, (Vec3{1.0, 2.0, 3.0}));
}

TEST(SceneParts, ThatAreWrongAreRefusedWithTheirPlace) {
  const auto expect_error = [](const std::string& body, const std::string& what,
                               const std::string& more = "") {
    try {
      parts_of(body, more);
      ADD_FAILURE() << body;
    } catch (const RecordingError& error) {
      EXPECT_EQ(std::string(error.what()), "the scene is wrong: " + what);
    }
  };
  const auto shape = [](const std::string& geometry) {
    return fmt::format(R"(, "shapes": [{{"geometry": {}}}])", geometry);
  };
  expect_error(shape(R"({"type": "mesh", "mesh": 1})"),
               "bodies[0].shapes[0].geometry.mesh is not in the list of 1");
  expect_error(shape(R"({"type": "mesh", "mesh": 0.5})"),
               "bodies[0].shapes[0].geometry.mesh is not in the list of 1");
  expect_error(shape(R"({"type": "torus"})"), "bodies[0].shapes[0].geometry.type is 'torus'");
  expect_error(shape(R"({"type": "box", "size": [1, 2]})"),
               "bodies[0].shapes[0].geometry.size is no list of 3 numbers");
  expect_error(shape(R"({"type": "sphere", "radius": 1e10})"),
               "bodies[0].shapes[0].geometry.radius is no number from -1e9 to 1e9");
  expect_error(shape("7"), "bodies[0].shapes[0].geometry is no object");
  expect_error(R"(, "parent": 1)", "bodies[0].parent is not in the list of 1");
  expect_error(R"(, "shapes": {})", "bodies[0].shapes is no list");
  expect_error(R"(}], "bodies": [{"name": "a", "pose": [0, 0, 0, 0, 0, 0, 1]}, {"name": "c",
      "pose": [0, 0, 0, 0, 0, 0, 1])",
               "it has a list twice");
  expect_error("", "joints[0].axis has no direction", R"({"name": "j", "axis": [0, 0, 0]})");
  expect_error("", "joints[0].body is not in the list of 1",
               R"({"name": "j", "axis": [0, 0, 1], "body": -2})");
}

}  // namespace pictures_test
}  // namespace servosim::test

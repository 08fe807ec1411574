// SPDX-License-Identifier: Apache-2.0
// What a Recorder writes about a simulation, and what the reader makes of arbitrary bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "physics/physics_world.h"
#include "recording/recorder.h"
#include "recording/recording_format.h"
#include "recording/recording_reader.h"
#include "servosim/simulation.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/tree.h"
#include "wbt/world_file.h"

namespace servosim::test {
namespace recording_test {

using Json = nlohmann::json;

constexpr const char* kWorld = R"(#VRML_SIM R2023b utf8
WorldInfo { title "Tests" basicTimeStep 16 }
Background { skyColor [ 0.2 0.4 0.6 ] }
Solid { name "floor" boundingObject Plane { } children [ Shape { geometry Plane { size 4 5 } } ] }
Robot { name "r" controller "<none>" translation 0 0 0.0495
  children [
    HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 0.1 }
      device [ RotationalMotor { name "turn" maxTorque 3 maxVelocity 2 minPosition -0.5
        maxPosition 0.75 } ]
      endPoint Solid { name "top" translation 0 0 0.1 boundingObject Sphere { radius 0.04 }
        physics Physics { density -1 mass 0.5 } } }
  ]
  boundingObject Box { size 0.3 0.3 0.1 } physics Physics { density -1 mass 2 } }
)";

// A recording in memory, as the bytes of the recorder.
struct Recorded {
  std::string bytes;
  std::uint64_t hash = 0;
  Recording read() const { return read_recording(bytes); }
};

Recorded record(Simulation& simulation, int steps, double rate = 25.0,
                const std::function<void(int)>& before_step = {}) {
  Recorded recorded;
  Recorder recorder(simulation, {rate, "some/where/tests.wbt"},
                    [&recorded](std::string_view piece) { recorded.bytes += piece; });
  for (int n = 0; n < steps; ++n) {
    if (before_step) {
      before_step(n);
    }
    simulation.step();
    recorder.step(simulation.time());
  }
  recorder.end(simulation.time(), "enough");
  recorded.hash = simulation.state_hash();
  return recorded;
}

Simulation turning(Solver solver) {
  LoadOptions options;
  options.solver = solver;
  Simulation simulation = Simulation::from_text(kWorld, options);
  simulation.robot("r").motor("turn").set_position(0.4);
  return simulation;
}

Recorded recorded(Solver solver = Solver::Tree, int steps = 100) {
  Simulation simulation = turning(solver);
  return record(simulation, steps);
}

TEST(Recording, HasTheSceneAndFramesAtARate) {
  const Recording recording = recorded().read();
  EXPECT_FALSE(recording.truncated);
  ASSERT_EQ(recording.scenes.size(), 1u);
  const Json scene = Json::parse(recording.scenes[0].json);
  EXPECT_EQ(scene["format"], 1);
  EXPECT_EQ(scene["world"], "tests.wbt");
  EXPECT_EQ(scene["title"], "Tests");
  EXPECT_EQ(scene["time_step"], 0.016);
  EXPECT_EQ(scene["background"], Json({0.2, 0.4, 0.6}));
  ASSERT_EQ(scene["bodies"].size(), 3u);
  EXPECT_EQ(scene["bodies"][2]["name"], "r/top");
  EXPECT_EQ(scene["bodies"][2]["parent"], 1);
  EXPECT_EQ(scene["bodies"][2]["mass"], 0.5);
  EXPECT_EQ(scene["bodies"][0]["moves"], false);
  EXPECT_EQ(scene["bodies"][0]["shapes"].size(), 2u);
  ASSERT_EQ(scene["joints"].size(), 1u);
  const Json& joint = scene["joints"][0];
  EXPECT_EQ(joint["name"], "r/turn");
  EXPECT_EQ(joint["parent"], 1);
  EXPECT_EQ(joint["body"], 2);
  EXPECT_EQ(joint["min"], -0.5);
  EXPECT_EQ(joint["max"], 0.75);
  EXPECT_EQ(joint["max_effort"], 3.0);
  EXPECT_EQ(joint["max_velocity"], 2.0);
  EXPECT_EQ(joint["anchor"], Json({0.0, 0.0, 0.1}));
  // The run lasts 1.6 s. Each frame is at the first step at or after a multiple of 1/25 s.
  ASSERT_EQ(recording.frames.size(), 41u);
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    EXPECT_NEAR(recording.frames[i].time, std::ceil(static_cast<double>(i) * 2.5 - 1e-6) * 0.016,
                1e-9);
  }
  EXPECT_EQ(Json::parse(recording.end)["reason"], "enough");
  EXPECT_EQ(Json::parse(recording.end)["time"], 1.6);
}

TEST(Recording, HasPosesJointsAndContactForces) {
  for (const Solver solver : {Solver::Tree, Solver::Ode}) {
    Simulation simulation = turning(solver);
    const Recorded recorded = record(simulation, 100);
    const RecordedFrame frame = recorded.read().frames.back();
    ASSERT_EQ(frame.poses.size(), 2u);
    const Pose top = simulation.solid("top").pose();
    EXPECT_FLOAT_EQ(frame.poses[1].position[2], static_cast<float>(top.translation.z));
    const double angle = axis_angle(top.rotation).angle;
    EXPECT_NEAR(frame.poses[1].quaternion[3] / kQuaternionScale, std::cos(0.5 * angle), 2e-5);
    EXPECT_NEAR(frame.poses[1].quaternion[2] / kQuaternionScale, std::sin(0.5 * angle), 2e-5);
    ASSERT_EQ(frame.joints.size(), 1u);
    EXPECT_FLOAT_EQ(frame.joints[0].position,
                    static_cast<float>(simulation.joint("turn").position()));
    EXPECT_FLOAT_EQ(frame.joints[0].target_position, 0.4F);
    // The floor carries the weight at the four corners of the box.
    ASSERT_FALSE(frame.contacts.empty());
    double carried = 0.0;
    for (const RecordedContact& contact : frame.contacts) {
      EXPECT_EQ(std::minmax(contact.body, contact.other_body),
                std::minmax(std::uint16_t{0}, std::uint16_t{1}));
      carried += (contact.body == 1 ? 1.0 : -1.0) * contact.force[2];
      EXPECT_NEAR(contact.point[2], 0.0, 1e-3);
    }
    EXPECT_NEAR(carried, 2.5 * 9.81, 0.01);
  }
}

// The head of a rotating Lidar has a pose in each frame, and one scene is enough.
TEST(Recording, HasTheHeadsOfLidars) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nRobot { name \"r\" children [ Lidar "
      "{ "
      "name \"s\" type \"rotating\" numberOfLayers 1 defaultFrequency 2 rotatingHead Solid { name "
      "\"head\" children [ Shape { geometry Box { } } ] } } ] }\n");
  simulation.robot(0).find("s")->devices.front()->enable(32, 0.0);
  const Recording recording = record(simulation, 8, 31.25).read();
  ASSERT_EQ(recording.scenes.size(), 1u);
  const RecordedFrame& frame = recording.frames.back();
  ASSERT_EQ(frame.poses.size(), 1u);
  // Half of the angle of eight steps of 32 ms, of two turns in a second.
  const double half = std::numbers::pi * 2.0 * 8 * 0.032;
  EXPECT_NEAR(std::abs(frame.poses[0].quaternion[2]) / kQuaternionScale, std::abs(std::sin(half)),
              1e-4);
}

// Joints of two kinds, so that the servos of a frame have other numbers than its joints.
TEST(Recording, HasWhatServosMeasure) {
  std::string world = kWorld;
  world.insert(world.find("  ]\n  boundingObject Box { size 0.3"), R"(
    HingeJoint { device [ RotationalMotor { name "plain" } ] endPoint Solid { name "p"
      translation 0.5 0 0.3 physics Physics { density -1 mass 0.1 } } }
    HingeJoint { device [ RotationalMotor { name "hobby"
      #servosim servo "SG90"
    } ] endPoint Solid { name "h" translation -0.5 0 0.3 physics Physics { density -1 mass 0.1 } } }
)");
  world.insert(world.find(" } ]\n      endPoint Solid { name \"top\""),
               "\n#servosim servo \"STS3215 supply.resistance=0.5 thermal.winding_capacity=2\"\n");
  Simulation simulation = Simulation::from_text(world);
  simulation.robot("r").motor("turn").set_position(0.7);
  const std::uint64_t plain = [&] {
    Simulation other = simulation.clone();
    other.step(10);
    return other.state_hash();
  }();
  const Recorded recorded = record(simulation, 10, 1000.0);
  EXPECT_EQ(recorded.hash, plain);
  const Recording recording = recorded.read();
  const Json scene = Json::parse(recording.scenes.at(0).json);
  EXPECT_EQ(scene["format"], 2);
  EXPECT_EQ(scene["joints"][0]["servo"], Json({{"model", "STS3215"}}));
  EXPECT_FALSE(scene["joints"][1].contains("servo"));
  EXPECT_EQ(recording.scenes[0].servos, 2u);
  const RecordedFrame& frame = recording.frames.back();
  ASSERT_EQ(frame.joints.size(), 3u);
  ASSERT_EQ(frame.servos.size(), 2u);
  const ServoReading turn = simulation.joint("turn").servo_reading().value();
  EXPECT_GT(turn.current, 0.1);
  EXPECT_FLOAT_EQ(frame.servos[0].current, static_cast<float>(turn.current));
  EXPECT_FLOAT_EQ(frame.servos[0].voltage, static_cast<float>(turn.voltage));
  EXPECT_FLOAT_EQ(frame.servos[0].duty, static_cast<float>(turn.duty));
  EXPECT_FLOAT_EQ(frame.servos[0].max_duty, 0.97F);
  EXPECT_FLOAT_EQ(frame.servos[0].temperature, static_cast<float>(turn.temperature));
  EXPECT_FLOAT_EQ(frame.servos[1].voltage, 4.8F);
  EXPECT_EQ(frame.contacts.size(), WorldInspector(simulation).physics().contacts().forces().size());
  EXPECT_EQ(recording.frames.size(), 11u);
}

TEST(Recording, ChangesNoState) {
  for (const Solver solver : {Solver::Tree, Solver::Ode}) {
    Simulation plain = turning(solver);
    plain.step(100);
    EXPECT_EQ(recorded(solver).hash, plain.state_hash());
  }
}

TEST(Recording, FollowsEditsOfTheTree) {
  const auto tree = [](const std::string& text) {
    Diagnostics diagnostics;
    return std::make_shared<const wbt::WorldFile>(
        wbt::read_world_text(text, "world", ".", {}, diagnostics));
  };
  Simulation simulation = Simulation::from_text(kWorld);
  const std::string more =
      std::string(kWorld) +
      "Solid { name \"new\" translation 1 1 1 children [ Shape { geometry Box { "
      "size 0.1 0.2 0.3 } } ] physics Physics { density -1 mass 1 } }";
  const Recorded recorded = record(simulation, 30, 25.0, [&](int step) {
    if (step == 10) {
      WorldControl(simulation).rebuild(tree(more));
    } else if (step == 20) {
      simulation.solid("floor").set_pose({{}, {0.0, 0.0, -0.001}});
    }
  });
  const Recording recording = recorded.read();
  ASSERT_EQ(recording.scenes.size(), 3u);
  EXPECT_EQ(recording.scenes[0].moving, 2u);
  EXPECT_EQ(recording.scenes[1].moving, 3u);
  EXPECT_EQ(recording.scenes[1].bodies.size(), 4u);
  EXPECT_EQ(recording.scenes[2].moving, 4u) << "the floor has been moved";
  EXPECT_EQ(recording.frames.back().scene, 2u);
  EXPECT_EQ(recording.frames.back().poses.size(), 4u);
}

// A supervisor that writes a name also makes another tree, but nothing looks different.
TEST(Recording, DescribesTheSceneAgainWhenLooksChange) {
  Simulation simulation = Simulation::from_text(kWorld);
  const WorldInspector inspector(simulation);
  const auto change = [&simulation, &inspector](std::uint32_t node) {
    wbt::Edits edits;
    edits.change(node, [](wbt::Node& changed) { changed.def = "CHANGED"; });
    WorldControl(simulation)
        .replace_world_file(
            std::make_shared<const wbt::WorldFile>(wbt::rewritten(*inspector.world_file(), edits)));
  };
  const wbt::Node& floor = *inspector.world_file()->nodes.at(2);
  const std::uint32_t solid = floor.id;
  const std::uint32_t shape = floor.nodes("children").at(0)->id;
  const Recording recording = record(simulation, 30, 25.0, [&](int step) {
                                if (step == 10 || step == 20) {
                                  change(step == 10 ? solid : shape);
                                }
                              }).read();
  ASSERT_EQ(recording.scenes.size(), 2u);
  for (const RecordedFrame& frame : recording.frames) {
    EXPECT_EQ(frame.scene, frame.time > 0.33 ? 1u : 0u) << frame.time;
  }
}

TEST(Recording, OfAStateAloneIsWhole) {
  Simulation simulation = Simulation::from_text(kWorld);
  const std::uint64_t before = simulation.state_hash();
  const Recording recording = read_recording(record_state(simulation, "w.wbt"));
  EXPECT_EQ(recording.frames.size(), 1u);
  EXPECT_FALSE(recording.truncated);
  EXPECT_EQ(simulation.state_hash(), before);
}

// The file must be complete up to a kill: no frame waits for the next one.
TEST(Recording, HasEachFrameAtOnce) {
  Simulation simulation = Simulation::from_text(kWorld);
  std::mutex mutex;
  std::string bytes;
  Recorder recorder(simulation, {25.0, "tests.wbt"}, [&](std::string_view piece) {
    const std::lock_guard lock(mutex);
    bytes += piece;
  });
  const auto frames = [&] {
    const std::lock_guard lock(mutex);
    try {
      return read_recording(bytes).frames.size();
    } catch (const RecordingError&) {  // the scene has not been written yet
      return std::size_t{0};
    }
  };
  for (std::size_t wanted = 2; wanted < 12; ++wanted) {
    simulation.step(3);
    recorder.step(simulation.time());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (frames() < wanted && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(frames(), wanted);
  }
}

TEST(Recording, ThatIsCutOffIsReadToItsLastWholeRecord) {
  const std::string bytes = recorded(Solver::Tree, 20).bytes;
  const std::size_t all = read_recording(bytes).frames.size();
  std::size_t most = 0;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    try {
      const Recording recording = read_recording(std::string_view(bytes).substr(0, length));
      EXPECT_TRUE(recording.truncated) << length;
      EXPECT_GE(recording.frames.size(), most) << "what was there does not go away";
      most = recording.frames.size();
    } catch (const RecordingError& error) {
      EXPECT_EQ(most, 0u) << length << ": " << error.what();
      EXPECT_TRUE(std::string_view(error.what())
                      .starts_with(length < kRecordingMagic.size() ? "is no recording"
                                                                   : "is cut off before its scene"))
          << error.what();
    }
  }
  EXPECT_EQ(most, all);
}

TEST(Recording, WithAFlippedBitIsReadOrRefused) {
  const std::string good = recorded(Solver::Tree, 20).bytes;
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      try {
        const Recording recording = read_recording(bad);
        EXPECT_LE(recording.frames.size(), 1000u);
      } catch (const RecordingError& error) {
        EXPECT_NE(std::string_view(error.what()), "");
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

// Returns a recording with the given records.
std::string file_of(const std::vector<std::pair<char, std::string>>& records) {
  std::string bytes;
  RecordingStream stream([&bytes](std::string_view piece) { bytes += piece; });
  Writer all;
  for (const auto& [kind, content] : records) {
    RecordingStream::append(all, kind, as_bytes(content));
  }
  stream.send_records(all.bytes());
  stream.finish();
  return bytes;
}

std::string scene_of(int moving) {
  Json scene{{"format", 1},
             {"meshes", Json::array()},
             {"textures", Json::array()},
             {"bodies", Json::array()},
             {"joints", Json::array()}};
  for (int i = 0; i < moving; ++i) {
    scene["bodies"].push_back({{"moves", true}});
  }
  return scene.dump();
}

std::string frame_at(double time, std::size_t bytes = 0, std::uint32_t contacts = 0) {
  Writer frame;
  frame.f64(time);
  for (std::size_t i = 0; i < bytes; ++i) {
    frame.u8(0);
  }
  frame.u32(contacts);
  return std::string(as_text(frame.bytes()));
}

struct Fault {
  std::string what;
  std::string bytes;
};

std::string fault_of(const std::string& bytes, const RecordingLimits& limits = {}) {
  try {
    read_recording(bytes, limits);
  } catch (const RecordingError& error) {
    return error.what();
  }
  return "none";
}

TEST(Recording, ThatIsWrongIsRefusedWithPlaceAndReason) {
  EXPECT_EQ(fault_of(""), fault_of("time [s],x\n"));
  EXPECT_EQ(fault_of(file_of({})), "has no scene; record it again");
  const std::string place = "record 1, at byte 0 when it is unpacked: ";
  EXPECT_EQ(fault_of(file_of({{'F', frame_at(0)}})), place + "a frame comes before the scene");
  EXPECT_EQ(fault_of(file_of({{'S', "{"}})), place + "the scene is no JSON object with a format");
  EXPECT_EQ(fault_of(file_of({{'S', R"({"format":3})"}})),
            place + "it has format 3; a newer servosim may read it");
  EXPECT_EQ(fault_of(file_of({{'S', R"({"format":1})"}})),
            place + "the scene has no list 'meshes'");
  const std::string scene = scene_of(1);
  const std::string second =
      fmt::format("record 2, at byte {} when it is unpacked: ", 5 + scene.size());
  EXPECT_EQ(fault_of(file_of({{'S', scene}, {'F', frame_at(0)}})),
            second + "a frame of 12 bytes does not fit a scene of 1 moving bodies and 0 joints");
  EXPECT_EQ(fault_of(file_of({{'S', scene}, {'F', frame_at(0, 20, 3)}})),
            second + "a frame says that it has 3 contacts");
  EXPECT_EQ(fault_of(file_of({{'S', scene}, {'F', frame_at(NAN, 20)}})),
            second + "a frame has the time nan");
  EXPECT_EQ(fault_of(file_of({{'S', scene}, {'F', frame_at(0, 20)}})), "none");
  Json servo = Json::parse(scene_of(0));
  servo["joints"] = {{{"servo", {{"model", "m"}}}}, {{"name", "plain"}}};
  EXPECT_TRUE(fault_of(file_of({{'S', servo.dump()}, {'F', frame_at(0, 40)}}))
                  .ends_with("a frame of 52 bytes does not fit a scene of 0 moving bodies and 2 "
                             "joints, 1 with a servo"));
  EXPECT_EQ(fault_of(file_of({{'S', servo.dump()}, {'F', frame_at(0, 60)}})), "none");
  EXPECT_EQ(fault_of(file_of({{'S', scene}, {'X', "unknown"}, {'F', frame_at(0, 20)}})), "none");
  EXPECT_TRUE(
      fault_of(file_of({{'S', scene}}) + "!").ends_with("follows its end; record it again"));
  EXPECT_THROW(read_recording(file_of({{'S', std::string(1 << 20, ' ')}}), {1 << 19}),
               RecordingError);
}

// A few compressed bytes may become many.
TEST(Recording, HasLimitsOfNestingAndSize) {
  const auto with = [](const std::string& more) {
    std::string scene = scene_of(0);
    return scene.replace(scene.size() - 1, 1, ",\"more\":" + more + '}');
  };
  const auto nested = [&](std::size_t levels) {
    return file_of({{'S', with(std::string(levels, '[') + std::string(levels, ']'))}});
  };
  const std::string place = "record 1, at byte 0 when it is unpacked: ";
  EXPECT_EQ(fault_of(nested(31)), "none");
  EXPECT_EQ(fault_of(nested(32)), place + "the scene nests deeper than 32 levels");
  EXPECT_EQ(fault_of(nested(10'000'000)), place + "the scene nests deeper than 32 levels");
  std::string zeros = "[0";
  for (int i = 0; i < 20'000'000; ++i) {
    zeros += ",0";
  }
  EXPECT_EQ(fault_of(file_of({{'S', with(zeros + ']')}})),
            place + "the scene has more than 20000000 values");
  const std::string two =
      file_of({{'S', scene_of(0)}, {'S', with(std::string(3 << 20, ' ') + '0')}});
  EXPECT_EQ(fault_of(two), "none");
  EXPECT_TRUE(fault_of(two, {4 << 20, 3 << 20}).ends_with(": the scenes have more than 3 MB"));
  std::string twice = scene_of(1);
  twice.replace(twice.size() - 1, 1, ",\"bodies\":[]}");
  EXPECT_EQ(fault_of(file_of({{'S', twice}})), place + "the scene has more than one list 'bodies'");
  const std::string three =
      file_of({{'S', scene_of(0)}, {'F', frame_at(0)}, {'F', frame_at(1)}, {'F', frame_at(2)}});
  EXPECT_EQ(fault_of(three, {1 << 20, 1 << 20, 3}), "none");
  EXPECT_TRUE(fault_of(three, {1 << 20, 1 << 20, 2})
                  .ends_with("there are more than 2 frames; record fewer by --record-rate"));
}

TEST(Recording, ReadsNamesAndWhatMovesInAnyOrder) {
  const Recording recording = read_recording(
      file_of({{'S', R"({"joints":[{"unit":"m","name":"s"},{"name":"h","axis":[0,{"name":"no"}]}],
                 "bodies":[{"moves":true,"pose":[1,2],"name":"b","shapes":[{"moves":false}]},
                           {"name":"a","moves":false}],
                 "textures":[],"meshes":[{"name":"m"}],"format":1})"}}));
  const RecordedScene& scene = recording.scenes.at(0);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "b");
  EXPECT_TRUE(scene.bodies[0].moves);
  EXPECT_EQ(scene.bodies[1].name, "a");
  EXPECT_FALSE(scene.bodies[1].moves);
  EXPECT_EQ(scene.moving, 1u);
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.joints[0].name, "s");
  EXPECT_FALSE(scene.joints[0].turns);
  EXPECT_EQ(scene.joints[1].name, "h");
  EXPECT_TRUE(scene.joints[1].turns);
}

TEST(Recording, GoesToASvtFileOnly) {
  for (const char* const path : {"-", "a.csv", "/dev/null", SERVOSIM_TEST_DIR "/CMakeLists.svt/"}) {
    EXPECT_THROW(check_growing_file(path, recording_kind()), std::invalid_argument) << path;
  }
  EXPECT_NO_THROW(check_growing_file("not_there.svt", recording_kind()));
}

}  // namespace recording_test
}  // namespace servosim::test

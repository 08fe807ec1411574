// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "programs/program.h"
#include "recording/recorder.h"
#include "recording/recording_stream.h"
#include "servosim/simulation.h"
#include "view/replay_page.h"

// What `servosim view` writes. web/tests checks that the page works.

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::TempFolder;

std::string recording_of_a_box() {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { } Solid { name \"</script>\" children Shape { geometry "
      "Box "
      "{ } } }\n");
  return record_state(simulation, "box.wbt");
}

class View : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_replay_page()) {
      GTEST_SKIP() << "the page is not built: there is no node, no npm or none of its packages";
    }
  }
  void expect_error(const std::vector<std::string>& arguments, const std::string& message) {
    std::vector<std::string> all{"view"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    Program program(all, {folder_.path().string()});
    EXPECT_EQ(program.finish(), 2);
    EXPECT_EQ(program.out(), "");
    EXPECT_EQ(program.err(), "servosim: error: " + message + "\n");
  }

  TempFolder folder_;
};

TEST_F(View, WritesOnePageInThePresentFolder) {
  fs::create_directory(folder_ / "runs");
  const std::string recording = folder_.write("runs/arm.svt", recording_of_a_box());
  Program view({"view", recording}, {folder_.path().string()});
  EXPECT_EQ(view.finish(), 0) << view.err();
  EXPECT_EQ(view.err(), "");
  const std::string page = test::read_text(folder_ / "arm.html");
  EXPECT_EQ(view.out(), "arm.html: " + std::to_string((page.size() + 500) / 1000) +
                            " kB; open it in a browser\n");
  EXPECT_TRUE(contains(page,
                       "<script type=\"application/octet-stream\" id=\"recording-0\" "
                       "data-name=\"arm.svt\">U1ZUUkVDMQp4"));  // base64 of the first bytes
  EXPECT_FALSE(contains(page, "id=\"recording-1\""));
  EXPECT_LE(page.size(), 2'000'000u);
  for (const char* notice : {"three", "uplot", "Permission is hereby granted"}) {
    EXPECT_TRUE(contains(page, notice)) << notice;
  }
  EXPECT_FALSE(contains(page, "src=\"http"));
}

TEST_F(View, LaysASecondRecordingOver) {
  folder_.write("a.svt", recording_of_a_box());
  folder_.write("b\"<&>.svt", recording_of_a_box());
  Program view({"view", "a.svt", "b\"<&>.svt", "-o", "both.html"}, {folder_.path().string()});
  EXPECT_EQ(view.finish(), 0) << view.err();
  EXPECT_TRUE(contains(test::read_text(folder_ / "both.html"),
                       "id=\"recording-1\" data-name=\"b&quot;&lt;&amp;&gt;.svt\">"
                       "U1ZUUkVDMQp4"));
}

TEST_F(View, ShowsTheStartOfAWorld) {
  folder_.write(
      "w.wbt",
      "#VRML_SIM R2023b utf8\nWorldInfo { } Solid { children Shape { geometry Box { } } }\n");
  folder_.write("bad.wbt", "#VRML_SIM R2023b utf8\nSolid { mass }}\n");
  Program view({"view", "w.wbt"}, {folder_.path().string()});
  EXPECT_EQ(view.finish(), 0) << view.err();
  EXPECT_TRUE(contains(test::read_text(folder_ / "w.html"), "data-name=\"w.wbt\">U1ZUUkVDMQp4"));
  Program bad({"view", "bad.wbt"}, {folder_.path().string()});
  EXPECT_EQ(bad.finish(), 2);
  EXPECT_TRUE(contains(bad.err(), "bad.wbt:2:15: error: ")) << bad.err();
  EXPECT_TRUE(contains(bad.err(), "bad.wbt: the world cannot be shown")) << bad.err();
}

TEST_F(View, SaysThatARecordingIsCutOff) {
  const std::string bytes = recording_of_a_box();
  folder_.write("a.svt", bytes.substr(0, bytes.size() - 8));
  Program view({"view", "a.svt"}, {folder_.path().string()});
  EXPECT_EQ(view.finish(), 0);
  EXPECT_TRUE(contains(view.err(), "a.svt: the recording is cut off at 0.000 s")) << view.err();
}

// A picture needs no page.
TEST(ViewPicture, HasTheFramesBeforeOneWithoutAFinitePlace) {
  Simulation simulation = Simulation::from_text(
      "#VRML_SIM R2023b utf8\nWorldInfo { } Solid { children Shape { geometry Box { } } "
      "boundingObject Box { } physics Physics { } }\n");
  RecordSource source(simulation, {"w.wbt", 0.1});
  Writer records;
  source.add_frame(0.0, records);
  Writer second;
  source.add_frame(0.1, second);
  std::string frame(as_text(second.bytes()));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&frame[1 + 4 + 8], &nan, sizeof nan);  // behind the kind, the length and the time
  std::string bytes;
  RecordingStream stream([&bytes](std::string_view piece) { bytes += piece; });
  stream.send_records(records.bytes());
  stream.send_records(as_bytes(frame));
  stream.finish();
  const TempFolder folder;
  folder.write("a.svt", bytes);
  Program view({"view", "a.svt", "--png", "t=0.05,size=32x32"}, {folder.path().string()});
  EXPECT_EQ(view.finish(), 0) << view.err();
  EXPECT_TRUE(
      contains(view.err(),
               "a.svt: the frame at 0.100 s has a place that is not finite; only the first 1 "
               "frames are shown"))
      << view.err();
  EXPECT_TRUE(fs::exists(folder / "a.png"));
}

TEST_F(View, SaysWhatIsWrong) {
  folder_.write("a.svt", recording_of_a_box());
  folder_.write("t.csv", "time [s]\n");
  folder_.write("empty.svt", "");
  for (const char* file : {"t.csv", "empty.svt"}) {
    expect_error(
        {file},
        std::string(file) + ": is no recording: 'servosim run WORLD --record FILE.svt' writes one");
  }
  expect_error({"far.off"},
               "far.off: cannot be read: No such file or directory; 'servosim run WORLD --record "
               "FILE.svt' writes a recording");
  expect_error({"b.svt"},
               "b.svt: cannot be read: No such file or directory; did you mean 'a.svt'?");
  expect_error({"a.svt", "a.svt", "a.svt"}, "a page shows one recording or two, not 3");
  expect_error({"a.svt", "-o", "a.svt"},
               "the output is a .html file, not 'a.svt'; did you mean 'a.html'?");
  expect_error({"a.svt", "-o", "a.png"},
               "'a.png': for a picture give --png VIEW, such as --png t=2.0");
  expect_error({"a.svt", "--png", "t=2", "-o", "a.html"},
               "the output is a .png file, not 'a.html'; did you mean 'a.png'?");
  expect_error({"a.svt", "--png", "2.0"},
               "--png: '2.0' is no VIEW, which is such as t=2.0,camera=x");
  expect_error({"a.svt", "--png", "time=2"},
               "--png: there is no 'time'; a VIEW has t, camera, show, follow, theme and size");
  for (const char* size : {"12", "12x", "x12", "15x700", "700x8193", "7e2x700", "99999999999x20"}) {
    expect_error({"a.svt", "--png", std::string("size=") + size},
                 std::string("--png: size=") + size +
                     ": a size is WIDTHxHEIGHT, each 16 to 8192, such as size=1280x720");
  }
  EXPECT_FALSE(fs::exists(folder_ / "a.html"));
}

// A browser cannot open these addresses.
TEST_F(View, OfARunIsNotAtAllAddresses) {
  const std::string world =
      folder_.write("w.wbt", "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n");
  for (const char* address : {"0.0.0.0", "0.0.0.0:0", "0:0", "0x0:0", "[::]:0", "[::]",
                              "[0:0::0]:0", "[::ffff:0.0.0.0]:0", "[fe80::1]:0"}) {
    Program run({"run", world, "--steps", "1", std::string("--view=") + address});
    EXPECT_EQ(run.finish(), 2) << address;
    EXPECT_TRUE(contains(run.err(), std::string("--view=") + address +
                                        ": name one address of this machine, which a browser can "))
        << run.err();
  }
  Program run({"run", world, "--steps", "1", "--view=127.0.0.1"});
  EXPECT_EQ(run.finish(), 0) << run.err();
  EXPECT_TRUE(contains(run.out(), "view: http://127.0.0.1:")) << run.out();
}

// The address may have any spelling. No other machine can reach it.
TEST_F(View, OfARunHasAnAddressOfThisMachineAlone) {
  const std::string world =
      folder_.write("w.wbt", "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n");
  for (const char* address : {"0", ":0", "127.1:0", "0x7f.1", "127.0.0.1:0", "LOCALHOST:0"}) {
    Program run({"run", world, "--steps", "1", std::string("--view=") + address});
    EXPECT_EQ(run.finish(), 0) << run.err();
    EXPECT_TRUE(contains(run.out(), "view: http://127.0.0.1:") ||
                contains(run.out(), "view: http://[::1]:"))
        << run.out();
    EXPECT_FALSE(contains(run.err(), "who can connect")) << run.err();
  }
}

// No browser is asked: there is no other program in the folder that PATH names.
TEST_F(View, DrawsAPictureWithoutABrowser) {
  folder_.write("a.svt", recording_of_a_box());
  folder_.write(
      "w.wbt",
      "#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { name \"b\" boundingObject Box { } }\n");
  const test::ScopedVariable path("PATH", folder_.path().string());
  for (const char* input : {"a.svt", "w.wbt"}) {
    const std::string name = std::string(input).substr(0, 1) + ".png";
    Program view(
        {"view", input, "--png", "t=2.0,camera=1,2,3,0,0,0.5,show=axes,grid,pictures,size=64x48"},
        {folder_.path().string()});
    EXPECT_EQ(view.finish(), 0) << view.err();
    EXPECT_TRUE(contains(view.out(), name + ": 64 x 48 pixels\n")) << view.out();
    const std::string picture = test::read_text(folder_ / name);
    EXPECT_EQ(picture.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(picture.substr(16, 8), std::string("\0\0\0\x40\0\0\0\x30", 8));
    if (input[0] == 'w') {
      EXPECT_TRUE(
          contains(view.err(), "w.wbt: the world has no lights; the picture is lit from above"))
          << view.err();
    }
  }
}

// A body moves, a second one does not.
constexpr const char* kMoving = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 20 gravity 0 }
Robot { name "still" controller "<none>" children [
  Shape { appearance Appearance { material Material { diffuseColor 0.8 0.2 0.1 } }
    geometry Box { size 0.4 0.4 0.4 } } OTHERS ] }
Solid { name "moving" translation 0.5 0.7 0.2 linearVelocity 1 0 0 children [
  DEF BALL Shape { appearance Appearance { material Material { diffuseColor 0.1 0.3 0.8 } }
    geometry Sphere { radius 0.2 } } ] boundingObject USE BALL physics Physics { } }
)";

// Whatever sensors a world has, each key changes its still and that of its recording.
TEST(ViewPicture, HasAllKeysForWorldsWithAndWithoutCameras) {
  const test::ScopedVariable no_leak_check("LSAN_OPTIONS", "detect_leaks=0");
  const TempFolder folder;
  for (const std::string others : {"", "Camera { name \"c\" width 8 height 8 }"}) {
    std::string world = kMoving;
    world.replace(world.find("OTHERS"), 6, others);
    folder.write("w.wbt", world);
    Program run({"run", "w.wbt", "--duration", "1", "--record", "r.svt"}, {folder.path().string()});
    ASSERT_EQ(run.finish(), 0) << run.err();
    for (const char* input : {"w.wbt", "r.svt"}) {
      const auto picture = [&](const std::string& more) {
        Program view({"view", input, "--png", "size=48x32," + more, "-o", "a.png"},
                     {folder.path().string()});
        EXPECT_EQ(view.finish(), 0) << input << ' ' << more << ' ' << view.err();
        return test::read_text(folder / "a.png");
      };
      const std::string plain = picture("camera=y");
      EXPECT_EQ(plain.substr(16, 8), std::string("\0\0\0\x30\0\0\0\x20", 8)) << input;
      EXPECT_TRUE(picture("camera=y") == plain) << input;
      for (const char* key : {"camera=x", "camera=1,2,3,0,0,0", "camera=y,follow=still",
                              "camera=y,theme=dark", "camera=y,show=frames"}) {
        EXPECT_TRUE(picture(key) != plain) << input << ' ' << key;
      }
      // A world is at its start, whatever the time.
      EXPECT_EQ(picture("camera=y,t=0.8") == plain, input[0] == 'w') << input;
    }
  }
}

TEST_F(View, SaysWhatIsWrongWithAView) {
  folder_.write("a.svt", recording_of_a_box());
  const std::array<std::array<const char*, 2>, 8> wrong{
      {{"t=soon", "--png: t=soon: a time is a number of seconds, 0 or more"},
       {"t=-1", "--png: t=-1: a time is a number of seconds, 0 or more"},
       {"camera=1,2,3,1,2,3",
        "--png: camera=1,2,3,1,2,3: the position and the target of a camera are two places"},
       {"camera=1,2",
        "--png: camera=1,2: a camera is x, -x, y, -y, z, -z, start, or six numbers: "
        "position and target [m]"},
       {"camera=up",
        "--png: camera=up: a camera is x, -x, y, -y, z, -z, start, or six numbers: "
        "position and target [m]"},
       {"show=axes,lights",
        "--png: show=axes,lights: there is no 'lights'; a picture shows axes, "
        "limits, contacts, masses, frames, bounding, grid, background"},
       {"theme=red", "--png: theme=red: a theme is dark or light"},
       {"follow=nobody", "--png: there is no body 'nobody'"}}};
  for (const auto& [view, message] : wrong) {
    expect_error({"a.svt", "--png", view}, message);
  }
}

}  // namespace
}  // namespace servosim

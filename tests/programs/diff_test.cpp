// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "programs/program.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::Project;
using test::TempFolder;

struct DiffResult {
  int status;
  std::string out;
  std::string err;
};

DiffResult diff_of(const std::string& a, const std::string& b, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"diff", a, b};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program program(arguments);
  const int status = program.finish();
  return {status, program.out(), program.err()};
}

constexpr const char* kTrace =
    "time [s],r/a position [rad],r/a velocity [rad/s],r/b effort [N]\n"
    "0.5,0.25,2,\n1,0.75,-4,3\n1.5,0.875,8,3\n";

TEST(Diff, EqualTraces) {
  const TempFolder folder;
  const DiffResult result = diff_of(folder.write("a.csv", kTrace), folder.write("b.csv", kTrace));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "equal: 4 columns of 3 rows")) << result.out;
}

TEST(Diff, SaysWhereTracesPartAndByHowMuch) {
  const TempFolder folder;
  // The columns are others, in another order. The velocity is the first to differ, and the effort
  // has no value in one row.
  const std::string b = folder.write("b.csv",
                                     "time [s],r/b effort [N],r/a velocity [rad/s],r/c x [m],r/a "
                                     "position [rad]\n0.5,,2,7,0.25\n1,3,-4.25,7,0.75\n"
                                     "1.5,,8.5,7,0.875\n");
  const DiffResult result = diff_of(folder.write("a.csv", kTrace), b);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(
      contains(result.out, "they part at 1 s: r/a velocity [rad/s] is -4 in A and -4.25 in B\n"))
      << result.out;
  EXPECT_TRUE(contains(result.out, "only B has r/c x [m]\n")) << result.out;
  EXPECT_TRUE(contains(result.out, "r/b effort [N]")) << result.out;
  EXPECT_TRUE(contains(result.out, "none")) << result.out;
  EXPECT_FALSE(contains(result.out, "r/a position [rad]  ")) << result.out;
}

TEST(Diff, ToleratesWhatItIsTold) {
  const TempFolder folder;
  const std::string a = folder.write("a.csv", kTrace);
  const std::string b =
      folder.write("b.csv", test::read_text(a).replace(test::read_text(a).find("-4"), 2, "-4.25"));
  EXPECT_EQ(diff_of(a, b).status, 1);
  EXPECT_EQ(diff_of(a, b, {"--atol", "0.25"}).status, 0);
  EXPECT_EQ(diff_of(a, b, {"--atol", "0.24"}).status, 1);
  EXPECT_EQ(diff_of(a, b, {"--rtol", "0.0589"}).status, 0);  // 0.25 / 4.25 = 0.0588
  EXPECT_EQ(diff_of(a, b, {"--rtol", "0.0588"}).status, 1);
  EXPECT_EQ(diff_of(b, a, {"--rtol", "0.0589"}).status, 0);
}

TEST(Diff, OfDifferentLengths) {
  const TempFolder folder;
  const std::string a = folder.write("a.csv", kTrace);
  const std::string b = folder.write("b.csv", std::string(kTrace) + "2,0.875,8,3\n");
  const DiffResult result = diff_of(a, b);
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.out, "A has 3 rows and ends at 1.5 s, B has 4 and ends at 2 s\n"))
      << result.out;
}

TEST(Diff, OfRunsAndRecordings) {
  const Project project("one");
  const auto run = [&](const std::string& name, const std::string& gravity) {
    Program program({"run", project.world(), "--controller", "arm=<none>", "--steps", "30",
                     "--quiet", "--trace", project / (name + ".csv"), "--record",
                     project / (name + ".svt"), "--set", "WorldInfo.gravity=" + gravity, "--set",
                     "arm/shoulder.position=0.5", "--set", "arm/shoulder.maxTorque=0"});
    EXPECT_EQ(program.finish(), 0) << program.err();
  };
  run("a", "9.81");
  run("same", "9.81");
  run("b", "9.8");
  for (const char* ending : {".csv", ".svt"}) {
    EXPECT_EQ(
        diff_of(project / (std::string("a") + ending), project / (std::string("same") + ending))
            .status,
        0);
    const DiffResult result =
        diff_of(project / (std::string("a") + ending), project / (std::string("b") + ending));
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_TRUE(contains(result.out, "arm/shoulder velocity [rad/s]")) << result.out;
  }
}

// Makes a recording of one scene, in a zlib stream that has not ended and stores its bytes
// uncompressed.
std::string recording_of(const std::string& scene) {
  const auto number = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
      text += static_cast<char>(value >> (8 * i) & 0xff);
    }
    return text;
  };
  const std::string record = 'S' + number(scene.size(), 4) + scene;
  return "SVTREC1\n\x78\x01" + number(0, 1) + number(record.size(), 2) + number(~record.size(), 2) +
         record;
}

TEST(Diff, RefusesWhatIsNoTrace) {
  const TempFolder folder;
  const std::string a = folder.write("a.csv", kTrace);
  const struct {
    std::string other;
    const char* message;
  } cases[]{
      {folder / "c.csv", "cannot be read"},
      {folder.write("text.csv", "hello\n"), "text.csv: "},
      {folder.write("cut.csv", std::string(kTrace) + "2,x,8,3\n"), "line 5"},
      {folder.write("w.wbt", "#VRML_SIM R2023b utf8\n"), "is a world"},
      {folder.write("bad.svt", "SVTREC1\nxyz"), "bad.svt: "},
      {folder.write(
           "scene.svt",
           recording_of(
               R"({"format": 1, "meshes": [], "textures": [], "bodies": [], "joints": [1]})")),
       "joint 1 of the scene is no object"},
      {folder.path(), "is a directory"}};
  for (const auto& each : cases) {
    const DiffResult result = diff_of(a, each.other);
    EXPECT_EQ(result.status, 2) << each.other;
    EXPECT_TRUE(contains(result.err, each.message)) << result.err;
  }
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// What a run and a check report if a world lacks something that may move.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using nlohmann::json;
using test::contains;
using test::count;
using test::Program;
using test::Project;
using test::shell;
using test::ShellResult;
using test::TempFolder;

constexpr const char* kLacksMuch = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 physics "wind" }
Cart { }
Cart { }
Solid {
  name "blob"
  translation 1e69 0 0
  boundingObject Sphere { radius 0.1 }
  physics Physics { }
}
Solid {
  name "shell"
  boundingObject Mesh { url "absent.obj" }
}
Fluid { }
Shape { appearance Rust { } }
Robot { name "a" controller "gone" }
)";

constexpr const char* kWhatItLacks =
    R"(INCOMPLETE: the world may move otherwise than its author meant; it lacks
  Solid "blob": correct it in the world file
  1 PROTO, which a warning names
)";

TEST(Incomplete, RunsListWhatTheyLackMostImportantFirst) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kLacksMuch);
  const ShellResult run = shell("servosim run worlds/w.wbt --duration 0.1 2>&1", folder.path());
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(contains(run.output, kWhatItLacks)) << run.output;
  EXPECT_TRUE(contains(run.output, "\n  mesh 'absent.obj': '")) << run.output;
  EXPECT_TRUE(contains(run.output,
                       "; put the file there, or correct the Mesh node\n  controller "
                       "'gone' of robot 'a': not found; put it into controllers/gone of the "
                       "project, or name one by --controller 'a=PROGRAM'\n"))
      << run.output;
  EXPECT_EQ(run.output.find("'Cart'"), run.output.rfind("'Cart'")) << run.output;
  EXPECT_TRUE(contains(run.output,
                       "worlds/w.wbt:3:1: warning: PROTO 'Cart' not found; the node is left out; "
                       "it is a PROTO of Webots: add an EXTERNPROTO line with its address [and 1 "
                       "more like it: 4:1]\n"))
      << run.output;
  const ShellResult silent =
      shell("servosim run worlds/w.wbt --duration 0.1 --log-level error 2>&1", folder.path());
  EXPECT_TRUE(contains(silent.output, "\n  PROTO 'Cart' (2 times): not found; ")) << silent.output;
  EXPECT_TRUE(run.output.ends_with(
      "\n  physics plugin \"wind\": plugins are not run; a supervisor can push bodies instead, by "
      "wb_supervisor_node_add_force()\n  Fluid: it is not simulated; a supervisor can push bodies "
      "instead, by wb_supervisor_node_add_force()\nexit code 3; "
      "--allow-missing=bodies,protos,meshes,controllers,plugins,fluids accepts it and exits with "
      "0\n"))
      << run.output;
  EXPECT_FALSE(contains(run.output, "  PROTO 'Rust'"));
  EXPECT_TRUE(contains(run.output, "0.104 s simulated")) << run.output;  // all the same
  const ShellResult check = shell("servosim check worlds/w.wbt 2>&1", folder.path());
  EXPECT_EQ(check.status, 3) << check.output;
  EXPECT_TRUE(contains(check.output, kWhatItLacks)) << check.output;
}

// Each part takes as long as the first.
TEST(Incomplete, TwentyThousandPartsAreListed) {
  constexpr int kParts = 20000;
  const TempFolder folder;
  std::string externs = "#VRML_SIM R2025a utf8\n";
  std::string nodes;
  for (int i = 0; i < kParts; ++i) {
    externs += "EXTERNPROTO \"../protos/P" + std::to_string(i) + ".proto\"\n";
    nodes += "P" + std::to_string(i) + " { }\n";
  }
  folder.write("worlds/w.wbt", externs + nodes);
  const ShellResult check = shell("servosim check --json worlds/w.wbt", folder.path());
  EXPECT_EQ(check.status, 3);
  const json missing = json::parse(check.output).at("worlds").at(0).at("missing");
  ASSERT_EQ(missing.size(), kParts);
  EXPECT_EQ(missing.back().at("subject"), "PROTO 'P19999'");
  EXPECT_EQ(missing.back().at("line"), 2 * kParts + 1);
}

TEST(Incomplete, KindsAreAcceptedByTheirNames) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kLacksMuch);
  const auto status = [&](const std::string& options) {
    return shell("servosim run worlds/w.wbt --steps 1 --quiet " + options + " 2>&1", folder.path());
  };
  EXPECT_EQ(status("--allow-missing").status, 0);
  EXPECT_EQ(status("--allow-missing=all").status, 0);
  EXPECT_EQ(status("--allow-missing=bodies,controllers,protos,meshes,plugins,fluids").status, 0);
  const ShellResult some =
      status("--allow-missing=bodies,controllers,meshes --allow-missing=fluids");
  EXPECT_EQ(some.status, 3);
  EXPECT_TRUE(contains(some.output, "(accepted) Fluid: it is not simulated; ")) << some.output;
  EXPECT_TRUE(contains(some.output, "--allow-missing=protos,plugins accepts it")) << some.output;
  const ShellResult wrong = status("--allow-missing=proto");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.output,
                       "'proto' is none of all, bodies, protos, meshes, controllers, "
                       "extern, plugins, fluids, pictures, sounds; did you mean 'protos'?"))
      << wrong.output;
}

TEST(Incomplete, TheProjectsFileGivesOptionsThatTheCommandLineOverrides) {
  const TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nCart { }\nRoom { }\n");
  folder.write("elsewhere/Room.proto", "#VRML_SIM R2023b utf8\nPROTO Room [ ] { Solid { } }\n");
  folder.write("protos/.keep", "");
  folder.write("servosim.toml",
               "# of this project\nallow_missing = [\"protos\", \"meshes\"]\n"
               "proto_path = \"elsewhere\"\nduration = 0.4\n");
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "50 steps of 8 ms")) << run.output;
  EXPECT_FALSE(contains(run.output, "'Room'")) << run.output;
  EXPECT_EQ(shell("servosim check worlds/w.wbt", folder.path()).status, 0);
  const ShellResult other =
      shell("servosim run worlds/w.wbt --steps 3 --allow-missing=fluids 2>&1", folder.path());
  EXPECT_EQ(other.status, 3) << other.output;
  EXPECT_TRUE(contains(other.output, "3 steps of 8 ms")) << other.output;
  folder.write("servosim.toml", "alow_missing = [\"protos\"]\n");
  const ShellResult wrong = shell("servosim run worlds/w.wbt 2>&1", folder.path());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.output,
                       "servosim.toml:1: 'alow_missing' is no option of a project; did "
                       "you mean 'allow_missing'?"))
      << wrong.output;
}

// The robot of the project is a PROTO that only its servosim.toml finds.
class ProjectFileOf : public testing::Test {
 protected:
  ProjectFileOf() {
    folder_.write("worlds/w.wbt",
                  "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nRover { name \"r\" }\n");
    folder_.write("elsewhere/Rover.proto",
                  "#VRML_SIM R2023b utf8\nPROTO Rover [ field SFString name \"\" ] { Robot { name "
                  "IS name controller \"gone\" } }\n");
    folder_.write("programs/ctl.py", "print('here')\n");
    folder_.write("protos/.keep", "");
  }
  void write(const std::string& text) const {
    folder_.write("servosim.toml", "proto_path = \"elsewhere\"\n" + text);
  }
  ShellResult run(const std::string& command) const {
    return shell("export XDG_CACHE_HOME=\"$PWD/cache\"; cd worlds; servosim " + command + " 2>&1",
                 folder_.path());
  }

  TempFolder folder_;
};

TEST_F(ProjectFileOf, CountsForEachCommandThatReadsWorlds) {
  write("");
  EXPECT_TRUE(contains(run("info w.wbt").output, "\"r\""));
  EXPECT_TRUE(contains(run("convert w.wbt -").output, "name \"r\""));
  EXPECT_FALSE(contains(run("fetch w.wbt").output, "Rover"));
  const ShellResult several = run("run w.wbt w.wbt --steps 2 --controller r=../programs/ctl.py");
  EXPECT_EQ(several.status, 0) << several.output;
  folder_.write("servosim.toml", "proto_pat = \"elsewhere\"\n");
  for (const std::string command :
       {"info w.wbt", "convert w.wbt -", "fetch w.wbt", "check w.wbt"}) {
    const ShellResult wrong = run(command);
    EXPECT_EQ(wrong.status, 2) << command << wrong.output;
    EXPECT_TRUE(contains(wrong.output, "'proto_pat' is no option of a project")) << wrong.output;
  }
}

TEST_F(ProjectFileOf, NamesProgramsFromItsFolderOn) {
  write("controller = [\"r=programs/ctl.py\"]\n");
  const ShellResult started = run("run w.wbt --steps 2");
  EXPECT_EQ(started.status, 0) << started.output;
  EXPECT_TRUE(contains(started.output, "here\n")) << started.output;
  EXPECT_EQ(run("check w.wbt").status, 0) << run("check w.wbt").output;
  write("controller = [\"r=<none>\"]\n");
  EXPECT_EQ(run("run w.wbt --steps 2").status, 0);
  write("controller = [\"r=programs/none.py\"]\n");
  const ShellResult gone = run("check w.wbt");
  EXPECT_EQ(gone.status, 2);
  EXPECT_TRUE(contains(gone.output, "programs/none.py")) << gone.output;
}

TEST_F(ProjectFileOf, YieldsToTheCommandLine) {
  write("realtime_factor = 1\nduration = 3600\ncontroller = \"r=<none>\"\n");
  EXPECT_EQ(run("run w.wbt --mode fast --steps 2").status, 0);
  write("mode = \"fast\"\ncontroller = \"r=<none>\"\n");
  EXPECT_EQ(run("run w.wbt --realtime-factor 20 --steps 2").status, 0);
  write("duration = 3600\nsteps = 2\n");
  const ShellResult both = run("run w.wbt");
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.output, "servosim.toml:2: duration and steps exclude each other"))
      << both.output;
}

TEST_F(ProjectFileOf, SaysWhatIsWrongInItsOwnWords) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"allow_missing = [\"protso\"]", "allow_missing: 'protso' is none of all, "},
      {"mode = \"fats\"", "mode: 'fats' is not realtime or fast; did you mean 'fast'"},
      {"duration = [1, 2]", "'duration' has 2 values; keep one"},
      {"stop_on_failure = \"maybe\"", "stop_on_failure: 'maybe' is neither true nor false"}};
  for (const auto& [line, message] : faults) {
    write(line + '\n');
    for (const std::string command : {"run", "check"}) {
      const ShellResult wrong = run(command + " w.wbt");
      EXPECT_EQ(wrong.status, 2) << line;
      const std::string place =
          command == "run" ? "servosim.toml:2: " : "servosim.toml:2:1: error: ";
      EXPECT_TRUE(contains(wrong.output, place + message)) << wrong.output;
    }
  }
}

TEST(Incomplete, AKindIsNoWorld) {
  for (const std::string command : {"check", "run"}) {
    const ShellResult wrong =
        shell("servosim " + command + " --allow-missing protos w.wbt 2>&1", TempFolder().path());
    EXPECT_EQ(wrong.status, 2);
    EXPECT_TRUE(contains(wrong.output, "for the option write --allow-missing=protos"))
        << wrong.output;
  }
}

TEST(Incomplete, OfSeveralWorldsOneIsNamed) {
  const TempFolder folder;
  folder.write("worlds/a.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\nCart { }\n");
  folder.write("worlds/b.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n");
  const ShellResult run =
      shell("servosim run worlds/a.wbt worlds/b.wbt --steps 2 2>/dev/null", folder.path());
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(contains(run.output, "worlds/a.wbt: INCOMPLETE, it lacks PROTO 'Cart'; 2 steps, "))
      << run.output;
  EXPECT_TRUE(contains(run.output, "worlds/b.wbt: ok, 2 steps, ")) << run.output;
}

TEST(Incomplete, TheExitCodeIsNamedWhereItIsThatOfIncompleteness) {
  const TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { }\nCart { }\nRobot { controller \"bad\" }\n");
  folder.write_program("controllers/bad/bad", "#!/bin/sh\nexit 4\n");
  const ShellResult run = shell("servosim run worlds/w.wbt --steps 2 2>&1", folder.path());
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(contains(run.output, "\n  1 PROTO, which a warning names\n")) << run.output;
  EXPECT_FALSE(contains(run.output, "exit code 3")) << run.output;
}

TEST(Incomplete, StandInsSayWhatMovesInTheOriginalOnly) {
  const TempFolder folder;
  const auto check = [&](const std::string& nodes) {
    folder.write("w.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n" + nodes);
    return shell("servosim check w.wbt 2>&1", folder.path());
  };
  const ShellResult lost = check("Khr3hv { }\nPedestrian { }\n");
  EXPECT_EQ(lost.status, 3) << lost.output;
  EXPECT_TRUE(contains(lost.output, "\n  the 17 joints of PROTO 'Khr3hv': ")) << lost.output;
  EXPECT_TRUE(contains(lost.output, "\n  controller 'pedestrian' of PROTO 'Pedestrian': "))
      << lost.output;
  const ShellResult walls = check(
      "Fence { boundingObject TRUE }\nCrashBarrier { enableBoundingObject TRUE }\n"
      "Crossroad { boundingObject TRUE }\n");
  EXPECT_EQ(walls.status, 3) << walls.output;
  for (const char* const name : {"Fence", "CrashBarrier", "Crossroad"}) {
    const std::string line = "\n  collision of PROTO '" + std::string(name) + "': ";
    EXPECT_TRUE(contains(walls.output, line)) << walls.output;
  }
  const ShellResult whole = check(
      "Pedestrian { controller \"<none>\" }\nE-puck { kinematic TRUE }\nCabinet { }\nTable { "
      "}\nFence { boundingObject FALSE "
      "}\nCrashBarrier { }\nCrossroad { }\n");
  EXPECT_FALSE(contains(whole.output, "of PROTO")) << whole.output;
  // The warning has the position of the node in the world.
  EXPECT_TRUE(contains(whole.output, "\nw.wbt:4:1: warning: robot 'e-puck': controller "))
      << whole.output;
}

TEST(Incomplete, WithoutShapesThatCannotBeRead) {
  const TempFolder folder;
  folder.write("w.wbt", R"(#VRML_SIM R2023b utf8
WorldInfo { }
Solid { name "a" boundingObject IndexedFaceSet { coordIndex [ 0 1 -1 ] } }
Solid { name "b" boundingObject ElevationGrid { xDimension 2 yDimension 2 height [ 1e9 0 0 0 ] } }
Solid { name "c" boundingObject ElevationGrid { xDimension 1 } }
Solid { name "d" boundingObject USE NOPE }
)");
  const ShellResult check = shell("servosim check w.wbt 2>&1", folder.path());
  EXPECT_EQ(check.status, 3);
  for (const char* const line :
       {"\n  IndexedFaceSet of a boundingObject: it has an index or a point that is out of range\n",
        "\n  ElevationGrid of a boundingObject: a height is not between -1e6 and 1e6 m\n",
        "\n  ElevationGrid of a boundingObject: its 1 x 0 points are less than 2 in a direction\n",
        "\n  boundingObject NOPE: no DEF of that name stands before its USE\n"}) {
    EXPECT_TRUE(contains(check.output, line)) << line << check.output;
  }
}

TEST(Incomplete, WithoutBodiesWhosePlaceOrSpeedIsNotUsable) {
  const TempFolder folder;
  const std::string body = "boundingObject Box { size 1 1 1 } physics Physics { } ";
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 gravity 0 }\nPose { translation "
               "0 0 1e69 children Solid { name \"below\" " +
                   body +
                   "} }\n"
                   "Robot { name \"nowhere\" translation nan -nan 1 " +
                   body +
                   "}\n"
                   "Pose { translation 0 nan 0 children Solid { name \"in it\" " +
                   body +
                   "} }\n"
                   "Robot { name \"fast\" translation 5 5 5 linearVelocity 1e30 0 0 " +
                   body +
                   "}\n"
                   "Robot { name \"fine\" translation 9 5 5 " +
                   body + "}\n");
  const ShellResult run = shell("servosim run w.wbt --steps 5 2>&1", folder.path());
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(contains(run.output, "5 steps of 8 ms")) << run.output;
  for (const char* const line :
       {"\n  Solid \"below\": correct it in the world file\n", "\n  Robot \"nowhere\": correct it ",
        "\n  what is in a Pose: correct it ", "\n  Robot \"fast\": correct it ",
        "the translation of this Robot is no number, as Webots saves a body whose simulation has ",
        "Robot \"fast\" has a linearVelocity of 1e+30, more than 1e+09, ", "\nfine "}) {
    EXPECT_TRUE(contains(run.output, line)) << line << run.output;
  }
}

// Returns a controller in C that imports a node after its first step.
std::string importer(const std::string& node) {
  return "#include <webots/robot.h>\n#include <webots/supervisor.h>\nint main(void) {\n"
         "  wb_robot_init();\n  wb_robot_step(8);\n"
         "  wb_supervisor_field_import_mf_node_from_string(wb_supervisor_node_get_field("
         "wb_supervisor_node_get_root(), \"children\"), -1, \"" +
         node +
         "\");\n"
         "  while (wb_robot_step(8) != -1) {\n  }\n  wb_robot_cleanup();\n  return 0;\n}\n";
}

constexpr const char* kImporters =
    "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
    "Robot { name \"s\" supervisor TRUE controller \"s\" }\n";

TEST(Incomplete, WhatASupervisorImportsCounts) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kImporters);
  folder.write(
      "controllers/s/s.c",
      importer("Group { children [ Cart { } Solid { boundingObject IndexedFaceSet { } } ] }"));
  const ShellResult run = shell("servosim run worlds/w.wbt --steps 9 2>&1", folder.path());
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(contains(run.output, "\n  PROTO 'Cart': not found; ")) << run.output;
  EXPECT_TRUE(contains(run.output, "\n  IndexedFaceSet of a boundingObject: it has no triangle\n"))
      << run.output;
}

TEST(Warnings, OfImportsTellOfEachStandInOnce) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kImporters);
  std::string program = importer("SolidBox { translation 0 0 9 appearance Rust { } }");
  const std::size_t begin = program.find("  wb_supervisor_field_import");
  const std::string import = program.substr(begin, program.find(";\n", begin) + 2 - begin);
  program.insert(begin, import + import);
  folder.write("controllers/s/s.c", program);
  const ShellResult run = shell("servosim run worlds/w.wbt --steps 9 2>&1", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(count(run.output, "PROTO 'SolidBox' not found"), 1) << run.output;
  EXPECT_EQ(count(run.output, "PROTO 'Rust' not found"), 1) << run.output;
}

TEST(Motion, OfAnImportedRobotIsWatched) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kImporters);
  folder.write("controllers/s/s.c",
               importer("Robot { name \\\"late\\\" boundingObject Box { size 1 1 1 } physics "
                        "Physics { } controller \\\"<none>\\\" }"));
  const ShellResult run = shell("servosim run worlds/w.wbt --duration 3 2>&1", folder.path());
  EXPECT_EQ(count(run.output, "robot 'late' has been falling freely since 0.0"), 1) << run.output;
}

TEST(Json, OfARunHasWhatTheTextSays) {
  const Project project("one");
  Program run(project.run_with("wave", {"--duration", "0.1", "--json"}));
  EXPECT_EQ(run.finish(), 0) << run.err();
  const json document = json::parse(run.out(), nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << run.out();
  ASSERT_EQ(document["runs"].size(), 1u);
  const json& one = document["runs"][0];
  EXPECT_EQ(one["complete"], true);
  EXPECT_EQ(one["exit_code"], 0);
  EXPECT_EQ(one["reproducible"], true);
  EXPECT_EQ(one["robots"][0]["controllers"][0]["end"], "ran until the end");
  EXPECT_EQ(one["robots"][0]["controllers"][0]["failed"], false);
  Program text(project.run_with("wave", {"--duration", "0.1"}));
  EXPECT_EQ(text.finish(), 0);
  EXPECT_TRUE(contains(text.out(), "state_hash: " + one["state_hash"].get<std::string>()));
  EXPECT_TRUE(contains(text.out(), one["joints"][0]["name"].get<std::string>()));
  EXPECT_TRUE(contains(text.out(), std::to_string(one["steps"].get<int>()) + " steps"));
}

TEST(Json, OfSeveralRunsIsOneDocument) {
  const TempFolder folder;
  folder.write("worlds/a.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\nCart { }\n");
  folder.write("worlds/b.wbt", "#VRML_SIM R2023b utf8\nRobot { controller \"gone\" \n");
  const ShellResult run =
      shell("servosim run worlds/a.wbt worlds/a.wbt worlds/b.wbt --steps 2 --json 2>/dev/null",
            folder.path());
  EXPECT_EQ(run.status, 2) << run.output;
  const json document = json::parse(run.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << run.output;
  ASSERT_EQ(document["runs"].size(), 3u);
  EXPECT_EQ(document["runs"][1]["copy"], 1);
  EXPECT_EQ(document["runs"][1]["exit_code"], 3);
  EXPECT_EQ(document["runs"][1]["missing"][0]["subject"], "PROTO 'Cart'");
  EXPECT_EQ(document["runs"][1]["notices"][0]["count"], 1);
  EXPECT_TRUE(contains(document["runs"][2]["error"].get<std::string>(), "failed (exit 2)"));
}

// The error prevents all runs.
TEST(Json, OfSeveralRunsThatDoNotBeginIsOneDocument) {
  const TempFolder folder;
  folder.write("a.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n");
  folder.write("b.wbt", "#VRML_SIM R2023b utf8\nWorldInfo { }\n");
  for (const char* const fault :
       {"--controller nobody=wave", "--controller x", "--trace t.csv", "-"}) {
    const ShellResult run = shell("servosim run a.wbt b.wbt a.wbt --json --steps 1 " +
                                      std::string(fault) + " 2>err </dev/null",
                                  folder.path());
    EXPECT_EQ(run.status, 2) << fault;
    const json document = json::parse(run.output, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << fault << ": " << run.output;
    EXPECT_EQ(document["schema"], "servosim-run-1");
    ASSERT_GE(document["runs"].size(), 3u) << fault;
    EXPECT_EQ(document["runs"][1]["world"], "b.wbt");
    EXPECT_EQ(document["runs"][2]["copy"], 1);
    const std::string error = document["runs"][1]["error"];
    EXPECT_TRUE(contains(test::read_text(folder / "err"), error)) << error;
  }
}

TEST(Json, IsADocumentAlsoWithoutAResult) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", "#VRML_SIM R2023b utf8\nRobot { \n");
  const auto documents = [&](const std::string& what) {
    return json::parse(
        shell("servosim " + what + " --json worlds/w.wbt 2>/dev/null", folder.path()).output,
        nullptr, false);
  };
  const json broken = documents("run");
  ASSERT_FALSE(broken.is_discarded());
  EXPECT_EQ(broken["runs"][0]["world"], "worlds/w.wbt");
  EXPECT_TRUE(contains(broken["runs"][0]["error"], "worlds/w.wbt:2:1: error: "));
  folder.write("servosim.toml", "sed = 3\n");
  const json bad_file = documents("run");
  ASSERT_FALSE(bad_file.is_discarded());
  EXPECT_TRUE(contains(bad_file["runs"][0]["error"], "'sed' is no option of a project"));
  const json check = documents("check");
  ASSERT_FALSE(check.is_discarded());
  EXPECT_EQ(check["worlds"][0]["simulated"], false);
  const json& fault = check["worlds"][0]["diagnostics"][0];
  EXPECT_TRUE(std::string(fault["message"]).starts_with("'sed' is no option")) << fault;
  EXPECT_EQ(fault["file"], (folder / "servosim.toml").string());
  EXPECT_EQ(fault["line"], 1);
}

TEST(Json, CountsAndPlacesWhatTheTextGroups) {
  const TempFolder folder;
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { }\nCart { }\nSolid { colour 1 }\nSolid { name "
               "\"b\" colour 1 }\nBall { name \"ball\" }\n");
  const ShellResult run = shell("servosim run w.wbt --steps 2 --json 2>/dev/null", folder.path());
  const json document = json::parse(run.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << run.output;
  const json& one = document["runs"][0];
  EXPECT_EQ(one["missing"][0]["file"], "w.wbt");
  EXPECT_EQ(one["missing"][0]["line"], 3);
  std::size_t counted = 0;
  for (const json& notice : one["notices"]) {
    const std::string message = notice["message"];
    EXPECT_FALSE(contains(message, "more like it")) << message;
    counted = contains(message, "'colour'") ? notice["count"].get<std::size_t>() : counted;
  }
  EXPECT_EQ(counted, 2u);
  ASSERT_EQ(one["infos"].size(), 1u) << one["infos"];
  EXPECT_TRUE(contains(one["infos"][0]["message"], "the stand-in of servosim is used"));
  EXPECT_EQ(one["infos"][0]["line"], 6);
  const ShellResult check = shell("servosim check w.wbt --json 2>/dev/null", folder.path());
  EXPECT_EQ(json::parse(check.output)["worlds"][0]["missing"][0]["line"], 3);
}

TEST(Json, OfARunWithExternUrlsIsAllThatIsOnStandardOutput) {
  const TempFolder folder;
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { }\nRobot { name \"r\" controller \"<extern>\" "
               "}\n");
  const ShellResult run = shell(
      "servosim run w.wbt --json --extern-urls --extern-timeout 0 --steps 2 2>err", folder.path());
  EXPECT_FALSE(json::parse(run.output, nullptr, false).is_discarded()) << run.output;
  EXPECT_TRUE(contains(test::read_text(folder / "err"), "ipc://"));
}

TEST(Json, OfACheckTellsWhetherTheWorldIsComplete) {
  const TempFolder folder;
  folder.write("worlds/w.wbt", kLacksMuch);
  const ShellResult check = shell("servosim check --json worlds/w.wbt", folder.path());
  EXPECT_EQ(check.status, 3);
  const json document = json::parse(check.output, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << check.output;
  const json& world = document["worlds"][0];
  EXPECT_EQ(world["complete"], false);
  EXPECT_EQ(world["simulated"], true);
  EXPECT_EQ(world["missing"][0]["kind"], "bodies");
  EXPECT_EQ(world["missing"][1]["count"], 2);
  EXPECT_EQ(world["diagnostics"][0]["severity"], "warning");
}

TEST(Warnings, OfOneKindAreOneLine) {
  const TempFolder folder;
  std::string world = "#VRML_SIM R2023b utf8\nWorldInfo { }\n";
  for (const char* const name : {"a", "b", "c", "d"}) {
    world += std::string("Solid { name \"") + name + "\" colour 1 }\n";
  }
  folder.write("w.wbt", world);
  const ShellResult few = shell("servosim check w.wbt", folder.path());
  EXPECT_EQ(few.output,
            "w.wbt:3:18: warning: unknown field 'colour' in Solid (skipped) [and 3 more like it: "
            "4:18, 5:18, ...]\n1 world: 0 errors, 4 warnings\n");
  const ShellResult all = shell("servosim check --verbose w.wbt", folder.path());
  EXPECT_TRUE(contains(all.output, "w.wbt:6:18: warning: unknown field 'colour'")) << all.output;
}

// The nodes have different names, and none of them affects motion. --strict accepts that.
TEST(Warnings, OfMissingLooksAreOneLine) {
  const TempFolder folder;
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { }\nNightSky { }\n"
               "Solid { children Shape { appearance Rust { } } }\n"
               "Solid { name \"b\" children Shape { appearance Copper { } } }\n"
               "Solid { name \"c\" children Shape { appearance Slate { } } }\n");
  const std::string line =
      "w.wbt:3:1: warning: PROTO 'NightSky' not found; it is left out, which acts on no "
      "motion [and 3 more like it: 4:37, 5:46, ...]\n";
  const ShellResult check = shell("servosim check --strict w.wbt", folder.path());
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.output, line + "1 world: 0 errors, 4 warnings\n");
  const ShellResult run = shell("servosim run w.wbt --steps 1 2>&1", folder.path());
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.output, line)) << run.output;
  EXPECT_EQ(count(run.output, "warning"), 1) << run.output;
  const ShellResult all = shell("servosim check --verbose w.wbt", folder.path());
  EXPECT_TRUE(contains(all.output, "w.wbt:6:46: warning: PROTO 'Slate' not found")) << all.output;
}

TEST(Input, OfAWorldMayBeStandardInput) {
  const ShellResult run = shell(
      "printf '#VRML_SIM R2023b utf8\\nWorldInfo { basicTimeStep 8 }\\n' | servosim run - --steps "
      "3",
      TempFolder().path());
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.output, "3 steps of 8 ms")) << run.output;
  EXPECT_EQ(shell("servosim run - w.wbt < /dev/null 2>&1", TempFolder().path()).status, 2);
}

TEST(Motion, ThatIsProbablyNotMeantIsReportedOnce) {
  const TempFolder folder;
  const auto run = [&](const std::string& robot) {
    folder.write("w.wbt",
                 "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\nSolid { name \"slab\" "
                 "translation 0 0 -0.5 boundingObject Box { size 4 4 1 } }\n" +
                     robot);
    return shell("servosim run w.wbt --duration 3 2>&1", folder.path()).output;
  };
  const std::string falls =
      run("Robot { name \"r\" translation 9 0 1 boundingObject Box { size 1 1 1 } physics Physics "
          "{ } }");
  EXPECT_EQ(count(falls, "robot 'r' has been falling freely since 0 s"), 1) << falls;
  const std::string damped =
      run("Robot { name \"r\" translation 9 0 1 boundingObject Box { size 1 1 1 } physics Physics "
          "{ damping Damping { linear 0.9 } } }");
  EXPECT_EQ(count(damped, "robot 'r' has been falling freely since 0 s"), 1) << damped;
  const std::string tips =
      run("Robot { name \"r\" translation 0 0 0.5 rotation 1 0 0 0.3 boundingObject Box { size 0.1 "
          "0.1 1 } "
          "physics Physics { } }");
  EXPECT_EQ(count(tips, "robot 'r' fell over: its tilt is "), 1) << tips;
  const std::string deep =
      run("Robot { name \"r\" translation 0 0 0.3 boundingObject Box { size 1 1 1 } physics "
          "Physics { } }");
  EXPECT_EQ(count(deep, "overlap by 0.2 m at the start"), 1) << deep;
  const std::string stands =
      run("Robot { name \"r\" translation 0 0 0.5 boundingObject Box { size 1 1 1 } physics "
          "Physics { } }");
  EXPECT_FALSE(contains(stands, "warning")) << stands;
  EXPECT_TRUE(contains(stands,
                       "\nrobot         x [m]        y [m]        z [m]   tilt [deg]  speed "
                       "[m/s]\nr "))
      << stands;
}

TEST(Motion, OfARobotWithoutPhysicsIsShownToo) {
  const TempFolder folder;
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
               "Robot { name \"r\" translation 3 2 7 controller \"<none>\" children [ HingeJoint { "
               "jointParameters HingeJointParameters { } device RotationalMotor { name \"m\" } "
               "endPoint Solid { name \"e\" } } ] }\n");
  const ShellResult run =
      shell("servosim run w.wbt --steps 2 --trace t.csv --watch r.pose 2>&1", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "--watch chose no joints\n")) << run.output;
  EXPECT_TRUE(contains(run.output, "\nr                 3            2            7"))
      << run.output;
  EXPECT_TRUE(contains(test::read_text(folder / "t.csv"), "\n0.008,3,2,7,"));
}

TEST(Motion, OfARobotIsTracedByItsPose) {
  const TempFolder folder;
  folder.write("w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 8 }\n"
               "Robot { name \"r\" translation 1 2 9 boundingObject Box { size 1 1 1 } physics "
               "Physics { } }\n");
  EXPECT_EQ(
      shell("servosim run w.wbt --steps 2 --trace t.csv --watch r.pose", folder.path()).status, 0);
  EXPECT_TRUE(test::read_text(folder / "t.csv")
                  .starts_with("time [s],r.pose x [m],r.pose y [m],r.pose z [m],r.pose tilt "
                               "[rad],r.pose linear speed [m/s],r.pose qx,r.pose qy,r.pose "
                               "qz,r.pose qw\n0.008,1,2,8.99"));
  EXPECT_EQ(shell("servosim plot t.csv -o t.svg", folder.path()).status, 0);
  EXPECT_EQ(
      shell("servosim run w.wbt --steps 2 --trace t.jsonl --watch 'r.pose'", folder.path()).status,
      0);
  EXPECT_TRUE(contains(test::read_text(folder / "t.jsonl"), R"("robots":{"r.pose":{)"));
}

TEST(Hash, IsSaidToBeReproducibleOnlyWhereItIs) {
  const Project project("one");
  project.edit("Robot {", "Robot {\n  synchronization FALSE");
  Program run(project.run_with("wave", {"--duration", "0.1"}));
  EXPECT_EQ(run.finish(), 0) << run.err();
  EXPECT_TRUE(contains(run.out(), " (not reproducible: robot 'arm' has synchronization FALSE)\n"))
      << run.out();
}

TEST(Check, FindsNothingToSayOfSensorsThatSee) {
  const TempFolder folder;
  folder.write(
      "w.wbt",
      "#VRML_SIM R2023b utf8\nRobot { name \"r\" controller \"<none>\" children [ Camera { "
      "name \"eye\" recognition Recognition { } } Radar { name \"echo\" } ] }\n");
  const ShellResult check = shell("servosim check w.wbt", folder.path());
  EXPECT_EQ(check.status, 0);
  EXPECT_FALSE(contains(check.output, "eye")) << check.output;
  EXPECT_FALSE(contains(check.output, "echo")) << check.output;
  const std::string info = shell("servosim info w.wbt", folder.path()).output;
  EXPECT_EQ(info.find("measures when enabled") != info.rfind("measures when enabled"), true)
      << info;
}

TEST(Check, NamesRobotsByTheirPlace) {
  const TempFolder folder;
  folder.write("worlds/w.wbt",
               "#VRML_SIM R2023b utf8\nWorldInfo { }\n\nRobot { controller \"gone\" }\n");
  const ShellResult check = shell("servosim check worlds/w.wbt", folder.path());
  EXPECT_TRUE(check.output.starts_with("worlds/w.wbt:4:1: warning: ")) << check.output;
}

}  // namespace
}  // namespace servosim

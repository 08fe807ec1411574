// SPDX-License-Identifier: Apache-2.0
// Controllers ask for what servosim does not make, such as sounds and movies, and read what it
// makes; worlds lack decoration.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using nlohmann::json;
using test::contains;
using test::shell;
using test::ShellResult;
using test::TempFolder;

constexpr const char* kSeeing = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 32 }
Robot {
  name "eye"
  controller "eye"
  supervisor TRUE
  children [
    Camera { name "camera" recognition Recognition { segmentation TRUE } }
    RangeFinder { name "finder" }
    Lidar { name "lidar" }
    Radar { name "radar" }
    Display { name "display" }
    Microphone { name "microphone" }
  ]
}
)";

// The controller enables all devices, makes a step, and calls the function that its argument names.
constexpr const char* kEye = R"(
#include <stdlib.h>
#include <string.h>
#include <webots/camera.h>
#include <webots/display.h>
#include <webots/lidar.h>
#include <webots/microphone.h>
#include <webots/radar.h>
#include <webots/range_finder.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main(int argc, char **argv) {
  wb_robot_init();
  const char *what = argc > 1 ? argv[1] : getenv("EYE_CALLS");
  WbDeviceTag camera = wb_robot_get_device("camera"), finder = wb_robot_get_device("finder");
  WbDeviceTag lidar = wb_robot_get_device("lidar"), radar = wb_robot_get_device("radar");
  WbDeviceTag display = wb_robot_get_device("display");
  WbDeviceTag microphone = wb_robot_get_device("microphone");
  if (strcmp(what, "disabled") == 0) {
    wb_robot_step(32);
    wb_camera_get_image(camera);
    wb_range_finder_get_range_image(finder);
    wb_lidar_get_point_cloud(lidar);
    wb_radar_get_targets(radar);
    wb_camera_recognition_get_objects(camera);
    wb_microphone_get_sample_data(microphone);
    return 0;
  }
  if (strcmp(what, "recognition") != 0 && strcmp(what, "segments") != 0)
    wb_camera_enable(camera, 32);
  wb_camera_recognition_enable(camera, 32);
  wb_camera_recognition_enable_segmentation(camera);
  wb_range_finder_enable(finder, 32);
  wb_lidar_enable(lidar, 32);
  wb_lidar_enable_point_cloud(lidar);
  wb_radar_enable(radar, 32);
  wb_robot_step(32);
  if (strcmp(what, "sizes") == 0) {
    wb_camera_get_width(camera);
    wb_lidar_get_number_of_points(lidar);
    wb_display_draw_line(display, 0, 0, 5, 5);
  } else if (strcmp(what, "image") == 0)
    wb_camera_get_image(camera);
  else if (strcmp(what, "save") == 0)
    wb_camera_save_image(camera, "seen.png", 100);
  else if (strcmp(what, "recognition") == 0)
    wb_camera_recognition_get_objects(camera);
  else if (strcmp(what, "number") == 0)
    wb_camera_recognition_get_number_of_objects(camera);
  else if (strcmp(what, "segments") == 0)
    wb_camera_recognition_get_segmentation_image(camera);
  else if (strcmp(what, "ranges") == 0)
    wb_range_finder_get_range_image(finder);
  else if (strcmp(what, "layer") == 0)
    wb_lidar_get_layer_range_image(lidar, 0);
  else if (strcmp(what, "cloud") == 0)
    wb_lidar_get_point_cloud(lidar);
  else if (strcmp(what, "targets") == 0)
    wb_radar_get_number_of_targets(radar);
  else if (strcmp(what, "between") == 0) {
    wb_robot_step_begin(32);
    wb_display_image_save(display, NULL, "shown.png");
    wb_robot_step_end();
    wb_robot_step(32);
  } else if (strcmp(what, "display") == 0)
    wb_display_image_save(display, NULL, "shown.png");
  else if (strcmp(what, "sound") == 0) {
    wb_microphone_enable(microphone, 32);
    wb_microphone_get_sample_data(microphone);
  } else if (strcmp(what, "export") == 0)
    for (int i = 0; i < 3; ++i)
      wb_supervisor_export_image("scene.png", 90);
  else if (strcmp(what, "movie") == 0)
    wb_supervisor_movie_start_recording("scene.mp4", 640, 480, 0, 90, 1, false);
  return 0; /* without wb_robot_cleanup(), as many programs end */
}
)";

struct EyeWorld {
  EyeWorld() {
    folder.write("worlds/w.wbt", kSeeing);
    folder.write("controllers/eye/eye.c", kEye);
  }
  ShellResult run(const std::string& what, const std::string& options = "") const {
    return shell("EYE_CALLS=" + what + " servosim run worlds/w.wbt " + options + " 2>&1",
                 folder.path());
  }
  TempFolder folder;
};

TEST(Incomplete, RunsWhoseControllersReadWhatIsNotDrawn) {
  const EyeWorld world;
  for (const auto& [what, said] : std::vector<std::pair<std::string, std::string>>{
           {"sound",
            "\n  what Microphone \"microphone\" of robot 'eye' hears: its controller has read "
            "it, and servosim makes no sounds\nexit code 3; --allow-missing=sounds "},
           {"export",
            "\n  the picture that robot 'eye' exports: nothing is drawn, and no file is "
            "written\nexit code 3; --allow-missing=pictures "},
           {"movie",
            "\n  the picture that robot 'eye' exports: nothing is drawn, and no file is "
            "written\nexit code 3; --allow-missing=pictures "}}) {
    const ShellResult run = world.run(what);
    EXPECT_EQ(run.status, 3) << what << run.output;
    EXPECT_TRUE(contains(run.output, said)) << what << run.output;
  }
  for (const char* what : {"sizes", "disabled", "ranges", "layer", "cloud", "image", "save",
                           "recognition", "number", "segments", "targets", "display", "between"}) {
    const ShellResult run = world.run(what);
    EXPECT_EQ(run.status, 0) << what << run.output;
  }
  EXPECT_EQ(world.run("export", "--allow-missing=pictures").status, 0);
  constexpr const char* kNoEffect =
      "\naccepting missing pictures has no effect: no sensor that this run has read is blind\n";
  for (const auto& [what, option, is_said] :
       {std::tuple{"targets", "--allow-missing=pictures", true},
        {"export", "--allow-missing=pictures", false},
        {"targets", "--allow-missing", false}}) {
    const ShellResult run = world.run(what, option);
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_EQ(contains(run.output, kNoEffect), is_said) << what << option << run.output;
  }
  const ShellResult check = shell("servosim check worlds/w.wbt", world.folder.path());
  EXPECT_EQ(check.status, 0) << check.output;  // whether its controller reads them is not known
}

// A controller that holds the simulation ends with its own exit status.
TEST(Incomplete, ControllersThatHoldTheSimulationAreTold) {
  const EyeWorld world;
  ASSERT_EQ(world.run("sizes").status, 0);  // builds it
  const ShellResult alone = shell(
      "LD_LIBRARY_PATH=\"$(servosim webots-home)/lib/controller\" SERVOSIM_WORLD=worlds/w.wbt "
      "EYE_CALLS=sound controllers/eye/eye 2>&1",
      world.folder.path());
  EXPECT_EQ(alone.status, 0) << alone.output;
  EXPECT_TRUE(contains(alone.output,
                       "Warning: INCOMPLETE: the world may move otherwise than its "
                       "author meant; it lacks what Microphone \"microphone\" of robot "
                       "'eye' hears"))
      << alone.output;
  world.folder.write("worlds/twice.wbt", std::string(kSeeing) + "Nowhere { }\nNowhere { }\n");
  const ShellResult twice = shell(
      "LD_LIBRARY_PATH=\"$(servosim webots-home)/lib/controller\" "
      "SERVOSIM_WORLD=worlds/twice.wbt EYE_CALLS=sizes controllers/eye/eye 2>&1",
      world.folder.path());
  EXPECT_TRUE(contains(twice.output, "it lacks PROTO 'Nowhere'\n")) << twice.output;
}

// The Python API has no Microphones.
TEST(Incomplete, ControllersInPythonSeeAll) {
  SKIP_WITHOUT_PYTHON_API();
  const TempFolder folder;
  folder.write("worlds/w.wbt", kSeeing);
  folder.write("controllers/eye/eye.py",
               "from controller import Robot\nrobot = Robot()\n"
               "camera, radar = robot.getDevice('camera'), robot.getDevice('radar')\n"
               "display = robot.getDevice('display')\n"
               "camera.enable(32)\nradar.enable(32)\nrobot.step(32)\n"
               "camera.getImageArray()\nradar.getTargets()\ndisplay.imageSave(None, 'a.png')\n");
  const ShellResult run = shell("servosim run worlds/w.wbt --json 2>/dev/null", folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(json::parse(run.output).at("runs").at(0).at("missing").empty()) << run.output;
}

// Nothing is expected to touch skies, signs and pictures on walls.
TEST(Incomplete, DecorationIsNotMissed) {
  const TempFolder folder;
  folder.write(
      "w.wbt",
      "#VRML_SIM V8.0 utf8\nWorldInfo { }\nHemisphericalSkyDome { }\n"
      "Group { children [ MoviePoster { name \"a\" } OldPainting { } CrossroadSign { } ] }\n");
  const ShellResult check = shell("servosim check w.wbt", folder.path());
  EXPECT_EQ(check.status, 0) << check.output;
  EXPECT_TRUE(contains(check.output,
                       "PROTO 'HemisphericalSkyDome' not found; it is left out, "
                       "which acts on no motion"))
      << check.output;
  folder.write("w.wbt", "#VRML_SIM V8.0 utf8\nWorldInfo { }\nSkyDome { physics Physics { } }\n");
  EXPECT_EQ(shell("servosim check w.wbt", folder.path()).status, 3);
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// Controllers that read Cameras: hosted, in the process of the simulation, and by TCP.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "programs/program.h"
#include "programs/shell.h"

namespace servosim {
namespace {

using test::contains;
using test::Program;
using test::ScopedVariable;
using test::shell;
using test::ShellResult;
using test::TempFolder;

// Two panels glow, a red one to the left and a green one to the right, whatever lights there are.
constexpr const char* kPanels = R"(#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 32 }
Solid { translation 2.1 1 0 name "panel" model "red panel" recognitionColors [ 0.2 0.4 0.6 ]
  children [ DEF RED Shape { appearance Appearance { material Material { diffuseColor 0 0 0
    ambientIntensity 0 emissiveColor 1 0 0 } } geometry Box { size 0.2 1.8 1.8 } } ]
  boundingObject USE RED }
Pose { translation 2.1 -1 0 children [ Shape { appearance Appearance { material Material {
  diffuseColor 0 0 0 ambientIntensity 0 emissiveColor 0 1 0 } } geometry Box { size 0.2 1.8 1.8 } } ] }
Robot {
  name "eye"
  controller "CONTROLLER"
  children [
    Camera { name "camera" width 64 height 48 fieldOfView 1.5
      recognition Recognition { segmentation TRUE } }
    RangeFinder { name "finder" width 64 height 48 fieldOfView 1.5 maxRange 9 }
  ]
}
)";

constexpr const char* kColorEye = R"(
#include <stdio.h>
#include <webots/camera.h>
#include <webots/range_finder.h>
#include <webots/robot.h>

static void print(const char *name, const unsigned char *image, int x, int y) {
  printf("%s %d %d %d %d\n", name, wb_camera_image_get_red(image, 64, x, y),
         wb_camera_image_get_green(image, 64, x, y), wb_camera_image_get_blue(image, 64, x, y),
         image[4 * (64 * y + x) + 3]);
}

int main() {
  wb_robot_init();
  const WbDeviceTag camera = wb_robot_get_device("camera"), finder = wb_robot_get_device("finder");
  wb_camera_enable(camera, 64);
  wb_camera_recognition_enable(camera, 32);
  wb_camera_recognition_enable_segmentation(camera);
  wb_range_finder_enable(finder, 32);
  printf("before %d\n", wb_camera_get_image(camera) == NULL);
  wb_robot_step(32);
  const unsigned char *image = wb_camera_get_image(camera);
  const float *distances = wb_range_finder_get_range_image(finder);
  print("first", image, 20, 24);
  printf("near %.3f\n", distances[64 * 24 + 20]);
  wb_robot_step(32);
  printf("same %d %d\n", image == wb_camera_get_image(camera),
         distances == wb_range_finder_get_range_image(finder));
  print("left", image, 20, 24);
  print("right", image, 44, 24);
  print("segment", wb_camera_recognition_get_segmentation_image(camera), 20, 24);
  print("none", wb_camera_recognition_get_segmentation_image(camera), 44, 24);
  const WbCameraRecognitionObject *object = wb_camera_recognition_get_objects(camera);
  printf("objects %d %s %.2f %.2f colors %d %.1f\n",
         wb_camera_recognition_get_number_of_objects(camera), object->model, object->position[0],
         object->position[1], object->number_of_colors, object->colors[2]);
  wb_camera_set_exposure(camera, 0);
  wb_robot_step(64);
  print("dark", image, 20, 24);
  wb_robot_cleanup();
  return 0;
}
)";

std::string world(const std::string& controller) {
  std::string text = kPanels;
  return text.replace(text.find("CONTROLLER"), 10, controller);
}

// Red light of 1 is shown as 207.
void expect_pictures(const std::string& output) {
  for (const char* line :
       {"before 1\n", "first 0 0 0 255\n", "near 2.000\n", "same 1 1\n", "left 207 0 0 255\n",
        "right 0 207 0 255\n", "segment 51 102 153 255\n", "none 0 0 0 255\n",
        "objects 1 red panel 2.10 1.00 colors 1 0.6\n", "dark 0 0 0 255\n"}) {
    EXPECT_TRUE(contains(output, line)) << line << output;
  }
}

struct CameraProject {
  explicit CameraProject(const std::string& controller) {
    folder.write("worlds/w.wbt", world(controller));
    folder.write("controllers/eye/eye.c", kColorEye);
  }
  // As for RangeFinders: LeakSanitizer does not always end with Embree's threads.
  ScopedVariable no_leak_check{"LSAN_OPTIONS", "detect_leaks=0"};
  TempFolder folder;
};

TEST(Camera, ReachesHostedControllers) {
  const CameraProject project("eye");
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", project.folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  expect_pictures(run.output);
  const ShellResult alone = shell(
      "LD_LIBRARY_PATH=\"$(servosim webots-home)/lib/controller\" SERVOSIM_WORLD=worlds/w.wbt "
      "controllers/eye/eye 2>&1",
      project.folder.path());
  EXPECT_EQ(alone.status, 0) << alone.output;
  expect_pictures(alone.output);
}

TEST(Camera, ReachesExternControllersByTcp) {
  const TempFolder temporary;
  const ScopedVariable tmpdir("TMPDIR", temporary.path());
  const CameraProject project("<extern>");
  project.folder.write("worlds/build.wbt", world("eye"));
  ASSERT_EQ(shell("servosim run worlds/build.wbt 2>&1", project.folder.path()).status, 0);
  for (const bool is_tcp : {true, false}) {
    Program simulation({"run", (project.folder.path() / "worlds/w.wbt").string(), "--extern-tcp",
                        "127.0.0.1", "--extern-urls", "--quiet"});
    ASSERT_TRUE(simulation.wait_for_output("tcp://127.0.0.1:"));
    ASSERT_TRUE(simulation.wait_for_output("/eye\n"));
    const std::string out = simulation.out();
    std::string port = out.substr(out.find("127.0.0.1:") + 10);
    port.resize(port.find('/'));
    const std::string how = (is_tcp ? "--protocol tcp --port " : "--port ") + port + " ";
    const ShellResult eye =
        shell("servosim controller " + how + "controllers/eye/eye 2>&1", project.folder.path());
    EXPECT_EQ(eye.status, 0) << eye.output;
    expect_pictures(eye.output);
    EXPECT_EQ(simulation.finish(), 0) << simulation.err();
  }
}

constexpr const char* kResetting = R"(
#include <stdio.h>
#include <webots/camera.h>
#include <webots/range_finder.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main() {
  wb_robot_init();
  const WbDeviceTag camera = wb_robot_get_device("camera"), finder = wb_robot_get_device("finder");
  wb_camera_enable(camera, 32);
  wb_range_finder_enable(finder, 32);
  wb_robot_step(32);
  const unsigned char *image = wb_camera_get_image(camera);
  const float *distances = wb_range_finder_get_range_image(finder);
  const WbNodeRef panel = wb_supervisor_node_get_from_def("PANEL");
  const double away[3] = {5.1, 1, 0};
  wb_supervisor_field_set_sf_vec3f(wb_supervisor_node_get_field(panel, "translation"), away);
  wb_robot_step(32);
  printf("away %.3f\n", distances[64 * 24 + 20]);
  wb_supervisor_simulation_reset();
  wb_robot_step(32);
  wb_robot_step(32);
  printf("back %.3f red %d same %d %d\n", distances[64 * 24 + 20],
         wb_camera_image_get_red(image, 64, 20, 24), image == wb_camera_get_image(camera),
         distances == wb_range_finder_get_range_image(finder));
  wb_robot_cleanup();
  return 0;
}
)";

TEST(Camera, SeesTheStartAfterASupervisorsReset) {
  const CameraProject project("resetting");
  std::string text = world("resetting");
  text.replace(text.find("Robot {"), 7, "Robot { supervisor TRUE");
  text.replace(text.find("Solid {"), 7, "DEF PANEL Solid {");
  project.folder.write("worlds/w.wbt", text);
  project.folder.write("controllers/resetting/resetting.c", kResetting);
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", project.folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "away 5.000\nback 2.000 red 207 same 1 1\n")) << run.output;
}

// Three pictures of 8 MB fit into one answer, which comes without shared memory here.
TEST(Camera, SendsThreeLargePicturesInOneStep) {
  CameraProject project("wide");
  std::string devices;
  for (const char* name : {"a", "b", "c"}) {
    devices += std::string("Camera { name \"") + name + "\" width 1920 height 1080 }\n";
  }
  project.folder.write("worlds/w.wbt",
                       "#VRML_SIM R2023b utf8\nWorldInfo { basicTimeStep 32 }\nBackground { "
                       "skyColor [ 0.2 0.4 0.6 ] }\nRobot { name \"eye\" controller \"wide\" "
                       "children [ " +
                           devices + " ] }\n");
  project.folder.write("controllers/wide/wide.c", R"(
#include <stdio.h>
#include <webots/camera.h>
#include <webots/robot.h>

int main() {
  wb_robot_init();
  const char *names[] = {"a", "b", "c"};
  WbDeviceTag cameras[3];
  for (int i = 0; i < 3; ++i) {
    cameras[i] = wb_robot_get_device(names[i]);
    wb_camera_enable(cameras[i], 32);
  }
  wb_robot_step(32);
  for (int i = 0; i < 3; ++i)
    printf("%s %d\n", names[i], wb_camera_get_image(cameras[i])[4 * (1920 * 1080 - 1)]);
  wb_robot_cleanup();
  return 0;
}
)");
  ASSERT_EQ(shell("servosim run worlds/w.wbt 2>&1", project.folder.path()).status, 0);  // builds it
  const ShellResult alone = shell(
      "LD_LIBRARY_PATH=\"$(servosim webots-home)/lib/controller\" SERVOSIM_WORLD=worlds/w.wbt "
      "controllers/wide/wide 2>&1",
      project.folder.path());
  EXPECT_TRUE(contains(alone.output, "a 153\nb 153\nc 153\n")) << alone.output;
}

// An installation without its renderer runs worlds until a Camera is enabled.
TEST(Camera, NeedsTheRenderer) {
  const CameraProject project("eye");
  ASSERT_EQ(shell("servosim run worlds/w.wbt 2>&1", project.folder.path()).status, 0);  // builds it
  const std::filesystem::path& copy = project.folder.path();
  const std::filesystem::path bin = std::filesystem::path(SERVOSIM_PROGRAM).parent_path();
  std::filesystem::create_directories(copy / "bin");
  std::filesystem::create_directories(copy / "lib/servosim");
  std::filesystem::copy_file(SERVOSIM_PROGRAM, copy / "bin/servosim");
  for (const auto& entry : std::filesystem::directory_iterator(bin / "../lib")) {
    const std::filesystem::path link = copy / "lib" / entry.path().filename();
    if (!entry.is_directory()) {
      std::filesystem::copy_file(entry, link);  // a library finds its helpers next to itself
    } else if (!std::filesystem::exists(link)) {
      std::filesystem::create_directory_symlink(entry, link);
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(bin / "../lib/servosim")) {
    if (entry.path().filename() != "libservosim_rendering.so") {
      std::filesystem::create_symlink(entry, copy / "lib/servosim" / entry.path().filename());
    }
  }
  const ShellResult run = shell("bin/servosim run worlds/w.wbt 2>&1 >out.txt", copy);
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(run.output.starts_with("servosim: error: the renderer cannot be loaded: "))
      << run.output;
  EXPECT_TRUE(contains(run.output, "; install servosim again, with Embree 3 (libembree3-3)\n"))
      << run.output;
  const ShellResult still = shell("bin/servosim view worlds/w.wbt --png size=64x48 2>&1", copy);
  EXPECT_EQ(still.status, 1) << still.output;
  EXPECT_TRUE(still.output.starts_with("servosim: error: the renderer cannot be loaded: "))
      << still.output;
  EXPECT_EQ(std::count(still.output.begin(), still.output.end(), '\n'), 1) << still.output;
  EXPECT_FALSE(std::filesystem::exists(copy / "w.png"));
  const ShellResult blind = shell(
      "sed -i 's/controller \"eye\"/controller \"<none>\"/' worlds/w.wbt && bin/servosim run "
      "worlds/w.wbt --steps 3 --record a.svt --record-images 2>&1",
      project.folder.path());
  EXPECT_EQ(blind.status, 0) << blind.output;
  EXPECT_FALSE(contains(blind.output, "renderer")) << blind.output;
}

// A supervisor hides the red panel from the range finder alone, and shows it again.
TEST(Camera, IsNotShownWhatASupervisorHides) {
  CameraProject project("hide");
  std::string text = world("hide");
  text.replace(text.find("Robot {"), 7, "Robot { supervisor TRUE");
  text.replace(text.find("Solid {"), 7, "DEF PANEL Solid {");
  project.folder.write("worlds/w.wbt", text);
  project.folder.write("controllers/hide/hide.c", R"(
#include <stdio.h>
#include <webots/camera.h>
#include <webots/range_finder.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main() {
  wb_robot_init();
  const WbDeviceTag camera = wb_robot_get_device("camera"), finder = wb_robot_get_device("finder");
  const WbNodeRef panel = wb_supervisor_node_get_from_def("PANEL");
  wb_camera_enable(camera, 32);
  wb_range_finder_enable(finder, 32);
  for (int i = 0; i < 3; ++i) {
    wb_supervisor_node_set_visibility(panel, wb_supervisor_node_get_from_device(finder), i != 1);
    wb_supervisor_node_set_visibility(panel, wb_supervisor_node_get_from_device(camera), i != 2);
    wb_robot_step(32);
    printf("%d %.1f %d\n", i, wb_range_finder_get_range_image(finder)[64 * 24 + 20],
           wb_camera_image_get_red(wb_camera_get_image(camera), 64, 20, 24));
  }
  wb_robot_cleanup();
  return 0;
}
)");
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", project.folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "0 2.0 207\n1 inf 207\n2 2.0 0\n")) << run.output;
}

constexpr const char* kPythonEye = R"(
from controller import Robot
robot = Robot()
camera = robot.getDevice('camera')
camera.enable(32)
camera.recognitionEnable(32)
print('before', camera.getImage())
robot.step(32)
robot.step(32)
image = camera.getImage()
print('pixel', camera.imageGetRed(image, 64, 20, 24), camera.imageGetGreen(image, 64, 20, 24))
array = camera.getImageArray()
print('array', len(array), len(array[0]), array[20][24], array[44][24])
objects = camera.getRecognitionObjects()
print('objects', [o.getModel() for o in objects], objects[0].getColors())
camera.setExposure(0)
robot.step(32)
print('kept', image[4 * (64 * 24 + 20) + 2], 'now', camera.getImage()[4 * (64 * 24 + 20) + 2])
)";

TEST(Camera, ReachesControllersInPython) {
  SKIP_WITHOUT_PYTHON_API();
  CameraProject project("see");
  project.folder.write("controllers/see/see.py", kPythonEye);
  const ShellResult run = shell("servosim run worlds/w.wbt 2>&1", project.folder.path());
  EXPECT_EQ(run.status, 0) << run.output;
  for (const char* line :
       {"before None\n", "pixel 207 0\n", "array 64 48 [207, 0, 0] [0, 207, 0]\n",
        "objects ['red panel'] [0.2, 0.4, 0.6]\n", "kept 207 now 0\n"}) {
    EXPECT_TRUE(contains(run.output, line)) << line << run.output;
  }
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// Controllers that read RangeFinders and Lidars.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>

#include "base/files.h"
#include "programs/program.h"
#include "programs/shell.h"
#include "scene/mesh_file.h"

namespace servosim {
namespace {

using test::contains;
using test::shell;
using test::ShellResult;
using test::TempFolder;

// A wall is 2 m in front, 1 m high and to the left of the middle.
constexpr const char* kRangingWorld = R"(
WorldInfo { basicTimeStep 32 }
Robot {
  controller "eye"
  children [
    RangeFinder { name "finder" width 640 height 480 fieldOfView 1.2 maxRange 9 }
    Lidar { name "lidar" numberOfLayers 3 horizontalResolution 8 fieldOfView 0.8 verticalFieldOfView 0.2 maxRange 9 }
    Lidar { name "turning" type "rotating" numberOfLayers 1 horizontalResolution 500 maxRange 9 defaultFrequency 2 }
  ]
}
)";

constexpr const char* kRangingEye = R"(
#include <math.h>
#include <stdio.h>
#include <webots/lidar.h>
#include <webots/range_finder.h>
#include <webots/robot.h>

int main() {
  wb_robot_init();
  const WbDeviceTag finder = wb_robot_get_device("finder");
  const WbDeviceTag lidar = wb_robot_get_device("lidar");
  const WbDeviceTag turning = wb_robot_get_device("turning");
  wb_range_finder_enable(finder, 64);
  wb_lidar_enable(lidar, 32);
  wb_lidar_enable_point_cloud(lidar);
  wb_lidar_enable(turning, 32);
  printf("before %d\n", wb_range_finder_get_range_image(finder) == NULL);
  wb_robot_step(32);
  const float *image = wb_range_finder_get_range_image(finder);
  printf("first %g\n", image[640 * 240 + 300]);
  wb_robot_step(32);
  printf("same %d left %.4f right %g\n", image == wb_range_finder_get_range_image(finder),
         image[640 * 240 + 300], image[640 * 240 + 340]);
  const float *layer = wb_lidar_get_layer_range_image(lidar, 1);
  const WbLidarPoint *points = wb_lidar_get_layer_point_cloud(lidar, 1);
  printf("lidar %.4f %g point %.4f %.4f %.4f layer %d time %.4f\n", layer[3], layer[4], points[3].x,
         points[3].y, points[3].z, points[3].layer_id, points[3].time);
  wb_lidar_set_frequency(turning, 5);
  int i, filled = 0, old = 0;
  const float *circle = wb_lidar_get_range_image(turning);
  for (i = 0; i < 500; ++i) old += circle[i] != 0;
  wb_robot_step(32);
  for (i = 0; i < 500; ++i) filled += circle[i] != 0;
  printf("turning %d then %d more\n", old, filled - old);
  printf("saved %d\n", wb_range_finder_save_image(finder, "range.png", 100));
  wb_robot_cleanup();
  return 0;
}
)";

struct EyeProject {
  explicit EyeProject(const std::string& version, const std::string& wall) {
    folder.write("worlds/w.wbt", "#VRML_SIM " + version + " utf8\n" + kRangingWorld + wall);
    folder.write("controllers/eye/eye.c", kRangingEye);
  }
  ShellResult run() const { return shell("servosim run worlds/w.wbt 2>&1", folder.path()); }
  TempFolder folder;
};

// The columns of the fixed Lidar look 0.05 rad to the left and to the right of the middle. The wall
// is 2 / cos(0.05) m away there.
TEST(Ranging, ReachesControllers) {
  const EyeProject project("R2023b",
                           "Pose { translation 2.1 2 0 children [ Shape { geometry Box { size 0.2 "
                           "4 1 } } ] }\n");
  const ShellResult run = project.run();
  EXPECT_EQ(run.status, 0) << run.output;
  // In 64 ms at 2 turns a second the head sees 64 of 500 columns. In 32 ms at 5 turns it sees 80,
  // of which it has seen 24: its strip is about the place where it was, as in Webots.
  for (const char* line : {"before 1\n", "first 0\n", "same 1 left 2.0000 right inf\n",
                           "lidar 2.0025 inf point 2.0000 0.1001 0.0000 layer 1 time 0.0520\n",
                           "turning 64 then 56 more\n", "saved 0\n"}) {
    EXPECT_TRUE(contains(run.output, line)) << line << run.output;
  }
  // A grey is 255 (distance - minRange) / maxRange, cut off: what is too far is white.
  const auto file = read_file((project.folder.path() / "controllers/eye/range.png").string());
  const ReadImage read = read_image(std::get<std::string>(file));
  const auto& image = *std::get<std::shared_ptr<const Image>>(read);
  const auto grey = [&image](std::size_t column) {
    return static_cast<int>(image.pixels[4 * (640 * 240 + column)]);
  };
  EXPECT_EQ(grey(300), static_cast<int>(255.0 * (2.0 - 0.01) / 9.0));
  EXPECT_EQ(grey(340), 255);
}

// In old worlds a Lidar looks along -z and has x to its right.
TEST(Ranging, HasPointsInTheAxesOfOldWorlds) {
  const EyeProject project("R2021b",
                           "Transform { translation -2 0 -2.1 children [ Shape { geometry Box { "
                           "size 4 1 0.2 } } ] }\n");
  const ShellResult run = project.run();
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(contains(run.output, "lidar 2.0025 inf point -0.1001 0.0000 -2.0000 layer 1"))
      << run.output;
}

}  // namespace
}  // namespace servosim

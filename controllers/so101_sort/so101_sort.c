// SPDX-License-Identifier: Apache-2.0
// Sorts cubes by colour: looks at the table, takes the nearest cube, puts it into the tray of its
// colour, and looks again until no cube is left. so101_sort_cpp.cpp and so101_sort_python.py do the
// same in C++ and Python.
//
// Lengths are in m and angles in rad, in the frame of the arm: x points forward, z up, and the
// table is z = 0.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <webots/camera.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

enum { kJoints = 6, kJaw = 5, kColours = 3, kSlots = 2 };
static const char *const kJointNames[kJoints] = {"shoulder_pan", "shoulder_lift", "elbow_flex",
                                                 "wrist_flex",   "wrist_roll",    "gripper"};
// The arm: height of the shoulder, lengths of its links, and how far below the wrist it holds a
// cube.
static const double kShoulder = 0.1166, kUpperArm = 0.1126, kForearm = 0.1349, kHand = 0.1551;
// From the axis of the wrist's roll to the face of the finger that does not move.
static const double kFinger = 0.006;
// Goals of the jaw; what it holds stops it earlier.
static const double kWide = 0.3, kOpen = 0.2, kShut = -0.12;
static const double kCube = 0.024;   // the edge of a cube
static const double kClear = 0.052;  // the height at which a cube passes above the others
static const char *const kColourNames[kColours] = {"red", "green", "blue"};
// The directions of their trays from the arm's axis, in degrees.
static const double kTrays[kColours] = {-24, -60, -96};
static const double kSlotDistances[kSlots] = {0.165, 0.205};  // of the cubes in a tray
// The camera looks down; up in its picture is x, left is y.
static const double kCameraX = 0.1, kCameraY = 0.105, kCameraZ = 0.45;

typedef struct {
  double direction, distance, height, roll;  // distance from the arm's axis
} Place;

typedef struct {
  int colour;
  double x, y, turn;
} Cube;

typedef struct {
  int colour, brightness;
  double x, y;
} Pixel;

static int step;
static WbDeviceTag camera, motors[kJoints], sensors[kJoints];
static Place place;  // of the hand
static double jaw;   // its goal
// What the goals of joints need more, since a servo stops short of its goal by what it carries.
static double trims[kJoints - 1];
// How far these joints were from the place after the last step.
static double missing[kJoints - 1];

// Takes one step towards the place.
static void advance(void) {
  const double up = place.height + kHand - kShoulder;  // of the wrist, above what the hand holds
  const double reach = sqrt(place.distance * place.distance + up * up);
  const double lift =
      atan2(up, place.distance) +
      acos((kUpperArm * kUpperArm + reach * reach - kForearm * kForearm) / (2 * kUpperArm * reach));
  const double dip = atan2(kUpperArm * sin(lift) - up, place.distance - kUpperArm * cos(lift));
  const double goals[] = {place.direction, M_PI / 2 - lift, dip + lift - M_PI / 2, M_PI / 2 - dip,
                          place.roll};
  for (int j = 0; j < kJaw; ++j) wb_motor_set_position(motors[j], goals[j] + trims[j]);
  wb_motor_set_position(motors[kJaw], jaw);
  if (wb_robot_step(step) == -1) exit(0);
  for (int j = 0; j < kJaw; ++j) missing[j] = goals[j] - wb_position_sensor_get_value(sensors[j]);
}

static void wait_for(int steps) {
  for (int k = 0; k < steps; ++k) advance();
}

// Moves the hand there, without jerks, lets the servos catch up, and trims the joints that carry
// the arm.
static void move(Place target, int steps) {
  const Place start = place;
  for (int k = 1; k <= steps; ++k) {
    const double s = (double)k / steps, part = s * s * s * (10 + s * (6 * s - 15));
    place.direction = start.direction + part * (target.direction - start.direction);
    place.distance = start.distance + part * (target.distance - start.distance);
    place.height = start.height + part * (target.height - start.height);
    place.roll = start.roll + part * (target.roll - start.roll);
    advance();
  }
  wait_for(10);
  for (int k = 0; k < 10; ++k) {
    advance();
    for (int j = 1; j <= 3; ++j) trims[j] += 0.1 * missing[j];
  }
}

// The place of the hand above a cube, `gap` away from the finger that does not move.
static Place around(double x, double y, double turn, double gap) {
  const double direction = atan2(y, x);
  const double side =
      direction + M_PI / 2 - remainder(direction - turn, M_PI / 2);  // from this finger to the jaw
  const double shift = kCube / 2 - kFinger + gap;
  x -= shift * cos(side);
  y -= shift * sin(side);
  return (Place){atan2(y, x), sqrt(x * x + y * y), kClear, atan2(y, x) + M_PI / 2 - side};
}

static Place lower(Place above, double height) {
  above.height = height;
  return above;
}

// Sets the number and the brightness of the colour of a pixel. Returns 0 if it has none.
static int colour_of(const unsigned char *bgra, Pixel *pixel) {
  const int channels[kColours] = {bgra[2], bgra[1], bgra[0]};
  int most = 0;
  for (int c = 1; c < kColours; ++c)
    if (channels[c] > channels[most]) most = c;
  pixel->colour = most;
  pixel->brightness = channels[most];
  for (int c = 0; c < kColours; ++c)
    if (c != most && channels[c] >= 0.6 * channels[most]) return 0;
  return channels[most] >= 100;
}

static int is_of_cube(const Pixel *pixel, const Cube *cube) {
  const double dx = pixel->x - cube->x, dy = pixel->y - cube->y;
  return pixel->colour == cube->colour && dx * dx + dy * dy < 0.0004;
}

// Finds the nearest cube on the table. Returns 0 if there is none.
static int look(Cube *cube) {
  const int width = wb_camera_get_width(camera), height = wb_camera_get_height(camera);
  const unsigned char *image = wb_camera_get_image(camera);
  const double size = 2 * tan(wb_camera_get_fov(camera) / 2) / width *
                      (kCameraZ - kCube);  // of a pixel on top of a cube
  static Pixel seen[160 * 160];            // those with a colour
  const int room = (int)(sizeof seen / sizeof *seen);
  int count = 0, nearest = 0;
  for (int v = 0; v < height; ++v)
    for (int u = 0; u < width && count < room; ++u) {
      Pixel *const pixel = seen + count;
      if (!colour_of(image + 4 * (v * width + u), pixel)) continue;
      pixel->x = kCameraX + (height / 2.0 - v - 0.5) * size;
      pixel->y = kCameraY + (width / 2.0 - u - 0.5) * size;
      const Pixel best = seen[nearest];
      if (pixel->x * pixel->x + pixel->y * pixel->y < best.x * best.x + best.y * best.y)
        nearest = count;
      ++count;
    }
  if (count == 0) return 0;
  *cube = (Cube){seen[nearest].colour, seen[nearest].x, seen[nearest].y, 0};
  int brightest = 0;
  for (int round = 0; round < 5; ++round) {  // from its nearest corner to its middle
    brightest = 0;
    for (int p = 0; p < count; ++p)
      if (is_of_cube(seen + p, cube) && seen[p].brightness > brightest)
        brightest = seen[p].brightness;
    double x = 0, y = 0, pixels = 0;
    for (int p = 0; p < count; ++p)
      if (is_of_cube(seen + p, cube) &&
          seen[p].brightness > 0.9 * brightest) {  // its sides are darker
        x += seen[p].x;
        y += seen[p].y;
        ++pixels;
      }
    cube->x = x / pixels;
    cube->y = y / pixels;
  }
  // Over a square that is turned by t, the sum of (dx + i dy)^4 has the argument 4 t + pi.
  double real = 0, imaginary = 0;
  for (int p = 0; p < count; ++p)
    if (is_of_cube(seen + p, cube) && seen[p].brightness > 0.9 * brightest) {
      const double dx = seen[p].x - cube->x, dy = seen[p].y - cube->y;
      real += dx * dx * dx * dx - 6 * dx * dx * dy * dy + dy * dy * dy * dy;
      imaginary += 4 * dx * dy * (dx * dx - dy * dy);
    }
  cube->turn = atan2(-imaginary, -real) / 4;
  return 1;
}

int main(void) {
  wb_robot_init();
  step = (int)wb_robot_get_basic_time_step();
  camera = wb_robot_get_device("camera");
  wb_camera_enable(camera, 25 * step);
  for (int j = 0; j < kJoints; ++j) {
    motors[j] = wb_robot_get_device(kJointNames[j]);
    sensors[j] = wb_motor_get_position_sensor(motors[j]);
    wb_position_sensor_enable(sensors[j], step);
  }
  place = (Place){0, 0.2, kClear, 0};
  jaw = kWide;
  int sorted[kColours] = {0};
  wait_for(1);
  move((Place){kTrays[1] * (M_PI / 180), 0.19, kClear, 0}, 150);
  for (Cube cube; look(&cube);) {
    const char *const name = kColourNames[cube.colour];
    printf("%s cube at x %.3f m, y %.3f m, turned by %.0f degrees\n", name, cube.x, cube.y,
           cube.turn * 180 / M_PI);
    if (sorted[cube.colour] == kSlots) {
      fprintf(stderr, "The %s tray is full.\n", name);
      wb_robot_cleanup();
      return 1;
    }
    Place above = around(cube.x, cube.y, cube.turn, 0.005);
    jaw = kWide;
    move(above, 112);
    move(lower(above, kCube / 2), 44);
    jaw = kShut;
    wait_for(31);
    move(above, 38);
    const double tray = kTrays[cube.colour] * (M_PI / 180);
    const double distance = kSlotDistances[sorted[cube.colour]];
    above = around(distance * cos(tray), distance * sin(tray), tray, 0);
    move(above, 112);
    move(lower(above, kCube / 2 + 0.003), 44);
    jaw = kOpen;
    wait_for(25);
    move(above, 38);
    ++sorted[cube.colour];
  }
  for (int c = 0; c < kColours; ++c)
    printf("%s%d %s", c > 0 ? ", " : "", sorted[c], kColourNames[c]);
  printf(": sorted in %.1f s\n", wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}

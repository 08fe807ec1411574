// SPDX-License-Identifier: Apache-2.0
// Sorts cubes by colour: looks at the table, takes the nearest cube, puts it into the tray of its
// colour, and looks again until no cube is left. so101_sort.c and so101_sort_python.py do the same
// in C and Python.
//
// Lengths are in m and angles in rad, in the frame of the arm: x points forward, z up, and the
// table is z = 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>
#include <webots/Camera.hpp>
#include <webots/Motor.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Robot.hpp>

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::array kJointNames = {"shoulder_pan", "shoulder_lift", "elbow_flex",
                                    "wrist_flex",   "wrist_roll",    "gripper"};
// The arm: height of the shoulder, lengths of its links, and how far below the wrist it holds a
// cube.
constexpr double kShoulder = 0.1166, kUpperArm = 0.1126, kForearm = 0.1349, kHand = 0.1551;
// From the axis of the wrist's roll to the face of the finger that does not move.
constexpr double kFinger = 0.006;
// Goals of the jaw; what it holds stops it earlier.
constexpr double kWide = 0.3, kOpen = 0.2, kShut = -0.12;
constexpr double kCube = 0.024;   // the edge of a cube
constexpr double kClear = 0.052;  // the height at which a cube passes above the others
constexpr std::array kColours = {"red", "green", "blue"};
// The directions of their trays from the arm's axis.
constexpr std::array kTrays = {-24 * (kPi / 180), -60 * (kPi / 180), -96 * (kPi / 180)};
// Distances of the cubes in a tray from the arm's axis.
constexpr std::array kSlots = {0.165, 0.205};
// The camera looks down; up in its picture is x, left is y.
constexpr double kCameraX = 0.1, kCameraY = 0.105, kCameraZ = 0.45;

// Where the hand is; the distance is from the arm's axis.
struct Place {
  double direction, distance, height, roll;
};

struct Cube {
  std::size_t colour;
  double x, y, turn;
};

struct Pixel {
  std::size_t colour;
  int brightness;
  double x, y;
};

class Arm {
 public:
  Arm() : step_(static_cast<int>(robot_.getBasicTimeStep())), camera_(robot_.getCamera("camera")) {
    camera_->enable(25 * step_);
    for (std::size_t j = 0; j < motors_.size(); ++j) {
      motors_[j] = robot_.getMotor(kJointNames[j]);
      sensors_[j] = motors_[j]->getPositionSensor();
      sensors_[j]->enable(step_);
    }
  }

  double time() const { return robot_.getTime(); }

  void set_jaw(double goal) { jaw_ = goal; }

  void wait(int steps) {
    for (int k = 0; k < steps; ++k) {
      advance();
    }
  }

  // Moves the hand there, without jerks, lets the servos catch up, and trims the joints that carry
  // the arm.
  void move(const Place& target, int steps) {
    const Place start = place_;
    for (int k = 1; k <= steps; ++k) {
      const double s = static_cast<double>(k) / steps;
      const double part = s * s * s * (10 + s * (6 * s - 15));
      const auto between = [&](double from, double to) { return from + part * (to - from); };
      place_ = {between(start.direction, target.direction),
                between(start.distance, target.distance), between(start.height, target.height),
                between(start.roll, target.roll)};
      advance();
    }
    wait(10);
    for (int k = 0; k < 10; ++k) {
      const Angles missing = advance();
      for (const std::size_t j : {1, 2, 3}) {
        trims_[j] += 0.1 * missing[j];
      }
    }
  }

  // The nearest cube on the table.
  std::optional<Cube> look() const;

 private:
  using Angles = std::array<double, 5>;  // of all joints but the jaw

  // Takes one step towards the place. Returns how far the joints are from it.
  Angles advance() {
    const double up = place_.height + kHand - kShoulder;  // of the wrist, above what the hand holds
    const double reach = std::sqrt(place_.distance * place_.distance + up * up);
    const double lift = std::atan2(up, place_.distance) +
                        std::acos((kUpperArm * kUpperArm + reach * reach - kForearm * kForearm) /
                                  (2 * kUpperArm * reach));
    const double dip =
        std::atan2(kUpperArm * std::sin(lift) - up, place_.distance - kUpperArm * std::cos(lift));
    Angles angles = {place_.direction, kPi / 2 - lift, dip + lift - kPi / 2, kPi / 2 - dip,
                     place_.roll};
    for (std::size_t j = 0; j < angles.size(); ++j) {
      motors_[j]->setPosition(angles[j] + trims_[j]);
    }
    motors_.back()->setPosition(jaw_);
    if (robot_.step(step_) == -1) {
      std::exit(0);
    }
    for (std::size_t j = 0; j < angles.size(); ++j) {
      angles[j] -= sensors_[j]->getValue();
    }
    return angles;
  }

  webots::Robot robot_;
  int step_;
  webots::Camera* camera_;
  std::array<webots::Motor*, kJointNames.size()> motors_;
  std::array<webots::PositionSensor*, kJointNames.size()> sensors_;
  Place place_ = {0, 0.2, kClear, 0};
  double jaw_ = kWide;
  // What the goals of joints need more, since a servo stops short of its goal by what it carries.
  Angles trims_ = {};
};

// The place of the hand above a cube, `gap` away from the finger that does not move.
Place around(double x, double y, double turn, double gap) {
  const double direction = std::atan2(y, x);
  // From this finger to the jaw.
  const double side = direction + kPi / 2 - std::remainder(direction - turn, kPi / 2);
  const double shift = kCube / 2 - kFinger + gap;
  x -= shift * std::cos(side);
  y -= shift * std::sin(side);
  return {std::atan2(y, x), std::sqrt(x * x + y * y), kClear, std::atan2(y, x) + kPi / 2 - side};
}

Place lower(Place above, double height) {
  above.height = height;
  return above;
}

// Whether a pixel has a colour, which is then set.
bool has_colour(const unsigned char* bgra, Pixel& pixel) {
  std::array<int, 3> channels = {bgra[2], bgra[1], bgra[0]};
  const auto most = std::max_element(channels.begin(), channels.end());
  pixel.colour = static_cast<std::size_t>(most - channels.begin());
  pixel.brightness = *most;
  std::sort(channels.begin(), channels.end());
  return channels[2] >= 100 && channels[1] < 0.6 * channels[2];
}

std::optional<Cube> Arm::look() const {
  const int width = camera_->getWidth();
  const int height = camera_->getHeight();
  const unsigned char* const image = camera_->getImage();
  // The size of a pixel on top of a cube.
  const double size = 2 * std::tan(camera_->getFov() / 2) / width * (kCameraZ - kCube);
  std::vector<Pixel> seen;
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) {
      Pixel pixel{0, 0, kCameraX + (height / 2.0 - v - 0.5) * size,
                  kCameraY + (width / 2.0 - u - 0.5) * size};
      if (has_colour(image + 4 * (v * width + u), pixel)) {
        seen.push_back(pixel);
      }
    }
  }
  if (seen.empty()) {
    return std::nullopt;
  }
  const auto nearest = std::min_element(
      seen.begin(), seen.end(),
      [](const Pixel& a, const Pixel& b) { return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y; });
  Cube cube{nearest->colour, nearest->x, nearest->y, 0};
  std::vector<Pixel> top;
  for (int round = 0; round < 5; ++round) {  // from its nearest corner to its middle
    top.clear();
    int brightest = 0;
    for (const Pixel& pixel : seen) {
      const double dx = pixel.x - cube.x;
      const double dy = pixel.y - cube.y;
      if (pixel.colour == cube.colour && dx * dx + dy * dy < 0.0004) {
        top.push_back(pixel);
        brightest = std::max(brightest, pixel.brightness);
      }
    }
    const auto is_side = [&](const Pixel& pixel) { return pixel.brightness <= 0.9 * brightest; };
    top.erase(std::remove_if(top.begin(), top.end(), is_side), top.end());  // darker than the top
    double x = 0;
    double y = 0;
    for (const Pixel& pixel : top) {
      x += pixel.x;
      y += pixel.y;
    }
    cube.x = x / static_cast<double>(top.size());
    cube.y = y / static_cast<double>(top.size());
  }
  // Over a square that is turned by t, the sum of (dx + i dy)^4 has the argument 4 t + pi.
  double real = 0;
  double imaginary = 0;
  for (const Pixel& pixel : top) {
    const double dx = pixel.x - cube.x;
    const double dy = pixel.y - cube.y;
    real += dx * dx * dx * dx - 6 * dx * dx * dy * dy + dy * dy * dy * dy;
    imaginary += 4 * dx * dy * (dx * dx - dy * dy);
  }
  cube.turn = std::atan2(-imaginary, -real) / 4;
  return cube;
}

}  // namespace

int main() {
  Arm arm;
  std::array<std::size_t, kColours.size()> sorted = {};
  arm.wait(1);
  arm.move({kTrays[1], 0.19, kClear, 0}, 150);
  while (const std::optional<Cube> cube = arm.look()) {
    const char* const name = kColours[cube->colour];
    std::printf("%s cube at x %.3f m, y %.3f m, turned by %.0f degrees\n", name, cube->x, cube->y,
                cube->turn * 180 / kPi);
    if (sorted[cube->colour] == kSlots.size()) {
      std::fprintf(stderr, "The %s tray is full.\n", name);
      return 1;
    }
    const Place above = around(cube->x, cube->y, cube->turn, 0.005);
    arm.set_jaw(kWide);
    arm.move(above, 112);
    arm.move(lower(above, kCube / 2), 44);
    arm.set_jaw(kShut);
    arm.wait(31);
    arm.move(above, 38);
    const double tray = kTrays[cube->colour];
    const double distance = kSlots[sorted[cube->colour]];
    const Place slot = around(distance * std::cos(tray), distance * std::sin(tray), tray, 0);
    arm.move(slot, 112);
    arm.move(lower(slot, kCube / 2 + 0.003), 44);
    arm.set_jaw(kOpen);
    arm.wait(25);
    arm.move(slot, 38);
    ++sorted[cube->colour];
  }
  for (std::size_t c = 0; c < kColours.size(); ++c) {
    std::printf("%s%zu %s", c > 0 ? ", " : "", sorted[c], kColours[c]);
  }
  std::printf(": sorted in %.1f s\n", arm.time());
}

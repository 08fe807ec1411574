// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The format of recordings, as docs/reference/recordings.md describes it, for the code that writes
// them and the code that reads them. web/src/recording.ts has the same numbers;
// web/tests/recording.test.mjs compares them with these.

namespace servosim {

/// The first bytes of a file. One zlib stream of records follows them.
inline constexpr std::string_view kRecordingMagic = "SVTREC1\n";

/// The kinds of records. A reader skips other kinds. A record is a byte for its kind, its length
/// without these five bytes as u32, and its content.
inline constexpr char kSceneRecord = 'S';  ///< JSON with the keys below
inline constexpr char kFrameRecord = 'F';
inline constexpr char kEndRecord = 'E';      ///< JSON: reason, time, state_hash
inline constexpr char kPictureRecord = 'P';  ///< only where pictures are recorded
inline constexpr std::size_t kRecordHead = 5;

/// The value of the scene's key "format" without real servos. Older readers know it.
inline constexpr int kRecordingFormat = 1;
/// The same for a scene in which a joint has a real servo.
inline constexpr int kServoRecordingFormat = 2;

/// The keys of a scene that readers in C++ look at, too.
namespace scene_keys {
inline constexpr std::string_view kFormat = "format";
inline constexpr std::string_view kMeshes = "meshes";
inline constexpr std::string_view kTextures = "textures";
inline constexpr std::string_view kBodies = "bodies";
inline constexpr std::string_view kJoints = "joints";
inline constexpr std::string_view kName = "name";    ///< of a body or a joint
inline constexpr std::string_view kMoves = "moves";  ///< of a body: it has a pose in each frame
inline constexpr std::string_view kUnit = "unit";    ///< of a joint: "rad" or "m"
inline constexpr std::string_view kServo = "servo";  ///< of a joint: an object; frames have numbers
}  // namespace scene_keys

inline constexpr std::uint16_t kNoBody = 0xffff;
inline constexpr double kQuaternionScale = 32767.0;

/// A frame is its time [s] as f64, the poses of the bodies that move, the joints, the servos of the
/// joints that have one, the number of contacts as u32 and the contacts. Numbers are little-endian.
struct RecordedPose {
  std::array<float, 3> position{};           ///< in the world [m]
  std::array<std::int16_t, 4> quaternion{};  ///< x, y, z, w in units of 1 / kQuaternionScale

  /// Calls `number` with each number, in the order of the file.
  template <typename Pose, typename Number>
  static void for_each(Pose& pose, const Number& number) {
    for (auto& value : pose.position) {
      number(value);
    }
    for (auto& value : pose.quaternion) {
      number(value);
    }
  }
};
inline constexpr std::size_t kBodyBytes = 20;

struct RecordedJoint {
  float position = 0.0F;         ///< [rad|m]
  float velocity = 0.0F;         ///< [rad/s|m/s]
  float effort = 0.0F;           ///< [N·m|N]
  float target_position = 0.0F;  ///< NaN: none
  float target_velocity = 0.0F;  ///< NaN: none

  template <typename Joint, typename Number>
  static void for_each(Joint& joint, const Number& number) {
    number(joint.position);
    number(joint.velocity);
    number(joint.effort);
    number(joint.target_position);
    number(joint.target_velocity);
  }
};
inline constexpr std::size_t kJointBytes = 20;

/// What a real servo measures of itself. All numbers are NaN for one that is gone.
struct RecordedServo {
  float current = 0.0F;      ///< [A]
  float voltage = 0.0F;      ///< of its supply [V]
  float duty = 0.0F;         ///< -1 to 1
  float max_duty = 0.0F;     ///< the PWM limit
  float temperature = 0.0F;  ///< [°C]

  template <typename Servo, typename Number>
  static void for_each(Servo& servo, const Number& number) {
    number(servo.current);
    number(servo.voltage);
    number(servo.duty);
    number(servo.max_duty);
    number(servo.temperature);
  }
};
inline constexpr std::size_t kServoBytes = 20;

struct RecordedContact {
  std::array<float, 3> point{};  ///< in the world [m]
  std::array<float, 3> force{};  ///< on the first body [N]; NaN: unknown
  std::uint16_t body = 0;        ///< in the scene's list; kNoBody: none
  std::uint16_t other_body = 0;

  template <typename Contact, typename Number>
  static void for_each(Contact& contact, const Number& number) {
    for (auto& value : contact.point) {
      number(value);
    }
    for (auto& value : contact.force) {
      number(value);
    }
    number(contact.body);
    number(contact.other_body);
  }
};
inline constexpr std::size_t kContactBytes = 28;

/// What a sensor has seen. Its record is this head, the name of the sensor, and a PNG or JPEG file
/// of colours, or a PNG file of depths: grey 255 is the nearest, 1 the farthest, and 0 where there
/// is none.
struct RecordedPicture {
  double time = 0.0;         ///< that of the step after which it was recorded [s]
  float nearest = 0.0F;      ///< depth of grey 255 [m]
  float farthest = 0.0F;     ///< of grey 1 [m]; 0: it has colours; both infinite: there is no depth
  std::uint16_t width = 0;   ///< of the file [pixels], 1 to kMaxPictureSide
  std::uint16_t height = 0;  ///< of the file [pixels], 1 to kMaxPictureSide
  std::uint16_t columns = 0;  ///< of the picture of the sensor, which may be larger [pixels]
  std::uint16_t rows = 0;     ///< of the picture of the sensor [pixels]
  std::uint32_t name = 0;     ///< length of the name [bytes]

  template <typename Picture, typename Number>
  static void for_each(Picture& picture, const Number& number) {
    number(picture.time);
    number(picture.nearest);
    number(picture.farthest);
    number(picture.width);
    number(picture.height);
    number(picture.columns);
    number(picture.rows);
    number(picture.name);
  }
};
inline constexpr std::size_t kPictureHeadBytes = 28;
/// Larger pictures are recorded smaller.
inline constexpr int kMaxPictureSide = 320;

}  // namespace servosim

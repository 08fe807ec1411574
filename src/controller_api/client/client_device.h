// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/lidar_point.h>
#include <webots/nodes.h>
#include <webots/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/report_once.h"
#include "controller_api/client/client_objects.h"
#include "controller_api/client/client_picture.h"
#include "controller_api/protocol/protocol.h"

namespace servosim {

/// The value of what has not been measured.
inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// The numbers of a sample that has not been taken.
inline std::array<double, kMaxReadingNumbers> numbers_not_measured() {
  std::array<double, kMaxReadingNumbers> values;
  values.fill(kNotMeasured);
  return values;
}

static_assert(std::size(kCommands) <= 32, "requests have a bit for each command");

/// The bit of a command in the requests of a device or of the robot.
inline std::uint32_t bit(CommandKind kind) { return 1u << static_cast<unsigned>(kind); }

/// A field of a device.
struct ClientField {
  std::string name;
  std::string text;
  std::vector<double> numbers;
};

/// The joint of a device, and what the device is there.
struct ClientJoint {
  int index = -1;
  bool has_motor = false;
  bool has_sensor = false;
  bool has_brake = false;
};

/// What is reported once of a device.
struct ClientReports {
  ReportOnce<> absence;        ///< that it measures nothing
  ReportOnce<> blind_read;     ///< to the simulation, that the controller reads a Microphone
  ReportOnce<> lost_pictures;  ///< that pictures cannot be received
};

/// A motor: its fields, what was set last, and its last force feedback.
struct ClientMotor : WelcomeMotor {
  double force = 0.0;
  int feedback_period_ms = 0;
  double measured_force = kNotMeasured;
};

/// A brake.
struct ClientBrake {
  WbJointType type = WB_ROTATIONAL;
  double damping = 0.0;
};

/// A packet to be sent with the next step.
struct OutgoingPacket {
  int channel;
  double range;
  std::string data;
};

/// A packet that a receiver got.
struct ReceivedPacket {
  std::string data;
  double signal_strength;
  std::array<double, 3> direction;
};

/// The packets of an Emitter, a Receiver or a Radio.
struct ClientPackets {
  std::vector<OutgoingPacket> outgoing;
  std::deque<ReceivedPacket> received;
  std::size_t received_bytes = 0;
  /// The callback of a Radio; without one no message is kept.
  void (*on_message)(void* event) = nullptr;
};

/// A picture of a Display, or that a file has been read: see DrawingAnswer.
struct DrawnPicture {
  bool done = false;
  int width = 0;
  int height = 0;
  std::vector<std::byte> bytes;
};

/// What a controller draws on a Display, or writes with a Pen.
struct ClientDrawing {
  Writer stream;             ///< the calls of base/drawing_call.h that are to be sent
  bool is_in_parts = false;  ///< while a thread sends a call whose parts are to follow each other
  int images = 0;            ///< how many it has made
  bool shows_camera = false;
  std::optional<DrawnPicture> answer;  ///< the last one
  bool writes = false;                 ///< of a Pen, as what follows
  int ink_color = 0;                   ///< 0xRRGGBB
  double ink_density = 0.0;
};

/// The controller's copy of a device between two steps: commands and measurements.
struct ClientDevice {
  std::string name;
  std::string model;
  WbNodeType node_type = WB_NODE_NO_NODE;
  ClientJoint joint;
  ClientMotor motor;
  ClientBrake brake;
  WbJointType sensor_type = WB_ROTATIONAL;
  ClientPicture pixels;              ///< of a Camera; four bytes each
  ClientPicture ranges;              ///< distances of a RangeFinder or a Lidar, as floats [m]
  ClientPicture segments;            ///< what a Camera has recognised, like `pixels`
  std::vector<WbLidarPoint> points;  ///< of the distances of a Lidar with a point cloud
  std::deque<ClientField> fields;    ///< a deque, so that addresses stay
  int period_ms = 0;
  ClientObjects objects;  ///< what a Camera has recognised, or a Radar has found
  int recognition_period_ms = 0;
  std::array<double, kMaxReadingNumbers> values = numbers_not_measured();  ///< the last sample
  ClientPackets packets;
  ClientDrawing drawing;
  ClientReports reports;

  std::uint32_t requests = 0;  ///< bit k: the next step sends the value of CommandKind k

  /// The field of that name; an empty one if the device has none.
  const ClientField& field(std::string_view field_name) const;
  /// The first number of that field.
  double number(std::string_view field_name) const;
  /// The same number, which the controller may change. It is 0 at first if the device has no such
  /// field.
  double& setting(std::string_view field_name);
  /// Replaces the field of that name, if there is one. Pointers to its text and numbers stay valid
  /// unless the new ones are longer.
  void put(ClientField field);
  /// Stores a packet of a Receiver or a Radio; `numbers` are the signal strength and the direction.
  /// The packet is lost if there is no room for it, or if a Radio has no callback.
  void take_packet(std::string_view data, std::span<const double, 4> numbers);
};

/// The field for whether a Connector is locked or a VacuumGripper is on.
std::string_view lock_field(WbNodeType type);

ClientDevice make_device(const WelcomeDevice& welcome);

}  // namespace servosim

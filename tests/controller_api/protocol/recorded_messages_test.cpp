// SPDX-License-Identifier: Apache-2.0
// The bytes of each kind of message, as they were on the wire in version 13 of the protocol:
// recorded from the program before its tables of commands and requests. A change of them needs
// another kProtocolVersion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "controller_api/protocol/protocol.h"

namespace servosim {
namespace recorded_messages_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string hex(const Writer& writer) {
  std::string text;
  for (const std::byte byte : writer.bytes()) {
    text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  return text;
}

// Writes a step with a command of each kind.
void write_step(Writer& writer) {
  encode_step(writer, 2500);
  for (const DeviceCommand& command :
       std::vector<DeviceCommand>{{3, CommandKind::Position, {-kInfinity}, 0, {}},
                                  {4, CommandKind::Velocity, {-2.5}, 0, {}},
                                  {5, CommandKind::AvailableForce, {7.25}, 0, {}},
                                  {6, CommandKind::Force, {-0.125}, 0, {}},
                                  {7, CommandKind::ForceFeedback, {}, 37, {}},
                                  {8, CommandKind::Acceleration, {-1.0}, 0, {}},
                                  {9, CommandKind::ControlPid, {11.5, 0.75, 0.0625}, 0, {}},
                                  {65534, CommandKind::Sampling, {}, 2000000, {}},
                                  {11, CommandKind::BrakeDamping, {-3.5}, 0, {}},
                                  {12, CommandKind::Lock, {}, 1, {}},
                                  {12, CommandKind::Channel, {}, -1, {}},
                                  {12, CommandKind::Range, {3.5}, 0, {}},
                                  {0, CommandKind::BatterySampling, {}, 96, {}},
                                  {0, CommandKind::Pin, {}, 1, {}},
                                  {0, CommandKind::CustomData, {}, 0, "zwei\nZeilen"},
                                  {0, CommandKind::Quit, {}, -17, {}},
                                  {13, CommandKind::Send, {2.5}, 6, "packet"},
                                  {0, CommandKind::WheelSpeeds, {1.5, -kInfinity}, 0, {}},
                                  {0, CommandKind::SetEncoders, {-200.5, 7.0}, 0, {}},
                                  {0, CommandKind::EncoderSampling, {}, 48, {}},
                                  {14, CommandKind::Led, {}, -0x7fffffff, {}},
                                  {15, CommandKind::BlindRead, {}, 0, {}},
                                  {16, CommandKind::Frequency, {12.5}, 0, {}},
                                  {17, CommandKind::FieldOfView, {0.5}, 0, {}},
                                  {17, CommandKind::Exposure, {2.0}, 0, {}},
                                  {17, CommandKind::FocalDistance, {0.25}, 0, {}},
                                  {17, CommandKind::Recognition, {}, 64, {}},
                                  {17, CommandKind::Segmentation, {}, 1, {}},
                                  {19, CommandKind::Draw, {}, 0, "line"},
                                  {20, CommandKind::Write, {}, 1, {}},
                                  {20, CommandKind::Ink, {255.0, 0.5}, 0, {}}}) {
    encode_command(writer, command);
  }
}

void write_supervisor_request(Writer& writer) {
  SupervisorRequest request;
  request.kind = SupervisorRequestKind::Label;
  request.node = 77;
  request.level = 2;
  request.field = 513;
  request.type = 5;
  request.index = -3;
  request.integer = 1 << 20;
  request.count = 3;
  request.numbers = {1.5, -2.5, 1e300};
  request.text = "first";
  request.more = "second";
  request.slot = 258;
  request.period_ms = 32;
  encode_supervisor_request(writer, request);
}

void write_supervisor_response(Writer& writer) {
  const std::array<double, 2> numbers{0.5, -2.5};
  SupervisorResponse response;
  response.integer = -5;
  response.node = 9;
  response.type = 21;
  response.flags = 3;
  response.level = 1;
  response.numbers = std::as_bytes(std::span(numbers));
  response.text = "one";
  response.more = {"two", "three"};
  encode_supervisor_response(writer, response);
}

WelcomeDevice sample_motor() {
  WelcomeDevice motor;
  motor.name = "hip";
  motor.model = "strong";
  motor.node_type = "Servo";
  motor.joint = 7;
  motor.has_motor = motor.has_sensor = true;
  motor.sensor_linear = 1;
  motor.motor = {1, 5, -1.5, 2.5, 3.5, 4.5, -2.0, 0.25, 0.75, -1.0, 4.25, {9.5, 0.5, 0.125}};
  return motor;
}

WelcomeDevice sample_sensor() {
  WelcomeDevice sensor;
  sensor.name = "eye";
  sensor.node_type = "DistanceSensor";
  sensor.has_brake = true;
  sensor.brake_linear = 1;
  sensor.fields = {{"type", "laser", {}}, {"lookupTable", "", {1.0, 2.5, 0.5}}};
  return sensor;
}

void write_welcome(Writer& writer) {
  Welcome welcome;
  welcome.spin = true;
  welcome.robot_name = "robot";
  welcome.model = "model";
  welcome.custom_data = "custom";
  welcome.controller = "walk";
  welcome.controller_arguments = "a b";
  welcome.world_path = "/w/worlds/x.wbt";
  welcome.project_path = "/w";
  welcome.basic_time_step_ms = 12.5;
  welcome.time = 3.25;
  welcome.synchronization = false;
  welcome.supervisor = true;
  welcome.has_battery = true;
  welcome.has_wheels = true;
  welcome.max_speed = 1.5;
  welcome.speed_unit = 0.25;
  welcome.devices = {sample_motor(), sample_sensor()};
  encode_welcome(writer, welcome);
}

// Writes an answer with a reading of each kind.
void write_answer(Writer& writer) {
  encode_answer(writer, {5, 1.125});
  encode_reading(writer, {9, ReadingKind::Sample, {-0.75, 2.0}, 2, {}});
  encode_reading(writer, {11, ReadingKind::ForceFeedback, {1.5}, 1, {}});
  encode_reading(writer, {0, ReadingKind::Battery, {600.5}, 1, {}});
  encode_reading(writer, {12, ReadingKind::Packet, {0.25, 0.0, -0.6, 0.8}, 0, "packet"});
  encode_reading(writer, {13, ReadingKind::Setup, {}, 0, "setup"});
  encode_reading(writer, {0, ReadingKind::CustomData, {}, 0, "data"});
  encode_reading(writer, {14, ReadingKind::NewDevice, {}, 0, "new"});
  encode_reading(writer, {15, ReadingKind::Tracked, {}, 0, "pose"});
  encode_reading(writer, {0, ReadingKind::Supervisor, {1.0}, 1, {}});
  encode_reading(writer, {17, ReadingKind::Distances, {1.25, 0.0, 4.0}, 3, "deep"});
  encode_reading(writer, {18, ReadingKind::Pixels, {1.5, 1.0, 64.0}, 3, {}});
  encode_reading(writer, {18, ReadingKind::Segments, {1.75, 2.0, 64.0}, 3, {}});
  encode_reading(writer, {18, ReadingKind::Objects, {}, 0, "seen"});
  encode_reading(writer, {19, ReadingKind::Targets, {}, 0, "hit"});
  encode_reading(writer, {21, ReadingKind::Drawn, {1.0, 2.0, 3.0}, 3, "px"});
}

struct Recorded {
  const char* name;
  void (*write)(Writer&);
  const char* bytes;  ///< hexadecimal
};

void PrintTo(const Recorded& recorded, std::ostream* out) { *out << recorded.name; }

const Recorded kRecorded[] = {
    {"Hello", [](Writer& writer) { encode_hello(writer, {10}); }, "105353494d0a000000"},
    {"Step", write_step,
     "11c4090000030000000000000000f0ff04000100000000000004c00500020000000000001d4006000300"
     "0000000000c0bf07000425000000080005000000000000f0bf0900060000000000002740000000000000"
     "e83f000000000000b03ffeff0780841e000b00080000000000000cc00c0009010000000c000affffffff"
     "0c000b0000000000000c4000000c6000000000000d0100000000000e0b0000007a7765690a5a65696c65"
     "6e00000fefffffff0d0010060000000000000000000440060000007061636b6574000011000000000000"
     "f83f000000000000f0ff00001200000000001069c00000000000001c40000013300000000e0014010000"
     "800f0015000000001000160000000000002940"
     "110017000000000000e03f1100180000000000000040110019000000000000d03f11001a400000001100"
     "1b01000000"
     "13001c040000006c696e6514001d0100000014001e0000000000e06f40000000000000e03f"},
    {"Urdf", [](Writer& writer) { encode_urdf_request(writer, "left_"); }, "12050000006c6566745f"},
    {"SupervisorRequest", write_supervisor_request,
     "14264d00000002010205fdffffff0000100003000000000000f83f00000000000004c09c7500883ce437"
     "7e050000006669727374060000007365636f6e64020120000000"},
    {"Goodbye", encode_goodbye, "13"},
    {"Welcome", write_welcome,
     "802d05000000726f626f74050000006d6f64656c06000000637573746f6d0400000077616c6b03000000"
     "6120620f0000002f772f776f726c64732f782e776274020000002f770000000000002940000000000000"
     "0a40000000000000f83f000000000000d03f020003000000686970060000007374726f6e670500000053"
     "6572766f0700000003010500000000000000f8bf00000000000004400000000000000c40000000000000"
     "124000000000000000c0000000000000d03f000000000000e83f000000000000f0bf0000000000001140"
     "0000000000002340000000000000e03f000000000000c03f0100000003000000657965000000000e0000"
     "0044697374616e636553656e736f72ffffffff04000102000400000074797065050000006c6173657200"
     "0000000b0000006c6f6f6b75705461626c650000000003000000000000000000f03f0000000000000440"
     "000000000000e03f"},
    {"Answer", write_answer,
     "8105000000000000000000f23f09000002000000000000e8bf00000000000000400b0001000000000000"
     "f83f0000020000000000c482400c0003000000000000d03f0000000000000000333333333333e3bf9a99"
     "99999999e93f060000007061636b65740d000405000000736574757000000504000000646174610e0006"
     "030000006e65770f000704000000706f7365000008000000000000f03f"
     "110009000000000000f43f00000000000000000000000000001040040000006465657012000a00000000"
     "0000f83f000000000000f03f00000000000050400000000012000b000000000000fc3f00000000000000"
     "4000000000000050400000000012000c040000007365656e"
     "13000d03000000686974"
     "15000e000000000000f03f0000000000000040000000000000084002000000"
     "7078"},
    {"Text", [](Writer& writer) { encode_text(writer, "<robot/>"); }, "82080000003c726f626f742f3e"},
    {"Failure", [](Writer& writer) { encode_failure(writer, "it broke"); },
     "830800000069742062726f6b65"},
    {"SupervisorResponse", write_supervisor_response,
     "84fbffffff0900000015030102000000000000000000e03f00000000000004c0030000006f6e65030000"
     "0074776f050000007468726565"},
    {"Objects",
     [](Writer& writer) {
       encode_objects(writer, {{7,
                                {1.0, 2.0, 3.0},
                                {0.0, 0.0, 1.0, 0.5},
                                {0.25, 0.75},
                                {30, -1},
                                {20, 10},
                                {1.0, 0.0, 0.5},
                                "cup"}});
     },
     "010007000000000000000000f03f00000000000000400000000000000840000000000000000000000000"
     "00000000000000000000f03f000000000000e03f000000000000d03f000000000000e83f1e000000ffff"
     "ffff140000000a00000003000000000000000000f03f0000000000000000000000000000e03f03000000"
     "637570"},
    {"Targets",
     [](Writer& writer) {
       encode_targets(writer, {{1.5, -20.0, 0.5, 0.25}});
     },
     "0100000000000000f83f00000000000034c0000000000000e03f000000000000d03f"},
    {"Setup", [](Writer& writer) { encode_setup(writer, sample_motor()); },
     "03000000686970060000007374726f6e6705000000536572766f0700000003010500000000000000f8bf"
     "00000000000004400000000000000c40000000000000124000000000000000c0000000000000d03f0000"
     "00000000e83f000000000000f0bf00000000000011400000000000002340000000000000e03f00000000"
     "0000c03f01000000"},
};

class RecordedMessages : public testing::TestWithParam<Recorded> {};

TEST_P(RecordedMessages, AreWrittenAsBefore) {
  Writer writer;
  GetParam().write(writer);
  EXPECT_EQ(hex(writer), GetParam().bytes);
}
INSTANTIATE_TEST_SUITE_P(Protocol, RecordedMessages, testing::ValuesIn(kRecorded),
                         [](const auto& recorded) { return std::string(recorded.param.name); });

TEST(Protocol, HasTheVersionOfTheRecordedMessages) { EXPECT_EQ(kProtocolVersion, 13u); }

}  // namespace recorded_messages_test
}  // namespace servosim

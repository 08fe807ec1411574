// SPDX-License-Identifier: Apache-2.0
// Messages about analog sensors are those that a server of YARP has sent. Its device had sensors of
// all kinds: number i of kind k, counted from 1, has the values 100·k + 10·i + axis + 0.25 and the
// time 1000·k + i + 0.125.
#include "yarp/protocol/analog_sensors.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "support/recorded_flows.h"
#include "yarp/ports/conversation.h"

namespace servosim::yarp {
inline void PrintTo(Generation generation, std::ostream* out) {
  *out << (generation == Generation::V3 ? "YARP 3" : "YARP 4");
}

namespace {

using namespace std::string_literals;

struct RecordedKind {
  const char* name;
  std::size_t sensors;
  std::size_t values;
};

// The order is that of SensorKind.
const std::vector<RecordedKind> kRecordedKinds{{"ThreeAxisGyroscope", 2, 3},
                                               {"ThreeAxisLinearAccelerometer", 1, 3},
                                               {"ThreeAxisMagnetometer", 1, 3},
                                               {"OrientationSensor", 1, 3},
                                               {"TemperatureSensor", 1, 1},
                                               {"SixAxisForceTorqueSensor", 2, 6},
                                               {"ContactLoadCellArray", 1, 2},
                                               {"EncoderArray", 1, 4},
                                               {"SkinPatch", 1, 5},
                                               {"PositionSensor", 1, 3},
                                               {"LinearVelocitySensor", 1, 3},
                                               {"ThreeAxisAngularAccelerometer", 1, 3}};

struct RecordedSensors {
  std::vector<AnalogSensor> sensors;
  std::vector<double> values;
  std::vector<double> times;

  // Adds the sensors of the first kinds.
  explicit RecordedSensors(std::size_t kinds = kSensorKinds) {
    for (std::size_t k = 0; k < kinds; ++k) {
      const RecordedKind& kind = kRecordedKinds[k];
      for (std::size_t i = 0; i < kind.sensors; ++i) {
        sensors.push_back({static_cast<SensorKind>(k), fmt::format("{}_{}", kind.name, i),
                           fmt::format("frame_{}_{}", k + 1, i), kind.values});
        for (std::size_t axis = 0; axis < kind.values; ++axis) {
          values.push_back(100.0 * double(k + 1) + 10.0 * double(i) + double(axis) + 0.25);
        }
        times.push_back(1000.0 * double(k + 1) + double(i) + 0.125);
      }
    }
  }
};

// Returns the bodies that the recorded side sent on connections to ports that end so.
std::vector<std::string> recorded_bodies(const std::string& file, const std::string& ending) {
  std::vector<std::string> bodies;
  const auto add = [&](std::string_view message) {
    const FoundMessage found = find_message(as_bytes(message));
    if (found.size > 0 && has_body(found.message.head)) {
      EXPECT_TRUE(found.message.head.stamp);
      bodies.emplace_back(as_text(found.message.body));
    }
  };
  for (const test::RecordedFlow& flow : test::recorded_flows(file)) {
    for (std::size_t n = 1; flow.to.ends_with(ending) && n < flow.pieces.size(); ++n) {
      if (flow.pieces[n].asked) {
        add(flow.pieces[n].bytes);
      }
    }
    for (std::size_t n = 0; flow.to.empty() && n < flow.pieces.size(); ++n) {
      add(flow.pieces[n].bytes.substr(kDatagramHead));
    }
  }
  return bodies;
}

class YarpAnalogSensors : public testing::TestWithParam<Generation> {
 protected:
  std::string file() const {
    return GetParam() == Generation::V3 ? "yarp3_sensors.flows" : "yarp4_sensors.flows";
  }
  // Returns the replies of a port to getMetadata.
  std::set<std::string> recorded_metadata(const std::string& port) const {
    std::set<std::string> replies;
    for (const test::RecordedFlow& flow : test::recorded_flows(file())) {
      for (std::size_t n = 2; flow.to == port && n + 1 < flow.pieces.size(); n += 2) {
        const std::string& reply = flow.pieces[n + 1].bytes;
        if (flow.pieces[n].bytes.ends_with("\x01\0\0\0\x0b\0\0\0getMetadata"s) ||
            flow.pieces[n].bytes.ends_with("\x04\0\0\0\x0b\0\0\0getMetadata"s)) {
          replies.insert(reply.substr(0, reply.size() - kNumberSize));
        }
      }
    }
    return replies;
  }
};

TEST_P(YarpAnalogSensors, MetadataHasTheRecordedBytes) {
  const RecordedSensors all;
  EXPECT_EQ(recorded_metadata("/fakemas/rpc:o"),
            std::set{encoded(sensor_metadata(all.sensors), GetParam())});
  const RecordedSensors gyroscopes(1);
  EXPECT_EQ(recorded_metadata("/one/rpc:o"),
            std::set{encoded(sensor_metadata(gyroscopes.sensors), GetParam())});
}

TEST_P(YarpAnalogSensors, MeasurementsHaveTheRecordedBytes) {
  const RecordedSensors all;
  const RecordedSensors gyroscopes(1);
  std::map<std::string, int> expected;
  for (const RecordedSensors* const sensors : {&all, &gyroscopes}) {
    Writer writer;
    encode_measurements(writer, sensors->sensors, sensors->values, sensors->times, GetParam());
    expected[text_of(writer)] = 0;
  }
  for (const std::string& body : recorded_bodies(file(), "/measures:i")) {
    const auto known = expected.find(body);
    ASSERT_NE(known, expected.end())
        << to_text(std::get<Bottle>(decode_bottle(as_bytes(body), GetParam())));
    ++known->second;
  }
  for (const auto& [body, count] : expected) {
    EXPECT_GE(count, 1) << body.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, YarpAnalogSensors,
                         testing::Values(Generation::V3, Generation::V4));

}  // namespace
}  // namespace servosim::yarp

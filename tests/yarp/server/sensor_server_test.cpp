// SPDX-License-Identifier: Apache-2.0
// Sensors of a robot for programs of YARP. The clients are those of tests/data/peers.
#include "yarp/server/sensor_server.h"

#include <cmath>
#include <functional>
#include <numbers>

#include "support/recorded_flows.h"
#include "yarp/ports/client.h"
#include "yarp/ports/port_support.h"

namespace servosim::yarp::server {
namespace {

using yarp::becomes;
using yarp::kTestTimeout;

// A body without gravity that turns about z by 2 rad/s, from a roll of 0.5 rad. Its controller does
// nothing.
constexpr const char* kTurning = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 1 gravity 0 }
Robot {
  name "r" controller "<none>" rotation 1 0 0 0.5
  angularVelocity 0 0 2
  children [
    HingeJoint {
      #servosim forceTorqueSensor "load"
      jointParameters HingeJointParameters { axis 1 0 0 position 0.25 }
      device [ PositionSensor { name "angle" } RotationalMotor { name "motor" } ]
      endPoint Solid { name "link" physics Physics { density -1 mass 1e-9 inertiaMatrix [ 1e-9 1e-9 1e-9 0 0 0 ] } boundingObject Sphere { radius 0.01 } }
    }
    Gyro { name "gyro" }
    Accelerometer { name "acceleration" }
    Compass { name "north" }
    InertialUnit { name "attitude" noise 0 }
    GPS { name "place" translation 0 0 0 }
    TouchSensor { name "bumper" type "bumper" boundingObject Sphere { radius 0.01 } }
    TouchSensor { name "foot" type "force-3d" boundingObject Sphere { radius 0.01 } }
    LED { name "led" }
  ]
  boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 1 inertiaMatrix [ 1 1 1 0 0 0 ] }
}
)";

class SensorServing : public testing::Test {
 protected:
  explicit SensorServing(Generation generation = Generation::V3) : generation_(generation) {}

  SensorServer& serve(std::vector<std::string> devices = {}, double period = 0.01) {
    SensorServer::Options options;
    options.name = "/fakemas";
    options.robot = "r";
    options.devices = std::move(devices);
    options.period = period;
    options.generation = generation_;
    server_.emplace(node_, simulation_, timeline_, options);
    return *server_;
  }
  void step(int count) {
    for (int i = 0; i < count; ++i) {
      simulation_.step();
      server_->after_step();
    }
  }
  Bottle next(yarp::YarpClient& reader) { return reader.next_message(kTestTimeout); }
  std::unique_ptr<yarp::YarpClient> reader() {
    auto reader = std::make_unique<yarp::YarpClient>(
        yarp::YarpClient::Options{.name_server = "", .generation = generation_});
    reader->connect("127.0.0.1:" + std::to_string(server_->measures().port), Carrier::FastTcp,
                    "/reader");
    reader->reverse();
    return reader;
  }
  // Returns the values of the first sensor of a kind.
  static std::vector<double> values(const Bottle& message, SensorKind kind, std::size_t index = 0) {
    const Bottle& kinds = *yarp::as_list(message.items.at(static_cast<std::size_t>(kind)));
    const Bottle& sensor = *yarp::as_list(kinds.items.at(index));
    std::vector<double> numbers;
    for (const BottleValue& value : yarp::as_list(sensor.items.at(0))->items) {
      numbers.push_back(*yarp::as_number(value));
    }
    return numbers;
  }
  static double time_of(const Bottle& message, SensorKind kind) {
    const Bottle& kinds = *yarp::as_list(message.items.at(static_cast<std::size_t>(kind)));
    return *yarp::as_number(yarp::as_list(kinds.items.at(0))->items.at(1));
  }

  Generation generation_;
  Simulation simulation_ = Simulation::from_text(kTurning);
  Timeline timeline_{simulation_};
  yarp::YarpNode node_{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  std::optional<SensorServer> server_;
};

TEST_F(SensorServing, ValuesAreInTheUnitsOfYarp) {
  serve();
  const auto reader = this->reader();
  step(20);
  const Bottle message = next(*reader);
  ASSERT_EQ(message.size(), kSensorKinds);
  const auto gyro = values(message, SensorKind::Gyroscope);
  const double rate = 2.0 * 180.0 / std::numbers::pi;
  EXPECT_NEAR(gyro.at(0), 0.0, 1e-6);
  EXPECT_NEAR(gyro.at(1), rate * std::sin(0.5), 1e-6);
  EXPECT_NEAR(gyro.at(2), rate * std::cos(0.5), 1e-6);
  const auto attitude = values(message, SensorKind::Orientation);
  const double time = time_of(message, SensorKind::Orientation);
  EXPECT_NEAR(attitude.at(0), 0.5 * 180.0 / std::numbers::pi, 1e-6);
  EXPECT_NEAR(attitude.at(1), 0.0, 1e-6);
  EXPECT_NEAR(attitude.at(2), rate * time, 1e-3);
  EXPECT_NEAR(values(message, SensorKind::Encoders).at(0), 0.25 * 180.0 / std::numbers::pi, 1.0);
  EXPECT_EQ(values(message, SensorKind::Position).size(), 3u);
  EXPECT_EQ(values(message, SensorKind::SkinPatch), std::vector{0.0});
  EXPECT_EQ(values(message, SensorKind::ContactLoads).size(), 3u);
  EXPECT_EQ(values(message, SensorKind::ForceTorque).size(), 6u);
  const auto north = values(message, SensorKind::Magnetometer);
  EXPECT_NEAR(std::hypot(north.at(0), north.at(1), north.at(2)), 1.0, 1e-9);
}

// The first message comes with the first samples, and every message has those of its time.
TEST_F(SensorServing, AMessageComesWithEachSample) {
  serve({"gyro", "attitude"});
  const auto reader = this->reader();
  step(9);
  for (int i = 1; i <= 3; ++i) {
    step(i == 1 ? 1 : 10);
    Bottle message = next(*reader);
    while (time_of(message, SensorKind::Gyroscope) < 0.01 * i - 1e-9) {
      message = next(*reader);  // the last one again
    }
    EXPECT_NEAR(time_of(message, SensorKind::Gyroscope), 0.01 * i, 1e-9);
  }
}

// Clients take 0.02 s of silence for an error.
TEST_F(SensorServing, ValuesAreRepeatedDuringAPause) {
  serve({"gyro"});
  const auto reader = this->reader();
  step(10);
  const Bottle first = next(*reader);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(next(*reader), first);
  }
}

TEST_F(SensorServing, TimesFollowTheTimeline) {
  serve({"gyro"});
  const auto reader = this->reader();
  step(10);
  timeline_.set(5.0);
  step(15);
  EXPECT_TRUE(becomes(
      [&] { return std::abs(time_of(next(*reader), SensorKind::Gyroscope) - 5.01) < 1e-9; }));
}

TEST_F(SensorServing, WhatAControllerSamplesKeepsItsPeriod) {
  simulation_.robot("r").body_sensor("gyro").enable(4, 0.0);
  serve({"gyro"});
  EXPECT_EQ(simulation_.robot("r").body_sensor("gyro").sampler().period_ms(), 4);
  const auto reader = this->reader();
  step(4);
  simulation_.robot("r").body_sensor("gyro").enable(0, 1e3 * simulation_.time());
  step(20);
  EXPECT_EQ(simulation_.robot("r").body_sensor("gyro").sampler().period_ms(), 10);
}

// The recorded client asks for the names of the sensors.
void expect_metadata(SensorServer& server, const std::string& file, Generation generation) {
  int asked = 0;
  for (const test::RecordedFlow& flow : test::recorded_flows(file)) {
    if (flow.to != "/fakemas/rpc:o") {
      continue;
    }
    yarp::RawClient client(server.rpc().port);
    client.send(flow.pieces.at(0).bytes);
    EXPECT_EQ(client.receive(8), yarp::answer(Carrier::Tcp, server.rpc().port, ""));
    for (std::size_t n = 2; n + 1 < flow.pieces.size(); n += 2) {
      client.send(flow.pieces[n].bytes);
      std::string reply = client.receive(8);
      while (!reply.ends_with(yarp::ack())) {
        const std::string more = client.receive(1);
        ASSERT_FALSE(more.empty());
        reply += more;
      }
      if (flow.pieces[n].bytes.ends_with("help")) {
        EXPECT_EQ(reply, flow.pieces[n + 1].bytes);
      } else if (flow.pieces[n].bytes.ends_with("getMetadata") &&
                 flow.pieces[n].bytes.find("help") == std::string::npos) {
        reply.resize(reply.size() - 8);
        EXPECT_EQ(to_text(std::get<Bottle>(yarp::decode_bottle(as_bytes(reply), generation))),
                  "((gyro gyro \"\")) () () () () () () ((angle \"\" \"\")) () () () ()");
        ++asked;
      } else if (flow.pieces[n].bytes.ends_with("foo")) {
        EXPECT_EQ(reply, flow.pieces[n + 1].bytes);
      }
    }
  }
  EXPECT_GE(asked, 1);
}

TEST_F(SensorServing, TheRecordedClientGetsTheNames) {
  expect_metadata(serve({"angle", "gyro"}), "yarp3_sensors.flows", Generation::V3);
}

class SensorServingV4 : public SensorServing {
 protected:
  SensorServingV4() : SensorServing(Generation::V4) {}
};

TEST_F(SensorServingV4, TheRecordedClientGetsTheNames) {
  expect_metadata(serve({"angle", "gyro"}), "yarp4_sensors.flows", Generation::V4);
}

// A winding at rest has the temperature of the air.
TEST(SensorServingOfAServo, GivesItsTemperature) {
  std::string world = kTurning;
  world.replace(world.find("RotationalMotor { name"), std::string("RotationalMotor { name").size(),
                "RotationalMotor {\n#servosim servo \"XL330-M288-T\"\n name");
  Simulation simulation = Simulation::from_text(world);
  const Timeline timeline(simulation);
  yarp::YarpNode node({.name_server = "", .own_name_server = 0}, [](const std::string&) {});
  SensorServer server(node, simulation, timeline,
                      {.name = "/r", .robot = "r", .devices = {"motor"}});
  ASSERT_EQ(server.sensors().size(), 1u);
  EXPECT_EQ(server.sensors()[0].kind, SensorKind::Temperature);
  yarp::YarpClient reader({.name_server = ""});
  reader.connect("127.0.0.1:" + std::to_string(server.measures().port), Carrier::FastTcp, "/x");
  reader.reverse();
  simulation.step();
  server.after_step();
  const Bottle message = reader.next_message(kTestTimeout);
  EXPECT_EQ(to_text(message), "() () () () (((25.0) 0.001)) () () () () () () ()");
}

TEST_F(SensorServing, OtherDevicesAreRefused) {
  EXPECT_THROW(serve({"gyr"}), std::out_of_range);
  EXPECT_THROW(serve({"led"}), std::invalid_argument);
  EXPECT_THROW(serve({"gyro", "place", "gyro"}), std::invalid_argument);
  EXPECT_THROW(serve({"motor"}), std::invalid_argument);  // it is no real servo
}

}  // namespace
}  // namespace servosim::yarp::server

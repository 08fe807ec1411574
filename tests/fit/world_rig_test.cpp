// SPDX-License-Identifier: Apache-2.0
#include "fit/world_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run/test_support.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim::test {
namespace world_rig_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The bench as a world: 0.3 kg at 0.12 m below a horizontal axis.
constexpr const char* kPendulum = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 2 gravity 9.80665 }
Robot { name "bench" controller "<none>" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 1 }
    device RotationalMotor { name "servo" maxVelocity 100 maxTorque 100 }
    endPoint Solid { translation 0 0 0.88 name "mass"
      boundingObject Sphere { radius 0.001 }
      physics Physics { density -1 mass 0.3 centerOfMass [ 0 0 0 ]
        inertiaMatrix [ 1e-7 1e-7 1e-7, 0 0 0 ] } } } ] }
)";

ServoModel servo() {
  ServoModel model = *ServoCatalogue().model("XL330-M288-T/m3");
  model.friction.load = ServoLoad::Transmitted;
  model.supply.voltage = 6.5;
  model.encoder.offset = 0.03;
  model.firmware.max_current = 1.4;
  return model;
}

ServoLog log_of(double off_from) {
  ServoLog log;
  for (int i = 0; i < 600; ++i) {
    const double t = 7.0 + 0.005 * i;
    log.samples.push_back({t, 0.8 * std::sin(4.0 * t) + 0.3 * std::sin(13.0 * t), 0.1, 0.0, kNone,
                           kNone, kNone, i < off_from});
  }
  return log;
}

class Worlds : public testing::Test {
 protected:
  TempFolder folder;
  std::string world = folder.write("bench.wbt", kPendulum);
};

TEST(ServoField, HasAllNumbersOfAModel) {
  const ServoModel model = servo();
  const ServoModel read = *ServoCatalogue().model(
      servo_field_of(model, "XL330-M288-T", *ServoCatalogue().model("XL330-M288-T")));
  for (const ServoField& field : servo_fields()) {
    EXPECT_EQ(value_of(read, field), value_of(model, field)) << field.key;
  }
}

TEST_F(Worlds, AreRigsAsTheBench) {
  const ServoLog driven = log_of(900);
  const ServoLog dropped = log_of(200);
  const BenchSettings settings{300.0, kNone, kNone, 7.0};
  const std::vector<BenchLog> logs{{&driven, {0.3, 0.12, 0.0}, settings},
                                   {&dropped, {0.3, 0.12, 0.0}, settings}};
  const WorldRig rig(world, {}, "servo", logs);
  const PendulumBench bench(logs);
  for (std::size_t log = 0; log < 2; ++log) {
    std::vector<double> of_world;
    std::vector<double> of_bench;
    const ServoModel model = servo();
    rig.run(log, {&model, 1}, of_world);
    bench.run(log, {&model, 1}, of_bench);
    double most = 0.0;
    for (std::size_t s = 0; s < 600; ++s) {
      most = std::max(most, std::abs(of_world[s * kBenchModels] - of_bench[s * kBenchModels]));
    }
    // Goals that change between two steps of the world come up to 2 ms late: at 7 rad/s. Where the
    // servo lets go, steps of 5 ms differ from those of 2 ms.
    EXPECT_LT(most, 0.03) << log;
    EXPECT_GT(most, 0.0) << log;
  }
}

// The goals of a log are positions of the joint, whatever its motor multiplies.
TEST_F(Worlds, FollowGoalsWhateverTheMultiplierIs) {
  std::string multiplied = kPendulum;
  multiplied.replace(multiplied.find("maxTorque"), 0, "multiplier -0.5 ");
  const ServoLog log = log_of(900);
  const ServoModel model = servo();
  const std::vector<BenchLog> logs{{&log, {}, {300.0, kNone, kNone, 7.0}}};
  std::vector<double> plain;
  WorldRig(world, {}, "servo", logs).run(0, {&model, 1}, plain);
  std::vector<double> positions;
  WorldRig(folder.write("multiplied.wbt", multiplied), {}, "servo", logs)
      .run(0, {&model, 1}, positions);
  for (std::size_t s = 0; s < 600; ++s) {
    ASSERT_NEAR(positions[s * kBenchModels], plain[s * kBenchModels], 1e-9) << s;
  }
}

TEST_F(Worlds, NeedAJointWithAMotor) {
  const ServoLog log = log_of(900);
  const std::vector<BenchLog> logs{{&log, {}, {kNone, kNone, kNone, kNone}}};
  EXPECT_THROW(WorldRig(world, {}, "elbow", logs), std::out_of_range);
  EXPECT_THROW(WorldRig(folder / "none.wbt", {}, "servo", logs), LoadError);
}

}  // namespace world_rig_test
}  // namespace servosim::test

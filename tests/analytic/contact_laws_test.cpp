// SPDX-License-Identifier: Apache-2.0
// Tests of the normal direction of a contact: its softness, bounce and number of points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/worlds.h"

namespace servosim::test {
namespace contact_laws_test {

constexpr double kH = 0.008;
constexpr double kG = 9.81;
constexpr double kMass = 3.0;
constexpr double kRadius = 0.15;
constexpr double kRounding = 1e-12;  // a few operations on numbers near 1 in one step

struct Drop {
  std::string contact;
  double depth;  // at the start
  double speed;  // downwards, at the start
};

Simulation ball(const Drop& d) {
  return load(fmt::format(
      "#VRML_SIM R2023b utf8\nWorldInfo {{ basicTimeStep 8 physicsDisableTime 0 contactProperties "
      "[ ContactProperties {{ {} }} ] }}\nSolid {{ boundingObject Plane {{ }} }}\n"
      "Solid {{ name \"ball\" translation 0 0 {:.17g} linearVelocity 0 0 {:.17g} boundingObject "
      "Sphere {{ radius {} }} physics Physics {{ density -1 mass {} }} }}\n",
      d.contact, kRadius - d.depth, -d.speed, kRadius, kMass));
}

// Returns the speed after the first step, from the distance moved in that step.
double speed_after(const Drop& d) {
  Simulation simulation = ball(d);
  simulation.step();
  return (simulation.solid("ball").pose().translation.z - (kRadius - d.depth)) / kH;
}

// The contact row has the target speed c and yields by CFM times its force F: v' = c − CFM·F and v'
// = v − g·h + F·h/m.
double row(double wanted, double speed, double cfm) {
  const double free_speed = -speed - kG * kH;
  const double force = (wanted - free_speed) / (kH / kMass + cfm);
  return wanted - cfm * force;
}

TEST(ContactLaw, ABounceGivesBackItsShareOfTheSpeed) {
  const double wanted = 0.6 * 2.5;
  const double v = speed_after({"bounce 0.6 softCFM 0.002", 1e-5, 2.5});
  // The distance of one step is a difference of numbers near 0.15, so it is rounded to 1e-16; the
  // speed has this rounding over h.
  EXPECT_NEAR(v, row(wanted, 2.5, 0.002), kRounding);
  // A hard contact returns almost exactly −e·v. It loses CFM·F, about 2e-6 of it.
  EXPECT_NEAR(speed_after({"bounce 0.6 softCFM 1e-9", 1e-5, 2.5}), wanted, 1e-5);
}

TEST(ContactLaw, SlowerImpactsThanBounceVelocityDoNotBounce) {
  const double correction = 0.2 / kH * 1e-5;  // ERP/h·depth
  EXPECT_NEAR(speed_after({"bounce 0.6 bounceVelocity 0.5 softCFM 0.002", 1e-5, 0.4}),
              row(correction, 0.4, 0.002), kRounding);
  EXPECT_NEAR(speed_after({"bounce 0.6 bounceVelocity 0.3 softCFM 0.002", 1e-5, 0.4}),
              row(0.6 * 0.4, 0.4, 0.002), kRounding);
}

TEST(ContactLaw, ByDefaultHalfTheSpeedBounces) {
  EXPECT_NEAR(speed_after({"", 1e-5, 2.5}), row(0.5 * 2.5, 2.5, 0.001), kRounding);
}

TEST(ContactLaw, SoftErpIsTheShareOfTheDepthThatIsCorrected) {
  EXPECT_NEAR(speed_after({"bounce 0 softERP 0.35 softCFM 0.002", 0.02, 0.4}),
              row(0.35 / kH * 0.02, 0.4, 0.002), kRounding);
}

// At rest depth·ERP/h = CFM·m·g. The world's own ERP and CFM have no effect.
TEST(ContactLaw, TheStaticDepthIsCfmTimesForceTimesStepOverErp) {
  Simulation simulation = ball({"bounce 0 softERP 0.35 softCFM 0.002", 0.001, 0.0});
  simulation.step(600);
  // The depth converges geometrically and has reached rounding.
  EXPECT_NEAR(kRadius - simulation.solid("ball").pose().translation.z,
              0.002 * kMass * kG * kH / 0.35, kRounding);
}

struct Box {
  std::vector<std::string> notices;
  double height;
};

Box box_with(const std::string& contact, const std::string& version = "R2023b",
             const std::string& size = "0.4 0.4 0.1", double mass = 3.0, int step_ms = 8) {
  Box box;
  LoadOptions options;
  options.notice = [&](std::string_view message) { box.notices.emplace_back(message); };
  Simulation simulation = Simulation::from_text(
      fmt::format("#VRML_SIM {} utf8\nWorldInfo {{ basicTimeStep {} physicsDisableTime 0 "
                  "contactProperties [ ContactProperties {{ bounce 0 {} }} ] }}\n"
                  "Solid {{ contactMaterial \"default\" boundingObject Plane {{ }} }}\n"
                  "Solid {{ name \"box\" boundingObject Box {{ size {} }} physics Physics {{ "
                  "density -1 mass {} }} }}\n",
                  version, step_ms, contact, size, mass),
      std::move(options));
  EXPECT_EQ(simulation.diagnostics().size(), 0u);
  simulation.step(400);
  box.height = simulation.solid("box").pose().translation.z;
  return box;
}

TEST(ContactLaw, FewerPointsThanFoundAreSaidOnce) {
  EXPECT_EQ(box_with("maxContactJoints 4").notices.size(), 0u);
  EXPECT_EQ(box_with("maxContactJoints 3").notices,
            std::vector<std::string>{
                "contact materials \"default\" and \"default\" touch at 4 points; only the 3 "
                "deepest are used (maxContactJoints; reported once)"});
}

// A thin plate is entirely below the plane. The depths of its points add up to CFM·m·g·h/ERP. There
// are four equal depths, or four plus four that are less by the thickness.
TEST(ContactLaw, FromR2025aAPlateTouchesWithAllCorners) {
  constexpr double kPlate = 20.0;
  constexpr double kThickness = 0.004;
  const double sum = 0.001 * kPlate * kG * 0.032 / 0.2;
  ASSERT_GT(sum / 4.0, kThickness) << "wholly below";
  const auto height = [](const char* version) {
    return box_with("", version, "0.3 0.3 0.004", kPlate, 32).height;
  };
  EXPECT_NEAR(height("R2023b"), kThickness / 2.0 - sum / 4.0, kRounding);
  EXPECT_NEAR(height("R2025a"), -sum / 8.0, kRounding);
}

}  // namespace contact_laws_test
}  // namespace servosim::test

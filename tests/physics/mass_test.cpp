// SPDX-License-Identifier: Apache-2.0
#include "physics/mass.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/scenes.h"

namespace servosim::test {
namespace {

struct Weighed {
  MassProperties mass;
  Messages messages;  // of weighing alone, without the place
};

Weighed weigh(const std::string& bounding_object, const std::string& physics) {
  const LoadedScene loaded = load_scene(
      fmt::format("Solid {{ name \"thing\" boundingObject {} physics Physics {{ {} }} }}",
                  bounding_object, physics));
  Diagnostics diagnostics;
  Weighed weighed{solid_mass(loaded.scene.solids.at(0), diagnostics), {}};
  for (const Diagnostic& d : diagnostics.list()) {
    weighed.messages.push_back(d.message);
  }
  return weighed;
}

MassProperties mass_of(const std::string& bounding_object, const std::string& physics) {
  const Weighed weighed = weigh(bounding_object, physics);
  EXPECT_EQ(weighed.messages, Messages{}) << bounding_object << ' ' << physics;
  return weighed.mass;
}

// All agree but for the rounding of some dozen operations.
void expect_equal(const MassProperties& a, const MassProperties& b, double relative = 1e-13) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_NEAR(norm(a.center - b.center), 0.0, relative * (1.0 + norm(b.center)));
  const double size = b.inertia(0, 0) + b.inertia(1, 1) + b.inertia(2, 2);
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(a.inertia.m[i], b.inertia.m[i], relative * size) << i;
  }
}

TEST(Mass, OfABoxAndASphere) {
  const double m = 700.0 * 0.2 * 0.3 * 0.4;
  expect_equal(
      mass_of("Box { size 0.2 0.3 0.4 }", "density 700"),
      {m, {}, diagonal(m / 12 * (0.09 + 0.16), m / 12 * (0.04 + 0.16), m / 12 * (0.04 + 0.09))});
  const double s = 700.0 * 4.0 / 3.0 * std::numbers::pi * 0.25 * 0.25 * 0.25;
  const double i = 0.4 * s * 0.25 * 0.25;
  expect_equal(mass_of("Sphere { radius 0.25 }", "density 700"), {s, {}, diagonal(i, i, i)});
}

// Sums thin discs along z; `radius_at(z)` up to `end` on both sides.
template <typename RadiusAt>
MassProperties lathe(double density, double end, RadiusAt radius_at) {
  constexpr int kSlices = 20000;
  const double dz = 2.0 * end / kSlices;
  MassProperties sum;
  for (int n = 0; n < kSlices; ++n) {
    const double z = -end + (n + 0.5) * dz;
    const double r2 = radius_at(z) * radius_at(z);
    const double m = density * std::numbers::pi * r2 * dz;
    sum.mass += m;
    const double across = m * (r2 / 4.0 + z * z);
    sum.inertia(0, 0) += across;
    sum.inertia(1, 1) += across;
    sum.inertia(2, 2) += m * r2 / 2.0;
  }
  return sum;
}

TEST(Mass, OfACylinderAndACapsuleBySlices) {
  // The midpoint rule errs by about (1/20000)².
  expect_equal(mass_of("Cylinder { radius 0.2 height 0.7 }", "density 800"),
               lathe(800, 0.35, [](double) { return 0.2; }), 1e-7);
  expect_equal(mass_of("Capsule { radius 0.2 height 0.7 }", "density 800"),
               lathe(800, 0.55,
                     [](double z) {
                       const double beyond = std::max(0.0, std::abs(z) - 0.35);
                       return std::sqrt(0.04 - beyond * beyond);
                     }),
               1e-6);
}

std::string cube_mesh(bool ccw) {
  return fmt::format(
      "IndexedFaceSet {{ ccw {} coord Coordinate {{ point [ 1 2 3, 1.2 2 3, 1.2 2.3 3, 1 2.3 3, 1 "
      "2 "
      "3.4, 1.2 2 3.4, 1.2 2.3 3.4, 1 2.3 3.4 ] }} coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 "
      "2 "
      "6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ] }}",
      ccw ? "TRUE" : "FALSE");
}

TEST(Mass, OfAMeshIsThatOfTheBoxItDraws) {
  const MassProperties box = mass_of(
      "Pose { translation 1.1 2.15 3.2 children [ Box { size 0.2 0.3 0.4 } ] }", "density 700");
  // Second moments about the far origin cancel: 10² m² against 0.1² m² costs four digits.
  expect_equal(mass_of(cube_mesh(true), "density 700"), box, 1e-9);
  expect_equal(mass_of(cube_mesh(false), "density 700"), box, 1e-9);  // inside out
}

TEST(Mass, OfATetrahedronHasItsCentreAtAQuarter) {
  const MassProperties m = mass_of(
      "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 2 0 0, 0 3 0, 0 0 4 ] } "
      "coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }",
      "density 5");
  EXPECT_NEAR(m.mass, 5.0 * 2.0 * 3.0 * 4.0 / 6.0, 1e-13 * 20);
  EXPECT_NEAR(norm(m.center - Vec3{0.5, 0.75, 1.0}), 0.0, 1e-14);
  // Textbook: Ixx about the centre = 3·m/80·(b² + c²), Ixy = m·a·b/80 (tensor entry: positive).
  EXPECT_NEAR(m.inertia(0, 0), 3.0 * m.mass / 80.0 * (9.0 + 16.0), 1e-11);
  EXPECT_NEAR(m.inertia(0, 1), m.mass * 2.0 * 3.0 / 80.0, 1e-11);
}

TEST(Mass, IsScaledToTheGivenOne) {
  const MassProperties by_density = mass_of("Box { size 0.2 0.3 0.4 }", "density 250");
  EXPECT_NEAR(by_density.mass, 6.0, 1e-14);
  expect_equal(mass_of("Box { size 0.2 0.3 0.4 }", "density -1 mass 6"), by_density);
  expect_equal(mass_of("Box { size 0.2 0.3 0.4 }", "density 900 mass 6"), by_density);
}

TEST(Mass, InFullIsTakenAsItIs) {
  const MassProperties m = mass_of(
      "Sphere { }", "density -1 mass 6 centerOfMass 2 3 4 inertiaMatrix [ 5 6 7, .5 .25 .125 ]");
  expect_equal(m, {6, {2, 3, 4}, {{5, .5, .25, .5, 6, .125, .25, .125, 7}}}, 0.0);
}

TEST(Mass, AGivenCentreMovesTheDistributionAsItIs) {
  const MassProperties plain = mass_of("Box { size 0.2 0.3 0.4 }", "density -1 mass 6");
  expect_equal(mass_of("Box { size 0.2 0.3 0.4 }", "density -1 mass 6 centerOfMass 0.5 0 0.25"),
               {6, {0.5, 0, 0.25}, plain.inertia});
}

TEST(Mass, AnInertiaWithoutACentreIsIgnoredAndTheOriginBecomesTheCentre) {
  const Weighed w = weigh("Pose { translation 0.5 0 0 children [ Box { size 0.2 0.3 0.4 } ] }",
                          "density -1 mass 6 inertiaMatrix [ 5 6 7, 0 0 0 ]");
  const MassProperties plain = mass_of("Box { size 0.2 0.3 0.4 }", "density -1 mass 6");
  const double steiner = 6.0 * 0.25;
  expect_equal(w.mass, {6,
                        {},
                        {{plain.inertia(0, 0), 0, 0, 0, plain.inertia(1, 1) + steiner, 0, 0, 0,
                          plain.inertia(2, 2) + steiner}}});
  EXPECT_EQ(w.messages,
            Messages{"inertiaMatrix of Solid \"thing\" is ignored: it must be positive "
                     "definite and stand beside a mass and a centerOfMass; the bounding "
                     "object is used"});
}

TEST(Mass, AnInertiaThatIsNotPositiveDefiniteIsIgnored) {
  for (const char* inertia : {"-5 6 7, 0 0 0", "5 6 7, 6 0 0", "5 6 0, 0 0 0", "5 6 7, 0 0 7"}) {
    const Weighed w =
        weigh("Box { size 0.2 0.3 0.4 }",
              fmt::format("density -1 mass 6 centerOfMass 0 0 0 inertiaMatrix [ {} ]", inertia));
    expect_equal(w.mass, mass_of("Box { size 0.2 0.3 0.4 }", "density -1 mass 6"));
    EXPECT_EQ(w.messages.size(), 1u) << inertia;
  }
}

TEST(Mass, WithoutABoundingObjectHasUnitInertia) {
  const Messages said{
      "Solid \"thing\" has no bounding object that can be weighed; its inertia is the identity "
      "matrix "
      "[kg m^2]"};
  const Weighed by_mass = weigh("NULL", "density -1 mass 6 centerOfMass 2 3 4");
  expect_equal(by_mass.mass, {6, {2, 3, 4}, diagonal(1, 1, 1)});
  EXPECT_EQ(by_mass.messages, said);
  const Weighed by_density = weigh("NULL", "density 3000");
  expect_equal(by_density.mass, {3, {}, diagonal(3, 3, 3)});
  EXPECT_EQ(weigh("Plane { }", "density 3000").messages, said);
}

TEST(Mass, AShapeWithoutASizeAddsOneKilogram) {
  const MassProperties m = mass_of(
      "Group { children [ Pose { translation 0 0 3 children [ Sphere { radius -2 } ] } Box { size "
      "0.1 "
      "0.1 0.3 } ] }",
      "");
  // 3 kg of box and 1 kg with unit inertia, 3 m apart.
  EXPECT_NEAR(m.mass, 4.0, 1e-14);
  EXPECT_NEAR(m.center.z, 0.75, 1e-14);
  EXPECT_NEAR(m.inertia(0, 0), 3.0 / 12 * (0.01 + 0.09) + 1.0 + 3.0 * 0.75 * 0.75 + 2.25 * 2.25,
              1e-13);
  EXPECT_NEAR(m.inertia(2, 2), 3.0 / 12 * 0.02 + 1.0, 1e-13);
}

TEST(Mass, OfTwoIsTakenAboutTheirCommonCentre) {
  const MassProperties a{2, {1, 0, 0}, diagonal(.1, .2, .3)};
  const MassProperties b{6, {0, 0, 4}, diagonal(.5, .25, .125)};
  const MassProperties sum = a + b;
  EXPECT_EQ(sum.mass, 8.0);
  EXPECT_NEAR(norm(sum.center - Vec3{0.25, 0, 3}), 0.0, 1e-15);
  // Reduced mass 1.5 kg at a distance of (1, 0, −4).
  expect_equal(sum,
               {8,
                {0.25, 0, 3},
                {{.6 + 1.5 * 16, 0, 1.5 * 4, 0, .45 + 1.5 * 17, 0, 1.5 * 4, 0, .425 + 1.5 * 1}}});
}

TEST(Mass, TurnsWithItsFrame) {
  const MassProperties a{2, {1, 0, 0}, diagonal(.1, .2, .3)};
  const Pose pose{rotation_matrix({{0, 0, 1}, std::numbers::pi / 2}), {5, 0, 0}};
  expect_equal(placed(a, pose), {2, {5, 1, 0}, diagonal(.2, .1, .3)}, 1e-15 * 8);
}

TEST(Mass, IsAcceptableOnlyIfOdeCanTakeIt) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_acceptable({2, {3, 4, 5}, diagonal(.1, .2, .3)}));
  EXPECT_FALSE(is_acceptable({0, {3, 4, 5}, diagonal(.1, .2, .3)}));
  EXPECT_FALSE(is_acceptable({nan, {3, 4, 5}, diagonal(.1, .2, .3)}));
  EXPECT_FALSE(is_acceptable({inf, {3, 4, 5}, diagonal(.1, .2, .3)}));
  EXPECT_FALSE(is_acceptable({2, {3, nan, 5}, diagonal(.1, .2, .3)}));
  EXPECT_FALSE(is_acceptable({2, {3, 4, 5}, diagonal(.1, nan, .3)}));
  EXPECT_FALSE(is_acceptable({2, {3, 4, 5}, diagonal(.1, 0, .3)}));
  EXPECT_FALSE(is_acceptable({2, {3, 4, 5}, {{.1, .2, 0, .2, .2, 0, 0, 0, .3}}}));
  EXPECT_FALSE(is_acceptable({2, {3, 4, 5}, diagonal(1, 1, 1e-14)}));
}

TEST(Mass, OfALightAndOblongSolidIsReported) {
  EXPECT_EQ(
      weigh("Box { size 0.04 0.001 0.001 }", "density -1 mass 0.001").messages,
      Messages{
          "Solid \"thing\" is light and oblong (moments of inertia from 1.67e-10 to 1.33e-07 kg "
          "m^2): its motion may be unstable"});
  EXPECT_EQ(weigh("Box { size 0.04 0.03 0.02 }", "density -1 mass 0.001").messages, Messages{})
      << "light only";
  EXPECT_EQ(weigh("Box { size 4 0.1 0.1 }", "density -1 mass 1").messages, Messages{})
      << "oblong only";
}

TEST(Mass, ThatCannotBeIsOne) {
  const Weighed w = weigh("Box { }", "density -1 mass 1e300");
  EXPECT_EQ(w.mass.mass, 1.0);
  EXPECT_EQ(w.messages,
            Messages{"mass 1e+300 kg of Solid \"thing\" cannot be simulated; 1 kg and 1 kg "
                     "m^2 are used"});
}

}  // namespace
}  // namespace servosim::test

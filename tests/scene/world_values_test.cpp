// SPDX-License-Identifier: Apache-2.0
// Every invalid value of WorldInfo, ContactProperties, Physics and Damping, and gravity by era.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/scenes.h"

namespace servosim::test {
namespace scene_world_values_test {

struct Case {
  const char* bad;
  const char* message;
  std::function<double(const Scene&)> used;
  double value;
};

// `bad` is on line 3 of `around`, in place of `{}`.
void check(const Case& c, fmt::string_view around, const std::string& version = "R2023b") {
  const LoadedScene loaded = load_scene(fmt::format(fmt::runtime(around), c.bad), version);
  Messages expected;
  if (*c.message != '\0') {
    expected.push_back(fmt::format("3:1: warning: {}", c.message));
  }
  EXPECT_EQ(loaded.messages, expected) << c.bad;
  EXPECT_EQ(c.used(loaded.scene), c.value) << c.bad;
}

TEST(SceneValues, OfWorldInfo) {
  const Case cases[] = {
      {"basicTimeStep 0", "basicTimeStep is 0, but it must be > 0; 32 is used",
       [](const Scene& s) { return s.world.basic_time_step_ms; }, 32.0},
      {"basicTimeStep -8", "basicTimeStep is -8, but it must be > 0; 32 is used",
       [](const Scene& s) { return s.world.basic_time_step_ms; }, 32.0},
      {"basicTimeStep 1e-9",
       "basicTimeStep is 1e-09, but that is too small: it must be at least 0.001 ms; 32 is used",
       [](const Scene& s) { return s.world.basic_time_step_ms; }, 32.0},
      {"basicTimeStep 1e7", "basicTimeStep is 10000000, but it must be at most 1e6 ms; 32 is used",
       [](const Scene& s) { return s.world.basic_time_step_ms; }, 32.0},
      {"basicTimeStep 0.001", "", [](const Scene& s) { return s.world.basic_time_step_ms; }, 0.001},
      {"basicTimeStep 16.666", "", [](const Scene& s) { return s.world.basic_time_step_ms; },
       16.666},
      {"CFM 0", "CFM is 0, but it must be > 0; 1e-05 is used",
       [](const Scene& s) { return s.world.cfm; }, 1e-5},
      {"CFM -3", "CFM is -3, but it must be > 0; 1e-05 is used",
       [](const Scene& s) { return s.world.cfm; }, 1e-5},
      {"ERP 1.5", "ERP is 1.5, but it must be in [0, 1]; 0.2 is used",
       [](const Scene& s) { return s.world.erp; }, 0.2},
      {"ERP -0.5", "ERP is -0.5, but it must be in [0, 1]; 0.2 is used",
       [](const Scene& s) { return s.world.erp; }, 0.2},
      {"randomSeed -2", "randomSeed is -2, but it must be >= 0, or -1; 0 is used",
       [](const Scene& s) { return static_cast<double>(s.world.random_seed); }, 0.0},
      {"randomSeed -1", "", [](const Scene& s) { return static_cast<double>(s.world.random_seed); },
       -1.0},
      {"gravity -3", "gravity is -3, but it must be >= 0; 9.81 is used",
       [](const Scene& s) { return s.world.gravity.z; }, -9.81},
      {"coordinateSystem \"UPS\"",
       "coordinateSystem is \"UPS\", but it must be \"ENU\", \"NUE\" or \"EUN\"; \"ENU\" is used",
       [](const Scene& s) { return s.world.gravity.z; }, -9.81},
      {"physics \"my_plugin\"", "physics plugin \"my_plugin\" is not run",
       [](const Scene& s) { return s.world.erp; }, 0.2},
      {"physicsDisableTime 0", "", [](const Scene& s) { return s.world.disable_time; }, 0.0},
      {"physicsDisableLinearThreshold -0.5",
       "physicsDisableLinearThreshold is -0.5, but it must be >= 0; 0.5 is used",
       [](const Scene& s) { return s.world.disable_linear_threshold; }, 0.5},
  };
  for (const Case& c : cases) {
    check(c, "WorldInfo {{\n{}\n}}");
  }
}

TEST(SceneValues, OfDefaultDamping) {
  const Case cases[] = {
      {"linear 1.5", "linear is 1.5, but it must be in [0, 1]; 1 is used",
       [](const Scene& s) { return s.world.default_damping->linear; }, 1.0},
      {"angular -0.5", "angular is -0.5, but it must be in [0, 1]; 0 is used",
       [](const Scene& s) { return s.world.default_damping->angular; }, 0.0},
      {"linear 0.75", "", [](const Scene& s) { return s.world.default_damping->angular; }, 0.2},
  };
  for (const Case& c : cases) {
    check(c, "WorldInfo {{ defaultDamping Damping {{\n{}\n}} }}");
  }
}

const ContactProperties& contact(const Scene& s) { return s.world.contact_properties.at(0); }

TEST(SceneValues, OfContactProperties) {
  const Case cases[] = {
      {"coulombFriction -0.5",
       "coulombFriction is -0.5, but it must be >= 0, or -1 for infinity; 1 is used",
       [](const Scene& s) { return contact(s).coulomb_friction.at(0); }, 1.0},
      {"coulombFriction -1", "", [](const Scene& s) { return contact(s).coulomb_friction.at(0); },
       INFINITY},
      {"coulombFriction []", "coulombFriction has 0 values; it should have 1 to 4",
       [](const Scene& s) { return contact(s).coulomb_friction.at(0); }, 1.0},
      {"coulombFriction [ 2 2 2 2 2 ]", "coulombFriction has 5 values; it should have 1 to 4",
       [](const Scene& s) { return static_cast<double>(contact(s).coulomb_friction.size()); }, 4.0},
      {"coulombFriction [ 2 -1 ]", "",
       [](const Scene& s) { return contact(s).coulomb_friction.at(1); }, INFINITY},
      {"coulombFriction [ 2 -3 ]",
       "coulombFriction is -3, but it must be >= 0, or -1 for infinity; 1 is used",
       [](const Scene& s) { return contact(s).coulomb_friction.at(1); }, 1.0},
      {"frictionRotation 0.5 -0.25", "",
       [](const Scene& s) { return contact(s).friction_rotation[1]; }, -0.25},
      {"forceDependentSlip [ 2 3 4 5 ]", "",
       [](const Scene& s) { return contact(s).force_dependent_slip.at(3); }, 5.0},
      {"bounce 1.5", "bounce is 1.5, but it must be in [0, 1]; 0.5 is used",
       [](const Scene& s) { return contact(s).bounce; }, 0.5},
      {"bounce -0.5", "bounce is -0.5, but it must be in [0, 1]; 0.5 is used",
       [](const Scene& s) { return contact(s).bounce; }, 0.5},
      {"bounceVelocity -0.5", "bounceVelocity is -0.5, but it must be >= 0; 0.01 is used",
       [](const Scene& s) { return contact(s).bounce_velocity; }, 0.01},
      {"softCFM 0", "softCFM is 0, but it must be > 0; 0.001 is used",
       [](const Scene& s) { return contact(s).soft_cfm; }, 0.001},
      {"softCFM -2", "softCFM is -2, but it must be > 0; 0.001 is used",
       [](const Scene& s) { return contact(s).soft_cfm; }, 0.001},
      {"softERP 1.5", "softERP is 1.5, but it must be in [0, 1]; 0.2 is used",
       [](const Scene& s) { return contact(s).soft_erp; }, 0.2},
      {"softERP -0.5", "softERP is -0.5, but it must be in [0, 1]; 0.2 is used",
       [](const Scene& s) { return contact(s).soft_erp; }, 0.2},
      {"forceDependentSlip -3", "forceDependentSlip is -3, but it must be >= 0; 0 is used",
       [](const Scene& s) { return contact(s).force_dependent_slip.at(0); }, 0.0},
      {"rollingFriction 2 -3 4",
       "rollingFriction is 2 -3 4, but each must be >= 0, or -1 for infinity; 0 0 0 is used",
       [](const Scene& s) { return contact(s).rolling_friction[0]; }, 0.0},
      {"rollingFriction 2 -1 4", "", [](const Scene& s) { return contact(s).rolling_friction[1]; },
       INFINITY},
      {"maxContactJoints 0", "maxContactJoints is 0, but it must be > 0; 10 is used",
       [](const Scene& s) { return contact(s).max_contact_joints * 1.0; }, 10.0},
  };
  for (const Case& c : cases) {
    check(c, "WorldInfo {{ contactProperties [ ContactProperties {{\n{}\n}} ] }}");
  }
}

const MassSpec& mass(const Scene& s) { return *s.solids.at(0).physics; }

TEST(SceneValues, OfPhysics) {
  const Case cases[] = {
      {"density -3", "density is -3, but it must be > 0 when there is no mass; 1000 is used",
       [](const Scene& s) { return mass(s).density; }, 1000.0},
      {"density -1", "density is -1, but it must be > 0 when there is no mass; 1000 is used",
       [](const Scene& s) { return mass(s).density; }, 1000.0},
      {"density 0 mass 2", "density is 0, but it must be -1 or > 0; 1000 is used",
       [](const Scene& s) { return mass(s).mass; }, 2.0},
      {"mass -2", "mass is -2, but it must be -1 or > 0; -1 is used",
       [](const Scene& s) { return mass(s).mass; }, -1.0},
      {"density 700 mass 2", "mass and density are both given; the mass is used",
       [](const Scene& s) { return mass(s).mass; }, 2.0},
      {"mass 2", "", [](const Scene& s) { return mass(s).mass; }, 2.0},
      {"mass 2", "", [](const Scene& s) { return mass(s).mass; }, 2.0},
      {"density -1 mass 2", "", [](const Scene& s) { return mass(s).density; }, -1.0},
      {"centerOfMass [ 2 3 4, 5 6 7 ]", "centerOfMass has more than one vector; the first is used",
       [](const Scene& s) { return mass(s).center_of_mass->y; }, 3.0},
      {"inertiaMatrix [ 2 3 4 ]", "inertiaMatrix has 1 vectors; it should have 2",
       [](const Scene& s) { return (*mass(s).inertia)(2, 2); }, 4.0},
      {"inertiaMatrix [ 2 3 4, .5 .25 .125, 7 8 9 ]",
       "inertiaMatrix has 3 vectors; it should have 2",
       [](const Scene& s) { return (*mass(s).inertia)(2, 1); }, 0.125},
  };
  for (const Case& c : cases) {
    check(c, "Solid {{ boundingObject Box {{ }} physics Physics {{\n{}\n}} }}");
  }
}

// The density is checked first. If it is given, the mass is not needed.
TEST(SceneValues, OfPhysicsWithoutAnyMass) {
  for (const char* mass_text : {"0", "-2"}) {
    const LoadedScene loaded = load_scene(fmt::format(
        "Solid {{ boundingObject Box {{ }} physics Physics {{\ndensity 0\nmass {} }} }}",
        mass_text));
    EXPECT_EQ(
        loaded.messages,
        (Messages{"3:1: warning: density is 0, but it must be > 0 when there is no mass; 1000 "
                  "is used",
                  fmt::format("4:1: warning: mass is {}, but it must be -1 or > 0; -1 is used",
                              mass_text)}));
    EXPECT_EQ(mass(loaded.scene).density, 1000.0);
    EXPECT_EQ(mass(loaded.scene).mass, -1.0);
  }
}

TEST(SceneValues, OfDamping) {
  const Case cases[] = {
      {"linear 1.5", "linear is 1.5, but it must be in [0, 1]; 1 is used",
       [](const Scene& s) { return mass(s).damping->linear; }, 1.0},
      {"angular -0.5", "angular is -0.5, but it must be in [0, 1]; 0 is used",
       [](const Scene& s) { return mass(s).damping->angular; }, 0.0},
      {"linear 0.75", "", [](const Scene& s) { return mass(s).damping->linear; }, 0.75},
  };
  for (const Case& c : cases) {
    check(c,
          "Solid {{ boundingObject Box {{ }} physics Physics {{ damping Damping {{\n{}\n}} }} }}");
  }
}

TEST(SceneValues, AMissingSecondRowOfInertiaIsZero) {
  const Scene scene = load_scene("Solid { physics Physics { inertiaMatrix [ 2 3 4 ] } }").scene;
  EXPECT_EQ(*mass(scene).inertia, (Mat3{{2, 0, 0, 0, 3, 0, 0, 0, 4}}));
}

TEST(SceneValues, TensorEntriesAreInTheirPlaces) {
  const Scene scene = load_scene(
                          "Solid { physics Physics { mass 5 density -1 centerOfMass 0 0 0 "
                          "inertiaMatrix [ 2 3 4, .5 .25 .125 ] } }")
                          .scene;
  EXPECT_EQ(*mass(scene).inertia, (Mat3{{2, .5, .25, .5, 3, .125, .25, .125, 4}}));
}

// The nine values are the centre of mass and the six values of today.
TEST(SceneValues, OldInertiaHasItsCenterOfMassInAFrameOfItsOwn) {
  const std::string nine = "inertiaMatrix [ .1 .2 .3, 2 3 4, .5 .25 .125 ] mass 5 density -1";
  const LoadedScene plain = load_scene("Solid { physics Physics { " + nine + " } }", "V6.0");
  EXPECT_EQ(plain.messages, Messages{});
  EXPECT_EQ(mass(plain.scene).center_of_mass, (Vec3{.1, .2, .3}));
  EXPECT_EQ(*mass(plain.scene).inertia, (Mat3{{2, .5, .25, .5, 3, .125, .25, .125, 4}}));
  // After a quarter turn about z the frame's x axis is the Solid's y axis.
  const LoadedScene turned = load_scene(
      "Solid { physics Physics { " + nine + " orientation 0 0 1 1.5707963267948966 } }", "V6.0");
  EXPECT_EQ(turned.messages, Messages{});
  const Mat3& i = *mass(turned.scene).inertia;
  const Mat3 expected{{3, -.5, -.125, -.5, 2, .25, -.125, .25, 4}};
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(i.m[k], expected.m[k], 1e-15 * 8) << k;  // for products of numbers below 8
  }
  EXPECT_LT(norm(*mass(turned.scene).center_of_mass - Vec3{-.2, .1, .3}), 1e-16 * 4);
}

TEST(SceneValues, OldOrientationTurnsTheCenterOfMassOfAnyPhysics) {
  const LoadedScene turned = load_scene(
      "Solid { physics Physics { centerOfMass .1 .2 .3 orientation 0 0 1 1.5707963267948966 } }",
      "V6.0");
  EXPECT_EQ(turned.messages, Messages{});
  EXPECT_LT(norm(*mass(turned.scene).center_of_mass - Vec3{-.2, .1, .3}), 1e-16 * 4);
  EXPECT_FALSE(mass(turned.scene).inertia);
}

TEST(SceneValues, OfTwoOldCentersOfMassThatOfTheInertiaIsUsed) {
  const auto load = [](const std::string& center, const std::string& in_inertia) {
    return load_scene("Solid { physics Physics {\ncenterOfMass " + center +
                          "\nmass 5 density -1 inertiaMatrix [ " + in_inertia +
                          ", 2 3 4, 0 0 0 ] } }",
                      "V6.0");
  };
  const LoadedScene both = load(".1 .2 .3", ".4 .5 .6");
  EXPECT_EQ(
      both.messages,
      (Messages{"3:1: warning: inertiaMatrix and centerOfMass give different centres of mass; "
                "that of inertiaMatrix is used (0.4 0.5 0.6 in the axes of the Solid)"}));
  EXPECT_EQ(mass(both.scene).center_of_mass, (Vec3{.4, .5, .6}));
  const LoadedScene first = load(".1 .2 .3", "0 0 0");
  EXPECT_EQ(first.messages, Messages{});
  EXPECT_EQ(mass(first.scene).center_of_mass, (Vec3{.1, .2, .3}));
  const LoadedScene second = load("0 0 0", ".4 .5 .6");
  EXPECT_EQ(second.messages, Messages{});
  EXPECT_EQ(mass(second.scene).center_of_mass, (Vec3{.4, .5, .6}));
}

TEST(SceneValues, OldContactFieldsOfPhysicsAreReported) {
  EXPECT_EQ(load_scene("Solid { physics Physics {\ncoulombFriction 0.7\n} }", "V6.0").messages,
            Messages{"3:1: warning: coulombFriction of a Physics node (before V6.4) is not used; "
                     "see WorldInfo.contactProperties"});
}

TEST(Gravity, FollowsEraAndCoordinateSystem) {
  const auto gravity = [](const std::string& fields, const std::string& version) {
    const LoadedScene loaded = load_scene("WorldInfo { " + fields + " }", version);
    EXPECT_EQ(loaded.messages, Messages{}) << version << ' ' << fields;
    return loaded.scene.world.gravity;
  };
  EXPECT_EQ(gravity("", "R2023b"), (Vec3{0, 0, -9.81}));
  EXPECT_EQ(gravity("gravity 3.7", "R2025a"), (Vec3{0, 0, -3.7}));
  EXPECT_EQ(gravity("gravity 3.7 coordinateSystem \"NUE\"", "R2022a"), (Vec3{0, -3.7, 0}));
  EXPECT_EQ(gravity("gravity 3.7 coordinateSystem \"EUN\"", "R2023b"), (Vec3{0, -3.7, 0}));
  EXPECT_EQ(gravity("gravity 3.7", "R2020b"), (Vec3{0, 0, -3.7}));
  EXPECT_EQ(gravity("gravity 3.7 coordinateSystem \"NUE\"", "R2021b"), (Vec3{0, -3.7, 0}));
  EXPECT_EQ(gravity("", "R2020a"), (Vec3{0, -9.81, 0}));
  EXPECT_EQ(gravity("", "V6.0"), (Vec3{0, -9.81, 0}));
  EXPECT_EQ(gravity("gravity 0 0 -9.8", "V6.0"), (Vec3{0, 0, -9.8})) << "the vector itself";
  EXPECT_EQ(gravity("gravity 1.5 -2.5 3.5", "R2020a"), (Vec3{1.5, -2.5, 3.5}));
  EXPECT_EQ(load_scene("Solid { }", "V5.0").scene.world.gravity, (Vec3{0, -9.81, 0}))
      << "no WorldInfo";
  EXPECT_EQ(load_scene("Solid { }").scene.world.gravity, (Vec3{0, 0, -9.81}));
}

}  // namespace scene_world_values_test
}  // namespace servosim::test

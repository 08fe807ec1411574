// SPDX-License-Identifier: Apache-2.0
#include "servo_models/servo_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

std::string fault_of_file(const std::string& text) {
  try {
    static_cast<void>(read_servo_file(text, "my/s.toml"));
  } catch (const TomlError& error) {
    return error.what();
  }
  return "";
}

TEST(ServoFields, KeysAreUniqueAndValuesAreInTheirRanges) {
  std::map<std::string_view, int> keys;
  ServoModel model;
  for (const ServoField& field : servo_fields()) {
    EXPECT_EQ(++keys[field.key], 1) << field.key;
    EXPECT_FALSE(field.meaning.empty());
    EXPECT_EQ(&servo_field(field.key), &field);
    EXPECT_NO_THROW(set_value(model, field, value_of(ServoModel{}, field))) << field.key;
  }
}

// Each key reaches a member of its own.
TEST(ServoFields, EachNumberIsSetAlone) {
  for (const ServoField& field : servo_fields()) {
    if (!field.is_number()) {
      continue;
    }
    ServoModel model;
    set_value(model, field, 0.5);
    for (const ServoField& other : servo_fields()) {
      if (&other != &field) {
        EXPECT_EQ(value_of(model, other), value_of(ServoModel{}, other))
            << field.key << " changes " << other.key;
      }
    }
    EXPECT_EQ(value_of(model, field), ServoValue(0.5)) << field.key;
  }
}

TEST(ServoFields, RefuseWhatIsNoValue) {
  ServoModel model;
  const auto fault = [&](std::string_view key, const ServoValue& value) {
    try {
      set_value(model, servo_field(key), value);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault("drive.resistance", std::nan("")),
            "drive.resistance is nan, but it must be in (0, inf)");
  EXPECT_EQ(fault("drive.resistance", INFINITY),
            "drive.resistance is inf, but it must be in (0, inf)");
  EXPECT_EQ(fault("drive.resistance", std::string("x")),
            "drive.resistance is \"x\", but it must be in (0, inf)");
  EXPECT_EQ(fault("firmware.max_duty", 1.01),
            "firmware.max_duty is 1.01, but it must be in [0, 1]");
  EXPECT_EQ(fault("supply.name", std::string("a b")),
            "supply.name is \"a b\", but it must be a word without blanks, quotes and '='");
  EXPECT_EQ(fault("supply.name", 3.0),
            "supply.name is 3, but it must be a word without blanks, quotes and '='");
  EXPECT_EQ(fault("firmware.max_current", INFINITY), "");
  EXPECT_EQ(fault("firmware.load", 1.0).find("a servo has no field 'firmware.load'"), 0u);
}

TEST(ServoFields, CheckWhatSeveralMustBeTogether) {
  const auto fault = [](void (*change)(ServoModel&)) {
    ServoModel model;
    change(model);
    try {
      check_servo(model);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault([](ServoModel&) {}), "");
  EXPECT_EQ(fault([](ServoModel& m) { m.friction.motor = m.friction.motor_stribeck = 0.5; }),
            "friction.motor 0.5 and friction.motor_stribeck 0.5 must add up to less than 1, or the "
            "gear never lets go");
  EXPECT_EQ(fault([](ServoModel& m) {
              m.friction.external = 1.0;
            }).find("friction.external 1 and friction.external_stribeck 0 must"),
            0u);
  EXPECT_EQ(fault([](ServoModel& m) { m.supply.resistance = 1.0; }),
            "supply.resistance 1 must be less than drive.resistance 1");
  EXPECT_EQ(fault([](ServoModel& m) { m.supply.min_voltage = 13.0; }),
            "supply.min_voltage 13 must not be above supply.voltage 12");
  EXPECT_EQ(fault([](ServoModel& m) { m.pulses.low = 500.0; }),
            "pulses.high 0 must be above pulses.low 500, at another position");
  EXPECT_EQ(fault([](ServoModel& m) { m.drive.armature = -1.0; }),
            "drive.armature is -1, but it must be in [0, inf)");
}

TEST(ServoFile, ReadsLawsOverWhatTheyShare) {
  const ServoFile file = read_servo_file(R"(
name = "X1"
aliases = ["X1-T"]
maker = "Somebody"
law = "b"
why = "It is better."
source = "a sheet"
confidence = "data sheet"
notes = ["One."]
[firmware]
p = 16
law = "current"
[drive]
resistance = 2
[facts]
gear_ratio = 100
motor = "cored"
[[points]]
voltage = 6
stall_torque = 0.5
[laws.a]
drive.resistance = 3
[laws.b]
source = "a fit"
confidence = "identified"
notes = ["Two."]
assumed = ["drive.resistance"]
friction.load = "static"
)",
                                         "my/x1.toml");
  EXPECT_EQ(file.name, "X1");
  EXPECT_EQ(file.aliases, std::vector<std::string>{"X1-T"});
  ASSERT_EQ(file.variants.size(), 2u);
  const ServoVariant& a = *file.find("a");
  const ServoVariant& b = *file.find("");
  EXPECT_EQ(b.law, "b");
  EXPECT_EQ(a.model.drive.resistance, 3.0);
  EXPECT_EQ(b.model.drive.resistance, 2.0);
  EXPECT_EQ(b.model.firmware.p, 16.0);
  EXPECT_EQ(b.model.firmware.law, ServoLaw::Current);
  EXPECT_EQ(b.model.friction.load, ServoLoad::Static);
  EXPECT_EQ(a.origin.confidence, "data sheet");
  EXPECT_EQ(b.origin.source, "a fit");
  EXPECT_EQ(b.origin.notes, (std::vector<std::string>{"One.", "Two."}));
  EXPECT_TRUE(b.origin.assumes("drive.resistance"));
  EXPECT_FALSE(a.origin.assumes("drive.resistance"));
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.points.at(0).stall_torque, 0.5);
  EXPECT_EQ(file.points.at(0).stall_current, std::nullopt);
  EXPECT_EQ(file.facts.at(0), (std::pair<std::string, std::string>("gear_ratio", "100")));
}

TEST(ServoFile, AFileWithoutANameHasThatOfItsPath) {
  const ServoFile file = read_servo_file("[supply]\nvoltage = 6\n", "my/servo7.toml");
  EXPECT_EQ(file.name, "servo7");
  EXPECT_EQ(file.variants.at(0).model.name, "servo7");
  EXPECT_EQ(file.find("")->model.supply.voltage, 6.0);
}

TEST(ServoFile, SaysInOneLineWhereAFaultIs) {
  EXPECT_EQ(fault_of_file("[drive\n").find("my/s.toml:1:7: "), 0u) << fault_of_file("[drive\n");
  EXPECT_EQ(fault_of_file("[drives]\nresistance = 1\n")
                .find("my/s.toml:1:2: there is no key "
                      "'drives' here; did you mean "
                      "'drive'"),
            0u)
      << fault_of_file("[drives]\nresistance = 1\n");
  EXPECT_EQ(fault_of_file("[drive]\nresistence = 1\n")
                .find("my/s.toml:2:1: a servo has no field 'drive.resistence'; the nearest names "
                      "are 'drive.resistance'"),
            0u);
  EXPECT_EQ(fault_of_file("[drive]\nresistance = -1\n"),
            "my/s.toml:2:1: drive.resistance is -1, but it must be in (0, inf)");
  EXPECT_EQ(fault_of_file("[drive]\nresistance = \"1\"\n"),
            "my/s.toml:2:1: drive.resistance is \"1\", but it must be in (0, inf)");
  EXPECT_EQ(fault_of_file("[drive]\nresistance = [1]\n"),
            "my/s.toml:2:14: drive.resistance must be in (0, inf)");
  EXPECT_EQ(fault_of_file("drive = 3\n"), "my/s.toml:1:9: 'drive' must be a table");
  EXPECT_EQ(fault_of_file("name = \"a b\"\n"),
            "my/s.toml:1:8: 'a b' is no name of a servo: it has no blanks, quotes, '/', '=' and "
            "'*'");
  EXPECT_EQ(fault_of_file("confidence = \"good\"\n"),
            "my/s.toml:1:14: expected \"identified\" or \"data sheet\" or \"assumed\"");
  EXPECT_EQ(fault_of_file("source = 3\n"), "my/s.toml:1:10: expected a text in quotes");
  EXPECT_EQ(fault_of_file("assumed = [\"drive.r\"]\n"),
            "my/s.toml:1:11: a servo has no field 'drive.r'");
  EXPECT_EQ(fault_of_file("law = \"a\"\n"),
            "my/s.toml:1:7: the file has no table 'laws' from which to choose");
  EXPECT_EQ(fault_of_file("law = \"a\"\n[laws.b]\n"),
            "my/s.toml:1:7: there is no law 'a'; there are 'b'");
  EXPECT_EQ(fault_of_file("[laws.a]\n[laws.b]\n").find("my/s.toml:"), 0u);
  EXPECT_EQ(fault_of_file("[laws.a]\nname = \"x\"\n").find("my/s.toml:2:1: there is no key 'name'"),
            0u);
  EXPECT_EQ(fault_of_file("[[points]]\nstall_torque = 1\n"),
            "my/s.toml:1:1: a point needs its voltage");
  EXPECT_EQ(fault_of_file("[[points]]\nvoltage = 0\n"), "my/s.toml:1:1: a point needs its voltage");
  EXPECT_EQ(fault_of_file("points = 3\n"),
            "my/s.toml:1:10: 'points' must be a list of tables: [[points]]");
  const std::string together = "[friction]\nmotor = 0.6\nmotor_stribeck = 0.5\n";
  EXPECT_NE(fault_of_file(together).find("friction.motor 0.6 and friction.motor_stribeck 0.5 must"),
            std::string::npos);
  EXPECT_EQ(fault_of_file(together).find("my/s.toml"), 0u);
  EXPECT_EQ(fault_of_file(std::string("name = \"\x01\"")).find("my/s.toml:1:"), 0u);
}

TEST(ServoFile, WritesWhatItReads) {
  for (const ServoFile& file : ServoCatalogue::builtin()) {
    for (const ServoVariant& variant : file.variants) {
      const std::string text = to_toml(variant.model, variant.origin);
      const ServoFile again = read_servo_file(text, "again.toml");
      ASSERT_EQ(again.variants.size(), 1u);
      for (const ServoField& field : servo_fields()) {
        EXPECT_EQ(value_of(again.variants[0].model, field), value_of(variant.model, field))
            << file.name << ' ' << field.key;
      }
      EXPECT_EQ(again.variants[0].origin.notes, variant.origin.notes);
      EXPECT_EQ(again.variants[0].origin.assumed, variant.origin.assumed);
      EXPECT_EQ(again.variants[0].origin.confidence, variant.origin.confidence);
    }
  }
  ServoModel model;
  model.name = "q";
  const ServoOrigin origin{"a \"log\"\\ of mine\nline two", "", {}, {}};
  EXPECT_EQ(read_servo_file(to_toml(model, origin), "q.toml").variants[0].origin.source,
            "a \"log\"\\ of mine line two");
}

// A pinion of radius r: x = r·θ and F = τ/r. The stiffness of the loop is that of a rotating shaft
// over r², and so are inertia and back-EMF damping.
TEST(ServoFields, ASliderHasTheUnitsOfItsTravel) {
  ServoModel servo = *ServoCatalogue().model("STS3215");
  servo.drive.travel = 0.01;
  const ServoModel slider = as_slider(servo);
  const auto stiffness = [](const ServoModel& m) {
    return m.firmware.p * m.firmware.p_scale * m.supply.voltage * m.drive.torque_constant /
           m.drive.resistance;
  };
  const auto damping = [](const ServoModel& m) {
    return m.friction.viscous +
           m.drive.torque_constant * m.drive.torque_constant / m.drive.resistance;
  };
  EXPECT_NEAR(stiffness(slider), stiffness(servo) * 1e4, 1e-6 * stiffness(slider));
  EXPECT_NEAR(damping(slider), damping(servo) * 1e4, 1e-6 * damping(slider));
  EXPECT_NEAR(slider.drive.armature, servo.drive.armature * 1e4, 1e-9);
  EXPECT_NEAR(slider.friction.coulomb, servo.friction.coulomb * 100.0, 1e-9);
  EXPECT_NEAR(slider.firmware.max_speed, servo.firmware.max_speed * 0.01, 1e-12);
  EXPECT_NEAR(2.0 * M_PI / slider.encoder.counts, 0.01 * 2.0 * M_PI / servo.encoder.counts, 1e-15);
  EXPECT_EQ(slider.friction.motor, servo.friction.motor);
  EXPECT_EQ(slider.drive.travel, 0.0);
}

}  // namespace
}  // namespace servosim

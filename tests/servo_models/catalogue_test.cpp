// SPDX-License-Identifier: Apache-2.0
#include "servo_models/catalogue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "base/files.h"
#include "servo_models/servo_fields.h"
#include "servo_models/torque_speed.h"

namespace servosim {
namespace {

std::string fault_of_choice(const std::string& choice,
                            const ServoCatalogue& catalogue = ServoCatalogue()) {
  try {
    static_cast<void>(catalogue.model(choice));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Reading is most of the test: read_servo_file() throws for a file with any fault, and calls
// check_servo() for each law.
TEST(ServoCatalogue, HasEveryIdentifiedServoAndEveryDataSheet) {
  const auto& files = ServoCatalogue::builtin();
  std::set<std::string> names;
  std::size_t laws = 0;
  std::size_t identified = 0;
  for (const ServoFile& file : files) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
    for (const std::string& alias : file.aliases) {
      EXPECT_TRUE(names.insert(alias).second) << alias;
    }
    EXPECT_EQ(file.path, "servos/" + file.name + ".toml");
    EXPECT_EQ(file.variants.size() > 1, !file.why.empty()) << file.name;
    for (const ServoVariant& variant : file.variants) {
      ++laws;
      identified += variant.origin.confidence == "identified" ? 1 : 0;
      EXPECT_FALSE(variant.origin.source.empty()) << file.name << '/' << variant.law;
      EXPECT_FALSE(variant.origin.confidence.empty()) << file.name << '/' << variant.law;
      EXPECT_EQ(variant.model.name, file.name);
      EXPECT_GT(no_load_speed(variant.model), 0.0) << file.name << '/' << variant.law;
    }
  }
  EXPECT_EQ(files.size(), 65u);
  EXPECT_EQ(identified, 37u);  // six servos with M1 to M6, and M1 of the STS3215
}

// The files of fits have the names of their numbers from another program. This checks that each
// number is in its place, by a law that has all of them.
TEST(ServoCatalogue, HasTheNumbersOfAFit) {
  const auto model = ServoCatalogue().model("MX-64/m6");
  EXPECT_NEAR(model->drive.torque_constant, 1.6017, 1e-4);
  EXPECT_NEAR(model->drive.resistance, 2.3164, 1e-4);
  EXPECT_NEAR(model->drive.armature, 0.012266, 1e-6);
  EXPECT_NEAR(model->friction.coulomb, 6.2179e-7, 1e-10);
  EXPECT_NEAR(model->friction.viscous, 0.025337, 1e-6);
  EXPECT_NEAR(model->friction.stribeck, 0.1227, 1e-5);
  EXPECT_NEAR(model->friction.stribeck_speed, 2.5753, 1e-4);
  EXPECT_NEAR(model->friction.stribeck_exponent, 0.8409, 1e-4);
  EXPECT_NEAR(model->friction.motor, 0.31147, 1e-5);
  EXPECT_NEAR(model->friction.external, 2.0462e-8, 1e-11);
  EXPECT_NEAR(model->friction.motor_stribeck, 0.18774, 1e-5);
  EXPECT_NEAR(model->friction.external_stribeck, 0.014066, 1e-6);
  EXPECT_NEAR(model->friction.motor_quadratic, 0.0069085, 1e-7);
  EXPECT_NEAR(model->friction.external_quadratic, 0.01, 1e-5);
  EXPECT_EQ(model->friction.load, ServoLoad::Static);
  EXPECT_EQ(model->firmware.p, 32.0);
  EXPECT_EQ(model->firmware.p_scale, 0.158);
  EXPECT_EQ(model->firmware.max_duty, 0.9625);
  EXPECT_EQ(model->supply.voltage, 12.0);
  const auto m3 = ServoCatalogue().model("XL330-M288-T/m3");
  EXPECT_NEAR(m3->friction.motor, 0.12166, 1e-5);  // M3 has one number for both
  EXPECT_EQ(m3->friction.motor, m3->friction.external);
}

// What a sheet prints at its nominal point is what the servo does at full duty.
TEST(ServoCatalogue, ADataSheetGivesItsTorqueAndSpeed) {
  int compared = 0;
  for (const ServoFile& file : ServoCatalogue::builtin()) {
    for (const ServoVariant& variant : file.variants) {
      for (const ServoPoint& point : file.points) {
        const ServoModel& model = variant.model;
        if (variant.origin.confidence != "data sheet" || point.voltage != model.supply.voltage ||
            !point.stall_torque || !point.no_load_rpm) {
          continue;
        }
        const double speed = *point.no_load_rpm * M_PI / 30.0;
        EXPECT_NEAR(output_at(model, 0.0).torque, *point.stall_torque, 1e-3 * *point.stall_torque)
            << file.name;
        EXPECT_NEAR(no_load_speed(model), speed, 1e-3 * speed) << file.name;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 39);
}

TEST(ServoCatalogue, FindsNamesAliasesAndLaws) {
  const ServoCatalogue catalogue;
  EXPECT_EQ(catalogue.file("XL330-M288").name, "XL330-M288-T");
  EXPECT_EQ(catalogue.file("XL330-M288-T").default_law, "m3");
  EXPECT_EQ(catalogue.model("XL330-M288"), catalogue.model("XL330-M288"));  // shared
  EXPECT_EQ(catalogue.model("XL330-M288-T/m3")->drive.resistance,
            catalogue.model("XL330-M288")->drive.resistance);
  EXPECT_NE(catalogue.model("XL330-M288-T/m6")->drive.resistance,
            catalogue.model("XL330-M288-T/m3")->drive.resistance);
  EXPECT_EQ(catalogue.model("STS3215")->supply.voltage, 7.4);
  EXPECT_EQ(catalogue.model("STS3215-C047")->supply.voltage, 12.0);
  EXPECT_EQ(catalogue.file("STS3250").name, "STS3250");
  EXPECT_EQ(catalogue.file("sts3250").name, "STS3250");
  EXPECT_EQ(catalogue.file("AX12").name, "AX-12A");
  EXPECT_EQ(catalogue.file("dm4310").name, "DM-J4310-2EC-V1.1");
  EXPECT_EQ(catalogue.model("xl330-m288/m3")->drive.resistance,
            catalogue.model("XL330-M288-T/m3")->drive.resistance);
  EXPECT_EQ(catalogue.file("STS3032").variants.at(0).origin.confidence, "assumed");
}

TEST(ServoCatalogue, ChangesFields) {
  const auto model = ServoCatalogue().model(
      " STS3215/m1  firmware.p=16 supply.name=arm\tfirmware.max_current=inf");
  EXPECT_EQ(model->firmware.p, 16.0);
  EXPECT_EQ(model->supply.name, "arm");
  EXPECT_TRUE(std::isinf(model->firmware.max_current));
}

TEST(ServoCatalogue, HasALawOfTorqueThatIsNoServo) {
  const auto model = ServoCatalogue().model("PD firmware.p=80 firmware.d=3");
  EXPECT_EQ(model->firmware.law, ServoLaw::Current);
  EXPECT_EQ(model->firmware.p * model->firmware.p_scale * model->drive.torque_constant, 80.0);
  EXPECT_EQ(model->firmware.d * model->firmware.d_scale * model->drive.torque_constant, 3.0);
  EXPECT_NO_THROW(check_servo(*model));
  EXPECT_EQ(ServoCatalogue().model("pd")->name, "PD");
  EXPECT_EQ(ServoCatalogue::builtin("PD"), nullptr);
  const TemporaryFolder folder("servos");
  write(folder.path() + "/pd.toml", "[supply]\nvoltage = 5\n");
  EXPECT_EQ(ServoCatalogue({folder.path()}).model("pd")->supply.voltage, 5.0) << "a user's own";
}

TEST(ServoCatalogue, SaysWhatIsWrongWithAChoice) {
  EXPECT_EQ(fault_of_choice("XL330-M299-T")
                .find("no servo is called 'XL330-M299-T'; the nearest "
                      "names are 'XL330-M288-T'"),
            0u)
      << fault_of_choice("XL330-M299-T");
  EXPECT_EQ(fault_of_choice("XL330"),
            "no servo is called 'XL330'; there are 'XL330-M077-T', 'XL330-M288-T'");
  EXPECT_EQ(fault_of_choice("XL331"),
            "no servo is called 'XL331'; there are 'XL330-M077-T', 'XL330-M288-T'");
  EXPECT_EQ(fault_of_choice("dm4311").find("no servo is called 'dm4311'; the nearest names are "
                                           "'DM4310'"),
            0u)
      << fault_of_choice("dm4311");
  EXPECT_EQ(fault_of_choice("STS3215/m6"),
            "the servo 'STS3215' has no law 'm6'; there are 'm1', 'sheet'");
  EXPECT_EQ(fault_of_choice("STS3250/m1"),
            "the servo 'STS3250' has no laws to choose from; leave '/m1' away");
  EXPECT_EQ(fault_of_choice(""), "'' must begin with the name of a servo");
  EXPECT_EQ(fault_of_choice("firmware.p=16"),
            "'firmware.p=16' must begin with the name of a servo");
  EXPECT_EQ(fault_of_choice("STS3215 firmware.p"),
            "'firmware.p' of 'STS3215 firmware.p' must be KEY=VALUE without blanks, such as "
            "firmware.p=16");
  EXPECT_EQ(fault_of_choice("STS3215 firmware.q=1").find("a servo has no field 'firmware.q'"), 0u);
  EXPECT_EQ(fault_of_choice("STS3215 firmware.p=-1"),
            "firmware.p is -1, but it must be in [0, inf)");
  EXPECT_EQ(fault_of_choice("STS3215 firmware.law=torque"),
            "firmware.law is \"torque\", but it must be \"duty\" or \"current\"");
  EXPECT_EQ(fault_of_choice("STS3215 supply.resistance=9"),
            "supply.resistance 9 must be less than drive.resistance 2.6761663274455603");
  EXPECT_EQ(fault_of_choice("../STS3215").find("no servo is called '..'"), 0u);
}

TEST(ServoCatalogue, FilesOfTheUserComeFirst) {
  const TemporaryFolder folder("servos");
  std::filesystem::create_directories(folder.path() + "/a");
  std::filesystem::create_directories(folder.path() + "/b");
  const std::string text = "[drive]\ntorque_constant = 2\nresistance = 3\n[supply]\nvoltage = ";
  write(folder.path() + "/a/mine.toml", text + "5\n");
  write(folder.path() + "/b/mine.toml", text + "6\n");
  write(folder.path() + "/b/SG90.toml", text + "7\n");
  const ServoCatalogue catalogue({folder.path() + "/a", folder.path() + "/b"});
  EXPECT_EQ(catalogue.model("mine")->supply.voltage, 5.0);
  EXPECT_EQ(catalogue.model("SG90")->supply.voltage, 7.0);
  EXPECT_EQ(catalogue.model("MG90S")->supply.voltage, 6.0);
  const auto count = [&catalogue](int faults) {
    int skipped = 0;
    const std::size_t size = catalogue.all([&skipped](const TomlError&) { ++skipped; }).size();
    EXPECT_EQ(skipped, faults);
    return size;
  };
  EXPECT_EQ(count(0), ServoCatalogue::builtin().size() + 1);
  EXPECT_EQ(catalogue.texts_read().size(), 2u);
  EXPECT_EQ(catalogue.model("Mine")->supply.voltage, 5.0);
  EXPECT_EQ(catalogue.model("sg90")->supply.voltage, 7.0);
  // What was read stays, so that a running world does not change.
  write(folder.path() + "/a/mine.toml", text + "8\n");
  EXPECT_EQ(catalogue.model("mine firmware.p=2")->supply.voltage, 5.0);
  write(folder.path() + "/b/bad.toml", "[drive]\nresistance = 0\n");
  EXPECT_EQ(count(1), ServoCatalogue::builtin().size() + 1);
  EXPECT_EQ(fault_of_choice("bad", catalogue),
            folder.path() + "/b/bad.toml:2:1: drive.resistance is 0, but it must be in (0, inf)");
}

TEST(ServoCatalogue, ForgetsModelsThatNobodyUses) {
  const ServoCatalogue catalogue;
  const auto kept = catalogue.model("STS3215");
  for (int i = 0; i < 1000; ++i) {
    static_cast<void>(catalogue.model("STS3215 firmware.p=" + std::to_string(i)));
  }
  EXPECT_EQ(catalogue.model("STS3215"), kept);
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// Files of ROBOTIS with the registers of one model each, and folders of them.
#include "bus/registers/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <ostream>
#include <stdexcept>
#include <string>

#include "bus/registers/register_tables.h"
#include "wbt/test_support.h"

namespace servosim::bus {
namespace {

namespace model_file_test {

// A servo of our X430 with other counts and one register more, as its maker would describe it.
constexpr const char* kFile =
    "[type info]\r\n"
    "name\tvalue\r\n"
    "value_of_zero_radian_position\t4096\r\n"
    "value_of_max_radian_position\t8191\r\n"
    "value_of_min_radian_position\t0\r\n"
    "min_radian\t-3.14159265\r\n"
    "max_radian\t3.14159265\r\n"
    "\r\n"
    "[unit info]\r\n"
    "Data Name\tvalue\tunit\tSign Type\r\n"
    "Present Velocity\t0.0119845613\trad/s\tsigned\r\n"
    "\r\n"
    "[control table]\r\n"
    "Address\tSize\tData Name\r\n"
    "0\t2\tModel Number\r\n"
    "6\t1\tFirmware Version\r\n"
    "7\t1\tID\r\n"
    "8\t1\tBaud Rate (Bus)\r\n"
    "9\t1\tReturn Delay Time\r\n"
    "12\t1\tSecondary(Shadow) ID\r\n"
    "32\t2\tMax Voltage Limit\r\n"
    "34\t2\tMin Voltage Limit\r\n"
    "52\t4\tMin Position Limit\r\n"
    "48\t4\tMax Position Limit\r\n"
    "58\t2\tPinch Limit\r\n"
    "64\t1\tTorque Enable\r\n"
    "102\t2\tGoal Current\r\n"
    "116\t4\tGoal Position\r\n"
    "128\t4\tPresent Velocity\r\n"
    "132\t4\tPresent Position\r\n"
    "150\t2\tPresent Pinch\r\n"
    "300\t2\tIndirect Address 1\r\n"
    "400\t1\tIndirect Data 1\r\n"
    "300\t2\tIndirect Address Write\r\n"
    "400\t1\tIndirect Data Write\r\n"
    "340\t2\tIndirect Address Read\r\n"
    "440\t1\tIndirect Data Read\r\n";

RegisterTable read(const std::string& text) {
  return read_model_file(text, "xm430_z700.model", "XM430-Z700", 1999, std::nullopt);
}

std::string without(const std::string& part) {
  std::string text = kFile;
  return text.erase(text.find(part), part.size());
}

std::string with(const std::string& part, const std::string& instead) {
  std::string text = kFile;
  return text.replace(text.find(part), part.size(), instead);
}

TEST(ModelFile, BecomesATableThatTakesTheRestFromOurs) {
  const RegisterTable table = read(kFile);
  EXPECT_EQ(table.model, "XM430-Z700");
  EXPECT_EQ(table.like, "XM430-W350");
  EXPECT_EQ(table.protocol, &kDynamixel2);
  EXPECT_EQ(table.number, 1999);
  EXPECT_EQ(table.counts, 8192);
  EXPECT_EQ(table.zero, 4096);
  EXPECT_EQ(table.rows.size(), 17U);
  const RegisterRow& goal = *table.find(RegisterRole::GoalPosition);
  EXPECT_EQ(goal.address, 116);
  EXPECT_EQ(goal.sign, RegisterSign::Complement);
  EXPECT_NEAR(goal.scale, 2 * std::numbers::pi / 8192, 1e-9);
  EXPECT_EQ(goal.range, (std::pair<std::int64_t, std::int64_t>(-2097150, 2097150)));
  const RegisterRow& velocity = *table.find(RegisterRole::PresentVelocity);
  EXPECT_NEAR(velocity.scale, 0.0119845613, 1e-9);  // half of ours
  EXPECT_FALSE(velocity.is_writable);
  EXPECT_EQ(table.find(RegisterRole::MaxPosition)->initial, 8190);  // 4095 of half the counts
  EXPECT_EQ(table.find(RegisterRole::SecondaryId)->name, "Secondary ID");
  EXPECT_EQ(table.find(RegisterRole::BaudRate)->area, RegisterArea::Eeprom);
  EXPECT_EQ(table.find(RegisterRole::MinVoltage)->initial, 0);
  EXPECT_EQ(table.find(RegisterRole::MaxVoltage)->initial, 65535);
}

// A quantity of a setting of ours is the same in other counts.
TEST(ModelFile, HasOurSettingsInItsOwnCounts) {
  const RegisterTable ours = register_table("XM430-W350");
  const RegisterTable table =
      read(with("48\t4\tMax Position Limit", "48\t4\tMax Position Limit\r\n44\t4\tVelocity Limit"));
  const RegisterRow& limit = *table.find(RegisterRole::VelocityLimit);
  EXPECT_EQ(limit.initial, 2 * *ours.find(RegisterRole::VelocityLimit)->initial);
  EXPECT_NEAR(static_cast<double>(limit.range->second),
              2.0 * static_cast<double>(ours.find(RegisterRole::VelocityLimit)->range->second), 1);
  EXPECT_EQ(limit.unit, "0.1144 rpm");
  ASSERT_TRUE(ours.homing_limit && table.homing_limit);
  EXPECT_EQ(*table.homing_limit, 2 * *ours.homing_limit);
}

TEST(ModelFile, HasRegistersThatNoTableOfOursHas) {
  const RegisterTable table = read(kFile);
  const RegisterRow& limit = *table.find("Pinch Limit");
  EXPECT_EQ(limit.address, 58);
  EXPECT_EQ(limit.area, RegisterArea::Eeprom);
  EXPECT_TRUE(limit.is_writable);
  const RegisterRow& present = *table.find("Present Pinch");
  EXPECT_EQ(present.area, RegisterArea::Ram);
  EXPECT_FALSE(present.is_writable);
}

TEST(ModelFile, HasIndirectBlocksThatEndBeforeTheNextThing) {
  const RegisterTable table = read(kFile);
  ASSERT_EQ(table.indirect.size(), 2U);
  EXPECT_EQ(table.indirect[0].address, 300);
  EXPECT_EQ(table.indirect[0].data, 400);
  EXPECT_EQ(table.indirect[0].count, 20);
  EXPECT_EQ(table.indirect[1].address, 340);
  EXPECT_EQ(table.indirect[1].data, 440);
  EXPECT_EQ(table.indirect[1].count, 30);
}

// XM430-W350 has 28 entries from 168 on, and their data from 224 on.
TEST(ModelFile, HasBlocksOfOursThatEndBeforeItsOwnRegisters) {
  const RegisterTable table =
      read(kFile + std::string("168\t2\tIndirect Address 2\r\n224\t1\tIndirect Data 2\r\n"
                               "190\t2\tPinch Torque\r\n230\t1\tPinch Time\r\n"));
  ASSERT_EQ(table.indirect.size(), 3U);
  EXPECT_EQ(table.indirect[0].address, 168);
  EXPECT_EQ(table.indirect[0].data, 224);
  EXPECT_EQ(table.indirect[0].count, 6);
}

struct BadModelFile {
  const char* name;
  std::string text;
  const char* reason;

  friend void PrintTo(const BadModelFile& c, std::ostream* out) { *out << c.name; }
};

class BadModelFiles : public testing::TestWithParam<BadModelFile> {};

TEST_P(BadModelFiles, AreRefusedWithTheirPlace) {
  try {
    read(GetParam().text);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "xm430_z700.model" + std::string(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadModelFiles,
    testing::Values(
        BadModelFile{"Empty", "", ": it has no registers in a section [control table]"},
        BadModelFile{"NoSection", "0\t2\tModel Number\n",
                     ":1: a file NAME.model begins with a section such as [type info]"},
        BadModelFile{"UnknownSection", "\n[registers]\n",
                     ":2: there is no section [registers]; there are [type info], [unit info] and "
                     "[control table]"},
        BadModelFile{"WordAsAddress", with("116\t4", "here\t4"),
                     ":28: the address of a register must be a whole number from 0 to 4000"},
        BadModelFile{"LargeAddress", with("116\t4", "70000\t4"),
                     ":28: the address of a register must be a whole number from 0 to 4000"},
        BadModelFile{"ThreeBytes", with("116\t4", "116\t3"),
                     ":28: a register has an address, 1, 2 or 4 bytes and a name, with tabs "
                     "between them"},
        BadModelFile{"NoName", with("116\t4\tGoal Position", "116\t4"),
                     ":28: a register has an address, 1, 2 or 4 bytes and a name, with tabs "
                     "between them"},
        BadModelFile{"Overlap", with("116\t4", "103\t4"),
                     ":28: 'Goal Position' has bytes of 'Goal Current'"},
        BadModelFile{"NoNumber", with("\t8191", "\tmany"),
                     ":4: what follows a name must be a number"},
        BadModelFile{"NoCounts", without("value_of_max_radian_position\t8191\r\n"),
                     ": [type info] must have value_of_max_radian_position"},
        BadModelFile{"NoZero", without("value_of_zero_radian_position\t4096\r\n"),
                     ": [type info] must have value_of_zero_radian_position"},
        BadModelFile{"CountsInReverse", with("\t8191", "\t-5"),
                     ":4: value_of_max_radian_position must be above value_of_min_radian_position, "
                     "and max_radian above min_radian"},
        BadModelFile{"NoCountInATurn", with("max_radian\t3.14159265", "max_radian\t1e12"),
                     ":4: a turn of 2 pi rad would have 0 counts, and must have from 1 to "
                     "2147483648"},
        BadModelFile{"ManyCountsInATurn", with("\t8191", "\t1e11"),
                     ":4: a turn of 2 pi rad would have 1e+11 counts, and must have from 1 to "
                     "2147483648"},
        BadModelFile{"FarZero", with("\t4096", "\t3e9"),
                     ":3: value_of_zero_radian_position must be a position of 4 bytes"},
        BadModelFile{"NoVelocity", with("0.0119845613", "0"),
                     ":11: a count of the velocity must be from 1e-06 to 1000 rad/s"},
        BadModelFile{"NoHeader", without("name\tvalue\r\n"),
                     ":2: the names of the columns must be here, the first one 'name'"},
        BadModelFile{"NoHeaderOfRegisters", without("Address\tSize\tData Name\r\n"),
                     ":14: the names of the columns must be here, the first one 'Address'"},
        BadModelFile{"KeyTwice", with("min_radian\t-", "max_radian\t5\r\nmin_radian\t-"),
                     ":8: line 6 has 'max_radian' already"},
        BadModelFile{"NameTwice", with("150\t2\tPresent Pinch", "150\t2\tgoal position (2)"),
                     ":31: line 28 has 'Goal Position' already"},
        BadModelFile{"BlockTwice", with("340\t2\tIndirect Address Read", "340\t2\tIndirect Data 1"),
                     ":36: line 33 has 'Indirect Data 1' already"},
        BadModelFile{"BlockInARegister", with("300\t2\tIndirect Address 1", "117\t2\tIndirect X"),
                     ":32: 'Indirect X' has bytes of 'Goal Position'"},
        BadModelFile{"BlockWithoutRoom",
                     with("440\t1\tIndirect Data Read", "341\t1\tIndirect Data Read"),
                     ": [control table] has no room for an entry of the indirect block at 340"},
        BadModelFile{"BlockInItself",
                     with("440\t1\tIndirect Data Read", "340\t1\tIndirect Data Read"),
                     ": [control table] has an indirect block with the address 340, where there is "
                     "another block or a register"},
        BadModelFile{"NoTorque", without("64\t1\tTorque Enable\r\n"),
                     ": [control table] must have a register 'Torque Enable'"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ModelNumbers, AreLines) {
  const auto numbers = read_model_numbers("Number\tName\n1999\txm430_z700.model\n", "d.model");
  ASSERT_EQ(numbers.size(), 1U);
  EXPECT_EQ(numbers[0].number, 1999);
  EXPECT_EQ(numbers[0].file, "xm430_z700.model");
  EXPECT_THROW(read_model_numbers("Number\tName\n1999\n", "d.model"), std::invalid_argument);
  EXPECT_THROW(read_model_numbers("Number\tName\n-1\ta.model\n", "d.model"), std::invalid_argument);
}

TEST(RegisterTables, HaveTheModelsOfAFolderBesideOurs) {
  const wbt::test::TemporaryProject folder;
  folder.write("dynamixel.model", "Number\tName\n1999\txm430_z700.model\n1020\txm430_w350.model\n");
  folder.write("xm430_z700.model", kFile);
  folder.write("xm430_z700_fw44.model", with("116\t4", "112\t4"));
  folder.write("xm430_w350.model", "this is not read, since the model is one of ours");
  const RegisterTables tables(folder.path(""));
  EXPECT_EQ(tables.models().size(), register_models().size() + 1);
  EXPECT_EQ(tables.find("xm430-z700"), "XM430-Z700");
  EXPECT_EQ(tables.find("XM430-W350"), "XM430-W350");
  EXPECT_EQ(tables.find("xm430_w350"), "XM430-W350");
  EXPECT_EQ(tables.find("mx_28"), "MX-28");
  EXPECT_EQ(tables.find("mx_28(2.0)"), "MX-28(2.0)");
  EXPECT_EQ(tables.table("xm430_w350").model, "XM430-W350");
  EXPECT_EQ(tables.find("XM430-Z701"), "");
  EXPECT_EQ(tables.model_with(1999, kDynamixel2), "XM430-Z700");
  EXPECT_EQ(tables.model_with(1999, kDynamixel1), "");
  EXPECT_EQ(tables.model_with(1020, kDynamixel2), "XM430-W350");
  EXPECT_EQ(tables.table("XM430-W350").like, "");
  const auto goal = [&](std::optional<int> firmware) {
    return tables.table("XM430-Z700", firmware).find(RegisterRole::GoalPosition)->address;
  };
  EXPECT_EQ(goal(std::nullopt), 116);
  EXPECT_EQ(goal(45), 116);
  EXPECT_EQ(goal(44), 112);
  EXPECT_EQ(goal(30), 112);
  EXPECT_THROW(static_cast<void>(tables.table("XM430-Z701")), std::invalid_argument);
}

TEST(RegisterTables, RefuseAFolderWithoutFiles) {
  const wbt::test::TemporaryProject folder;
  EXPECT_THROW(RegisterTables{folder.path("")}, std::invalid_argument);
  EXPECT_THROW(RegisterTables{folder.path("none")}, std::invalid_argument);
  folder.write("dynamixel.model", "Number\tName\nmany\ta.model\n");
  folder.write("a.model", kFile);
  try {
    const RegisterTables tables(folder.path(""));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("dynamixel.model:2: the number of a model must be"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace model_file_test

}  // namespace
}  // namespace servosim::bus

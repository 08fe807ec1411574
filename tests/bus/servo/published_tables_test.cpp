// SPDX-License-Identifier: Apache-2.0
// The registers of all models against published control tables, which were written down apart from
// servos/registers/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "bus/registers/register_table.h"

namespace servosim::bus {
namespace {

namespace published_tables_test {

constexpr double kPi = std::numbers::pi;

struct PublishedRow {
  int address = 0;
  int size = 0;
  std::string access;
  std::string area;
  std::string initial;  // "-": not published
  std::string range;
  std::string unit;
  std::string sign;
  std::string name;
};
struct PublishedModel {
  int number = 0;
  double counts = 0.0;
  double zero = 0.0;  // -1: not published
  std::vector<PublishedRow> rows;
};

std::map<std::string, PublishedModel> published_models() {
  std::map<std::string, PublishedModel> models;
  std::map<std::string, std::vector<std::string>> sets;
  std::ifstream file(SERVOSIM_TEST_DIR "/data/bus/control_tables.txt");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string key;
    words >> kind >> key;
    if (kind == "model") {
      words >> models[key].number >> models[key].counts >> models[key].zero;
    } else if (kind == "set") {
      for (std::string model; words >> model;) {
        sets[key].push_back(model);
      }
    } else if (kind == "row") {
      PublishedRow row;
      words >> row.address >> row.size >> row.access >> row.area >> row.initial >> row.range >>
          row.unit >> row.sign >> std::ws;
      std::getline(words, row.name);
      for (const std::string& model : sets.at(key)) {
        models.at(model).rows.push_back(row);
      }
    }
  }
  return models;
}

// The size of a unit such as "0.229_rpm" in SI; 0 for none.
double published_scale(const std::string& unit, double counts) {
  const std::map<std::string, double> sizes{{"rpm", kPi / 30},
                                            {"rpm2", kPi / 1800},
                                            {"deg", kPi / 180},
                                            {"deg/s2", kPi / 180},
                                            {"%", 0.01},
                                            {"V", 1},
                                            {"V/s", 1},
                                            {"mA", 0.001},
                                            {"degC", 1},
                                            {"ms", 0.001},
                                            {"us", 1e-6},
                                            {"pulse", 2 * kPi / counts},
                                            {"pulse/s", 2 * kPi / counts},
                                            {"pulse/s2", 2 * kPi / counts}};
  const std::size_t at = unit.find('_');
  return at == unit.npos ? 0.0 : std::stod(unit.substr(0, at)) * sizes.at(unit.substr(at + 1));
}

std::string text_of(RegisterArea area) {
  return area == RegisterArea::Eeprom ? "EEPROM" : area == RegisterArea::Ram ? "RAM" : "FACTORY";
}

std::string sign_of(const RegisterRow& row) {
  return row.sign == RegisterSign::Bit          ? "bit" + std::to_string(row.sign_bit)
         : row.sign == RegisterSign::Complement ? "complement"
         : row.zero != 0                        ? "zero" + std::to_string(row.zero)
                                                : "-";
}

// Makers print ranges of what the bytes have; tables have values with their sign.
std::pair<std::int64_t, std::int64_t> value_range(const PublishedRow& row) {
  const std::size_t dots = row.range.find("..");
  std::int64_t least = std::stoll(row.range.substr(0, dots));
  std::int64_t most = std::stoll(row.range.substr(dots + 2));
  if (row.sign.starts_with("bit") && least == 0) {
    const std::int64_t bit = std::int64_t{1} << std::stoi(row.sign.substr(3));
    most = most == 2 * bit - 1 ? bit - 1 : most;
    least = -most;
  } else if (row.sign.starts_with("zero")) {
    least -= std::stoll(row.sign.substr(4));
    most -= std::stoll(row.sign.substr(4));
  }
  return {least, most};
}

class PublishedTables : public testing::TestWithParam<std::string> {
 protected:
  void compare(const PublishedRow& published, const RegisterRow& row) const {
    EXPECT_EQ(row.size, published.size);
    EXPECT_EQ(row.name, published.name);
    EXPECT_EQ(row.is_writable ? "RW" : "R", published.access);
    EXPECT_EQ(text_of(row.area), published.area);
    // The time of SCS has its bit only as a PWM, which the firmware reads.
    if (!(GetParam() == "SCS0009" && published.address == 44)) {
      EXPECT_EQ(sign_of(row), published.sign);
    }
    if (const double scale = published_scale(published.unit, table_.counts); scale > 0.0) {
      EXPECT_NEAR(row.scale / scale, 1.0, 0.03);  // makers round
    }
    compare_values(published, row);
  }

  void compare_values(const PublishedRow& published, const RegisterRow& row) const {
    // Its supply is 12 V, and the published value is that of 7.4 V versions.
    const bool is_of_12_volts = GetParam() == "STS3250" && row.role == RegisterRole::MaxVoltage;
    if (published.initial != "-" && !is_of_12_volts) {
      const std::int64_t zero =
          published.sign.starts_with("zero") ? std::stoll(published.sign.substr(4)) : 0;
      const RegisterRow* const source = table_.find(row.initial_of);
      EXPECT_EQ(source != nullptr ? source->initial : row.initial,
                std::stoll(published.initial) - zero);
    }
    if (published.range == "-") {
      return;
    }
    const auto [least, most] = value_range(published);
    if (!row.values.empty()) {
      EXPECT_GE(*std::min_element(row.values.begin(), row.values.end()), least);
      EXPECT_EQ(*std::max_element(row.values.begin(), row.values.end()), most);
    } else if (row.role == RegisterRole::SecondaryId) {
      EXPECT_EQ(row.range, std::pair(least, std::int64_t{255}));  // those above its range mean off
    } else {
      EXPECT_EQ(row.range, std::pair(least, most));
    }
  }

  RegisterTable table_ = register_table(GetParam());
  PublishedModel published_ = published_models().at(GetParam());
};

TEST_P(PublishedTables, HaveTheRegistersOfTheirModel) {
  EXPECT_EQ(table_.number, published_.number);
  // A sensor of 300° has 1024 counts there.
  EXPECT_NEAR(table_.counts, published_.counts == 1024 ? 1228.8 : published_.counts, 1e-9);
  if (published_.zero >= 0.0) {
    EXPECT_EQ(table_.zero, published_.zero);
  }
  EXPECT_EQ(table_.rows.size(), published_.rows.size());
  for (const PublishedRow& published : published_.rows) {
    SCOPED_TRACE(std::to_string(published.address) + " " + published.name);
    const auto row =
        std::find_if(table_.rows.begin(), table_.rows.end(),
                     [&](const RegisterRow& each) { return each.address == published.address; });
    ASSERT_NE(row, table_.rows.end());
    compare(published, *row);
  }
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& [name, model] : published_models()) {
    names.push_back(name);
  }
  return names;
}

TEST(PublishedTable, ExistsForEachModelButAVariant) {
  std::vector<std::string> names = published_names();
  names.emplace_back("STS3215-C018");  // STS3215 for 12 V
  std::vector<std::string> models = register_models();
  std::sort(names.begin(), names.end());
  std::sort(models.begin(), models.end());
  EXPECT_EQ(models, names);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedTables, testing::ValuesIn(published_names()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace published_tables_test

}  // namespace
}  // namespace servosim::bus

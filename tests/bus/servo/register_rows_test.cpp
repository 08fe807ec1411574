// SPDX-License-Identifier: Apache-2.0
// Every row of every table, by a client: access, range, initial value, persistence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bus/servo/bus_rig.h"
#include "servo_models/catalogue.h"

namespace servosim::bus {
namespace {

namespace register_rows_test {

using test::BusRig;

// The name of the servo in the catalogue whose numbers a table's model has.
std::string servo_of(const std::string& model) {
  const std::set<std::string> x330{"XL330-M288", "XL330-M077"};
  return x330.count(model) != 0 ? model + "-T" : model;
}

class RegisterRows : public testing::TestWithParam<std::string> {
 protected:
  BusRig rig_{GetParam(), 1, servo_of(GetParam())};

  bool is_feetech() const {
    return rig_.table.protocol == &kFeetechSts || rig_.table.protocol == &kFeetechScs;
  }
  bool is_narrow() const { return rig_.table.protocol == &kDynamixel1; }
  // With another value the rig would ask in vain: a servo has one ID, and at the lowest level it is
  // silent. tests/bus/servo/instructions_test.cpp writes both.
  static bool changes_how_it_answers(const RegisterRow& row) {
    return row.role == RegisterRole::Id || row.role == RegisterRole::StatusReturnLevel;
  }
  std::vector<std::int64_t> good_values(const RegisterRow& row) {
    if (!row.values.empty()) {
      std::vector<std::int64_t> values = row.values;
      if (row.role == RegisterRole::TorqueEnable) {
        std::erase(values, 128);  // a command of Feetech, which the register does not keep
      }
      return values;
    }
    auto [least, most] = row.range.value_or(row.room());
    if (const RegisterRow* const limit = rig_.table.find(row.limit)) {
      const std::int64_t bound = rig_.get(*limit);
      least = std::max(least, -bound);
      most = std::min(most, bound);
    }
    return {least, (least + most) / 2, std::max(least, most - 1), most};
  }
  std::vector<std::int64_t> bad_values(const RegisterRow& row) {
    std::vector<std::int64_t> bad;
    const auto room = row.room();
    const auto add = [&bad, &room](std::int64_t value) {
      if (value >= room.first && value <= room.second) {
        bad.push_back(value);
      }
    };
    if (!row.values.empty()) {
      add(*std::max_element(row.values.begin(), row.values.end()) + 1);
    } else if (row.range) {
      add(row.range->first - 1);
      add(row.range->second + 1);
    } else if (const RegisterRow* const limit = rig_.table.find(row.limit)) {
      const std::int64_t bound = rig_.get(*limit);
      add(-bound - 1);
      add(bound + 1);
    }
    return bad;
  }
};

TEST_P(RegisterRows, BeginWithTheirInitialValues) {
  for (const RegisterRow& row : rig_.table.rows) {
    SCOPED_TRACE(row.name);
    if (row.initial && row.role != RegisterRole::Moving && row.role != RegisterRole::MovingStatus) {
      EXPECT_EQ(rig_.get(row), *row.initial);
    } else if (const RegisterRow* const source = rig_.table.find(row.initial_of)) {
      EXPECT_EQ(rig_.get(row), rig_.get(*source));
    }
  }
}

TEST_P(RegisterRows, RaiseNoAlarmAtTheSupplyOfTheModel) {
  rig_.step(1.0);
  const auto status = rig_.ping(1);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
}

// A voltage ends the torque of a motor where the factory settings of its registers say so, and the
// limits are known.
TEST_P(RegisterRows, NameTheVoltagesThatEndTheTorqueInTheCatalogue) {
  const auto initial = [&](RegisterRole role) {
    const RegisterRow* const row = rig_.table.find(role);
    return row != nullptr ? row->initial.value_or(0) : 0;
  };
  const int voltage = rig_.table.family == "XL-320" ? 0x04 : 0x01;
  const bool ends = (initial(RegisterRole::Shutdown) & voltage) != 0;
  const auto model = ServoCatalogue().model(servo_of(GetParam()));
  const RegisterRow* const most = rig_.table.find(RegisterRole::MaxVoltage);
  const RegisterRow* const least = rig_.table.find(RegisterRole::MinVoltage);
  ASSERT_TRUE(most != nullptr && least != nullptr);
  if (ends && most->initial && least->initial) {
    EXPECT_NEAR(model->protection.max_voltage, most->scale * static_cast<double>(*most->initial),
                1e-9);
    EXPECT_NEAR(model->protection.min_voltage, least->scale * static_cast<double>(*least->initial),
                1e-9);
  } else {
    EXPECT_TRUE(std::isinf(model->protection.max_voltage));
    EXPECT_EQ(model->protection.min_voltage, 0.0);
  }
}

TEST_P(RegisterRows, RefuseWritesToWhatIsReadOnly) {
  for (const RegisterRow& row : rig_.table.rows) {
    if (row.is_writable) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::int64_t before = rig_.get(row);
    const int error = rig_.write(row.address, rig_.bytes_of(row, before + 1));
    EXPECT_EQ(error, is_feetech() ? 0 : is_narrow() ? 0x08 : 0x07);
    EXPECT_EQ(rig_.get(row), before);
  }
}

TEST_P(RegisterRows, KeepGoodValuesAndRefuseBadOnes) {
  for (const RegisterRow& row : rig_.table.rows) {
    // The limits bound the goal in its mode: LimitsOfThePositionHoldInItsModeAlone.
    if (!row.is_writable || changes_how_it_answers(row) || row.role == RegisterRole::GoalPosition) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::int64_t first = rig_.get(row);
    for (const std::int64_t value : good_values(row)) {
      EXPECT_EQ(rig_.write(row.address, rig_.bytes_of(row, value)), 0) << value;
      EXPECT_EQ(rig_.get(row), value);
    }
    const std::int64_t before = rig_.get(row);
    for (const std::int64_t value : bad_values(row)) {
      const int error = rig_.write(row.address, rig_.bytes_of(row, value));
      EXPECT_EQ(error, is_feetech()         ? 0
                       : is_narrow()        ? 0x08
                       : row.range          ? 0x04
                       : row.values.empty() ? 0x06
                                            : 0x04)
          << value;
      EXPECT_EQ(rig_.get(row), before) << value;
    }
    rig_.at(0).set(row, first);  // a lock or a mode is not that of the next register
  }
}

TEST_P(RegisterRows, RefuseTooLittleData) {
  for (const RegisterRow& row : rig_.table.rows) {
    if (!row.is_writable || row.size < 2) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::int64_t before = rig_.get(row);
    Octets data = rig_.bytes_of(row, before + 1);
    data.pop_back();
    EXPECT_EQ(rig_.write(row.address, data), is_feetech() ? 0 : is_narrow() ? 0x08 : 0x05);
    EXPECT_EQ(rig_.get(row), before);
  }
}

TEST_P(RegisterRows, OfEepromAreLockedAsTheMakerSays) {
  const bool locks_by_torque = rig_.table.protocol == &kDynamixel2;
  rig_.set(locks_by_torque ? "Torque Enable" : "Lock", 1);
  for (const RegisterRow& row : rig_.table.rows) {
    if (!row.is_writable || row.area != RegisterArea::Eeprom ||
        (is_feetech() && changes_how_it_answers(row))) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::int64_t before = rig_.get(row);
    const auto values = good_values(row);
    const std::int64_t other = values.back() != before ? values.back() : values.front();
    const int error = rig_.write(row.address, rig_.bytes_of(row, other));
    if (is_feetech()) {
      EXPECT_EQ(error, 0);
      EXPECT_EQ(rig_.get(row), other);  // it acts, and is lost without power
    } else {
      EXPECT_EQ(error, is_narrow() ? 0x08 : 0x07);
      EXPECT_EQ(rig_.get(row), before);
    }
  }
  rig_.at(0).restart();
  for (const RegisterRow& row : rig_.table.rows) {
    if (row.is_writable && row.area == RegisterArea::Eeprom && row.initial) {
      EXPECT_EQ(rig_.get(row), *row.initial) << row.name;
    }
  }
}

TEST_P(RegisterRows, OutliveARestartInEepromAlone) {
  if (is_feetech()) {
    rig_.set("Lock", 0);
  }
  std::vector<std::pair<const RegisterRow*, std::int64_t>> written;
  for (const RegisterRow& row : rig_.table.rows) {
    // What locks other registers, or is bound by them, is written in other tests; Startup
    // Configuration may switch the torque on.
    if (!row.is_writable || changes_how_it_answers(row) || row.role == RegisterRole::Lock ||
        row.role == RegisterRole::TorqueEnable || row.role == RegisterRole::GoalPosition) {
      continue;
    }
    const auto values = good_values(row);
    const std::int64_t value = values.back() != rig_.get(row) ? values.back() : values.front();
    ASSERT_EQ(rig_.write(row.address, rig_.bytes_of(row, value)), 0) << row.name;
    written.emplace_back(&row, value);
  }
  rig_.at(0).restart();
  for (const auto& [row, value] : written) {
    SCOPED_TRACE(row->name);
    if (row->area != RegisterArea::Ram) {
      EXPECT_EQ(rig_.get(*row), value);
    } else if (row->initial) {
      EXPECT_EQ(rig_.get(*row), *row->initial);
    }
  }
  // The factory's values come back.
  const Octets everything = rig_.table.protocol->is_wide ? Octets{0xFF} : Octets{};
  EXPECT_TRUE(rig_.ask_one({Instruction::FactoryReset, 1, {}, everything}));
  for (const auto& [row, value] : written) {
    if (row->initial) {
      EXPECT_EQ(rig_.get(*row), *row->initial) << row->name;
    }
  }
}

TEST_P(RegisterRows, AreReadInAnyPieces) {
  const std::size_t size = rig_.table.size();
  Octets whole;
  for (std::size_t at = 0; at < size; at += 100) {
    const auto count = static_cast<std::uint16_t>(std::min<std::size_t>(100, size - at));
    const auto answer = rig_.read(static_cast<std::uint16_t>(at), count);
    ASSERT_TRUE(answer.has_value());
    ASSERT_EQ(answer->parameters.size(), count);
    whole.insert(whole.end(), answer->parameters.begin(), answer->parameters.end());
  }
  for (const RegisterRow& row : rig_.table.rows) {
    const auto begin = whole.begin() + row.address;
    EXPECT_EQ(rig_.value_of(row, Octets(begin, begin + row.size)), rig_.get(row)) << row.name;
  }
  const auto beyond = rig_.read(static_cast<std::uint16_t>(size - 1), 2);
  EXPECT_EQ(beyond.has_value(), !is_feetech());
  if (beyond) {
    EXPECT_EQ(beyond->code, is_narrow() ? 0x08 : 0x07);
    EXPECT_TRUE(beyond->parameters.empty());
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RegisterRows, testing::ValuesIn(register_models()), test_name);

}  // namespace register_rows_test

}  // namespace
}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
// Instructions of each protocol to servos on benches: who answers, what, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bus/servo/bus_rig.h"

namespace servosim::bus {
namespace {

namespace instructions_test {

using test::BusRig;

constexpr std::uint8_t kAll = kBroadcast;

RegisterAccess to_read(std::uint8_t id, std::uint16_t address, std::uint16_t count) {
  return {id, address, count, {}};
}
RegisterAccess to_write(std::uint8_t id, std::uint16_t address, const Octets& data) {
  return {id, address, static_cast<std::uint16_t>(data.size()), data};
}

TEST(BusInstructions, PingSaysTheModelInProtocol2Alone) {
  BusRig xm("XM430-W350", 2);
  const auto pings = xm.ask({Instruction::Ping, kAll, {}, {}});
  ASSERT_EQ(pings.size(), 2U);
  EXPECT_EQ(pings[0].id, 1);
  EXPECT_EQ(pings[1], (BusPacket{true, 2, 0, {1020 & 0xFF, 1020 >> 8, 48}}));
  EXPECT_FALSE(xm.ping(3));
  BusRig sts("STS3215");
  EXPECT_EQ(sts.ping(1), (BusPacket{true, 1, 0, {}}));
}

TEST(BusInstructions, AnswersComeAfterTheWireAndTheReturnDelay) {
  BusRig xm("XM430-W350", 1);
  xm.baud = 57600.0;
  const double begin = xm.now;
  ASSERT_TRUE(xm.ping(1));
  // 10 bytes of the ping, 250 times 2 µs, 14 bytes of its status.
  EXPECT_NEAR(xm.replies[0].at - begin, 24 * 10.0 / 57600.0 + 500e-6, 1e-12);
  EXPECT_EQ(xm.set("Return Delay Time", 7), 0);
  const double again = xm.now;
  ASSERT_TRUE(xm.ping(1));
  EXPECT_NEAR(xm.replies[0].at - again, 24 * 10.0 / 57600.0 + 14e-6, 1e-12);
}

TEST(BusInstructions, AnAnswerHasALeastDelayByChoice) {
  const auto time_of_answer = [](double least) {
    BusChoices choices;
    choices.packets.least_delay = least;
    BusRig rig("STS3215", 1, "", std::nullopt, choices);
    const double begin = rig.now;
    rig.ping(1);
    return rig.now - begin;
  };
  EXPECT_NEAR(time_of_answer(4e-5) - time_of_answer(0.0), 4e-5, 1e-9);
}

TEST(BusInstructions, TheInstruction0AOfFeetechResetsTurnsOrAllByChoice) {
  for (const bool resets_all : {false, true}) {
    BusChoices choices;
    choices.registers.turn_reset_is_factory_reset = resets_all;
    BusRig rig("STS3215", 1, "", std::nullopt, choices);
    rig.set("P Coefficient", 77);
    EXPECT_TRUE(rig.ask_one({Instruction::ResetTurns, 1, {}, {}}));
    EXPECT_EQ(rig.get("P Coefficient"), resets_all ? 32 : 77);
    EXPECT_TRUE(rig.ping(1));  // with its ID
  }
}

TEST(BusInstructions, FeetechTellsTheVersionOfItsFirmwareByTwoRegisters) {
  EXPECT_EQ(firmware_text(register_table("STS3215").firmware, kFeetechSts), "3.6");
  EXPECT_EQ(firmware_text(register_table("SCS0009").firmware, kFeetechScs), "0.16");
  EXPECT_EQ(firmware_text(register_table("XM430-W350", 53).firmware, kDynamixel2), "53");
  const auto asked = read_firmware("3.10", kFeetechSts);
  ASSERT_TRUE(asked);
  BusRig rig("STS3215", 1, "", asked);
  EXPECT_EQ(rig.get("Firmware Major Version"), 3);
  EXPECT_EQ(rig.get("Firmware Minor Version"), 10);
  for (const char* const text : {"53", "3.", ".6", "3.256", "-1.2", "3.6.1", "x"}) {
    EXPECT_FALSE(read_firmware(text, kFeetechSts)) << text;
  }
  EXPECT_FALSE(read_firmware("3.10", kDynamixel2));
  EXPECT_FALSE(read_firmware("256", kDynamixel2));
}

TEST(BusInstructions, AnotherBaudRateIsNotHeard) {
  BusRig xm("XM430-W350", 1);
  xm.baud = 1e6;
  EXPECT_FALSE(xm.ping(1));
  xm.baud = 57600.0;
  // The answer to the change still has the old rate.
  EXPECT_EQ(xm.set("Baud Rate", 3), 0);
  EXPECT_FALSE(xm.ping(1));
  xm.baud = 1e6;
  EXPECT_TRUE(xm.ping(1));
}

TEST(BusInstructions, AnAnswerToANewIdHasTheOldOne) {
  BusRig sts("STS3215");
  const auto answer = sts.ask({Instruction::Write, 1, {to_write(1, 5, {9})}, {}});
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].id, 1);
  EXPECT_FALSE(sts.ping(1));
  EXPECT_TRUE(sts.ping(9));
}

TEST(BusInstructions, StatusReturnLevelsSilenceWrites) {
  BusRig xm("XM430-W350");
  EXPECT_EQ(xm.set("Status Return Level", 1), -1);
  EXPECT_EQ(xm.set("LED", 1), -1);
  EXPECT_EQ(xm.get("LED"), 1);
  EXPECT_EQ(xm.set("Status Return Level", 0), -1);
  EXPECT_FALSE(xm.read(65, 1));
  EXPECT_TRUE(xm.ping(1));
  BusRig sts("STS3215");
  EXPECT_EQ(sts.set("Response Status Level", 0), -1);
  EXPECT_EQ(sts.get("Response Status Level"), 0);  // a read is answered
}

TEST(BusInstructions, RegWriteWaitsForAction) {
  for (const char* const model : {"XM430-W350", "AX-12A", "STS3215"}) {
    SCOPED_TRACE(model);
    BusRig rig(model);
    const RegisterRow& goal = rig.row("Goal Position");
    const std::int64_t before = rig.get(goal);
    const RegisterRow& registered = *rig.table.find(RegisterRole::RegisteredInstruction);
    EXPECT_EQ(rig.write(goal.address, rig.bytes_of(goal, 700), 1, Instruction::RegWrite), 0);
    EXPECT_EQ(rig.get(goal), before);
    EXPECT_EQ(rig.get(registered), 1);
    EXPECT_TRUE(rig.ask({Instruction::Action, kAll, {}, {}}).empty());
    EXPECT_EQ(rig.get(goal), 700);
    EXPECT_EQ(rig.get(registered), 0);
    const auto nothing = rig.ask_one({Instruction::Action, 1, {}, {}});
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing->code, std::string(model) == "STS3215"  ? 0
                             : std::string(model) == "AX-12A" ? 0x40
                                                              : 0x02);
  }
}

TEST(BusInstructions, SeveralServosAnswerInTheOrderOfTheList) {
  BusRig xm("XM430-W350", 3);
  const auto sync =
      xm.ask({Instruction::SyncRead, kAll, {to_read(3, 132, 4), to_read(1, 132, 4)}, {}});
  ASSERT_EQ(sync.size(), 2U);
  EXPECT_EQ(sync[0].id, 3);
  EXPECT_EQ(sync[1].id, 1);
  EXPECT_LT(xm.replies[0].at, xm.replies[1].at);
  const auto bulk =
      xm.ask({Instruction::BulkRead, kAll, {to_read(2, 7, 1), to_read(1, 132, 4)}, {}});
  ASSERT_EQ(bulk.size(), 2U);
  EXPECT_EQ(bulk[0].parameters, Octets{2});
  // Servos behind a missing one are silent.
  EXPECT_EQ(xm.ask({Instruction::SyncRead,
                    kAll,
                    {to_read(1, 7, 1), to_read(9, 7, 1), to_read(2, 7, 1)},
                    {}})
                .size(),
            1U);
  // Only MX has the instruction in protocol 1.0.
  const BusRequest both{Instruction::BulkRead, kAll, {to_read(1, 3, 1), to_read(2, 3, 1)}, {}};
  EXPECT_EQ(BusRig("MX-28", 2).ask(both).size(), 2U);
  EXPECT_TRUE(BusRig("AX-12A", 2).ask(both).empty());
  BusRig sts("STS3215", 2);
  EXPECT_EQ(sts.ask({Instruction::SyncRead,
                     kAll,
                     {to_read(1, 5, 1), to_read(9, 5, 1), to_read(2, 5, 1)},
                     {}})
                .size(),
            2U);
}

// Whether a servo knows an instruction: it neither is silent nor says that there is none.
bool knows(const std::string& model, Instruction instruction) {
  BusRig rig(model, 1, model == "XL330-M288" ? model + "-T" : model);
  if (rig.table.protocol->find(instruction) == nullptr) {
    return false;
  }
  BusRequest request{instruction, 1, {}, {}};
  const RegisterRow& delay = rig.row("Return Delay Time");
  switch (instruction) {
    case Instruction::Clear:
      request.parameters = {0x01, 0x44, 0x58, 0x4C, 0x22};
      break;
    case Instruction::Backup:
      request.parameters = {0x01, 0x43, 0x54, 0x52, 0x4C};
      break;
    case Instruction::FactoryReset:
      request.parameters = rig.table.protocol->is_wide ? Octets{0xFF} : Octets{};
      break;
    case Instruction::SyncRead:
    case Instruction::BulkRead:
    case Instruction::FastSyncRead:
    case Instruction::FastBulkRead:
      request = {instruction, kAll, {to_read(1, delay.address, 1)}, {}};
      break;
    case Instruction::SyncWrite:
    case Instruction::BulkWrite:
      rig.ask({instruction, kAll, {{1, delay.address, 1, {77}}}, {}});
      return rig.get(delay) == 77;
    default:
      break;
  }
  rig.replies.clear();
  rig.bus.receive(encode(*rig.table.protocol, to_packet(*rig.table.protocol, request)), rig.now,
                  rig.baud, rig.replies);
  if (rig.replies.empty()) {
    return false;
  }
  const Octets& status = rig.replies[0].bytes;  // a fast read has one of its own
  return rig.table.protocol->is_wide        ? status[8] != 0x02
         : rig.table.protocol->is_feetech() ? true
                                            : (status[4] & 0x40) == 0;
}

// The table of docs/reference/bus.md.
TEST(BusInstructions, AreThoseOfTheFamily) {
  using enum Instruction;
  struct Family {
    std::string model;
    std::vector<Instruction> lacks;
  };
  const std::vector<Instruction> of_newest{ResetTurns, Calibrate};
  const std::vector<Instruction> of_older{FastSyncRead, FastBulkRead, Backup, ResetTurns,
                                          Calibrate};
  const std::vector<Instruction> of_mx{SyncRead, BulkWrite, FastSyncRead, FastBulkRead, Reboot,
                                       Clear,    Backup,    ResetTurns,   Calibrate};
  const std::vector<Instruction> of_sts{BulkRead, BulkWrite, FastSyncRead, FastBulkRead,
                                        Reboot,   Clear,     Backup};
  const auto with = [](std::vector<Instruction> list, Instruction more) {
    list.push_back(more);
    return list;
  };
  for (const Family& each :
       {Family{"AX-12A", with(of_mx, BulkRead)}, Family{"MX-64", of_mx}, Family{"XL-320", of_older},
        Family{"MX-64(2.0)", of_older}, Family{"XL330-M288", of_newest},
        Family{"XL430-W250", of_newest}, Family{"XM540-W270", of_newest},
        Family{"PH54-200-S500", of_newest}, Family{"STS3215", of_sts},
        Family{"SCS0009", with(of_sts, SyncRead)}}) {
    for (const Instruction instruction :
         {Ping, FactoryReset, Reboot, ResetTurns, Calibrate, Clear, Backup, SyncRead, SyncWrite,
          FastSyncRead, BulkRead, BulkWrite, FastBulkRead}) {
      const bool lacks =
          std::find(each.lacks.begin(), each.lacks.end(), instruction) != each.lacks.end();
      EXPECT_EQ(knows(each.model, instruction), !lacks)
          << each.model << ' ' << static_cast<int>(instruction);
    }
  }
}

TEST(BusInstructions, FastReadsAreOnePacketFromAFirmwareOn) {
  BusRig xm("XM430-W350", 2);
  const BusRequest request{
      Instruction::FastSyncRead, kAll, {to_read(1, 7, 1), to_read(2, 7, 1)}, {}};
  const auto packets = xm.ask(request);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].id, kAll);
  // error 1, ID 1, data 1, CRC, error 2, ID 2, data 2; the reader takes the first error as its own.
  ASSERT_EQ(packets[0].parameters.size(), 7U);
  EXPECT_EQ(packets[0].parameters[0], 1);
  EXPECT_EQ(packets[0].parameters[1], 1);
  EXPECT_EQ(packets[0].parameters[5], 2);
  EXPECT_EQ(packets[0].parameters[6], 2);
  BusRig old("XM430-W350", 2, "", 44);
  EXPECT_TRUE(old.ask(request).empty());
  // It has them without a register for backups.
  EXPECT_EQ(BusRig("XH540-V270", 2, "", 45).ask(request).size(), 1U);
  EXPECT_TRUE(BusRig("MX-28(2.0)", 2).ask(request).empty());
}

TEST(BusInstructions, SyncAndBulkWritesHaveNoAnswer) {
  BusRig xm("XM430-W350", 2);
  EXPECT_TRUE(
      xm.ask({Instruction::SyncWrite, kAll, {to_write(1, 65, {1}), to_write(2, 65, {1})}, {}})
          .empty());
  EXPECT_EQ(xm.get("LED", 1) + xm.get("LED", 2), 2);
  EXPECT_TRUE(
      xm.ask({Instruction::BulkWrite, kAll, {to_write(1, 65, {0}), to_write(2, 84, {5, 1})}, {}})
          .empty());
  EXPECT_EQ(xm.get("LED", 1), 0);
  EXPECT_EQ(xm.get("Position P Gain", 2), 261);
}

TEST(BusInstructions, ASecondaryIdIsObeyedInSilence) {
  BusRig xm("XM430-W350", 2);
  EXPECT_EQ(xm.set("Secondary ID", 40, 1), 0);
  EXPECT_EQ(xm.set("Secondary ID", 40, 2), 0);
  EXPECT_EQ(xm.write(65, {1}, 40), -1);
  EXPECT_EQ(xm.get("LED", 1) + xm.get("LED", 2), 2);
  EXPECT_EQ(xm.write(9, {3}, 40), -1);  // EEPROM
  EXPECT_EQ(xm.get("Return Delay Time", 1), 250);
}

TEST(BusInstructions, ASecondaryIdReachesNoEeprom) {
  BusRig xm("XM430-W350", 2);
  EXPECT_EQ(xm.set("Secondary ID", 40, 1), 0);
  EXPECT_EQ(xm.set("LED", 1, 1), 0);
  EXPECT_EQ(xm.write(9, {3}, 40, Instruction::RegWrite), -1);
  xm.ask({Instruction::Action, kAll, {}, {}});
  EXPECT_EQ(xm.get("Return Delay Time", 1), 250);
  xm.ask({Instruction::SyncWrite, kAll, {to_write(40, 9, {3})}, {}});
  xm.ask({Instruction::BulkWrite, kAll, {to_write(40, 9, {3})}, {}});
  EXPECT_EQ(xm.get("Return Delay Time", 1), 250);
  EXPECT_TRUE(xm.ask({Instruction::FactoryReset, 40, {}, {0x02}}).empty());
  EXPECT_EQ(xm.get("LED", 1), 1);  // it has not restarted
  EXPECT_TRUE(xm.ask({Instruction::Backup, 40, {}, {0x01, 0x43, 0x54, 0x52, 0x4C}}).empty());
  EXPECT_EQ(xm.get("Backup Ready", 1), 0);
  BusRig ph("PH54-200-S500");
  EXPECT_EQ(ph.set("Secondary ID", 40), 0);
  EXPECT_EQ(ph.write(168, {0x34, 0x02}, 40), -1);  // an indirect address, here in EEPROM
  EXPECT_EQ(ph.read(168, 2)->parameters, (Octets{634 & 0xFF, 634 >> 8}));
}

TEST(BusInstructions, FactoryResetKeepsWhatTheOptionSays) {
  BusRig xm("XM430-W350");
  const auto reset = [&](std::uint8_t option, std::uint8_t id) {
    return xm.ask({Instruction::FactoryReset, id, {}, {option}});
  };
  EXPECT_EQ(xm.set("Baud Rate", 3), 0);
  EXPECT_EQ(xm.set("ID", 17), 0);
  EXPECT_EQ(reset(0x02, 17).size(), 1U);
  EXPECT_EQ(xm.get("Baud Rate", 17), 3);
  EXPECT_EQ(reset(0x01, 17).size(), 1U);
  EXPECT_EQ(xm.get("Baud Rate", 17), 1);
  reset(0xFF, kAll);  // ignored, from firmware 42 on
  EXPECT_TRUE(xm.ping(17));
  const auto refused = reset(0x07, 17);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].code, 0x04);
  EXPECT_EQ(reset(0xFF, 17).size(), 1U);
  EXPECT_TRUE(xm.ping(1));
}

TEST(BusInstructions, AFactoryResetAnswersAsBefore) {
  BusRig xm("XM430-W350");
  EXPECT_EQ(xm.set("Status Return Level", 0), -1);
  EXPECT_TRUE(xm.ask({Instruction::FactoryReset, 1, {}, {0x01}}).empty());
  EXPECT_EQ(xm.get("Status Return Level"), 2);
  xm.bench().set_temperature(99.0);
  xm.step(0.01);
  const auto hot = xm.ask({Instruction::FactoryReset, 1, {}, {0x01}});
  ASSERT_EQ(hot.size(), 1U);
  EXPECT_EQ(hot[0].code, 0x80);
  for (const bool keeps : {true, false}) {
    BusChoices choices;
    choices.registers.feetech_reset_keeps_id = keeps;
    BusRig sts("STS3215", 1, "", std::nullopt, choices);
    EXPECT_EQ(sts.set("Lock", 0), 0);
    EXPECT_EQ(sts.set("ID", 17), 0);
    EXPECT_EQ(sts.ask({Instruction::FactoryReset, 17, {}, {}}).size(), 1U);
    EXPECT_TRUE(sts.ping(keeps ? 17 : 1));
  }
}

TEST(BusInstructions, AWriteOfTheReturnLevelIsAnsweredByTheNewOneUnlessChosen) {
  BusChoices choices;
  choices.registers.answers_by_old_level = true;
  BusRig xm("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(xm.set("Status Return Level", 1), 0);
  EXPECT_EQ(xm.set("LED", 1), -1);
}

TEST(BusInstructions, RebootKeepsEepromAlone) {
  BusRig xm("XM430-W350");
  EXPECT_EQ(xm.set("Return Delay Time", 9), 0);
  EXPECT_EQ(xm.set("LED", 1), 0);
  const auto answer = xm.ask({Instruction::Reboot, 1, {}, {}});
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].code, 0);
  EXPECT_EQ(xm.get("Return Delay Time"), 9);
  EXPECT_EQ(xm.get("LED"), 0);
}

TEST(BusInstructions, ARebootTakesAsLongAsIsChosen) {
  BusChoices choices;
  set_choice(choices, "restart_time", "0.25");
  BusRig xm("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(xm.ask({Instruction::Reboot, 1, {}, {}}).size(), 1U);
  EXPECT_FALSE(xm.ping(1));
  xm.step(0.2);
  EXPECT_FALSE(xm.ping(1));
  xm.step(0.1);
  EXPECT_TRUE(xm.ping(1));
}

TEST(BusInstructions, BackupIsRestored) {
  BusRig xm("XM430-W350");
  const Octets store{0x01, 0x43, 0x54, 0x52, 0x4C};
  const Octets restore{0x02, 0x43, 0x54, 0x52, 0x4C};
  const auto error = [&](const Octets& what) {
    const auto answer = xm.ask_one({Instruction::Backup, 1, {}, what});
    return answer ? answer->code : -1;
  };
  EXPECT_EQ(error(restore), 0x01);  // there is none
  EXPECT_EQ(xm.set("Position P Gain", 321), 0);
  EXPECT_EQ(xm.set("Return Delay Time", 77), 0);
  EXPECT_EQ(xm.set("Torque Enable", 1), 0);
  EXPECT_EQ(error(store), 0x01);  // torque is on
  EXPECT_EQ(xm.set("Torque Enable", 0), 0);
  EXPECT_EQ(error(store), 0);
  EXPECT_EQ(xm.get("Backup Ready"), 1);
  EXPECT_EQ(xm.set("Return Delay Time", 5), 0);
  EXPECT_EQ(xm.set("Position P Gain", 1), 0);
  EXPECT_EQ(error(restore), 0);
  EXPECT_EQ(xm.get("Position P Gain"), 321);
  EXPECT_EQ(xm.get("Return Delay Time"), 77);
  BusRig old("XM430-W350", 1, "", 44);
  EXPECT_EQ(old.ask({Instruction::Backup, 1, {}, store}).at(0).code, 0x02);
}

TEST(BusInstructions, BackupHasIndirectAddressesAndComesBackAtAStart) {
  BusRig xm("XM430-W350");
  const std::size_t size = xm.at(0).kept().size();
  EXPECT_EQ(xm.write(168, {65, 0}), 0);
  EXPECT_EQ(xm.set("Position P Gain", 321), 0);
  EXPECT_EQ(xm.ask({Instruction::Backup, 1, {}, {0x01, 0x43, 0x54, 0x52, 0x4C}}).size(), 1U);
  EXPECT_EQ(xm.write(168, {66, 0}), 0);
  EXPECT_EQ(xm.ask({Instruction::Backup, 1, {}, {0x02, 0x43, 0x54, 0x52, 0x4C}}).size(), 1U);
  EXPECT_EQ(xm.read(168, 2)->parameters, (Octets{65, 0}));
  xm.at(0).restart();
  EXPECT_EQ(xm.get("Position P Gain"), 800);
  EXPECT_EQ(xm.set("Startup Configuration", 2), 0);
  xm.at(0).restart();
  EXPECT_EQ(xm.get("Position P Gain"), 321);
  EXPECT_EQ(xm.read(168, 2)->parameters, (Octets{65, 0}));
  // A file that keeps EEPROM keeps the copy, too.
  const Octets kept = xm.at(0).kept();
  EXPECT_EQ(kept.size(), size);
  BusRig other("XM430-W350");
  other.at(0).keep(kept);
  EXPECT_EQ(other.get("Backup Ready"), 1);
  EXPECT_EQ(other.get("Position P Gain"), 321);
}

TEST(BusInstructions, UnknownOnesAreAnsweredAsTheProtocolSays) {
  const auto error = [](const char* model) {
    BusRig rig(model);
    const auto answers = rig.send(encode(*rig.table.protocol, BusPacket{false, 1, 0x77, {}}));
    return answers.size() == 1 ? answers[0].code : -1;
  };
  EXPECT_EQ(error("XM430-W350"), 0x02);
  EXPECT_EQ(error("AX-12A"), 0x40);
  EXPECT_EQ(error("STS3215"), -1);
}

TEST(BusInstructions, AWrongChecksumIsAnsweredByChoiceAlone) {
  const Octets broken{0xFF, 0xFF, 0xFD, 0x00, 0x01, 0x03, 0x00, 0x01, 0x19, 0x4F};
  BusRig silent("XM430-W350");
  EXPECT_TRUE(silent.send(broken).empty());
  BusChoices choices;
  choices.packets.answers_bad_checksum = true;
  BusRig speaks("XM430-W350", 1, "", std::nullopt, choices);
  const auto answers = speaks.send(broken);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].code, 0x03);
}

TEST(BusInstructions, AMissingServoEndsAFastReadUnlessChosen) {
  const auto bytes_with = [](bool ends) {
    BusChoices choices;
    choices.packets.missing_ends_fast_read = ends;
    BusRig rig("XM430-W350", 3, "", std::nullopt, choices);
    rig.at(1).set(*rig.table.find(RegisterRole::Id), 9);
    rig.ask({Instruction::FastSyncRead,
             kBroadcast,
             {{1, 146, 1, {}}, {2, 146, 1, {}}, {3, 146, 1, {}}},
             {}});
    return rig.replies.empty() ? Octets() : rig.replies.back().bytes;
  };
  constexpr std::size_t kHeader = 8;
  constexpr std::size_t kPart = 5;  // error, ID, temperature and checksum
  EXPECT_EQ(bytes_with(true).size(), kHeader + kPart);
  const Octets other = bytes_with(false);
  ASSERT_EQ(other.size(), kHeader + 2 * kPart);
  EXPECT_EQ(other[5] + 256U * other[6], 1 + 3 * kPart);  // the length is that of all three
  EXPECT_EQ(other[kHeader + kPart + 1], 3);              // the ID of the second part
}

TEST(BusInstructions, CodeEightOfTheBaudRateOfPIsAChoice) {
  const auto baud_with = [](double code_8) {
    BusChoices choices;
    choices.registers.baud_code_8 = code_8;
    BusRig rig("PH42-020-S300", 1, "", std::nullopt, choices);
    rig.set("Baud Rate", 8);
    return rig.at(0).baud();
  };
  EXPECT_EQ(baud_with(6e6), 6e6);
  EXPECT_EQ(baud_with(8e6), 8e6);
}

TEST(BusInstructions, AWrongChecksumOfProtocol1IsAnsweredUnlessChosen) {
  const Octets broken{0xFF, 0xFF, 0x01, 0x02, 0x01, 0xFA};
  BusRig ax("AX-12A");
  const auto answers = ax.send(broken);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].code, 0x10);
  BusChoices choices;
  choices.packets.answers_bad_checksum_1 = false;
  EXPECT_TRUE(BusRig("AX-12A", 1, "", std::nullopt, choices).send(broken).empty());
}

// A length byte that has turned asks for bytes that never come.
TEST(BusInstructions, APacketEndsAtAGapThatDependsOnTheProtocol) {
  struct Case {
    const char* model;
    Octets broken;
    double silence;
    bool hears;
  };
  for (const Case& each :
       {Case{"XM430-W350", {0xFF, 0xFF, 0xFD, 0x00, 0x01, 0x83, 0x03, 0x01}, 0.025, true},
        Case{"STS3215", {0xFF, 0xFF, 0x01, 0x82, 0x01}, 0.025, true},
        Case{"AX-12A", {0xFF, 0xFF, 0x01, 0x82, 0x01}, 0.09, false},
        Case{"AX-12A", {0xFF, 0xFF, 0x01, 0x82, 0x01}, 0.11, true},
        Case{"STS3215", {0xFF, 0xFF, 0x01, 0x82, 0x01}, 0.01, false}}) {
    BusRig rig(each.model);
    EXPECT_TRUE(rig.send(each.broken).empty());
    rig.now += each.silence;
    EXPECT_EQ(rig.ping(1).has_value(), each.hears) << each.model << " " << each.silence;
  }
}

TEST(BusInstructions, AGapBetweenStatusesIsAChoice) {
  BusChoices choices;
  set_choice(choices, "status_gap", "0.001");
  const auto wait = [](const BusChoices& chosen) {
    BusRig xm("XM430-W350", 2, "", std::nullopt, chosen);
    xm.ask({Instruction::SyncRead, kAll, {to_read(1, 7, 1), to_read(2, 7, 1)}, {}});
    return xm.replies.at(1).at - xm.replies.at(0).at;
  };
  EXPECT_NEAR(wait(choices) - wait({}), 0.001, 1e-9);
}

TEST(BusInstructions, AReadOfAnAddressWithoutARegisterIsRefusedByChoice) {
  BusRig zero("XM430-W350");
  EXPECT_EQ(zero.read(66, 2)->parameters, (Octets{0, 0}));
  BusChoices choices;
  choices.registers.undefined_read_is_error = true;
  BusRig refuses("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(refuses.read(66, 2)->code, 0x07);
  EXPECT_EQ(refuses.read(168, 70)->code, 0);  // indirect addresses and their data
}

// Read 611 of an XM430 gave 02 8B 02 8C, and a write of 0 to 596 the error of the data range.
TEST(BusInstructions, IndirectAddressesAreAsSeenOnHardware) {
  BusRig xm("XM430-W350");
  const auto answer = xm.read(611, 4);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->parameters, (Octets{0x02, 0x8B, 0x02, 0x8C}));
  EXPECT_EQ(xm.write(596, {0, 0}), 0x04);
  EXPECT_EQ(xm.write(562, {1}), 0x04);  // an address without a register
}

TEST(BusInstructions, IndirectDataMirrorsRegisters) {
  BusRig xm("XM430-W350");
  // Goal Position byte by byte, then the LED, at 224 to 228.
  for (std::uint16_t i = 0; i < 4; ++i) {
    EXPECT_EQ(
        xm.write(static_cast<std::uint16_t>(168 + 2 * i), {static_cast<std::uint8_t>(116 + i), 0}),
        0);
  }
  EXPECT_EQ(xm.write(176, {65, 0}), 0);
  EXPECT_EQ(xm.write(224, {0xE8, 0x03, 0, 0, 1}), 0);
  EXPECT_EQ(xm.get("Goal Position"), 1000);
  EXPECT_EQ(xm.get("LED"), 1);
  EXPECT_EQ(xm.read(224, 5)->parameters, (Octets{0xE8, 0x03, 0, 0, 1}));
  EXPECT_EQ(xm.write(224, {9, 9}), 0x05);  // two of four bytes
  EXPECT_EQ(xm.get("Goal Position"), 1000);
  BusRig old("XL330-M288", 1, "XL330-M288-T", 52);
  EXPECT_EQ(old.read(168, 2)->parameters, (Octets{208, 0}));
  BusRig now("XL330-M288", 1, "XL330-M288-T", 53);
  EXPECT_EQ(now.read(168, 2)->parameters, (Octets{224, 0}));
}

TEST(BusInstructions, AWriteOfABlockSetsEachRegisterByItself) {
  // Position D, I and P: the second one is out of range.
  const Octets block{7, 0, 0xFF, 0xFF, 9, 0};
  BusRig one("XM430-W350");
  EXPECT_EQ(one.write(80, block), 0x04);
  EXPECT_EQ(one.get("Position D Gain"), 7);
  EXPECT_EQ(one.get("Position P Gain"), 9);
  BusChoices choices;
  choices.registers.writes_all_or_nothing = true;
  BusRig none("XM430-W350", 1, "", std::nullopt, choices);
  EXPECT_EQ(none.write(80, block), 0x04);
  EXPECT_EQ(none.get("Position P Gain"), 800);
}

TEST(BusInstructions, BytesWithoutARegisterDoNoHarmToOthers) {
  BusRig xm("XM430-W350");
  // LED at 65, nothing at 66 and 67, Status Return Level at 68.
  EXPECT_EQ(xm.write(65, {1, 9, 9, 2}), 0);
  EXPECT_EQ(xm.get("LED"), 1);
  EXPECT_EQ(xm.write(66, {1}), 0x04);
  EXPECT_EQ(xm.write(64, {0, 0, 5}), 0);
  EXPECT_EQ(xm.get("LED"), 0);
}

TEST(BusInstructions, BitsBeyondTheSignAreOutOfRange) {
  BusRig ax("AX-12A");
  EXPECT_EQ(ax.write(32, {3000 & 0xFF, 3000 >> 8}), 0x08);  // Moving Speed has 11 bits
  EXPECT_EQ(ax.get("Moving Speed"), 0);
  EXPECT_EQ(ax.write(32, {2000 & 0xFF, 2000 >> 8}), 0);
  EXPECT_EQ(ax.get("Moving Speed"), -976);
  BusRig sts("STS3215");
  EXPECT_EQ(sts.write(44, {0, 0x0A}), 0);  // the sign of the PWM is bit 10
  EXPECT_EQ(sts.get("Goal Time"), 0);
  BusChoices choices;
  choices.registers.pwm_sign_is_bit_11 = true;
  BusRig other("STS3215", 1, "", std::nullopt, choices);
  EXPECT_EQ(other.write(44, {100, 0x08}), 0);
  EXPECT_EQ(other.at(0).value(*other.at(0).table().find(RegisterRole::GoalTime)), -100);
}

TEST(BusInstructions, AxLocksItsEepromUntilThePowerIsOff) {
  BusRig ax("AX-12A");
  EXPECT_EQ(ax.set("Lock", 1), 0);
  EXPECT_EQ(ax.set("CW Angle Limit", 100), 0x08);
  EXPECT_EQ(ax.set("Lock", 0), 0x08);
  ax.at(0).restart();
  EXPECT_EQ(ax.set("CW Angle Limit", 100), 0);
  EXPECT_EQ(ax.set("Goal Position", 50), 0x02);  // outside of the angle limits
}

TEST(BusInstructions, ChoicesSayWhatTheyCanBe) {
  BusChoices choices;
  EXPECT_THROW(set_choice(choices, "restart", "1"), std::invalid_argument);
  EXPECT_THROW(set_choice(choices, "keeps_goal", "1"), std::invalid_argument);
  EXPECT_THROW(set_choice(choices, "ping_slot", "-1"), std::invalid_argument);
  EXPECT_THROW(set_choice(choices, "ping_slot", "nan"), std::invalid_argument);
  set_choice(choices, "ping_slot", "0.003");
  EXPECT_EQ(choices.packets.ping_slot, 0.003);
}

}  // namespace instructions_test

}  // namespace
}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
// Frames as bytes, in pieces, and damaged at every byte.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

/// Returns what a reader makes of a stream in pieces of one size: frames as bytes, and "bad" or
/// "endless".
template <typename Frame>
std::vector<std::string> read(const std::string& stream, std::size_t piece = 1) {
  FrameReader<Frame> reader;
  std::vector<std::string> events;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.feed(std::string_view(stream).substr(at, piece));
    for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
      if (const auto* bad = std::get_if<BadFrame>(&event)) {
        events.push_back(bad->endless ? "endless" : "bad: " + bad->why);
      } else {
        events.push_back(encode(std::get<Frame>(event)));
      }
    }
  }
  return events;
}
using Events = std::vector<std::string>;

template <typename Frame>
void expect_round_trip(const Frame& frame) {
  const std::string sent = encode(frame);
  FrameReader<Frame> reader;
  reader.feed(sent);
  const auto event = reader.next();
  ASSERT_TRUE(std::holds_alternative<Frame>(event)) << to_text(frame);
  EXPECT_TRUE(std::get<Frame>(event) == frame) << to_text(frame);
  EXPECT_EQ(reader.waiting(), 0u);
}

TEST(SrvpFrames, TheSeedsExamples) {
  const Query query = to_positions({{8, 12}, {6, 17}});
  EXPECT_EQ(encode(query), kSeedQuery);
  EXPECT_EQ(kSeedQuery, "!s-SRVP-\x02-\x09:\x0d-\x07:\x12-e!");
  EXPECT_EQ(encode(McuOrder{McuOrder::Kind::Move, std::get<Movement>(query)}), kSeedOrder);
  EXPECT_EQ(encode(Query(to_positions({{2, 186}}))), kSeedWrongQuery);
  EXPECT_EQ(to_text(query), "!s-SRVP-2-<9>:<13>-<7>:<18>-e!");
  expect_round_trip(query);
  expect_round_trip(Query(to_positions({{2, 186}})));
}

TEST(SrvpFrames, GoldenBytesOfAllOthers) {
  EXPECT_EQ(encode(Login(ClientLogin())), "!s-Client_here-e!");
  EXPECT_EQ(encode(Login(McuDescription{"nao", McuKind::Smart, 2, {0, 179}})),
            bytes("!s-NodeMCU_here-nao-<2>-<1>-<180>-e!"));
  EXPECT_EQ(encode(Login(dumb("arm", 5))), bytes("!s-NodeMCU_here-arm-<5>-<187>-e!"));
  EXPECT_EQ(encode(Query(SelectMcu{"nao"})), "!s-sMCU-nao-e!");
  EXPECT_EQ(encode(Query(AskInfo())), "!s-iMCU-e!");
  EXPECT_EQ(encode(Query(SetMode{SetMode::kDelayed})), "!s-eMOD-d-e!");
  EXPECT_EQ(encode(Query(SetMode{SetMode::kRealTime})), "!s-eMOD-e-e!");
  EXPECT_EQ(encode(Query(ExecuteAll())), "!s-mALL-e!");
  EXPECT_EQ(encode(Query(Upload{{{0, 32766}, {255, 256}}})),
            bytes("!s-uINF-<2>-<128><1>:<255><255>-<129><0>:<129><1>-e!"));
  EXPECT_EQ(encode(Query(ShutDown())), "!s-sOFF-e!");
  EXPECT_EQ(encode(Query(to_pwm({{8, 1500}}))), bytes("!s-SRVP-<1>-<9>:<133><221>-e!"));
  EXPECT_EQ(encode(ack(101)), "!s-_ACK-e-e!");
  EXPECT_EQ(encode(nack(Nack::InvalidParameter)), "!s-NACK-\xfc-e!");
  EXPECT_EQ(encode(Answer(McuInfo{{0, 90}})), bytes("!s-iMCU-<2>-<1>-<91>-e!"));
  EXPECT_EQ(encode(McuOrder{McuOrder::Kind::Store, to_positions({{0, 0}})}),
            bytes("-u-<1>-<1>:<1>-!"));
  EXPECT_EQ(encode(McuOrder{McuOrder::Kind::Move, to_pwm({{0, 255}})}),
            bytes("-m-<1>-<1>:<129><0>-!"));
  EXPECT_EQ(encode(McuOrder{McuOrder::Kind::Execute, {}}), "-e-!");
}

// The functions that the original description of SRVP prints.
std::string divide_into_bytes(std::uint16_t u) {
  return {static_cast<char>(u >> 8), static_cast<char>(u & 0x00ff)};
}

TEST(SrvpFrames, PwmIsCodedByTheSeedsFormulaForAllValues) {
  for (int pwm = 0; pwm <= kMaxPwm; ++pwm) {
    const auto coded = static_cast<std::uint16_t>(pwm + (1 + (0b1 << 15)));
    ASSERT_EQ(encode_pwm(pwm), coded);
    ASSERT_EQ(decode_pwm(coded), pwm);
    const std::string sent = encode(Query(to_pwm({{0, pwm}})));
    ASSERT_EQ(sent.substr(12, 2), divide_into_bytes(coded));
  }
  EXPECT_THROW(encode_pwm(32767), std::invalid_argument);
  EXPECT_THROW(encode_pwm(-40000), std::invalid_argument);
}

TEST(SrvpFrames, EveryIdWithEveryPositionAndEveryPwmComesBack) {
  for (std::uint8_t id = 0; id < kMaxServos; ++id) {
    for (std::int32_t position = 0; position <= kMaxPosition; ++position) {
      expect_round_trip(Query(to_positions({{id, position}})));
      expect_round_trip(McuOrder{McuOrder::Kind::Store, to_positions({{id, position}})});
    }
  }
  for (std::int32_t pwm = 0; pwm <= kMaxPwm; ++pwm) {
    const auto id = static_cast<std::uint8_t>(pwm % 32);
    expect_round_trip(Query(to_pwm({{id, pwm}})));
    expect_round_trip(McuOrder{McuOrder::Kind::Move, to_pwm({{id, pwm}})});
    expect_round_trip(Query(Upload{{{pwm, kMaxPwm - pwm}}}));
  }
}

TEST(SrvpFrames, EveryCountOfMovesComesBackInBothForms) {
  std::mt19937 random(1);
  for (std::size_t count = 1; count <= 255; ++count) {
    Movement positions;
    Movement pwm{MoveForm::Pwm, {}};
    Upload upload;
    for (std::size_t i = 0; i < count; ++i) {
      positions.moves.push_back(
          {static_cast<std::uint8_t>(random() % 255), static_cast<std::int32_t>(random() % 255)});
      pwm.moves.push_back(
          {static_cast<std::uint8_t>(random() % 32), static_cast<std::int32_t>(random() % 32767)});
      upload.ranges.push_back({static_cast<std::int32_t>(random() % 32767),
                               static_cast<std::int32_t>(random() % 32767)});
    }
    expect_round_trip(Query(positions));
    expect_round_trip(Query(pwm));
    expect_round_trip(Query(upload));
    expect_round_trip(McuOrder{McuOrder::Kind::Move, positions});
    expect_round_trip(McuOrder{McuOrder::Kind::Move, pwm});
  }
  EXPECT_THROW(encode(Query(Movement())), std::invalid_argument);
  EXPECT_THROW(encode(Query(to_positions(std::vector<Move>(256)))), std::invalid_argument);
}

TEST(SrvpFrames, ControlsModesInfosAndLoginsComeBack) {
  for (int code = 1; code <= 255; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    for (const bool is_ack : {true, false}) {
      expect_round_trip(McuAnswer{{is_ack, byte}});
      expect_round_trip(Answer(Control{is_ack, byte}));
    }
    expect_round_trip(Query(SetMode{byte}));
  }
  for (std::size_t servos = 1; servos <= kMaxServos; ++servos) {
    McuDescription mcu = smart("x", servos);
    for (std::size_t i = 0; i < servos; ++i) {
      mcu.positions[i] = static_cast<std::uint8_t>((i * 37 + servos) % 180);
    }
    expect_round_trip(Login(mcu));
    expect_round_trip(Login(dumb("x", servos)));
    expect_round_trip(Answer(McuInfo{mcu.positions}));
  }
  expect_round_trip(Login(ClientLogin()));
  expect_round_trip(Answer(McuInfo{{kUnknownPosition}}));
  expect_round_trip(McuOrder{McuOrder::Kind::Execute, {}});
}

TEST(SrvpFrames, NamesAreAnyBytesButDashAndZero) {
  std::string all;
  for (int c = 1; c < 256; ++c) {
    if (c != '-') {
      all += static_cast<char>(c);
      const std::string name = std::string("!s:") + static_cast<char>(c);
      expect_round_trip(Query(SelectMcu{name}));
      expect_round_trip(Login(smart(name, 1)));
    }
  }
  expect_round_trip(Query(SelectMcu{all}));
  expect_round_trip(Query(SelectMcu{all.substr(0, 254) + "x"}));
  expect_round_trip(Query(SelectMcu{"e"}));
  for (const std::string& bad : {std::string("a-b"), std::string(1, '\0'), std::string(256, 'x'),
                                 std::string("e!"), std::string("e!x")}) {
    EXPECT_THROW(encode(Query(SelectMcu{bad})), std::invalid_argument) << shown(bad);
    EXPECT_THROW(encode(Login(smart(bad, 1))), std::invalid_argument) << shown(bad);
  }
  EXPECT_THROW(encode(Login(smart("", 1))), std::invalid_argument);
  EXPECT_EQ(read<Query>("!s-sMCU-e!"), read<Query>("!s-sMCU--e!"));
}

TEST(SrvpFrames, AHundredAtOnceAreTheSameAsByteByByte) {
  std::string stream;
  Events expected;
  for (int i = 0; i < 100; ++i) {
    // These data look like the structure of a frame: '-', ':', '!', 's' and 'e' less 1, and low
    // bytes of 0.
    const std::int32_t data[] = {44, 57, 32, 114, 100};
    const Query queries[] = {
        to_positions({{static_cast<std::uint8_t>(data[i % 5]), data[i / 5 % 5]}}),
        to_pwm({{static_cast<std::uint8_t>(i % 32), 255 + 256 * i}}), SelectMcu{"s!e"},
        Upload{{{0x2d20, 0x2d64}}}};
    expected.push_back(encode(queries[i % 4]));
    stream += expected.back();
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, stream.size()}) {
    EXPECT_EQ(read<Query>(stream, piece), expected) << piece;
  }
}

TEST(SrvpFrames, ABadFrameIsToldOnceAndTheNextIsRead) {
  const std::string good = "!s-iMCU-e!";
  const std::pair<std::string, std::string> bad[] = {
      {"?s-iMCU-e!", "a bad head"},
      {"!x-SRVP-e!", "a bad head"},
      {"!s_iMCU-e!", "a bad head"},
      {"!s-e!", "an unknown code"},
      {"!s-XXXX-e!", "an unknown code"},
      {"!s-srvp-e!", "an unknown code"},
      {"!s-iMCU-x!", "no end after the code"},
      {"!s-iMCU-1-e!", "no end after the code"},
      {"!s-mALL-e?", "no end after the code"},
      {bytes("!s-SRVP-<0>-<1>:<1>-e!"), "a zero byte"},
      {bytes("!s-SRVP-<1>-<0>:<1>-e!"), "a zero byte"},
      {bytes("!s-SRVP-<1>-<1>:<0>-e!"), "a zero byte"},
      {bytes("!s-SRVP<0>-e!"), "a zero byte"},
      {bytes("!s-<0>RVP-e!"), "a zero byte"},
      {bytes("!s-SRVP-<1>-<1>:<1>-<2>:<2>-e!"), "another end than its count says"},
      {bytes("!s-SRVP-<2>-<1>:<1>-e!"), "another end than its count says"},
      {bytes("!s-SRVP-<1>-<1>;<1>-e!"), "no ':' between a servo and its value"},
      {bytes("!s-SRVP-<1>-<1>:<129><0><7>-e!"), "another end than its count says"},
      {bytes("!s-uINF-<1>-<128><1>:<0><1>-e!"), "a zero byte"},
      {bytes("!s-uINF-<1>-<128><1>-<129><1>-e!"), "no ':' between the two PWM values"},
      {bytes("!s-eMOD-<0>-e!"), "a zero byte"},
      {"!s-eMOD-e!", "no end after the mode"},
      {bytes("!s-sMCU-a<0>b-e!"), "a zero byte"},
      {"!s-sMCU-a-b-e!", "no end after the name"},
      {"!s-sMCU-" + std::string(256, 'x') + "-e!", "a name of more than 255 bytes"},
  };
  for (const auto& [frame, why] : bad) {
    const std::string stream = good + frame + good;
    const Events expected{good, "bad: " + why, good};
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, stream.size()}) {
      EXPECT_EQ(read<Query>(stream, piece), expected) << shown(frame) << " in " << piece;
    }
  }
}

TEST(SrvpFrames, ALoginIsLookedAtClosely) {
  const std::string bad[] = {"!s-iMCU-e!",
                             "!s-Client_there-e!",
                             bytes("!s-NodeMCU_here--<1>-<1>-e!"),
                             bytes("!s-NodeMCU_here-a-<33>-<187>-e!"),
                             bytes("!s-NodeMCU_here-a-<0>-<187>-e!"),
                             bytes("!s-NodeMCU_here-a-<2>-<1>-e!"),
                             bytes("!s-NodeMCU_here-a-<2>-<187>-<187>-<187>-e!"),
                             bytes("!s-NodeMCU_here-e!-<1>-<1>-e!")};
  for (const std::string& login : bad) {
    const Events events = read<Login>(login);
    ASSERT_FALSE(events.empty()) << shown(login);
    EXPECT_TRUE(events[0].starts_with("bad: ")) << shown(login);
  }
}

// The platform's server accepts such a login.
TEST(SrvpFrames, ALoginMaySayAnyPositionOfAServo) {
  for (const std::vector<std::uint8_t>& positions : {std::vector<std::uint8_t>{0, kUnknownPosition},
                                                     {kUnknownPosition, 100},
                                                     {180, 254},
                                                     {200}}) {
    expect_round_trip(Login(McuDescription{"x", McuKind::Smart, positions.size(), positions}));
  }
  EXPECT_THROW(encode(Login(smart("x", 1, kUnknownPosition))), std::invalid_argument);
}

TEST(SrvpFrames, AnMcuMayAnswerWithoutAFrame) {
  const auto heard = [](const std::string& stream, std::size_t piece) {
    return read<McuAnswer>(stream, piece);
  };
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
    EXPECT_EQ(heard("_ACKNACK-3_ACK" + kAck + "NACK-1", piece),
              (Events{"_ACK", "NACK-3", "_ACK", kAck, "NACK-1"}));
    EXPECT_EQ(heard("_ACK\r\n_ACK\r\n", piece),
              (Events{"_ACK", "bad: a bad head", "_ACK", "bad: a bad head"}));
    EXPECT_EQ(heard("NACK-x_ACK", piece), (Events{"bad: no digit after NACK-", "_ACK"}));
  }
  expect_round_trip(McuAnswer{ack(), true});
  expect_round_trip(McuAnswer{{false, 5}, true});
  EXPECT_EQ((McuAnswer{ack(), true}.relayed()), ack());
  EXPECT_EQ((McuAnswer{{false, 3}, true}.relayed()), nack(Nack::ErrorContactingMcu));
  EXPECT_EQ((McuAnswer{{false, 3}}.relayed()), (Control{false, 3}));
}

TEST(SrvpFrames, AFrameWithoutEndIsGivenUpAndItsBytesAreNotKept) {
  for (const std::string& begin : {std::string("!s-sMCU-"), std::string("x"), std::string("!s-")}) {
    FrameReader<Query> reader;
    std::size_t most = 0;
    int bad = 0;
    int endless = 0;
    reader.feed(begin);
    for (int i = 0; i < 10 * int{kMaxFrame} && endless == 0; ++i) {
      reader.feed("a");
      for (auto event = reader.next(); event.index() != 0; event = reader.next()) {
        ++(std::get<BadFrame>(event).endless ? endless : bad);
      }
      most = std::max(most, reader.waiting());
    }
    EXPECT_EQ(bad, 1) << begin;
    EXPECT_EQ(endless, 1) << begin;
    EXPECT_LE(most, kMaxName + 16) << begin;
  }
}

TEST(SrvpFrames, NoDamageOfOneByteOrCutLosesTheFrameThatFollowsALongTail) {
  const std::string victim = encode(Query(to_pwm({{1, 255}, {2, 3000}})));
  const std::string good = encode(Query(AskInfo()));
  for (std::size_t at = 0; at < victim.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = victim;
      damaged[at] = static_cast<char>(value);
      const Events events = read<Query>(damaged + good + good, 5);
      ASSERT_FALSE(events.empty());
      EXPECT_EQ(events.back(), good) << at << ' ' << value;
      EXPECT_EQ(events, read<Query>(damaged + good + good, 1)) << at << ' ' << value;
    }
  }
}

TEST(SrvpFrames, PositionsBecomePwmToTheNearest) {
  EXPECT_EQ(pwm_of(0, {1000, 2000}), 1000);
  EXPECT_EQ(pwm_of(90, {1000, 2000}), 1500);
  EXPECT_EQ(pwm_of(179, {1000, 2000}), 1994);  // 1994.44
  EXPECT_EQ(pwm_of(100, {0, 179}), 99);        // 99.44; dividing the range first would give 0
  EXPECT_EQ(pwm_of(1, {0, 90}), 1);            // 0.5
  EXPECT_EQ(pwm_of(1, {90, 0}), 89);           // 89.5
  EXPECT_EQ(pwm_of(90, {2000, 1000}), 1500);
  EXPECT_EQ(pwm_of(179, {0, kMaxPwm}), 32584);  // 32583.97
  for (const PwmRange range : {PwmRange{500, 2500}, PwmRange{2500, 500}, PwmRange{0, 180}}) {
    for (int position = 0; position <= kMaxPosition; ++position) {
      EXPECT_EQ(position_of(pwm_of(position, range), range), position);
    }
  }
  EXPECT_EQ(position_of(7, {5, 5}), kUnknownPosition);
  EXPECT_EQ(position_of(0, {1000, 2000}), 0);
  EXPECT_EQ(position_of(9000, {1000, 2000}), kMaxPosition);
}

TEST(SrvpFrames, NacksHaveTheirNames) {
  EXPECT_EQ(describe(nack(Nack::InvalidQuery)), "NACK 255 InvalidQuery");
  EXPECT_EQ(describe(nack(Nack::NoActiveMcu)), "NACK 254 NoActiveMCU");
  EXPECT_EQ(describe(nack(Nack::OnRealTimeMode)), "NACK 253 OnRTMode");
  EXPECT_EQ(describe(nack(Nack::InvalidParameter)), "NACK 252 InvalidParameter");
  EXPECT_EQ(describe(nack(Nack::ServoCountMismatch)), "NACK 251 ServoCountMissmatch");
  EXPECT_EQ(describe(nack(Nack::NoMcuInfo)), "NACK 250 NoMCUInfo");
  EXPECT_EQ(describe(nack(Nack::McuOffline)), "NACK 249 MCUOffline");
  EXPECT_EQ(describe(nack(Nack::ErrorContactingMcu)), "NACK 248 ErrorContactingMCU");
  EXPECT_EQ(describe(nack(Nack::ErrorLoadingMinMax)), "NACK 247 ErrorLoadingMINMAX");
  EXPECT_EQ(describe({false, 7}), "NACK 7");
  EXPECT_EQ(describe(ack()), "ACK 255");
}

TEST(SrvpFrames, AnUploadWithTooFewRangesIsRefusedAtItsTail) {
  FrameReader<Query> reader;
  reader.feed(bytes("!s-uINF-<3>-<131><233>:<135><209>-e!"));
  const auto frame = reader.next();
  ASSERT_TRUE(std::holds_alternative<BadFrame>(frame));
  EXPECT_EQ(std::get<BadFrame>(frame).why, "another end than its count says");
}

TEST(SrvpFrames, ABadFrameShowsItsBytes) {
  FrameReader<Query> reader;
  reader.feed(bytes("!s-SRVP-<1>-<3>x<9>-e!!s-iMCU-e!"));
  EXPECT_EQ(to_text(std::get<BadFrame>(reader.next())), "!s-SRVP-<1>-<3>x<9>-e!");
  EXPECT_EQ(std::get<Query>(reader.next()), Query(AskInfo()));
  reader.feed(std::string(64, 'x') + "-e!");
  EXPECT_EQ(to_text(std::get<BadFrame>(reader.next())), std::string(64, 'x') + "...");
  reader.next();
  reader.feed("!s-iMC");
  EXPECT_EQ(reader.next().index(), 0u);
  EXPECT_EQ(to_text(reader.give_up("late")), "!s-iMC");
}

// A reader waits for an unfinished frame only.
TEST(SrvpFrames, TheRestOfABadFrameIsNoUnfinishedOne) {
  FrameReader<Query> reader;
  EXPECT_FALSE(reader.is_unfinished());
  reader.feed("hello");
  EXPECT_EQ(reader.next().index(), 2u);
  EXPECT_EQ(reader.next().index(), 0u);
  EXPECT_FALSE(reader.is_unfinished());
  reader.feed("!s-i");
  EXPECT_EQ(reader.next().index(), 0u);
  EXPECT_TRUE(reader.is_unfinished());
}

}  // namespace
}  // namespace servosim::srvp

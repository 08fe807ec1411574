// SPDX-License-Identifier: Apache-2.0
#include "yarp/protocol/bottle.h"

#include <cmath>
#include <limits>
#include <random>

#include "yarp/ports/test_support.h"

namespace servosim::yarp {
namespace {

const Bottle kSetMode{{Vocab("set"), Vocab("icmd"), Vocab("cmod"), 0, Vocab("pos")}};

// One value of each type, with all its bytes in use.
const std::vector<BottleValue> kOneOfEach{
    std::int8_t{-7},
    std::int16_t{-30001},
    std::int32_t{-2000000011},
    std::int64_t{-9000000000000000017},
    -1.17549435e-38f,
    -6.0221407623e+23,
    Vocab("torq"),
    Vocab64{pack_vocab<std::int64_t>("velocity")},
    std::string("zwei\nZ\0eilen", 12),
    Blob{std::string("\x00\xff\x80 ]}", 6)},
    Bottle{{Vocab("one"), 2, Bottle{{3.5}}, Bottle{}}},
};

TEST(YarpBottle, GoldenBottlesInBothDirections) {
  const std::pair<Bottle, std::string> cases[] = {
      {kSetMode, golden::kSetMode},
      {{{Vocab("get"), Vocab("prot")}}, golden::kGetProtocol},
      {{{Vocab("ok")}}, golden::kOk},
      {{{Vocab("vmos")}}, golden::kVmos},
      {{{Vocab("vmo"), 0}}, golden::kVmo0},
      {{}, hex("00 01 00 00 00 00 00 00")},
      {{{Bottle{{1}}, Bottle{{2, 3}}}},
       hex("00 01 00 00 02 00 00 00  01 01 00 00 01 00 00 00 01 00 00 00 "
           "01 01 00 00 02 00 00 00 02 00 00 00 03 00 00 00")},
      {{{std::string("axes")}}, hex("04 01 00 00 01 00 00 00 04 00 00 00 \"axes\"")},
  };
  for (const auto& [bottle, bytes] : cases) {
    EXPECT_EQ(encoded(bottle), bytes) << to_text(bottle);
    const BottleOrError result = decoded(bytes);
    ASSERT_FALSE(is_error(result)) << error_text(result);
    EXPECT_EQ(std::get<Bottle>(result), bottle) << to_text(bottle);
  }
}

// 12.5 is 40 29 00 00 00 00 00 00, highest byte first; 12.5f is 41 48 00 00.
TEST(YarpBottle, NumbersHaveTheTagsOfTheirGeneration) {
  const std::string d = hex("01 00 00 00 00 00 00 00 00 00 29 40");
  const std::string f = hex("01 00 00 00 00 00 48 41");
  EXPECT_EQ(encoded({{12.5}}, Generation::V3), hex("0a 01 00 00") + d);
  EXPECT_EQ(encoded({{12.5}}, Generation::V4), hex("14 01 00 00") + d);
  EXPECT_EQ(encoded({{12.5f}}, Generation::V3), hex("80 01 00 00") + f);
  EXPECT_EQ(encoded({{12.5f}}, Generation::V4), hex("0a 01 00 00") + f);
  const Bottle word{{Vocab64{pack_vocab<std::int64_t>("position")}}};
  EXPECT_EQ(encoded(word, Generation::V4), hex("12 01 00 00 01 00 00 00 \"position\""));
  EXPECT_EQ(encoded(word, Generation::V3), hex("09 01 00 00 01 00 00 00 \"posi\""));
  // A float of the other generation is not read as a list of this one.
  EXPECT_EQ(error_text(decoded(hex("14 01 00 00") + d, Generation::V3)),
            "a Bottle with 276 where a list should begin, as YARP 4 has it");
  EXPECT_EQ(error_text(decoded(hex("80 01 00 00") + f, Generation::V4)),
            "a Bottle with 384 where a list should begin, as YARP 3 has it");
}

// Programs that know the record read it like this, byte by byte.
TEST(YarpBottle, ItemsOfOneTypeMayAllCarryTheirTag) {
  const std::string ok = hex("00 01 00 00 01 00 00 00 09 00 00 00 \"ok\" 00 00");
  const std::string two =
      hex("00 01 00 00 02 00 00 00 01 00 00 00 07 00 00 00 01 00 00 00 08 00 00 00");
  EXPECT_EQ(encoded({{Vocab("ok")}, true}), ok);
  EXPECT_EQ(encoded({{7, 8}, true}), two);
  EXPECT_TRUE(std::get<Bottle>(decoded(two)).tagged);
  EXPECT_FALSE(std::get<Bottle>(decoded(encoded({{7, 8}}))).tagged);
  EXPECT_EQ((Bottle{{7, 8}, true}), (Bottle{{7, 8}, false}));
}

TEST(YarpBottle, EveryTypeComesBackAloneDoubledAndMixed) {
  for (const Generation generation : {Generation::V3, Generation::V4}) {
    Bottle mixed;
    for (const BottleValue& value : kOneOfEach) {
      if (generation == Generation::V3 && std::holds_alternative<Vocab64>(value)) {
        continue;  // 3.x has no such type
      }
      mixed.add(value);
      for (const Bottle& bottle : {Bottle{{value}}, Bottle{{value, value}}, mixed}) {
        const BottleOrError result = decoded(encoded(bottle, generation), generation);
        ASSERT_FALSE(is_error(result)) << error_text(result);
        EXPECT_EQ(std::get<Bottle>(result), bottle) << to_text(bottle);
      }
    }
  }
}

// Returns a tree of random values. The seed makes it the same in every run.
Bottle random_bottle(std::mt19937& random, int depth) {
  Bottle bottle;
  const std::size_t last = depth < 4 ? kOneOfEach.size() - 1 : kOneOfEach.size() - 2;
  const bool special = random() % 2 == 0;  // all items have one type
  std::size_t kind = random() % (last + 1);
  for (std::size_t count = random() % 6; count > 0; --count) {
    kind = special ? kind : random() % (last + 1);
    if (kind == kOneOfEach.size() - 1) {
      bottle.add(random_bottle(random, depth + 1));
    } else if (kind == 5) {
      bottle.add(
          std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 2000) - 1000));
    } else {
      bottle.add(kOneOfEach[kind]);
    }
  }
  return bottle;
}

TEST(YarpBottle, RandomTreesComeBack) {
  std::mt19937 random(20);
  int lists = 0;
  for (int i = 0; i < 3000; ++i) {
    const Bottle bottle = random_bottle(random, 0);
    lists += bottle.size() > 0 && as_list(bottle.items[0]);
    const std::string bytes = encoded(bottle, Generation::V4);
    const BottleOrError result = decoded(bytes, Generation::V4);
    ASSERT_FALSE(is_error(result)) << error_text(result);
    ASSERT_EQ(std::get<Bottle>(result), bottle) << to_text(bottle);
    const BottleEnd end = find_bottle_end(as_bytes(bytes + "more"), Generation::V4);
    ASSERT_EQ(end.size, bytes.size());
  }
  EXPECT_GT(lists, 100);
}

TEST(YarpBottle, ADictionaryIsReadAsAList) {
  const std::string bytes = hex("00 03 00 00 01 00 00 00 01 00 00 00 2a 00 00 00");
  EXPECT_EQ(std::get<Bottle>(decoded(bytes)), (Bottle{{42}}));
  const std::string inside = hex("00 01 00 00 01 00 00 00 01 02 00 00 01 00 00 00 2a 00 00 00");
  EXPECT_EQ(std::get<Bottle>(decoded(inside)), (Bottle{{Bottle{{42}}}}));
}

TEST(YarpBottle, WhatEndsTooEarlyIsAnErrorAndItsEndIsNotFound) {
  for (const Generation generation : {Generation::V3, Generation::V4}) {
    const std::string bytes = encoded(Bottle{kOneOfEach}, generation);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const std::string cut = bytes.substr(0, length);
      EXPECT_TRUE(is_error(decoded(cut, generation))) << length;
      const BottleEnd end = find_bottle_end(as_bytes(cut), generation);
      EXPECT_EQ(end.size, 0u) << length;
      EXPECT_EQ(end.error, "") << length;
    }
    EXPECT_EQ(find_bottle_end(as_bytes(bytes), generation).size, bytes.size());
  }
}

TEST(YarpBottle, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"09 01 00 00 02 00 00 00 \"ok\" 00 00", "a Bottle that ends too early"},
      {"09 01 00 00 01 00 00 00 \"ok\" 00 00 00", "a Bottle with 1 bytes after its end"},
      {"09 01 00 00 ff ff ff ff", "a Bottle with a list that claims -1 items"},
      {"09 01 00 00 ff ff ff 7f", "a Bottle with a list that claims 2147483647 items"},
      {"09 00 00 00 01 00 00 00", "a Bottle with 9 where a list should begin"},
      {"09 05 00 00 01 00 00 00", "a Bottle with 1289 where a list should begin"},
      {"07 01 00 00 01 00 00 00", "a Bottle with 263 where a list should begin"},
      {"00 01 00 00 01 00 00 00 07 00 00 00 00 00 00 00",
       "a Bottle with 7 where a list should begin"},
      {"04 01 00 00 01 00 00 00 ff ff ff ff", "a Bottle with a text that claims -1 bytes"},
      {"0c 01 00 00 01 00 00 00 ff ff ff 7f", "a Bottle with a text that claims 2147483647 bytes"},
  };
  for (const auto& [dump, text] : cases) {
    EXPECT_EQ(error_text(decoded(hex(dump))), text) << dump;
  }
}

Bottle nested(int depth) {
  Bottle bottle{{7}};
  for (; depth > 0; --depth) {
    bottle = Bottle{{bottle}};
  }
  return bottle;
}

TEST(YarpBottle, NestingHasALimit) {
  EXPECT_EQ(std::get<Bottle>(decoded(encoded(nested(kMaxNesting)))), nested(kMaxNesting));
  EXPECT_EQ(error_text(decoded(encoded(nested(kMaxNesting + 1)))),
            "a Bottle with lists nested more than 16 deep");
  std::string deep;
  for (int i = 0; i < 100000; ++i) {
    deep += hex("00 01 00 00 01 00 00 00");
  }
  EXPECT_TRUE(is_error(decoded(deep)));
}

TEST(YarpBottle, ItemsHaveALimitInAllListsTogether) {
  const Bottle half{std::vector<BottleValue>(kMaxItems / 2 - 1, BottleValue(std::int8_t{3}))};
  Bottle both{{half, half}};
  EXPECT_FALSE(is_error(decoded(encoded(both))));
  both.add(1);
  EXPECT_TRUE(is_error(decoded(encoded(both))));
}

TEST(YarpBottle, ALongBottleHasNoEnd) {
  const std::string longest = encoded({{std::string(kMaxBottle - 12, 'x')}});
  EXPECT_EQ(find_bottle_end(as_bytes(longest + "y"), Generation::V3).size, kMaxBottle);
  const std::string longer = encoded({{std::string(kMaxBottle - 11, 'x')}});
  EXPECT_EQ(find_bottle_end(as_bytes(longer), Generation::V3).error,
            "a Bottle of more than 1048576 bytes");
}

TEST(YarpBottle, NoDamageIsTakenForGood) {
  std::string everything = encoded(Bottle{kOneOfEach}, Generation::V4);
  for (const std::string& bytes : {golden::kSetMode, golden::kGetProtocol, golden::kOk,
                                   golden::kVmo0, golden::kProtocolVersionV4, everything}) {
    int refused = 0;
    with_every_damage(bytes, [&](const std::string& damaged) {
      for (const Generation generation : {Generation::V3, Generation::V4}) {
        const BottleOrError result = decoded(damaged, generation);
        if (const auto* bottle = std::get_if<Bottle>(&result)) {
          // The bytes may differ, because a list may arrive in a more general form than necessary.
          const std::string again = encoded(*bottle, generation);
          EXPECT_EQ(encoded(std::get<Bottle>(decoded(again, generation)), generation), again);
          EXPECT_LE(find_bottle_end(as_bytes(damaged), generation).size, damaged.size());
        } else {
          EXPECT_FALSE(error_text(result).empty());
          ++refused;
        }
      }
    });
    EXPECT_GT(refused, 8);
  }
}

TEST(YarpVocab, PacksAsTheTableOfModesSays) {
  EXPECT_EQ(vocab("pos"), 7565168);
  EXPECT_EQ(vocab("posd"), 1685286768);
  EXPECT_EQ(vocab("vel"), 7103862);
  EXPECT_EQ(vocab("mix"), 7891309);
  EXPECT_EQ(vocab("torq"), 1903325044);
  EXPECT_EQ(vocab("open"), 1852141679);
  EXPECT_EQ(vocab("ipwm"), 1836544105);
  EXPECT_EQ(vocab("icur"), 1920295785);
  EXPECT_EQ(vocab("veld"), 1684825462);
  EXPECT_EQ(vocab("idl"), 7103593);
  EXPECT_EQ(vocab("fidl"), 1818519910);
  EXPECT_EQ(vocab("hwfa"), 1634105192);
  EXPECT_EQ(vocab("cal"), 7102819);
  EXPECT_EQ(vocab("cald"), 1684824419);
  EXPECT_EQ(vocab("cfgn"), 1852270179);
  EXPECT_EQ(vocab("cfgy"), 2036819555);
  EXPECT_EQ(vocab("unkw"), 2003529333);
  EXPECT_EQ(vocab("impo"), 1869639017);
  EXPECT_EQ(vocab("imve"), 1702260073);
  EXPECT_EQ(vocab("stif"), 1718187123);
  EXPECT_EQ(vocab("comp"), 1886220131);
  EXPECT_EQ(vocab("unkn"), 1852534389);
  EXPECT_EQ(vocab("trq"), 7434868);
  EXPECT_EQ(vocab("cur"), 7501155);
  EXPECT_EQ(vocab("atrv"), 1987212385);
  EXPECT_EQ(vocab("atpr"), 1919972449);
  EXPECT_EQ(vocab("position"), vocab("posi"));
  EXPECT_EQ(vocab_text(1685286768), "posd");
  EXPECT_EQ(vocab_text(7565168), "pos");
  EXPECT_EQ(vocab_text(std::int32_t{0}), "");
  EXPECT_EQ(vocab_text(-1), "\xff\xff\xff\xff");
  EXPECT_EQ(Vocab(true), Vocab("1"));
  EXPECT_EQ(Vocab(false).code, 0);
}

TEST(YarpValue, IsTakenForWhatItCanBe) {
  EXPECT_EQ(as_vocab(Vocab("icmd")), vocab("icmd"));
  EXPECT_EQ(as_vocab(std::string("velocity")), vocab("velo"));
  EXPECT_EQ(as_vocab(std::string("don")), vocab("don"));
  EXPECT_EQ(as_vocab(7103862), vocab("vel"));
  EXPECT_EQ(as_vocab(Vocab64{pack_vocab<std::int64_t>("velocity")}), vocab("velo"));
  EXPECT_EQ(as_vocab(2.0), std::nullopt);
  EXPECT_EQ(as_int(std::int8_t{-3}), -3);
  EXPECT_EQ(as_int(std::int64_t{2147483647}), 2147483647);
  EXPECT_EQ(as_int(std::int64_t{2147483648}), std::nullopt);
  EXPECT_EQ(as_int(2.0), std::nullopt);
  EXPECT_EQ(as_int(Vocab("pos")), std::nullopt);
  EXPECT_EQ(as_number(std::int16_t{-300}), -300.0);
  EXPECT_EQ(as_number(0.5f), 0.5);
  EXPECT_EQ(as_number(std::string("1")), std::nullopt);
  EXPECT_EQ(as_number(Blob{"1"}), std::nullopt);
  EXPECT_EQ(as_list(BottleValue(3)), nullptr);
}

}  // namespace
}  // namespace servosim::yarp

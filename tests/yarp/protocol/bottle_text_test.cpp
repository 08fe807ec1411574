// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include "yarp/ports/test_support.h"

namespace servosim::yarp {
namespace yarp_bottle_text_test {

Bottle parsed(std::string_view line) {
  const BottleOrError result = parse_bottle(line);
  EXPECT_FALSE(is_error(result)) << line << ": " << error_text(result);
  return is_error(result) ? Bottle{} : std::get<Bottle>(result);
}

// The beginning is the same as without a limit, and the rest is not computed.
TEST(YarpBottleText, NoMoreThanEnough) {
  Bottle numbers;
  numbers.items.assign(1000, BottleValue(1234));
  Bottle nested;
  nested.items.assign(1000, BottleValue(numbers));
  for (const Bottle& bottle :
       {numbers, nested, Bottle{{std::string(5000, 'x')}}, Bottle{{std::string(5000, '-')}},
        Bottle{{Blob{std::string(5000, 'x')}}}, Bottle{{1, std::string(5000, 'x')}}}) {
    const std::string text = to_text(bottle, 50);
    EXPECT_EQ(text.substr(0, 50), to_text(bottle).substr(0, 50));
    EXPECT_GE(text.size(), 50u);
    EXPECT_LT(text.size(), 200u);
  }
  EXPECT_EQ(to_text(Bottle{{1, 2, 3}}, 50), "1 2 3");
}

TEST(YarpBottleText, BothDirections) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<Bottle, const char*> cases[] = {
      {{}, ""},
      {{{Vocab("get"), Vocab("axes")}}, "[get] [axes]"},
      {{{Vocab("is"), Vocab("axes"), 3, Vocab("tsta"), 72, 1795164560.5, Vocab("ok")}},
       "[is] [axes] 3 [tsta] 72 1795164560.5 [ok]"},
      {{{0.0, -0.0, 12.5, 1e300, -2.5e-7, 100.0}}, "0.0 -0.0 12.5 1.0e+300 -2.5e-07 100.0"},
      {{{kInfinity, -kInfinity}}, "inf -inf"},
      {{{0, -17, 2147483647, std::int64_t{2147483648}, std::int64_t{-9223372036854775807 - 1}}},
       "0 -17 2147483647 2147483648 -9223372036854775808"},
      {{{Vocab(true), Vocab(false)}}, "true false"},
      {{{std::string("left_arm"), std::string("/icub"), std::string("a b"), std::string()}},
       "left_arm \"/icub\" \"a b\" \"\""},
      {{{std::string("true"), std::string("nan"), std::string("12"), std::string("-inf")}},
       "\"true\" \"nan\" \"12\" \"-inf\""},
      {{{std::string("q\"b\\n\nr\r0\0.", 11)}}, R"("q\"b\\n\nr\r0\0.")"},
      {{{Bottle{{1, Bottle{}}}, Bottle{{std::string("(")}}}}, "(1 ()) (\"(\")"},
      {{{Blob{std::string("\x00\xff\x0a", 3)}, Blob{}}}, "{0 255 10} {}"},
      {{{Vocab64{pack_vocab<std::int64_t>("velocity")}, Vocab("]\\"), Vocab("las\xf3")}},
       "[velocity] [\\]\\\\] [las\xf3]"},
  };
  for (const auto& [bottle, text] : cases) {
    EXPECT_EQ(to_text(bottle), text);
    EXPECT_EQ(parsed(text), bottle) << text;
  }
  EXPECT_EQ(to_text({{std::nan("")}}), "nan");
  EXPECT_TRUE(std::isnan(*as_number(parsed("nan").items.at(0))));
}

TEST(YarpBottleText, ReadsWhatPeopleType) {
  EXPECT_EQ(parsed("  get\taxes \r"), (Bottle{{std::string("get"), std::string("axes")}}));
  EXPECT_EQ(parsed("set pos 0 +10 .5 5. 1e3 -.25E+1"),
            (Bottle{{std::string("set"), std::string("pos"), 0, 10, 0.5, 5.0, 1000.0, -2.5}}));
  EXPECT_EQ(parsed("(1 2)(3)x(4)"),
            (Bottle{{Bottle{{1, 2}}, Bottle{{3}}, std::string("x"), Bottle{{4}}}}));
  EXPECT_EQ(parsed("tcp://a/b 3.12.3 - -- +-1 1-2 e5 0x10 . 5e"),
            (Bottle{{std::string("tcp://a/b"), std::string("3.12.3"), std::string("-"),
                     std::string("--"), std::string("+-1"), std::string("1-2"), std::string("e5"),
                     std::string("0x10"), std::string("."), std::string("5e")}}));
  EXPECT_EQ(parsed("[velocities]"), (Bottle{{Vocab64{pack_vocab<std::int64_t>("velociti")}}}));
}

TEST(YarpBottleText, SaysWhereAndWhat) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 )", "column 3: a ')' that closes nothing"},
      {"(1 (2)", "column 7: a '(' without its ')'"},
      {"\"abc", "column 5: no '\"' at the end"},
      {"[abc", "column 5: no ']' at the end"},
      {"{1 256}", "column 4: not a byte from 0 to 255"},
      {"{1 x}", "column 4: not a byte from 0 to 255"},
      {"{1", "column 3: a '{' without its '}'"},
      {"1 9223372036854775808", "column 3: a number that does not fit into 64 bits"},
      {"1 1e999", "column 3: a number that does not fit into 64 bits"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(error_text(parse_bottle(text)), error);
  }
  EXPECT_TRUE(is_error(parse_bottle("\"abc\\")));
  EXPECT_TRUE(is_error(parse_bottle(std::string(kMaxBottle + 1, 'x'))));
}

TEST(YarpBottleText, NestingAndItemsHaveLimits) {
  const auto nested = [](std::size_t n) { return std::string(n, '(') + std::string(n, ')'); };
  EXPECT_FALSE(is_error(parse_bottle(nested(kMaxNesting))));
  EXPECT_TRUE(is_error(parse_bottle(nested(kMaxNesting + 1))));
  EXPECT_TRUE(is_error(parse_bottle(nested(100000))));
  std::string items;
  for (std::size_t i = 0; i < kMaxItems; ++i) {
    items += "1 ";
  }
  EXPECT_EQ(parsed(items).size(), kMaxItems);
  EXPECT_TRUE(is_error(parse_bottle(items + "(1)")));
}

TEST(YarpBottleText, EveryDoubleComesBackWithEveryBit) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) {
      ASSERT_EQ(parsed(to_text({{value}})), (Bottle{{value}})) << value;
    }
  }
}

TEST(YarpBottleText, EveryStringComesBack) {
  std::mt19937 random(22);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t left = random() % 12; left > 0; --left) {
      text += static_cast<char>(random() % 256);
    }
    const std::string line = to_text({{text, Blob{text}}});
    ASSERT_EQ(line.find_first_of("\r\n"), line.npos);
    ASSERT_EQ(parsed(line), (Bottle{{text, Blob{text}}})) << line;
  }
}

TEST(YarpBottleText, NoDamageIsTakenForGood) {
  const std::string line =
      R"([set] (12.5 -3 [torq] (true)) "a \"b\"" {1 2} 9000000000 1e-7 word nan)";
  with_every_damage(line, [](const std::string& damaged) {
    const BottleOrError result = parse_bottle(damaged);
    if (is_error(result)) {
      EXPECT_FALSE(error_text(result).empty());
    } else {
      const std::string again = to_text(std::get<Bottle>(result));
      EXPECT_EQ(to_text(parsed(again)), again) << damaged;
    }
  });
}

}  // namespace yarp_bottle_text_test
}  // namespace servosim::yarp

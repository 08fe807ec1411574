// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace servosim {
namespace {

TEST(Trimmed, IsWithoutBlanksAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed("\ra\n"), "\ra\n");
  EXPECT_EQ(trimmed("\ra \n", " \r\n"), "a");
}

// Callers subtract addresses to find where the rest begins, so an empty result must be at the end.
TEST(Trimmed, OfBlanksIsEmptyAndAtTheEnd) {
  const std::string_view blanks = " \t ";
  EXPECT_TRUE(trimmed(blanks).empty());
  EXPECT_EQ(trimmed(blanks).data(), blanks.data() + blanks.size());
  EXPECT_TRUE(trimmed("").empty());
}

TEST(CharactersOf, AreThoseOfUnicode) {
  EXPECT_EQ(characters_of("a\u00e9\u20ac\U0001f600"), U"a\u00e9\u20ac\U0001f600");
  EXPECT_EQ(characters_of("\xff\xe2\x82"), U"\ufffd\ufffd\ufffd") << "bytes of no character";
  EXPECT_EQ(characters_of("\xed\xa0\x80x"), U"\ufffd\ufffd\ufffdx") << "half of a pair of UTF-16";
  EXPECT_EQ(characters_of(""), U"");
}

TEST(DidYouMean, ProposesNamesThatAreClose) {
  const std::vector<std::string_view> names = {"shoulder", "elbow", "wrist_of_the_left_arm"};
  EXPECT_EQ(did_you_mean("shuolder", names), "; did you mean 'shoulder'?");
  EXPECT_EQ(did_you_mean("Elbw", names), "; did you mean 'elbow'?");
  EXPECT_EQ(did_you_mean("shoul", names), "");
  EXPECT_EQ(did_you_mean("wrist_of_teh_lfet_arm", names),
            "; did you mean 'wrist_of_the_left_arm'?");
}

TEST(DidYouMean, ProposesNothingAmongVeryManyNames) {
  std::vector<std::string_view> names(1000, "elbow");
  EXPECT_EQ(did_you_mean("elbw", names), "; did you mean 'elbow'?");
  names.push_back("elbow");
  EXPECT_EQ(did_you_mean("elbw", names), "");
}

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("1.5e3"), 1500.0);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1,5", "-"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<int>("1.5"), std::nullopt);
}

TEST(ParseNumber, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e400"), std::nullopt);
  EXPECT_TRUE(std::isinf(parse_number<double>("inf").value()));
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "wbt/lexer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace servosim::wbt {
namespace {

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> result;
  for (Lexer lexer(text); lexer.peek().kind != TokenKind::End; lexer.advance()) {
    result.push_back(lexer.peek());
  }
  return result;
}

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : tokens(text)) {
    result.emplace_back(token.text);
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(Lexer, PunctuationNeedsNoSpace) {
  EXPECT_EQ(texts("Box{size[2,3]}"), (Texts{"Box", "{", "size", "[", "2", "3", "]", "}"}));
}

TEST(Lexer, CommasAndCommentsAreBlank) {
  EXPECT_EQ(texts(",,a,b # c d\ne#f\r\n,g"), (Texts{"a", "b", "e", "g"}));
}

TEST(Lexer, AnExtensionMarkHidesNothingFromUs) {
  EXPECT_EQ(texts("a #servosim b 0.5 # c\nd"), (Texts{"a", "b", "0.5", "d"}));
  EXPECT_EQ(texts("a#servosim\tb"), (Texts{"a", "b"}));
  EXPECT_EQ(texts("a #servosim\nb"), (Texts{"a", "b"})) << "nothing said";
  EXPECT_EQ(texts("a # servosim b\n#servosimb c\n#Servosim d"), (Texts{"a"})) << "comments";
  EXPECT_EQ(texts("# b #servosim c\nd"), (Texts{"d"})) << "inside a comment";
  EXPECT_EQ(tokens("\"#servosim b\"").at(0).kind, TokenKind::String);
}

TEST(Lexer, CarriageReturnEndsAComment) { EXPECT_EQ(texts("#a\rb"), (Texts{"b"})); }

TEST(Lexer, UnicodeWhiteSpaceSeparates) {
  EXPECT_EQ(texts("a\u00A0b\u2003c\u3000d\u2028e\u202Ff\u1680g\u205Fh\u0085i"),
            (Texts{"a", "b", "c", "d", "e", "f", "g", "h", "i"}));
}

TEST(Lexer, OtherUnicodeBelongsToNames) { EXPECT_EQ(texts("é\u2010ü"), (Texts{"é\u2010ü"})); }

TEST(Lexer, SkipsByteOrderMark) { EXPECT_EQ(texts("\uFEFFab"), (Texts{"ab"})); }

TEST(Lexer, Numbers) {
  const auto found = tokens("1e-5 .5 -.25 +3 -7 6. 2E3 1e-400");
  const std::vector<double> expected{1e-5, 0.5, -0.25, 3.0, -7.0, 6.0, 2000.0, 0.0};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].kind, TokenKind::Number) << found[i].text;
    EXPECT_EQ(found[i].number, expected[i]);
  }
}

TEST(Lexer, WhatOnlyLooksLikeANumberIsAWord) {
  for (const Token& token : tokens("0x1F 1.2.3 - + . +-3 -inf +nan 1e999 3m")) {
    EXPECT_EQ(token.kind, TokenKind::Word) << token.text;
  }
}

TEST(Lexer, NamesMayHoldSigns) {
  EXPECT_EQ(texts("Darwin-op a+b x:y p/q"), (Texts{"Darwin-op", "a+b", "x:y", "p/q"}));
}

TEST(Lexer, StringsEscapeQuoteAndBackslashOnly) {
  const auto found = tokens(R"("a \"b\" \\ \n # , {")");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TokenKind::String);
  EXPECT_EQ(unescaped(found[0].text), R"(a "b" \ \n # , {)");
}

TEST(Lexer, EmptyString) {
  const auto found = tokens("\"\"\"\"");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].kind, TokenKind::String);
  EXPECT_EQ(found[1].text, "");
}

TEST(Lexer, StringsEndOnTheirLine) {
  Lexer lexer("ab \"cd\nef");
  lexer.advance();
  EXPECT_EQ(lexer.peek().kind, TokenKind::UnclosedString);
  EXPECT_EQ(lexer.unclosed_string(), 3u);
  lexer.advance();
  EXPECT_EQ(lexer.peek().text, "ef");
  EXPECT_EQ(tokens("\"cd\\").at(0).kind, TokenKind::UnclosedString);
}

TEST(Lexer, OffsetsPointAtTheFirstByte) {
  const auto found = tokens("ab  \"cd\" { 25");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].offset, 4u);
  EXPECT_EQ(found[2].offset, 9u);
  EXPECT_EQ(found[3].offset, 11u);
}

TEST(Lexer, SeeksAndCopies) {
  Lexer lexer("aa bb cc", 3);
  Lexer ahead = lexer;
  ahead.advance();
  EXPECT_EQ(ahead.peek().text, "cc");
  EXPECT_EQ(lexer.take().text, "bb");
  EXPECT_EQ(lexer.peek().text, "cc");
}

TEST(Lexer, ShownTextIsShortAndPrintable) {
  EXPECT_EQ(shown("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(shown(std::string(70, 'x')), std::string(60, 'x') + "...");
}

// Words that are rounded to zero are numbers. Words that are rounded to infinity are not.
TEST(Lexer, NumbersBeyondADoubleVanishOrAreWords) {
  const std::string zeros(400, '0');
  for (const std::string& text : std::vector<std::string>{
           "1e-400", "-1e-400", "0." + zeros + "1", "." + zeros + "1", "1" + zeros + "e-800",
           "+0.1e-399", "1e-99999999999999999999", "1" + zeros + ".5e-800"}) {
    const Token token = Lexer(text).take();
    EXPECT_EQ(token.kind, TokenKind::Number) << text;
    EXPECT_EQ(token.number, 0.0) << text;
    EXPECT_EQ(std::signbit(token.number), text[0] == '-') << text;
  }
  for (const std::string& text : std::vector<std::string>{
           "1e400", "-1e400", "1" + zeros, "0.1" + zeros + "e500", "1e99999999999999999999",
           "1" + zeros + "e-50", "0." + zeros + "1e900"}) {
    EXPECT_EQ(Lexer(text).take().kind, TokenKind::Word) << text;
  }
}

}  // namespace
}  // namespace servosim::wbt

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/printable.h"
#include "cli/output.h"

namespace servosim {
namespace {

using Lines = std::vector<std::string>;

TEST(TextTable, CountsCodePoints) {
  EXPECT_EQ(display_width("N·m/rad²"), 8u);
  EXPECT_EQ(padded("Prüfung", 9), "Prüfung  ");
  EXPECT_EQ(padded("Prüfung", 3), "Prüfung");
}

TEST(TextTable, NamesBecomePrintable) {
  EXPECT_EQ(printable("a\nb\tc\x1b[0m\x7f"), "a\\nb\\tc\\x1b[0m\\x7f");
  EXPECT_EQ(printable("ü€😀"), "ü€😀");
  EXPECT_EQ(printable("\xff"
                      "a\xc3"),
            "\\xffa\\xc3");
  // The bytes are an overlong form, a surrogate, a code beyond the last character, a sequence that
  // is cut off, and a control character of two bytes.
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  EXPECT_EQ(in_quotes("x"), "\"x\"");
}

TEST(TextTable, WrapsAtSpacesAndInsideLongWords) {
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two", 3), (Lines{"one", "two"}));
  EXPECT_EQ(wrapped("äöüßé", 2), (Lines{"äö", "üß", "é"}));
  EXPECT_EQ(wrapped("a\n\nb", 9), (Lines{"a", "", "b"}));
  EXPECT_EQ(wrapped("", 9), (Lines{""}));
  EXPECT_EQ(wrapped("at 4 m, " + unbroken("by 2 m"), 11), (Lines{"at 4 m,", "by 2 m"}));
}

TEST(TextTable, AlignsItsColumns) {
  TextTable table({{"joint"}, {"kg", true}, {"what"}});
  table.add({"é", "12.5", "a"});
  table.add({"elbow", "3", "b\nc"});
  table.add_line("  ", "note");
  EXPECT_EQ(table.text("> "),
            "> joint    kg  what\n"
            "> é      12.5  a\n"
            "> elbow     3  b\n"
            ">              c\n"
            ">   note\n");
}

TEST(TextTable, ShrinksTheWidestColumn) {
  TextTable table({{"a"}, {"b"}});
  table.add({std::string(70, 'x'), "0123456789 0123456789 0123456789 0123456789"});
  const std::string text = table.text("");
  EXPECT_EQ(text.find(std::string(56, 'x')), std::string::npos) << text;  // 98 columns for both
  EXPECT_NE(text.find(std::string(55, 'x') + "  0123456789"), std::string::npos) << text;
}

}  // namespace
}  // namespace servosim

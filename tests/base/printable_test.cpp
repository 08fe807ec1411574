// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>

#include "servosim/diagnostics.h"

namespace servosim {
namespace core_printable_test {

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\x1b[0m\x7f"), "a\\nb\\tc\\x1b[0m\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\xc2\\x9b2J");
  EXPECT_EQ(printable("\u202egnp.\u2066x\u200f"),
            "\\xe2\\x80\\xaegnp.\\xe2\\x81\\xa6x\\xe2\\x80\\x8f");
  EXPECT_EQ(printable_lines("a\n\tb\r\x1b"), "a\n\tb\\x0d\\x1b");
}

TEST(Printable, KeepsLettersOfAllAlphabetsAndEscapesInvalidBytes) {
  EXPECT_EQ(printable("ü€😀 “…” \u2028"), "ü€😀 “…” \u2028");
  EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");
  EXPECT_EQ(printable("\uffff\ufffe\ufffd"), "\\xef\\xbf\\xbf\\xef\\xbf\\xbe\ufffd");
  EXPECT_EQ(printable(printable("\x1b\n")), printable("\x1b\n"));
}

TEST(Printable, ADiagnosticIsOneLine) {
  const Diagnostic diagnostic{"w\x1b[2J.wbt", 3, 7, Severity::Warning, "no 'a\nerror: b\x1b'"};
  EXPECT_EQ(to_string(diagnostic), "w\\x1b[2J.wbt:3:7: warning: no 'a\\nerror: b\\x1b'");
}

}  // namespace core_printable_test
}  // namespace servosim

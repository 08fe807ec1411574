// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"

namespace servosim::test {
namespace {

std::string base64(std::string_view bytes) {
  std::string text = "data:";
  append_base64(text, as_bytes(bytes));
  return text;
}

// The values are those of RFC 4648, section 10, and of bytes that give the last two digits.
TEST(Base64, IsThatOfTheRfc) {
  EXPECT_EQ(base64(""), "data:");
  EXPECT_EQ(base64("f"), "data:Zg==");
  EXPECT_EQ(base64("fo"), "data:Zm8=");
  EXPECT_EQ(base64("foo"), "data:Zm9v");
  EXPECT_EQ(base64("foobar"), "data:Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xfb\xef\xff\0\x80", 5)), "data:++//AIA=");
}

}  // namespace
}  // namespace servosim::test

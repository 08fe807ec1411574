// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "base/sockets.h"

namespace servosim::net {
namespace {

TEST(HostAddress, IsTheSameInEverySpelling) {
  for (const char* text : {"127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433",
                           "::ffff:127.0.0.1", "::FFFF:7f00:1"}) {
    EXPECT_EQ(HostAddress(text), HostAddress()) << text;
    EXPECT_EQ(HostAddress(text).text(), "127.0.0.1") << text;
  }
  EXPECT_EQ(HostAddress("0:0:0:0:0:0:0:1").text(), "[::1]");
  EXPECT_EQ(HostAddress("2001:DB8::0:7").text(), "[2001:db8::7]");
  EXPECT_FALSE(HostAddress("127.0.0.2") == HostAddress());
  EXPECT_FALSE(HostAddress("::1") == HostAddress());
}

TEST(HostAddress, TellsWhoCanReachIt) {
  for (const char* text : {"127.0.0.1", "127.255.3.4", "::1", "::ffff:127.0.0.9", "localhost"}) {
    EXPECT_TRUE(HostAddress(text).is_loopback()) << text;
    EXPECT_FALSE(HostAddress(text).is_any()) << text;
  }
  for (const char* text : {"0.0.0.0", "0", "::", "::ffff:0.0.0.0"}) {
    EXPECT_TRUE(HostAddress(text).is_any()) << text;
    EXPECT_FALSE(HostAddress(text).is_loopback()) << text;
  }
  EXPECT_FALSE(HostAddress("128.0.0.1").is_loopback());
  EXPECT_FALSE(HostAddress("::2").is_loopback());
  EXPECT_TRUE(HostAddress("fe80::3").is_link_local());
  EXPECT_FALSE(HostAddress("2001:db8::7").is_link_local());
}

TEST(HostAddress, OfANameIsNoNumber) {
  EXPECT_FALSE(HostAddress::of_number("localhost").has_value());
  EXPECT_FALSE(HostAddress::of_number("").has_value());
  EXPECT_FALSE(HostAddress::of_number("[::1]").has_value());
  EXPECT_TRUE(HostAddress::of_number("::1") == HostAddress("::1"));
}

}  // namespace
}  // namespace servosim::net

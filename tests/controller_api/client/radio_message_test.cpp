// SPDX-License-Identifier: Apache-2.0
// The messages of Radio nodes. A sender may be hostile.
#include "controller_api/client/radio_message.h"

#include <gtest/gtest.h>

#include <string>

namespace servosim {
namespace {

TEST(RadioMessage, ArrivesAsItWasSent) {
  const std::string body("a\0b", 3);
  const auto got = decode_radio_message(encode_radio_message({5.5, 2.4e9, "from", "to", body}));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->tx_power, 5.5);
  EXPECT_EQ(got->frequency, 2.4e9);
  EXPECT_EQ(got->source, "from");
  EXPECT_EQ(got->destination, "to");
  EXPECT_EQ(got->body, body);
}

TEST(RadioMessage, WhatIsNoneIsNotTaken) {
  const std::string packet = encode_radio_message({5.5, 2.4e9, "from", "to", ""});
  for (std::size_t size = 0; size < packet.size(); ++size) {
    EXPECT_FALSE(decode_radio_message(packet.substr(0, size))) << size;
  }
  EXPECT_TRUE(decode_radio_message(packet));
  EXPECT_FALSE(decode_radio_message(std::string(1000, 'x')));
}

TEST(RadioMessage, IsForOneOrForAll) {
  EXPECT_TRUE(is_for("a", "a"));
  EXPECT_FALSE(is_for("a", "b"));
  EXPECT_FALSE(is_for("a", ""));
  EXPECT_TRUE(is_for("", "b"));
  EXPECT_TRUE(is_for("255.255.255.255", ""));
}

TEST(RadioMessage, LosesSixDecibelsWithTwiceTheDistance) {
  const RadioMessage message{0.0, 2.4e9, "", "", ""};
  EXPECT_NEAR(received_power(message, 1.0), -40.052, 1e-3);  // 20·lg(4π·2.4e9/c) at 1 m
  EXPECT_NEAR(received_power(message, 1.0) - received_power(message, 0.25), 6.0206, 1e-4);
}

}  // namespace
}  // namespace servosim

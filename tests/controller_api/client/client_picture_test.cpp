// SPDX-License-Identifier: Apache-2.0
#include "controller_api/client/client_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace servosim {
namespace {

void write(SharedMemory& memory, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  std::copy(bytes.begin(), bytes.end(), memory.bytes().begin());
}

std::string text_of(const ClientPicture& picture) {
  const auto values = picture.values<char>();
  return {values.begin(), values.end()};
}

struct Shared {
  Shared() : simulators(SharedMemory::make(4, descriptor)) {}
  Descriptor descriptor;
  std::optional<SharedMemory> simulators;
};

TEST(ClientPicture, ChangesOnlyWhenItIsTaken) {
  Shared shared;
  ASSERT_TRUE(shared.simulators);
  write(*shared.simulators, "red!");
  ClientPicture picture;
  picture.share(SharedMemory::open(shared.descriptor, 4));
  ASSERT_TRUE(picture.take_from_memory(1.0));
  const char* const address = picture.values<char>().data();
  write(*shared.simulators, "blue");
  EXPECT_EQ(text_of(picture), "red!");
  EXPECT_TRUE(picture.take_from_memory(2.0));
  EXPECT_EQ(text_of(picture), "blue");
  EXPECT_EQ(picture.values<char>().data(), address);
  EXPECT_EQ(picture.time(), 2.0);
}

TEST(ClientPicture, ComesBackAfterAnotherSize) {
  Shared shared;
  ASSERT_TRUE(shared.simulators);
  ClientPicture picture;
  picture.share(SharedMemory::open(shared.descriptor, 4));
  ASSERT_TRUE(picture.take_from_memory(1.0));
  picture.fit(6, "ab");
  EXPECT_EQ(text_of(picture), "ababab");
  write(*shared.simulators, "blue");
  EXPECT_TRUE(picture.take_from_memory(2.0));
  EXPECT_EQ(text_of(picture), "blue");
}

TEST(ClientPicture, StaysWithoutMemory) {
  ClientPicture picture;
  picture.take(std::as_bytes(std::span(std::string_view("gray"))), 1.0);
  picture.share(std::nullopt);
  EXPECT_FALSE(picture.take_from_memory(2.0));
  EXPECT_EQ(text_of(picture), "gray");
  EXPECT_EQ(picture.time(), 1.0);
}

}  // namespace
}  // namespace servosim

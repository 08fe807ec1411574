// SPDX-License-Identifier: Apache-2.0
#include "controller_api/protocol/stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "controller_api/protocol/protocol.h"
#include "controller_api/protocol/shared_memory.h"

namespace servosim {
namespace {

using Clock = std::chrono::steady_clock;
using Status = MessageStream::Status;

struct Pair {
  explicit Pair(bool spin = false) {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    left = MessageStream(fds[0], spin);
    right = MessageStream(fds[1], spin);
  }
  MessageStream left{-1};
  MessageStream right{-1};
};

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(MessageStream, MessagesArriveInOrderAndWhole) {
  Pair pair;
  for (const char* text : {"first", "", "third message"}) {
    ASSERT_TRUE(pair.left.send(bytes_of(text)));
  }
  for (const char* text : {"first", "", "third message"}) {
    ASSERT_EQ(pair.right.try_receive(), Status::Message);
    EXPECT_EQ(text_of(pair.right.message()), text);
  }
  EXPECT_EQ(pair.right.try_receive(), Status::Nothing);
}

TEST(MessageStream, DescriptorsOfMemoryComeWithAMessage) {
  Pair pair;
  EXPECT_TRUE(pair.right.is_local());
  pair.right.accept_descriptors();
  std::vector<Descriptor> sent(2);
  const auto first = SharedMemory::make(5000, sent[0]);
  const auto second = SharedMemory::make(7, sent[1]);
  ASSERT_TRUE(first && second);
  std::memcpy(first->bytes().data() + 4995, "first", 5);
  ASSERT_TRUE(pair.left.send(bytes_of("with memory"), -1, sent));
  ASSERT_EQ(pair.right.try_receive(), Status::Message);
  EXPECT_EQ(text_of(pair.right.message()), "with memory");
  const std::vector<Descriptor> got = pair.right.take_descriptors();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_FALSE(SharedMemory::open(got[1], 8)) << "it is smaller";
  const auto same = SharedMemory::open(got[0], 5000);
  ASSERT_TRUE(same);
  EXPECT_EQ(text_of(same->bytes().subspan(4995)), "first");
  std::memcpy(second->bytes().data(), "second!", 7);
  EXPECT_EQ(text_of(SharedMemory::open(got[1], 7)->bytes()), "second!");
  EXPECT_NE(::ftruncate(got[0].get(), 1), 0) << "its size stays";
  const Descriptor other(::dup(pair.left.fd()));
  EXPECT_FALSE(SharedMemory::open(other, 1)) << "it is no memory";
}

TEST(MessageStream, DescriptorsThatNobodyExpectsAreClosed) {
  Pair pair;
  std::vector<Descriptor> sent(1);
  ASSERT_TRUE(SharedMemory::make(1, sent[0]));
  ASSERT_TRUE(pair.left.send(bytes_of("x"), -1, sent));
  ASSERT_EQ(pair.right.try_receive(), Status::Message);
  EXPECT_TRUE(pair.right.take_descriptors().empty());
}

TEST(MessageStream, ALargeMessageArrivesWhileBothSidesWork) {
  Pair pair(true);
  std::string large(3'000'001, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 7 % 251);
  }
  std::thread sender([&] {
    EXPECT_TRUE(pair.left.send(bytes_of(large)));
    EXPECT_TRUE(pair.left.send(bytes_of("afterwards")));
  });
  ASSERT_EQ(pair.right.receive(), Status::Message);
  EXPECT_TRUE(text_of(pair.right.message()) == large);
  ASSERT_EQ(pair.right.receive(), Status::Message);
  EXPECT_EQ(text_of(pair.right.message()), "afterwards");
  sender.join();
}

TEST(MessageStream, BytesMayTrickle) {
  Pair pair;
  const std::string framed{"\x05\0\0\0slow!", 9};
  for (std::size_t i = 0; i < framed.size(); ++i) {
    EXPECT_EQ(pair.right.try_receive(), Status::Nothing) << i;
    ASSERT_EQ(write(pair.left.fd(), &framed[i], 1), 1);
  }
  ASSERT_EQ(pair.right.try_receive(), Status::Message);
  EXPECT_EQ(text_of(pair.right.message()), "slow!");
}

TEST(MessageStream, AnImpossibleLengthIsGarbage) {
  Pair pair;
  const std::uint32_t length = kMaxMessage + 1;
  ASSERT_EQ(write(pair.left.fd(), &length, sizeof length), 4);
  EXPECT_EQ(pair.right.receive(), Status::Garbage);
  EXPECT_FALSE(pair.right.send(Bytes{static_cast<const std::byte*>(nullptr), kMaxAnswer + 1}));
}

// The other side announces 16 MiB and sends three bytes: the receiver must not allocate 16 MiB.
TEST(MessageStream, ALengthAloneReservesNothing) {
  Pair pair;
  const std::uint32_t length = kMaxMessage;
  ASSERT_EQ(write(pair.left.fd(), &length, sizeof length), 4);
  ASSERT_EQ(write(pair.left.fd(), "abc", 3), 3);
  EXPECT_EQ(pair.right.try_receive(), Status::Nothing);
  EXPECT_LE(pair.right.memory(), 64u << 10);
}

TEST(MessageStream, TheEndIsSeenAfterTheLastMessage) {
  Pair pair;
  ASSERT_TRUE(pair.left.send(bytes_of("last message")));
  pair.left = MessageStream(-1);
  EXPECT_EQ(pair.right.receive(), Status::Message);
  EXPECT_EQ(pair.right.receive(), Status::Closed);
  EXPECT_FALSE(pair.right.send(bytes_of("anyone?")));  // must not raise SIGPIPE
}

TEST(MessageStream, WaitingEndsInTime) {
  for (const bool spin : {false, true}) {
    Pair pair(spin);
    const Clock::time_point start = Clock::now();
    EXPECT_EQ(pair.right.receive(30), Status::Nothing);
    EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(29));  // poll counts whole ms
  }
}

TEST(MessageStream, AReceiverThatDoesNotReadIsGivenUp) {
  Pair pair;
  const std::string large(8 << 20, 'x');  // more than any socket buffer
  EXPECT_FALSE(pair.left.send(bytes_of(large), 20));
}

TEST(MessageStream, MovingKeepsWhatHasArrived) {
  Pair pair;
  ASSERT_TRUE(pair.left.send(bytes_of("one")));
  ASSERT_TRUE(pair.left.send(bytes_of("two")));
  ASSERT_EQ(pair.right.receive(), Status::Message);
  MessageStream moved(std::move(pair.right));
  ASSERT_EQ(moved.receive(), Status::Message);
  EXPECT_EQ(text_of(moved.message()), "two");
}

}  // namespace
}  // namespace servosim

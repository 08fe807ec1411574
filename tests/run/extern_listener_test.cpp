// SPDX-License-Identifier: Apache-2.0
// Which clients are accepted. No client keeps out others. The test sets the time.
#include "run/extern_listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <deque>

#include "base/private_folder.h"
#include "run/test_support.h"

namespace servosim {
namespace extern_listener_test {

using namespace std::chrono_literals;

class ExternListenerTest : public testing::Test {
 protected:
  MessageStream dial() {
    const Descriptor folder = open_private_folder(listener_.folder());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, extern_socket_path(folder).c_str());
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return MessageStream(socket);
  }
  std::size_t clients() { return listener_.serve(robots_, now_).size(); }
  // Returns whether the listener has closed the connection.
  static bool is_closed(MessageStream& stream) {
    return stream.try_receive() == MessageStream::Status::Closed;
  }

  test::TempFolder temporary_;
  test::ScopedVariable tmpdir_{"TMPDIR", temporary_.path()};
  Console console_{LogLevel::Error};
  ExternListener listener_{{}, console_};
  std::vector<ExternRobot> robots_{{"arm"}, {"leg"}};
  ExternListener::Clock::time_point now_ = ExternListener::Clock::now();
};

TEST_F(ExternListenerTest, ManySilentOnesDoNotKeepTheNextOut) {
  std::deque<MessageStream> silent;
  for (int i = 0; i < 300; ++i) {  // a crowd that keeps coming
    silent.push_back(dial());
    if (i % 10 == 9) {  // after fewer connections than may wait at the socket
      EXPECT_EQ(clients(), 0u);
    }
    if (silent.size() > 200) {
      silent.pop_front();
    }
  }
  MessageStream honest = dial();
  EXPECT_TRUE(honest.send(entry_request("leg")));
  std::size_t let_in = 0;
  for (int i = 0; i < 20 && let_in == 0; ++i) {  // no time passes
    let_in = clients();
  }
  EXPECT_EQ(let_in, 1u);
  EXPECT_TRUE(robots_[1].taken);
  EXPECT_TRUE(is_closed(silent.front())) << "the oldest has made room";
  EXPECT_FALSE(is_closed(silent.back()));
}

TEST_F(ExternListenerTest, WhoHasBegunToSpeakStaysWhileSilentOnesMakeRoom) {
  MessageStream slow = dial();
  const auto request = entry_request("arm");
  const auto size = static_cast<std::uint32_t>(request.size());
  EXPECT_EQ(::send(slow.fd(), &size, sizeof size, 0), 4);
  EXPECT_EQ(clients(), 0u);
  std::deque<MessageStream> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(dial());
    EXPECT_EQ(clients(), 0u);
  }
  EXPECT_EQ(::send(slow.fd(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  EXPECT_EQ(clients(), 1u);
}

TEST_F(ExternListenerTest, ACrowdThatHasBegunDoesNotKeepTheNextOut) {
  std::deque<MessageStream> begun;
  const auto begin_one = [&] {
    begun.push_back(dial());
    EXPECT_EQ(::send(begun.back().fd(), "\x05", 1, 0), 1);
    if (begun.size() > 100) {
      begun.pop_front();
    }
  };
  for (int i = 0; i < 100; ++i) {
    begin_one();
    EXPECT_EQ(clients(), 0u);
  }
  MessageStream honest = dial();
  EXPECT_TRUE(honest.send(entry_request("leg")));
  MessageStream silent = dial();  // comes in the same turn, after the honest client
  EXPECT_EQ(clients(), 1u);
  EXPECT_TRUE(robots_[1].taken);

  MessageStream late = dial();  // sends its request some turns later
  for (int i = 0; i < 40; ++i) {
    begin_one();
    EXPECT_EQ(clients(), 0u);
  }
  EXPECT_TRUE(late.send(entry_request("arm")));
  EXPECT_EQ(clients(), 1u);
  EXPECT_TRUE(robots_[0].taken);
}

TEST_F(ExternListenerTest, ARequestIsShortHoweverItsLengthArrives) {
  constexpr std::uint32_t kTooLong = kMaxEntryMessage + 1;
  for (std::size_t first = 0; first <= sizeof kTooLong; ++first) {
    SCOPED_TRACE(first);
    MessageStream client = dial();
    const auto* const length = reinterpret_cast<const char*>(&kTooLong);
    EXPECT_EQ(::send(client.fd(), length, first, 0), static_cast<ssize_t>(first));
    EXPECT_EQ(clients(), 0u);
    EXPECT_EQ(is_closed(client), first == sizeof kTooLong);
    const ssize_t rest = ::send(client.fd(), length + first, sizeof kTooLong - first, MSG_NOSIGNAL);
    EXPECT_EQ(rest < 0, first == sizeof kTooLong);
    EXPECT_EQ(clients(), 0u);
    EXPECT_TRUE(is_closed(client));
  }
}

TEST_F(ExternListenerTest, WhoIsLetInMaySendMoreThanARequest) {
  MessageStream honest = dial();
  EXPECT_TRUE(honest.send(entry_request("leg")));
  auto let_in = listener_.serve(robots_, now_);
  ASSERT_EQ(let_in.size(), 1u);
  const std::vector<std::byte> large(3 * kMaxEntryMessage, std::byte{7});
  EXPECT_TRUE(honest.send(large));
  ASSERT_EQ(let_in[0].stream.try_receive(), MessageStream::Status::Message);
  EXPECT_EQ(let_in[0].stream.message().size(), large.size());
}

TEST_F(ExternListenerTest, TheFirstByteComesWithinASecondAndTheRestWithinFive) {
  MessageStream silent = dial();
  MessageStream slow = dial();
  EXPECT_EQ(::send(slow.fd(), "\x05", 1, 0), 1);
  EXPECT_EQ(clients(), 0u);
  now_ += 900ms;
  EXPECT_EQ(clients(), 0u);
  EXPECT_FALSE(is_closed(silent));
  now_ += 200ms;
  EXPECT_EQ(clients(), 0u);
  EXPECT_TRUE(is_closed(silent));
  EXPECT_FALSE(is_closed(slow));
  now_ += 4s;
  EXPECT_EQ(clients(), 0u);
  EXPECT_TRUE(is_closed(slow));
}

}  // namespace extern_listener_test
}  // namespace servosim

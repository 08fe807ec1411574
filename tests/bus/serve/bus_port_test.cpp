// SPDX-License-Identifier: Apache-2.0
// The ports of a simulated bus, opened as clients open them.
#include "bus/serve/bus_port.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/scoped.h"
#include "base/sockets.h"
#include "bus/client/serial_port.h"
#include "bus/client/served_rig.h"

namespace servosim::bus {
namespace {

namespace bus_port_test {

using test::ScratchFolder;

// A port that keeps what it receives.
class HeardPort {
 public:
  explicit HeardPort(const BusPlace& place) {
    thread_.call([&] {
      port_ = open_port(thread_.loop(), place,
                        {.received =
                             [this](auto bytes) {
                               const std::lock_guard lock(mutex_);
                               heard_.insert(heard_.end(), bytes.begin(), bytes.end());
                             },
                         .flushed = [this] { ++flushes_; }});
    });
  }
  explicit HeardPort(const std::string& link) : HeardPort(BusPlace{link, {}}) {}
  HeardPort(const HeardPort&) = delete;
  HeardPort& operator=(const HeardPort&) = delete;
  ~HeardPort() {
    thread_.call([this] { port_.reset(); });
  }

  void send(const Octets& bytes) {
    thread_.call([&] { port_->send(bytes); });
  }
  double baud() {
    double baud = 0.0;
    thread_.call([&] { baud = port_->baud(); });
    return baud;
  }
  const std::string& address() const { return port_->address(); }
  void set_reading(bool reading) {
    thread_.call([&] { port_->set_reading(reading); });
  }
  int flushes() const { return flushes_; }
  Octets heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  // Waits until the client has flushed so often. @return false if it has not
  bool wait_for_flushes(int count) {
    for (int i = 0; i < 5000 && flushes_ < count; ++i) {
      ::usleep(1000);
    }
    return flushes_ == count;
  }
  // Waits until this many bytes have arrived.
  Octets wait_for(std::size_t count) {
    for (int i = 0; i < 5000; ++i) {
      if (Octets bytes = heard(); bytes.size() >= count) {
        return bytes;
      }
      ::usleep(1000);
    }
    return {};
  }

 private:
  std::mutex mutex_;
  Octets heard_;
  std::atomic<int> flushes_ = 0;
  net::EventLoopThread thread_;
  std::unique_ptr<BusPort> port_;
};

Descriptor open_as_client(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK));
}

Octets read_within(const Descriptor& fd, std::size_t count) {
  Octets bytes;
  while (bytes.size() < count) {
    pollfd one{fd.get(), POLLIN, 0};
    std::uint8_t byte = 0;
    if (::poll(&one, 1, 5000) != 1 || ::read(fd.get(), &byte, 1) != 1) {
      break;
    }
    bytes.push_back(byte);
  }
  return bytes;
}

TEST(BusPort, IsRawFromTheBeginning) {
  const ScratchFolder folder;
  HeardPort port(folder.file("bus"));
  const Descriptor client = open_as_client(folder.file("bus"));
  ASSERT_TRUE(client);
  const Octets bytes{0xFF, 0x0D, 0x0A, 0x03, 0x04, 0x11, 0x13, 0x00, 0x1A, 0x7F};
  ASSERT_EQ(::write(client.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(port.wait_for(bytes.size()), bytes);  // nothing is translated
  port.send(bytes);
  EXPECT_EQ(read_within(client, bytes.size()), bytes);  // and nothing was echoed before it
}

TEST(BusPort, TellsTheSpeedOfTheClient) {
  const ScratchFolder folder;
  HeardPort port(folder.file("bus"));
  const Descriptor client = open_as_client(folder.file("bus"));
  for (const unsigned baud : {57600U, 1000000U, 4500000U}) {
    termios2 settings{};
    ASSERT_EQ(::ioctl(client.get(), TCGETS2, &settings), 0);
    settings.c_cflag = (settings.c_cflag & ~CBAUD) | BOTHER;
    settings.c_ispeed = settings.c_ospeed = baud;
    ASSERT_EQ(::ioctl(client.get(), TCSETS2, &settings), 0);
    EXPECT_EQ(port.baud(), baud);
  }
}

TEST(BusPort, HearsOfAFlush) {
  const ScratchFolder folder;
  HeardPort port(folder.file("bus"));
  const Descriptor client = open_as_client(folder.file("bus"));
  port.send({1, 2, 3});
  ASSERT_EQ(::ioctl(client.get(), TCFLSH, TCIFLUSH), 0);
  const std::uint8_t byte = 9;
  ASSERT_EQ(::write(client.get(), &byte, 1), 1);
  EXPECT_EQ(port.wait_for(1), Octets{9});
  EXPECT_EQ(port.flushes(), 1);
}

// Writes as much as the port takes now. @return how many bytes
std::size_t write_some(const Descriptor& fd, std::span<const std::uint8_t> bytes) {
  std::size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t written = ::write(fd.get(), bytes.data() + count, bytes.size() - count);
    if (written <= 0) {
      break;
    }
    count += static_cast<std::size_t>(written);
  }
  return count;
}

TEST(BusPort, HearsOfAFlushWhileItDoesNotReadAndLosesNothing) {
  const ScratchFolder folder;
  HeardPort port(folder.file("bus"));
  const Descriptor client = open_as_client(folder.file("bus"));
  port.set_reading(false);
  Octets bytes(13000);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i % 251);
  }
  std::size_t written = write_some(client, bytes);
  ASSERT_GT(written, 0U);
  ASSERT_EQ(::ioctl(client.get(), TCFLSH, TCIFLUSH), 0);
  EXPECT_TRUE(port.wait_for_flushes(1));
  EXPECT_TRUE(port.heard().empty());
  port.set_reading(true);
  while (written < bytes.size()) {
    pollfd one{client.get(), POLLOUT, 0};
    ASSERT_EQ(::poll(&one, 1, 5000), 1);
    written += write_some(client, std::span(bytes).subspan(written));
  }
  EXPECT_EQ(port.wait_for(bytes.size()), bytes);
  EXPECT_EQ(port.flushes(), 1);
}

TEST(BusPort, DoesNotReadAnotherClientOfTcpEitherUntilItDoes) {
  HeardPort port(BusPlace{{}, 0});
  {
    SerialPort first(port.address(), 1e6);
    ASSERT_TRUE(port.wait_for_flushes(1));  // that it has come
    port.set_reading(false);
    first.send(Octets{1, 2});
  }
  SerialPort second(port.address(), 1e6);
  ASSERT_TRUE(port.wait_for_flushes(2));
  second.send(Octets{3, 4, 5});
  ::usleep(20000);
  EXPECT_TRUE(port.heard().empty());
  port.set_reading(true);
  EXPECT_EQ(port.wait_for(3), (Octets{3, 4, 5}));
}

TEST(BusPort, MayBeClosedAndOpenedAgain) {
  const ScratchFolder folder;
  HeardPort port(folder.file("bus"));
  for (std::uint8_t turn = 1; turn <= 3; ++turn) {
    const Descriptor client = open_as_client(folder.file("bus"));
    ASSERT_EQ(::write(client.get(), &turn, 1), 1);
    ASSERT_EQ(port.wait_for(turn).size(), turn);
    port.send({turn});
    EXPECT_EQ(read_within(client, 1), Octets{turn});
  }
}

TEST(BusPort, ReplacesNothingButALinkToATerminalThatIsGone) {
  const ScratchFolder folder;
  const std::string link = folder.file("bus");
  std::ofstream(link) << "a file";
  EXPECT_THROW(HeardPort{link}, std::runtime_error);
  EXPECT_EQ(std::filesystem::file_size(link), 6U);
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/tmp", link);
  EXPECT_THROW(HeardPort{link}, std::runtime_error);
  EXPECT_EQ(std::filesystem::read_symlink(link), "/tmp");
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/dev/pts/999999", link);
  {
    HeardPort port(link);
    EXPECT_TRUE(open_as_client(link));
    EXPECT_THROW(HeardPort{link}, std::runtime_error);  // a live one is not replaced either
  }
  EXPECT_FALSE(std::filesystem::is_symlink(link));
}

TEST(BusPort, LeavesALinkThatIsNotItsOwn) {
  const ScratchFolder folder;
  const std::string link = folder.file("bus");
  {
    HeardPort port(link);
    std::filesystem::remove(link);
    std::filesystem::create_symlink("/tmp", link);
  }
  EXPECT_EQ(std::filesystem::read_symlink(link), "/tmp");
}

TEST(BusPort, GivesTheLastClientOfTcpTheBus) {
  net::EventLoopThread thread;
  std::unique_ptr<BusPort> port;
  std::atomic<int> heard = 0;
  thread.call([&] {
    port = open_tcp(
        thread.loop(), 0,
        {.received = [&](auto bytes) { heard += static_cast<int>(bytes.size()); }, .flushed = {}});
  });
  EXPECT_EQ(port->baud(), 0.0);
  SerialPort first(port->address(), 1e6);
  first.send(Octets{1, 2});
  for (int i = 0; i < 5000 && heard < 2; ++i) {
    ::usleep(1000);
  }
  ASSERT_EQ(heard, 2);
  SerialPort second(port->address(), 1e6);
  second.send(Octets{3});
  for (int i = 0; i < 5000 && heard < 3; ++i) {
    ::usleep(1000);
  }
  ASSERT_EQ(heard, 3);
  thread.call([&] { port->send(Octets{7, 8}); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  EXPECT_EQ(second.receive(end), (Octets{7, 8}));
  EXPECT_THROW(first.receive(end), std::runtime_error);
  thread.call([&] { port.reset(); });
}

TEST(BusPlace, IsALinkOrAPort) {
  EXPECT_EQ(read_bus_place("./arm").link, "./arm");
  EXPECT_FALSE(read_bus_place("./arm").port);
  EXPECT_EQ(read_bus_place("tcp:0").port, 0);
  EXPECT_EQ(read_bus_place("tcp:65535").port, 65535);
  for (const char* const text : {"", "tcp:", "tcp:65536", "tcp:-1", "tcp:5 ", "tcp:0x5"}) {
    EXPECT_THROW(read_bus_place(text), std::invalid_argument) << text;
  }
}

}  // namespace bus_port_test

}  // namespace
}  // namespace servosim::bus

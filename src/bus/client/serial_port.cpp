// SPDX-License-Identifier: Apache-2.0
#include "bus/client/serial_port.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/sockets.h"
#include "base/text.h"

namespace servosim::bus {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kMaxConnect{5};
constexpr std::chrono::seconds kMaxSend{5};
// The latency of an adapter in both directions, and a byte at 300 bit/s.
constexpr std::chrono::milliseconds kEchoWait{70};

bool wait_until(int fd, short events, SteadyClock::time_point end) {
  while (true) {
    // Rounded up, so that the loop does not spin before the end.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
    pollfd one{fd, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

}  // namespace

SerialPort::SerialPort(std::string place, double baud)
    : place_(std::move(place)), baud_(baud), is_device_(place_.rfind("tcp:", 0) != 0) {
  if (is_device_) {
    open_device();
    set_baud(baud);
    discard();
  } else {
    connect(place_.substr(4));
  }
}

void SerialPort::fail(const std::string& what) const {
  throw std::runtime_error(
      fmt::format("{}: {}: {}", printable(place_), what, std::strerror(errno)));
}

void SerialPort::open_device() {
  fd_ = Descriptor(::open(place_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!fd_) {
    fail("the port cannot be opened");
  }
  if (::isatty(fd_.get()) == 0) {
    throw std::runtime_error(fmt::format(
        "{}: it is no serial port; please name a device such as /dev/ttyUSB0, the link of a "
        "simulated bus, or tcp:PORT",
        printable(place_)));
  }
}

void SerialPort::connect(const std::string& address) {
  const bool has_host = address.find(':') != std::string::npos;
  const auto remote = net::find_address(has_host ? address : "127.0.0.1:" + address);
  if (!remote || remote->port == 0) {
    throw std::runtime_error(fmt::format(
        "{}: a TCP port is tcp:PORT or tcp:HOST:PORT, with a numeric host", printable(place_)));
  }
  fd_ = net::dialling_socket(*remote);
  int error = 0;
  socklen_t size = sizeof error;
  const bool is_ready = wait_until(fd_.get(), POLLOUT, SteadyClock::now() + kMaxConnect);
  if (!is_ready) {
    errno = ETIMEDOUT;
    fail("nobody answers there");
  }
  if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
    errno = error != 0 ? error : errno;
    fail("nobody answers there");
  }
  net::tune_connection(fd_);
}

void SerialPort::set_baud(double baud) {
  baud_ = baud;
  if (!is_device_) {
    return;
  }
  termios2 settings{};
  settings.c_iflag = IGNPAR;
  settings.c_cflag = BOTHER | CS8 | CLOCAL | CREAD;
  settings.c_ospeed = static_cast<speed_t>(baud);
  settings.c_ispeed = settings.c_ospeed;
  if (::ioctl(fd_.get(), TCSETS2, &settings) != 0) {
    fail(fmt::format("the port has no speed of {} bit/s", baud));
  }
}

void SerialPort::discard() {
  if (is_device_) {
    // A flush that fails loses nothing but time: what is left is no answer to the next request.
    (void)::ioctl(fd_.get(), TCFLSH, TCIFLUSH);
    return;
  }
  std::array<std::uint8_t, 4096> bytes;
  while (::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
}

void SerialPort::send(std::span<const std::uint8_t> bytes) {
  const auto end = SteadyClock::now() + kMaxSend;
  while (!bytes.empty()) {
    const ssize_t sent = is_device_ ? ::write(fd_.get(), bytes.data(), bytes.size())
                                    : ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      fail("the port is lost");
    } else if (!wait_until(fd_.get(), POLLOUT, end)) {
      errno = ETIMEDOUT;
      fail("the port takes no bytes");
    }
  }
}

bool SerialPort::has_echo() {
  if (has_echo_) {
    return *has_echo_;
  }
  constexpr std::uint8_t kNoPacket[] = {0x00};
  discard();
  send(kNoPacket);
  const auto end = SteadyClock::now() + kEchoWait;
  has_echo_ = false;
  while (!*has_echo_ && SteadyClock::now() < end) {
    const Octets heard = receive(end);
    has_echo_ = std::find(heard.begin(), heard.end(), kNoPacket[0]) != heard.end();
  }
  return *has_echo_;
}

Octets SerialPort::receive(SteadyClock::time_point end) {
  Octets bytes(4096);
  if (!wait_until(fd_.get(), POLLIN, end)) {
    return {};
  }
  const ssize_t size = ::read(fd_.get(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    return {};
  }
  if (size <= 0) {
    errno = size == 0 ? EPIPE : errno;
    fail("the port is lost");
  }
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

}  // namespace servosim::bus

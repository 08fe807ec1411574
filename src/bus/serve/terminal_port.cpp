// SPDX-License-Identifier: Apache-2.0
#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/printable.h"
#include "base/scoped.h"
#include "bus/serve/bus_port.h"

// <asm/termbits.h> has the terminal settings with any speed; <termios.h> cannot be included with
// it.

namespace servosim::bus {

namespace {

[[noreturn]] void fail_terminal(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// In packet mode each read begins with a byte that is 0 before data; else it tells what happened.
constexpr std::size_t kMostAtOnce = 4096;

// Sets what a serial device without any processing has. The master sees the settings of the slave.
void make_raw(int terminal) {
  termios2 settings{};
  if (::ioctl(terminal, TCGETS2, &settings) != 0) {
    fail_terminal("the settings of the terminal");
  }
  settings.c_iflag = IGNPAR;
  settings.c_oflag = 0;
  settings.c_lflag = 0;
  settings.c_cflag = (settings.c_cflag & CBAUD) | CS8 | CLOCAL | CREAD;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (::ioctl(terminal, TCSETS2, &settings) != 0) {
    fail_terminal("the settings of the terminal");
  }
}

std::string target_of_link(const std::string& path) {
  std::array<char, 4096> target;
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size > 0 ? std::string(target.data(), static_cast<std::size_t>(size)) : std::string();
}

// A symbolic link to a terminal of this object.
class TerminalLink {
 public:
  TerminalLink(std::string path, std::string terminal)
      : path_(std::move(path)), terminal_(std::move(terminal)) {
    if (::symlink(terminal_.c_str(), path_.c_str()) == 0) {
      return;
    }
    if (errno == EEXIST && is_dead() && ::unlink(path_.c_str()) == 0 &&
        ::symlink(terminal_.c_str(), path_.c_str()) == 0) {
      return;
    }
    if (errno == EEXIST) {
      throw std::runtime_error(
          fmt::format("{}: it exists already, and is not replaced; please choose another path for "
                      "the link, or remove it",
                      printable(path_)));
    }
    fail_terminal(printable(path_));
  }
  TerminalLink(const TerminalLink&) = delete;
  TerminalLink& operator=(const TerminalLink&) = delete;
  ~TerminalLink() {
    if (target_of_link(path_) == terminal_) {
      ::unlink(path_.c_str());
    }
  }

  const std::string& path() const { return path_; }

 private:
  // A program that was killed leaves its link. The system gives the same name to another terminal
  // later, which may be the new one of this link.
  bool is_dead() const {
    const std::string target = target_of_link(path_);
    struct stat found {};
    const bool is_there = ::stat(target.c_str(), &found) == 0;
    const bool was_terminal = target.rfind("/dev/pts/", 0) == 0;
    errno = EEXIST;
    return was_terminal && (!is_there || target == terminal_);
  }

  std::string path_;
  std::string terminal_;
};

class TerminalPort final : public BusPort {
 public:
  TerminalPort(net::EventLoop& loop, const std::string& link, Calls calls)
      : calls_(std::move(calls)),
        master_(open_master()),
        slave_(open_slave(master_)),
        link_(link, name_of(master_)),
        watch_(loop, master_.get(), EPOLLIN, [this](std::uint32_t) { read_some(); }) {}

  void send(std::span<const std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::write(master_.get(), bytes.data(), bytes.size());
      if (sent < 0 && errno == EINTR) {
        continue;
      }
      if (sent <= 0) {
        return;  // nobody reads, and the buffer is full
      }
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }

  // A flush is urgent, so that it is heard in any case.
  void set_reading(bool reading) override { watch_.set_events(reading ? EPOLLIN : EPOLLPRI); }

  double baud() const override {
    termios2 settings{};
    return ::ioctl(master_.get(), TCGETS2, &settings) == 0 ? settings.c_ospeed : 0.0;
  }

  const std::string& address() const override { return link_.path(); }

 private:
  static Descriptor open_master() {
    Descriptor master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0) {
      fail_terminal("a pseudo terminal");
    }
    return master;
  }

  static std::string name_of(const Descriptor& master) {
    std::array<char, 128> name;
    if (::ptsname_r(master.get(), name.data(), name.size()) != 0) {
      fail_terminal("the name of the pseudo terminal");
    }
    return name.data();
  }

  // One descriptor of the slave stays open: without any the master would see an error, and the
  // settings would be lost. It is raw before anybody can open it.
  static Descriptor open_slave(const Descriptor& master) {
    Descriptor slave(::open(name_of(master).c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    int packets = 1;
    if (!slave || ::ioctl(master.get(), TIOCPKT, &packets) != 0) {
      fail_terminal("the pseudo terminal");
    }
    make_raw(slave.get());
    return slave;
  }

  // One read for each call, so that a client that never pauses keeps nobody waiting.
  void read_some() {
    std::array<std::uint8_t, kMostAtOnce> bytes;
    const ssize_t size = ::read(master_.get(), bytes.data(), bytes.size());
    if (size <= 0) {
      return;
    }
    if (bytes[0] == TIOCPKT_DATA) {
      calls_.received(std::span(bytes).subspan(1, static_cast<std::size_t>(size) - 1));
    } else if ((bytes[0] & TIOCPKT_FLUSHREAD) != 0 && calls_.flushed) {
      calls_.flushed();
    }
  }

  Calls calls_;
  Descriptor master_;
  Descriptor slave_;
  TerminalLink link_;
  net::DescriptorWatch watch_;
};

}  // namespace

std::unique_ptr<BusPort> open_terminal(net::EventLoop& loop, const std::string& link,
                                       BusPort::Calls calls) {
  return std::make_unique<TerminalPort>(loop, link, std::move(calls));
}

}  // namespace servosim::bus

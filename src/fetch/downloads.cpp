// SPDX-License-Identifier: Apache-2.0
#include "fetch/downloads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "base/child_process.h"
#include "base/files.h"

namespace servosim::fetch {
namespace {

constexpr std::int64_t kPieceMs = 200;  // longest wait between two calls of Sink::wait
// Time that the program may need beyond the request's limit.
constexpr std::int64_t kGraceSeconds = 10;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Downloads::start() {
  int ends[2];
  // With a socket, writing to a program that has ended raises no signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  requests_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  PipedChild child = start_piped_child(
      {helper_program_path("downloader"), std::to_string(::getpid())}, {}, theirs.get(), false);
  answers_ = std::move(child.reader);
  pid_ = child.pid;
}

void Downloads::stop() {
  requests_.reset();
  answers_.reset();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait_for_child(pid_));  // the status does not matter
    pid_ = 0;
  }
}

bool Downloads::send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(requests_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
  return true;
}

// Returns false at the end of the stream and at the deadline.
bool Downloads::read(std::byte* to, std::size_t size, std::int64_t deadline_ms, const Sink& sink) {
  while (size > 0) {
    pollfd waiting{answers_.get(), POLLIN, 0};
    const std::int64_t left = std::max<std::int64_t>(deadline_ms - now_ms(), 0);
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left, kPieceMs)));
    if ((ready < 0 && errno == EINTR) || (ready == 0 && left > 0)) {
      sink.wait();
      continue;
    }
    const ssize_t n = ready > 0 ? ::read(answers_.get(), to, size) : 0;
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return false;
    }
    to += std::max<ssize_t>(n, 0);
    size -= static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
  return true;
}

DownloadEnd Downloads::lost(bool too_late) {
  if (too_late) {
    stop();
    return {DownloadEnd::Kind::Slow, "the answer takes too long", {}};
  }
  const bool has_ended = pid_ > 0 && ::kill(pid_, SIGKILL) == 0;
  std::string why = "the program downloader has ended";
  if (const auto status = has_ended ? wait_for_child(pid_) : std::nullopt) {
    why = fmt::format("the program downloader {}", describe_wait_status(*status));
  }
  pid_ = 0;
  stop();
  return {DownloadEnd::Kind::Refused, why + "; install servosim again", {}};
}

DownloadEnd Downloads::receive(const DownloadRequest& request, const Sink& sink) {
  const std::int64_t deadline = now_ms() + 1000 * (request.seconds + kGraceSeconds);
  std::vector<std::byte> bytes;
  for (;;) {
    std::array<std::byte, kFrameSize> frame{};
    if (!read(frame.data(), frame.size(), deadline, sink)) {
      return lost(now_ms() >= deadline);
    }
    Reader in(frame);
    const auto kind = static_cast<MessageKind>(in.u8());
    const std::uint32_t length = in.u32();
    if (length > kMaxMessage) {
      return lost(false);
    }
    bytes.resize(length);
    if (!read(bytes.data(), bytes.size(), deadline, sink)) {
      return lost(now_ms() >= deadline);
    }
    if (kind == MessageKind::Data) {
      sink.add(bytes);
    } else if (kind == MessageKind::Head) {
      if (const auto head = decode_head(bytes)) {
        sink.begin(*head);
      }
    } else if (const auto end = decode_end(bytes); end && kind == MessageKind::End) {
      return *end;
    } else {
      return lost(false);
    }
  }
}

DownloadEnd Downloads::get(const DownloadRequest& request, const Sink& sink) {
  if (pid_ == 0) {
    start();
  }
  if (!send(framed(MessageKind::Request, request))) {
    return lost(false);
  }
  try {
    return receive(request, sink);
  } catch (...) {
    stop();  // the rest of the answer is not read
    throw;
  }
}

}  // namespace servosim::fetch

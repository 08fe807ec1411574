// SPDX-License-Identifier: Apache-2.0
#include "run/output_pump.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "base/child_process.h"
#include "base/printable.h"

namespace servosim {
namespace {

constexpr std::size_t kMaxLine = 64u << 10;
// The most that is read from each pipe at the end. It is more than a pipe holds, so only a program
// that still runs and prints is cut off.
constexpr std::size_t kMaxDrain = 1u << 20;

}  // namespace

void LastLine::set(std::string_view lines) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t end = lines.find_last_not_of(kBlank);
  if (end == std::string_view::npos) {
    return;
  }
  const std::size_t before = lines.rfind('\n', end);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::lock_guard lock(mutex_);
  line_ = lines.substr(begin, end + 1 - begin);
}

void LastLine::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::string LastLine::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [this] { return closed_; });
  return line_;
}

OutputPump::OutputPump(Console& console) : console_(console), chunk_(kMaxLine) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  wake_reader_ = Descriptor(ends[0]);
  wake_writer_ = Descriptor(ends[1]);
}

std::shared_ptr<LastLine> OutputPump::add(Descriptor pipe, int target, const std::string& prefix) {
  if (::fcntl(pipe.get(), F_SETFL, O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  incoming_.push_back({std::move(pipe), target, printable(prefix), {}, false});
  std::shared_ptr<LastLine> last_line = incoming_.back().last_line;
  if (thread_.joinable()) {
    while (::write(wake_writer_.get(), "", 1) < 0 && errno == EINTR) {
    }
  }
  return last_line;
}

// This also removes sources that have ended.
void OutputPump::take_incoming() {
  std::erase_if(sources_, [](const Source& source) { return !source.pipe; });
  const std::lock_guard<std::mutex> lock(mutex_);
  std::move(incoming_.begin(), incoming_.end(), std::back_inserter(sources_));
  incoming_.clear();
}

void OutputPump::start() {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { pump(); });
}

void OutputPump::finish() {
  if (thread_.joinable()) {
    wake_writer_.reset();  // the thread sees the end of its wake pipe
    thread_.join();
  }
}

void OutputPump::pump() {
  std::vector<pollfd> queries;
  take_incoming();
  for (;;) {
    queries.assign(1, {wake_reader_.get(), POLLIN, 0});
    for (const Source& source : sources_) {
      queries.push_back({source.pipe.get(), POLLIN, 0});
    }
    if (::poll(queries.data(), queries.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      break;  // the thread still copies the present contents of the pipes
    }
    if (queries[0].revents != 0) {
      char calls[16];
      if (::read(wake_reader_.get(), calls, sizeof calls) <= 0) {
        break;
      }
      take_incoming();
      continue;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (queries[i + 1].revents != 0 && !read_some(sources_[i])) {
        pass_on(sources_[i], true);
        sources_[i].pipe.reset();  // poll ignores it from now on
        sources_[i].last_line->close();
      }
    }
  }
  take_incoming();
  for (Source& source : sources_) {
    drain(source);
  }
}

// Returns false at the end of the pipe.
bool OutputPump::read_some(Source& source) {
  const ssize_t n = ::read(source.pipe.get(), chunk_.data(), chunk_.size());
  if (n < 0) {
    return errno == EINTR || errno == EAGAIN;
  }
  source.rest.append(chunk_.data(), static_cast<std::size_t>(n));
  pass_on(source, false);
  return n > 0;
}

void OutputPump::drain(Source& source) {
  std::size_t total = 0;
  while (source.pipe && total < kMaxDrain) {
    const ssize_t n = ::read(source.pipe.get(), chunk_.data(), chunk_.size());
    if (n <= 0) {
      break;
    }
    source.rest.append(chunk_.data(), static_cast<std::size_t>(n));
    total += static_cast<std::size_t>(n);
    pass_on(source, false);
  }
  pass_on(source, true);
}

// Prints the complete lines of `rest`, and the beginning of a line that has grown too long. With
// `all` it also prints the last line, and ends it.
void OutputPump::pass_on(Source& source, bool all) {
  lines_.clear();
  std::string_view rest = source.rest;
  while (!rest.empty()) {
    const std::size_t newline = rest.substr(0, kMaxLine).find('\n');
    const bool complete = newline != std::string_view::npos;
    if (!complete && rest.size() < kMaxLine && !all) {
      break;
    }
    const std::size_t length = complete ? newline + 1 : std::min(rest.size(), kMaxLine);
    lines_.append(source.line_begun ? std::string_view() : source.prefix);
    lines_.append(rest.substr(0, length));
    source.line_begun = !complete;
    rest.remove_prefix(length);
  }
  if (all && source.line_begun) {
    lines_.push_back('\n');
    source.line_begun = false;
  }
  const std::size_t passed = source.rest.size() - rest.size();
  source.last_line->set(std::string_view(source.rest).substr(0, passed));
  source.rest.erase(0, passed);
  if (!lines_.empty() && source.target != kNowhere) {
    console_.write(source.target, lines_);
  }
}

}  // namespace servosim

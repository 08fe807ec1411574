// SPDX-License-Identifier: Apache-2.0
#include "bus/run/bus_line.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "base/printable.h"

namespace servosim::bus {
namespace {

// A reply that is due so soon is sent now: nobody notices on this side of the kernel [s].
constexpr double kAtOnce = 10e-6;
// Replies that follow each other so soon are sent together with the last of them, since each waking
// costs more than the reply. Adapters for USB keep bytes for 1 ms and more [s].
constexpr double kTogether = 200e-6;
// A client waits while the line is this far behind what it has sent [s], and in lock-step while
// this number of bytes waits for the time of the exchange before.
constexpr double kMostBehind = 0.05;
constexpr std::size_t kMostWaiting = 4096;
// In lock-step a client that only sleeps is told after this time [s].
constexpr double kMostSilence = 1.0;
constexpr double kNever = std::numeric_limits<double>::infinity();

// In lock-step a client that has been silent for longer does not go on with its packet.
constexpr std::chrono::milliseconds kLostRest{200};

double wall_clock() {
  return std::chrono::duration<double>(net::Clock::now().time_since_epoch()).count();
}

Descriptor open_timer() {
  Descriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer) {
    throw std::system_error(errno, std::generic_category(), "a timer of the line");
  }
  return timer;
}

}  // namespace

BusLine::BusLine(net::EventLoop& loop, ServoBus& bus, const LineClock& clock, double h,
                 const OpenPort& open)
    : bus_(bus),
      clock_(clock),
      h_(h),
      timer_(open_timer()),
      watch_(loop, timer_.get(), EPOLLIN,
             [this](std::uint32_t) {
               std::uint64_t count = 0;
               static_cast<void>(::read(timer_.get(), &count, sizeof count) < 0);
               send_due();
             }),
      port_(open(loop, {[this](std::span<const std::uint8_t> bytes) { receive(bytes); },
                        [this] {
                          if (clock_.is_lockstep) {
                            forget_rest();
                            bus_.flush(passed_);
                            return;
                          }
                          pending_.clear();
                          bus_.flush(wall_clock());
                          arm();
                        }})) {
  clock_.cycle = clock_.cycle > 0.0 ? clock_.cycle : h;
}

double BusLine::silence() const {
  return std::chrono::duration<double>(net::Clock::now() - last_).count();
}

std::string SilenceWatch::warning() {
  const bool is_silent =
      !lines_.empty() && std::all_of(lines_.begin(), lines_.end(), [](const BusLine* line) {
        return line->silence() > kMostSilence && !line->grants_step();
      });
  if (!is_silent || has_told_) {
    has_told_ = is_silent;
    return {};
  }
  has_told_ = true;
  std::string text = "no time passes";
  for (const BusLine* const line : lines_) {
    text += line->instructions() == 0
                ? fmt::format("; {} waits for a client", printable(line->address()))
                : fmt::format("; the client of {} has been silent for {} s",
                              printable(line->address()), kMostSilence);
  }
  return text + "; only exchanges let time pass in lock-step";
}

void BusLine::receive(std::span<const std::uint8_t> bytes) {
  if (clock_.is_lockstep) {
    const auto now = net::Clock::now();
    if (now - heard_ > kLostRest) {
      forget_rest();
    }
    heard_ = now;
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    go_on();
    return;
  }
  replies_.clear();
  const int count = bus_.receive(disturbed(bytes, noise_), wall_clock(), port_->baud(), replies_);
  if (count > 0) {
    instructions_ += count;
    last_ = net::Clock::now();
  }
  for (BusReply& reply : replies_) {
    reply.bytes = disturbed(reply);
    pending_.push_back(std::move(reply));
  }
  send_due();
}

// In lock-step no time passes while a client waits for the answer to a packet that has lost a byte.
void BusLine::forget_rest() {
  if (waiting_.empty()) {
    bus_.forget();
  }
}

// Bytes are taken one by one, so that it does not matter in which pieces they arrive. Faults are
// those of the simulated time at which a byte is taken.
void BusLine::go_on() {
  const double baud = waiting_.empty() ? 0.0 : port_->baud();  // asks the kernel
  while (owed_ < 0.5 * h_ && !waiting_.empty()) {
    const std::uint8_t byte = waiting_.front();
    waiting_.pop_front();
    replies_.clear();
    const Octets heard = disturbed({&byte, 1}, noise_);
    const int count = bus_.receive(heard, passed_, baud, replies_);
    for (const BusReply& reply : replies_) {
      port_->send(disturbed(reply));
    }
    if (count > 0) {
      instructions_ += count;
      last_ = net::Clock::now();
      const double length = std::max(bus_.free_at() - passed_, clock_.cycle);
      passed_ += length;
      owed_ += length;
    }
  }
  hold(waiting_.size() >= kMostWaiting);
}

void BusLine::step() {
  bus_.step(h_);
  if (clock_.is_lockstep && owed_ >= 0.5 * h_) {
    owed_ -= h_;
    go_on();
  }
}

void BusLine::send_due() {
  assert(!clock_.is_lockstep);  // holds and times of the bus are not those of the wall clock then
  const double now = wall_clock();
  while (!pending_.empty() && pending_.front().at <= now + kAtOnce) {
    port_->send(pending_.front().bytes);
    pending_.pop_front();
  }
  hold(bus_.free_at() > now + kMostBehind);
  arm();
}

void BusLine::hold(bool holds) {
  if (holds != holds_) {
    holds_ = holds;
    port_->set_reading(!holds);
  }
}

void BusLine::arm() {
  double next = kNever;
  for (const BusReply& reply : pending_) {
    next = reply.at <= pending_.front().at + kTogether ? reply.at : next;
  }
  if (holds_) {
    next = std::min(next, bus_.free_at() - kMostBehind);
  }
  itimerspec until{};
  if (next < kNever) {
    const double whole = std::floor(next);
    until.it_value.tv_sec = static_cast<time_t>(whole);
    until.it_value.tv_nsec = static_cast<long>(1e9 * (next - whole));
    until.it_value.tv_nsec += until.it_value.tv_sec == 0 && until.it_value.tv_nsec == 0 ? 1 : 0;
  }
  static_cast<void>(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &until, nullptr) != 0);
}

Octets BusLine::disturbed(const BusReply& reply) {
  return disturbed(reply.bytes, {std::max(noise_.lost, reply.noise.lost),
                                 std::max(noise_.turned, reply.noise.turned)});
}

Octets BusLine::disturbed(std::span<const std::uint8_t> bytes, const LineNoise& noise) {
  Octets heard(bytes.begin(), bytes.end());
  if (noise.lost <= 0.0 && noise.turned <= 0.0) {
    return heard;
  }
  const auto happens = [this](double probability) {
    return probability > 0.0 && 0.5 * (1.0 + random_.uniform()) < probability;
  };
  heard.clear();
  for (const std::uint8_t byte : bytes) {
    const bool is_turned = happens(noise.turned);
    const int bit = is_turned ? static_cast<int>(4.0 * (1.0 + random_.uniform())) : 0;
    if (!happens(noise.lost)) {
      heard.push_back(static_cast<std::uint8_t>(byte ^ (is_turned ? 1U << bit : 0U)));
    }
  }
  return heard;
}

}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
#include "bus/run/bench_bus.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

namespace servosim::bus {

using namespace std::chrono_literals;

// After a longer pause, as of a machine that slept, the servos do not make up for it [s].
static constexpr auto kMostLate = 100ms;
static constexpr auto kPatience = 100ms;

BenchBus::BenchBus(const std::vector<BenchServo>& servos, const BusChoices& choices,
                   const LineClock& clock, const BusLine::OpenPort& open,
                   const std::string& control)
    : choices_(choices), is_lockstep_(clock.is_lockstep) {
  std::set<int> ids;
  for (const BenchServo& each : servos) {
    RegisterTable table = each.table;
    if (bus_ == nullptr) {
      bus_ = std::make_unique<ServoBus>(*table.protocol, choices_);
    } else if (&bus_->protocol() != table.protocol) {
      throw std::invalid_argument(fmt::format("a bus has one protocol: {} has {}, and {} has {}",
                                              servos.front().table.model, bus_->protocol().title,
                                              table.model, table.protocol->title));
    }
    if (each.id < 0 || each.id > table.protocol->max_id || !ids.insert(each.id).second) {
      throw std::invalid_argument(
          fmt::format("the ID {} of {} is not from 0 to {}, or not the only one", each.id,
                      table.model, table.protocol->max_id));
    }
    benches_.push_back(std::make_unique<BenchPlant>(each.numbers, bench_load_for(*each.numbers)));
    BusServo& servo =
        bus_->add(std::make_unique<BusServo>(std::move(table), *benches_.back(), choices_));
    servo.set(*servo.table().find(RegisterRole::Id), each.id);
    if (each.baud_code >= 0) {
      servo.set(*servo.table().find(RegisterRole::BaudRate), each.baud_code);
    }
  }
  if (bus_ == nullptr) {
    throw std::invalid_argument("a bus has at least one servo");
  }
  line_ = std::make_unique<BusLine>(loop_, *bus_, clock, kStep, open);
  if (is_lockstep_) {
    silence_.add(*line_);
  }
  std::vector<BusFaults::Sufferer> sufferers;
  for (std::size_t i = 0; i < benches_.size(); ++i) {
    sufferers.push_back({bus_->servos()[i].get(), benches_[i].get(), ""});
  }
  faults_.emplace(std::move(sufferers), std::vector<BusFault>());
  if (!control.empty()) {
    control_ = open_control(loop_, control, [this](std::string_view line) {
      const std::string answer = faults_->obey(line, time_);
      faults_->apply(time_, *line_);
      return answer;
    });
  }
}

void BenchBus::step() {
  for (const auto& bench : benches_) {
    bench->step(kStep);
  }
  time_ += kStep;
  faults_->apply(time_, *line_);
  line_->step();
}

void BenchBus::run(const std::function<bool()>& ends,
                   const std::function<void(const std::string&)>& report) {
  constexpr auto kStepTime = std::chrono::duration_cast<net::Clock::duration>(1ms);
  net::Clock::time_point due = net::Clock::now() + kStepTime;
  while (!ends()) {
    if (is_lockstep_) {
      loop_.run_once(line_->grants_step() ? net::Clock::now() : net::Clock::now() + kPatience);
      if (line_->grants_step()) {
        step();
      } else if (const std::string warning = silence_.warning(); !warning.empty()) {
        report(warning);
      }
      continue;
    }
    const auto now = net::Clock::now();
    if (now >= due) {
      due = std::max(due + kStepTime, now - kMostLate);
      step();
      loop_.run_once(now);
      continue;
    }
    pollfd query{loop_.descriptor(), POLLIN, 0};
    const auto left = std::chrono::nanoseconds(due - now).count();
    const timespec timeout{0, static_cast<long>(left)};
    if (::ppoll(&query, 1, &timeout, nullptr) > 0) {
      loop_.run_once(net::Clock::now());
    }
  }
}

}  // namespace servosim::bus

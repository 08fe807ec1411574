// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/mcu_registry.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace servosim::srvp {

void RemoteLink::received(std::string_view bytes) {
  reader_.feed(bytes);
  std::vector<OrderQueue::Received> frames;
  bool endless = false;
  for (auto frame = reader_.next(); frame.index() != 0; frame = reader_.next()) {
    if (const auto* const answer = std::get_if<McuAnswer>(&frame)) {
      frames.emplace_back(*answer);
    } else {
      auto& bad = std::get<BadFrame>(frame);
      endless = endless || bad.endless;
      frames.emplace_back(std::move(bad));
    }
  }
  mcu_.orders().receive(frames);
  if (endless) {
    connection_.close("it sends a frame without end");
  }
}

// An answer from inside perform() is handled when perform() returns; any other answer goes through
// the loop.
void LocalLink::send(const McuOrder& order) {
  performing_ = true;
  const std::uint64_t number = ++sent_;
  local_.perform(order, [weak = weak_from_this(), &loop = loop_, number,
                         caller = std::this_thread::get_id()](const Control& answer) {
    const auto link = std::this_thread::get_id() == caller ? weak.lock() : nullptr;
    if (link && link->performing_ && number == link->sent_) {
      link->at_once_ = link->at_once_.value_or(answer);
      return;
    }
    loop.post([weak, number, answer] {
      if (const auto posted = weak.lock()) {
        posted->answered(number, answer);
      }
    });
  });
  performing_ = false;
  if (const auto answer = std::exchange(at_once_, std::nullopt)) {
    answered(number, *answer);
  }
}

// The number distinguishes a second or late answer from the answer to the next order.
void LocalLink::answered(std::uint64_t number, const Control& answer) {
  if (number == sent_ && number > done_) {
    done_ = number;
    mcu_.orders().receive({McuAnswer{answer}});
  }
}

McuRegistry::McuRegistry(net::EventLoop& loop, const std::string& database,
                         std::chrono::milliseconds timeout, const Log& log)
    : loop_(loop),
      timeout_(timeout),
      log_(log),
      database_(loop, database,
                {[this](std::vector<McuRecord> records) { add_loaded(std::move(records)); },
                 [this](const std::string& what) { log_("{}", what); }}) {}

// There may be MCUs already if the file could not be read earlier.
void McuRegistry::add_loaded(std::vector<McuRecord> records) {
  for (McuRecord& record : records) {
    const auto found = mcus_.find(record.name);
    if (found == mcus_.end()) {
      if (mcus_.size() < kMaxMcus) {
        add(std::move(record));
      }
      continue;
    }
    Mcu& mcu = *found->second;
    if (!mcu.matches(record.kind, record.servo_count)) {
      log_("{} is stored with another kind or number of servos, which are ignored", mcu.title());
    } else if (mcu.record().calibration.empty()) {
      mcu.set_calibration(std::move(record.calibration));
    }
  }
}

std::shared_ptr<Mcu> McuRegistry::find(const std::string& name) {
  const auto found = mcus_.find(name);
  if (found == mcus_.end()) {
    database_.reopen();
    return nullptr;
  }
  return found->second;
}

std::shared_ptr<Mcu> McuRegistry::add(McuRecord record) {
  const std::string name = record.name;
  auto mcu = std::make_shared<Mcu>(loop_, std::move(record), timeout_, log_);
  SERVOSIM_ASSERT(mcus_.size() < kMaxMcus && !mcus_.contains(name), "{} MCUs and another one",
                  mcus_.size());
  return mcus_.emplace(name, std::move(mcu)).first->second;
}

std::shared_ptr<Mcu> McuRegistry::admit(const McuDescription& description, std::string& why) {
  if (auto known = find(description.name)) {
    const McuRecord& record = known->record();
    if (known->online()) {
      why = "one of that name is connected";
    } else if (record.kind != description.kind) {
      why = "it is known as one of the other kind";
    } else if (record.servo_count != description.servo_count) {
      why = fmt::format("it is known with {} servos, not {}", record.servo_count,
                        description.servo_count);
    } else {
      return known;
    }
    return nullptr;
  }
  if (mcus_.size() >= kMaxMcus && !make_room()) {
    why = fmt::format("{} others are registered, which is the limit", kMaxMcus);
    return nullptr;
  }
  auto mcu = add({description.name, description.kind, description.servo_count, {}});
  database_.store_soon(mcu->record());
  return mcu;
}

// Removes only an MCU to which nothing else has a pointer.
bool McuRegistry::make_room() {
  const auto found = std::find_if(mcus_.begin(), mcus_.end(), [](const auto& named) {
    return named.second.use_count() == 1 && named.second->is_removable();
  });
  if (found == mcus_.end()) {
    return false;
  }
  database_.remove_soon(found->first);
  mcus_.erase(found);
  return true;
}

void McuRegistry::calibrate(std::shared_ptr<Mcu> mcu, std::vector<PwmRange> calibration,
                            DatabaseWriter::Done done) {
  McuRecord record = mcu->record();
  record.calibration = calibration;
  database_.store_calibration(std::move(record),
                              [mcu = std::move(mcu), calibration = std::move(calibration),
                               done = std::move(done)](bool kept) {
                                if (kept) {
                                  mcu->set_calibration(calibration);
                                }
                                done(kept);
                              });
}

}  // namespace servosim::srvp

// SPDX-License-Identifier: Apache-2.0
#include "srvp/fleet.h"

#include <utility>

namespace servosim::srvp {

Fleet::Fleet(net::Reactor& reactor, const std::string& database, std::chrono::milliseconds patience,
             const Log& log)
    : reactor_(reactor), patience_(patience), log_(log), self_(std::make_shared<Fleet*>(this)) {
  try {
    auto opened = std::make_unique<Database>(database);
    for (McuRecord& record : opened->load([this](const std::string& what) { log_("{}", what); })) {
      if (mcus_.size() < kMaxMcus) {
        add(std::move(record));
      }
    }
    database_ = std::move(opened);
  } catch (const DatabaseError& error) {
    log_("{}. No calibration can be kept: uploads are refused with NACK 247", error.what());
  }
}

Mcu* Fleet::find(const std::string& name) {
  const auto found = mcus_.find(name);
  return found == mcus_.end() ? nullptr : found->second.get();
}

Mcu& Fleet::add(McuRecord record) {
  const std::string name = record.name;
  auto mcu = std::make_unique<Mcu>(reactor_, std::move(record), patience_, log_);
  return *mcus_.emplace(name, std::move(mcu)).first->second;
}

Mcu* Fleet::admit(const McuDescription& description, std::string& why) {
  if (Mcu* const known = find(description.name)) {
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
  if (mcus_.size() >= kMaxMcus) {
    why = fmt::format("{} others are known; that is the most", kMaxMcus);
    return nullptr;
  }
  Mcu& mcu = add({description.name, description.kind, description.servo_count, {}});
  store(mcu.record(), [](bool) {});
  return &mcu;
}

void Fleet::calibrate(Mcu& mcu, std::vector<PwmRange> calibration, std::function<void(bool)> done) {
  McuRecord record = mcu.record();
  record.calibration = std::move(calibration);
  auto kept = [&mcu, calibration = record.calibration, done = std::move(done)](bool fine) mutable {
    if (fine) {
      mcu.set_calibration(std::move(calibration));
    }
    done(fine);
  };
  store(std::move(record), std::move(kept));
}

void Fleet::store(McuRecord record, std::function<void(bool)> done) {
  if (!database_) {
    return done(false);
  }
  const auto write = [database = database_.get(), record = std::move(record)]() -> std::string {
    try {
      database->store(record);
      return {};
    } catch (const DatabaseError& error) {
      return error.what();
    }
  };
  writer_.reactor().post([this, self = std::weak_ptr(self_), write, done = std::move(done)] {
    reactor_.post([self, trouble = write(), done] {
      if (const auto fleet = self.lock()) {
        if (!trouble.empty()) {
          (*fleet)->log_("{}", trouble);
        }
        done(trouble.empty());
      }
    });
  });
}

}  // namespace servosim::srvp

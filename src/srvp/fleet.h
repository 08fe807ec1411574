// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/reactor.h"
#include "srvp/database.h"
#include "srvp/log.h"
#include "srvp/mcu.h"

namespace servosim::srvp {

/// All MCUs that a server knows, and the database that does not forget them. Writing has a thread
/// of its own, so that nobody waits for a disk but who has asked for it.
class Fleet {
 public:
  static constexpr std::size_t kMaxMcus = 4096;

  /// Without a database that works it goes on, but takes no calibrations; the log says why.
  Fleet(net::Reactor& reactor, const std::string& database, std::chrono::milliseconds patience,
        const Log& log);

  /// Null: there is none of that name. It stays as long as this.
  Mcu* find(const std::string& name);
  /// The MCU of a login, new or known but not connected; null: refused, and `why` says so.
  Mcu* admit(const McuDescription& description, std::string& why);
  /// Keeps a calibration; then it counts, and `done` hears whether it could be kept.
  void calibrate(Mcu& mcu, std::vector<PwmRange> calibration, std::function<void(bool)> done);

 private:
  Mcu& add(McuRecord record);
  /// In the background.
  void store(McuRecord record, std::function<void(bool)> done);

  net::Reactor& reactor_;
  std::chrono::milliseconds patience_;
  const Log& log_;
  std::map<std::string, std::unique_ptr<Mcu>> mcus_;
  std::unique_ptr<Database> database_;  // of the writer, once that runs
  std::shared_ptr<Fleet*> self_;        // for what comes back when this may be gone
  net::ReactorThread writer_;           // ends before what it uses
};

}  // namespace servosim::srvp

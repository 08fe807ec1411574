// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/reactor.h"
#include "srvp/archive.h"
#include "srvp/log.h"
#include "srvp/mcu.h"

namespace servosim::srvp {

/// All MCUs that a server knows, and the archive that does not forget them. When they are too many,
/// one that is not connected and has nothing to lose, no calibration and no stored moves, makes
/// room for another.
class Fleet {
 public:
  static constexpr std::size_t kMaxMcus = 4096;

  /// Without a database that works it goes on, but takes no calibrations; the log says why.
  Fleet(net::Reactor& reactor, const std::string& database, std::chrono::milliseconds patience,
        const Log& log);

  /// Null: there is none of that name. Who may need it later, when it is not connected, keeps it.
  std::shared_ptr<Mcu> find(const std::string& name);
  /// The MCU of a login, new or known but not connected; null: refused, and `why` says so.
  std::shared_ptr<Mcu> admit(const McuDescription& description, std::string& why);
  /// Keeps a calibration; then it counts, and `done` hears whether it could be kept.
  void calibrate(std::shared_ptr<Mcu> mcu, std::vector<PwmRange> calibration, Archive::Done done);

 private:
  std::shared_ptr<Mcu> add(McuRecord record);
  void take_in(std::vector<McuRecord> records);
  bool make_room();

  net::Reactor& reactor_;
  std::chrono::milliseconds patience_;
  const Log& log_;
  std::map<std::string, std::shared_ptr<Mcu>> mcus_;
  Archive archive_;
};

}  // namespace servosim::srvp

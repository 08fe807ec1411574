// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "srvp/server/archive.h"
#include "srvp/server/connection.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp {

/// To an MCU at the other end of a connection.
class RemoteLink : public McuLink, public Connection::Party {
 public:
  RemoteLink(Connection& connection, Mcu& mcu) : connection_(connection), mcu_(mcu) {}

  void send(const McuOrder& order) override { connection_.send(encode(order)); }
  void heard(std::string_view bytes) override;
  void gone(const std::string& why) override { mcu_.log_out(why); }

 private:
  Connection& connection_;
  Mcu& mcu_;
  FrameReader<McuAnswer> reader_;
};

/// To an MCU in this process.
class LocalLink : public McuLink, public std::enable_shared_from_this<LocalLink> {
 public:
  LocalLink(net::EventLoop& loop, LocalMcu& local, Mcu& mcu)
      : loop_(loop), local_(local), mcu_(mcu) {}

  void send(const McuOrder& order) override;

 private:
  void answered(std::uint64_t number, const Control& answer);

  net::EventLoop& loop_;
  LocalMcu& local_;
  Mcu& mcu_;
  std::uint64_t sent_ = 0;  // orders so far
  std::uint64_t done_ = 0;  // the last that was answered
  bool performing_ = false;
  std::optional<Control> at_once_;
};

/// All MCUs that a server knows, and the archive that does not forget them. When they are too many,
/// one that is not connected and has nothing to lose, no calibration and no stored moves, makes
/// room for another.
class McuRegistry {
 public:
  static constexpr std::size_t kMaxMcus = 4096;

  /// Without a database that works it goes on, but takes no calibrations; the log says why.
  McuRegistry(net::EventLoop& loop, const std::string& database, std::chrono::milliseconds patience,
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

  net::EventLoop& loop_;
  std::chrono::milliseconds patience_;
  const Log& log_;
  std::map<std::string, std::shared_ptr<Mcu>> mcus_;
  Archive archive_;
};

}  // namespace servosim::srvp

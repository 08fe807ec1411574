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
#include "srvp/server/connection.h"
#include "srvp/server/database_writer.h"
#include "srvp/server/mcu.h"

namespace servosim::srvp {

/// The link to an MCU in another process.
class RemoteLink : public McuLink, public PeerConnection::Handler {
 public:
  RemoteLink(PeerConnection& connection, Mcu& mcu) : connection_(connection), mcu_(mcu) {}

  void send(const McuOrder& order) override { connection_.send(encode(order)); }
  void received(std::string_view bytes) override;
  void closed(const std::string& why) override { mcu_.log_out(why); }

 private:
  PeerConnection& connection_;
  Mcu& mcu_;
  FrameReader<McuAnswer> reader_;
};

/// The link to an MCU in this process.
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
  std::uint64_t sent_ = 0;  // number of orders sent
  std::uint64_t done_ = 0;  // number of the last answered order
  bool performing_ = false;
  std::optional<Control> at_once_;
};

/// All MCUs of a server, and their database. If there are kMaxMcus, a new one replaces one that is
/// not connected and has neither a calibration nor stored moves.
///
/// Invariant: there are at most kMaxMcus MCUs, each under its name.
class McuRegistry {
 public:
  static constexpr std::size_t kMaxMcus = 4096;

  /// If the database cannot be used, calibrations are refused; the reason is in the log.
  McuRegistry(net::EventLoop& loop, const std::string& database, std::chrono::milliseconds timeout,
              const Log& log);

  /// Returns the MCU of that name, or null. A caller that needs it later keeps the pointer, since
  /// an MCU that is not connected may be removed.
  std::shared_ptr<Mcu> find(const std::string& name);
  /// Returns the MCU of a login, which is new or known but not connected. Returns null if it is
  /// refused, with the reason in `why`.
  std::shared_ptr<Mcu> admit(const McuDescription& description, std::string& why);
  /// Stores a calibration, which is used if that succeeds. `done` is called with the success.
  void calibrate(std::shared_ptr<Mcu> mcu, std::vector<PwmRange> calibration,
                 DatabaseWriter::Done done);

 private:
  std::shared_ptr<Mcu> add(McuRecord record);
  void add_loaded(std::vector<McuRecord> records);
  bool make_room();

  net::EventLoop& loop_;
  std::chrono::milliseconds timeout_;
  const Log& log_;
  std::map<std::string, std::shared_ptr<Mcu>> mcus_;
  DatabaseWriter database_;
};

}  // namespace servosim::srvp

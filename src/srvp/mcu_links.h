// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/reactor.h"
#include "srvp/connection.h"
#include "srvp/local_mcu.h"
#include "srvp/mcu.h"

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
  LocalLink(net::Reactor& reactor, LocalMcu& local, Mcu& mcu)
      : reactor_(reactor), local_(local), mcu_(mcu) {}

  void send(const McuOrder& order) override;

 private:
  void answered(std::uint64_t number, const Control& answer);

  net::Reactor& reactor_;
  LocalMcu& local_;
  Mcu& mcu_;
  std::uint64_t sent_ = 0;  // orders so far
  std::uint64_t done_ = 0;  // the last that was answered
  bool performing_ = false;
  std::optional<Control> at_once_;
};

}  // namespace servosim::srvp

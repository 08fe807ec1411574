// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "srvp/server/connection.h"
#include "srvp/server/mcu_registry.h"

namespace servosim::srvp {

/// What a server does for one client. Queries may come many at once; each is looked at when the one
/// before has all its answers, as these do not say what they answer.
class ClientSession : public Connection::Party, public std::enable_shared_from_this<ClientSession> {
 public:
  /// What all sessions share.
  struct House {
    net::EventLoop& loop;
    McuRegistry& fleet;
    const Log& log;
    bool single_ack;
    std::chrono::milliseconds frame_patience;
    std::function<void()> shut_down;  ///< none: clients cannot
  };

  ClientSession(Connection& connection, const House& house);

  const std::string& title() const { return title_; }
  void heard(std::string_view bytes) override;
  void gone(const std::string& why) override;

 private:
  void answer_queries();
  void answer(const Movement& movement);
  void answer(const SelectMcu& select);
  void answer(const AskInfo&);
  void answer(const SetMode& mode);
  void answer(const ExecuteAll&);
  void answer(const Upload& upload);
  void answer(const ShutDown&);
  void refuse(const BadFrame& bad);
  void refuse(Nack why, std::string_view text);
  void send(const Answer& answer, std::string_view note = {});
  /// The next query waits for this to be called, with its last answer.
  Mcu::Done last_answer();
  /// None, also when another client has taken it over.
  Mcu* active() const;
  bool is_delayed() const { return delayed_ || put_in_delayed_; }
  void watch_for_pause();

  Connection& connection_;
  const House& house_;
  std::string title_;
  FrameReader<Query> reader_;
  net::Timer pause_;
  std::shared_ptr<Mcu> mcu_;
  bool delayed_ = false;         // as it was asked
  bool put_in_delayed_ = false;  // by the moves that the MCU had stored when it was selected
  bool over_ = false;
  bool waiting_ = false;    // for the last answer
  bool answering_ = false;  // in answer_queries()
};

}  // namespace servosim::srvp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/queues.h"
#include "recording/recorder.h"
#include "run/run_extension.h"
#include "view/live/live_server.h"
#include "view/live/live_stream.h"

namespace servosim {

class Motor;
class Simulation;

struct LiveViewOptions {
  LiveServerOptions server;
  bool has_control = false;  ///< whether watchers may change the run
};

/// Shows a run to browsers and, if permitted, lets them change it: see docs/reference/live-view.md.
/// It does not change the simulation otherwise and never delays it.
class LiveView final : public RunExtension {
 public:
  /// `simulation` must outlive this object. @throws std::runtime_error if it cannot listen on the
  /// address
  LiveView(Simulation& simulation, LiveViewOptions options);
  /// Sends the last state to the watchers.
  ~LiveView() override;

  /// Returns the address of the page, with the token.
  std::string url() const { return server_->url(); }

  void begin(std::optional<double> realtime_factor) override;
  void serve() override;
  int wake_descriptor() override { return tasks_.wake_descriptor(); }
  bool ready() const override { return !is_paused_ || steps_ > 0; }
  RunChanges take_changes() override;
  bool follows_worlds() const override { return true; }
  void after_step() override;
  void after_reset() override { add_frame(); }
  void after_load() override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Command;

  void request(const std::string& body, const LiveServer::Answer& answer);
  std::optional<std::string> execute(const Command& command);
  std::optional<std::string> set_motor(const Command& command);
  void resume(double speed);
  void tell_status();
  void add_frame();

  Simulation& simulation_;
  const LiveViewOptions options_;
  RecordSource source_;
  PictureSource pictures_;
  Writer records_;
  Clock::time_point next_frame_;
  Clock::time_point next_pictures_;
  double shown_time_ = -1.0;  // time of the last frame [s]
  bool is_paused_ = false;
  int steps_ = 0;       // steps that a paused run may still take
  double speed_ = 1.0;  // infinite means as fast as possible
  RunChanges changes_;
  net::WorkQueue tasks_;
  LiveStream stream_;
  std::optional<LiveServer> server_;  // destroyed first, since its thread uses the other members
};

}  // namespace servosim

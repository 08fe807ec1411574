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

/// Shows a run to browsers, and lets them change it where they may:
/// docs/reference/live-view.md. It changes nothing of the simulation otherwise, and never holds it
/// up.
class LiveView final : public RunExtension {
 public:
  /// `simulation` must outlive it. @throws std::runtime_error if the address cannot be listened on
  LiveView(Simulation& simulation, LiveViewOptions options);
  /// Watchers get the last state.
  ~LiveView() override;

  /// Of the page, with the token.
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
  Writer records_;
  Clock::time_point next_frame_;
  double shown_time_ = -1.0;  // of the last frame [s]
  bool is_paused_ = false;
  int steps_ = 0;       // that a paused run may take
  double speed_ = 1.0;  // infinite: as fast as possible
  RunChanges changes_;
  net::WorkQueue tasks_;
  LiveStream stream_;
  std::optional<LiveServer> server_;  // the first that is destroyed: its thread uses the others
};

}  // namespace servosim

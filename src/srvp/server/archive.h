// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "srvp/server/database.h"

namespace servosim::srvp {

/// The database of a server and the thread that writes to it, so that nobody waits for a disk but
/// who has asked for it. A file that cannot be opened now is tried again whenever it is needed.
/// Belongs to the thread of its loop, which also makes all calls.
class Archive {
 public:
  struct Calls {
    std::function<void(std::vector<McuRecord>)> loaded;  ///< once, when the file could be read
    std::function<void(const std::string&)> say;
  };
  using Done = std::function<void(bool kept)>;

  /// Waits for the file, for a moment.
  Archive(net::EventLoop& loop, std::string path, Calls calls);
  ~Archive();

  /// Opens the file in the background if that has not been possible.
  void try_again();
  /// Keeps a calibration, before everything else.
  void keep(McuRecord record, Done done);
  /// Keeps that there is such an MCU, soon.
  void note(const McuRecord& record);
  /// Keeps it no longer, unless it has a calibration.
  void forget(const std::string& name);

 private:
  struct Upload {
    McuRecord record;
    Done done;
  };
  using Notes = std::map<std::string, std::optional<McuRecord>>;  // by name; none: forget it

  void ask_for_work();
  void work();
  std::optional<std::vector<McuRecord>> open();
  void keep_uploads();
  void keep_notes();
  bool apply(const Database::Changes& changes);
  /// Calls in the loop's thread, if this still lives then.
  void post(std::function<void()> job);
  void say(const std::string& what);

  net::EventLoop& loop_;
  std::string path_;
  Calls calls_;
  std::shared_ptr<Archive*> self_;      // for what comes back when this may be gone
  std::unique_ptr<Database> database_;  // of the writer, once that runs
  std::atomic<bool> is_open_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  // Under the mutex.
  std::vector<Upload> uploads_;
  Notes notes_;
  bool asked_ = false;  // the writer has work() before it
  net::EventLoopThread writer_;
};

}  // namespace servosim::srvp

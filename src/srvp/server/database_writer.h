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

/// The database of a server and the thread that writes to it, so that only a client that stores a
/// calibration waits for the disk. A file that cannot be opened is tried again whenever it is
/// needed. Only the thread of `loop`, which also makes all calls, may use this class.
///
/// Invariant: uploads_, pending_ and scheduled_ are used only under the mutex. database_ is used by
/// one thread at a time: first by the constructor, then by the writer.
class DatabaseWriter {
 public:
  struct Calls {
    /// Called once, when the file has been read.
    std::function<void(std::vector<McuRecord>)> loaded;
    std::function<void(const std::string&)> report;
  };
  using Done = std::function<void(bool kept)>;

  /// Opens and reads the file, which may block for a moment.
  DatabaseWriter(net::EventLoop& loop, std::string path, Calls calls);
  ~DatabaseWriter();

  /// Tries again, in the background, to open the file if it is not open.
  void reopen();
  /// Stores a calibration, before all other changes.
  void store_calibration(McuRecord record, Done done);
  /// Stores an MCU without calibration, some time later.
  void store_soon(const McuRecord& record);
  /// Deletes an MCU some time later, unless it has a calibration.
  void remove_soon(const std::string& name);

 private:
  struct Upload {
    McuRecord record;
    Done done;
  };
  using PendingChanges =
      std::map<std::string, std::optional<McuRecord>>;  // by name; no record means a deletion

  void schedule_work();
  void work();
  std::optional<std::vector<McuRecord>> open();
  void write_uploads();
  void write_pending();
  bool apply(const Database::Changes& changes);
  /// Calls `job` in the loop's thread, if this object still exists then.
  void post(std::function<void()> job);
  void report(const std::string& what);

  net::EventLoop& loop_;
  std::string path_;
  Calls calls_;
  std::shared_ptr<DatabaseWriter*> self_;  // tells post() whether this object still exists
  std::unique_ptr<Database> database_;     // used by the writer once that runs
  std::atomic<bool> is_open_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  // Guarded by the mutex.
  std::vector<Upload> uploads_;
  PendingChanges pending_;
  bool scheduled_ = false;  // whether a call of work() is pending
  net::EventLoopThread writer_;
};

}  // namespace servosim::srvp

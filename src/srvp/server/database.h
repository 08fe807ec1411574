// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "servosim/srvp/frames.h"

struct sqlite3;

namespace servosim::srvp {

/// An MCU in the database.
struct McuRecord {
  std::string name;
  McuKind kind = McuKind::Smart;
  std::size_t servo_count = 0;
  std::vector<PwmRange> calibration;  ///< one for each servo, or none
  friend bool operator==(const McuRecord&, const McuRecord&) = default;
};

/// Why something could not be read or stored; names the file.
struct DatabaseError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// MCUs in an SQLite file. Each apply() is stored completely or not at all, even after a crash.
/// Threads: one at a time; each call may block for the disk. All functions throw DatabaseError.
class Database {
 public:
  /// Receives warnings about invalid rows, for people.
  using Report = std::function<void(const std::string&)>;
  struct Changes {
    std::vector<McuRecord> stored;
    std::vector<std::string> removed;  ///< names
  };

  /// Creates the file if it does not exist. An empty path means a database in memory.
  explicit Database(const std::string& path);
  /// Returns all stored MCUs except invalid ones, which are reported.
  std::vector<McuRecord> load(const Report& report);
  /// Adds MCUs. One with a calibration replaces a stored one of that name. Deletes the removed ones
  /// that have no calibration. Makes all changes or none.
  void apply(const Changes& changes);
  void store(const McuRecord& record) { apply({{record}, {}}); }

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };

  void prepare_file();
  void load_calibration(McuRecord& record, const Report& report);
  void add(const McuRecord& record);
  void store_calibration(const McuRecord& record);
  void remove(const std::string& name);
  void run(const char* sql);
  [[noreturn]] void fail(const std::string& what);

  std::string path_;
  std::unique_ptr<sqlite3, Closer> connection_;
};

}  // namespace servosim::srvp

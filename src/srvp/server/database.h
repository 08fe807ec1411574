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

/// What is kept of an MCU.
struct McuRecord {
  std::string name;
  McuKind kind = McuKind::Smart;
  std::size_t servo_count = 0;
  std::vector<PwmRange> calibration;  ///< one per servo, or none
  friend bool operator==(const McuRecord&, const McuRecord&) = default;
};

/// Why something could not be read or kept, with the file.
struct DatabaseError : std::runtime_error {
  using runtime_error::runtime_error;
};

/// MCUs in a file of SQLite: what has been stored is there after any crash, whole. One thread at a
/// time; each call may take a moment. All throw DatabaseError.
class Database {
 public:
  /// What can be wrong with what is in the file, for people.
  using Say = std::function<void(const std::string&)>;
  struct Changes {
    std::vector<McuRecord> stored;
    std::vector<std::string> forgotten;  ///< names
  };

  /// Made if it is not there. "" path: in memory.
  explicit Database(const std::string& path);
  /// All of them but those that make no sense, which are told.
  std::vector<McuRecord> load(const Say& say);
  /// Adds MCUs; one with a calibration replaces what is there of that name. Takes out those that
  /// are forgotten, but for calibrated ones. All of it or nothing.
  void apply(const Changes& changes);
  void store(const McuRecord& record) { apply({{record}, {}}); }

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };

  void prepare_file();
  void load_calibration(McuRecord& record, const Say& say);
  void add(const McuRecord& record);
  void store_calibration(const McuRecord& record);
  void forget(const std::string& name);
  void run(const char* sql);
  [[noreturn]] void fail(const std::string& what);

  std::string path_;
  std::unique_ptr<sqlite3, Closer> connection_;
};

}  // namespace servosim::srvp

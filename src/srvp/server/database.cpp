// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <string_view>
#include <utility>

// To ignore one is an error.
[[nodiscard]] decltype(sqlite3_prepare_v2) sqlite3_prepare_v2;
[[nodiscard]] decltype(sqlite3_bind_text) sqlite3_bind_text;
[[nodiscard]] decltype(sqlite3_bind_int64) sqlite3_bind_int64;
[[nodiscard]] decltype(sqlite3_step) sqlite3_step;
[[nodiscard]] decltype(sqlite3_exec) sqlite3_exec;
[[nodiscard]] decltype(sqlite3_busy_timeout) sqlite3_busy_timeout;

namespace servosim::srvp {

namespace {

constexpr int kApplication = 0x53525650;  // "SRVP"
constexpr int kVersion = 1;
constexpr std::string_view kSmart = "smart";
constexpr std::string_view kDumb = "dumb";
constexpr int kBusyTimeout_ms = 1000;

constexpr const char* kSchema = R"SQL(
CREATE TABLE mcu(
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, servos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE calibration(
  mcu TEXT NOT NULL, servo INTEGER NOT NULL, min INTEGER NOT NULL, max INTEGER NOT NULL,
  PRIMARY KEY(mcu, servo)) WITHOUT ROWID;
)SQL";

/// An SQL statement. step() reports an error in it.
class Statement {
 public:
  Statement(sqlite3* connection, const char* sql) {
    note(sqlite3_prepare_v2(connection, sql, -1, &statement_, nullptr));
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void set(int place, std::string_view text) {
    note(sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                           SQLITE_TRANSIENT));
  }
  void set(int place, std::int64_t number) { note(sqlite3_bind_int64(statement_, place, number)); }
  int step() { return error_ == SQLITE_OK ? sqlite3_step(statement_) : error_; }
  void reset() { sqlite3_reset(statement_); }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const void* const bytes = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return bytes ? std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size))
                 : std::string();
  }

 private:
  void note(int result) { error_ = error_ == SQLITE_OK ? result : error_; }

  sqlite3_stmt* statement_ = nullptr;
  int error_ = SQLITE_OK;  // the first error
};

bool is_pwm(std::int64_t value) { return value >= 0 && value <= kMaxPwm; }

}  // namespace

void Database::Closer::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Database::Database(const std::string& path) : path_(path) {
  sqlite3* connection = nullptr;
  const int result =
      sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &connection,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (result != SQLITE_OK || sqlite3_busy_timeout(connection, kBusyTimeout_ms) != SQLITE_OK) {
    fail("cannot be opened");
  }
  prepare_file();
}

// Creates the tables in a new file. Does not change a database of another application.
void Database::prepare_file() {
  const auto number = [this](const char* sql) {
    Statement row(connection_.get(), sql);
    if (row.step() != SQLITE_ROW) {
      fail("cannot be read");
    }
    return row.number(0);
  };
  if (number("SELECT count(*) FROM sqlite_schema") == 0) {
    run("BEGIN IMMEDIATE");
    if (number("SELECT count(*) FROM sqlite_schema") == 0) {  // still empty, now that it is locked
      run(kSchema);
      run(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
      run(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
    }
    run("COMMIT");
  }
  if (number("PRAGMA application_id") != kApplication ||
      number("PRAGMA user_version") != kVersion) {
    throw DatabaseError(path_ + " is a database of another application; choose another file");
  }
}

std::vector<McuRecord> Database::load(const Report& report) {
  std::vector<McuRecord> records;
  Statement row(connection_.get(), "SELECT name, kind, servos FROM mcu ORDER BY name");
  int result = row.step();
  for (; result == SQLITE_ROW; result = row.step()) {
    McuRecord record;
    record.name = row.text(0);
    const std::string kind = row.text(1);
    const std::int64_t servos = row.number(2);
    if (!name_error(record.name).empty() || (kind != kSmart && kind != kDumb) || servos < 1 ||
        servos > std::int64_t{kMaxServos}) {
      report(fmt::format("{}: MCU {} is invalid and ignored: {} with {} servos", path_,
                         legible(record.name), legible(kind), servos));
      continue;
    }
    record.kind = kind == kSmart ? McuKind::Smart : McuKind::Dumb;
    record.servo_count = static_cast<std::size_t>(servos);
    records.push_back(std::move(record));
  }
  if (result != SQLITE_DONE) {
    fail("cannot be read");
  }
  for (McuRecord& record : records) {
    load_calibration(record, report);
  }
  return records;
}

void Database::load_calibration(McuRecord& record, const Report& report) {
  Statement row(connection_.get(),
                "SELECT servo, min, max FROM calibration WHERE mcu = ? ORDER BY servo");
  row.set(1, record.name);
  std::vector<PwmRange> ranges;
  std::size_t found = 0;
  int result = row.step();
  for (; result == SQLITE_ROW; result = row.step(), ++found) {
    const std::int64_t min = row.number(1);
    const std::int64_t max = row.number(2);
    if (found < record.servo_count && row.number(0) == static_cast<std::int64_t>(found) &&
        is_pwm(min) && is_pwm(max)) {
      ranges.push_back({static_cast<std::int32_t>(min), static_cast<std::int32_t>(max)});
    }
  }
  if (result != SQLITE_DONE) {
    fail("cannot be read");
  }
  if (ranges.size() == record.servo_count && found == record.servo_count) {
    record.calibration = std::move(ranges);
  } else if (found > 0) {
    report(fmt::format("{}: the calibration of MCU {} is invalid and ignored", path_,
                       legible(record.name)));
  }
}

void Database::apply(const Changes& changes) {
  run("BEGIN IMMEDIATE");
  try {
    for (const McuRecord& record : changes.stored) {
      add(record);
    }
    for (const std::string& name : changes.removed) {
      remove(name);
    }
    run("COMMIT");
  } catch (const DatabaseError&) {
    // This fails if SQLite has rolled back already.
    static_cast<void>(sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr));
    throw;
  }
}

void Database::add(const McuRecord& record) {
  Statement mcu(connection_.get(), record.calibration.empty()
                                       ? "INSERT OR IGNORE INTO mcu VALUES(?, ?, ?)"
                                       : "INSERT OR REPLACE INTO mcu VALUES(?, ?, ?)");
  mcu.set(1, record.name);
  mcu.set(2, record.kind == McuKind::Smart ? kSmart : kDumb);
  mcu.set(3, static_cast<std::int64_t>(record.servo_count));
  if (mcu.step() != SQLITE_DONE) {
    fail("cannot be written");
  }
  if (!record.calibration.empty()) {
    store_calibration(record);
  }
}

void Database::remove(const std::string& name) {
  Statement mcu(connection_.get(),
                "DELETE FROM mcu WHERE name = ? AND name NOT IN (SELECT mcu FROM calibration)");
  mcu.set(1, name);
  if (mcu.step() != SQLITE_DONE) {
    fail("cannot be written");
  }
}

void Database::store_calibration(const McuRecord& record) {
  Statement before(connection_.get(), "DELETE FROM calibration WHERE mcu = ?");
  before.set(1, record.name);
  if (before.step() != SQLITE_DONE) {
    fail("cannot be written");
  }
  Statement row(connection_.get(), "INSERT INTO calibration VALUES(?, ?, ?, ?)");
  row.set(1, record.name);
  for (std::size_t servo = 0; servo < record.calibration.size(); ++servo) {
    row.set(2, static_cast<std::int64_t>(servo));
    row.set(3, std::int64_t{record.calibration[servo].min});
    row.set(4, std::int64_t{record.calibration[servo].max});
    if (row.step() != SQLITE_DONE) {
      fail("cannot be written");
    }
    row.reset();
  }
}

void Database::run(const char* sql) {
  if (sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail("cannot be written");
  }
}

void Database::fail(const std::string& what) {
  throw DatabaseError(fmt::format("{} {}: {}", path_, what, sqlite3_errmsg(connection_.get())));
}

}  // namespace servosim::srvp

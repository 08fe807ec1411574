// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/database_writer.h"

#include <fmt/format.h>

#include <utility>

namespace servosim::srvp {

DatabaseWriter::DatabaseWriter(net::EventLoop& loop, std::string path, Calls calls)
    : loop_(loop),
      path_(std::move(path)),
      calls_(std::move(calls)),
      self_(std::make_shared<DatabaseWriter*>(this)) {
  try {
    auto database = std::make_unique<Database>(path_);
    calls_.loaded(database->load(calls_.report));
    database_ = std::move(database);
    is_open_ = true;
  } catch (const DatabaseError& error) {
    calls_.report(
        fmt::format("{}. Until it can be used uploads are refused with NACK 247", error.what()));
  }
}

// Pending changes take one write. Waiting uploads were not acknowledged and are dropped.
DatabaseWriter::~DatabaseWriter() {
  stopping_ = true;
  writer_.stop();
  if (is_open_) {
    write_pending();
  }
}

void DatabaseWriter::reopen() {
  if (!is_open_) {
    schedule_work();
  }
}

void DatabaseWriter::store_calibration(McuRecord record, Done done) {
  {
    const std::lock_guard lock(mutex_);
    uploads_.push_back({std::move(record), std::move(done)});
  }
  schedule_work();
}

void DatabaseWriter::store_soon(const McuRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    pending_[record.name] = record;
  }
  schedule_work();
}

void DatabaseWriter::remove_soon(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.erase(name) > 0) {
      return;  // it has not been written yet
    }
    pending_[name] = std::nullopt;
  }
  schedule_work();
}

void DatabaseWriter::schedule_work() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(scheduled_, true)) {
    writer_.loop().post([this] { work(); });
  }
}

void DatabaseWriter::work() {
  {
    const std::lock_guard lock(mutex_);
    scheduled_ = false;
  }
  if (!stopping_ && !is_open_) {
    if (auto records = open()) {
      post([this, records = std::move(*records)] { calls_.loaded(records); });
    }
  }
  if (!stopping_) {
    write_uploads();
  }
  if (!stopping_ && is_open_) {
    write_pending();
  }
}

std::optional<std::vector<McuRecord>> DatabaseWriter::open() {
  try {
    auto database = std::make_unique<Database>(path_);
    auto records = database->load([this](const std::string& what) { report(what); });
    database_ = std::move(database);
    is_open_ = true;
    return records;
  } catch (const DatabaseError& error) {
    report(error.what());
    return std::nullopt;
  }
}

void DatabaseWriter::write_uploads() {
  std::vector<Upload> uploads;
  {
    const std::lock_guard lock(mutex_);
    uploads.swap(uploads_);
  }
  Database::Changes changes;
  for (const Upload& upload : uploads) {
    changes.stored.push_back(upload.record);
  }
  const bool kept = apply(changes);
  for (Upload& upload : uploads) {
    post([done = std::move(upload.done), kept] { done(kept); });
  }
}

// Changes that cannot be written are kept for the next attempt, unless there is a newer change of
// that MCU. Deletions are not repeated, so there are never more pending changes than MCUs.
void DatabaseWriter::write_pending() {
  PendingChanges pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(pending_);
  }
  Database::Changes changes;
  for (const auto& [name, record] : pending) {
    if (record) {
      changes.stored.push_back(*record);
    } else {
      changes.removed.push_back(name);
    }
  }
  if (!apply(changes)) {
    std::erase_if(pending, [](const auto& note) { return !note.second; });
    const std::lock_guard lock(mutex_);
    pending_.merge(pending);
  }
}

bool DatabaseWriter::apply(const Database::Changes& changes) {
  if (changes.stored.empty() && changes.removed.empty()) {
    return true;
  }
  try {
    if (is_open_) {
      database_->apply(changes);
    }
    return is_open_;
  } catch (const DatabaseError& error) {
    report(error.what());
    return false;
  }
}

void DatabaseWriter::post(std::function<void()> job) {
  loop_.post([self = std::weak_ptr(self_), job = std::move(job)] {
    if (self.lock()) {
      job();
    }
  });
}

void DatabaseWriter::report(const std::string& what) {
  post([this, what] { calls_.report(what); });
}

}  // namespace servosim::srvp

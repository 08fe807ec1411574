// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/archive.h"

#include <fmt/format.h>

#include <utility>

namespace servosim::srvp {

Archive::Archive(net::EventLoop& loop, std::string path, Calls calls)
    : loop_(loop),
      path_(std::move(path)),
      calls_(std::move(calls)),
      self_(std::make_shared<Archive*>(this)) {
  try {
    auto database = std::make_unique<Database>(path_);
    calls_.loaded(database->load(calls_.say));
    database_ = std::move(database);
    is_open_ = true;
  } catch (const DatabaseError& error) {
    calls_.say(
        fmt::format("{}. Until it can be used uploads are refused with NACK 247", error.what()));
  }
}

// What is left to note costs one write; uploads have not been promised anything.
Archive::~Archive() {
  stopping_ = true;
  writer_.stop();
  if (is_open_) {
    keep_notes();
  }
}

void Archive::try_again() {
  if (!is_open_) {
    ask_for_work();
  }
}

void Archive::keep(McuRecord record, Done done) {
  {
    const std::lock_guard lock(mutex_);
    uploads_.push_back({std::move(record), std::move(done)});
  }
  ask_for_work();
}

void Archive::note(const McuRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    notes_[record.name] = record;
  }
  ask_for_work();
}

void Archive::forget(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (notes_.erase(name) > 0) {
      return;  // nothing is written of it yet
    }
    notes_[name] = std::nullopt;
  }
  ask_for_work();
}

void Archive::ask_for_work() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(asked_, true)) {
    writer_.loop().post([this] { work(); });
  }
}

void Archive::work() {
  {
    const std::lock_guard lock(mutex_);
    asked_ = false;
  }
  if (!stopping_ && !is_open_) {
    if (auto records = open()) {
      post([this, records = std::move(*records)] { calls_.loaded(records); });
    }
  }
  if (!stopping_) {
    keep_uploads();
  }
  if (!stopping_ && is_open_) {
    keep_notes();
  }
}

std::optional<std::vector<McuRecord>> Archive::open() {
  try {
    auto database = std::make_unique<Database>(path_);
    auto records = database->load([this](const std::string& what) { say(what); });
    database_ = std::move(database);
    is_open_ = true;
    return records;
  } catch (const DatabaseError& error) {
    say(error.what());
    return std::nullopt;
  }
}

void Archive::keep_uploads() {
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

// What cannot be kept now is kept later, unless there is something newer to say of that MCU. To
// forget is less urgent, and is not repeated, so that what waits is never more than is known.
void Archive::keep_notes() {
  Notes notes;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
  }
  Database::Changes changes;
  for (const auto& [name, record] : notes) {
    if (record) {
      changes.stored.push_back(*record);
    } else {
      changes.forgotten.push_back(name);
    }
  }
  if (!apply(changes)) {
    std::erase_if(notes, [](const auto& note) { return !note.second; });
    const std::lock_guard lock(mutex_);
    notes_.merge(notes);
  }
}

bool Archive::apply(const Database::Changes& changes) {
  if (changes.stored.empty() && changes.forgotten.empty()) {
    return true;
  }
  try {
    if (is_open_) {
      database_->apply(changes);
    }
    return is_open_;
  } catch (const DatabaseError& error) {
    say(error.what());
    return false;
  }
}

void Archive::post(std::function<void()> job) {
  loop_.post([self = std::weak_ptr(self_), job = std::move(job)] {
    if (self.lock()) {
      job();
    }
  });
}

void Archive::say(const std::string& what) {
  post([this, what] { calls_.say(what); });
}

}  // namespace servosim::srvp

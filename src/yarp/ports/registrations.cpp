// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/registrations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace servosim::yarp {

void Registrations::add(const Contact& contact) {
  Entry& entry = entries_.emplace_back(loop_, contact);
  entry.pause = pauses_.first;
  enroll(entry);
}

void Registrations::withdraw() {
  ending_ = true;
  for (Entry& entry : entries_) {
    entry.timer.stop();
  }
  names_.cancel();
  for (const Entry& entry : entries_) {
    if (entry.enrolled) {
      ++under_way_;
      names_.withdraw(entry.contact, [this](const std::string&) { --under_way_; });
    }
  }
}

void Registrations::enroll(Entry& entry) {
  ++under_way_;
  names_.enroll(entry.contact, [this, &entry](const std::string& error) {
    --under_way_;
    error.empty() ? succeeded(entry) : failed(entry, error);
  });
}

void Registrations::look(Entry& entry) {
  ++under_way_;
  names_.ask(QueryName{entry.contact.name},
             [this, &entry](const NameReply& reply, const std::string& error) {
               --under_way_;
               if (ending_) {
                 return;
               }
               if (error.empty() && is_at(reply, entry.contact)) {
                 return succeeded(entry);
               }
               enroll(entry);
             });
}

void Registrations::succeeded(Entry& entry) {
  entry.enrolled = true;
  entry.pause = pauses_.first;
  if (ending_) {
    return;
  }
  entry.timer.start(pauses_.look, [this, &entry] { look(entry); });
  if (std::exchange(entry.trouble, {}).empty() ||
      std::any_of(entries_.begin(), entries_.end(),
                  [](const Entry& other) { return !other.trouble.empty(); })) {
    return;
  }
  std::string names;
  for (Entry& other : entries_) {
    if (std::exchange(other.troubled, false)) {
      names += (names.empty() ? "" : ", ") + other.contact.name;
    }
  }
  say_("registered now: " + names);
}

// What keeps all ports from being registered is said of one.
void Registrations::failed(Entry& entry, const std::string& error) {
  if (ending_) {
    entry.enrolled = true;  // perhaps: it was being asked for
    return;
  }
  entry.timer.start(entry.pause, [this, &entry] { enroll(entry); });
  entry.pause = std::min(2 * entry.pause, pauses_.longest);
  entry.troubled = true;
  const bool said = std::any_of(entries_.begin(), entries_.end(),
                                [&error](const Entry& other) { return other.trouble == error; });
  entry.trouble = error;
  if (!said) {
    say_(fmt::format("{} is not registered, and is found as {}:{} only: {}; trying on",
                     entry.contact.name, entry.contact.ip, entry.contact.port, error));
  }
}

}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/name_client.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/socket_stream.h"

namespace servosim::yarp {

namespace {

constexpr std::uint16_t kUsualPort = 10000;
constexpr const char* kCancelled = "it is not asked any more";
const std::vector<std::string> kCarriers{"tcp", "fast_tcp", "udp", "text", "text_ack"};

std::string config_folder() {
  if (const char* const folder = ::getenv("YARP_CONFIG_HOME"); folder != nullptr && *folder) {
    return folder;
  }
  const char* const home = ::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.config/yarp";
}

// Of the namespace that yarp_namespace.conf names, where that is another one than /root: the file
// of /robots/icub is _robots_icub.conf.
std::string config_file() {
  const std::string folder = config_folder();
  std::istringstream words(read_file_or_nothing(folder + "/yarp_namespace.conf"));
  std::string name = "/root";
  words >> name;
  if (name == "/root") {
    return folder + "/yarp.conf";
  }
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return fmt::format("{}/{}.conf", folder, name);
}

}  // namespace

std::variant<net::Address, std::string> find_name_server(const std::string& given) {
  if (!given.empty()) {
    if (const auto address = net::find_address(given); address && address->port != 0) {
      return *address;
    }
    return fmt::format(
        "'{}' is no address of a name server: give an IPv4 number or localhost, and a port, as in "
        "127.0.0.1:10000",
        given);
  }
  const std::string path = config_file();
  const auto file = read_file(path);
  if (std::holds_alternative<FileError>(file)) {
    return net::Address{INADDR_LOOPBACK, kUsualPort};
  }
  std::istringstream words(std::get<std::string>(file));
  std::string host;
  int port = 0;
  words >> host >> port;
  if (const auto address = net::find_address(host, port); address && port > 0) {
    return *address;
  }
  return fmt::format(
      "{} names no address of a name server: it should begin with an IPv4 number and a port, as in "
      "127.0.0.1 10000 yarp",
      path);
}

bool is_at(const NameReply& reply, const Contact& contact) {
  return !reply.contacts.empty() && reply.contacts.front().ip == contact.ip &&
         reply.contacts.front().port == contact.port;
}

/// One connection, for one question.
struct NameClient::Question {
  explicit Question(net::EventLoop& loop) : timer(loop) {}
  std::string line;
  Replied replied;
  NameReplyReader reader;
  bool heard = false;
  net::Timer timer;
  std::unique_ptr<net::Stream> stream;  // null while others are asked
};

NameClient::NameClient(net::EventLoop& loop, const net::Address& server,
                       std::chrono::milliseconds patience)
    : loop_(loop), server_(server), patience_(patience) {}

NameClient::~NameClient() = default;

void NameClient::ask(const NameRequest& request, Replied replied) {
  auto question = std::make_shared<Question>(loop_);
  question->line = encode_name_request(request);
  question->replied = std::move(replied);
  questions_.push_back(std::move(question));
  if (questions_.size() == 1) {
    ask_next();
  }
}

void NameClient::ask_next() {
  const std::shared_ptr<Question> question = questions_.front();
  Question& asked = *question;
  const auto end = [this, weak = std::weak_ptr(question)](const std::string& error) {
    if (const auto still = weak.lock()) {
      finish(still, error);
    }
  };
  net::Stream::Calls calls;
  calls.connected = [&asked] { asked.stream->send(as_bytes(asked.line)); };
  calls.received = [&asked, end](Bytes bytes) {
    asked.heard = true;
    if (asked.reader.feed(bytes)) {
      end(asked.reader.error());
    }
  };
  // Some servers only close.
  calls.closed = [&asked, end](const std::string& why) {
    asked.reader.finish();
    end(asked.heard ? "" : why);
  };
  asked.timer.start(patience_, [this] {
    give_up(fmt::format("no whole answer within {:.3g} s", 1e-3 * double(patience_.count())));
  });
  try {
    asked.stream = std::make_unique<net::Stream>(loop_, server_, std::move(calls));
  } catch (const std::system_error& error) {
    give_up(error.what());
  }
}

void NameClient::finish(const std::shared_ptr<Question>& question, const std::string& error) {
  if (questions_.empty() || questions_.front() != question) {
    return;
  }
  questions_.pop_front();
  if (!questions_.empty()) {
    ask_next();
  }
  reply(*question, error);
  loop_.bury(question);
}

// Those that wait would only find out the same.
void NameClient::give_up(const std::string& error) {
  for (const auto& question : std::exchange(questions_, {})) {
    reply(*question, error);
    loop_.bury(question);
  }
}

void NameClient::cancel() {
  for (const auto& probe : std::unordered_set(probes_)) {
    reply(*probe, kCancelled);
  }
  give_up(kCancelled);
}

void NameClient::reply(Question& question, const std::string& error) {
  if (question.stream) {
    question.stream->close();
  }
  question.timer.stop();
  question.replied(question.reader.reply(),
                   error.empty() ? error
                                 : fmt::format("the name server at {} is of no use: {}",
                                               to_string(server_), error));
}

void NameClient::find(const std::string& name, Found found) {
  ask(QueryName{name}, [this, name, found = std::move(found)](const NameReply& reply,
                                                              const std::string& error) {
    if (!error.empty()) {
      return found({}, error);
    }
    if (!reply.contacts.empty()) {
      return found(reply.contacts.front(), "");
    }
    found({}, reply.others.empty()
                  ? fmt::format("the name server at {} knows no port {}", to_string(server_), name)
                  : fmt::format("the name server at {} says: {}", to_string(server_),
                                reply.others.front()));
  });
}

void NameClient::enroll(const Contact& contact, Done done) {
  ask(QueryName{contact.name},
      [this, contact, done = std::move(done)](const NameReply& reply, const std::string& error) {
        if (!error.empty()) {
          return done(error);
        }
        if (reply.contacts.empty() || is_at(reply, contact)) {
          return enroll_free(contact, done);
        }
        check_holder(reply.contacts.front(), contact, done);
      });
}

// A name is free again when nobody listens at its address any more.
void NameClient::check_holder(const Contact& holder, const Contact& contact, Done done) {
  const auto address = net::find_address(holder.ip, holder.port);
  if (!address || address->port == 0) {
    return enroll_free(contact, done);
  }
  const auto probe = std::make_shared<Question>(loop_);
  const std::weak_ptr<Question> weak = probe;
  const auto end = [this, weak, contact, done](const std::string& taken) {
    if (const auto still = weak.lock(); still && probes_.erase(still) > 0) {
      still->stream->close();
      still->timer.stop();
      loop_.bury(still);
      taken.empty() ? enroll_free(contact, done) : done(taken);
    }
  };
  probe->replied = [end](const NameReply&, const std::string& error) { end(error); };
  net::Stream::Calls calls;
  calls.connected = [end, name = contact.name, address] {
    end(fmt::format("the name {} is taken by a port at {}", name, to_string(*address)));
  };
  calls.received = [](Bytes) {};
  calls.closed = [end](const std::string&) { end(""); };
  probe->timer.start(patience_, [end] { end(""); });
  try {
    probe->stream = std::make_unique<net::Stream>(loop_, *address, std::move(calls));
  } catch (const std::system_error&) {  // no such place any more
    return enroll_free(contact, done);
  }
  probes_.insert(probe);
}

void NameClient::enroll_free(const Contact& contact, Done done) {
  ask(RegisterName{contact},
      [this, contact, done = std::move(done)](const NameReply& reply, const std::string& error) {
        if (!error.empty()) {
          return done(error);
        }
        if (!reply.contacts.empty() && reply.contacts.front().port == contact.port) {
          return tell_abilities(contact, done);
        }
        done(fmt::format("the name server at {} does not register {}{}{}", to_string(server_),
                         contact.name, reply.others.empty() ? "" : ": ",
                         reply.others.empty() ? "" : reply.others.front()));
      });
}

// A name server that cannot note them is good enough.
void NameClient::tell_abilities(const Contact& contact, const Done& done) {
  const auto tell = [this, contact](const char* key, const Replied& then) {
    ask(SetProperty{contact.name, key, kCarriers}, then);
  };
  tell("offers", [tell, done](const NameReply&, const std::string& error) {
    if (!error.empty()) {
      return done("");
    }
    tell("accepts", [done](const NameReply&, const std::string&) { done(""); });
  });
}

void NameClient::withdraw(const Contact& contact, Done done) {
  ask(QueryName{contact.name},
      [this, contact, done = std::move(done)](const NameReply& reply, const std::string& error) {
        if (!error.empty() || !is_at(reply, contact)) {
          return done(error);
        }
        ask(UnregisterName{contact.name},
            [done](const NameReply&, const std::string& why) { done(why); });
      });
}

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

// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/name_client.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/files.h"
#include "base/sockets.h"

namespace servosim::yarp {

namespace {

constexpr const char* kNoServer =
    "; start `yarpserver` or `servosim yarp nameserver`, or name one by --nameserver or "
    "--yarp-nameserver ADDRESS";

constexpr const char* kCancelled = "the request was cancelled";
const std::vector<std::string> kCarriers{"tcp", "fast_tcp", "udp", "text", "text_ack"};

std::string config_folder() {
  if (const char* const folder = ::getenv("YARP_CONFIG_HOME"); folder != nullptr && *folder) {
    return folder;
  }
  const char* const home = ::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.config/yarp";
}

// Returns the configuration file of the namespace in yarp_namespace.conf if that is not /root. The
// file for /robots/icub is _robots_icub.conf.
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
    return net::Address{INADDR_LOOPBACK, kNameServerPort};
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

struct NameClient::Query {
  explicit Query(net::EventLoop& loop) : timer(loop) {}
  std::string line;
  Replied replied;
  NameReplyReader reader;
  bool answered = false;
  net::Timer timer;
  std::unique_ptr<net::TcpStream> stream;  // null until the request is sent
};

NameClient::NameClient(net::EventLoop& loop, const net::Address& server,
                       std::chrono::milliseconds timeout)
    : loop_(loop), server_(server), timeout_(timeout) {}

NameClient::~NameClient() = default;

void NameClient::ask(const NameRequest& request, Replied replied) {
  auto query = std::make_shared<Query>(loop_);
  query->line = encode_name_request(request);
  query->replied = std::move(replied);
  queries_.push_back(std::move(query));
  if (queries_.size() == 1) {
    send_next();
  }
}

void NameClient::send_next() {
  const std::shared_ptr<Query> query = queries_.front();
  Query& current = *query;
  const auto end = [this, weak = std::weak_ptr(query)](const std::string& error) {
    if (const auto still = weak.lock()) {
      finish(still, error);
    }
  };
  net::TcpStream::Calls calls;
  calls.connected = [&current] { current.stream->send(as_bytes(current.line)); };
  calls.received = [&current, end](Bytes bytes) {
    current.answered = true;
    if (current.reader.feed(bytes)) {
      end(current.reader.error());
    }
  };
  // Some servers end their answer only by closing the connection.
  calls.closed = [&current, end](const std::string& why) {
    current.reader.finish();
    end(current.answered ? "" : why);
  };
  current.timer.start(timeout_, [this] {
    give_up(fmt::format("no whole answer within {:.3g} s", 1e-3 * double(timeout_.count())));
  });
  try {
    current.stream = std::make_unique<net::TcpStream>(loop_, server_, std::move(calls));
  } catch (const std::system_error& error) {
    give_up(error.what());
  }
}

void NameClient::finish(const std::shared_ptr<Query>& query, const std::string& error) {
  if (queries_.empty() || queries_.front() != query) {
    return;
  }
  queries_.pop_front();
  if (!queries_.empty()) {
    send_next();
  }
  reply(*query, error);
  loop_.destroy_later(query);
}

// The other pending requests fail at once, since each would fail after its own timeout.
void NameClient::give_up(const std::string& error) {
  for (const auto& query : std::exchange(queries_, {})) {
    reply(*query, error);
    loop_.destroy_later(query);
  }
}

void NameClient::cancel() {
  for (const auto& checked : std::exchange(probes_, {})) {
    checked.done(kCancelled);
  }
  give_up(kCancelled);
}

void NameClient::reply(Query& query, const std::string& error) {
  if (query.stream) {
    query.stream->close();
  }
  query.timer.stop();
  const bool is_away = !query.answered && error != kCancelled;
  query.replied(query.reader.reply(),
                error.empty() ? error
                              : fmt::format("the name server at {} cannot be used: {}{}",
                                            to_string(server_), error, is_away ? kNoServer : ""));
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
                  ? fmt::format("the name server at {} has no port {}", to_string(server_), name)
                  : fmt::format("the name server at {} answers: {}", to_string(server_),
                                reply.others.front()));
  });
}

void NameClient::register_port(const Contact& contact, Done done) {
  ask(QueryName{contact.name},
      [this, contact, done = std::move(done)](const NameReply& reply, const std::string& error) {
        if (!error.empty()) {
          return done(error);
        }
        if (reply.contacts.empty() || is_at(reply, contact)) {
          return register_free(contact, done);
        }
        check_holder(reply.contacts.front(), contact, done);
      });
}

// A name is free if its address no longer accepts connections.
void NameClient::check_holder(const Contact& holder, const Contact& contact, Done done) {
  const auto address = net::find_address(holder.ip, holder.port);
  if (!address || address->port == 0) {
    return register_free(contact, done);
  }
  probes_.push_front({nullptr, std::move(done)});
  const auto at = probes_.begin();
  const auto end = [=, this](Probe::Found found) {
    const Done then = std::move(at->done);
    probes_.erase(at);
    found == Probe::Found::Listens ? then(fmt::format("the name {} is taken by a port at {}",
                                                      contact.name, to_string(*address)))
                                   : register_free(contact, then);
  };
  try {
    at->probe = std::make_unique<Probe>(loop_, *address, timeout_, end);
  } catch (const std::bad_alloc&) {
    end(Probe::Found::Unknown);
  }
}

void NameClient::register_free(const Contact& contact, Done done) {
  ask(RegisterName{contact},
      [this, contact, done = std::move(done)](const NameReply& reply, const std::string& error) {
        if (!error.empty()) {
          return done(error);
        }
        if (!reply.contacts.empty() && reply.contacts.front().port == contact.port) {
          return register_carriers(contact, done);
        }
        done(fmt::format("the name server at {} does not register {}{}{}", to_string(server_),
                         contact.name, reply.others.empty() ? "" : ": ",
                         reply.others.empty() ? "" : reply.others.front()));
      });
}

// A name server that does not store the carriers is accepted. After the announcement it makes the
// connections that others have asked for.
void NameClient::register_carriers(const Contact& contact, const Done& done) {
  const auto set_property = [this, contact](const char* key, const Replied& then) {
    ask(SetProperty{contact.name, key, kCarriers}, then);
  };
  const auto announce = [this, contact, done](const NameReply&, const std::string& error) {
    if (!error.empty()) {
      return done("");
    }
    ask(AnnounceName{contact.name}, [done](const NameReply&, const std::string&) { done(""); });
  };
  set_property("offers",
               [set_property, announce, done](const NameReply&, const std::string& error) {
                 if (!error.empty()) {
                   return done("");
                 }
                 set_property("accepts", announce);
               });
}

void NameClient::unregister(const Contact& contact, Done done) {
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
  entry.pause = intervals_.first;
  register_port(entry);
}

void Registrations::unregister_all() {
  ending_ = true;
  for (Entry& entry : entries_) {
    entry.timer.stop();
  }
  names_.cancel();
  for (const Entry& entry : entries_) {
    if (entry.registered) {
      ++under_way_;
      names_.unregister(entry.contact, [this](const std::string&) { end_request(); });
    }
  }
}

void Registrations::end_request() {
  SERVOSIM_ASSERT(under_way_ > 0, "an answer without a request, of {} ports", entries_.size());
  --under_way_;
}

void Registrations::register_port(Entry& entry) {
  ++under_way_;
  names_.register_port(entry.contact, [this, &entry](const std::string& error) {
    end_request();
    error.empty() ? succeeded(entry) : failed(entry, error);
  });
}

void Registrations::verify(Entry& entry) {
  ++under_way_;
  names_.ask(QueryName{entry.contact.name},
             [this, &entry](const NameReply& reply, const std::string& error) {
               end_request();
               if (ending_) {
                 return;
               }
               if (error.empty() && is_at(reply, entry.contact)) {
                 return succeeded(entry);
               }
               register_port(entry);
             });
}

void Registrations::succeeded(Entry& entry) {
  entry.registered = true;
  entry.pause = intervals_.first;
  if (ending_) {
    return;
  }
  entry.timer.start(intervals_.verify, [this, &entry] { verify(entry); });
  if (std::exchange(entry.error, {}).empty() ||
      std::any_of(entries_.begin(), entries_.end(),
                  [](const Entry& other) { return !other.error.empty(); })) {
    return;
  }
  std::string names;
  for (Entry& other : entries_) {
    if (std::exchange(other.failed_before, false)) {
      names += (names.empty() ? "" : ", ") + other.contact.name;
    }
  }
  report_("registered now: " + names);
}

// An error that affects all ports is reported for only one of them.
void Registrations::failed(Entry& entry, const std::string& error) {
  if (ending_) {
    entry.registered = true;  // possibly true: the request was pending
    return;
  }
  entry.timer.start(entry.pause, [this, &entry] { register_port(entry); });
  entry.pause = std::min(2 * entry.pause, intervals_.max);
  entry.failed_before = true;
  const bool reported = std::any_of(entries_.begin(), entries_.end(),
                                    [&error](const Entry& other) { return other.error == error; });
  entry.error = error;
  if (!reported) {
    report_(fmt::format("{} is not registered, and is found as {}:{} only: {}; trying again",
                        entry.contact.name, entry.contact.ip, entry.contact.port, error));
  }
}

}  // namespace servosim::yarp

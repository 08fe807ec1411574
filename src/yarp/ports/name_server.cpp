// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/name_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/sockets.h"
#include "yarp/ports/input_connection.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp {

namespace {

constexpr int kLastPort = 65535;

bool is_name(std::string_view name) {
  return name.starts_with('/') && name.size() < kMaxName &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c != 127; });
}

std::string property_line(std::string_view name, std::string_view key, std::string_view values) {
  return fmt::format("port {} property {} ={}{}\r\n", name, key, values.empty() ? "" : " ", values);
}

}  // namespace

// Returns the lines of an answer that precede the end of the message.
struct NameTable::Answer {
  NameTable& table;
  std::string_view peer_ip;

  std::string operator()(const QueryName& request) const {
    const Contact* const contact = table.find(request.name);
    return contact ? registration_line(*contact) : std::string();
  }
  std::string operator()(RegisterName& request) const {
    return table.register_name(std::move(request.contact), peer_ip);
  }
  std::string operator()(const UnregisterName& request) const {
    if (request.name != table.self_) {
      table.entries_.erase(request.name);
    }
    return {};
  }
  std::string operator()(const ListNames&) const {
    std::string lines;
    for (const auto& [name, entry] : table.entries_) {
      lines += registration_line(entry.contact);
    }
    return lines;
  }
  std::string operator()(const SetProperty& request) const { return table.set_property(request); }
  std::string operator()(const GetProperty& request) const {
    return property_line(request.name, request.key, table.property(request.name, request.key));
  }
  std::string operator()(const CheckProperty& request) const {
    const auto blanks = [](std::string_view text) { return fmt::format(" {} ", text); };
    const std::string values = blanks(table.property(request.name, request.key));
    return fmt::format("port {} property {} value {} present {}\r\n", request.name, request.key,
                       request.value, values.find(blanks(request.value)) != values.npos);
  }
  std::string operator()(const AnnounceName&) const { return "[ok]\r\n"; }
  std::string operator()(const ProtocolError& error) const { return error.text + "\r\n"; }
};

NameTable::NameTable(Contact self) : self_(self.name) {
  entries_.emplace(self_, Entry{std::move(self), {}});
}

std::string NameTable::answer(std::string_view line, std::string_view peer_ip) {
  NameRequest request = parse_name_request(line);
  std::string text = std::visit(Answer{*this, peer_ip}, request);
  if (!std::holds_alternative<AnnounceName>(request)) {
    text += kEndOfNameReply;
  }
  return text;
}

const Contact* NameTable::find(std::string_view name) const {
  const auto entry = entries_.find(name);
  return entry != entries_.end() ? &entry->second.contact : nullptr;
}

// A name that is registered already gets the new address, since its program was restarted.
std::string NameTable::register_name(Contact contact, std::string_view peer_ip) {
  if (contact.name.empty()) {
    contact.name = anonymous_name();
  }
  if (!is_name(contact.name)) {
    return "a name must begin with '/' and be shorter than " + std::to_string(kMaxName) + "\r\n";
  }
  if (contact.name == self_) {
    return registration_line(*find(self_));
  }
  if (entries_.size() >= kMaxNames && !find(contact.name)) {
    return fmt::format("no room: {} names are registered\r\n", kMaxNames);
  }
  if (contact.ip.empty()) {
    contact.ip = peer_ip;
  }
  if (contact.carrier.empty()) {
    contact.carrier = "tcp";
  }
  if (contact.port == 0 && (contact.port = free_port(contact.ip)) == 0) {
    return "no port number is left\r\n";
  }
  Entry& entry = entries_[contact.name];
  entry = {std::move(contact), {}};
  return registration_line(entry.contact);
}

// Counts upwards and starts again after the last number, so that a number is not reused at once.
int NameTable::free_port(std::string_view ip) {
  std::set<int> taken;
  for (const auto& [name, entry] : entries_) {
    if (entry.contact.ip == ip) {
      taken.insert(entry.contact.port);
    }
  }
  for (int tried = kFirstPort; tried <= kLastPort; ++tried) {
    const int port = next_port_;
    next_port_ = port < kLastPort ? port + 1 : kFirstPort;
    if (!taken.contains(port)) {
      return port;
    }
  }
  return 0;
}

std::string NameTable::anonymous_name() {
  std::string name;
  do {
    name = fmt::format("/tmp/port/{}", next_anonymous_++);
  } while (find(name));
  return name;
}

std::string NameTable::set_property(const SetProperty& request) {
  const auto entry = entries_.find(request.name);
  if (entry == entries_.end()) {
    return fmt::format("{} is not registered\r\n", request.name);
  }
  auto& properties = entry->second.properties;
  if (properties.size() >= kMaxProperties && !properties.contains(request.key)) {
    return fmt::format("no room: {} has {} properties\r\n", request.name, kMaxProperties);
  }
  std::vector<std::string> sorted = request.values;  // sorted, as yarpserver stores them
  std::sort(sorted.begin(), sorted.end());
  std::string& values = properties[request.key];
  values = fmt::format("{}", fmt::join(sorted, " "));
  return property_line(request.name, request.key, values);
}

std::string_view NameTable::property(std::string_view name, std::string_view key) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) {
    return {};
  }
  const auto found = entry->second.properties.find(key);
  return found != entry->second.properties.end() ? std::string_view(found->second)
                                                 : std::string_view();
}

namespace {

constexpr const char* kOwnName = "/root";
const std::string kLongRequest = fmt::format("a request of more than {} bytes", kMaxNameRequest);

}  // namespace

struct NameServer::Client : std::enable_shared_from_this<Client> {
  explicit Client(net::EventLoop& loop) : timer(loop) {}
  net::Address peer;
  ByteQueue queue;
  std::optional<Incoming> text;  // set if it speaks as to a port, by a text carrier
  net::Timer timer;
  std::unique_ptr<net::TcpStream> stream;
};

NameServer::NameServer(net::EventLoop& loop, const net::Address& local, NameServerOptions options)
    : loop_(loop),
      options_(std::move(options)),
      listener_(
          loop, local,
          [this](Descriptor socket, const net::Address& peer) { accept(std::move(socket), peer); }),
      table_({kOwnName, net::ip_text({options_.announced_ip.value_or(listener_.address().ip)}),
              listener_.address().port, "tcp"}),
      subscriptions_(loop_, table_, options_.report) {}

NameServer::~NameServer() = default;

void NameServer::accept(Descriptor socket, const net::Address& peer) {
  make_room();
  const auto client = std::make_shared<Client>(loop_);
  client->peer = peer;
  const auto end = [this, weak = std::weak_ptr(client)] { close_client(weak); };
  client->stream = std::make_unique<net::TcpStream>(
      loop_, std::move(socket),
      net::TcpStream::Calls{{},
                            [this, raw = client.get()](Bytes bytes) { received(*raw, bytes); },
                            [end](const std::string&) { end(); }});
  client->timer.start(options_.first_byte_timeout, end);
  clients_.push_back(client);
}

void NameServer::make_room() {
  if (clients_.size() < kMaxClients) {
    return;
  }
  const auto silent = std::find_if(clients_.begin(), clients_.end(), [](const auto& client) {
    return client->queue.size() == 0 && (!client->text || client->text->buffered() == 0) &&
           client->stream->unsent() == 0;
  });
  close_client(silent != clients_.end() ? *silent : clients_.front());
}

// A connection carries one request and one answer, unless it speaks as to a port.
void NameServer::received(Client& client, Bytes bytes) {
  clients_.splice(clients_.end(), clients_,
                  std::find(clients_.begin(), clients_.end(), client.shared_from_this()));
  if (client.text) {
    client.text->feed(bytes);
    return converse(client);
  }
  if (client.queue.size() == 0) {
    client.timer.start(options_.timeout,
                       [this, weak = client.weak_from_this()] { close_client(weak); });
  }
  client.queue.append(bytes);
  const auto line = client.queue.take_line();
  if (!line && client.queue.size() <= kMaxNameRequest) {
    return;
  }
  if (line && (line->starts_with("CONNACK ") || line->starts_with("CONNECT "))) {
    std::string begin = std::string(*line) + '\n';
    begin += as_text(client.queue.take(client.queue.size()));
    client.text.emplace().feed(as_bytes(begin));
    return converse(client);
  }
  answer_line(client, line.value_or(""));
  client.stream->finish();
}

void NameServer::answer_line(Client& client, std::string_view line) {
  const std::string answer = table_.answer(line, ip_text(client.peer));
  client.stream->send(as_bytes(answer));
  const NameRequest request = parse_name_request(line);
  if (const auto* const announced = std::get_if<AnnounceName>(&request)) {
    subscriptions_.announced(announced->name);
  }
}

void NameServer::converse(Client& client) {
  for (auto event = client.text->next(); event.index() != 0; event = client.text->next()) {
    Writer writer;
    bool ends = false;
    if (const auto* const opened = std::get_if<Opened>(&event)) {
      encode_answer(writer, opened->carrier, listener_.address().port, opened->sender);
    } else if (const auto* const message = std::get_if<Message>(&event)) {
      const Carrier carrier = *client.text->carrier();
      if (has_body(message->head)) {
        const BottleOrError body = message->body.size() > kMaxNameRequest
                                       ? BottleOrError(ProtocolError{kLongRequest})
                                       : decode_body(message->body, carrier, Generation::V3);
        const auto* const error = std::get_if<ProtocolError>(&body);
        const Bottle reply = error != nullptr ? admin_failed_reply(error->text)
                                              : subscriptions_.answer(std::get<Bottle>(body));
        if (message->head.reply) {
          encode_reply(writer, carrier, reply, Generation::V3);
        }
      }
      encode_ack(writer, carrier);
      ends = message->head.command == PortCommand::Quit;
    } else {
      writer.chars(std::get<ProtocolError>(event).text + "\r\n");
      ends = true;
    }
    client.stream->send(writer.bytes());
    if (ends) {
      return client.stream->finish();
    }
  }
  if (client.text->buffered() > kMaxNameRequest) {
    Writer writer;
    writer.chars(kLongRequest + "\r\n");
    client.stream->send(writer.bytes());
    client.stream->finish();
  }
}

void NameServer::close_client(const std::weak_ptr<Client>& client) {
  if (const auto still = client.lock()) {
    still->stream->close();
    clients_.remove(still);
    loop_.destroy_later(still);
  }
}

}  // namespace servosim::yarp

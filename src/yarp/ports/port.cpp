// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/port.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace servosim::yarp {

namespace {

// The interval between two refusals that ask whether senders still exist.
constexpr std::chrono::seconds kAskInterval{1};

// Periods of udp_silence after which an input is checked if the name server does not know its
// sender.
constexpr int kPatienceWithUnknown = 12;

// Returns whether the other side has no port: a person, or a program that only sends.
bool is_anonymous(const InputConnection& link) { return !link.sender().starts_with('/'); }

}  // namespace

Port::Port(net::EventLoop& loop, PortOptions options, NameClient* names, Handler handler,
           Report report)
    : loop_(loop),
      options_(std::move(options)),
      names_(names),
      handler_(std::move(handler)),
      report_(std::move(report)),
      listener_(loop, options_.listen, [this](Descriptor socket, const net::Address& peer) {
        accept(std::move(socket), peer);
      }) {}

Port::~Port() {
  for (const auto& output : outputs_) {
    if (output->link) {
      output->link->quit();
    }
  }
  for (const auto& input : inputs_) {
    input->link->close();
  }
}

Contact Port::contact() const {
  const net::Address& local = listener_.address();
  return {options_.name, net::ip_text({options_.announced_ip.value_or(local.ip)}), local.port,
          "tcp"};
}

// ---- inputs

void Port::accept(Descriptor socket, const net::Address& peer) {
  if (!make_room()) {
    return refuse(socket);
  }
  limit_reported_ = false;
  const auto input =
      std::make_shared<Input>(static_cast<InputConnection::Owner&>(*this), loop_, options_);
  input->link->accept(std::move(socket), peer);
  input->timer.start(options_.handshake_timeout,
                     [this, link = input->link.get()] { link_closed(*link, "no handshake"); });
  inputs_.push_back(input);
}

bool Port::make_room() {
  if (inputs_.size() + outputs_.size() < options_.max_connections) {
    return true;
  }
  InputConnection* silent =
      longest_silent([](const InputConnection& link) { return !link.carrier(); });
  if (silent == nullptr) {
    const auto since = net::Clock::now() - options_.anonymous_timeout;
    silent = longest_silent([since](const InputConnection& link) {
      return link.carrier() && is_anonymous(link) && link.last_received() <= since;
    });
  }
  if (silent == nullptr) {
    return false;
  }
  link_closed(*silent, "");
  return true;
}

// YARP programs accept any text as a refusal. A refusal also checks udp senders, so that those that
// have ended make room for the next connection.
void Port::refuse(const Descriptor& socket) {
  const std::string why = fmt::format("{} has {} connections; more are refused", options_.name,
                                      options_.max_connections);
  if (!std::exchange(limit_reported_, true)) {
    report_(why + names_of_unknown());
  }
  const std::string text = why + "\r\n";
  static_cast<void>(  // a client that does not get the text sees the end of the connection
      ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  if (net::Clock::now() - refused_ >= kAskInterval) {
    refused_ = net::Clock::now();
    for (const auto& input : std::list(inputs_)) {
      input->home ? ask_home(input) : find_home(input, Then::Ask);
    }
  }
}

// Returns the end of a line about refusals: the connections that only a person can release.
std::string Port::names_of_unknown() const {
  constexpr std::size_t kMost = 5;
  std::string names;
  std::size_t count = 0;
  for (const auto& input : inputs_) {
    if (input->link->carrier() == Carrier::Udp && !input->home && ++count <= kMost) {
      names += (names.empty() ? "" : ", ") + input->link->sender();
    }
  }
  if (count == 0) {
    return "";
  }
  return fmt::format("; nobody knows whether these senders by udp are still there: {}{}", names,
                     count > kMost ? fmt::format(" and {} more", count - kMost) : "");
}

InputConnection* Port::longest_silent(
    const std::function<bool(const InputConnection&)>& among) const {
  InputConnection* silent = nullptr;
  for (const auto& input : inputs_) {
    InputConnection* const link = input->link.get();
    if (among(*link) && (silent == nullptr || link->last_received() < silent->last_received())) {
      silent = link;
    }
  }
  return silent;
}

void Port::link_opened(InputConnection& link) {
  for (const auto& input : std::list(inputs_)) {
    if (input->link.get() == &link) {
      input->timer.stop();
      find_home(input, Then::Watch);
    } else if (link.carrier() == Carrier::Udp && input->link->carrier() == Carrier::Udp &&
               !is_anonymous(link) && input->link->sender() == link.sender() &&
               input->link->peer().ip == link.peer().ip) {
      link_closed(*input->link, "a new connection of this name takes its place");
    }
  }
}

void Port::find_home(const std::shared_ptr<Input>& input, Then then) {
  if (names_ == nullptr || input->link->carrier() != Carrier::Udp || is_anonymous(*input->link)) {
    return;
  }
  names_->find(input->link->sender(), [this, then, weak = std::weak_ptr(input)](
                                          const Contact& contact, const std::string& error) {
    const auto still = weak.lock();
    if (!still) {
      return;
    }
    const auto address = error.empty() ? net::find_address(contact.ip, contact.port) : std::nullopt;
    // A refusal by another computer would tell nothing about the one that sends.
    if (address && address->port != 0 && address->ip == still->link->peer().ip) {
      still->home = address;
    }
    if (still->home && then == Then::Ask) {
      ask_home(still);
    } else {
      watch_silence(still);
    }
  });
}

void Port::watch_silence(const std::shared_ptr<Input>& input) {
  const auto after = options_.udp_silence * (input->home ? 1 : kPatienceWithUnknown);
  input->timer.start(after, [this, weak = std::weak_ptr(input)] {
    const auto still = weak.lock();
    if (!still) {
      return;
    }
    if (net::Clock::now() - still->link->last_received() < options_.udp_silence) {
      watch_silence(still);
    } else {
      still->home ? ask_home(still) : find_home(still, Then::Watch);
    }
  });
}

void Port::ask_home(const std::shared_ptr<Input>& input) {
  if (!input->home || input->probe) {
    return;
  }
  const auto end = [this, weak = std::weak_ptr(input)](Probe::Found found) {
    const auto still = weak.lock();
    if (!still) {
      return;
    }
    still->probe.reset();
    if (found == Probe::Found::Refuses) {
      link_closed(*still->link,
                  fmt::format("its port at {} no longer listens", to_string(*still->home)));
    } else {
      watch_silence(still);
    }
  };
  try {
    input->probe = std::make_unique<Probe>(loop_, *input->home, options_.handshake_timeout, end);
  } catch (const std::bad_alloc&) {
    end(Probe::Found::Unknown);
  }
}

void Port::link_closed(InputConnection& link, const std::string& why) {
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&link](const auto& input) {
    return input->link.get() == &link;
  });
  if (found != inputs_.end()) {
    if (!why.empty() && link.carrier()) {  // an input without a handshake has no known sender
      report_(fmt::format("{}: the connection from {} ({}) is closed: {}", options_.name,
                          link.sender(), ip_text(link.peer()), why));
    }
    link.close();
    waiting_ -= link.buffered();
    loop_.destroy_later(*found);
    inputs_.erase(found);
  }
}

void Port::link_buffered(InputConnection&, std::size_t before, std::size_t now) {
  waiting_ += now - before;
  if (waiting_ <= options_.max_waiting) {
    return;
  }
  waiting_ = 0;
  for (const auto& input : inputs_) {
    waiting_ += input->link->recount_buffered();
  }
  if (waiting_ <= options_.max_waiting) {
    return;
  }
  const auto most = std::max_element(
      inputs_.begin(), inputs_.end(),
      [](const auto& a, const auto& b) { return a->link->buffered() < b->link->buffered(); });
  link_problem(*(*most)->link,
               fmt::format("{} bytes of it are in memory, and {} of all connections; "
                           "the connection is closed",
                           (*most)->link->buffered(), waiting_));
  link_closed(*(*most)->link, "");
}

void Port::link_reversed(InputConnection& link) {
  const auto output = std::make_shared<Output>(loop_);
  output->name = link.sender();
  output->carrier = *link.carrier();
  output->open = true;
  output->link = std::make_unique<OutputConnection>(loop_, link.take_stream(), output->carrier,
                                                    options_.generation, output_calls(output));
  link_closed(link, "");
  outputs_.push_back(output);
  send_last(output);
}

// This command is the only sign that a udp connection has ended.
std::string Port::link_disconnects(InputConnection& link, std::string_view sender) {
  return remove_inputs(sender, link)
             ? fmt::format("Removing connection from {} to {}\r\n", sender, options_.name)
             : fmt::format("There is no connection from {} to {}\r\n", sender, options_.name);
}

bool Port::remove_inputs(std::string_view sender, InputConnection& asker) {
  if (sender.empty()) {  // inputs that have not completed their handshake have no name, either
    return false;
  }
  bool found = false;
  for (const auto& input : std::list(inputs_)) {
    if (input->link->sender() == sender) {
      input->link.get() == &asker ? asker.finish() : link_closed(*input->link, "");
      found = true;
    }
  }
  return found;
}

std::string Port::link_description() const {
  std::string text = fmt::format("This is {}, a port of servosim.\r\n", options_.name);
  for (const auto& input : inputs_) {
    if (input->link->carrier()) {
      text += fmt::format("It receives from {} by {}.\r\n", input->link->sender(),
                          carrier_name(*input->link->carrier()));
    }
  }
  for (const auto& output : outputs_) {
    text += fmt::format("It sends to {} by {}.\r\n", output->name, carrier_name(output->carrier));
  }
  return text;
}

void Port::link_problem(InputConnection& link, const std::string& what) {
  for (const auto& input : inputs_) {
    const auto text = input->link.get() == &link ? input->problems.admit(what) : std::nullopt;
    if (text) {
      report_(fmt::format("{}: from {} ({}): {}", options_.name,
                          link.sender().empty() ? "unknown" : link.sender(), ip_text(link.peer()),
                          *text));
    }
  }
}

// ---- outputs

void Port::connect(Carrier carrier, const std::string& name, Done done) {
  if (names_ == nullptr) {
    return done("there is no name server to ask for " + name);
  }
  remove_output(name);
  if (!make_room()) {
    return done(fmt::format("{} has {} connections", options_.name, options_.max_connections));
  }
  const auto output = std::make_shared<Output>(loop_);
  output->name = name;
  output->carrier = carrier;
  output->done = std::move(done);
  outputs_.push_back(output);
  look_up_address(output);
}

// Waits until an earlier connection to the same receiver has ended. A disconnect command names only
// its sender, so a delayed one would end the new connection.
void Port::look_up_address(const std::shared_ptr<Output>& output) {
  if (output->looked_up || std::any_of(closing_.begin(), closing_.end(), [&](const auto& other) {
        return other->name == output->name;
      })) {
    return;
  }
  output->looked_up = true;
  names_->find(output->name, [this, weak = std::weak_ptr(output)](const Contact& contact,
                                                                  const std::string& error) {
    if (const auto still = weak.lock()) {
      error.empty() ? connect_to(still, contact) : output_done(still, error);
    }
  });
}

void Port::connect_to(const std::shared_ptr<Output>& output, const Contact& contact) {
  const auto address = net::find_address(contact.ip, contact.port);
  if (!address || address->port == 0) {
    return output_done(output, fmt::format("{} is at {} {}, which is no IPv4 address", contact.name,
                                           contact.ip, contact.port));
  }
  output->timer.start(options_.handshake_timeout, [this, weak = std::weak_ptr(output)] {
    if (const auto still = weak.lock()) {
      output_done(still, still->name + " does not answer");
    }
  });
  try {
    output->link = std::make_unique<OutputConnection>(
        loop_, *address, output->carrier, options_.name, options_.generation, output_calls(output));
  } catch (const std::system_error& error) {
    output_done(output, error.what());
  }
}

OutputConnection::Calls Port::output_calls(const std::shared_ptr<Output>& output) {
  const auto with = [weak = std::weak_ptr(output)](auto call) {
    if (const auto still = weak.lock()) {
      call(still);
    }
  };
  return {[this, with] { with([this](const auto& still) { output_done(still, ""); }); },
          [](const BottleOrError&) {}, [] {},
          [this, with](const std::string& why) {
            with([this, &why](const auto& still) { output_done(still, why); });
          }};
}

// Called when the output is open, or when it has ended with an error.
void Port::output_done(const std::shared_ptr<Output>& output, const std::string& error) {
  output->timer.stop();
  output->open = error.empty();
  output->ready = net::Clock::now();
  const Done done = std::exchange(output->done, {});
  error.empty() ? send_last(output) : drop(output);
  if (done) {
    done(error);
  }
}

void Port::drop(const std::shared_ptr<Output>& output) {
  outputs_.remove(output);
  if (!output->link) {
    return loop_.destroy_later(output);
  }
  closing_.push_back(output);
  output->link->quit(
      [this, weak = std::weak_ptr(output)] {
        const auto still = weak.lock();
        if (!still) {
          return;
        }
        closing_.remove(still);
        loop_.destroy_later(still);
        for (const auto& next : Outputs(outputs_)) {
          if (next->name == still->name && !next->link) {
            look_up_address(next);
          }
        }
      },
      options_.disconnect_timeout);
}

void Port::close_outputs() {
  for (const auto& output : Outputs(outputs_)) {
    output_done(output, "the port is closed");
  }
}

bool Port::remove_output(const std::string& name) {
  for (const auto& output : Outputs(outputs_)) {
    if (output->name == name) {
      output_done(output, "it is removed");
      return true;
    }
  }
  return false;
}

void Port::publish(Bytes body, const Stamp& stamp) {
  publish(body, {PortCommand::Data, false, stamp});
}
void Port::publish(Bytes body) { publish(body, {PortCommand::Data, false, {}}); }

void Port::publish(Bytes body, const MessageHead& head) {
  if (options_.latched) {
    last_head_ = head;
    last_body_.assign(body.begin(), body.end());
  }
  if (outputs_.empty()) {
    return;
  }
  EncodedMessage message(head, body, options_.generation);
  for (const auto& output : Outputs(outputs_)) {
    send_if_ready(message, output);
  }
}

void Port::send_last(const std::shared_ptr<Output>& output) {
  if (!last_body_.empty()) {
    EncodedMessage message(last_head_, last_body_, options_.generation);
    send_if_ready(message, output);
  }
}

void Port::send_if_ready(EncodedMessage& message, const std::shared_ptr<Output>& output) {
  if (!output->open) {
    return;
  }
  const auto now = net::Clock::now();
  if (output->link->ready()) {
    output->ready = now;
    output->link->send(message);
  } else if (now - output->ready > options_.reader_timeout) {
    report_(
        fmt::format("{}: {} does not read; its connection is closed", options_.name, output->name));
    output_done(output, "it does not read");
  }
}

// ---- requests about connections

struct Port::AdminReply {
  Port& port;
  InputConnection& asker;
  const Respond& respond;

  void operator()(const AdminVersion&) const { respond(admin_version_reply()); }
  void operator()(const AdminList& list) const {
    std::vector<std::string> names;
    Bottle connection;
    const auto add = [&](const std::string& name, Carrier carrier) {
      names.push_back(name);
      if (name == list.name) {
        connection = list.out ? admin_connection_reply(port.options_.name, name, carrier)
                              : admin_connection_reply(name, port.options_.name, carrier);
      }
    };
    for (const auto& output : port.outputs_) {
      if (list.out && output->open) {
        add(output->name, output->carrier);
      }
    }
    for (const auto& input : port.inputs_) {
      if (!list.out && !is_anonymous(*input->link)) {
        add(input->link->sender(), *input->link->carrier());
      }
    }
    respond(list.name.empty() ? admin_names_reply(names) : connection);
  }
  void operator()(const AdminAdd& add) const {
    port.connect(add.carrier, add.name,
                 [from = port.options_.name, add, to = respond](const std::string& error) {
                   to(error.empty() ? admin_added_reply(from, add)
                                    : admin_refused_reply("A connection from " + from + " to " +
                                                          add.name + " failed: " + error));
                 });
  }
  void operator()(const AdminRemove& remove) const {
    const bool was_output = port.remove_output(remove.name);
    const bool was_input = port.remove_inputs(remove.name, asker);
    respond(was_output || was_input
                ? admin_removed_reply(port.options_.name, remove.name)
                : admin_refused_reply(fmt::format("There is no connection from {} to {}",
                                                  port.options_.name, remove.name)));
  }
  void operator()(const AdminProperty& property) const { respond(admin_property_reply(property)); }
  void operator()(const AdminImpossible& impossible) const {
    respond(admin_refused_reply(impossible.why));
    port.link_problem(asker, impossible.why);
  }
  void operator()(const ProtocolError& error) const { respond(admin_failed_reply(error.text)); }
};

void Port::link_request(InputConnection& link, PortRequest request, Respond respond) {
  if (request.head.command == PortCommand::Admin) {
    return std::visit(AdminReply{*this, link, respond}, parse_admin(request.body));
  }
  if (!handler_) {
    return respond(Bottle{{Vocab("fail"), options_.name + " takes no messages"}});
  }
  handler_(std::move(request), std::move(respond));
}

namespace {

AdminRequest parse_list(const Bottle& message) {
  const auto direction = message.size() > 1 ? as_vocab(message.items[1]) : std::nullopt;
  if (direction != vocab("in") && direction != vocab("out")) {
    return ProtocolError{"use: [list] [in] or [list] [out], and a name if you like"};
  }
  AdminList list{direction == vocab("out"), {}};
  if (message.size() > 2) {
    const std::string* const name = as_string(message.items[2]);
    if (!name) {
      return ProtocolError{"the name of a port is a string"};
    }
    list.name = *name;
  }
  return list;
}

// Parses CARRIER:/NAME, or /NAME alone.
AdminRequest parse_destination(std::string_view text) {
  const std::size_t colon = text.starts_with('/') ? text.npos : text.find(":/");
  if (colon == text.npos) {
    return AdminAdd{Carrier::Tcp, std::string(text)};
  }
  const std::string name(text.substr(colon + 2));
  const std::optional<Carrier> carrier = carrier_named(text.substr(0, colon));
  if (!carrier) {
    return AdminImpossible{
        fmt::format("Cannot connect to {} by {}: there are tcp, fast_tcp, udp, text and text_ack "
                    "here, without modifiers",
                    name, text.substr(0, colon))};
  }
  return AdminAdd{*carrier, name};
}

}  // namespace

AdminRequest parse_admin(const Bottle& message) {
  const auto verb = message.empty() ? std::nullopt : as_vocab(message.items[0]);
  const std::string* const name = message.size() > 1 ? as_string(message.items[1]) : nullptr;
  switch (verb.value_or(0)) {
    case vocab("ver"):
      return AdminVersion{};
    case vocab("list"):
      return parse_list(message);
    case vocab("add"):
      return name ? parse_destination(*name)
                  : ProtocolError{"use: [add] \"tcp://name\", the port to connect to"};
    case vocab("del"):
      return name ? AdminRequest(AdminRemove{*name})
                  : ProtocolError{"use: [del] \"/name\", the port to disconnect from"};
    case vocab("prop"):
      return AdminProperty{message.size() > 1 && as_vocab(message.items[1]) == vocab("set")};
    default:
      return ProtocolError{"no such request; there are [ver], [list], [add], [del] and [prop]"};
  }
}

namespace {

struct RequestMessage {
  Bottle operator()(const AdminVersion&) const { return {{Vocab("ver")}}; }
  Bottle operator()(const AdminList& list) const {
    Bottle message{{Vocab("list"), Vocab(list.out ? "out" : "in")}};
    if (!list.name.empty()) {
      message.add(list.name);
    }
    return message;
  }
  Bottle operator()(const AdminAdd& add) const {
    return {{Vocab("add"), fmt::format("{}:/{}", carrier_name(add.carrier), add.name)}};
  }
  Bottle operator()(const AdminRemove& remove) const { return {{Vocab("del"), remove.name}}; }
  Bottle operator()(const AdminProperty& property) const {
    return {{Vocab("prop"), Vocab(property.set ? "set" : "get")}};
  }
  Bottle operator()(const AdminImpossible& impossible) const {
    return admin_refused_reply(impossible.why);
  }
  Bottle operator()(const ProtocolError& error) const { return admin_failed_reply(error.text); }
};

Bottle pair(const char* key, BottleValue value) { return {{std::string(key), std::move(value)}}; }

}  // namespace

Bottle admin_message(const AdminRequest& request) { return std::visit(RequestMessage{}, request); }

Bottle admin_version_reply() { return {{Vocab("ver"), 1, 2, 3}}; }

Bottle admin_names_reply(std::span<const std::string> names) {
  return {{names.begin(), names.end()}};
}

Bottle admin_connection_reply(std::string_view from, std::string_view to, Carrier carrier) {
  Bottle reply{{pair("from", std::string(from)), pair("to", std::string(to)),
                pair("carrier", std::string(carrier_name(carrier)))}};
  if (carrier == Carrier::Udp) {
    reply.add(pair("connectionless", 1));
  }
  return reply;
}

Bottle admin_added_reply(std::string_view from, const AdminAdd& to) {
  return {{0, fmt::format("Added connection from {} to {}:/{}\r\n", from, carrier_name(to.carrier),
                          to.name)}};
}

Bottle admin_removed_reply(std::string_view from, std::string_view to) {
  return {{0, fmt::format("Removed connection from {} to {}\r\n", from, to)}};
}

Bottle admin_refused_reply(std::string_view why) { return {{-1, std::string(why)}}; }

Bottle admin_property_reply(const AdminProperty& request) {
  return request.set ? Bottle{{Vocab("ok")}} : Bottle{};
}

Bottle admin_failed_reply(std::string_view why) { return {{Vocab("fail"), std::string(why)}}; }

}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

#include "yarp/ports/port.h"

namespace servosim::yarp {

namespace {

constexpr std::chrono::seconds kQuitTimeout{1};  // time for the receiver to close the connection

bool is_of_4(const std::string& name) { return name.ends_with("/nws/rpc:i"); }

// Returns NAME in `(from ..) (to NAME) ..`, or an empty text if it is not there.
std::string name_in(const Bottle& reply) {
  for (const BottleValue& item : reply.items) {
    const Bottle* const pair = as_list(item);
    const std::string* const key =
        pair != nullptr && pair->items.size() == 2 ? as_string(pair->items[0]) : nullptr;
    const std::string* const value = key != nullptr ? as_string(pair->items[1]) : nullptr;
    if (value != nullptr && *key == "to") {
      return *value;
    }
  }
  return {};
}

}  // namespace

YarpClient::~YarpClient() {
  if (out_) {
    bool sent = false;
    out_->quit([&sent] { sent = true; }, kQuitTimeout);
    loop_.run_until(net::Clock::now() + 2 * kQuitTimeout, [&sent] { return sent; });
  }
  if (in_) {
    in_->close();
  }
}

NameClient& YarpClient::names() {
  if (!names_) {
    const auto server = find_name_server(options_.name_server);
    if (const auto* why = std::get_if<std::string>(&server)) {
      throw YarpClientError(*why + ". Give --nameserver HOST:PORT, or the port as HOST:PORT");
    }
    names_ = std::make_unique<NameClient>(loop_, std::get<net::Address>(server), options_.timeout);
  }
  return *names_;
}

NameReply YarpClient::query_names(const NameRequest& request) {
  NameReply answer;
  std::optional<std::string> error;
  names().ask(request, [&](const NameReply& reply, const std::string& why) {
    answer = reply;
    error = why;
  });
  // The name client has its own timeout.
  wait(std::nullopt, "", [&error] { return error.has_value(); });
  if (!error->empty()) {
    throw YarpClientError(*error);
  }
  if (answer.contacts.empty() && !answer.others.empty()) {
    throw YarpClientError(
        fmt::format("the name server at {} answers with what is no registration: {}",
                    to_string(names().server()), quote(answer.others.front())));
  }
  return answer;
}

Contact YarpClient::find_name(const std::string& name, const std::vector<std::string>& endings) {
  std::vector<std::string> names{name};
  for (const std::string& ending : endings) {
    names.push_back(name + ending);
  }
  for (const std::string& tried : names) {
    const NameReply reply = query_names(QueryName{tried});
    if (!reply.contacts.empty()) {
      return reply.contacts.front();
    }
  }
  throw YarpClientError(
      fmt::format("the name server at {} has no port {}; `servosim yarp list` shows its ports",
                  to_string(this->names().server()), fmt::join(names, " or ")));
}

net::Address YarpClient::find(const std::string& port, const std::vector<std::string>& endings) {
  if (!port.starts_with('/')) {
    const auto address = net::find_address(port);
    if (!address || address->port == 0) {
      throw YarpClientError(fmt::format(
          "'{}' is no port: names begin with '/', as /icub/left_arm/rpc:i; an address is an IPv4 "
          "number or localhost, and a port number, as 127.0.0.1:10002",
          port));
    }
    port_ = port;
    return *address;
  }
  const Contact contact = find_name(port, endings);
  const auto address = net::find_address(contact.ip, contact.port);
  if (!address || address->port == 0) {
    throw YarpClientError(fmt::format("{} is registered at {} {}, which is no IPv4 address",
                                      contact.name, contact.ip, contact.port));
  }
  if (!options_.generation && is_of_4(contact.name)) {
    generation_ = Generation::V4;
  }
  port_ = fmt::format("{} at {}", contact.name, to_string(*address));
  return *address;
}

void YarpClient::connect(const std::string& port, Carrier carrier, const std::string& own_name,
                         const std::vector<std::string>& endings) {
  generation_ = options_.generation.value_or(Generation::V3);
  const net::Address address = find(port, endings);
  if (options_.asks_for_name && !options_.generation && !port.starts_with('/') &&
      is_of_4(name_of_port(address, own_name))) {
    generation_ = Generation::V4;
  }
  open(address, carrier, own_name);
}

// Asks the port about this connection, on a connection of its own. Both generations write the
// answer in the same form. Returns an empty text if the port does not tell its name.
std::string YarpClient::name_of_port(const net::Address& address, const std::string& own_name) {
  std::string name;
  try {
    open(address, Carrier::TextAck, own_name);
    const auto reply =
        send({PortCommand::Admin, true, {}}, admin_message(AdminList{false, own_name}));
    name = reply ? name_in(*reply) : "";
  } catch (const YarpClientError&) {  // no such carrier, no answer, or one of another form
  }
  if (out_ != nullptr) {
    out_->quit();
    out_.reset();
  }
  open_ = false;
  lost_.reset();
  return name;
}

void YarpClient::open(const net::Address& address, Carrier carrier, const std::string& own_name) {
  carrier_ = carrier;
  OutputConnection::Calls calls;
  calls.opened = [this] { open_ = true; };
  calls.reply = [this](const BottleOrError& reply) { reply_ = reply; };
  calls.finished = [this] { finished_ = true; };
  calls.closed = [this](const std::string& why) { lost_ = why; };
  try {
    out_ = std::make_unique<OutputConnection>(loop_, address, carrier, own_name, generation_,
                                              std::move(calls));
  } catch (const std::system_error& error) {
    throw YarpClientError(error.what());
  }
  wait(options_.timeout, "no connection", [this] { return open_; });
}

std::optional<Bottle> YarpClient::send(const MessageHead& head, const Bottle& body) {
  reply_.reset();
  finished_ = false;
  out_->send(head, body);
  if ((head.reply || acknowledges(carrier_)) && carrier_ != Carrier::Udp) {
    wait(options_.timeout, "no answer", [this] { return finished_; });
  } else {
    wait(options_.timeout, "the message is not sent", [this] { return out_->ready(); });
  }
  if (!reply_) {
    return std::nullopt;
  }
  if (const auto* error = std::get_if<ProtocolError>(&*reply_)) {
    throw YarpClientError(fmt::format("{} sends an invalid reply: {}", port_, error->text));
  }
  return std::get<Bottle>(*std::exchange(reply_, std::nullopt));
}

void YarpClient::reverse() {
  out_->send({PortCommand::Reverse, false, {}});
  wait(options_.timeout, "the message is not sent", [this] { return out_->ready(); });
  in_ = std::make_shared<InputConnection>(static_cast<InputConnection::Owner&>(*this), loop_,
                                          generation_);
  in_->attach(out_->take_stream(), carrier_, port_);
  out_.reset();
}

Bottle YarpClient::next_message(std::optional<std::chrono::milliseconds> timeout) {
  wait(timeout, "no message", [this] { return !messages_.empty(); });
  auto [body, respond] = std::move(messages_.front());
  messages_.pop_front();
  respond(Bottle());
  return body;
}

void YarpClient::link_request(InputConnection&, PortRequest request, Respond respond) {
  messages_.emplace_back(std::move(request.body), std::move(respond));
}

// The other side has reversed a connection that was reversed already.
void YarpClient::link_reversed(InputConnection&) { lost_ = "it reverses the connection"; }

void YarpClient::wait(std::optional<std::chrono::milliseconds> timeout, const std::string& what,
                      const std::function<bool()>& done) {
  const auto end = timeout ? net::Clock::now() + *timeout : net::Clock::time_point::max();
  const bool ended = loop_.run_until(end, [&] { return done() || lost_; });
  if (done()) {
    return;
  }
  if (!ended) {
    throw YarpClientError(
        fmt::format("{}: {} within {:.3g} s", port_, what, 1e-3 * double(timeout->count())));
  }
  throw YarpClientError(fmt::format("{}: {}", port_, *lost_));
}

}  // namespace servosim::yarp

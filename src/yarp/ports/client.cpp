// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <utility>

namespace servosim::yarp {

namespace {

// What somebody else wrote, cut.
std::string excerpt(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  return fmt::format("'{}{}'", text.substr(0, kLongest), text.size() > kLongest ? ".." : "");
}

}  // namespace

YarpClient::~YarpClient() {
  if (out_) {
    bool told = false;
    out_->quit([&told] { told = true; });
    loop_.run_until(net::Clock::now() + std::chrono::seconds(2), [&told] { return told; });
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
    names_ = std::make_unique<NameClient>(loop_, std::get<net::Address>(server), options_.patience);
  }
  return *names_;
}

NameReply YarpClient::ask_names(const NameRequest& request) {
  NameReply answer;
  std::optional<std::string> error;
  names().ask(request, [&](const NameReply& reply, const std::string& why) {
    answer = reply;
    error = why;
  });
  wait(std::nullopt, "", [&error] { return error.has_value(); });  // it has its own patience
  if (!error->empty()) {
    throw YarpClientError(*error);
  }
  if (answer.contacts.empty() && !answer.others.empty()) {
    throw YarpClientError(
        fmt::format("the name server at {} answers with what is no registration: {}",
                    to_string(names().server()), excerpt(answer.others.front())));
  }
  return answer;
}

Contact YarpClient::find_name(const std::string& name, const std::vector<std::string>& endings) {
  std::vector<std::string> names{name};
  for (const std::string& ending : endings) {
    names.push_back(name + ending);
  }
  for (const std::string& tried : names) {
    const NameReply reply = ask_names(QueryName{tried});
    if (!reply.contacts.empty()) {
      return reply.contacts.front();
    }
  }
  throw YarpClientError(
      fmt::format("the name server at {} knows no port {}; `servosim yarp list` shows those it "
                  "knows",
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
  port_ = fmt::format("{} at {}", contact.name, to_string(*address));
  return *address;
}

void YarpClient::connect(const std::string& port, Carrier carrier, const std::string& own_name,
                         const std::vector<std::string>& endings) {
  const net::Address address = find(port, endings);
  carrier_ = carrier;
  OutputConnection::Calls calls;
  calls.opened = [this] { open_ = true; };
  calls.reply = [this](const BottleOrError& reply) { reply_ = reply; };
  calls.finished = [this] { finished_ = true; };
  calls.closed = [this](const std::string& why) { lost_ = why; };
  try {
    out_ = std::make_unique<OutputConnection>(loop_, address, carrier, own_name,
                                              options_.generation, std::move(calls));
  } catch (const std::system_error& error) {
    throw YarpClientError(error.what());
  }
  wait(options_.patience, "takes the connection", [this] { return open_; });
}

std::optional<Bottle> YarpClient::tell(const MessageHead& head, const Bottle& body) {
  reply_.reset();
  finished_ = false;
  out_->send(head, body);
  if ((head.reply || acknowledges(carrier_)) && carrier_ != Carrier::Udp) {
    wait(options_.patience, "answers", [this] { return finished_; });
  } else {
    wait(options_.patience, "takes the message", [this] { return out_->ready(); });
  }
  if (!reply_) {
    return std::nullopt;
  }
  if (const auto* error = std::get_if<ProtocolError>(&*reply_)) {
    throw YarpClientError(fmt::format("{} answers nonsense: {}", port_, error->text));
  }
  return std::get<Bottle>(*std::exchange(reply_, std::nullopt));
}

void YarpClient::listen() {
  out_->send({PortCommand::Reverse, false, {}});
  wait(options_.patience, "takes the message", [this] { return out_->ready(); });
  in_ = std::make_shared<InputConnection>(static_cast<InputConnection::Owner&>(*this), loop_,
                                          options_.generation);
  in_->adopt(out_->take_stream(), carrier_, port_);
  out_.reset();
}

Bottle YarpClient::hear(std::optional<std::chrono::milliseconds> patience) {
  wait(patience, "says anything", [this] { return !heard_.empty(); });
  auto [body, respond] = std::move(heard_.front());
  heard_.pop_front();
  respond(Bottle());
  return body;
}

void YarpClient::link_request(InputConnection&, Request request, Respond respond) {
  heard_.emplace_back(std::move(request.body), std::move(respond));
}

// What we listen to does not want to listen.
void YarpClient::link_reversed(InputConnection&) { lost_ = "it turns the connection round"; }

void YarpClient::wait(std::optional<std::chrono::milliseconds> patience, const std::string& what,
                      const std::function<bool()>& done) {
  const auto end = patience ? net::Clock::now() + *patience : net::Clock::time_point::max();
  const bool ended = loop_.run_until(end, [&] { return done() || lost_; });
  if (done()) {
    return;
  }
  if (!ended) {
    throw YarpClientError(fmt::format("{}: nobody {} within {:.3g} s", port_, what,
                                      1e-3 * double(patience->count())));
  }
  throw YarpClientError(fmt::format("{}: {}", port_, *lost_));
}

}  // namespace servosim::yarp

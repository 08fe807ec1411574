// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/server.h"

#include <algorithm>
#include <list>
#include <stdexcept>
#include <utility>

#include "base/listener.h"
#include "srvp/server/client_session.h"
#include "srvp/server/mcu_registry.h"

namespace servosim::srvp {

namespace {

constexpr const char* kKinds[] = {"Smart", "Dumb"};
// So much of all places is for MCUs alone, which clients that do nothing would keep out.
constexpr std::size_t kForMcus = 16;

}  // namespace

class Server::Impl {
 public:
  Impl(net::EventLoop& loop, ServerOptions options, Say say)
      : loop_(loop),
        options_(std::move(options)),
        log_(std::move(say), options_.log_frames),
        fleet_(loop, options_.database, options_.mcu_patience, log_),
        house_{
            loop, fleet_, log_, options_.single_ack, options_.frame_patience, options_.shut_down},
        listener_(loop, options_.listen, [this](Descriptor socket, const net::Address& peer) {
          accept(std::move(socket), peer);
        }) {}

  const net::Address& address() const { return listener_.address(); }
  void add(const McuDescription& description, LocalMcu& local);
  void remove(const std::string& name);

 private:
  class Guest;

  void accept(Descriptor socket, const net::Address& peer);
  bool make_room();
  void let_in(Connection& connection, const Login& login, const std::string& rest);
  void let_in_mcu(Connection& connection, const McuDescription& description,
                  const std::string& rest);
  void say_here(const McuDescription& description, const std::string& where);

  net::EventLoop& loop_;
  ServerOptions options_;
  Log log_;
  McuRegistry fleet_;
  ClientSession::House house_;
  std::list<std::shared_ptr<Connection>> guests_;  // the oldest first
  std::list<std::shared_ptr<Connection>> clients_;
  std::list<std::shared_ptr<Connection>> mcus_;
  net::Listener listener_;
};

/// Who has not logged in yet.
class Server::Impl::Guest : public Connection::Party {
 public:
  Guest(Impl& server, Connection& connection)
      : server_(server), connection_(connection), timer_(server.loop_) {
    timer_.start(server.options_.login_patience,
                 [this] { connection_.end("it did not log in in time"); });
  }

  void heard(std::string_view bytes) override {
    reader_.feed(bytes);
    const auto frame = reader_.next();
    if (const auto* login = std::get_if<Login>(&frame)) {
      timer_.stop();
      server_.let_in(connection_, *login, reader_.take_rest());
    } else if (const auto* bad = std::get_if<BadFrame>(&frame)) {
      const Control control = nack(Nack::InvalidQuery);
      server_.log_.heard(connection_.peer(), *bad);
      server_.log_.told(connection_.peer(), control, "no login: " + bad->why);
      connection_.send(encode(control));
      connection_.finish();
    }
  }
  void gone(const std::string& why) override {
    timer_.stop();
    server_.log_("{} is gone without login{}{}", connection_.peer(), why.empty() ? "" : ": ", why);
  }

 private:
  Impl& server_;
  Connection& connection_;
  FrameReader<Login> reader_;
  net::Timer timer_;
};

void Server::Impl::accept(Descriptor socket, const net::Address& peer) {
  if (!make_room()) {
    log_("{} is turned away: there are {} connections", to_string(peer), options_.max_connections);
    return;
  }
  const auto ended = [this](Connection& connection) {
    const auto same = [&connection](const auto& other) { return other.get() == &connection; };
    guests_.remove_if(same);
    clients_.remove_if(same);
    mcus_.remove_if(same);
  };
  auto connection = std::make_shared<Connection>(loop_, std::move(socket), peer, ended);
  connection->become(std::make_shared<Guest>(*this, *connection));
  guests_.push_back(std::move(connection));
}

// Whoever wants to log in does so at once. So of many who do not, the first has waited in vain.
bool Server::Impl::make_room() {
  const std::size_t connections = guests_.size() + clients_.size() + mcus_.size();
  const bool full = connections >= options_.max_connections;
  if (!full && guests_.size() < options_.max_guests) {
    return true;
  }
  if (guests_.empty()) {
    return false;
  }
  guests_.front()->end("others want to log in");
  return true;
}

void Server::Impl::let_in(Connection& connection, const Login& login, const std::string& rest) {
  log_.heard(connection.peer(), login);
  const auto place = std::find_if(guests_.begin(), guests_.end(), [&connection](const auto& guest) {
    return guest.get() == &connection;
  });
  if (const auto* description = std::get_if<McuDescription>(&login)) {
    mcus_.splice(mcus_.end(), guests_, place);
    return let_in_mcu(connection, *description, rest);
  }
  const std::size_t most = options_.max_connections - options_.max_connections / kForMcus;
  if (clients_.size() >= most) {
    return connection.end(fmt::format("there are {} clients; other places are for MCUs", most));
  }
  clients_.splice(clients_.end(), guests_, place);
  const auto session = std::make_shared<ClientSession>(connection, house_);
  log_("{} is here", session->title());
  connection.become(session);
  session->heard(rest);
}

void Server::Impl::let_in_mcu(Connection& connection, const McuDescription& description,
                              const std::string& rest) {
  std::string why;
  const auto mcu = fleet_.admit(description, why);
  if (!mcu) {
    return connection.end(fmt::format("MCU {} is refused: {}", legible(description.name), why));
  }
  const auto link = std::make_shared<RemoteLink>(connection, *mcu);
  connection.watch_closely();
  connection.become(link);
  mcu->log_in(description, link);
  say_here(description, connection.peer());
  if (!rest.empty()) {
    link->heard(rest);
  }
}

void Server::Impl::say_here(const McuDescription& description, const std::string& where) {
  log_("MCU {} is here: {}, {} servo{}, {}", legible(description.name),
       kKinds[static_cast<std::size_t>(description.kind)], description.servo_count,
       description.servo_count == 1 ? "" : "s", where);
}

void Server::Impl::add(const McuDescription& description, LocalMcu& local) {
  encode(Login(description));  // throws unless that could be
  std::string why;
  const auto mcu = fleet_.admit(description, why);
  if (!mcu) {
    throw std::invalid_argument(
        fmt::format("MCU {} is refused: {}", legible(description.name), why));
  }
  mcu->log_in(description, std::make_shared<LocalLink>(loop_, local, *mcu));
  say_here(description, "in this process");
}

void Server::Impl::remove(const std::string& name) {
  if (const auto mcu = fleet_.find(name)) {
    mcu->log_out("");
  }
}

Server::Server(net::EventLoop& loop, ServerOptions options, Say say)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(say))) {}
Server::~Server() = default;

const net::Address& Server::address() const { return impl_->address(); }
void Server::add(const McuDescription& description, LocalMcu& mcu) { impl_->add(description, mcu); }
void Server::remove(const std::string& name) { impl_->remove(name); }

}  // namespace servosim::srvp

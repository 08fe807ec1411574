// SPDX-License-Identifier: Apache-2.0
#include "srvp/server/server.h"

#include <algorithm>
#include <list>
#include <stdexcept>
#include <utility>

#include "base/sockets.h"
#include "srvp/server/client_session.h"
#include "srvp/server/mcu_registry.h"

namespace servosim::srvp {

namespace {

constexpr const char* kKinds[] = {"Smart", "Dumb"};
// One of this many connections is reserved for MCUs, which idle clients would otherwise keep out.
constexpr std::size_t kMcuShare = 16;

}  // namespace

class Server::Impl {
 public:
  Impl(net::EventLoop& loop, ServerOptions options, Report report)
      : loop_(loop),
        options_(std::move(options)),
        log_(std::move(report), options_.log_frames),
        registry_(loop, options_.database, options_.mcu_timeout, log_),
        context_{
            loop, registry_, log_, options_.single_ack, options_.frame_timeout, options_.shut_down},
        listener_(loop, options_.listen, [this](Descriptor socket, const net::Address& peer) {
          accept(std::move(socket), peer);
        }) {}

  const net::Address& address() const { return listener_.address(); }
  void add(const McuDescription& description, LocalMcu& local);
  void remove(const std::string& name);

 private:
  class PendingConnection;

  void accept(Descriptor socket, const net::Address& peer);
  bool make_room();
  void log_in(PeerConnection& connection, const Login& login, const std::string& rest);
  void log_in_mcu(PeerConnection& connection, const McuDescription& description,
                  const std::string& rest);
  void report_login(const McuDescription& description, const std::string& where);

  net::EventLoop& loop_;
  ServerOptions options_;
  Log log_;
  McuRegistry registry_;
  ClientSession::ServerContext context_;
  std::list<std::shared_ptr<PeerConnection>> pending_;  // in the order of arrival
  std::list<std::shared_ptr<PeerConnection>> clients_;
  std::list<std::shared_ptr<PeerConnection>> mcus_;
  net::Listener listener_;
};

/// The other side has not logged in yet.
class Server::Impl::PendingConnection : public PeerConnection::Handler {
 public:
  PendingConnection(Impl& server, PeerConnection& connection)
      : server_(server), connection_(connection), timer_(server.loop_) {
    timer_.start(server.options_.login_timeout,
                 [this] { connection_.close("no login within the timeout"); });
  }

  void received(std::string_view bytes) override {
    reader_.feed(bytes);
    const auto frame = reader_.next();
    if (const auto* login = std::get_if<Login>(&frame)) {
      timer_.stop();
      server_.log_in(connection_, *login, reader_.take_rest());
    } else if (const auto* bad = std::get_if<BadFrame>(&frame)) {
      const Control control = nack(Nack::InvalidQuery);
      server_.log_.received(connection_.peer(), *bad);
      server_.log_.sent(connection_.peer(), control, "no login: " + bad->why);
      connection_.send(encode(control));
      connection_.finish();
    }
  }
  void closed(const std::string& why) override {
    timer_.stop();
    server_.log_("{} has disconnected without login{}{}", connection_.peer(),
                 why.empty() ? "" : ": ", why);
  }

 private:
  Impl& server_;
  PeerConnection& connection_;
  FrameReader<Login> reader_;
  net::Timer timer_;
};

void Server::Impl::accept(Descriptor socket, const net::Address& peer) {
  if (!make_room()) {
    log_("{} is refused: there are {} connections", to_string(peer), options_.max_connections);
    return;
  }
  const auto ended = [this](PeerConnection& connection) {
    const auto same = [&connection](const auto& other) { return other.get() == &connection; };
    pending_.remove_if(same);
    clients_.remove_if(same);
    mcus_.remove_if(same);
  };
  auto connection = std::make_shared<PeerConnection>(loop_, std::move(socket), peer, ended);
  connection->set_handler(std::make_shared<PendingConnection>(*this, *connection));
  pending_.push_back(std::move(connection));
}

// A login follows a connection at once. So if there are many connections without one, the oldest is
// closed.
bool Server::Impl::make_room() {
  const std::size_t connections = pending_.size() + clients_.size() + mcus_.size();
  const bool full = connections >= options_.max_connections;
  if (!full && pending_.size() < options_.max_pending) {
    return true;
  }
  if (pending_.empty()) {
    return false;
  }
  pending_.front()->close("another connection takes its place");
  return true;
}

void Server::Impl::log_in(PeerConnection& connection, const Login& login, const std::string& rest) {
  log_.received(connection.peer(), login);
  const auto place =
      std::find_if(pending_.begin(), pending_.end(),
                   [&connection](const auto& pending) { return pending.get() == &connection; });
  if (const auto* description = std::get_if<McuDescription>(&login)) {
    mcus_.splice(mcus_.end(), pending_, place);
    return log_in_mcu(connection, *description, rest);
  }
  const std::size_t most = options_.max_connections - options_.max_connections / kMcuShare;
  if (clients_.size() >= most) {
    return connection.close(fmt::format("there are {} clients; other places are for MCUs", most));
  }
  clients_.splice(clients_.end(), pending_, place);
  const auto session = std::make_shared<ClientSession>(connection, context_);
  log_("{} has logged in", session->title());
  connection.set_handler(session);
  session->received(rest);
}

void Server::Impl::log_in_mcu(PeerConnection& connection, const McuDescription& description,
                              const std::string& rest) {
  std::string why;
  const auto mcu = registry_.admit(description, why);
  if (!mcu) {
    return connection.close(fmt::format("MCU {} is refused: {}", legible(description.name), why));
  }
  const auto link = std::make_shared<RemoteLink>(connection, *mcu);
  connection.enable_keepalive();
  connection.set_handler(link);
  mcu->log_in(description, link);
  report_login(description, connection.peer());
  if (!rest.empty()) {
    link->received(rest);
  }
}

void Server::Impl::report_login(const McuDescription& description, const std::string& where) {
  log_("MCU {} has logged in: {}, {} servo{}, {}", legible(description.name),
       kKinds[static_cast<std::size_t>(description.kind)], description.servo_count,
       description.servo_count == 1 ? "" : "s", where);
}

void Server::Impl::add(const McuDescription& description, LocalMcu& local) {
  encode(Login(description));  // it throws if the login is impossible
  std::string why;
  const auto mcu = registry_.admit(description, why);
  if (!mcu) {
    throw std::invalid_argument(
        fmt::format("MCU {} is refused: {}", legible(description.name), why));
  }
  mcu->log_in(description, std::make_shared<LocalLink>(loop_, local, *mcu));
  report_login(description, "in this process");
}

void Server::Impl::remove(const std::string& name) {
  if (const auto mcu = registry_.find(name)) {
    mcu->log_out("");
  }
}

Server::Server(net::EventLoop& loop, ServerOptions options, Report report)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(report))) {}
Server::~Server() = default;

const net::Address& Server::address() const { return impl_->address(); }
void Server::add(const McuDescription& description, LocalMcu& mcu) { impl_->add(description, mcu); }
void Server::remove(const std::string& name) { impl_->remove(name); }

}  // namespace servosim::srvp

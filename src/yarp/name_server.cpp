// SPDX-License-Identifier: Apache-2.0
#include "yarp/name_server.h"

#include <algorithm>
#include <utility>

#include "net/stream.h"
#include "yarp/byte_queue.h"

namespace servosim::yarp {

namespace {

constexpr const char* kOwnName = "/root";

}  // namespace

struct NameServer::Client : std::enable_shared_from_this<Client> {
  explicit Client(net::Reactor& reactor) : timer(reactor) {}
  net::Address peer;
  ByteQueue queue;
  net::Timer timer;
  std::unique_ptr<net::Stream> stream;
};

NameServer::NameServer(net::Reactor& reactor, const net::Address& local, NameServerOptions options)
    : reactor_(reactor),
      options_(options),
      listener_(
          reactor, local,
          [this](Descriptor socket, const net::Address& peer) { accept(std::move(socket), peer); }),
      table_({kOwnName, net::ip_text({options_.announced_ip.value_or(listener_.address().ip)}),
              listener_.address().port, "tcp"}) {}

NameServer::~NameServer() = default;

void NameServer::accept(Descriptor socket, const net::Address& peer) {
  make_room();
  const auto client = std::make_shared<Client>(reactor_);
  client->peer = peer;
  const auto end = [this, weak = std::weak_ptr(client)] { drop(weak); };
  client->stream = std::make_unique<net::Stream>(
      reactor_, std::move(socket),
      net::Stream::Calls{{},
                         [this, raw = client.get()](Bytes bytes) { heard(*raw, bytes); },
                         [end](const std::string&) { end(); }});
  client->timer.start(options_.first_byte_patience, end);
  clients_.push_back(client);
}

void NameServer::make_room() {
  if (clients_.size() < kMaxClients) {
    return;
  }
  const auto silent = std::find_if(clients_.begin(), clients_.end(), [](const auto& client) {
    return client->queue.size() == 0 && client->stream->unsent() == 0;
  });
  drop(silent != clients_.end() ? *silent : clients_.front());
}

// One question, one answer.
void NameServer::heard(Client& client, Bytes bytes) {
  if (client.queue.size() == 0) {
    client.timer.start(options_.patience, [this, weak = client.weak_from_this()] { drop(weak); });
  }
  client.queue.append(bytes);
  clients_.splice(clients_.end(), clients_,
                  std::find(clients_.begin(), clients_.end(), client.shared_from_this()));
  const auto line = client.queue.take_line();
  if (!line && client.queue.size() <= kMaxNameRequest) {
    return;
  }
  const std::string answer = table_.answer(line.value_or(""), ip_text(client.peer));
  client.stream->send(as_bytes(answer));
  client.stream->finish();
}

void NameServer::drop(const std::weak_ptr<Client>& client) {
  if (const auto still = client.lock()) {
    still->stream->close();
    clients_.remove(still);
    reactor_.bury(still);
  }
}

}  // namespace servosim::yarp

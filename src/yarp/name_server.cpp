// SPDX-License-Identifier: Apache-2.0
#include "yarp/name_server.h"

#include <utility>

#include "net/stream.h"
#include "yarp/byte_queue.h"

namespace servosim::yarp {

namespace {

constexpr const char* kOwnName = "/root";
constexpr std::chrono::seconds kPatience{10};  // with a question that has begun

}  // namespace

struct NameServer::Client : std::enable_shared_from_this<Client> {
  explicit Client(net::Reactor& reactor) : timer(reactor) {}
  net::Address peer;
  ByteQueue queue;
  net::Timer timer;
  std::unique_ptr<net::Stream> stream;
};

NameServer::NameServer(net::Reactor& reactor, const net::Address& local,
                       std::optional<std::uint32_t> announced_ip)
    : reactor_(reactor),
      listener_(
          reactor, local,
          [this](Descriptor socket, const net::Address& peer) { accept(std::move(socket), peer); }),
      table_({kOwnName, net::ip_text({announced_ip.value_or(listener_.address().ip)}),
              listener_.address().port, "tcp"}) {}

NameServer::~NameServer() = default;

void NameServer::accept(Descriptor socket, const net::Address& peer) {
  if (clients_.size() >= kMaxClients) {
    drop(clients_.front());
  }
  const auto client = std::make_shared<Client>(reactor_);
  client->peer = peer;
  const auto end = [this, weak = std::weak_ptr(client)] { drop(weak); };
  client->stream = std::make_unique<net::Stream>(
      reactor_, std::move(socket),
      net::Stream::Calls{{},
                         [this, raw = client.get()](Bytes bytes) { heard(*raw, bytes); },
                         [end](const std::string&) { end(); }});
  client->timer.start(net::kFirstBytePatience, end);
  clients_.push_back(client);
}

// One question, one answer.
void NameServer::heard(Client& client, Bytes bytes) {
  if (client.queue.size() == 0) {
    client.timer.start(kPatience, [this, weak = client.weak_from_this()] { drop(weak); });
  }
  client.queue.append(bytes);
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

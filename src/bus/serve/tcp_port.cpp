// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/sockets.h"
#include "bus/serve/bus_port.h"

namespace servosim::bus {

namespace {

class TcpPort final : public BusPort {
 public:
  TcpPort(net::EventLoop& loop, std::uint16_t port, Calls calls)
      : loop_(loop),
        calls_(std::move(calls)),
        listener_(loop, net::Address{.port = port},
                  [this](Descriptor socket, const net::Address&) { accept(std::move(socket)); }),
        address_(fmt::format("tcp:{}", listener_.address().port)) {}
  ~TcpPort() override { drop_client(); }

  void send(std::span<const std::uint8_t> bytes) override {
    if (client_ != nullptr && client_->is_open()) {
      client_->send({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
    }
  }
  void set_reading(bool reading) override {
    reading_ = reading;
    if (client_ != nullptr && client_->is_open()) {
      client_->set_reading(reading);
    }
  }
  double baud() const override { return 0.0; }
  const std::string& address() const override { return address_; }

 private:
  void accept(Descriptor socket) {
    drop_client();
    if (calls_.flushed) {
      calls_.flushed();  // what was for the client before is not for this one
    }
    net::tune_connection(socket);
    client_ = std::make_shared<net::TcpStream>(
        loop_, std::move(socket),
        net::TcpStream::Calls{.connected = {},
                              .received =
                                  [this](Bytes bytes) {
                                    calls_.received(
                                        {reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         bytes.size()});
                                  },
                              .closed = [this](const std::string&) { drop_client(); }});
    client_->set_reading(reading_);
  }

  // Its own function may be the caller.
  void drop_client() {
    if (client_ != nullptr) {
      client_->close();
      loop_.destroy_later(std::move(client_));
      client_ = nullptr;
    }
  }

  net::EventLoop& loop_;
  Calls calls_;
  net::Listener listener_;
  std::string address_;
  std::shared_ptr<net::TcpStream> client_;
  bool reading_ = true;
};

}  // namespace

std::unique_ptr<BusPort> open_tcp(net::EventLoop& loop, std::uint16_t port, BusPort::Calls calls) {
  return std::make_unique<TcpPort>(loop, port, std::move(calls));
}

std::unique_ptr<BusPort> open_port(net::EventLoop& loop, const BusPlace& place,
                                   BusPort::Calls calls) {
  return place.port ? open_tcp(loop, *place.port, std::move(calls))
                    : open_terminal(loop, place.link, std::move(calls));
}

}  // namespace servosim::bus

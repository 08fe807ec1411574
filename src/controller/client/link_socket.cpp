// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "controller/client/connect.h"

namespace servosim {

namespace {

class SocketLink : public Link {
 public:
  explicit SocketLink(Stream stream) : stream_(std::move(stream)) {}

  bool send(Bytes message) noexcept override {
    try {
      return stream_.send(message);
    } catch (...) {
      return false;
    }
  }

  Bytes receive() noexcept override {
    try {
      return stream_.receive() == Stream::Status::Message ? stream_.message() : Bytes{};
    } catch (...) {  // out of memory
      return {};
    }
  }

  void set_spin(bool spin) noexcept override { stream_.set_spin(spin); }

 private:
  Stream stream_;
};

}  // namespace

std::unique_ptr<Link> open_socket_link(Stream stream) {
  return std::make_unique<SocketLink>(std::move(stream));
}

std::unique_ptr<Link> open_socket_link(int fd) { return open_socket_link(Stream(fd)); }

}  // namespace servosim

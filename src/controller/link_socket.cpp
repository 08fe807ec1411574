// SPDX-License-Identifier: Apache-2.0
#include "controller/link.h"
#include "controller/stream.h"

namespace servosim {

namespace {

class SocketLink : public Link {
 public:
  explicit SocketLink(int fd) : stream_(fd) {}

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

std::unique_ptr<Link> open_socket_link(int fd) { return std::make_unique<SocketLink>(fd); }

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/probe.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace servosim::yarp {

namespace {

Probe::Found found_of(int error) {
  return error == 0              ? Probe::Found::Listens
         : error == ECONNREFUSED ? Probe::Found::Refuses
                                 : Probe::Found::Unknown;
}

}  // namespace

Probe::Probe(net::EventLoop& loop, const net::Address& address, std::chrono::milliseconds timeout,
             Done done)
    : timer_(loop), done_(std::move(done)) {
  try {
    timer_.start(timeout, [this] { end(Found::Unknown); });
    socket_ = net::dialling_socket(address);
    watch_ = std::make_unique<net::DescriptorWatch>(
        loop, socket_.get(), EPOLLOUT, [this](std::uint32_t) {
          int error = 0;
          socklen_t size = sizeof error;
          if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
          }
          end(found_of(error));
        });
  } catch (const std::system_error& error) {
    end_soon(found_of(error.code().value()));
  } catch (const std::bad_alloc&) {
    end_soon(Found::Unknown);
  }
}

void Probe::end_soon(Found found) {
  timer_.start({}, [this, found] { end(found); });
}

void Probe::end(Found found) {
  timer_.stop();
  watch_.reset();
  socket_.reset();
  const Done done = std::exchange(done_, {});  // it may destroy this object
  done(found);
}

}  // namespace servosim::yarp

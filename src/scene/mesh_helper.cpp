// SPDX-License-Identifier: Apache-2.0
#include "scene/mesh_helper.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/assert.h"
#include "base/files.h"
#include "base/sent_descriptors.h"

namespace servosim {
namespace {

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

void MeshHelper::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(errno, "socketpair");
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  const std::string program = helper_program_path("mesh_reader");
  if (const int error = start_child({program, kMeshHelper, std::to_string(::getpid())}, {},
                                    {other.get(), -1, -1}, pid_);
      error != 0) {
    socket_.reset();
    fail(error, ("cannot start " + program).c_str());
  }
}

// Returns the status with which the program has ended.
int MeshHelper::stop() {
  if (!socket_) {
    return 0;
  }
  socket_.reset();  // it ends when it finds no more orders
  return wait_for_child(std::exchange(pid_, 0)).value_or(0);
}

ChildOutput MeshHelper::read(const std::string& order, Descriptor file, std::size_t max_output) {
  SERVOSIM_ASSERT(order.size() <= kMaxMeshOrder, "an order of {} bytes", order.size());
  if (!socket_) {
    start();
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    fail(errno, "pipe");
  }
  Descriptor output(ends[0]);
  {
    const std::array<Descriptor, 2> streams{std::move(file), Descriptor(ends[1])};
    iovec part{const_cast<char*>(order.data()), order.size()};  // it is only read
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    SentDescriptors sent;
    sent.attach(streams, header);
    ssize_t sent_bytes = -1;
    do {
      sent_bytes = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    } while (sent_bytes < 0 && errno == EINTR);
    if (sent_bytes < 0) {
      const int error = errno;
      if (const int status = stop(); status != 0) {
        return {{}, status};
      }
      fail(error, "sendmsg");
    }
  }
  ChildOutput result;
  try {
    result.text = read_to_end(output.get(), max_output);
  } catch (...) {
    output.reset();
    stop();
    throw;
  }
  output.reset();
  MeshAnswer answer;
  ssize_t size = -1;
  do {
    size = ::recv(socket_.get(), &answer, sizeof answer, 0);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof answer) {
    result.wait_status = stop();  // somebody has ended it
    return result;
  }
  if (answer.error != 0) {
    fail(answer.error, "fork");
  }
  result.wait_status = answer.wait_status;
  return result;
}

}  // namespace servosim

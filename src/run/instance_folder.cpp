// SPDX-License-Identifier: Apache-2.0
#include "run/instance_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/private_folder.h"
#include "base/shortage.h"
#include "controller_api/protocol/extern_entry.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 128;
constexpr const char* kLock = "lock";

[[noreturn]] void fail(const std::string& what, int error) {
  throw_if_short(error, "cannot take extern controllers: " + what);
  throw std::runtime_error(
      fmt::format("cannot take extern controllers: {}: {}; set TMPDIR to a folder you can write",
                  what, std::strerror(error)));
}

// Returns false if the parent folder does not exist.
bool make_private_folder(const std::string& path) {
  do {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      if (errno == ENOENT) {
        return false;
      }
      fail("'" + path + "'", errno);
    }
    errno = 0;
    if (open_private_folder(path)) {
      return true;
    }
  } while (errno == ENOENT);  // its last owner has just removed it
  throw std::runtime_error(fmt::format(
      "cannot take extern controllers: '{}' is not a folder that is yours alone (mode 700); "
      "remove it, or set TMPDIR to another folder",
      path));
}

bool still_there(const Descriptor& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 && info.st_nlink > 0;
}

// Removes everything except the lock, which the caller must hold.
void clear(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() != kLock) {
      std::error_code ignored;
      fs::remove_all(it->path(), ignored);
    }
  }
}

}  // namespace

std::optional<InstanceFolder> InstanceFolder::claim(int port) {
  std::optional<InstanceFolder> folder = claim(std::to_string(port), port);
  if (folder) {
    folder->listen();
  }
  return folder;
}

std::optional<InstanceFolder> InstanceFolder::claim_closed() {
  constexpr int kMaxRuns = 10000;
  try {
    for (int i = 1; i <= kMaxRuns; ++i) {
      if (auto folder = claim(fmt::format("closed-{}", i), 0)) {
        return folder;
      }
    }
  } catch (const std::exception& error) {  // only programs that use Webots' own names need it
    rethrow_if_short(error);
  }
  return std::nullopt;
}

// Returns nothing if another simulation has claimed it.
std::optional<InstanceFolder> InstanceFolder::claim(const std::string& name, int port) {
  const std::string path = fs::absolute(fmt::format("{}/{}/", instances_folder(), name)).string();
  for (;;) {
    if (!make_private_folder(instances_folder())) {
      fail("'" + instances_folder() + "'", ENOENT);
    }
    if (!make_private_folder(path.substr(0, path.size() - 1))) {
      continue;  // another run has just removed the parent folder
    }
    Descriptor lock(
        ::open((path + kLock).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!lock && errno == ENOENT) {
      continue;  // its last owner has just removed it
    }
    if (!lock) {
      fail("'" + path + kLock + "'", errno);
    }
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      return std::nullopt;
    }
    if (still_there(lock)) {
      clear(path);
      return InstanceFolder(port, path, std::move(lock));
    }
  }
}

void InstanceFolder::listen() {
  const Descriptor folder = open_private_folder(path_.substr(0, path_.size() - 1));
  const std::string name = extern_socket_path(folder);
  socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  if (!socket_ ||
      ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket_.get(), kBacklog) != 0) {
    fail("a socket in '" + path_ + "'", errno);
  }
}

// The lock is released last. A process that takes it then owns the folder, which is not empty and
// therefore not removed.
InstanceFolder::~InstanceFolder() {
  if (lock_) {
    clear(path_);
    ::unlink((path_ + kLock).c_str());
    ::rmdir(path_.c_str());
    // Fails unless the folder is empty.
    ::rmdir(fs::path(path_).parent_path().parent_path().c_str());
  }
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "controller/back_entry.h"
#include "controller/boundary.h"
#include "controller/link_extern.h"
#include "core/printable.h"

namespace servosim {

namespace {

std::atomic<Client*> the_client{nullptr};  // never destroyed: other threads may outlive main()

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_stream_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// The link to the simulator that started this program: the number of its socket is `text`. Where a
// program in between has closed it, the simulator still listens at another one.
std::unique_ptr<Link> open_hosted(const char* text) {
  const char* const inode = variable(kLinkInodeVariable);
  const char* const back_entry = variable(kBackEntryVariable);
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  int fd = static_cast<int>(number);
  const bool is_link = *end == '\0' && number == fd && is_stream_socket(fd) &&
                       (inode == nullptr || inode_of(fd) == inode);
  if (!is_link && back_entry == nullptr) {
    print_to_stderr("Error",
                    std::string("SERVOSIM_CONTROLLER_FD=") + text + " is no link to a simulator.");
    return nullptr;
  }
  if (!is_link) {
    fd = dial_back_entry(back_entry).release();
  }
  if (fd < 0) {
    std::fputs(
        "Error: the robot has a controller already, or the simulation is over or out of reach: a\n"
        "program that closes the link to it must start the controller in the same network "
        "namespace.\n",
        stderr);
    return nullptr;
  }
  // Programs started by this one are no controllers of the same robot.
  static_cast<void>(fcntl(fd, F_SETFD, FD_CLOEXEC));  // fails for no open descriptor
  for (const char* name : {kLinkVariable, kLinkInodeVariable, kBackEntryVariable}) {
    unsetenv(name);
  }
  return open_socket_link(fd);
}

std::unique_ptr<Link> open_link() {
  if (const char* fd = variable(kLinkVariable)) {
    return open_hosted(fd);
  }
  if (const char* url = variable("WEBOTS_CONTROLLER_URL")) {
    return open_extern_link(url, variable("WEBOTS_ROBOT_NAME"));
  }
  EmbeddedSettings settings;
  settings.world = variable("SERVOSIM_WORLD");
  settings.robot = variable("WEBOTS_ROBOT_NAME");
  settings.trace = variable("SERVOSIM_TRACE");
  settings.watch = variable("SERVOSIM_WATCH");
  settings.seed = variable("SERVOSIM_SEED");
  settings.proto_path = variable("SERVOSIM_PROTO_PATH");
  if (settings.world != nullptr) {
    return open_embedded_link(settings);
  }
  if (simulation_waits()) {
    return open_extern_link("", settings.robot);
  }
  std::fputs(
      "Error: this controller has no simulation. Either start the simulator,\n"
      "    servosim run WORLD.wbt\n"
      "which starts the controllers of all robots, or name the world to this program:\n"
      "    SERVOSIM_WORLD=WORLD.wbt ./controller\n"
      "or a robot whose field `controller` is \"<extern>\", in a simulation that waits for it:\n"
      "    WEBOTS_CONTROLLER_URL=ROBOT ./controller\n",
      stderr);
  return nullptr;
}

Client* connect() {
  // As Webots does: each line shows as soon as it is whole, also through a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::unique_ptr<Link> link = open_link();
  if (link == nullptr) {
    std::exit(EXIT_FAILURE);
  }
  try {
    return new Client(std::move(link));
  } catch (const std::exception& error) {
    print_to_stderr("Error", error.what(), "wb_robot_init");
    std::exit(EXIT_FAILURE);
  }
}

}  // namespace

Client& current_client(const char* function, bool by_init) {
  if (Client* client = the_client.load(std::memory_order_acquire)) {
    return *client;
  }
  static std::mutex connecting;
  const std::lock_guard lock(connecting);
  if (the_client.load(std::memory_order_relaxed) == nullptr) {
    if (!by_init) {
      warn(std::string(function) + "(): wb_robot_init() was not called; done now.");
    }
    Client* client = connect();
    the_client.store(client, std::memory_order_release);
    // Registered after the simulator was loaded, so it runs before what that has to clean up.
    std::atexit([] { the_client.load()->drop(); });
  }
  return *the_client.load(std::memory_order_relaxed);
}

}  // namespace servosim

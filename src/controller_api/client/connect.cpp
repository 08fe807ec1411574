// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/private_folder.h"
#include "controller_api/client/api_call.h"
#include "controller_api/client/ending.h"
#include "controller_api/protocol/extern_entry.h"
#include "controller_api/protocol/link.h"

namespace servosim {

namespace {

constexpr int kAttempts = 50;  // one in each second
constexpr int kAttemptsBetweenNotices = 5;
constexpr int kAnswerTimeoutMs = 10000;
constexpr int kDialTimeout = 5;  // [s]

Descriptor dial_local(const std::string& port) {
  const Descriptor folder = open_private_folder(instances_folder() + "/" + port);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = extern_socket_path(folder);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const bool connected =
      folder && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  return connected ? std::move(socket) : Descriptor();
}

// The ports of the running simulations; the one that was started last comes first.
std::vector<std::string> local_ports() {
  std::vector<std::pair<timespec, std::string>> found;
  if (DIR* const folder = ::opendir(instances_folder().c_str())) {
    while (const dirent* const entry = ::readdir(folder)) {
      struct stat info {};
      const std::string socket = instances_folder() + "/" + entry->d_name + "/extern";
      if (::lstat(socket.c_str(), &info) == 0) {
        found.emplace_back(info.st_mtim, entry->d_name);
      }
    }
    ::closedir(folder);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.tv_sec, a.first.tv_nsec) > std::pair(b.first.tv_sec, b.first.tv_nsec);
  });
  std::vector<std::string> ports;
  for (auto& [time, port] : found) {
    ports.push_back(std::move(port));
  }
  return ports;
}

Descriptor dial_newest() {
  for (const std::string& port : local_ports()) {
    if (Descriptor socket = dial_local(port)) {
      return socket;  // a simulation that was killed leaves its folder behind
    }
  }
  return Descriptor();
}

// Failures are ignored: the link works without the option, only later or slower.
void prefer(const Descriptor& socket, int level, int option, const auto& value) {
  static_cast<void>(::setsockopt(socket.get(), level, option, &value, sizeof value));
}

Descriptor dial_address(const addrinfo& address) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{kDialTimeout, 0};
  prefer(socket, SOL_SOCKET, SO_SNDTIMEO, limit);
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    return Descriptor();
  }
  prefer(socket, SOL_SOCKET, SO_SNDTIMEO, timeval{});
  prefer(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  prefer(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  return socket;
}

Descriptor dial_tcp(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) {
    return Descriptor();
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (Descriptor socket = dial_address(*entry)) {
      return socket;
    }
  }
  return Descriptor();
}

Descriptor dial(const ControllerUrl& url) {
  switch (url.kind) {
    case ControllerUrl::Kind::Local:
      return dial_local(std::to_string(url.port));
    case ControllerUrl::Kind::Tcp:
      return dial_tcp(url.host, url.port);
    case ControllerUrl::Kind::Newest:
      break;
  }
  return dial_newest();
}

std::string place_of(const ControllerUrl& url) {
  const std::string port = std::to_string(url.port);
  switch (url.kind) {
    case ControllerUrl::Kind::Local:
      return " at port " + port + " of this machine";
    case ControllerUrl::Kind::Tcp:
      return " at " + url.host + ":" + port;
    case ControllerUrl::Kind::Newest:
      break;
  }
  return " on this machine";
}

// The answer of the simulation to a request for a robot.
EntryAnswer request_entry(MessageStream& stream, const std::string& robot) {
  if (stream.send(entry_request(robot), kAnswerTimeoutMs) &&
      stream.receive(kAnswerTimeoutMs) == MessageStream::Status::Message) {
    if (auto answer = decode_entry_answer(stream.message())) {
      return *answer;
    }
  }
  return {EntryAnswer::Kind::Later, "what is there is no simulation of servosim"};
}

void sleep_one_second() {
  timespec left{1, 0};
  while (::nanosleep(&left, &left) != 0) {
  }
}

std::unique_ptr<Link> open_link_to(const ControllerUrl& url, int attempts) {
  std::string why;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    EntryAnswer answer{EntryAnswer::Kind::Later,
                       "there is no simulation with extern controllers" + place_of(url)};
    if (Descriptor socket = dial(url)) {
      MessageStream stream(socket.release());
      answer = request_entry(stream, url.robot);
      if (answer.kind == EntryAnswer::Kind::Welcome) {
        return open_socket_link(std::move(stream));
      }
    }
    if (answer.kind == EntryAnswer::Kind::Never) {
      throw Ending(EndingKind::Robot, answer.text);
    }
    if (attempt % kAttemptsBetweenNotices == 0) {
      print_to_stderr("Warning", answer.text + "; trying again.");
    }
    sleep_one_second();
    why = answer.text;
  }
  throw Ending(EndingKind::NoSimulation,
               "this controller has found no simulation, and gives up: " + why + '.');
}

// Whether a simulation on this machine accepts extern controllers.
bool simulation_waits() { return static_cast<bool>(dial_newest()); }

ControllerUrl checked_url(const char* text) {
  try {
    return parse_controller_url(text);
  } catch (const std::exception& error) {
    throw Ending(EndingKind::NoSimulation,
                 std::string("WEBOTS_CONTROLLER_URL=") + text + ": " + error.what());
  }
}

// A link to a running simulation that waits for its extern controllers. It tries once per second.
// @param url_text  as in WEBOTS_CONTROLLER_URL; empty: the simulation that was started last
// @param robot  used where the URL names no robot; may be null
// @throws Ending
std::unique_ptr<Link> open_extern_link(const char* url_text, const char* robot) {
  ControllerUrl url = checked_url(url_text);
  if (url.robot.empty() && robot != nullptr) {
    url.robot = robot;
  }
  return open_link_to(url, kAttempts);
}

std::atomic<ControllerClient*> the_client{
    nullptr};  // never destroyed: other threads may run after main()

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_stream_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

// The link to the simulator that has started this program. `text` is the number of its socket. If a
// program in between has closed that, the simulator still listens at another one.
std::unique_ptr<Link> open_hosted(const char* text) {
  const char* const inode = variable(kLinkInodeVariable);
  const char* const fallback_socket = variable(kFallbackSocketVariable);
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  int fd = static_cast<int>(number);
  const bool is_link = *end == '\0' && number == fd && is_stream_socket(fd) &&
                       (inode == nullptr || inode_of(fd) == inode);
  if (!is_link && fallback_socket == nullptr) {
    throw Ending(EndingKind::NoSimulation,
                 std::string("SERVOSIM_CONTROLLER_FD=") + text + " is no link to a simulator.");
  }
  if (!is_link) {
    fd = connect_fallback_socket(fallback_socket).release();
  }
  if (fd < 0) {
    throw Ending(
        EndingKind::NoSimulation,
        "the robot has a controller already, or the simulation is over or out of reach: a\n"
        "program that closes the link to it must start the controller in the same network "
        "namespace.");
  }
  // The programs that this one starts must not control the same robot.
  static_cast<void>(fcntl(fd, F_SETFD, FD_CLOEXEC));  // fails for no open descriptor
  for (const char* name : {kLinkVariable, kLinkInodeVariable, kFallbackSocketVariable}) {
    unsetenv(name);
  }
  return open_socket_link(MessageStream(fd));
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
  throw Ending(
      EndingKind::NoSimulation,
      "this controller has no simulation. Either start the simulator,\n"
      "    servosim run WORLD.wbt\n"
      "which starts the controllers of all robots, or name the world to this program:\n"
      "    SERVOSIM_WORLD=WORLD.wbt ./controller\n"
      "or a robot whose field `controller` is \"<extern>\", in a simulation that waits for it:\n"
      "    WEBOTS_CONTROLLER_URL=ROBOT ./controller");
}

ControllerClient* connect() {
  // Webots prints each complete line at once, also to a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  try {
    return new ControllerClient(open_link());
  } catch (const Ending&) {
    throw;
  } catch (const std::exception& error) {
    throw Ending(EndingKind::NoSimulation, error.what(), "wb_robot_init");
  }
}

}  // namespace

ControllerClient& current_client(const char* function, bool by_init) {
  if (ControllerClient* client = the_client.load(std::memory_order_acquire)) {
    return *client;
  }
  static std::mutex connecting;
  const std::lock_guard lock(connecting);
  if (the_client.load(std::memory_order_relaxed) == nullptr) {
    if (!by_init) {
      warn(std::string(function) + "(): wb_robot_init() was not called; done now.");
    }
    ControllerClient* client = connect();
    the_client.store(client, std::memory_order_release);
    // The function is registered after the simulator was loaded, so that it runs before the
    // simulator's own clean-up.
    std::atexit([] { the_client.load()->drop(); });
  }
  return *the_client.load(std::memory_order_relaxed);
}

namespace {

std::string dl_error() {
  const char* text = dlerror();
  return text == nullptr ? "its entry point is null" : text;
}

// The folder of libController.so itself, with symbolic links resolved; empty if it is unknown.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&open_embedded_link), &info) == 0) {
    return {};
  }
  char* real = realpath(info.dli_fname, nullptr);
  const std::string path = real != nullptr ? real : "";
  std::free(real);
  return path.substr(0, path.rfind('/') + 1);
}

// libservosim is in the folder above libController, in the build tree and when it is installed.
// Elsewhere the dynamic linker may find it. A RUNPATH cannot do this: it fails where dlopen() is
// wrapped, as by sanitizers.
std::string find_simulator() {
  const std::string name = SERVOSIM_LIBRARY_NAME;
  for (const char* above : {"../", "../../../"}) {
    const std::string path = own_folder() + above + name;
    if (access(path.c_str(), R_OK) == 0) {
      return path;
    }
  }
  return name;
}

// Why there is no embedded simulation. An empty text means that it was printed.
struct Reason {
  EndingKind kind = EndingKind::Failed;
  std::string text;

  static void take(void* reason, Refusal refusal, const char* text) {
    auto& self = *static_cast<Reason*>(reason);
    self.kind = refusal == Refusal::World   ? EndingKind::World
                : refusal == Refusal::Robot ? EndingKind::Robot
                                            : EndingKind::Failed;
    self.text = text;
  }
};

}  // namespace

std::unique_ptr<Link> open_embedded_link(EmbeddedSettings settings) {
  const std::string path = find_simulator();
  // RTLD_LOCAL keeps its symbols and those of ODE away from the controller's. The library is never
  // closed, since its code runs until the process ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Ending(EndingKind::NoSimulation, "cannot load the simulator: " + dl_error());
  }
  void* symbol = dlsym(library, kOpenEmbedded);
  if (symbol == nullptr) {
    throw Ending(EndingKind::NoSimulation, path + " is not the simulator: " + dl_error());
  }
  auto* open = reinterpret_cast<OpenEmbedded*>(symbol);
  Reason reason;
  if (reports_endings()) {
    settings.report = &Reason::take;
    settings.reason = &reason;
  }
  std::unique_ptr<Link> link(open(&settings));
  if (link == nullptr) {
    throw Ending(reason.kind, reason.text);
  }
  return link;
}

}  // namespace servosim

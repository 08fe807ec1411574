// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the link between controller and simulator, over a real socket. The first byte
// selects the hostile side: a controller that sends to the host, or a simulator that sends to
// libController. The second byte selects the size of the pieces in which the rest arrives.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "controller_api/client/client.h"
#include "fuzz/fuzz_world.h"
#include "run/run_controller.h"

namespace {

using namespace servosim;
using Input = std::span<const std::uint8_t>;

constexpr int kMaxSteps = 200;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

struct Ends {
  Ends() { must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) == 0); }
  std::array<int, 2> fds{};
};

void discard(int fd) {
  std::array<char, 1 << 14> buffer;
  while (::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT) > 0) {
  }
}

// Does what a run does until the connection has nothing more.
void serve(Simulation& simulation, RunController& controller, int& steps, int peer) {
  for (;;) {
    while (controller.may_send()) {
      if (!controller.receive()) {
        return;
      }
      must(controller.session()->error().empty() || !controller.connected());
      discard(peer);
    }
    if (!controller.connected() || steps >= kMaxSteps) {
      return;
    }
    simulation.step();
    ++steps;
    controller.after_step();
    discard(peer);
  }
}

void lie_to_host(Input input, std::size_t piece) {
  Simulation simulation = fuzz::load_world();
  const Ends ends;
  int steps = 0;
  {
    Console console(LogLevel::Error);
    RunController controller({0, "fuzzed", true, {}, true}, simulation, SessionOptions{}, console);
    controller.accept(MessageStream(ends.fds[0]), SessionOptions{});
    try {
      while (!input.empty() && controller.connected()) {
        const Input part = input.first(std::min(piece, input.size()));
        must(::send(ends.fds[1], part.data(), part.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(part.size()));
        input = input.subspan(part.size());
        serve(simulation, controller, steps, ends.fds[1]);
      }
      ::shutdown(ends.fds[1], SHUT_WR);
      serve(simulation, controller, steps, ends.fds[1]);
      must(!controller.connected() || steps >= kMaxSteps || !controller.may_send());
    } catch (const StepFailed&) {
      // A controller may make its simulation diverge. That is an answer, not a crash.
    }
    controller.end();
  }
  ::close(ends.fds[1]);
}

// libController's link without its Failure after the welcome, which would end the process.
class Survivor : public Link {
 public:
  explicit Survivor(int fd) : link_(open_socket_link(MessageStream(fd))) {}
  bool send(Bytes message) noexcept override { return link_->send(message); }
  Bytes receive() noexcept override {
    const Bytes message = link_->receive();
    Reader readings({});
    const bool first = std::exchange(first_, false);
    const bool failure = std::holds_alternative<Failure>(decode_reply(message, readings));
    return failure && !first ? Bytes{} : message;
  }

 private:
  std::unique_ptr<Link> link_;
  bool first_ = true;
};

void use(ControllerClient& client) {
  ControllerClient::Lock lock(client.mutex());
  for (std::size_t tag = 1; tag <= client.devices().size() && tag < 20; ++tag) {
    ClientDevice& device = client.devices().device(static_cast<WbDeviceTag>(tag));
    client.devices().sibling(device, &ClientJoint::has_sensor);
    if (device.joint.has_motor) {
      client.devices().share(device, CommandKind::Position, 0.7);
      ControllerClient::request(device, CommandKind::ControlPid);
    }
  }
  client.flush(lock);
  for (int i = 0; i < 8 && client.step(lock, 32) >= 0; ++i) {
    client.request(CommandKind::BatterySampling);
  }
  try {
    client.urdf(lock, "p");
  } catch (const CallError&) {
  }
}

void lie_to_controller(Input input) {
  const Ends ends;
  // All of the input is sent first: a socket's buffer is larger than the longest input.
  must(::send(ends.fds[1], input.data(), input.size(), MSG_NOSIGNAL) ==
       static_cast<ssize_t>(input.size()));
  ::shutdown(ends.fds[1], SHUT_WR);
  try {
    ControllerClient client(std::make_unique<Survivor>(ends.fds[0]));
    use(client);
  } catch (const std::runtime_error&) {
    // wb_robot_init() reports this if the simulator's bytes are invalid.
  }
  ::close(ends.fds[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const Input rest = Input(data, size).subspan(2);
  if (data[0] % 2 == 0) {
    lie_to_host(rest, data[1] == 0 ? rest.size() : data[1]);
  } else {
    lie_to_controller(rest);
  }
  return 0;
}

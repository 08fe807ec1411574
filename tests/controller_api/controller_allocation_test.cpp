// SPDX-License-Identifier: Apache-2.0
// After the first steps, a step allocates no memory on either side of the link.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

#include "controller_api/client/client.h"
#include "controller_api/protocol/stream.h"
#include "support/controller.h"
#include "support/worlds.h"

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// std::stable_sort() asks for its buffer in this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace servosim {
namespace {

constexpr int kWarmUp = 20;
constexpr int kSteps = 500;

// Sends every kind of command, and enables every kind of reading, that belongs to a step.
void command(ControllerClient& client, int step) {
  ClientDevice& motor = client.devices().motor(1);
  motor.motor.position = 0.01 * (step % 7);
  motor.motor.velocity = 2.0 + 0.1 * (step % 3);
  motor.motor.pid = {4.0 + step % 2, 0.5, 0.25};
  for (const CommandKind kind : {CommandKind::Position, CommandKind::Velocity,
                                 CommandKind::AvailableForce, CommandKind::ControlPid}) {
    ControllerClient::request(motor, kind);
  }
  client.devices().brake(3).brake.damping = 0.25 + 0.25 * (step % 2);
  ControllerClient::request(client.devices().brake(3), CommandKind::BrakeDamping);
}

void enable_sensors(ControllerClient& client) {
  client.devices().sensor(2).period_ms = 8;
  ControllerClient::request(client.devices().sensor(2), CommandKind::Sampling);
  client.devices().motor(1).motor.feedback_period_ms = 8;
  ControllerClient::request(client.devices().motor(1), CommandKind::ForceFeedback);
}

long count_steps(ControllerClient& client) {
  ControllerClient::Lock lock(client.mutex());
  enable_sensors(client);
  long before = 0;
  for (int step = 0; step < kWarmUp + kSteps; ++step) {
    if (step == kWarmUp) {
      before = allocations;
    }
    command(client, step);
    EXPECT_EQ(client.step(lock, 8), 0);
  }
  return allocations - before;
}

Simulation world() {
  test::OneJoint w;
  w.heavy_parent = true;  // gives force feedback
  return test::load(w);
}

TEST(Allocation, NoneInAWarmEmbeddedStep) {
  Simulation simulation = world();
  Session session(simulation, 0);
  ControllerClient client(std::make_unique<test::DirectLink>(simulation, session));
  EXPECT_EQ(count_steps(client), 0);
  EXPECT_TRUE(client.devices().motor(1).motor.measured_force ==
              client.devices().motor(1).motor.measured_force);  // not NaN
}

TEST(Allocation, NoneInAWarmHostedStep) {
  Simulation simulation = world();
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  std::thread host([&, fd = fds[0]] {
    MessageStream stream(fd);
    Session session(simulation, 0, {false});
    while (stream.receive() == MessageStream::Status::Message &&
           session.receive(stream.message()) != Session::Outcome::Bye) {
      while (session.pending()) {
        simulation.step();
        session.after_step();
      }
      EXPECT_TRUE(stream.send(session.reply()));
    }
  });
  {
    ControllerClient client(open_socket_link(MessageStream(fds[1])));
    EXPECT_EQ(count_steps(client), 0);
    ControllerClient::Lock lock(client.mutex());
    client.leave(lock);
  }
  host.join();
}

}  // namespace
}  // namespace servosim

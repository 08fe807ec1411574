// SPDX-License-Identifier: Apache-2.0
// mini_host WORLD PROGRAM [ARGUMENT...]: runs one controller in a process of its own, with the
// world's first robot, and exits with its status. It is the shortest use of Session and
// MessageStream.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "controller_api/protocol/stream.h"
#include "controller_api/server/session.h"
#include "sim/world_control.h"

using servosim::MessageStream;
using servosim::Session;
using servosim::Simulation;

namespace {

bool serve(Simulation& simulation, Session& session, MessageStream& stream) {
  switch (session.receive(stream.message())) {
    case Session::Outcome::Answered:
      return stream.send(session.reply());
    case Session::Outcome::Quit:
      stream.send(session.reply());
      session.ending_answer();
      return true;
    case Session::Outcome::Pending:
      do {
        session.settle();
        simulation.step();
        if (const auto requests = session.take_requests(); requests && requests->reset) {
          servosim::WorldControl(simulation).restart();
          session.after_reset();
        }
      } while (!session.after_step());
      return stream.send(session.reply());
    case Session::Outcome::Bye:
      return false;
    case Session::Outcome::Garbage:
      stream.send(session.reply());
      std::fprintf(stderr, "mini_host: %s\n", session.error().c_str());
      return false;
  }
  return false;
}

[[noreturn]] void run_program(int fd, char** arguments) {
  setenv("SERVOSIM_CONTROLLER_FD", std::to_string(fd).c_str(), 1);
  unsetenv("SERVOSIM_WORLD");
  execv(arguments[0], arguments);
  std::perror(arguments[0]);
  _exit(127);
}

int run(const char* world, char** arguments) {
  Simulation simulation(world);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
    std::perror("socketpair");
    return 1;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(fds[0]);
    run_program(fds[1], arguments);
  }
  close(fds[1]);
  const bool spin = std::thread::hardware_concurrency() >= 2;
  {
    MessageStream stream(fds[0], spin);
    Session session(simulation, 0, {spin});
    while (stream.receive() == MessageStream::Status::Message &&
           serve(simulation, session, stream)) {
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc >= 3 ? run(argv[1], argv + 2) : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mini_host: %s\n", error.what());
    return 2;
  }
}

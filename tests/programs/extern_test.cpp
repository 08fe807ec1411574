// SPDX-License-Identifier: Apache-2.0
// Controllers that are started outside of the run, and clients that pretend to be one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "base/private_folder.h"
#include "controller_api/protocol/extern_entry.h"
#include "controller_api/protocol/protocol.h"
#include "controller_api/protocol/stream.h"
#include "programs/program.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Program;
using test::Project;
using test::ScopedVariable;
using test::TempFolder;
using Words = std::vector<std::string>;
using Kind = EntryAnswer::Kind;

constexpr int kPatience = 60'000;  // in ms; the machine may be busy
constexpr const char* kWaits = "' waits for its controller: ";

class Extern : public testing::Test {
 protected:
  Words run(Words more) const {
    Words arguments{"run", one_.world(), "--controller", "arm=<extern>"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Words controller(const Project& project, const std::string& name, Words options,
                   Words its_own = {}) const {
    Words arguments{"controller"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(project.controller(name));
    arguments.insert(arguments.end(), its_own.begin(), its_own.end());
    return arguments;
  }
  Words controller(const std::string& name, Words its_own = {}) const {
    return controller(one_, name, {}, std::move(its_own));
  }
  // Connects to the simulation, as anybody may. The socket exists a moment before the simulation
  // listens.
  static std::unique_ptr<MessageStream> dial() {
    const Descriptor folder = open_private_folder(instances_folder() + "/1234");
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, extern_socket_path(folder).c_str());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "nobody listens";
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::make_unique<MessageStream>(socket);
  }
  static EntryAnswer ask(MessageStream& stream, const std::string& robot) {
    EXPECT_TRUE(stream.send(entry_request(robot)));
    EXPECT_EQ(stream.receive(kPatience), MessageStream::Status::Message);
    return decode_entry_answer(stream.message()).value_or(EntryAnswer{Kind::Never, "garbage"});
  }

  static void wait_until_open() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!fs::exists(instances_folder() + "/1234/extern") &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  // Waits until a controller of the robot "arm" has connected.
  static void wait_until_taken() {
    wait_until_open();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ask(*dial(), "arm").kind == Kind::Welcome) {  // the test's own connection ends at once
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  Project one_{"one"};
  Project two_{"two"};
  TempFolder temporary_;
  ScopedVariable tmpdir_{"TMPDIR", temporary_.path()};
};

TEST_F(Extern, IsStartedByTheLauncher) {
  Program simulation(run({"--quiet", "--log-level", "info"}));
  ASSERT_TRUE(simulation.wait_for_errors(kWaits)) << simulation.err();
  EXPECT_TRUE(contains(simulation.err(), "servosim controller --robot-name arm FILE\n"));
  Program wave(controller("wave", {"0.75", "--two words"}));
  EXPECT_EQ(wave.finish(), 0) << wave.err();
  EXPECT_EQ(wave.out(), "2 arguments, the last is '--two words'\nthere\n");
  EXPECT_EQ(simulation.finish(), 0);
  EXPECT_TRUE(contains(simulation.err(), "robot 'arm': its controller has disconnected\n"))
      << simulation.err();
  EXPECT_FALSE(fs::exists(instances_folder()));
}

TEST_F(Extern, DoesTheSameAsAHostedOne) {
  Program hosted({"run", one_.world(), "--quiet", "--duration", "2"});
  EXPECT_EQ(hosted.finish(), 0);
  Program simulation(run({"--quiet", "--duration", "2"}));
  Program wave(controller("wave", {"0.75", "two words"}));
  EXPECT_EQ(wave.finish(), 0) << wave.err();
  EXPECT_EQ(simulation.finish(), 0);
  EXPECT_EQ(simulation.last_line(), hosted.last_line());
}

TEST_F(Extern, ComesByTcpWhereThatIsAskedFor) {
  Program simulation(run({"--extern-tcp", "127.0.0.1", "--extern-urls", "--quiet"}));
  ASSERT_TRUE(simulation.wait_for_output("tcp://127.0.0.1:"));
  ASSERT_TRUE(simulation.wait_for_output("/arm\n"));
  const std::string out = simulation.out();
  EXPECT_EQ(out.find("ipc://"), 0u) << out;
  std::string port = out.substr(out.find("127.0.0.1:") + 10);
  port.resize(port.find('/'));
  Program clock(controller(one_, "clock", {"--protocol", "tcp", "--port", port}, {"8"}));
  EXPECT_EQ(clock.finish(), 0) << clock.err();
  EXPECT_EQ(clock.out(), "0.008 0.016 0.024 0.032 0.040 ");
  EXPECT_EQ(simulation.finish(), 0);
}

TEST_F(Extern, APortThatOthersReachIsAnnounced) {
  for (const auto& [address, announced] : {std::pair("0.0.0.0", true), {"127.0.0.1", false}}) {
    Program simulation(run({"--extern-tcp", address, "--controller-timeout", "0.05"}));
    EXPECT_EQ(simulation.finish(), 1);
    EXPECT_EQ(contains(simulation.err(), "warning: extern controllers are accepted at 0.0.0.0:"),
              announced)
        << simulation.err();
    EXPECT_EQ(contains(simulation.err(), "without authentication or encryption"), announced);
  }
}

TEST_F(Extern, MayBeStartedBeforeTheSimulation) {
  Program clock(controller("clock", {"8"}));
  ASSERT_TRUE(clock.wait_for_errors("no simulation with extern controllers at port 1234"));
  Program simulation(run({"--quiet"}));
  EXPECT_EQ(clock.finish(), 0) << clock.err();
  EXPECT_EQ(simulation.finish(), 0);
}

TEST_F(Extern, OfSeveralRobotsAreNamed) {
  two_.edit("controller \"greet\"", "controller \"<extern>\"");
  two_.edit("controller \"greet\"", "controller \"<extern>\"");
  Program simulation({"run", two_.world(), "--quiet"});
  Program nobody(controller(two_, "greet", {}, {"0.03"}));
  EXPECT_EQ(nobody.finish(), 1);
  EXPECT_TRUE(contains(nobody.err(), "several extern robots; name one of 'left', 'right'"))
      << nobody.err();
  Program stranger(controller(two_, "greet", {"--robot-name", "middle"}, {"0.03"}));
  EXPECT_EQ(stranger.finish(), 1);
  EXPECT_TRUE(contains(stranger.err(), "no robot 'middle' waits for a controller; there is 'left'"))
      << stranger.err();
  Program left(controller(two_, "greet", {"--robot-name", "left"}, {"0.03"}));
  Program right(controller(two_, "greet", {"--robot-name", "right"}, {"0.05"}));
  EXPECT_EQ(left.finish(), 0) << left.err();
  EXPECT_EQ(right.finish(), 0) << right.err();
  EXPECT_EQ(left.out(), "left at 0.01\nleft at 0.02\n");
  EXPECT_EQ(right.out(), "right at 0.01\nright at 0.02\nright at 0.03\nright at 0.04\n");
  EXPECT_EQ(simulation.finish(), 0);
}

TEST_F(Extern, RunsBesideHostedOnes) {
  two_.edit("controller \"greet\"", "controller \"<extern>\"");
  Program simulation({"run", two_.world(), "--quiet"});
  Program left(controller(two_, "greet", {"--robot-name", "left"}, {"0.03"}));
  EXPECT_EQ(left.finish(), 0) << left.err();
  EXPECT_EQ(simulation.finish(), 0);
  EXPECT_TRUE(contains(simulation.out(), "right at 0.04\n"));
}

TEST_F(Extern, SimulationGoesOnWithoutWhoVanishesAndLetsAnotherIn) {
  Program simulation(run({"--duration", "1000", "--mode", "realtime"}));
  Program stay(controller("stay"));
  wait_until_taken();
  ::kill(stay.pid(), SIGKILL);
  ASSERT_TRUE(simulation.wait_for_errors("robot 'arm': its controller has disconnected\n"));
  Program clock(controller("clock", {"8"}));
  EXPECT_EQ(clock.finish(), 0) << clock.err();
  EXPECT_FALSE(simulation.over());
  simulation.send_signal(SIGINT);
  EXPECT_EQ(simulation.finish(), 130);
}

TEST_F(Extern, IsToldOfTheEnd) {
  Program simulation(run({"--duration", "0.4", "--quiet"}));
  Program stay(controller("stay"));
  EXPECT_EQ(simulation.finish(), 0);
  EXPECT_EQ(stay.finish(), 0) << stay.err();
  EXPECT_EQ(stay.out(), "told of the end\n");
}

TEST_F(Extern, EndsWhenTheSimulationIsKilledAndTheNextOneHasItsPort) {
  {
    Program simulation(run({}));
    Program stay(controller("stay", {"aloud"}));
    ASSERT_TRUE(stay.wait_for_errors("is in\n")) << stay.err();
    ::kill(simulation.pid(), SIGKILL);
    simulation.finish();
    EXPECT_EQ(stay.finish(), 0);
    EXPECT_TRUE(contains(stay.err(), "the simulator is gone")) << stay.err();
  }
  EXPECT_TRUE(fs::exists(instances_folder() + "/1234/lock"));
  Program next(run({"--extern-urls", "--quiet"}));
  EXPECT_TRUE(next.wait_for_output("ipc://1234/arm\n"));
}

TEST_F(Extern, TwoSimulationsHaveTwoPorts) {
  Program first(run({"--extern-urls"}));
  ASSERT_TRUE(first.wait_for_output("ipc://1234/arm\n"));
  Program second(run({"--extern-urls"}));
  ASSERT_TRUE(second.wait_for_output("ipc://1235/arm\n"));
  EXPECT_TRUE(second.wait_for_errors("servosim controller --port 1235 --robot-name arm FILE"));
  Program third(run({"--port", "1235"}));
  EXPECT_EQ(third.finish(), 2);
  EXPECT_TRUE(contains(third.err(), "port 1235 is in use by another simulation")) << third.err();
}

TEST_F(Extern, WaitEndsBySignalAndByTimeout) {
  Program interrupted(run({}));
  ASSERT_TRUE(interrupted.wait_for_errors(kWaits));
  interrupted.send_signal(SIGINT);
  EXPECT_EQ(interrupted.finish(), 130);
  Program timed_out(run({"--controller-timeout", "0.2"}));
  EXPECT_EQ(timed_out.finish(), 1);
  EXPECT_TRUE(contains(timed_out.err(), "robot 'arm': its controller did not connect within 0.2 s"))
      << timed_out.err();
}

TEST_F(Extern, StrangersAreSentAwayAndNothingElseHappens) {
  Program simulation(run({"--quiet"}));
  wait_until_open();
  dial();  // and leaves
  const auto send_raw = [](MessageStream& stream, const std::string& bytes) {
    EXPECT_EQ(::send(stream.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  };
  const auto http = dial();
  send_raw(*http, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(http->receive(kPatience), MessageStream::Status::Closed);
  const auto huge = dial();
  send_raw(*huge, std::string("\x00\x00\x10\x00", 4) + std::string(1000, 'x'));
  EXPECT_EQ(huge->receive(kPatience), MessageStream::Status::Closed);
  const auto wrong = dial();
  EXPECT_TRUE(wrong->send(std::as_bytes(std::span("hello", 5))));
  EXPECT_EQ(wrong->receive(kPatience), MessageStream::Status::Closed);
  const auto unknown = dial();
  EXPECT_EQ(ask(*unknown, "leg").kind, Kind::Never);
  ASSERT_TRUE(simulation.wait_for_errors("what it has sent is no request"));

  const auto guest = dial();
  EXPECT_EQ(ask(*guest, "").kind, Kind::Welcome);
  const auto second = dial();
  const EntryAnswer later = ask(*second, "arm");
  EXPECT_EQ(later.kind, Kind::Later);
  EXPECT_EQ(later.text, "robot 'arm' has a controller already");
  EXPECT_TRUE(guest->send(std::as_bytes(std::span("no hello", 8))));
  EXPECT_EQ(guest->receive(kPatience), MessageStream::Status::Closed);
  ASSERT_TRUE(simulation.wait_for_errors("its controller sent garbage"));

  Program clock(controller("clock", {"8"}));  // is still waited for
  EXPECT_EQ(clock.finish(), 0) << clock.err();
  EXPECT_EQ(simulation.finish(), 0) << simulation.err();
}

TEST_F(Extern, CrowdOfSilentOnesDoesNotKeepTheRightOneOut) {
  Program simulation(run({"--quiet"}));
  wait_until_open();
  std::vector<std::unique_ptr<MessageStream>> silent;
  for (int i = 0; i < 15; ++i) {
    silent.push_back(dial());
  }
  Program clock(controller("clock", {"8"}));
  EXPECT_EQ(clock.finish(), 0) << clock.err();
  EXPECT_EQ(simulation.finish(), 0);
}

TEST_F(Extern, PlaceMustBeTheUsersAlone) {
  fs::create_directory(instances_folder());
  fs::permissions(instances_folder(), fs::perms::all);
  Program simulation(run({}));
  EXPECT_EQ(simulation.finish(), 2);
  EXPECT_TRUE(contains(simulation.err(), "is not a folder that is yours alone"))
      << simulation.err();
}

TEST_F(Extern, UrlsThatMeanNothingAreRefused) {
  Program building(one_.run_with("stay", {"--steps", "0"}));
  EXPECT_EQ(building.finish(), 0);
  Program port(controller(one_, "stay", {"--port", "70000"}));
  EXPECT_EQ(port.finish(), 2);
  Program missing({"controller", one_.controller("nothing")});
  EXPECT_EQ(missing.finish(), 2);
  EXPECT_TRUE(contains(missing.err(), "is not there")) << missing.err();
  Program address(run({"--extern-tcp", "not.an.address"}));
  EXPECT_EQ(address.finish(), 2);
  EXPECT_TRUE(contains(address.err(), "'not.an.address' is no address")) << address.err();
}

}  // namespace
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
// After each signal, each command has the exit code in the table of the documentation.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "base/raw_client.h"
#include "base/sockets.h"
#include "programs/processes.h"
#include "programs/program.h"
#include "view/replay_page.h"

namespace servosim {
namespace exit_codes_test {

using test::Program;
using test::TempFolder;
using Codes = std::map<int, int>;  // by signal

constexpr const char* kLift = R"(#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 4 }
Robot { name "lift" controller "<none>" children [
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 -1 0 anchor 0 0 1 dampingConstant 0.5 }
    device RotationalMotor { name "motor" maxVelocity 20 maxTorque 60 }
    endPoint Solid { translation 0 0 0.5 name "beam" boundingObject Box { size 0.04 0.04 1 }
      physics Physics { density -1 mass 2 } } } ] }
)";

// Rows such as | `check`, `info` | 130 | 143 | 129 | ... |
std::map<std::string, Codes> documented_codes() {
  const std::string page =
      test::read_text(std::string(SERVOSIM_DOCS_DIR) + "/reference/command-line.md");
  const std::regex row(R"(\n\| (`[^|]*`) \| (\d+) \| (\d+) \| (\d+) \|)");
  const std::regex name("`([^`]*)`");
  std::map<std::string, Codes> codes;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator n(names.begin(), names.end(), name); n != end; ++n) {
      codes[(*n)[1]] = {{SIGINT, std::stoi((*at)[2])},
                        {SIGTERM, std::stoi((*at)[3])},
                        {SIGHUP, std::stoi((*at)[4])}};
    }
  }
  return codes;
}

// A port that accepts connections and sends nothing.
class SilentPort {
 public:
  SilentPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof in;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&in), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&in), &size), 0);
    port_ = ntohs(in.sin_port);
  }
  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }

 private:
  Descriptor socket_;
  int port_ = 0;
};

// A local socket in the current folder that accepts connections and sends nothing.
class SilentSocket {
 public:
  explicit SilentSocket(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    path.copy(local.sun_path, sizeof local.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&local), sizeof local), 0) << path;
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
  }

 private:
  Descriptor socket_;
};

// Its standard output is full from the beginning, so a command that prints anything does not end by
// itself.
struct Command {
  const char* name;
  std::vector<std::string> arguments;
  Program::Sink output = Program::Sink::Full;
  const char* ready = "";  // what it prints when it is at work, for Sink::Captured
};

class ExitCodes : public testing::Test {
 protected:
  ExitCodes() {
    folder.write("lift.wbt", kLift);
    folder.write("lift.toml",
                 "world = \"lift.wbt\"\nduration = 1e6\n[[expect]]\n"
                 "joint = \"lift/motor\"\nvelocity = [-9, 9]\n");
    folder.write("One.proto", "#VRML_SIM R2025a utf8\nPROTO One [ ]\n{ Robot { } }\n");
    folder.write("lingers/lingers.py", "import time\nprint('lingers', flush=True)\ntime.sleep(99)");
    Program recorded(
        {"run", "lift.wbt", "--steps=50", "--quiet", "--trace=t.csv", "--record=r.svt"},
        {folder.path()});
    EXPECT_EQ(recorded.finish(), 0) << recorded.err();
  }

  // Sends the signal while the command is at work, and returns the exit status.
  int status_after(const Command& command, int number) const {
    Program program(command.arguments, {folder.path(), command.output});
    if (*command.ready != '\0') {
      EXPECT_TRUE(program.wait_for_output(command.ready)) << program.err();
    } else {
      EXPECT_TRUE(net::becomes([&] { return test::catches(program.pid(), number); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it prints now
    }
    EXPECT_FALSE(program.over()) << command.name;
    program.send_signal(number);
    return program.finish();
  }

  TempFolder folder;
  const test::ScopedVariable cache{"XDG_CACHE_HOME", (folder / "cache").string()};
};

TEST_F(ExitCodes, OfEachCommandAfterEachSignalAreThoseOfTheTable) {
  const SilentPort silent;
  const TempFolder with_socket;
  const std::string control = (with_socket / "control").string();
  const SilentSocket silent_control(control);
  const std::vector<std::string> joint{"lift.wbt", "--joint", "motor"};
  const auto of_joint = [&](const char* command, std::vector<std::string> more = {}) {
    more.insert(more.begin(), joint.begin(), joint.end());
    more.insert(more.begin(), command);
    return more;
  };
  const std::string bus = "tcp:" + silent.address();
  const std::vector<Command> commands{
      {"run", {"run", "lift.wbt", "--duration=1e9"}},
      {"controller", {"controller", "lingers"}, Program::Sink::Captured, "lingers\n"},
      {"check", {"check", "lift.wbt"}},
      {"fetch", {"fetch", "lift.wbt"}},
      {"info", {"info", "lift.wbt"}},
      {"fields", {"fields"}},
      {"servos", {"servos"}},
      {"convert", {"convert", "lift.wbt", "/dev/stdout"}},
      {"step", of_joint("step")},
      {"bode", of_joint("bode", {"--from=1", "--to=2"})},
      {"identify", of_joint("identify")},
      {"fit",
       {"fit", SERVOSIM_TEST_DIR "/data/servo_logs/xl330_kp100_sin_sin.json",
        "--servo=XL330-M288-T"}},
      {"tune", of_joint("tune", {"--settle=0.5"})},
      {"sweep",
       {"sweep", "lift.wbt", "-o", "s.csv", "--seeds=1..1000000", "--duration=1e6", "--resume"}},
      {"plot", {"plot", "t.csv"}},
      {"diff", {"diff", "t.csv", "t.csv"}},
      {"test", {"test", "lift.toml"}},
      {"view", {"view", "r.svt", "-o", "v.html"}},
      {"webots", {"webots", "--mode=fast", "lift.wbt"}},
      {"webots convert", {"webots", "convert", "One.proto"}},
      {"webots-home", {"webots-home"}},
      {"yarp nameserver",
       {"yarp", "nameserver", "--listen", "127.0.0.1", "--port", "0"},
       Program::Sink::Captured,
       "Name server at "},
      {"yarp rpc", {"yarp", "rpc", silent.address(), "help"}},
      {"yarp read", {"yarp", "read", silent.address()}},
      {"yarp write", {"yarp", "write", silent.address(), "1"}},
      {"yarp ping", {"yarp", "ping", silent.address()}},
      {"yarp list", {"yarp", "list", "--nameserver", silent.address()}},
      {"srvp serve", {"srvp", "serve", "--port", "0"}, Program::Sink::Captured, "SRVP server at "},
      {"srvp client", {"srvp", "client", silent.address(), "info"}},
      {"bus scan", {"bus", "scan", bus, "--baud=300"}},
      {"bus read", {"bus", "read", bus, "1", "--baud=300"}},
      {"bus write", {"bus", "write", bus, "1", "LED=1", "--baud=300"}},
      {"bus monitor", {"bus", "monitor", bus, "1", "--baud=300"}},
      {"bus record", {"bus", "record", bus, "--baud=300", "-o", "log.csv"}},
      {"bus fault", {"bus", "fault", control, "gone"}},
      {"bus serve",
       {"bus", "serve", "STS3215", "--link=tcp:0"},
       Program::Sink::Captured,
       "bus at "},
  };
  std::map<std::string, Codes> documented = documented_codes();
  std::map<std::string, Codes> found;
  for (const Command& command : commands) {
    if (!has_replay_page() && std::string(command.name) == "view") {
      EXPECT_EQ(documented.erase("view"), 1u);  // a build without the page refuses it at once
      continue;
    }
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      const int status = status_after(command, number);
      // A controller has replaced the command in its process, so it ends by the signal.
      found[command.name][number] = status < 0 ? 128 - status : status;
      EXPECT_TRUE(status >= 0 || std::string(command.name) == "controller")
          << command.name << ' ' << number;
    }
  }
  EXPECT_EQ(found, documented);
}

// The helper that draws takes a long time.
TEST_F(ExitCodes, AFigureThatIsInterruptedIsNoFailure) {
  folder.write_program("bin/gnuplot", "#!/bin/sh\ntouch \"$DRAWN\"\nexec sleep 99\n");
  const std::string drawn = folder / "drawn";
  const test::ScopedVariable path("PATH", (folder / "bin").string() + ":" + ::getenv("PATH"));
  const test::ScopedVariable mark("DRAWN", drawn);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"plot", "t.csv"},
        {"step", "lift.wbt", "--joint", "motor", "-o", "x.svg"}}) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      std::filesystem::remove(drawn);
      Program program(arguments, {folder.path()});
      ASSERT_TRUE(net::becomes([&] { return std::filesystem::exists(drawn); })) << arguments[0];
      program.send_signal(number);
      EXPECT_EQ(program.finish(), 128 + number) << arguments[0];
      EXPECT_EQ(program.err(), "") << arguments[0];
    }
  }
}

// nohup starts a program with SIGHUP ignored in this way.
TEST_F(ExitCodes, ASignalThatWasIgnoredEndsNothing) {
  ::signal(SIGHUP, SIG_IGN);
  Program program({"run", "lift.wbt", "--duration=1e9", "--quiet"}, {folder.path()});
  ::signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(net::becomes([&] { return test::catches(program.pid(), SIGINT); }));
  program.send_signal(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(program.over());
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.finish(), 143);
}

}  // namespace exit_codes_test
}  // namespace servosim

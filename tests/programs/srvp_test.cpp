// SPDX-License-Identifier: Apache-2.0
// Tests `servosim srvp` from outside: two terminals, and a server that is killed.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>

#include "programs/program.h"
#include "srvp/server/database.h"
#include "srvp/server/support.h"
#include "support/repetitions.h"

namespace servosim::test {
namespace srvp_test {

using namespace srvp;
using Words = std::vector<std::string>;

/// A server in a separate process.
class Serving {
 public:
  explicit Serving(Words options = {}) : program_(arguments(std::move(options))) {
    EXPECT_TRUE(program_.wait_for_output("\n")) << program_.err();
    const std::string& line = program_.out();
    EXPECT_EQ(line.find("SRVP server at 127.0.0.1:"), 0u) << line;
    address_ = line.substr(15, line.size() - 16);
  }
  const std::string& address() const { return address_; }
  int port() const { return std::stoi(address_.substr(address_.find(':') + 1)); }
  Program& program() { return program_; }

 private:
  static Words arguments(Words options) {
    options.insert(options.begin(), {"srvp", "serve", "--port", "0"});
    return options;
  }

  Program program_;
  std::string address_;
};

/// Returns what a client prints, and checks its exit status.
std::string ask(const Serving& server, const Words& words, int status = 0) {
  Words arguments{"srvp", "client", server.address()};
  arguments.insert(arguments.end(), words.begin(), words.end());
  Program client(arguments);
  EXPECT_EQ(client.finish(), status) << client.err();
  return client.out() + client.err();
}

/// An MCU that acknowledges each message until the server closes.
class Obedient {
 public:
  Obedient(Serving& server, const McuDescription& description) : peer_(server.port()) {
    peer_.send(encode(Login(description)));
    EXPECT_TRUE(server.program().wait_for_errors("MCU " + description.name + " has logged in"));
    thread_ = std::thread([this] {
      FrameReader<McuOrder> reader;
      for (std::string byte = peer_.receive(1); !byte.empty(); byte = peer_.receive(1)) {
        reader.feed(byte);
        if (reader.next().index() == 1) {
          peer_.send(kAck);
        }
      }
    });
  }
  ~Obedient() {
    ::shutdown(peer_.fd(), SHUT_RDWR);
    thread_.join();
  }

 private:
  RawPeer peer_;
  std::thread thread_;
};

TEST(SrvpProgram, AClientMovesAnMcu) {
  Serving server({"--allow-shutdown", "-v"});
  const Obedient mcu(server, smart("nao", 16));
  EXPECT_EQ(ask(server, {"--mcu", "nao", "move", "8=12", "6=17", "info"}),
            "select nao: ACK 255\n"
            "move 8=12 6=17: ACK 255, ACK 255\n"
            "info: positions 90 90 90 90 90 90 17 90 12 90 90 90 90 90 90 90\n");
  EXPECT_EQ(ask(server, {"select", "nao", "move", "2=186", "info"}, 1),
            "select nao: ACK 255\nmove 2=186: NACK 252 InvalidParameter\n");
  EXPECT_EQ(ask(server, {"--mcu", "nao", "mode", "delayed", "move", "0=1", "move", "1=2", "execute",
                         "mode", "realtime"}),
            "select nao: ACK 255\nmode delayed: ACK 100\nmove 0=1: ACK 255, ACK 255\n"
            "move 1=2: ACK 255, ACK 255\nexecute: ACK 255\nmode realtime: ACK 101\n");
  EXPECT_EQ(ask(server, {"off"}), "off: ACK 255\n");
  EXPECT_EQ(server.program().finish(), 0);
  EXPECT_TRUE(contains(server.program().err(), "MCU nao < -m-2-<9>:<13>-<7>:<18>-!\n"));
  EXPECT_TRUE(contains(server.program().err(), "MCU nao < -e-!\n"));
}

TEST(SrvpProgram, ACalibratedDumbMcuGetsPwm) {
  Serving server;
  const Obedient mcu(server, dumb("arm", 2));
  EXPECT_EQ(ask(server, {"--mcu", "arm", "move", "0=90"}, 1),
            "select arm: ACK 255\nmove 0=90: NACK 250 NoMCUInfo\n");
  EXPECT_EQ(ask(server, {"--mcu", "arm", "upload", "1000:2000", "500:2500", "move", "0=90", "pwm",
                         "1=500", "info"}),
            "select arm: ACK 255\nupload 1000:2000 500:2500: ACK 255\n"
            "move 0=90: ACK 255, ACK 255\npwm 1=500: ACK 255, ACK 255\ninfo: positions 90 0\n");
  EXPECT_EQ(ask(server, {"off"}, 1), "off: NACK 255 InvalidQuery\n");
}

TEST(SrvpProgram, WithSingleAckThereIsOneAnswer) {
  Serving server({"--single-ack"});
  const Obedient mcu(server, smart("nao", 2));
  EXPECT_EQ(ask(server, {"--single-ack", "--mcu", "nao", "move", "0=1"}),
            "select nao: ACK 255\nmove 0=1: ACK 255\n");
  server.program().send_signal(SIGTERM);
  EXPECT_EQ(server.program().finish(), 0);
  EXPECT_TRUE(contains(server.program().err(), "MCU nao has logged in"));
  EXPECT_FALSE(contains(server.program().err(), "!s-SRVP"));  // only -v prints frames
}

TEST(SrvpProgram, AServerThatOthersReachSaysSo) {
  for (const Words& words : {Words{"srvp", "serve", "--port", "0", "--bind", "0.0.0.0"},
                             Words{"yarp", "nameserver", "--port", "0", "--listen", "0.0.0.0"}}) {
    Program server(words);
    EXPECT_TRUE(server.wait_for_errors("without authentication or encryption")) << server.err();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish(), 0);
  }
  Serving server;
  server.program().send_signal(SIGTERM);
  EXPECT_EQ(server.program().finish(), 0);
  EXPECT_FALSE(contains(server.program().err(), "without authentication"));
}

TEST(SrvpProgram, JsonIsForPrograms) {
  Serving server;
  const Obedient mcu(server, dumb("arm", 2));
  const auto said =
      nlohmann::json::parse(ask(server, {"--json", "--mcu", "arm", "info", "move", "0=1"}, 1));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], nlohmann::json::parse(R"({"action": "select arm", "query": "!s-sMCU-arm-e!",
      "ok": true, "answers": [{"ack": true, "code": 255}]})"));
  EXPECT_EQ(said[1]["answers"][0]["positions"], nlohmann::json::parse("[null, null]"));
  EXPECT_EQ(said[2]["query"], "!s-SRVP-1-<1>:<2>-e!");
  EXPECT_EQ(said[2]["ok"], false);
  EXPECT_EQ(said[2]["answers"][0],
            nlohmann::json::parse(R"({"ack": false, "code": 250, "name": "NoMCUInfo"})"));
}

TEST(SrvpProgram, ASilentMcuTimesOut) {
  Serving server({"--mcu-timeout", "0.05"});
  RawPeer mcu(server.port());
  mcu.send(encode(Login(smart("nao", 2))));
  EXPECT_TRUE(server.program().wait_for_errors("MCU nao has logged in"));
  EXPECT_EQ(ask(server, {"--mcu", "nao", "move", "0=1"}, 1),
            "select nao: ACK 255\nmove 0=1: ACK 255, NACK 248 ErrorContactingMCU\n");
  EXPECT_TRUE(server.program().wait_for_errors("MCU nao has not answered within 0.05"));
}

TEST(SrvpProgram, SaysWhatIsWrong) {
  const auto fails = [](Words arguments, int status, const std::string& with) {
    arguments.insert(arguments.begin(), "srvp");
    Program program(arguments);
    EXPECT_EQ(program.finish(), status) << program.err();
    EXPECT_TRUE(contains(program.out() + program.err(), with)) << program.err();
  };
  fails({}, 2, "'servosim srvp' needs a command: serve, client; see ");
  fails({"cleint"}, 2, "no command 'servosim srvp cleint'; did you mean 'client'?");
  fails({"client", "127.0.0.1:1"}, 2,
        "actions is missing: servosim srvp client [OPTION]... server actions...");
  fails({"client", "127.0.0.1:1", "info"}, 1, "127.0.0.1:1: Connection refused");
  fails({"client", "robot:1", "info"}, 2, "'robot:1' is not a server");
  fails({"client", "localhost", "mvoe", "1=2"}, 2, "no action 'mvoe'; did you mean 'move'?");
  fails({"client", "localhost", "move"}, 2, "move needs ID=DEGREES, as 3=90");
  fails({"client", "localhost", "move", "x=1"}, 2, "'x=1' of move is not ID=DEGREES");
  fails({"client", "localhost", "move", "300=1"}, 2, "there is no servo 300: ids are 0..31");
  fails({"client", "localhost", "pwm", "1=40000"}, 2, "PWM value 40000 is not 0..32766");
  fails({"client", "localhost", "mode", "fast"}, 2, "mode 'fast' is not delayed or realtime");
  fails({"client", "localhost", "select"}, 2, "select needs the name of an MCU");
  fails({"client", "localhost", "select", "a-b"}, 2, "the name 'a-b': it has a '-'");
  fails({"client", "localhost", "upload", "1"}, 2, "upload needs MIN:MAX of each servo");
  fails({"serve", "--bind", "everywhere"}, 2, "'everywhere' is not an IPv4 address");
  fails({"serve", "--port", "99999"}, 2, "--port");
  fails({"serve", "--mcu-timeout", "0"}, 2, "--mcu-timeout");
  Serving server;
  fails({"serve", "--port", std::to_string(server.port())}, 1, "Address already in use");
}

// Returns how often the threads of a process have fallen asleep so far, or nothing while one of
// them is awake.
std::optional<std::size_t> sleeps_of(pid_t process) {
  std::size_t sleeps = 0;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    const std::string status = read_text(task.path() / "status");
    if (!contains(status, "\nState:\tS")) {
      return std::nullopt;
    }
    sleeps += std::stoul(status.substr(status.find("\nvoluntary_ctxt_switches:") + 25));
  }
  return sleeps;
}

TEST(SrvpProgram, AnIdleServerIsNotWoken) {
  Serving server;
  const Obedient mcu(server, dumb("arm", 2));
  RawUser user(server.port(), "arm");
  EXPECT_EQ(user.ask(Upload{std::vector<PwmRange>(2)}), kAck);
  EXPECT_EQ(user.ask(to_positions({{0, 90}}), 2), kAck + kAck);
  const pid_t process = server.program().pid();
  // The server may still be on its way to sleep.
  std::optional<std::size_t> before;
  EXPECT_TRUE(becomes([&] {
    before = sleeps_of(process);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return before && sleeps_of(process) == before;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(sleeps_of(process), before);
}

/// Uploads one calibration after the other until the server is gone. Each calibration repeats one
/// number.
class Uploads {
 public:
  Uploads(const Serving& server, int first) : user_(server.port(), "arm"), last_acked_(first - 1) {
    thread_ = std::thread([this, first] {
      for (int i = first; user_.ask(Upload{std::vector<PwmRange>(kMaxServos, {i, i})}) == kAck;) {
        last_acked_ = i++;
      }
    });
  }
  ~Uploads() { thread_.join(); }
  int last_acked() const { return last_acked_; }

 private:
  RawUser user_;
  std::atomic<int> last_acked_;
  std::thread thread_;
};

// The server is killed by SIGKILL during uploads, a hundred times. It never leaves a part of a
// calibration and never loses one that was acknowledged.
TEST(SrvpProgram, AKilledServerKeepsWholeCalibrations) {
  const TempFolder folder;
  const std::string file = (folder / "robots.db").string();
  {
    Serving server({"--database", file});
    const Obedient mcu(server, dumb("arm", kMaxServos));
    RawUser user(server.port(), "arm");
    EXPECT_EQ(user.ask(Upload{std::vector<PwmRange>(kMaxServos)}), kAck);
  }
  std::mt19937 random(3);
  int next = 1;
  const int runs = test::repetitions(20, 100);
  for (int i = 0; i < runs; ++i) {
    Serving server({"--database", file});
    int acked = 0;
    {
      const Uploads uploads(server, next);
      const int enough = next - 1 + static_cast<int>(random() % 3);
      EXPECT_TRUE(becomes([&] { return uploads.last_acked() >= enough; }));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      server.program().send_signal(SIGKILL);
      EXPECT_EQ(server.program().finish(), -SIGKILL);
      acked = uploads.last_acked();
    }
    Database database(file);
    const auto records = database.load([](const std::string& what) { ADD_FAILURE() << what; });
    ASSERT_EQ(records.size(), 1u);
    ASSERT_EQ(records[0].calibration.size(), kMaxServos);
    const PwmRange first = records[0].calibration[0];
    EXPECT_EQ(records[0].calibration, std::vector<PwmRange>(kMaxServos, first)) << "torn";
    EXPECT_GE(first.min, acked);
    next = first.min + 1;
  }
}

}  // namespace srvp_test
}  // namespace servosim::test

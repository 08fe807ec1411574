// SPDX-License-Identifier: Apache-2.0
// A run whose robots are control boards of YARP: how it begins and ends, and what it survives.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "programs/yarp_run.h"

namespace servosim::test {
namespace run_yarp_test {

using yarp::becomes;
using yarp::bottle;
using yarp::Carrier;
using yarp::handshake;
using yarp::message;
using yarp::RawClient;

using Clients = std::vector<RawClient>;

const std::string kWorld = SERVOSIM_WORLDS_DIR "/icub_arm.wbt";

// Expects that `steps` steps of 1 ms were taken, whatever the clients did.
void expect_whole_run(Program& program, int steps) {
  EXPECT_EQ(program.finish(), 0) << program.err();
  EXPECT_TRUE(contains(program.out(), "\n" + std::to_string(steps) + " steps of 1 ms: "))
      << program.out();
}

TEST(RunYarp, SaysWhatIsOpen) {
  YarpRun run({}, {"--yarp", "icub=/arm:elbow,wrist_yaw"});
  EXPECT_TRUE(
      contains(run.program().err(), "robot 'icub' is the control board /arm: elbow, wrist_yaw\n"));
  for (const char* port : {"rpc:i", "command:i", "state:o", "stateExt:o"}) {
    const std::string address = run.address(port);
    EXPECT_TRUE(contains(run.client("list", {}), "/arm/" + std::string(port) + ' ' + address))
        << address;
  }
  EXPECT_TRUE(contains(run.client("rpc", {"/arm/rpc:i", "get name 1"}), " wrist_yaw "));
}

TEST(RunYarp, GoesByTheClockAndAsLongAsItIsTold) {
  YarpRun run({"--duration", "0.4"});
  expect_whole_run(run.program(), 400);
  const std::string& out = run.program().out();
  EXPECT_GE(std::stod(out.substr(out.find(" simulated in ") + 14)), 0.4) << out;
}

TEST(RunYarp, GoesFastIfThatIsWanted) {
  YarpRun run({"--duration", "3600", "--mode", "fast"});
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
  run.interrupt();
  EXPECT_FALSE(contains(run.program().err(), "keep up"));
}

TEST(RunYarp, TakesItsNamesBack) {
  for (const bool interrupted : {false, true}) {
    Program names({"yarp", "nameserver", "--port", "0"});
    ASSERT_TRUE(names.wait_for_output("\n"));
    const std::string address = names.out().substr(15, names.out().size() - 16);
    const auto known = [&](const std::string& name) {
      Program list({"yarp", "list", "--nameserver", address});
      EXPECT_EQ(list.finish(), 0) << list.err();
      return contains(list.out(), name);
    };
    Arguments arguments{"run", kWorld, "--yarp", "icub=/arm", "--yarp-register", address};
    if (!interrupted) {
      arguments.insert(arguments.end(), {"--duration", "3"});
    }
    Program run(arguments);
    EXPECT_TRUE(becomes([&] { return known("/arm/stateExt:o "); }));
    if (interrupted) {
      run.send_signal(SIGINT);
    }
    EXPECT_EQ(run.finish(), interrupted ? 130 : 0) << run.err();
    EXPECT_FALSE(known("/arm/")) << interrupted;
    names.send_signal(SIGTERM);
    names.finish();
  }
}

// ---- name servers that do not work

TEST(RunYarp, GoesOnWithoutANameServer) {
  Program absent(
      {"run", kWorld, "--yarp", "icub=/arm", "--yarp-register", "127.0.0.1:1", "--duration", "1"});
  expect_whole_run(absent, 1000);
  EXPECT_TRUE(contains(absent.err(), "the name server at 127.0.0.1:1 cannot be used"))
      << absent.err();
  const TempFolder folder;
  folder.write("yarp.conf", "nowhere");
  const ScopedVariable home("YARP_CONFIG_HOME", folder.path().string());
  Program unknown({"run", kWorld, "--yarp", "icub=/arm", "--duration", "1"});
  expect_whole_run(unknown, 1000);
  EXPECT_TRUE(contains(unknown.err(), "yarp.conf names no address of a name server"))
      << unknown.err();
}

/// A name server that answers nothing, or invalid data.
class OddNames {
 public:
  explicit OddNames(std::string answer) : answer_(std::move(answer)) {
    thread_.call([this] {
      listener_ = std::make_unique<net::Listener>(
          thread_.loop(), net::Address{}, [this](Descriptor socket, const net::Address&) {
            ::send(socket.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
            if (answer_.empty()) {
              silent_.push_back(std::move(socket));
            }
          });
    });
  }
  ~OddNames() { thread_.stop(); }
  std::string address() const { return to_string(listener_->address()); }

 private:
  std::string answer_;
  std::vector<Descriptor> silent_;
  net::EventLoopThread thread_;
  std::unique_ptr<net::Listener> listener_;
};

TEST(RunYarp, GoesOnWithANameServerThatIsSlowOrMad) {
  const OddNames mad("HTTP/1.1 400 Bad Request\r\n\r\n");
  Program run(
      {"run", kWorld, "--yarp", "icub=/arm", "--yarp-register", mad.address(), "--duration", "1"});
  expect_whole_run(run, 1000);
  EXPECT_TRUE(contains(run.err(), "/rpc:i is not registered")) << run.err();
  const OddNames slow("");
  Program waiting(
      {"run", kWorld, "--yarp", "icub=/arm", "--yarp-register", slow.address(), "--duration", "5"});
  expect_whole_run(waiting, 5000);
  EXPECT_TRUE(contains(waiting.err(), "no whole answer within 3 s")) << waiting.err();
}

TEST(RunYarp, GoesOnWithANameThatIsTaken) {
  YarpRun first;
  Program second({"run", kWorld, "--yarp", "icub=/icub/left_arm", "--yarp-register", first.names(),
                  "--duration", "1.5"});
  expect_whole_run(second, 1500);
  EXPECT_TRUE(contains(second.err(), "the name /icub/left_arm/rpc:i is taken by a port at " +
                                         first.address("rpc:i")))
      << second.err();
  EXPECT_TRUE(contains(first.client("list", {}), "/icub/left_arm/rpc:i "));
}

// ---- hostile clients

TEST(RunYarp, GoesOnWithHalfOpenConnections) {
  YarpRun run;
  Clients clients;
  for (int i = 0; i < 20; ++i) {
    for (const char* const port : {"rpc:i", "command:i", "state:o", "stateExt:o"}) {
      clients.emplace_back(run.port(port)).send(std::string("YA\x13").substr(0, i % 4));
    }
  }
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
  EXPECT_EQ(run.interrupt(), 130) << run.program().err();
}

TEST(RunYarp, GoesOnWithTwoHundredClients) {
  YarpRun run;
  Clients clients;
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back(run.port("rpc:i")).send(handshake(Carrier::FastTcp, "/client"));
  }
  const std::string reply = yarp::encoded(bottle("[prot] 1 9 0 [ok]"));
  for (RawClient& client : clients) {
    client.send(message(Carrier::FastTcp, yarp::asking(), bottle("[get] [prot]")));
    EXPECT_EQ(client.receive(8 + reply.size()).substr(8), reply);
  }
  EXPECT_EQ(run.interrupt(), 130) << run.program().err();
}

TEST(RunYarp, GoesOnWithMessagesThatEndAtAnyByte) {
  YarpRun run;
  const std::string whole =
      handshake(Carrier::Tcp, "/client") +
      message(Carrier::Tcp, yarp::asking(), bottle("[set] [icmd] [cmod] 0 [pos]"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    RawClient(run.port("rpc:i")).send(whole.substr(0, cut));
    RawClient(run.port("command:i")).send(whole.substr(0, cut));
  }
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
  EXPECT_EQ(run.interrupt(), 130) << run.program().err();
}

// Clients that read nothing send requests, streamed commands and invalid data without end.
TEST(RunYarp, GoesOnDuringAFlood) {
  YarpRun run;
  std::atomic<bool> stop{false};
  std::vector<std::thread> flooders;
  const auto flood = [&](const std::string& port, const yarp::MessageHead& head, const char* text) {
    flooders.emplace_back(
        [&stop, number = run.port(port), bytes = message(Carrier::FastTcp, head, bottle(text))] {
          RawClient client(number);
          client.send(handshake(Carrier::FastTcp, "/flooder"));
          const timeval brief{0, 100'000};
          ::setsockopt(client.fd(), SOL_SOCKET, SO_SNDTIMEO, &brief, sizeof brief);
          while (!stop) {
            client.send(bytes);
          }
        });
  };
  flood("rpc:i", yarp::asking(), "[get] [encs]");
  flood("command:i", yarp::telling(), "([vmo] 0) (1.0)");
  flood("command:i", yarp::telling(), "(1 2 (3))");
  flood("state:o", yarp::asking(), "[get] [encs]");
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
  EXPECT_EQ(run.interrupt(), 130) << run.program().err();
  stop = true;
  for (std::thread& flooder : flooders) {
    flooder.join();
  }
}

// ---- several boards

TEST(RunYarp, ServesTheBoardsOfAFile) {
  const TempFolder folder;
  const std::string file = folder
                               .write("boards.ini",
                                      "; two parts of one robot\n"
                                      "[upper]\n"
                                      "robot = icub\n"
                                      "name = /icub/upper\n"
                                      "joints = shoulder_pitch, shoulder_roll, shoulder_yaw\n"
                                      "coupled = (shoulder_pitch shoulder_roll)\n"
                                      "period = 0.01\n"
                                      "ref_speed = 12.5  ; of all its joints\n"
                                      "[upper.shoulder_roll]\n"
                                      "ref_speed = 7.5\n"
                                      "position_pid = kp 3 kd 0.5 max_output 20\n"
                                      "[lower]\n"
                                      "joints = elbow wrist_yaw\n"
                                      "start_mode = torq\n"
                                      "profile = trapezoid\n"
                                      "velocity_timeout = 0.5\n")
                               .string();
  YarpRun run({}, {"--yarp-config", file, "--yarp", "icub=/icub/rest:wrist_pitch"});
  ASSERT_TRUE(yarp::becomes([&] { return contains(run.client("list", {}), "/icub/upper/rpc:i"); }));
  EXPECT_EQ(run.client("rpc", {"/icub/upper/rpc:i", "get vels", "get pid pid pos 1"})
                .substr(0, std::string("[is] vels (12.5 7.5 12.5) ").size()),
            "[is] vels (12.5 7.5 12.5) ");
  EXPECT_TRUE(
      contains(run.client("rpc", {"/icub/upper/rpc:i", "get pid pid pos 1"}), "(3.0 0.5 0.0 "));
  EXPECT_TRUE(
      contains(run.client("rpc", {"/icub/upper/rpc:i", "set icmd cmod 0 idl", "get icmd cmds"}),
               "([idl] [idl] [pos])"));
  EXPECT_TRUE(
      contains(run.client("rpc", {"/icub/lower/rpc:i", "get icmd cmds"}), "([torq] [torq])"));
  EXPECT_TRUE(contains(run.client("rpc", {"/icub/rest/rpc:i", "get name 0"}), " wrist_pitch "));
  EXPECT_EQ(run.interrupt(), 130);
}

TEST(RunYarp, HomesToThePlaceThatAFileNames) {
  const TempFolder folder;
  const std::string file = folder
                               .write("boards.ini",
                                      "[left_arm]\n"
                                      "robot = icub\n"
                                      "name = /icub/left_arm\n"
                                      "direct_velocity_pid = true\n"
                                      "[left_arm.elbow]\n"
                                      "home_position = 22.5\n")
                               .string();
  YarpRun run({}, {"--yarp-config", file});
  EXPECT_EQ(run.rpc({"set reca hom 3"}), "[ok]\n");
  EXPECT_TRUE(contains(run.rpc({"get pos 3"}), " 22.5 [tsta] "));
}

// These are the first columns of the tables of keys in docs/reference/yarp.md.
TEST(RunYarp, KnowsEveryKeyThatIsDocumented) {
  std::ifstream page(SERVOSIM_DOCS_DIR "/reference/yarp.md");
  std::vector<std::string> keys;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    in_table = line.starts_with("| key of a ") || (in_table && line.starts_with("|"));
    const std::string cell = in_table ? line.substr(0, line.find('|', 1)) : "";
    for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at)) {
      const std::size_t end = cell.find('`', at + 1);
      keys.push_back(cell.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  EXPECT_GT(keys.size(), 35u);
  const TempFolder folder;
  for (const std::string& key : keys) {
    const std::string file =
        folder.write("boards.ini", "[arm]\n" + key + " = what is that\nno_key = 1\n").string();
    Program run({"run", kWorld, "--yarp-config", file});
    EXPECT_EQ(run.finish(), 2) << key;
    EXPECT_FALSE(contains(run.err(), "] " + key + ": there is no such key")) << run.err();
  }
}

struct BadFile {
  const char* text;
  const char* message;
};

TEST(RunYarp, SaysWhatIsWrongWithAFile) {
  const TempFolder folder;
  for (const BadFile& bad : {
           BadFile{"", " describes no board; write a section such as [left_arm]"},
           {"robot = icub\n", "'robot' is before the first section"},
           {"[arm]\nperoid = 1\n",
            "boards.ini: [arm] peroid: there is no such key; did you mean "
            "'period'?"},
           {"[arm]\nperiod = soon\n", "boards.ini: [arm] period: 'soon' is not a number"},
           {"[arm]\nperiod = 0\n", "[arm] period: it must be a number of seconds > 0"},
           {"[arm]\nperiod = 1 2\n", "[arm] period: '1 2' is not a single value"},
           {"[arm]\nrobot = ikub\n", "ikub"},
           {"[arm]\njoints = elbo\n", "elbo"},
           {"[arm]\nname = arm\n", "'arm' is no name for ports"},
           {"[arm]\nprofile = round\n", "'round' is not minimum_jerk or trapezoid"},
           {"[arm]\nstart_configured = maybe\n", "'maybe' is not false or true"},
           {"[arm]\nstart_mode = poss\n", "'poss' is not pos or posd"},
           {"[arm]\nposition_pid = kp\n", "'kp' is not a list of names and numbers"},
           {"[arm]\nposition_pid = kq 1\n", "'kq' is not kd or kff"},
           {"[arm]\nposition_pid = kp -1\n", "a Pid must have finite numbers"},
           {"[arm]\ncoupled = elbow wrist_yaw\n", "is not a list of groups"},
           {"[arm]\ncoupled = (elbow)\n", "is not a list of groups"},
           {"[arm]\ncoupled = (elbow elbo)\n", "'elbo' is not shoulder_pitch or"},
           {"[arm]\ncalibration = 1 2\n", "a calibration is four numbers"},
           {"[arm]\nref_speed = -1\n", "ref_speed is -1, but must be from 0 to"},
           {"[arm]\nref_speed = 0\n", "ref_speed must be above 0: with 0 nothing"},
           {"[arm.elbow]\nperiod = 1\n", "[arm.elbow] period: there is no such key"},
           {"[arm.elbo]\nref_speed = 1\n",
            "[arm.elbo] is about no joint of the board; did you "
            "mean 'elbow'?"},
           {"[a]\nname = /a\n[b]\nname = /b\n", "is a joint of /a and of /b"},
           {"[a]\nname = /a\njoints = elbow\n[b]\nname = /a\njoints = wrist_yaw\n",
            "two boards or other servers are called /a"},
           {"[arm]\nelbow\n", "[arm] elbow: there is no such key"},
           {"[arm]\nperiod = 1\nrobot = icub\nperiod = 1\n", "is given twice"},
           {"[]\n[[\n[.]\n]=[\n=\n", "servosim: error: "},
           {"[arm.........]\n", "'[arm.........]' is not a section: it has more than 8 dots"},
       }) {
    const std::string file = folder.write("boards.ini", bad.text).string();
    Program run({"run", kWorld, "--yarp-config", file});
    EXPECT_EQ(run.finish(), 2) << bad.text;
    EXPECT_TRUE(contains(run.err(), bad.message)) << bad.text << run.err();
  }
}

TEST(RunYarp, SaysWhatIsWrongWithArguments) {
  const auto fails = [](const Arguments& arguments, const std::string& with) {
    Program run(joined({"run", kWorld}, arguments));
    EXPECT_EQ(run.finish(), 2) << run.err();
    EXPECT_TRUE(contains(run.err(), with)) << run.err();
  };
  fails({"--yarp", "icub"}, "--yarp needs ROBOT=/PORT, as icub=/icub/left_arm");
  fails({"--yarp", "ikub=/arm"}, "ikub");
  fails({"--yarp", "icub=/arm/"}, "'/arm/' is no name for ports");
  fails({"--yarp", "icub=/arm:elbo"}, "elbo");
  fails({"--yarp", "icub=/arm:elbow,elbow"}, "elbow");
  fails({"--yarp", "icub=/arm:"}, "icub");
  fails({"--yarp-nameserver"}, "nothing is served");
  fails({"--yarp", "icub=/arm", "--yarp-nameserver=x"}, "--yarp-nameserver");
  fails({"--yarp", "icub=/arm", "--yarp-listen", "here"},
        "--yarp-listen 'here' is not an IPv4 address");
  fails({"--yarp", "icub=/arm", "--yarp-listen", "192.0.2.1"}, "listening at 192.0.2.1:");
  fails({"--yarp", "icub=/arm", "--yarp-generation", "5"}, "'5' is not 3 or 4");
  fails({"--yarp", "icub=/arm", "--yarp-nameserver", "--yarp-register", "127.0.0.1:1"},
        "exclude each other");
  fails({"--yarp-config", "/nowhere.ini"}, "/nowhere.ini ");
  fails({"--yarp", "icub=/arm", "--yarp-nameserver", "12800"},
        "'12800' is given as a world; for the port of the name server write "
        "--yarp-nameserver=12800");
  fails({kWorld, "--yarp", "icub=/arm"}, "clients can take part in the run of one world only");
  YarpRun run;
  fails({"--yarp", "icub=/arm", "--yarp-nameserver=" + std::to_string(run.name_port())},
        "Address already in use. The address must be one of this computer.");
}

// ---- together with controllers

TEST(RunYarp, WarnsOfAControllerThatCommandsTheSameMotors) {
  const Project project("one");
  Program run(project.run_with("stay", {"--yarp", "arm=/arm", "--yarp-nameserver=0", "--duration",
                                        "0.1", "--mode", "fast"}));
  EXPECT_EQ(run.finish(), 0) << run.err();
  EXPECT_TRUE(contains(run.err(),
                       "robot 'arm': its controller and clients from outside both "
                       "command its motors"))
      << run.err();
  YarpRun alone({"--duration", "0.1"});
  EXPECT_EQ(alone.program().finish(), 0);
  EXPECT_FALSE(contains(alone.program().err(), "both command"));
}

TEST(RunYarp, ListensWhereItIsToldAndAnnouncesThat) {
  YarpRun run({"--yarp-listen", "0.0.0.0", "--yarp-announce", "127.0.0.2"});
  EXPECT_TRUE(run.names().starts_with("127.0.0.2:"));
  EXPECT_TRUE(contains(run.client("list", {}), "/icub/left_arm/rpc:i 127.0.0.2:"));
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
}

TEST(RunYarp, SpeaksAsYarp4) {
  YarpRun run({"--yarp-generation", "4"});
  EXPECT_TRUE(contains(run.client("rpc", {"--yarp4", "/icub/left_arm/nws/rpc:i", "getAxesRPC"}),
                       "([ok]) 7"));
  EXPECT_EQ(run.client("rpc",
                       {"--yarp4", "/icub/left_arm", "setControlModeOneRPC 3 [vel]",
                        "setControlModeOneRPC 9 [vel]", "getTargetVelocityOneRPC 9"},
                       1),
            "[ok]\n[err7]\n([err7]) 0.0\n");
}

}  // namespace run_yarp_test
}  // namespace servosim::test

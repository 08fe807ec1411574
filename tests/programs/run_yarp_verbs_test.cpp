// SPDX-License-Identifier: Apache-2.0
// Requests of YARP's clients to a control board over loopback, with the tools that users have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "programs/yarp_run.h"
#include "support/case_names.h"
#include "yarp/protocol/message.h"

namespace servosim::test {
namespace run_yarp_verbs_test {

using namespace yarp;
using namespace std::string_literals;

struct Asked {
  const char* request;
  const char* reply;  // # is any number, @ a time stamp, ... seven numbers
};

// The interfaces of remote_controlboard, one after the other.
const Asked kAsked[] = {
    {"get prot", "[prot] 1 9 0 [ok]"},
    {"get axes", "[is] axes 7 @ [ok]"},
    {"get name 3", "[is] name elbow @ [ok]"},
    {"get type 3", "[is] type 1987212385 @ [ok]"},
    {"set icmd cmod 0 pos", "[ok]"},
    {"set icmd cmog 2 (0 1) (pos pos)", "[ok]"},
    {"set icmd cmds (pos pos pos pos pos pos pos)", "[ok]"},
    {"get icmd cmod 2", "[is] 2 [pos] @ [ok]"},
    {"get icmd cmds", "[is] [cmds] ([pos] [pos] [pos] [pos] [pos] [pos] [pos]) @ [ok]"},
    {"get icmd cmog 2 (0 1)", "[is] [cmog] ([pos] [pos]) @ [ok]"},
    {"set intm mode 3 comp", "[ok]"},
    {"get intm mode 3", "[comp] @ [ok]"},
    {"set intm modg 2 (3 4) (stif stif)", "[ok]"},
    {"get intm modg 2 (3 4)", "([stif] [stif]) @ [ok]"},
    {"set intm mods (stif stif stif stif stif stif stif)", "[ok]"},
    {"get intm mods", "([stif] [stif] [stif] [stif] [stif] [stif] [stif]) @ [ok]"},
    {"set pos 3 20.0", "[ok]"},
    {"get pos 3", "[is] pos 20.0 @ [ok]"},
    {"set posg 2 (0 3) (-5.0 25)", "[ok]"},
    {"get posg 2 (0 3)", "[is] posg (-5.0 25.0) @ [ok]"},
    {"set poss (0.0 1.0 2.0 30.0 4.0 5.0 6.0)", "[ok]"},
    {"get poss", "[is] poss (0.0 1.0 2.0 30.0 4.0 5.0 6.0) @ [ok]"},
    {"set rel 3 1.0", "[ok]"},
    {"set relg 2 (0 1) (1.0 1.0)", "[ok]"},
    {"set rels (0.5 0.5 0.5 0.5 0.5 0.5 0.5)", "[ok]"},
    {"get don 3", "[is] don # @ [ok]"},
    {"get dons", "[is] dons # @ [ok]"},
    {"get dong 2 (0 1)", "[is] dong # @ [ok]"},
    {"set vel 3 15.0", "[ok]"},
    {"get vel 3", "[is] vel 15.0 @ [ok]"},
    {"set velg 2 (0 1) (11.0 12.0)", "[ok]"},
    {"get velg 2 (0 1)", "[is] velg (11.0 12.0) @ [ok]"},
    {"set vels (10.0 10.0 10.0 10.0 10.0 10.0 10.0)", "[ok]"},
    {"get vels", "[is] vels (10.0 10.0 10.0 10.0 10.0 10.0 10.0) @ [ok]"},
    {"set acc 3 15.0", "[ok]"},
    {"get acc 3", "[is] acc 15.0 @ [ok]"},
    {"set accg 2 (0 1) (11.0 12.0)", "[ok]"},
    {"get accg 2 (0 1)", "[is] accg (11.0 12.0) @ [ok]"},
    {"set accs (10.0 10.0 10.0 10.0 10.0 10.0 10.0)", "[ok]"},
    {"get accs", "[is] accs (10.0 10.0 10.0 10.0 10.0 10.0 10.0) @ [ok]"},
    {"set sto 3", "[ok]"},
    {"set stog 2 (0 1)", "[ok]"},
    {"set stos", "[ok]"},
    {"get vmo 3", "[is] vmo # @ [ok]"},
    {"get vmos", "[is] vmos (...) @ [ok]"},
    {"get vmog 2 (0 1)", "[is] vmog (# #) @ [ok]"},
    {"get dpo 3", "[is] dpo # @ [ok]"},
    {"get dpos", "[is] dpos (...) @ [ok]"},
    {"get dpog 2 (0 1)", "[is] dpog (# #) @ [ok]"},
    {"set torq ref 3 1.5", "[ok]"},
    {"set torq refs (0.0 0.0 0.0 0.0 0.0 0.0 0.0)", "[ok]"},
    {"get torq trq 3", "[is] torq # @ [ok]"},
    {"get torq trqs", "[is] torq (...) @ [ok]"},
    {"get torq ref 3", "[is] torq # @ [ok]"},
    {"get torq refs", "[is] torq (...) @ [ok]"},
    {"get torq rng 3", "[is] torq # # @ [ok]"},
    {"get torq rngs", "[is] torq (...) (...) @ [ok]"},
    {"set iimp ipr 3 (0.5 0.05)", "[ok]"},
    {"get iimp ipr 3", "[is] iimp (0.5 0.05) @ [ok]"},
    {"set iimp iof 3 (0.25)", "[ok]"},
    {"get iimp iof 3", "[is] iimp (0.25) @ [ok]"},
    {"get iimp llim 3", "[is] iimp (# # # #) @ [ok]"},
    {"get ipwm ref 3", "[is] ipwm # [ok]"},
    {"get ipwm refs", "[is] ipwm (...) [ok]"},
    {"get ipwm pwm 3", "[is] ipwm # [ok]"},
    {"get ipwm pwms", "[is] ipwm (...) [ok]"},
    {"get icur ref 3", "[is] icur # [ok]"},
    {"get icur refs", "[is] icur (...) [ok]"},
    {"get icur rng 3", "[is] icur # # [ok]"},
    {"set pid off pos 3 0.0", "[ok]"},
    {"set pid lim pos 3 5.0", "[ok]"},
    {"set pid res pos 3", "[ok]"},
    {"get pid pid pos 3", "[is] pid (# # # # # # # # # #) [ok]"},
    {"get pid err pos 3", "[is] pid # [ok]"},
    {"get pid errs pos", "[is] pid (...) [ok]"},
    {"get pid out pos 3", "[is] pid # [ok]"},
    {"get pid ref pos 3", "[is] pid # [ok]"},
    {"get pid refs pos", "[is] pid (...) [ok]"},
    {"get pid lim pos 3", "[is] pid 5.0 [ok]"},
    {"get pid ena pos 3", "[is] pid # [ok]"},
    {"set llim 3 1.0 100.0", "[ok]"},
    {"get llim 3", "[is] llim 1.0 100.0 @ [ok]"},
    {"set vlim 3 0.0 50.0", "[ok]"},
    {"get vlim 3", "[is] vlim # 50.0 @ [ok]"},
    {"get enc 3", "[is] enc # @ [ok]"},
    {"get encs", "[is] encs (...) @ [ok]"},
    {"get esp 3", "[is] esp # @ [ok]"},
    {"get esps", "[is] esps (...) @ [ok]"},
    {"get eac 3", "[is] eac # @ [ok]"},
    {"get eacs", "[is] eacs (...) @ [ok]"},
    {"get mnum", "[is] mnum 7 @ [ok]"},
    {"get mnc 3", "[is] mnc # @ [ok]"},
    {"get mncs", "[is] mncs (...) @ [ok]"},
    {"get asts 3", "[is] asts # @ [ok]"},
    {"get asta", "[is] asta (...) @ [ok]"},
    {"get acu 3", "[is] acu # @ [ok]"},
    {"get acus", "[is] acus (...) @ [ok]"},
    {"get mtnm", "[is] mtnm 7 @ [ok]"},
    {"get ijfl jhfl 3", "[is] -1 none [ok]"},
    {"get ivar lvar", "[is] ivar*"},
};

// These requests must be refused and do no harm.
const char* const kRefused[] = {"set pos 7 1.0",
                                "set pos -1 1.0",
                                "set pos 0",
                                "set poss (1.0 2.0)",
                                "set posg 2 (0) (1 2)",
                                "set icmd cmod 0 xx",
                                "get enc 99",
                                "set pos 0 elbow",
                                "set torq",
                                "get",
                                "dance",
                                "12",
                                "set iimp ipr 3 (1)",
                                "set pos 0 nan",
                                "get pid pid xx 0"};

std::string pattern_of(const std::string& reply) {
  const std::string number = "-?(?:[0-9][-+.e0-9]*|inf)";
  std::string pattern;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (reply.compare(i, 3, "...") == 0) {
      pattern += number + "(?: " + number + "){6}";
      i += 2;
    } else if (reply[i] == '#') {
      pattern += number;
    } else if (reply[i] == '@') {
      pattern += "\\[tsta\\] [0-9]+ [0-9.e-]+";
    } else if (reply[i] == '*') {
      pattern += ".*";
    } else {
      pattern += std::string(std::string("[]().").find(reply[i]) != std::string::npos ? "\\" : "") +
                 reply[i];
    }
  }
  return pattern;
}

// The client finds the right port of the board without being told.
TEST(RunYarpVerbs, ANameOfABoardWillDo) {
  const YarpRun run;
  EXPECT_EQ(run.client("rpc", {"/icub/left_arm", "set icmd cmod 0 vel", "get axes"}).substr(0, 24),
            "[ok]\n[is] axes 7 [tsta] ");
  run.client("write", {"/icub/left_arm", "--carrier", "udp", "(vmo 0) (1.5)"});
  EXPECT_TRUE(run.answers("get vmo 0", "[is] vmo 1.5 "));
  const std::string state = run.client("read", {"/icub/left_arm", "--count", "1"});
  EXPECT_EQ(std::count(state.begin(), state.end(), ' '), 6) << state;
}

TEST(RunYarpVerbs, ANameOfABoardOfYarp4WillDo) {
  YarpRun run({"--yarp-generation", "4"});
  EXPECT_NE(run.port("nws/rpc:i"), 0) << run.program().err();
  for (const Arguments& generation : {Arguments{"--yarp4"}, Arguments{}}) {
    EXPECT_EQ(run.client("rpc", joined(generation, {"/icub/left_arm", "getAxesRPC"})),
              "([ok]) 7\n");
  }
  // The port is given by its address. In 4.0 a double has other bytes than in 3.x.
  const std::string address = fmt::format("127.0.0.1:{}", run.port("nws/rpc:i"));
  EXPECT_EQ(run.client("rpc", {address, "setControlModeOneRPC 0 [pos]", "setTrajSpeedOneRPC 0 12.5",
                               "getTrajSpeedOneRPC 0"}),
            "[ok]\n[ok]\n([ok]) 12.5\n");
  // A port of another kind has a name of another kind.
  EXPECT_EQ(
      run.client("rpc", {fmt::format("127.0.0.1:{}", run.port("state:o")), "x"}, 1).substr(0, 6),
      "[fail]");
}

TEST(RunYarp, AnswersEveryVerb) {
  YarpRun run;
  Arguments requests;
  for (const Asked& asked : kAsked) {
    requests.push_back(asked.request);
  }
  std::istringstream replies(run.rpc(requests));
  for (const Asked& asked : kAsked) {
    std::string reply;
    std::getline(replies, reply);
    EXPECT_TRUE(std::regex_match(reply, std::regex(pattern_of(asked.reply))))
        << asked.request << ": " << reply << "\nnot " << asked.reply;
  }
  EXPECT_EQ(run.interrupt(), 130);
}

TEST(RunYarp, RefusesWhatCannotBe) {
  YarpRun run;
  std::istringstream replies(run.rpc({std::begin(kRefused), std::end(kRefused)}, 1));
  for (const char* const request : kRefused) {
    std::string reply;
    std::getline(replies, reply);
    EXPECT_TRUE(reply.starts_with("[fail]") || reply.starts_with("[nak]"))
        << request << ": " << reply;
  }
  EXPECT_TRUE(contains(run.rpc({"get axes"}), "[is] axes 7 "));
}

TEST(RunYarp, MovesWhereItIsTold) {
  YarpRun run;
  run.rpc({"set icmd cmod 3 pos", "set vel 3 60.0", "set pos 3 30.0"});
  EXPECT_TRUE(run.answers("get don 3", "[is] don 1 "));
  const std::string reply = run.rpc({"get enc 3"});
  EXPECT_NEAR(std::stod(reply.substr(std::string("[is] enc ").size())), 30.0, 1.0) << reply;
  const std::string states = run.client("read", {"/icub/left_arm/state:o", "--count", "2"});
  EXPECT_TRUE(std::regex_match(states, std::regex("(" + pattern_of("...") + "\n){2}"))) << states;
}

TEST(RunYarp, SendsTheWholeState) {
  YarpRun run;
  const Bottle state = bottle(run.client("read", {"/icub/left_arm/stateExt:o", "--count", "1"}));
  ASSERT_EQ(state.size(), 22u);
  for (std::size_t i = 0; i < state.size(); i += 2) {
    ASSERT_NE(as_list(state.items[i]), nullptr) << i;
    EXPECT_EQ(as_list(state.items[i])->size(), 7u) << i;
    EXPECT_EQ(as_vocab(state.items[i + 1]), vocab("ok")) << i;
  }
  EXPECT_EQ(as_int(as_list(state.items[18])->items[3]), vocab("pos"));
  EXPECT_EQ(as_int(as_list(state.items[20])->items[3]), vocab("stif"));
}

TEST(RunYarp, ObeysStreamedCommands) {
  YarpRun run;
  run.rpc({"set icmd cmds (vel posd torq ipwm icur pos pos)"});
  run.client("write", {"/icub/left_arm/command:i", "(vmo 0) (-4.5)", "(dpo 1) (12.5)",
                       "(dtq 2) (0.75)", "(ipwm ref 3) (2.5)", "(icur ref 4) (0.5)"});
  EXPECT_TRUE(run.answers("get vmo 0", "[is] vmo -4.5 "));
  EXPECT_TRUE(run.answers("get dpo 1", "[is] dpo 12.5 "));
  EXPECT_TRUE(run.answers("get torq ref 2", "[is] torq 0.75 "));
  EXPECT_TRUE(run.answers("get ipwm ref 3", "[is] ipwm 2.5 "));
  EXPECT_TRUE(run.answers("get icur ref 4", "[is] icur 0.5 "));
  run.rpc({"set icmd cmds (posd posd posd posd posd posd posd)"});
  run.client("write", {"/icub/left_arm/command:i", "(dpos) (-1.0 1.0 2.0 3.0 4.0 5.0 6.0)"});
  EXPECT_TRUE(run.answers("get dpos", "(-1.0 1.0 2.0 3.0 4.0 5.0 6.0)"));
  run.client("write", {"/icub/left_arm/command:i", "(dpog 2 (3 5)) (8.0 9.0)"});
  EXPECT_TRUE(run.answers("get dpos", "(-1.0 1.0 2.0 8.0 4.0 9.0 6.0)"));
}

TEST(RunYarp, ObeysCommandsByUdp) {
  YarpRun run;
  run.rpc({"set icmd cmod 3 vel"});
  RawClient client(run.port("command:i"));
  client.send(handshake(Carrier::Udp, "/client/command:o"));
  const auto number = decode_number(as_bytes(client.receive(8)));
  ASSERT_TRUE(number);
  client.close();
  const Descriptor udp = net::udp_sender({INADDR_LOOPBACK, static_cast<std::uint16_t>(*number)});
  const std::string bytes =
      message(Carrier::Udp, telling(), Bottle{{bottle("[vmo] 3"), bottle("7.5")}});
  EXPECT_TRUE(becomes([&] {  // datagrams may be lost
    Writer writer;
    encode_datagram(writer, as_bytes(bytes), 0);
    ::send(udp.get(), writer.bytes().data(), writer.size(), 0);
    return contains(run.rpc({"get vmo 3"}), "[is] vmo 7.5 ");
  }));
}

// ---- opens a board as remote_controlboard does, byte by byte

std::string asked(RawClient& client, const std::string& line) {
  client.send(line);
  const std::string reply = client.receive_line();
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
  return reply;
}

class Opening : public testing::TestWithParam<std::string> {};

TEST_P(Opening, DialsTheClientBack) {
  const std::string carrier = GetParam();
  YarpRun run;
  EchoPort states({"/client/stateExt:i"}, run.name_port());
  states.thread().call(
      [&] { states.names()->register_port(states.port().contact(), [](const std::string&) {}); });
  EXPECT_TRUE(becomes([&] { return contains(run.client("list", {}), "/client/stateExt:i "); }));

  RawClient admin(run.port("stateExt:o"));
  admin.send("CONNACK admin\r\n");
  EXPECT_EQ(admin.receive_line(), "Welcome admin\r\n");
  EXPECT_EQ(asked(admin, "a\n[ver]\n"), "[ver] 1 2 3\r\n");
  EXPECT_EQ(asked(admin, "a\n[list] [out] \"/client/stateExt:i\"\n"), "\r\n");
  const std::string added = asked(admin, "a\n[add] \"" + carrier + "://client/stateExt:i\"\n");
  EXPECT_TRUE(added.starts_with("0 \"Added connection from /icub/left_arm/stateExt:o to "))
      << added;
  const std::string connection = asked(admin, "a\n[list] [out] \"/client/stateExt:i\"\n");
  EXPECT_TRUE(contains(connection, "(carrier " + carrier + ")")) << connection;
  EXPECT_TRUE(becomes([&] { return states.heard().size() > 2; }));
  EXPECT_TRUE(states.heard()[0].starts_with("/icub/left_arm/stateExt:o ("));

  RawClient rpc(run.port("rpc:i"));
  rpc.send(handshake(Carrier::Tcp, "/client/rpc:o"));
  EXPECT_EQ(rpc.receive(8), answer(Carrier::Tcp, run.port("rpc:i"), "/client/rpc:o"));
  rpc.send(message(Carrier::Tcp, asking(), bottle("[get] [prot]")));
  const std::string prot = encoded(bottle("[prot] 1 9 0 [ok]")) + ack();
  EXPECT_EQ(rpc.receive(prot.size()), prot);
  rpc.send(message(Carrier::Tcp, asking(), bottle("[get] [axes]")));
  // The answer is a list of 7 items: [is] [axes] 7 [tsta] n t [ok].
  const std::string axes = rpc.receive(8 + 8 + 8 + 8 + 8 + 8 + 12 + 8 + 8);
  EXPECT_TRUE(axes.starts_with(hex("00 01 00 00 07 00 00 00 09 00 00 00") + "is\0\0"s)) << axes;
  EXPECT_TRUE(axes.ends_with(ack()));

  EXPECT_TRUE(contains(asked(admin, "a\n[del] \"/client/stateExt:i\"\n"), "0 \"Removed"));
  EXPECT_EQ(asked(admin, "a\n[list] [out] \"/client/stateExt:i\"\n"), "\r\n");
  EXPECT_EQ(run.interrupt(), 130);
}
INSTANTIATE_TEST_SUITE_P(RunYarp, Opening, testing::Values("tcp", "fast_tcp", "udp"), by_text);

}  // namespace run_yarp_verbs_test
}  // namespace servosim::test

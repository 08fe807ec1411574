// SPDX-License-Identifier: Apache-2.0
// Differences of YARP 4.0: names of methods, codes of results, the state.
#include "yarp/server/support.h"

namespace servosim::yarp::server {
namespace {

using yarp::hex;

TEST(WireV4, AnswersMethods) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  converse(ask, {{"getAxesRPC", "([ok]) 4"},
                 {"getAxisNameRPC 1", "([ok]) \"m1\""},
                 {"getJointTypeRPC 1", "([ok]) 1987212385"},
                 {"setControlModeOneRPC 0 7103862", "[ok]"},
                 {"setControlModeOneRPC 0 [pos]", "[ok]"},
                 {"setControlModeGroupRPC (1 2) (7103862 1903325044)", "[ok]"},
                 {"getTargetVelocityOneRPC 1", "([ok]) 0.0"},
                 {"getAvailableControlModesRPC 3", "([ok]) (7103593 1818519910 7565168 7103862)"},
                 {"setInteractionModeOneRPC 0 1886220131", "[ok]"},
                 {"getInteractionModeOneRPC 0", "([ok]) 1886220131"},
                 {"positionMoveOneRPC 0 12.5", "[ok]"},
                 {"getTargetPositionOneRPC 0", "([ok]) 12.5"},
                 {"checkMotionDoneOneRPC 0", "([ok]) [fail]"},
                 {"checkMotionDoneGroupRPC (2)", "([ok]) [ok]"},
                 {"stopAllRPC", "[ok]"},
                 {"checkMotionDoneAllRPC", "([ok]) [ok]"},
                 {"setEncoderOneRPC 0 12.5", "[ok]"},
                 {"getEncoderOneRPC 0", "([ok]) 12.5"},
                 {"setTrajSpeedAllRPC (1.0 2.0 3.0 4.0)", "[ok]"},
                 {"getTrajSpeedsAllRPC", "([ok]) (1.0 2.0 3.0 4.0)"},
                 {"setImpedanceRPC 0 0.5 0.25", "[ok]"},
                 {"getImpedanceRPC 0", "([ok]) 0.5 0.25"},
                 {"getLastJointFaultRPC 0", "([ok]) -1 none"},
                 {"isPidEnabledRPC [pos1] 0", "([ok]) [ok]"},
                 {"isPidEnabledRPC [vel1] 0", "([ok]) [fail]"},
                 {"getAvailablePidsRPC 0", "([ok]) (829648752 829187446 829518452 829584739)"},
                 {"setPidFeedforwardOneRPC [trq1] 0 0.5", "[ok]"},
                 {"setPidOffsetOneRPC [trq1] 0 0.25", "[ok]"},
                 {"getPidFeedforwardRPC [trq1] 0", "([ok]) 0.5"},
                 {"getPidOffsetRPC [trq1] 0", "([ok]) 0.25"},
                 {"getPidRPC [trq1] 0", "([ok]) (0.0 0.0 0.0 0.0 20.0 0.25 0.0 0.0 0.0 0.5)"},
                 {"setMotorTorqueParamsRPC 0 1 2 3 4 5 6 7 8 9", "[ok]"},
                 {"getMotorTorqueParamsRPC 0", "([ok]) 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0"},
                 {"setRemoteVariableRPC kPWM (1 2 3 4)", "[ok]"},
                 {"getRemoteVariableRPC kPWM", "([ok]) (1.0 2.0 3.0 4.0)"},
                 {"getRemoteVariablesListRPC",
                  "([ok]) ((kPWM kCurrent hardLimitMargin velocityTimeout parkPosition "
                  "homePosition))"},
                 {"calibrationDoneRPC 0", "[ok]"}});
  EXPECT_TRUE(ask("getDeviceInterfacesRPC").starts_with("([ok]) ((iAmplifierControl [ok]) "));
}

TEST(WireV4, ResultsHaveCodes) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  converse(ask, {{"setControlModeOneRPC 4 7103862", "[err7]"},     // no such joint
                 {"getEncoderOneRPC 4", "([err7]) 0.0"},           // the place of the value is kept
                 {"setControlModeOneRPC 3 1903325044", "[err2]"},  // the joint cannot do it
                 {"setControlModeOneRPC 0 1634105192", "[err5]"},  // a client may not ask for a
                                                                   // fault
                 {"velocityMoveOneRPC 0 1.0", "[err5]"},           // not in this mode
                 {"setControlModeOneRPC 0", "[err5]"},             // wrong form
                 {"getTargetPositionAllRPC 0", "([ok]) (0.0 0.0 0.0 0.0)"},
                 {"getTargetPositionGroupRPC", "([err5]) (0.0 0.0 0.0 0.0)"},
                 {"isJointBrakedRPC 0", "([err2]) [fail]"},  // there are no brakes
                 {"noSuchMethodRPC 0", "[err2]"},
                 {"get axes", "[err2]"}});
}

TEST(WireV4, ItsProtocolVersionIsNoBottle) {
  const ServedBoard board(Generation::V4);
  yarp::RawClient client(board.port("rpc:i"));
  client.send(yarp::handshake(Carrier::Tcp, "/client") +
              yarp::message(Carrier::Tcp, yarp::asking(),
                            Bottle{{std::string("getRemoteProtocolVersion")}}));
  client.receive(8);
  EXPECT_EQ(client.receive(24), yarp::golden::kProtocolVersionV4 + yarp::ack());
}

// A user sees two numbers: that of the protocol, and that of YARP.
TEST(WireV4, ItsProtocolVersionAsText) {
  const ServedBoard board(Generation::V4);
  for (const Carrier carrier : {Carrier::Text, Carrier::TextAck}) {
    Asker ask(board, carrier, Generation::V4);
    converse(ask, {{"getRemoteProtocolVersion", "0 4 0 0"}, {"getAxesRPC", "([ok]) 4"}});
  }
}

TEST(WireV4, StreamsNameTheirInterface) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  Asker tell(board, Carrier::Tcp, Generation::V4, "command:i");
  converse(ask, {{"setControlModeAllRPC (7103862 1685286768 1903325044 7565168)", "[ok]"}});
  converse(tell, {{"([ivel] [vmo] 0) (1.5)", "[ok]"},
                  {"([ipod] [dpo] 1) (2.5)", "[ok]"},
                  {"([itrq] [dtqg] 1 (2)) (3.5)", "[ok]"},
                  {"([ixyz] [vmo] 0) (9.0)", "[fail]"}});
  converse(ask, {{"getTargetVelocityOneRPC 0", "([ok]) 1.5"},
                 {"getRefPositionOneRPC 1", "([ok]) 2.5"},
                 {"getRefTorqueOneRPC 2", "([ok]) 3.5"}});
}

TEST(WireV4, TakesStreamsOfDirectVelocity) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  Asker tell(board, Carrier::Tcp, Generation::V4, "command:i");
  converse(ask, {{"setControlModeGroupRPC (0 1 2) ([veld] [veld] [veld])", "[ok]"}});
  converse(tell, {{"([ived] [vdso] 0) (1.5)", "[ok]"},
                  {"([ived] [vdsg] 2 (1 2)) (2.5 3.5)", "[ok]"},
                  {"([ived] [some] 2 (1 2)) (9.0 9.0)", "[fail]"},
                  {"([ived] 0) (9.0)", "[fail]"},
                  {"([ived] [vdso] 0) (9.0 9.0)", "[fail]"},
                  {"([ived] [vdso] 0 1) (9.0)", "[fail]"},
                  {"([ived] [vdso] 4) (9.0)", "[fail]"},
                  {"([ived] [vdso]) (9.0)", "[fail]"},
                  {"([ived]) (9.0 9.0 9.0 9.0)", "[fail]"}});
  converse(ask, {{"getRefVelocityGroupRPC (0 1 2)", "([ok]) (1.5 2.5 3.5)"}});
  converse(tell, {{"([ived] [vdsg] (2 0)) (4.5 5.5)", "[ok]"}});
  converse(ask, {{"getRefVelocityGroupRPC (0 1 2)", "([ok]) (5.5 2.5 4.5)"}});
  // Joint 3 drops the command.
  converse(tell, {{"([ived] [vdsa]) (6.5 7.5 8.5 9.5)", "[ok]"}});
  converse(ask, {{"getRefVelocityGroupRPC (0 1 2)", "([ok]) (6.5 7.5 8.5)"}});
}

TEST(WireV4, TakesStreamsOfControllers) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  Asker tell(board, Carrier::Tcp, Generation::V4, "command:i");
  converse(tell, {{"([ipid] [poff] [pos1] 1) (2.5)", "[ok]"},
                  {"([ipid] [pffd] [vel1] 2) (0.75)", "[ok]"},
                  {"([ipid] [poff] [pos2] 1) (9.0)", "[fail]"},
                  {"([ipid] [poff] [pos1] 4) (9.0)", "[fail]"},
                  {"([ipid] [poff] [pos1] 1 2) (9.0)", "[fail]"},
                  {"([ipid] [poff] 1) (9.0)", "[fail]"},
                  {"([ipid] [poff] [pos1] 1) (9.0 9.0)", "[fail]"}});
  converse(ask, {{"getPidOffsetRPC [pos1] 1", "([ok]) 2.5"},
                 {"getPidOffsetRPC [pos1] 2", "([ok]) 0.0"},
                 {"getPidFeedforwardRPC [vel1] 2", "([ok]) 0.75"}});
}

// A client that gets fewer texts than the record has waits for the others.
TEST(WireV4, AnswersWithAllTextsOfARecordThatIsNotThere) {
  const ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  std::string empty;
  for (int i = 0; i < 13; ++i) {
    empty += " \"\"";
  }
  converse(ask, {{"getPidExtraInfoRPC [pos1] 0", "([err2])" + empty}});
}

// Otherwise the client would not read the number.
TEST(WireV4, IsWhatAClientSpeaksThatFindsTheNameOf4) {
  const ServedBoard board(Generation::V4);
  const std::string names = fmt::format("127.0.0.1:{}", board.names());
  EXPECT_TRUE(yarp::becomes([&] {  // it registers in the background
    yarp::YarpClient client({.name_server = names, .timeout = yarp::kTestTimeout});
    return !client.query_names(yarp::QueryName{"/arm/nws/rpc:i"}).contacts.empty();
  }));
  for (const char* port : {"/arm", "/arm/nws/rpc:i"}) {
    yarp::YarpClient client({.name_server = names, .timeout = yarp::kTestTimeout});
    client.connect(port, Carrier::Tcp, "/asker", {"/rpc:i", "/nws/rpc:i"});
    EXPECT_EQ(to_text(*client.send(yarp::asking(), yarp::bottle("getEncoderOneRPC 0"))),
              "([ok]) 0.0");
  }
}

TEST(WireV4, NamesItsPortInWhatItSays) {
  ServedBoard board(Generation::V4);
  Asker ask(board, Carrier::Tcp, Generation::V4);
  EXPECT_EQ(ask("noSuchMethodRPC"), "[err2]");
  ASSERT_EQ(board.said().size(), 1u);
  EXPECT_TRUE(board.said()[0].starts_with("/arm/nws/rpc:i, from /asker: ")) << board.said()[0];
}

TEST(WireV4, ItsStatesHaveTemperatures) {
  const ServedBoard board(Generation::V4, true);
  yarp::YarpClient reader(
      {.name_server = "", .timeout = yarp::kTestTimeout, .generation = Generation::V4});
  reader.connect(board.address("stateExt:o"), Carrier::FastTcp, "/reader");
  reader.reverse();
  const Bottle state = reader.next_message(yarp::kTestTimeout);
  ASSERT_EQ(state.size(), 24u);
  const auto type_of = [&](std::size_t i) {
    return yarp::as_list(state.items[i])->items[0].index();
  };
  EXPECT_EQ(type_of(0), yarp::BottleValue(1.0).index());
  EXPECT_EQ(type_of(14), yarp::BottleValue(1.0f).index());  // duty cycles
  EXPECT_EQ(type_of(22), yarp::BottleValue(1.0f).index());
  EXPECT_EQ(state.items[23], yarp::BottleValue(yarp::Vocab("fail")));  // this board has none
}

TEST(WireV4, ItsRequestsAreAtAPortOfTheirOwn) {
  test::Four four;
  const Timeline timeline(four.simulation);
  yarp::YarpNode node{{.name_server = "", .own_name_server = 0}, [](const std::string&) {}};
  BoardServer::Options options;
  options.name = "/arm";
  options.generation = Generation::V4;
  const BoardServer server(node, timeline, four.board, options);
  EXPECT_EQ(server.contact("rpc:i").name, "/arm/nws/rpc:i");
  EXPECT_EQ(server.contact("command:i").name, "/arm/command:i");
}

}  // namespace
}  // namespace servosim::yarp::server

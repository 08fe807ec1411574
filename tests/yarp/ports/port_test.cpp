// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/port_support.h"

namespace servosim::yarp {
namespace {

// Returns a connection whose handshake is done.
RawClient dialled(int port, Carrier carrier, std::string_view name = "/client") {
  RawClient client(port);
  EXPECT_TRUE(client.send(handshake(carrier, name)));
  const std::string expected = answer(carrier, port, name);
  EXPECT_EQ(client.receive(expected.size()), expected);
  return client;
}

TEST(YarpPort, AnswersOnEveryStream) {
  EchoPort echo;
  for (const Carrier carrier : {Carrier::Tcp, Carrier::FastTcp, Carrier::Text, Carrier::TextAck}) {
    RawClient client = dialled(echo.number(), carrier);
    for (const char* text : {"[get] [axes]", "12 0.5 \"a b\"", "(1 2) (3)"}) {
      client.send(message(carrier, asking(), bottle(text)));
      Writer expected;
      encode_reply(expected, carrier, bottle("echo " + std::string(text)), Generation::V3);
      encode_ack(expected, carrier);
      EXPECT_EQ(client.receive(expected.size()), text_of(expected)) << carrier_name(carrier);
    }
  }
}

TEST(YarpPort, AcknowledgesWhatWantsNoReplyInOrder) {
  EchoPort echo;
  RawClient client = dialled(echo.number(), Carrier::Tcp);
  client.send(message(Carrier::Tcp, telling(), bottle("1")) +
              message(Carrier::Tcp, asking(), bottle("2")) +
              message(Carrier::Tcp, telling(), bottle("3")));
  EXPECT_EQ(client.receive(8), ack());
  const std::string reply = encoded(bottle("echo 2")) + ack();
  EXPECT_EQ(client.receive(reply.size()), reply);
  EXPECT_EQ(client.receive(8), ack());
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 3; }));
  EXPECT_EQ(echo.heard(), (Words{"/client 1", "/client 2", "/client 3"}));
}

TEST(YarpPort, TakesMessagesCutAtEveryByte) {
  EchoPort echo;
  const std::string all = handshake(Carrier::Tcp, "/client") + golden::kSetModeMessage;
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    RawClient client(echo.number());
    const int at_once = 1;
    ::setsockopt(client.fd(), IPPROTO_TCP, 1 /* TCP_NODELAY */, &at_once, sizeof at_once);
    client.send(all.substr(0, cut));
    std::this_thread::yield();
    client.send(all.substr(cut));
    const std::string reply = encoded(bottle("echo [set] [icmd] [cmod] 0 [pos]")) + ack();
    EXPECT_EQ(client.receive(8 + reply.size()).substr(8), reply) << cut;
  }
}

// ... and when they end there, nothing of them is left.
TEST(YarpPort, SurvivesConnectionsThatEndAtEveryByte) {
  EchoPort echo;
  const std::string all = handshake(Carrier::Tcp, "/client") + golden::kSetModeMessage;
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    RawClient client(echo.number());
    client.send(all.substr(0, cut));
  }
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
  EXPECT_TRUE(echo.heard().empty());
}

TEST(YarpPort, HearsByUdp) {
  EchoPort echo;
  RawClient client(echo.number());
  client.send(handshake(Carrier::Udp, "/sender"));
  const std::string number = client.receive(8);
  const auto port = decode_number(as_bytes(number));
  ASSERT_TRUE(port && *port > 0 && *port != echo.number());
  client.close();
  const Descriptor udp = net::udp_sender({INADDR_LOOPBACK, static_cast<std::uint16_t>(*port)});
  const auto send = [&](const std::string& bytes) {
    for (std::size_t i = 0; i < datagram_count(as_bytes(bytes)); ++i) {
      Writer writer;
      encode_datagram(writer, as_bytes(bytes), i);
      ::send(udp.get(), writer.bytes().data(), writer.size(), 0);
    }
  };
  send(message(Carrier::Udp, telling(), bottle("[vmo] 2")));
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
  ::send(udp.get(), "nonsense", 8, 0);  // it must be ignored
  EXPECT_TRUE(becomes([&] { return echo.said().size() == 1; }));
  Bottle longest;
  longest.add(std::string(150'000, 'x'));  // three datagrams
  send(message(Carrier::Udp, telling(), longest));
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 2; }));
  EXPECT_EQ(echo.heard()[0], "/sender [vmo] 2");
  EXPECT_EQ(echo.heard()[1].size(), 150'000 + std::string("/sender ").size());
  EXPECT_EQ(echo.inputs(), 1u);
  send(message(Carrier::Udp, {PortCommand::Quit, false, {}}));
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
}

TEST(YarpPort, ASenderByUdpThatComesAgainReplacesItself) {
  EchoPort echo;
  for (int i = 0; i < 3; ++i) {
    RawClient client(echo.number());
    client.send(handshake(Carrier::Udp, "/sender"));
    EXPECT_EQ(client.receive(8).size(), 8u);
  }
  EXPECT_EQ(echo.inputs(), 1u);
}

// Several programs may have the same name.
TEST(YarpPort, SendersByUdpThatAreNoPortsDoNotReplaceEachOther) {
  EchoPort echo;
  for (int i = 0; i < 2; ++i) {
    RawClient client(echo.number());
    client.send(handshake(Carrier::Udp, "anon"));
    EXPECT_EQ(client.receive(8).size(), 8u);
  }
  EXPECT_EQ(echo.inputs(), 2u);
}

TEST(YarpPort, AConnectionThatAsksForItsOwnEndIsAnswered) {
  EchoPort echo;
  RawClient client = dialled(echo.number(), Carrier::TextAck, "me");
  client.send("a\n[del] me\n");
  EXPECT_EQ(client.receive_line(), "0 \"Removed connection from /echo to me\\r\\n\"\r\n");
  EXPECT_EQ(client.receive_all(), "<ACK>\r\n");
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
}

TEST(YarpPort, SaysTroubleOfAConnectionNowAndThen) {
  for (const bool seldom : {true, false}) {
    PortOptions options{"/echo"};
    options.warning_interval = std::chrono::hours(seldom ? 1 : 0);
    EchoPort echo(options);
    RawClient client = dialled(echo.number(), Carrier::TextAck);
    for (int i = 0; i < 3; ++i) {
      client.send("d\n(1\n");
      EXPECT_TRUE(client.receive_line().starts_with("[fail] "));
      EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
    }
    EXPECT_EQ(echo.said().size(), seldom ? 1u : 3u);
  }
}

TEST(YarpPort, SpeaksWithPeople) {
  EchoPort echo;
  RawClient client = dialled(echo.number(), Carrier::TextAck, "person");
  client.send("*\n");
  EXPECT_EQ(client.receive_line(), "This is /echo, a port of servosim.\r\n");
  EXPECT_EQ(client.receive_line(), "It receives from person by text_ack.\r\n");
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
  client.send("hello\n");
  EXPECT_TRUE(client.receive_line().starts_with("no such command; there are: d and a line"));
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
  client.send("d\n(1\n");
  EXPECT_TRUE(client.receive_line().starts_with("[fail] "));
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
  client.send("q\n");
  EXPECT_EQ(client.receive_all(), "<ACK>\r\n");
}

TEST(YarpPort, TurnsStrangersAway) {
  EchoPort echo;
  for (const char* begin : {"GET / HTTP/1.1\r\n\r\n", "NAME_SERVER list\n", "YAxxxxxxRPRP"}) {
    RawClient client(echo.number());
    client.send(begin);
    EXPECT_NE(client.receive_all(), "") << begin;
  }
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
  EXPECT_EQ(echo.said().size(), 3u);
}

TEST(YarpPort, AMessageThatLiesAboutItsLengthEndsTheConnection) {
  EchoPort echo;
  RawClient client = dialled(echo.number(), Carrier::Tcp);
  std::string lie = golden::kSetModeMessage;
  lie.replace(18, 8, hex("ff ff ff 7f ff ff ff 7f"));
  client.send(lie);
  EXPECT_EQ(client.receive_all(), "");
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
  EXPECT_TRUE(echo.heard().empty());
}

TEST(YarpPort, HalfOpenConnectionsAreClosed) {
  PortOptions options{"/echo"};
  options.handshake_timeout = std::chrono::milliseconds(50);
  EchoPort echo(options);
  RawClient silent(echo.number());
  RawClient halfway(echo.number());
  halfway.send(handshake(Carrier::Tcp, "/client").substr(0, 9));
  RawClient whole = dialled(echo.number(), Carrier::Tcp);
  EXPECT_EQ(silent.receive_all(), "");
  EXPECT_EQ(halfway.receive_all(), "");
  whole.send(message(Carrier::Tcp, asking(), bottle("1")));  // this connection stays
  EXPECT_NE(whole.receive(8), "");
  EXPECT_EQ(echo.inputs(), 1u);
}

// A connection that begins a message must end it. One that is between two messages may wait.
TEST(YarpPort, AMessageThatStopsHalfWayEndsItsConnection) {
  PortOptions options{"/echo"};
  options.message_timeout = std::chrono::milliseconds(50);
  EchoPort echo(options);
  const std::string whole = message(Carrier::Tcp, asking(), bottle("1"));
  for (std::size_t cut = 1; cut < whole.size(); cut += 7) {
    RawClient halfway = dialled(echo.number(), Carrier::Tcp, "/halfway");
    halfway.send(whole + whole.substr(0, cut));
    EXPECT_EQ(halfway.receive_all(), encoded(bottle("echo 1")) + ack());
  }
  EXPECT_EQ(echo.said()[0], "/echo: from /halfway (127.0.0.1): an incomplete message");
  RawClient patient = dialled(echo.number(), Carrier::Tcp);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  patient.send(whole);
  EXPECT_NE(patient.receive(8), "");
}

// The data that all connections leave here together is limited. The one that has left most is
// closed.
TEST(YarpPort, TheConnectionWithMostBytesWaitingGoesWhenThereAreTooMany) {
  PortOptions options{"/echo"};
  options.max_waiting = 200'000;
  EchoPort echo(options);
  echo.mute = true;
  const auto send = [](RawClient& client, std::size_t size) {
    Bottle body;
    body.add(std::string(size, 'x'));
    client.send(message(Carrier::FastTcp, telling(), body));
  };
  RawClient modest = dialled(echo.number(), Carrier::FastTcp, "/modest");
  send(modest, 50'000);
  RawClient greedy = dialled(echo.number(), Carrier::FastTcp, "/greedy");
  for (int i = 0; i < 3; ++i) {
    send(greedy, 60'000);
  }
  EXPECT_EQ(greedy.receive_all(), "");
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 1 && !echo.said().empty(); }));
  EXPECT_NE(echo.said()[0].find("from /greedy (127.0.0.1): "), std::string::npos);
  EXPECT_NE(echo.said()[0].find(" of all connections; the connection is closed"),
            std::string::npos);
  const std::size_t before = echo.heard().size();
  send(modest, 1000);
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == before + 1; }));
}

TEST(YarpPort, TwoHundredConnectionsWorkAndMoreThanTheLimitAreRefused) {
  EchoPort echo;
  std::vector<RawClient> clients;
  for (int i = 0; i < 256; ++i) {
    clients.push_back(dialled(echo.number(), Carrier::FastTcp));
  }
  const std::string reply = encoded(bottle("echo 7"));
  for (RawClient& client : clients) {
    client.send(message(Carrier::FastTcp, asking(), bottle("7")));
  }
  for (RawClient& client : clients) {
    EXPECT_EQ(client.receive(reply.size()), reply);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RawClient(echo.number()).receive_all(),
              "/echo has 256 connections; more are refused\r\n");
  }
  EXPECT_EQ(echo.said(), (Words{"/echo has 256 connections; more are refused"}));
  clients.pop_back();
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 255; }));
  dialled(echo.number(), Carrier::FastTcp);
}

TEST(YarpPort, WhoIsNoPortAndSilentForLongMakesRoom) {
  PortOptions options{"/echo"};
  options.max_connections = 3;
  options.anonymous_timeout = std::chrono::milliseconds(0);
  EchoPort echo(options);
  RawClient port = dialled(echo.number(), Carrier::FastTcp, "/port");
  RawClient talking = dialled(echo.number(), Carrier::FastTcp, "talking");
  RawClient silent = dialled(echo.number(), Carrier::FastTcp, "silent");
  const std::string reply = encoded(bottle("echo 1"));
  talking.send(message(Carrier::FastTcp, asking(), bottle("1")));
  EXPECT_EQ(talking.receive(reply.size()), reply);
  dialled(echo.number(), Carrier::FastTcp, "/another");
  EXPECT_EQ(silent.receive_all(), "");
  for (RawClient* const still : {&port, &talking}) {
    still->send(message(Carrier::FastTcp, asking(), bottle("1")));
    EXPECT_EQ(still->receive(reply.size()), reply);
  }
}

TEST(YarpPort, WhoSaysNothingAtAllMakesRoom) {
  PortOptions options{"/echo"};
  options.max_connections = 3;
  options.handshake_timeout = std::chrono::hours(1);
  EchoPort echo(options);
  RawClient port = dialled(echo.number(), Carrier::FastTcp, "/port");
  RawClient first(echo.number());
  RawClient second(echo.number());
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 3; }));
  dialled(echo.number(), Carrier::FastTcp, "/another");
  EXPECT_EQ(first.receive_all(), "");
}

// Only the name of its sender counts.
TEST(YarpPort, AnInputByUdpEndsWhenAnotherConnectionSaysSo) {
  EchoPort echo;
  RawClient sender(echo.number());
  sender.send(handshake(Carrier::Udp, "/sender"));
  sender.receive(8);
  RawClient other = dialled(echo.number(), Carrier::FastTcp, "/other");
  for (const auto& [name, left] : {std::pair("/nobody", 2u), std::pair("/sender", 1u)}) {
    RawClient admin(echo.number());
    admin.send(std::string("CONNECT admin\r\n~") + name + "\r\nq\r\n");
    EXPECT_EQ(admin.receive_line(), "Welcome admin\r\n");
    EXPECT_TRUE(admin.receive_all().ends_with(std::string(name) + " to /echo\r\n"));
    EXPECT_TRUE(becomes([&echo, left = left] { return echo.inputs() == left; }));
  }
  // The same holds in binary form.
  RawClient admin = dialled(echo.number(), Carrier::Tcp, "admin");
  admin.send(
      hex("59 41 0a 00 00 00 52 50 01 01 ff ff ff ff ff ff ff ff 10 00 00 00 00 00 00 00 "
          "08 00 00 00 7e 00 00 01 \"~/other\" 00"));
  EXPECT_EQ(admin.receive(8), ack());
  EXPECT_EQ(other.receive_all(), "");
}

// Inputs before their handshake have no name either.
TEST(YarpPort, ADisconnectCommandWithoutANameEndsNothing) {
  EchoPort echo;
  RawClient silent(echo.number());
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 1; }));
  RawClient admin(echo.number());
  admin.send("CONNECT admin\r\n~\r\nq\r\n");
  EXPECT_TRUE(admin.receive_all().starts_with("Welcome admin\r\nThere is no connection from "));
  EXPECT_TRUE(silent.send(handshake(Carrier::FastTcp, "/sender")));
  EXPECT_EQ(silent.receive(8).size(), 8u);
}

TEST(YarpPort, WhoHasBeenSilentForAMomentOnlyStays) {
  PortOptions options{"/echo"};
  options.max_connections = 1;
  options.anonymous_timeout = std::chrono::hours(1);
  EchoPort echo(options);
  RawClient silent = dialled(echo.number(), Carrier::FastTcp, "silent");
  EXPECT_EQ(RawClient(echo.number()).receive_all(),
            "/echo has 1 connections; more are refused\r\n");
  const std::string reply = encoded(bottle("echo 1"));
  silent.send(message(Carrier::FastTcp, asking(), bottle("1")));
  EXPECT_EQ(silent.receive(reply.size()), reply);
}

// A client that sends without end and never reads costs others only their turn.
TEST(YarpPort, AFloodIsServedFairly) {
  EchoPort echo;
  RawClient flooder = dialled(echo.number(), Carrier::FastTcp, "/flooder");
  std::atomic<bool> stop{false};
  const std::string flood = [] {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) {
      bytes += message(Carrier::FastTcp, telling(), bottle("[vmo] 1"));
    }
    return bytes;
  }();
  std::thread sender([&] {
    while (!stop && flooder.send(flood)) {
    }
  });
  RawClient polite = dialled(echo.number(), Carrier::Tcp, "/polite");
  const std::string reply = encoded(bottle("echo 1")) + ack();
  // The loop runs until the flood has arrived.
  for (int i = 0; i < 50 || (i < 100000 && echo.heard().size() <= 1000); ++i) {
    polite.send(message(Carrier::Tcp, asking(), bottle("1")));
    if (polite.receive(reply.size()) != reply) {
      ADD_FAILURE() << "no reply to request " << i;
      break;
    }
  }
  stop = true;
  ::shutdown(flooder.fd(), SHUT_RDWR);
  sender.join();
  EXPECT_GT(echo.heard().size(), 1000u);
}

// Messages without an answer are not read without limit: the rest stays with the sender.
TEST(YarpPort, NoMoreIsUnderWayThanAllowed) {
  EchoPort echo;
  echo.mute = true;
  RawClient client = dialled(echo.number(), Carrier::FastTcp);
  for (int i = 0; i < 200; ++i) {
    client.send(message(Carrier::FastTcp, telling(), bottle("1")));
  }
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == InputConnection::kMaxUnderWay; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(echo.heard().size(), static_cast<std::size_t>(InputConnection::kMaxUnderWay));
}

TEST(YarpPort, APortNumberInUseIsSaid) {
  EchoPort echo;
  PortOptions second{"/second"};
  second.listen.port = static_cast<std::uint16_t>(echo.number());
  try {
    EchoPort failing(second);
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.what(), "listening at 127.0.0.1:" + std::to_string(echo.number()) +
                                ": Address already in use");
  }
}

}  // namespace
}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
// Inputs by udp: neither programs that were killed nor programs that are idle send anything.
#include <atomic>
#include <optional>

#include "yarp/ports/port_support.h"

namespace servosim::yarp {
namespace {

class UdpInputs : public testing::Test {
 protected:
  UdpInputs() {
    names_thread_.call(
        [&] { names_ = std::make_unique<NameServer>(names_thread_.loop(), net::Address{}); });
  }
  ~UdpInputs() override {
    names_thread_.call([&] { names_.reset(); });
    names_thread_.stop();
  }
  PortOptions options(std::size_t max_connections = 256) const {
    PortOptions options{"/echo"};
    options.udp_silence = std::chrono::milliseconds(20);
    options.max_connections = max_connections;
    return options;
  }
  int names() const { return names_->address().port; }
  void register_name(const std::string& name, int port, const std::string& ip = "127.0.0.1") const {
    RawClient client(names());
    client.send("NAME_SERVER register " + name + " tcp " + ip + " " + std::to_string(port) + "\n");
    EXPECT_TRUE(client.receive_all().starts_with("registration name " + name));
  }
  // Performs the handshake, after which the stream has no more data. Returns the port for
  // datagrams, or 0.
  static int open(const EchoPort& echo, const std::string& name) {
    RawClient client(echo.number());
    client.send(handshake(Carrier::Udp, name));
    return decode_number(as_bytes(client.receive(8))).value_or(0);
  }
  static void tell(int port, const std::string& text) {
    const Descriptor udp = net::udp_sender({INADDR_LOOPBACK, static_cast<std::uint16_t>(port)});
    Writer writer;
    encode_datagram(writer, as_bytes(message(Carrier::Udp, telling(), bottle(text))), 0);
    ::send(udp.get(), writer.bytes().data(), writer.size(), 0);
  }
  // Accepts two connections that ask whether the sender is there, and nothing more.
  static void is_asked_twice(net::RawListener& port) {
    for (int i = 0; i < 2; ++i) {
      RawClient asker = port.accept();
      EXPECT_TRUE(asker.connected());
      EXPECT_EQ(asker.receive_all(), "");
    }
  }

 private:
  net::EventLoopThread names_thread_;
  std::unique_ptr<NameServer> names_;
};

TEST_F(UdpInputs, EndWhenThePortOfTheirSenderDoes) {
  EchoPort echo(options(), names());
  std::optional<net::RawListener> sender(std::in_place);
  register_name("/sender", sender->port());
  const int port = open(echo, "/sender");
  is_asked_twice(*sender);
  tell(port, "[vmo] 2");
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
  EXPECT_EQ(echo.inputs(), 1u);
  const int number = sender->port();
  sender.reset();  // the sender is killed
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
  EXPECT_EQ(echo.said(), Words{"/echo: the connection from /sender (127.0.0.1) is closed: its port "
                               "at 127.0.0.1:" +
                               std::to_string(number) + " no longer listens"});
}

// The name server has an old address, or an address in a network that the sender does not use.
TEST_F(UdpInputs, StayWhenAnotherComputerThanTheirSendersRefuses) {
  EchoPort echo(options(), names());
  std::optional<net::RawListener> closed(std::in_place);
  register_name("/elsewhere", closed->port(), "127.0.0.2");
  closed.reset();
  net::RawListener known;
  register_name("/known", known.port());
  const int port = open(echo, "/elsewhere");
  open(echo, "/known");
  is_asked_twice(known);
  is_asked_twice(known);
  EXPECT_EQ(echo.inputs(), 2u);
  EXPECT_EQ(echo.said(), Words{});
  tell(port, "[vmo] 2");
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
}

TEST_F(UdpInputs, EndAlsoWhenTheirSenderIsKnownLater) {
  EchoPort echo(options(), names());
  open(echo, "/sender");
  std::optional<net::RawListener> sender(std::in_place);
  register_name("/sender", sender->port());
  is_asked_twice(*sender);
  EXPECT_EQ(echo.inputs(), 1u);
  sender.reset();
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
}

// The time that unknown senders have would not end within the test.
TEST_F(UdpInputs, OfUnknownSendersAreLookedUpAgainWhenThePortIsFull) {
  PortOptions few = options(2);
  few.udp_silence = std::chrono::hours(1);
  EchoPort echo(few, names());
  open(echo, "/late");
  open(echo, "/unknown");
  std::optional<net::RawListener> late(std::in_place);
  const int number = late->port();
  late.reset();  // the sender is killed
  // When the name server has answered this, it has answered about both.
  std::atomic<bool> answered{false};
  echo.thread().call([&] {
    echo.names()->find("/unknown", [&](const Contact&, const std::string&) { answered = true; });
  });
  EXPECT_TRUE(becomes([&] { return answered.load(); }));
  register_name("/late", number);
  EXPECT_EQ(RawClient(echo.number()).receive_all(),
            "/echo has 2 connections; more are refused\r\n");
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 1; }));
  const Words said = echo.said();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0],
            "/echo has 2 connections; more are refused; nobody knows whether these senders by udp "
            "are still there: /late, /unknown");
  EXPECT_TRUE(said[1].starts_with("/echo: the connection from /late (127.0.0.1) is closed: "));
}

TEST_F(UdpInputs, StayWhereNobodyKnowsTheirSender) {
  EchoPort echo(options(), names());
  net::RawListener known;
  register_name("/known", known.port());
  open(echo, "/unknown");
  open(echo, "no_port");
  open(echo, "/known");
  is_asked_twice(known);
  EXPECT_EQ(echo.inputs(), 3u);
}

// The living senders are idle for a long time.
TEST_F(UdpInputs, AreNeverDroppedForAnother) {
  PortOptions few = options(2);
  few.udp_silence = std::chrono::hours(1);
  EchoPort echo(few, names());
  std::optional<net::RawListener> killed(std::in_place);
  net::RawListener live;
  register_name("/killed", killed->port());
  register_name("/live", live.port());
  open(echo, "/killed");
  const int port = open(echo, "/live");
  // When the name server has answered this, both are known.
  std::atomic<bool> answered{false};
  echo.thread().call([&] {
    echo.names()->find("/live", [&](const Contact&, const std::string&) { answered = true; });
  });
  EXPECT_TRUE(becomes([&] { return answered.load(); }));
  killed.reset();
  EXPECT_EQ(RawClient(echo.number()).receive_all(),
            "/echo has 2 connections; more are refused\r\n");
  ASSERT_FALSE(echo.said().empty());
  EXPECT_EQ(echo.said()[0], "/echo has 2 connections; more are refused");
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 1; }));
  EXPECT_GT(open(echo, "/another"), 0);
  EXPECT_EQ(echo.inputs(), 2u);
  EXPECT_EQ(open(echo, "/one_more"), 0);
  tell(port, "[vmo] 3");
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
  EXPECT_EQ(echo.heard(), Words{"/live [vmo] 3"});
}

TEST_F(UdpInputs, EndWhenTheirSenderComesAgainByUdpOnly) {
  EchoPort echo(options());
  const int port = open(echo, "/sender");
  open(echo, "/other");
  RawClient binary(echo.number());
  binary.send(handshake(Carrier::FastTcp, "/sender"));
  EXPECT_EQ(binary.receive(8).size(), 8u);
  RawClient text(echo.number());
  text.send(handshake(Carrier::Text, "/sender"));
  EXPECT_FALSE(text.receive(8).empty());
  EXPECT_EQ(echo.inputs(), 4u);
  tell(port, "[vmo] 2");
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
  EXPECT_EQ(echo.said(), Words{});
  EXPECT_GT(open(echo, "/sender"), 0);
  EXPECT_EQ(echo.inputs(), 4u);
  EXPECT_EQ(echo.said(), Words{"/echo: the connection from /sender (127.0.0.1) is closed: a new "
                               "connection of this name takes its place"});
}

}  // namespace
}  // namespace servosim::yarp

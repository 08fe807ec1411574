// SPDX-License-Identifier: Apache-2.0
// Inputs by udp: of programs that are killed nothing comes, and of those that are idle neither.
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
  void register_name(const std::string& name, int port) const {
    RawClient client(names());
    client.send("NAME_SERVER register " + name + " tcp 127.0.0.1 " + std::to_string(port) + "\n");
    EXPECT_TRUE(client.receive_all().starts_with("registration name " + name));
  }
  // Of the handshake, after which nothing is left of the stream: the port for datagrams, or 0.
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
  // Two connections that ask whether it is there, and nothing more.
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
  sender.reset();  // killed
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 0; }));
}

TEST_F(UdpInputs, EndAlsoWhenTheirSenderIsKnownLater) {
  EchoPort echo(options(), names());
  open(echo, "/sender");
  net::RawListener sender;
  register_name("/sender", sender.port());
  is_asked_twice(sender);
  EXPECT_EQ(echo.inputs(), 1u);
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

// The live ones are idle for long.
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
  // Both are known by the time that the name server has answered this.
  std::atomic<bool> answered{false};
  echo.thread().call([&] {
    echo.names()->find("/live", [&](const Contact&, const std::string&) { answered = true; });
  });
  EXPECT_TRUE(becomes([&] { return answered.load(); }));
  killed.reset();
  EXPECT_EQ(RawClient(echo.number()).receive_all(),
            "/echo has 2 connections; more are refused\r\n");
  EXPECT_EQ(echo.said(), Words{"/echo has 2 connections; more are refused"});
  EXPECT_TRUE(becomes([&] { return echo.inputs() == 1; }));
  EXPECT_GT(open(echo, "/another"), 0);
  EXPECT_EQ(echo.inputs(), 2u);
  EXPECT_EQ(open(echo, "/one_more"), 0);
  tell(port, "[vmo] 3");
  EXPECT_TRUE(becomes([&] { return echo.heard().size() == 1; }));
  EXPECT_EQ(echo.heard(), Words{"/live [vmo] 3"});
}

TEST_F(UdpInputs, EndWhenTheirSenderComesAgainByAnotherCarrier) {
  EchoPort echo(options());
  open(echo, "/sender");
  open(echo, "/other");
  RawClient again(echo.number());
  again.send(handshake(Carrier::FastTcp, "/sender"));
  EXPECT_EQ(again.receive(8).size(), 8u);
  EXPECT_EQ(echo.inputs(), 2u);
}

}  // namespace
}  // namespace servosim::yarp

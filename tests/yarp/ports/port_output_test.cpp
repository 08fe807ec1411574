// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <future>
#include <thread>

#include "yarp/ports/client.h"
#include "yarp/ports/node.h"
#include "yarp/ports/port_support.h"

namespace servosim::yarp {
namespace yarp_port_output_test {

/// A name server in its own thread.
class Names {
 public:
  explicit Names(NameServerOptions options = {}) {
    thread_.call([this, options] {
      server_ = std::make_unique<NameServer>(thread_.loop(), net::Address{}, options);
    });
  }
  ~Names() { thread_.stop(); }
  int number() const { return server_->address().port; }
  /// Stops answering for this time.
  void pause(std::chrono::milliseconds time) {
    thread_.loop().post([time] { std::this_thread::sleep_for(time); });
  }
  /// Asks as a client of YARP does: it sends one line and reads the answer to its end.
  std::string ask(const std::string& line) const {
    RawClient client(number());
    client.send(line + "\n");
    return client.receive_all();
  }
  void add(const std::string& name, int port) const {
    ask("NAME_SERVER register " + name + " tcp 127.0.0.1 " + std::to_string(port));
  }

 private:
  net::EventLoopThread thread_;
  std::unique_ptr<NameServer> server_;
};

// Returns the answer to an admin message. Clients use a connection of text_ack for each.
std::string admin(const EchoPort& port, const std::string& request) {
  RawClient client(port.number());
  client.send("CONNACK admin\r\na\n" + request + "\n");
  EXPECT_EQ(client.receive_line(), "Welcome admin\r\n");
  const std::string reply = client.receive_line();
  EXPECT_EQ(client.receive_line(), "<ACK>\r\n");
  return reply;
}

// The bytes of a 3.12 client at NAME/stateExt:o, for every carrier.
TEST(YarpPortOutput, DialsWhoItIsToldTo) {
  const Names names;
  EchoPort reader({"/reader"});
  EchoPort source({"/source"}, names.number());
  names.add("/reader", reader.number());
  int messages = 0;
  for (const char* carrier : {"tcp", "fast_tcp", "udp", "text", "text_ack"}) {
    EXPECT_EQ(admin(source, "[list] [out] \"/reader\""), "\r\n");
    EXPECT_EQ(
        admin(source, "[add] \"" + std::string(carrier) + "://reader\""),
        "0 \"Added connection from /source to " + std::string(carrier) + "://reader\\r\\n\"\r\n");
    const std::string udp = std::string(carrier) == "udp" ? " (connectionless 1)" : "";
    EXPECT_EQ(admin(source, "[list] [out] \"/reader\""),
              "(from \"/source\") (to \"/reader\") (carrier " + std::string(carrier) + ")" + udp +
                  "\r\n");
    EXPECT_EQ(admin(source, "[list] [out]"), "\"/reader\"\r\n");
    EXPECT_EQ(admin(reader, "[list] [in]"), "\"/source\"\r\n");
    source.publish("0.5 1.5");
    ++messages;
    EXPECT_TRUE(becomes([&] { return reader.heard().size() == std::size_t(messages); }));
    EXPECT_EQ(reader.heard().back(), "/source 0.5 1.5") << carrier;
    EXPECT_EQ(admin(source, "[del] \"/reader\""),
              "0 \"Removed connection from /source to /reader\\r\\n\"\r\n");
    EXPECT_EQ(source.outputs(), 0u);
    EXPECT_TRUE(becomes([&] { return reader.inputs() == 0; })) << carrier;
  }
  EXPECT_TRUE(admin(source, "[del] \"/reader\"").starts_with("-1 "));
}

TEST(YarpPortOutput, OtherAdminMessages) {
  EchoPort port;
  EXPECT_EQ(admin(port, "[ver]"), "[ver] 1 2 3\r\n");
  EXPECT_EQ(admin(port, "[prop] [get] \"/echo\""), "\r\n");
  EXPECT_EQ(admin(port, "[prop] [set] \"/echo\""), "[ok]\r\n");
  EXPECT_TRUE(admin(port, "[dance]").starts_with("[fail] "));
  // A board of YARP answers what it cannot do with a number other than 0.
  for (const char* carrier :
       {"mcast", "tcp+recv.priority+level.3", "shmem", "udp+send.portmonitor"}) {
    EXPECT_EQ(
        admin(port, std::string("[add] \"") + carrier + "://x\""),
        std::string("-1 \"Cannot connect to /x by ") + carrier +
            ": there are tcp, fast_tcp, udp, text and text_ack here, without modifiers\"\r\n");
  }
  EXPECT_EQ(admin(port, "[add] \"tcp://x\""),
            "-1 \"A connection from /echo to /x failed: there is no name server to ask for "
            "/x\"\r\n");
}

TEST(YarpPortOutput, SaysWhyItCannotConnect) {
  const Names names;
  EchoPort source({"/source"}, names.number());
  EXPECT_NE(admin(source, "[add] \"tcp://nobody\"").find("has no port /nobody"), std::string::npos);
  names.add("/far", 1);  // no process listens there
  EXPECT_NE(admin(source, "[add] \"tcp://far\"").find("Connection refused"), std::string::npos);
  names.ask("NAME_SERVER register /odd tcp somewhere.else 10");
  EXPECT_NE(admin(source, "[add] \"tcp://odd\"").find("no IPv4 address"), std::string::npos);
  EXPECT_EQ(source.outputs(), 0u);
}

// One listening socket is enough, because the connection is turned round.
TEST(YarpPortOutput, SendsOnATurnedConnection) {
  EchoPort source({"/source"});
  for (const Carrier carrier : {Carrier::Tcp, Carrier::FastTcp, Carrier::TextAck}) {
    RawClient client(source.number());
    client.send(handshake(carrier, "/reader") +
                message(carrier, {PortCommand::Reverse, false, {}}));
    Writer expected;
    encode_answer(expected, carrier, source.number(), "/reader");
    encode_ack(expected, carrier);
    EXPECT_EQ(client.receive(expected.size()), text_of(expected));
    EXPECT_TRUE(becomes([&] { return source.outputs() == 1; }));
    for (int i = 1; i <= 2; ++i) {
      source.publish("1 2", i);
      const std::string sent =
          message(carrier, {PortCommand::Data, false, Stamp{i, 0.5}}, bottle("1 2"));
      EXPECT_EQ(client.receive(sent.size()), sent) << carrier_name(carrier);
      Writer writer;
      encode_ack(writer, carrier);
      client.send(text_of(writer));
      source.outputs();  // a turn of the loop in which the acknowledgement arrives
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    client.close();
    EXPECT_TRUE(becomes([&] { return source.outputs() == 0; }));
  }
}

// A tcp reader that is late with its acknowledgement misses messages. No queue grows for it.
TEST(YarpPortOutput, ASlowReaderGetsTheNewest) {
  EchoPort source({"/source"});
  RawClient client(source.number());
  client.send(handshake(Carrier::Tcp, "/reader") +
              message(Carrier::Tcp, {PortCommand::Reverse, false, {}}));
  client.receive(16);
  EXPECT_TRUE(becomes([&] { return source.outputs() == 1; }));
  const auto sent = [](int i) {
    return message(Carrier::Tcp, {PortCommand::Data, false, Stamp{i, 0.5}}, bottle("1"));
  };
  for (int i = 1; i <= 100; ++i) {
    source.publish("1", i);
  }
  EXPECT_EQ(client.receive(sent(1).size()), sent(1));
  client.send(ack());
  std::string next;
  EXPECT_TRUE(becomes([&] {
    source.publish("1", 101);
    char byte = 0;
    return ::recv(client.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
  }));
  EXPECT_EQ(client.receive(sent(101).size()), sent(101));
}

TEST(YarpPortOutput, ADeadReaderIsDropped) {
  PortOptions options{"/source"};
  options.reader_timeout = std::chrono::milliseconds(50);
  EchoPort source(options);
  RawClient client(source.number());
  client.send(handshake(Carrier::FastTcp, "/reader") +
              message(Carrier::FastTcp, {PortCommand::Reverse, false, {}}));
  EXPECT_TRUE(becomes([&] { return source.outputs() == 1; }));
  const std::string big = "\"" + std::string(500'000, 'x') + "\"";
  EXPECT_TRUE(becomes([&] {
    source.publish(big);
    return source.outputs() == 0;
  }));
  EXPECT_EQ(source.said(), (Words{"/source: /reader does not read; its connection is closed"}));
}

TEST(YarpPortOutput, AReaderByUdpThatHasGoneIsDropped) {
  const Names names;
  EchoPort source({"/source"}, names.number());
  {
    EchoPort reader({"/reader"});
    names.add("/reader", reader.number());
    EXPECT_TRUE(admin(source, "[add] \"udp://reader\"").starts_with("0 "));
    reader.thread().stop();
  }
  EXPECT_TRUE(becomes([&] {
    source.publish("1");
    return source.outputs() == 0;
  }));
}

// A receiver by udp learns from a separate connection that its sender is gone.
TEST(YarpPortOutput, SendsTheDisconnectCommandByUdp) {
  const Names names;
  EchoPort reader({"/reader"});
  names.add("/reader", reader.number());
  {
    YarpNode node(
        {.name_server = "127.0.0.1:" + std::to_string(names.number()), .own_name_server = {}},
        [](const std::string&) {});
    Port& port = node.open({"/source"}, {});
    std::atomic<bool> opened{false};
    node.thread().call([&] {
      port.connect(Carrier::Udp, "/reader",
                   [&opened](const std::string& error) { opened = error.empty(); });
    });
    EXPECT_TRUE(becomes([&] { return opened && reader.inputs() == 1; }));
  }
  EXPECT_TRUE(becomes([&] { return reader.inputs() == 0; }));
  {
    YarpClient client({.name_server = "", .timeout = kTestTimeout, .generation = Generation::V3});
    client.connect("127.0.0.1:" + std::to_string(reader.number()), Carrier::Udp, "/writer");
    client.send(telling(), bottle("1"));
    EXPECT_TRUE(becomes([&] { return reader.heard() == Words{"/writer 1"}; }));
  }
  EXPECT_TRUE(becomes([&] { return reader.inputs() == 0; }));
}

// A receiver that has our name may get our messages, whether or not its answer has come.
TEST(YarpPortOutput, SendsTheDisconnectCommandByUdpDuringTheHandshake) {
  const Names names;
  net::RawListener reader;
  names.add("/reader", reader.port());
  const std::string begin = handshake(Carrier::Udp, "/source");
  const std::string disconnect = "CONNECT admin\r\n~/source\r\nq\r\n";
  PortOptions options{"/source"};
  options.handshake_timeout = std::chrono::hours(1);
  EchoPort source(options, names.number());
  const auto connect = [&] {
    source.thread().call([&] { source.port().connect(Carrier::Udp, "/reader", {}); });
  };
  connect();
  RawClient silent(reader.accept());
  EXPECT_EQ(silent.receive(begin.size()), begin);
  connect();
  RawClient told(reader.accept());
  EXPECT_EQ(told.receive(disconnect.size()), disconnect);
  EXPECT_EQ(silent.receive_all(), "");  // the port has closed it
  told.close();
  {
    RawClient closes(reader.accept());
    EXPECT_EQ(closes.receive(begin.size()), begin);
  }
  EXPECT_TRUE(becomes([&] { return source.outputs() == 0; }));
  connect();  // a connection that the receiver has ended needs no command
  EXPECT_EQ(reader.accept().receive(begin.size()), begin);
}

TEST(YarpPortOutput, ADialogueThatGivesUpSendsTheDisconnectCommandByUdp) {
  net::RawListener reader;
  const std::string address = "127.0.0.1:" + std::to_string(reader.port());
  std::thread dialling([&address] {
    YarpClient client({.name_server = "", .timeout = kTestTimeout, .generation = Generation::V3});
    EXPECT_THROW(client.connect(address, Carrier::Udp, "/writer"), YarpClientError);
  });
  const std::string begin = handshake(Carrier::Udp, "/writer");
  const std::string disconnect = "CONNECT admin\r\n~/writer\r\nq\r\n";
  RawClient caller(reader.accept());
  EXPECT_EQ(caller.receive(begin.size()), begin);
  caller.send("nonsense");
  RawClient told(reader.accept());
  EXPECT_EQ(told.receive(disconnect.size()), disconnect);
  told.close();
  dialling.join();
}

// The disconnect command contains only the name of the sender. If it came after the new handshake,
// it would end the new connection.
TEST(YarpPortOutput, ByUdpTheOldConnectionEndsBeforeTheNextToTheSameReceiverBegins) {
  const Names names;
  net::RawListener reader;
  names.add("/reader", reader.port());
  PortOptions options{"/source"};
  options.disconnect_timeout = std::chrono::hours(1);
  EchoPort source(options, names.number());
  const Descriptor udp = net::udp_socket({});
  const std::string begin = handshake(Carrier::Udp, "/source");
  std::atomic<int> opened{0};
  const auto connect = [&] {
    source.thread().call([&] {
      source.port().connect(Carrier::Udp, "/reader",
                            [&opened](const std::string& error) { opened += error.empty(); });
    });
  };
  const auto welcome = [&] {
    RawClient caller(reader.accept());
    EXPECT_EQ(caller.receive(begin.size()), begin);
    const int before = opened;
    caller.send(answer(Carrier::Udp, net::local_address(udp).port, "/source"));
    EXPECT_TRUE(becomes([&] { return opened == before + 1; }));
  };
  connect();
  welcome();
  for (const bool taken_back : {false, true}) {
    if (taken_back) {
      EXPECT_TRUE(admin(source, "[del] \"/reader\"").starts_with("0 "));
    }
    connect();
    const std::string disconnect = "CONNECT admin\r\n~/source\r\nq\r\n";
    RawClient caller(reader.accept());
    EXPECT_EQ(caller.receive(disconnect.size()), disconnect);
    // Names are asked for one after the other. When this question is answered, the one for the
    // reader has been answered, too, and its effect is done.
    std::promise<std::string> answered;
    source.thread().call([&] {
      source.port().connect(Carrier::Tcp, "/nobody",
                            [&answered](const std::string& error) { answered.set_value(error); });
    });
    EXPECT_NE(answered.get_future().get(), "");
    pollfd dialled{reader.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&dialled, 1, 0), 0);
    caller.close();
    welcome();
  }
}

// The time starts when the partner is dialled, however long the name server takes.
TEST(YarpPortOutput, APartnerIsWaitedForFromWhenItIsDialled) {
  Names names;
  names.ask("NAME_SERVER register /odd tcp somewhere.else 10");
  PortOptions options{"/source"};
  options.handshake_timeout = std::chrono::milliseconds(1);
  EchoPort source(options, names.number());
  std::promise<std::string> done;
  names.pause(std::chrono::milliseconds(50));
  source.thread().call([&] {
    source.port().connect(Carrier::Tcp, "/odd",
                          [&done](const std::string& error) { done.set_value(error); });
  });
  EXPECT_EQ(done.get_future().get(), "/odd is at somewhere.else 10, which is no IPv4 address");
}

// The host accepts the connection and then sends nothing.
TEST(YarpPortOutput, APartnerThatDoesNotAnswerIsGivenUp) {
  const Names names;
  const Descriptor silent = net::listening_socket({});
  names.add("/silent", net::local_address(silent).port);
  PortOptions options{"/source"};
  options.handshake_timeout = std::chrono::milliseconds(200);
  EchoPort source(options, names.number());
  EXPECT_NE(admin(source, "[add] \"tcp://silent\"").find("/silent does not answer"),
            std::string::npos);
  EXPECT_EQ(source.outputs(), 0u);
}

// ---- names

// Every line of the protocol's description that a client was seen to send.
TEST(YarpNameServer, AnswersAsSeen) {
  const Names names;
  const std::string end = "*** end of message\r\n";
  EXPECT_EQ(names.ask("NAME_SERVER query /fake/rpc:i"), end);
  const std::string registered =
      "registration name /fake/rpc:i ip 127.0.0.1 port 23456 type tcp\r\n" + end;
  EXPECT_EQ(names.ask("NAME_SERVER register /fake/rpc:i tcp 127.0.0.1 23456"), registered);
  EXPECT_EQ(names.ask("NAME_SERVER query /fake/rpc:i"), registered);
  EXPECT_EQ(names.ask("NAME_SERVER register /me/x ... 127.0.0.1 -1"),
            "registration name /me/x ip 127.0.0.1 port 10002 type tcp\r\n" + end);
  EXPECT_EQ(names.ask("NAME_SERVER register ..."),
            "registration name /tmp/port/1 ip 127.0.0.1 port 10003 type tcp\r\n" + end);
  EXPECT_EQ(names.ask("NAME_SERVER set /me/x offers tcp fast_tcp text text_ack udp"),
            "port /me/x property offers = fast_tcp tcp text text_ack udp\r\n" + end);
  EXPECT_EQ(names.ask("NAME_SERVER check /me/x offers udp"),
            "port /me/x property offers value udp present true\r\n" + end);
  EXPECT_EQ(names.ask("NAME_SERVER announce /me/x"), "[ok]\r\n");
  EXPECT_EQ(names.ask("NAME_SERVER unregister /me/x"), end);
  EXPECT_EQ(names.ask("NAME_SERVER query /me/x"), end);
}

TEST(YarpNameServer, SurvivesNonsenseAndFloods) {
  const Names names;
  EXPECT_NE(names.ask("hello"), "");
  EXPECT_NE(names.ask(std::string(100'000, 'x')), "never asked");
  std::vector<RawClient> silent;
  for (int i = 0; i < 200; ++i) {
    silent.emplace_back(names.number());
    silent.back().send("NAME_SERVER qu");
  }
  EXPECT_NE(names.ask("NAME_SERVER list").find("/root"), std::string::npos);
}

NameServerOptions patient() { return {{}, std::chrono::hours(1), std::chrono::hours(1), {}}; }

TEST(YarpNameServer, TheClientSilentForLongestMakesRoom) {
  const Names names(patient());
  std::vector<RawClient> silent;
  for (std::size_t i = 0; i < NameServer::kMaxClients; ++i) {
    silent.emplace_back(names.number());
  }
  EXPECT_NE(names.ask("NAME_SERVER list").find("/root"), std::string::npos);
  EXPECT_EQ(silent.front().receive_all(), "");
  silent.back().send("NAME_SERVER list\n");
  EXPECT_NE(silent.back().receive_all().find("/root"), std::string::npos);
}

// A client whose question has begun is dropped only if the questions of all have begun.
TEST(YarpNameServer, AClientWhoseQuestionHasBegunStays) {
  const Names names(patient());
  const std::string list = "NAME_SERVER list\n";
  std::vector<RawClient> begun;
  begun.emplace_back(names.number());
  begun.back().send("NAME_");
  for (int i = 0; i < 2; ++i) {  // the server has received it before it answers the second of these
    EXPECT_NE(names.ask("NAME_SERVER list").find("/root"), std::string::npos);
  }
  std::vector<RawClient> silent;
  for (std::size_t i = 0; i < NameServer::kMaxClients; ++i) {
    silent.emplace_back(names.number());
  }
  EXPECT_EQ(silent.front().receive_all(), "");
  begun.back().send("SERVER list\n");
  EXPECT_NE(begun.back().receive_all().find("/root"), std::string::npos);
  silent.clear();
  begun.clear();
  for (std::size_t i = 0; i < NameServer::kMaxClients; ++i) {
    begun.emplace_back(names.number());
    begun.back().send("NAME_");
  }
  EXPECT_NE(names.ask("NAME_SERVER list").find("/root"), std::string::npos);
}

TEST(YarpNameServer, WaitsLessForAFirstByteThanForTheRest) {
  const Names names;
  RawClient slow(names.number());
  slow.send("NAME_SER");
  RawClient silent(names.number());
  EXPECT_EQ(silent.receive_all(), "");
  slow.send("VER list\n");
  EXPECT_NE(slow.receive_all().find("/root"), std::string::npos);
}

// Requests to a name server by text, which it has carried out at the end.
void tell(const Names& names, const std::vector<std::string>& requests) {
  RawClient client(names.number());
  std::string all = "CONNACK admin\r\n";
  std::string answers = "Welcome admin\r\n";
  for (const std::string& request : requests) {
    all += "do\r\n" + request + "\r\n";
    answers += "<ACK>\r\n";
  }
  EXPECT_TRUE(client.send(all));
  EXPECT_EQ(client.receive(answers.size()), answers);
}

/// A source of subscriptions that takes connections and answers nothing.
class SilentSource {
 public:
  explicit SilentSource(const Names& names) {
    names.add("/silent", net::local_address(listener_).port);
    names.add("/reader", 1);
  }
  // Returns the number of all connections until now.
  std::size_t links() {
    for (;;) {
      Descriptor link(::accept(listener_.get(), nullptr, nullptr));
      if (!link) {
        return links_.size();
      }
      links_.emplace_back(std::move(link));
    }
  }
  RawClient& link(std::size_t index) { return links_.at(index); }
  void close_all() { std::exchange(links_, {}).clear(); }

 private:
  Descriptor listener_ = net::listening_socket({});
  std::vector<RawClient> links_;
};

TEST(YarpNameServer, EqualSubscriptionsAskOnce) {
  const Names names;
  SilentSource source(names);
  const std::string subscribe = "subscribe tcp://silent tcp://reader";
  tell(names, std::vector<std::string>(2000, subscribe));
  EXPECT_TRUE(becomes([&] { return source.links() == 1; }));
  tell(names, {subscribe, "unsubscribe tcp://silent tcp://reader"});
  EXPECT_EQ(source.links(), 1u);
  EXPECT_TRUE(source.link(0).receive_all().starts_with("CONNACK admin"));  // it is cancelled
}

TEST(YarpNameServer, FewSubscriptionsAskAtATimeAndFailuresAreReportedOnce) {
  std::atomic<std::size_t> failures{0};
  NameServerOptions options;
  options.report = [&failures](const std::string& what) {
    EXPECT_EQ(what.find("/silent is not connected to /reader"), 0u) << what;
    ++failures;
  };
  const Names names(options);
  SilentSource source(names);
  constexpr std::size_t kCount = 3 * Subscriptions::kMaxRequests;
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < kCount; ++i) {
    names.add("/reader" + std::to_string(i), 1);
    requests.push_back("subscribe tcp://silent tcp://reader" + std::to_string(i));
  }
  for (const std::size_t round : {1, 2}) {
    tell(names, requests);
    for (std::size_t ended = 0; ended < kCount; ended += Subscriptions::kMaxRequests) {
      EXPECT_TRUE(becomes([&] { return source.links() >= Subscriptions::kMaxRequests; })) << round;
      EXPECT_EQ(source.links(), Subscriptions::kMaxRequests);
      source.close_all();
    }
    EXPECT_TRUE(becomes([&] { return failures == kCount; })) << failures;
  }
}

TEST(YarpNameServer, LongLinesByTextAreRefused) {
  const Names names;
  RawClient endless(names.number());
  endless.send("CONNACK admin\r\nd\r\n" + std::string(kMaxNameRequest + 1, 'x'));
  EXPECT_EQ(endless.receive_all(), "Welcome admin\r\na request of more than 2048 bytes\r\n");
  RawClient ended(names.number());
  ended.send("CONNACK admin\r\nd\r\n" + std::string(kMaxNameRequest + 1, 'x') + "\r\nq\r\n");
  EXPECT_TRUE(ended.receive_all().starts_with(
      "Welcome admin\r\n[fail] \"a request of more than 2048 bytes\"\r\n<ACK>\r\n"));
}

TEST(YarpNameServer, SubscriptionsOfProgramsThatHaveEndedMakeRoom) {
  const Names names;
  names.add("/reader", 1);
  std::vector<std::string> requests{"subscribe tcp://absent tcp://reader"};
  for (std::size_t i = 0; i < Subscriptions::kMaxSubscriptions; ++i) {
    requests.push_back("subscribe tcp://absent tcp://gone" + std::to_string(i));
  }
  tell(names, requests);
  SilentSource source(names);
  RawClient client(names.number());
  client.send("CONNACK admin\r\nd\r\nsubscribe tcp://silent tcp://reader\r\n");
  EXPECT_TRUE(becomes([&] { return source.links() == 1; }));
}

/// Enrols the port. Returns "" or the error.
std::string registered(EchoPort& port, std::chrono::seconds at_most = kTestTimeout) {
  auto done = std::make_shared<std::promise<std::string>>();
  std::future<std::string> result = done->get_future();
  port.thread().call([&] {
    port.names()->register_port(port.port().contact(),
                                [done](const std::string& error) { done->set_value(error); });
  });
  return result.wait_for(at_most) == std::future_status::ready ? result.get() : "no end";
}

// yarpserver has room for one connection at a time. A client that connects before its turn waits a
// second.
TEST(YarpNameClient, AsksOneQuestionAfterTheOther) {
  NameTable table({"/root", "127.0.0.1", 10000, "tcp"});
  std::atomic<bool> stop{false};
  std::atomic<int> answered{0};
  int waiting = 0;
  std::atomic<std::size_t> names{0};
  const Descriptor listener = net::listening_socket({});
  std::thread server([&] {
    while (!stop) {
      const Descriptor client(::accept(listener.get(), nullptr, nullptr));
      std::string line;
      while (client && !line.ends_with('\n') && !stop) {
        char c = 0;
        line.append(&c, ::recv(client.get(), &c, 1, MSG_DONTWAIT) == 1 ? 1 : 0);
      }
      if (!client) {
        continue;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // others could connect in this
                                                                  // time
      pollfd query{listener.get(), POLLIN, 0};
      waiting += ::poll(&query, 1, 0);
      const std::string answer = table.answer(line.substr(0, line.size() - 1), "127.0.0.1");
      names = table.size();
      ++answered;  // counted before the client can go on
      ::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  });
  {
    YarpNode node({.name_server = to_string(net::local_address(listener)), .own_name_server = {}},
                  [](const std::string& what) { ADD_FAILURE() << what; });
    for (const char* port : {"/a", "/b", "/c", "/d"}) {
      node.open({port}, {});
    }
    EXPECT_TRUE(
        becomes([&] { return answered == 20; }));  // query, register, offers, accepts, announce
    EXPECT_EQ(names, 5u);
  }
  EXPECT_EQ(names, 1u);
  EXPECT_EQ(answered, 28);  // query and unregister
  stop = true;
  server.join();
  EXPECT_EQ(waiting, 0);
}

// This includes a port that has begun to register and has no answer yet.
TEST(YarpNameClient, NamesAreTakenBackWhateverIsUnderWay) {
  for (const std::string last : {"query /b", "register /b", "set /b offers", "set /b accepts"}) {
    NameTable table({"/root", "127.0.0.1", 10000, "tcp"});
    net::RawListener listener;
    std::atomic<bool> stop{false};
    std::atomic<bool> held{false};
    std::thread server([&] {
      std::vector<RawClient> unanswered;
      while (!stop) {
        pollfd dialled{listener.fd(), POLLIN, 0};
        if (::poll(&dialled, 1, 10) != 1) {
          continue;
        }
        RawClient client = listener.accept();
        const std::string line = client.receive_line();
        const std::string answer =
            table.answer(line.substr(0, line.find_first_of("\r\n")), "127.0.0.1");
        if (!held && line.find(last) != std::string::npos) {
          unanswered.push_back(std::move(client));
          held = true;
        } else {
          client.send(answer);
        }
      }
    });
    {
      YarpNode node(
          {.name_server = "127.0.0.1:" + std::to_string(listener.port()), .own_name_server = {}},
          [](const std::string& what) { ADD_FAILURE() << what; });
      for (const char* port : {"/a", "/b", "/c"}) {
        node.open({port}, {});
      }
      EXPECT_TRUE(becomes([&] { return held.load(); }));
    }
    stop = true;
    server.join();
    EXPECT_EQ(table.size(), 1u) << last;
  }
}

// All that wait are notified together. None of them waits separately.
TEST(YarpNameClient, WhatASilentServerIsAskedFailsTogether) {
  const Descriptor silent = net::listening_socket({});
  net::EventLoop loop;
  NameClient client(loop, net::local_address(silent), std::chrono::milliseconds(20));
  Words errors;
  for (int i = 0; i < 3; ++i) {
    client.ask(QueryName{"/a"},
               [&errors](const NameReply&, const std::string& error) { errors.push_back(error); });
  }
  int dialled = 0;
  EXPECT_TRUE(
      loop.run_until(net::Clock::now() + kTestTimeout, [&errors] { return errors.size() == 3; }));
  while (Descriptor(::accept(silent.get(), nullptr, nullptr))) {
    ++dialled;
  }
  EXPECT_EQ(dialled, 1);
  ASSERT_EQ(errors.size(), 3u);
  for (const std::string& error : errors) {
    EXPECT_NE(error.find("cannot be used: no whole answer within 0.02 s; start `yarpserver`"),
              std::string::npos)
        << error;
  }
}

TEST(YarpNameClient, EnrollsWithWhatThePortCanDo) {
  const Names names;
  EchoPort port({"/port"}, names.number());
  EXPECT_EQ(registered(port), "");
  EXPECT_EQ(registered(port), "");  // the name belongs to this port already
  EXPECT_NE(names.ask("NAME_SERVER query /port").find(" port " + std::to_string(port.number())),
            std::string::npos);
  for (const char* key : {"offers", "accepts"}) {
    EXPECT_NE(names.ask("NAME_SERVER get /port " + std::string(key))
                  .find("= fast_tcp tcp text text_ack udp"),
              std::string::npos);
  }
}

TEST(YarpNameClient, ANameOfALivingPortIsTakenThatOfADeadOneFree) {
  const Names names;
  EchoPort second({"/port"}, names.number());
  {
    EchoPort first({"/port"}, names.number());
    EXPECT_EQ(registered(first), "");
    EXPECT_EQ(registered(second),
              "the name /port is taken by a port at 127.0.0.1:" + std::to_string(first.number()));
  }
  EXPECT_EQ(registered(second), "");
}

/// A name server that sends `answer` to each request, and may close then.
class OddServer {
 public:
  explicit OddServer(std::string answer, bool closes) : answer_(std::move(answer)) {
    thread_.call([&] {
      listener_ = std::make_unique<net::Listener>(
          thread_.loop(), net::Address{}, [this, closes](Descriptor socket, const auto&) {
            ::send(socket.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
            if (!closes) {
              kept_.push_back(std::move(socket));
            }
          });
    });
  }
  ~OddServer() { thread_.stop(); }
  int number() const { return listener_->address().port; }

 private:
  std::string answer_;
  std::vector<Descriptor> kept_;
  net::EventLoopThread thread_;
  std::unique_ptr<net::Listener> listener_;
};

TEST(YarpNameClient, AnAbsentServerIsSaid) {
  EchoPort port({"/port"}, 1);  // no process has port 1
  EXPECT_EQ(registered(port),
            "the name server at 127.0.0.1:1 cannot be used: Connection refused; start `yarpserver` "
            "or `servosim yarp nameserver`, or name one by --nameserver or --yarp-nameserver "
            "ADDRESS");
}

TEST(YarpNameClient, ASlowServerIsGivenUp) {
  const OddServer slow("", false);
  EchoPort port({"/port"}, slow.number());
  EXPECT_EQ(registered(port), "the name server at 127.0.0.1:" + std::to_string(slow.number()) +
                                  " cannot be used: no whole answer within 3 s; start `yarpserver` "
                                  "or `servosim yarp nameserver`, or name one by --nameserver or "
                                  "--yarp-nameserver ADDRESS");
}

TEST(YarpNameClient, NonsenseIsSaid) {
  const OddServer odd("HTTP/1.1 400 Bad Request\r\n\r\n", true);
  EchoPort port({"/port"}, odd.number());
  EXPECT_NE(registered(port).find("does not register /port: HTTP/1.1 400 Bad Request"),
            std::string::npos);
  const OddServer endless(std::string(2u << 20, 'x'), false);
  EchoPort other({"/port"}, endless.number());
  EXPECT_NE(registered(other).find("cannot be used"), std::string::npos);
}

}  // namespace yarp_port_output_test
}  // namespace servosim::yarp

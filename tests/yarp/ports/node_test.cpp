// SPDX-License-Identifier: Apache-2.0
#include "yarp/ports/node.h"

#include "base/queues.h"
#include "run/test_support.h"
#include "yarp/ports/port_support.h"

namespace servosim::yarp {
namespace {

class YarpStation : public testing::Test {
 protected:
  YarpNode node_{{.name_server = "", .own_name_server = 0},
                 [this](const std::string& what) { said_.push_back(what); }};
  Words said_;

  // Serves like a simulation between its steps.
  bool serve_until(const std::function<bool()>& so) {
    return becomes([&] {
      node_.queue().serve();
      return so();
    });
  }
};

TEST_F(YarpStation, RequestsAreDoneInTheThreadThatServes) {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> done{0};
  Port& port = node_.open({"/rpc:i"}, node_.in_simulation([&](const PortRequest& request) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    ++done;
    if (request.body == bottle("bang")) {
      throw std::runtime_error("it went bang");
    }
    return Bottle{{Vocab("ok")}};
  }));
  RawClient client(port.contact().port);
  client.send(handshake(Carrier::Tcp, "/client") +
              message(Carrier::Tcp, asking(), bottle("[set]")) +
              message(Carrier::Tcp, asking(), bottle("bang")));
  client.receive(8);
  EXPECT_TRUE(serve_until([&] { return done == 2; }));
  EXPECT_EQ(client.receive(20), golden::kOk + ack());
  const std::string bang = encoded(bottle("[fail] \"it went bang\"")) + ack();
  EXPECT_EQ(client.receive(bang.size()), bang);
}

// No thread serves: the clients wait, and the simulation does not.
TEST_F(YarpStation, EndsWithRequestsThatNobodyHasAnswered) {
  Port& port = node_.open({"/rpc:i"}, node_.in_simulation([](const PortRequest&) {
    ADD_FAILURE();
    return Bottle();
  }));
  RawClient client(port.contact().port);
  client.send(handshake(Carrier::Tcp, "/client") +
              message(Carrier::Tcp, asking(), bottle("[set]")));
  EXPECT_EQ(client.receive(8).size(), 8u);
}

TEST_F(YarpStation, StatesGoOutAsTheNewestOnes) {
  Port& port = node_.open({"/state:o"}, {});
  RawClient client(port.contact().port);
  client.send(handshake(Carrier::FastTcp, "/reader") +
              message(Carrier::FastTcp, {PortCommand::Reverse, false, {}}));
  client.receive(8);
  struct State {
    std::vector<double> positions;
    int sequence = 0;
  };
  net::StatePublisher<State> outbox(node_.thread(), {std::vector<double>(2), 0},
                                    [&port](const State& state) {
                                      Bottle body;
                                      for (const double position : state.positions) {
                                        body.add(position);
                                      }
                                      Writer writer;
                                      encode_bottle(writer, body, Generation::V3);
                                      port.publish(writer.bytes(), {state.sequence, 0.25});
                                    });
  int sequence = 0;
  char byte = 0;
  EXPECT_TRUE(becomes([&] {  // the first messages are sent before there is a reader
    outbox.put([&sequence](State& state) {
      state.positions = {1.5, -2.5};
      state.sequence = ++sequence;
    });
    return ::recv(client.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
  }));
  Incoming incoming(Carrier::FastTcp);
  Words words;
  for (int i = 0; i < 200 && words.empty(); ++i) {  // a message has 80 bytes
    hear(incoming, client.receive(1), words);
  }
  ASSERT_FALSE(words.empty());
  EXPECT_TRUE(words[0].ends_with("0.250000: 1.5 -2.5")) << words[0];
}

TEST_F(YarpStation, NamesAreThereAndGoneAfterwards) {
  net::EventLoopThread thread;
  std::unique_ptr<NameServer> server;
  thread.call([&] { server = std::make_unique<NameServer>(thread.loop(), net::Address{}); });
  const auto names = [&] {
    std::size_t count = 0;
    thread.call([&] { count = server->table().size(); });
    return count;
  };
  {
    YarpNode node({.name_server = to_string(server->address()), .own_name_server = {}},
                  [](const std::string& what) { ADD_FAILURE() << what; });
    node.open({"/a"}, {});
    node.open({"/b"}, {});
    EXPECT_TRUE(becomes([&] { return names() == 3; }));
  }
  EXPECT_EQ(names(), 1u);
  thread.stop();
}

TEST(YarpStationAlone, AnAbsentNameServerIsSaidAndPortsWork) {
  Words said;
  YarpNode node({.name_server = "127.0.0.1:1", .own_name_server = {}},
                [&said](const std::string& what) { said.push_back(what); });
  Port& port = node.open({"/a"}, {});
  EXPECT_TRUE(becomes([&] {
    node.queue().serve_until(net::Clock::now() + std::chrono::milliseconds(1));
    return !said.empty();
  }));
  EXPECT_EQ(
      said[0],
      "/a is not registered, and is found as 127.0.0.1:" + std::to_string(port.contact().port) +
          " only: the name server at 127.0.0.1:1 cannot be used: Connection refused; start "
          "`yarpserver` or `servosim yarp nameserver`, or name one by --nameserver or "
          "--yarp-nameserver ADDRESS; "
          "trying again");
  EXPECT_TRUE(RawClient(port.contact().port).connected());
}

TEST(FindNameServer, ReadsYarpConf) {
  const test::TempFolder folder;
  const test::ScopedVariable home("YARP_CONFIG_HOME", folder.path().string());
  const auto error = [] { return std::get<std::string>(find_name_server("")); };
  const net::Address usual{INADDR_LOOPBACK, 10000};
  EXPECT_EQ(std::get<net::Address>(find_name_server("")), usual);
  folder.write("yarp.conf", "127.0.0.1 10123 yarp\n");
  EXPECT_EQ(std::get<net::Address>(find_name_server("")), (net::Address{INADDR_LOOPBACK, 10123}));
  EXPECT_EQ(std::get<net::Address>(find_name_server("localhost:7")),
            (net::Address{INADDR_LOOPBACK, 7}));
  for (const char* bad : {"", "robot 10000 yarp", "127.0.0.1", "127.0.0.1 99999", "127.0.0.1 x"}) {
    folder.write("yarp.conf", bad);
    EXPECT_NE(error().find("names no address of a name server"), std::string::npos) << bad;
  }
  folder.write("yarp_namespace.conf", "/robots/icub\n");
  EXPECT_EQ(std::get<net::Address>(find_name_server("")), usual);
  folder.write("_robots_icub.conf", "127.0.0.1 10124 yarp\n");
  EXPECT_EQ(std::get<net::Address>(find_name_server("")), (net::Address{INADDR_LOOPBACK, 10124}));
  folder.write("yarp_namespace.conf", "/root\n");
  EXPECT_NE(error().find("/yarp.conf names no address"), std::string::npos) << error();
  for (const char* bad : {"robot:1", "127.0.0.1", "127.0.0.1:", ":7", "1.2.3.4:0", "1.2.3.4:7x"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(find_name_server(bad))) << bad;
  }
}

}  // namespace
}  // namespace servosim::yarp

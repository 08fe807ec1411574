// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "run/test_support.h"
#include "yarp/ports/node.h"
#include "yarp/ports/port_support.h"

namespace servosim::yarp {
namespace {

using namespace std::chrono_literals;

/// A name server that can be started and stopped, always at the same port.
class Names {
 public:
  Names() { start(); }
  ~Names() { thread_.stop(); }
  void start() {
    thread_.call([this] {
      server_ = std::make_unique<NameServer>(thread_.loop(), address_);
      address_ = server_->address();
    });
  }
  void end() {
    thread_.call([this] { server_.reset(); });
  }
  std::size_t size() {
    std::size_t size = 0;
    thread_.call([&] { size = server_->table().size(); });
    return size;
  }
  std::string address() const { return to_string(address_); }
  std::string ask(const std::string& request) const {
    RawClient client(address_.port);
    client.send("NAME_SERVER " + request + "\n");
    return client.receive_all();
  }

 private:
  net::Address address_;
  net::EventLoopThread thread_;
  std::unique_ptr<NameServer> server_;
};

class YarpEnrolments : public testing::Test {
 protected:
  Names names_;
  Words said_;

  YarpNode::Options impatient() const {
    YarpNode::Options options;
    options.name_server = names_.address();
    options.intervals = {5ms, 20ms, 10ms};
    return options;
  }
  YarpNode::Report keep() {
    return [this](const std::string& what) { said_.push_back(what); };
  }
  static bool becomes_so(YarpNode& node, const std::function<bool()>& so) {
    return becomes([&] {
      node.queue().serve();
      return so();
    });
  }
};

TEST_F(YarpEnrolments, WaitForANameServerThatComesLater) {
  names_.end();
  YarpNode node(impatient(), keep());
  node.open({"/a"}, {});
  node.open({"/b"}, {});
  EXPECT_TRUE(becomes_so(node, [&] { return !said_.empty(); }));
  std::this_thread::sleep_for(50ms);  // time for several more trials
  node.queue().serve();
  ASSERT_EQ(said_.size(), 1u) << testing::PrintToString(said_);
  EXPECT_NE(said_[0].find(" is not registered, and is found as 127.0.0.1:"), std::string::npos);
  EXPECT_TRUE(said_[0].ends_with("--yarp-nameserver ADDRESS; trying again")) << said_[0];
  names_.start();
  EXPECT_TRUE(becomes_so(node, [&] { return said_.size() > 1; }));
  EXPECT_EQ(said_[1], "registered now: /a, /b");
  EXPECT_EQ(names_.size(), 3u);
}

TEST_F(YarpEnrolments, TellANameServerThatWasStartedAnew) {
  YarpNode node(impatient(), keep());
  node.open({"/a"}, {});
  EXPECT_TRUE(becomes([&] { return names_.size() == 2; }));
  names_.end();
  names_.start();
  EXPECT_TRUE(becomes([&] { return names_.size() == 2; }));
}

TEST_F(YarpEnrolments, TakeANameOnceItIsFree) {
  std::optional<YarpNode> other(std::in_place, impatient(), keep());
  other->open({"/a"}, {});
  EXPECT_TRUE(becomes([&] { return names_.size() == 2; }));
  YarpNode node(impatient(), keep());
  const Contact contact = node.open({"/a"}, {}).contact();
  EXPECT_TRUE(becomes_so(node, [&] { return !said_.empty(); }));
  EXPECT_NE(said_[0].find("the name /a is taken by a port at 127.0.0.1:"), std::string::npos);
  other.reset();
  EXPECT_TRUE(becomes_so(node, [&] { return said_.size() > 1; }));
  EXPECT_EQ(said_[1], "registered now: /a");
}

// Enrolments leave the name to its new owner whether or not they have noticed the change.
TEST_F(YarpEnrolments, LeaveANameThatHasBecomeAnothers) {
  EchoPort other({"/a"});
  const std::string place = fmt::format("127.0.0.1 {}", other.number());
  for (const std::chrono::milliseconds look : {std::chrono::milliseconds(3'600'000), 10ms}) {
    YarpNode::Options options = impatient();
    options.intervals.verify = look;
    {
      YarpNode node(options, keep());
      node.open({"/a"}, {});
      node.open({"/b"}, {});
      EXPECT_TRUE(becomes([&] { return names_.size() == 3; }));
      names_.ask("register /a tcp " + place);
      EXPECT_TRUE(look > 10ms || becomes_so(node, [&] { return !said_.empty(); }));
    }
    EXPECT_EQ(names_.size(), 2u);
    EXPECT_NE(names_.ask("query /a").find(fmt::format("port {}", other.number())),
              std::string::npos);
    names_.ask("unregister /a");
  }
}

TEST_F(YarpEnrolments, AnnounceTheAddressThatOthersDial) {
  YarpNode::Options options;
  options.own_name_server = 0;
  options.own_ip = INADDR_ANY;
  options.announced_ip = net::find_address("192.0.2.7", 0)->ip;
  YarpNode node(options, keep());
  PortOptions port{"/a"};
  port.listen.ip = INADDR_ANY;
  const Contact contact = node.open(port, {}).contact();
  EXPECT_EQ(contact.ip, "192.0.2.7");
  EXPECT_TRUE(RawClient(contact.port).connected());
  const net::Address names = *node.name_server();
  EXPECT_EQ(net::ip_text(names), "192.0.2.7");
  const auto answer = [&] {
    RawClient client(names.port);
    client.send("NAME_SERVER list\n");
    return client.receive_all();
  };
  EXPECT_TRUE(becomes([&] { return answer().find("/a ip 192.0.2.7") != std::string::npos; }));
  EXPECT_NE(answer().find("/root ip 192.0.2.7"), std::string::npos) << answer();
}

TEST(NetAddress, WhatListensEverywhereIsDialledByLoopback) {
  EXPECT_EQ(net::dialable({INADDR_ANY, 7}), (net::Address{INADDR_LOOPBACK, 7}));
  const net::Address other{INADDR_LOOPBACK + 1, 7};
  EXPECT_EQ(net::dialable(other), other);
}

}  // namespace
}  // namespace servosim::yarp

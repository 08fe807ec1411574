// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "yarp/ports/name_server.h"
#include "yarp/ports/test_support.h"
#include "yarp/protocol/name_lines.h"

namespace servosim::yarp {
namespace {

const std::string kEnd(kEndOfNameReply);

class YarpNameTable : public testing::Test {
 protected:
  std::string ask(std::string_view request) {
    return table_.answer("NAME_SERVER " + std::string(request), "192.168.1.7");
  }
  NameTable table_{Contact{"/root", "127.0.0.1", 10000, "tcp"}};
};

TEST_F(YarpNameTable, GoldenConversation) {
  const std::string fake =
      "registration name /fake/rpc:i ip 127.0.0.1 port 10003 type tcp\r\n*** end of message\r\n";
  EXPECT_EQ(ask("query /fake/rpc:i"), "*** end of message\r\n");
  EXPECT_EQ(ask("register /fake/rpc:i tcp 127.0.0.1 10003"), fake);
  EXPECT_EQ(ask("query /fake/rpc:i"), fake);
  EXPECT_EQ(ask("set /fake/rpc:i offers tcp fast_tcp text text_ack udp"),
            "port /fake/rpc:i property offers = fast_tcp tcp text text_ack udp\r\n" + kEnd);
  EXPECT_EQ(ask("get /fake/rpc:i offers"),
            "port /fake/rpc:i property offers = fast_tcp tcp text text_ack udp\r\n" + kEnd);
  EXPECT_EQ(ask("check /fake/rpc:i offers text"),
            "port /fake/rpc:i property offers value text present true\r\n" + kEnd);
  EXPECT_EQ(ask("check /fake/rpc:i offers tex"),
            "port /fake/rpc:i property offers value tex present false\r\n" + kEnd);
  EXPECT_EQ(ask("announce /fake/rpc:i"), "[ok]\r\n");
  EXPECT_EQ(ask("unregister /fake/rpc:i"), "*** end of message\r\n");
  EXPECT_EQ(ask("query /fake/rpc:i"), "*** end of message\r\n");
}

TEST_F(YarpNameTable, ChoosesWhatIsLeftOpen) {
  EXPECT_EQ(ask("register /me/x ... 127.0.0.1 -1"),
            "registration name /me/x ip 127.0.0.1 port 10002 type tcp\r\n" + kEnd);
  EXPECT_EQ(ask("register ..."),
            "registration name /tmp/port/1 ip 192.168.1.7 port 10003 type tcp\r\n" + kEnd);
  EXPECT_EQ(ask("register ... udp 127.0.0.1 ..."),
            "registration name /tmp/port/2 ip 127.0.0.1 port 10004 type udp\r\n" + kEnd);
  EXPECT_EQ(ask("register /me/y tcp 127.0.0.1 0"),
            "registration name /me/y ip 127.0.0.1 port 10005 type tcp\r\n" + kEnd);
}

TEST_F(YarpNameTable, ListsSortedWithItself) {
  ask("register /b tcp 127.0.0.1 5");
  ask("register /a tcp 127.0.0.1 6");
  EXPECT_EQ(ask("list"),
            "registration name /a ip 127.0.0.1 port 6 type tcp\r\n"
            "registration name /b ip 127.0.0.1 port 5 type tcp\r\n"
            "registration name /root ip 127.0.0.1 port 10000 type tcp\r\n" +
                kEnd);
}

TEST_F(YarpNameTable, ANameRegisteredAgainMovesAndForgets) {
  ask("register /a tcp 127.0.0.1 6");
  ask("set /a offers tcp");
  ask("register /a tcp 127.0.0.2 7");
  EXPECT_EQ(*table_.find("/a"), (Contact{"/a", "127.0.0.2", 7, "tcp"}));
  EXPECT_EQ(ask("get /a offers"), "port /a property offers =\r\n" + kEnd);
}

TEST_F(YarpNameTable, KeepsItsOwnName) {
  EXPECT_EQ(ask("register /root tcp 10.0.0.1 6"),
            "registration name /root ip 127.0.0.1 port 10000 type tcp\r\n" + kEnd);
  ask("unregister /root");
  EXPECT_TRUE(table_.find("/root"));
}

TEST_F(YarpNameTable, HandsOutEachNumberOnceUntilNoneIsLeft) {
  ask("register /explicit tcp 192.168.1.7 10003");
  ask("register /a");
  ask("register /b");
  EXPECT_EQ(table_.find("/a")->port, 10002);
  EXPECT_EQ(table_.find("/b")->port, 10004);
  ask("unregister /b");
  ask("register /c");
  EXPECT_EQ(table_.find("/c")->port, 10005);
  // The port numbers start again after the last: there are 65535 - 10002 + 1 of them, of which five
  // are used.
  for (int i = 10006; i <= 65535; ++i) {
    ask("register /c");
  }
  EXPECT_EQ(table_.find("/c")->port, 65535);
  ask("register /c");
  EXPECT_EQ(table_.find("/c")->port, 10004);
}

TEST_F(YarpNameTable, HasRoomForSoMany) {
  for (std::size_t i = 0; i < kMaxNames + 5; ++i) {
    ask(fmt::format("register /n{} tcp 127.0.0.1 {}", i, 20000 + i));
  }
  EXPECT_EQ(table_.size(), kMaxNames);
  EXPECT_EQ(ask("register /one/more"), "no room: 2048 names are registered\r\n" + kEnd);
  EXPECT_EQ(ask("register /n0 tcp 127.0.0.1 9"),
            "registration name /n0 ip 127.0.0.1 port 9 type tcp\r\n" + kEnd);
  for (std::size_t i = 0; i < kMaxProperties; ++i) {
    ask(fmt::format("set /n0 key{} v", i));
  }
  EXPECT_EQ(ask("set /n0 another v"), "no room: /n0 has 8 properties\r\n" + kEnd);
  EXPECT_EQ(ask("set /n0 key0 w"), "port /n0 property key0 = w\r\n" + kEnd);
}

TEST_F(YarpNameTable, SaysWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"",
       "no request \"\"; there are query, register, unregister, list, set, get, check and "
       "announce"},
      {"fly /a",
       "no request \"fly\"; there are query, register, unregister, list, set, get, "
       "check and announce"},
      {"query", "use: NAME_SERVER query NAME"},
      {"check /a k", "use: NAME_SERVER check NAME KEY VALUE"},
      {"register /a tcp 127.0.0.1 65536", "65536 is no port number"},
      {"register /a tcp 127.0.0.1 12x", "12x is no port number"},
      {"register a", "a name must begin with '/' and be shorter than 1024"},
      {"register /a\x1b", "a name must begin with '/' and be shorter than 1024"},
      {"register /" + std::string(1100, 'x'),
       "a name must begin with '/' and be shorter than 1024"},
      {"set /nobody offers tcp", "/nobody is not registered"},
      {"list " + std::string(3000, 'x'), "a request of more than 2048 bytes"},
  };
  for (const auto& [request, text] : cases) {
    EXPECT_EQ(ask(request), text + "\r\n" + kEnd) << request;
  }
  EXPECT_EQ(table_.answer("hello", "1.2.3.4"),
            "this is a name server: ask it \"NAME_SERVER list\", for example\r\n" + kEnd);
  EXPECT_EQ(table_.size(), 1u);
}

TEST(YarpNameLines, EveryRequestComesBack) {
  const std::string lines[] = {
      "NAME_SERVER query /fake/rpc:i\n",
      "NAME_SERVER register /fake/rpc:i tcp 127.0.0.1 23456\n",
      "NAME_SERVER register /me/x ... 127.0.0.1 -1\n",
      "NAME_SERVER register ... ... ... -1\n",
      "NAME_SERVER unregister /fake/rpc:i\n",
      "NAME_SERVER list\n",
      "NAME_SERVER set /me/x offers tcp udp\n",
      "NAME_SERVER get /me/x offers\n",
      "NAME_SERVER check /me/x offers tcp\n",
      "NAME_SERVER announce /me/x\n",
  };
  for (const std::string& line : lines) {
    const NameRequest request = parse_name_request(line);
    EXPECT_FALSE(is_error(request)) << error_text(request);
    EXPECT_EQ(encode_name_request(request), line);
    with_every_damage(line, [](const std::string& damaged) {
      const NameRequest other = parse_name_request(damaged);
      const std::string again = encode_name_request(other);
      EXPECT_EQ(encode_name_request(parse_name_request(again)), again);
      EXPECT_EQ(again.empty(), is_error(other));
    });
  }
  EXPECT_EQ(encode_name_request(ProtocolError{"x"}), "");
}

const std::string kReply =
    "registration name /a ip 127.0.0.1 port 10003 type tcp\r\n"
    "registration name /topic ip none port none type none\r\n"
    "port /a property offers = tcp udp\r\n"
    "port /a property offers value tcp present true\r\n"
    "something else\r\n"
    "registration name /b ip 127.0.0.1 port 65536 type tcp\r\n"
    "*** end of message\r\n";

TEST(YarpNameLines, AReplyIsReadHoweverItIsCut) {
  for (std::size_t cut = 0; cut < kReply.size() - 1; ++cut) {
    NameReplyReader reader;
    EXPECT_FALSE(reader.feed(as_bytes(kReply).first(cut)));
    EXPECT_TRUE(reader.feed(as_bytes(kReply).subspan(cut)));
    const NameReply& reply = reader.reply();
    ASSERT_EQ(reply.contacts.size(), 2u);
    EXPECT_EQ(reply.contacts[0], (Contact{"/a", "127.0.0.1", 10003, "tcp"}));
    EXPECT_EQ(reply.contacts[1], (Contact{"/topic", "none", 0, "none"}));
    ASSERT_EQ(reply.properties.size(), 2u);
    EXPECT_EQ(reply.properties[0].key, "offers");
    EXPECT_EQ(reply.properties[0].values, (std::vector<std::string>{"tcp", "udp"}));
    EXPECT_EQ(reply.properties[0].present, std::nullopt);
    EXPECT_EQ(reply.properties[1].values, std::vector<std::string>{"tcp"});
    EXPECT_EQ(reply.properties[1].present, true);
    EXPECT_EQ(reply.others,
              (std::vector<std::string>{"something else",
                                        "registration name /b ip 127.0.0.1 port 65536 type tcp"}));
  }
}

TEST(YarpNameLines, AnAnnouncementHasNoEndOfItsOwn) {
  NameReplyReader reader;
  EXPECT_TRUE(reader.feed(as_bytes("[ok]\r\n")));
  EXPECT_EQ(reader.error(), "");
}

TEST(YarpNameLines, AnEndlessReplyIsRefused) {
  NameReplyReader reader;
  const std::string piece(65536, 'x');
  int pieces = 0;
  while (!reader.feed(as_bytes(piece))) {
    ASSERT_LT(++pieces, 17);
  }
  EXPECT_EQ(reader.error(), "an answer of more than 1048576 bytes");
}

TEST(YarpNameLines, DamagedRepliesAreReadAsFarAsTheyGo) {
  with_every_damage(kReply, [](const std::string& damaged) {
    NameReplyReader reader;
    reader.feed(as_bytes(damaged));
    const NameReply& reply = reader.reply();
    EXPECT_LE(reply.contacts.size() + reply.properties.size() + reply.others.size(), 7u);
  });
}

}  // namespace
}  // namespace servosim::yarp

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "programs/program.h"
#include "yarp/ports/port_support.h"

namespace servosim::test {
namespace yarp_test {

using yarp::EchoPort;

std::string address_of(const EchoPort& port) {
  return "127.0.0.1:" + std::to_string(port.number());
}

TEST(YarpProgram, RpcSendsCommandsAndPrintsReplies) {
  const EchoPort echo;
  Program rpc({"yarp", "rpc", address_of(echo), "set icmd cmod 0 pos", "[get] [axes]"});
  EXPECT_EQ(rpc.finish(), 0) << rpc.err();
  EXPECT_EQ(rpc.out(), "echo set icmd cmod 0 pos\necho [get] [axes]\n");
  EXPECT_EQ(rpc.err(), "");
}

TEST(YarpProgram, SpeaksAsItIsTold) {
  EchoPort echo;
  for (const char* carrier : {"tcp", "fast_tcp", "text", "text_ack"}) {
    Program rpc({"yarp", "rpc", "--carrier", carrier, address_of(echo), "1 2", "3"});
    EXPECT_EQ(rpc.finish(), 0) << rpc.err();
    EXPECT_EQ(rpc.out(), "echo 1 2\necho 3\n") << carrier;
  }
  std::size_t before = echo.heard().size();
  for (const char* carrier : {"tcp", "fast_tcp", "udp", "text", "text_ack"}) {
    Program write({"yarp", "write", "--carrier", carrier, address_of(echo), "1"});
    EXPECT_EQ(write.finish(), 0) << write.err();
    EXPECT_TRUE(yarp::becomes([&] { return echo.heard().size() == before + 1; })) << carrier;
    ++before;
  }
  Program read({"yarp", "read", "--carrier", "fast_tcp", address_of(echo), "--count", "1"});
  EXPECT_TRUE(yarp::becomes([&] { return echo.outputs() == 1; }));
  EXPECT_TRUE(yarp::becomes([&] {
    echo.publish("0.5 a");
    return echo.outputs() == 0;
  }));
  EXPECT_EQ(read.finish(), 0) << read.err();
  EXPECT_EQ(read.out(), "0.5 a\n");
}

TEST(YarpProgram, ARefusalIsAnExitCode) {
  yarp::PortOptions options{"/refuses"};
  net::EventLoopThread thread;
  std::unique_ptr<yarp::Port> port;
  thread.call([&] {
    port = std::make_unique<yarp::Port>(thread.loop(), options, nullptr, yarp::Port::Handler(),
                                        [](const std::string&) {});
  });
  Program rpc({"yarp", "rpc", "127.0.0.1:" + std::to_string(port->contact().port), "get axes"});
  EXPECT_EQ(rpc.finish(), 1);
  EXPECT_EQ(rpc.out(), "[fail] \"/refuses takes no messages\"\n");
  thread.stop();
}

TEST(YarpProgram, WriteSendsWithoutReplies) {
  EchoPort echo;
  Program write({"yarp", "write", address_of(echo), "(vmo 0) (10.5)", "2"});
  EXPECT_EQ(write.finish(), 0) << write.err();
  EXPECT_EQ(write.out(), "");
  EXPECT_TRUE(yarp::becomes([&] { return echo.heard().size() == 2; }));
  EXPECT_EQ(echo.heard()[0], "/servosim/client (vmo 0) (10.5)");
}

TEST(YarpProgram, ReadPrintsWhatAPortSends) {
  EchoPort echo;
  Program read({"yarp", "read", address_of(echo), "--count", "2"});
  EXPECT_TRUE(yarp::becomes([&] { return echo.outputs() == 1; }));
  EXPECT_TRUE(yarp::becomes([&] {
    echo.publish("0.5 -1.5 \"a b\"");
    return echo.outputs() == 0;
  }));
  EXPECT_EQ(read.finish(), 0) << read.err();
  EXPECT_EQ(read.out(), "0.5 -1.5 \"a b\"\n0.5 -1.5 \"a b\"\n");
}

TEST(YarpProgram, PingSaysWhetherAPortAnswers) {
  const EchoPort echo;
  Program ping({"yarp", "ping", address_of(echo)});
  EXPECT_EQ(ping.finish(), 0) << ping.err();
  EXPECT_TRUE(ping.out().starts_with(address_of(echo) + " answers, after ")) << ping.out();
  Program nobody({"yarp", "ping", "127.0.0.1:1"});
  EXPECT_EQ(nobody.finish(), 1);
  EXPECT_EQ(nobody.out(), "");
  EXPECT_NE(nobody.err().find("127.0.0.1:1: Connection refused"), std::string::npos);
}

TEST(YarpProgram, ReadGivesUpASilentPort) {
  const EchoPort echo;
  Program read({"yarp", "read", address_of(echo), "--timeout", "1"});
  EXPECT_EQ(read.finish(), 1);
  EXPECT_NE(read.err().find("no message within 1"), std::string::npos) << read.err();
}

// Three processes: the name server, a list of the names, and a request by name.
TEST(YarpProgram, TheNameServerServesOtherPrograms) {
  Program server({"yarp", "nameserver", "--port", "0"});
  ASSERT_TRUE(server.wait_for_output("\n"));
  const std::string address = server.out().substr(15, server.out().size() - 16);
  EXPECT_EQ(server.out(), "Name server at " + address + "\n");
  EchoPort echo({"/echo"}, std::stoi(address.substr(address.find(':') + 1)));
  std::atomic<bool> registered{false};
  echo.thread().call([&] {
    echo.names()->register_port(echo.port().contact(),
                                [&](const std::string&) { registered = true; });
  });
  EXPECT_TRUE(yarp::becomes([&] { return registered.load(); }));
  Program list({"yarp", "list", "--nameserver", address});
  EXPECT_EQ(list.finish(), 0) << list.err();
  EXPECT_EQ(list.out(), "/echo " + address_of(echo) + " tcp\n/root " + address + " tcp\n");
  Program rpc({"yarp", "rpc", "/echo", "1", "--nameserver", address});
  EXPECT_EQ(rpc.finish(), 0) << rpc.err();
  EXPECT_EQ(rpc.out(), "echo 1\n");
  Program nobody({"yarp", "rpc", "/nobody", "1", "--nameserver", address});
  EXPECT_EQ(nobody.finish(), 1);
  EXPECT_NE(nobody.err().find("has no port /nobody or /nobody/rpc:i or /nobody/nws/rpc:i; "
                              "`servosim yarp list` shows"),
            std::string::npos);
  Program second({"yarp", "nameserver", "--port", address.substr(address.find(':') + 1)});
  EXPECT_EQ(second.finish(), 1);
  EXPECT_NE(second.err().find("Address already in use"), std::string::npos) << second.err();
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish(), 0);
}

struct OddAnswer {
  const char* answer;
  const char* out;
  const char* message;
};

// An answer of another kind of server is an error and no empty list.
TEST(YarpProgram, ListSaysWhereTheAnswerIsNoList) {
  for (const OddAnswer& odd : {
           OddAnswer{"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "",
                     "answers with what is no registration: 'HTTP/1.1 400 Bad Request'"},
           OddAnswer{"\x1b[31mno end", "", "no registration: '\\x1b[31mno end'"},
           OddAnswer{"what?\r\n*** end of message\r\n", "", "no registration: 'what?'"},
           OddAnswer{"registration name /a ip 127.0.0.1 port 7 type tcp\r\n"
                     "registration name /b ip 127.0.0.1 port 65536 type tcp\r\n"
                     "*** end of message\r\n",
                     "/a 127.0.0.1:7 tcp\n",
                     "1 lines of the answer are not registrations, such as 'registration name /b"},
           OddAnswer{"", "", "cannot be used: the other side has closed the connection"},
       }) {
    const Descriptor listener = net::listening_socket({});
    Program list({"yarp", "list", "--nameserver", net::to_string(net::local_address(listener))});
    Descriptor client;
    EXPECT_TRUE(yarp::becomes([&] {
      client = Descriptor(::accept(listener.get(), nullptr, nullptr));
      return static_cast<bool>(client);
    }));
    char question[64];
    EXPECT_TRUE(yarp::becomes([&] { return ::recv(client.get(), question, 64, 0) > 0; }));
    const std::string_view answer = odd.answer;
    ::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    client.reset();
    EXPECT_EQ(list.finish(), 1) << odd.answer;
    EXPECT_EQ(list.out(), odd.out);
    EXPECT_NE(list.err().find(odd.message), std::string::npos) << list.err();
  }
}

TEST(YarpProgram, SaysWhatIsWrong) {
  const auto fails = [](const std::vector<std::string>& arguments, int status,
                        const std::string& with) {
    Program program(arguments);
    EXPECT_EQ(program.finish(), status) << program.err();
    EXPECT_NE((program.out() + program.err()).find(with), std::string::npos) << program.err();
  };
  fails({"yarp"}, 2, "'servosim yarp' needs a command: rpc, read, ");
  fails({"yarp", "rpcc"}, 2, "no command 'servosim yarp rpcc'; did you mean 'rpc'?");
  fails({"yarp", "rpc"}, 2, "port is missing: servosim yarp rpc [OPTION]... port [messages]");
  fails({"yarp", "rpc", "127.0.0.1:1", "(1"}, 2, "'(1' is not a message: ");
  fails({"yarp", "rpc", "127.0.0.1:1", "1"}, 1, "127.0.0.1:1: Connection refused");
  fails({"yarp", "rpc", "robot:10", "1"}, 1, "'robot:10' is no port: names begin with '/'");
  fails({"yarp", "rpc", "/x", "1", "--nameserver", "127.0.0.1:1"}, 1,
        "the name server at 127.0.0.1:1 cannot be used: Connection refused");
  fails({"yarp", "rpc", "127.0.0.1:1", "1", "--carrier", "udp"}, 2,
        "'udp' is not tcp or fast_tcp or text or text_ack");
  for (const char* carrier : {"tcp", "text"}) {  // owners of YARP's own ports crash when text is
                                                 // sent to them
    fails({"yarp", "read", "127.0.0.1:1", "--carrier", carrier}, 2,
          std::string("'") + carrier + "' is not fast_tcp");
  }
  fails({"yarp", "nameserver", "--listen", "everywhere"}, 2, "'everywhere' is not an IPv4 address");
  fails({"yarp", "nameserver", "--port", "99999"}, 2,
        "--port: '99999' is no port: it must be a whole number from 0 to 65535");
}

}  // namespace yarp_test
}  // namespace servosim::test

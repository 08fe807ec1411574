// SPDX-License-Identifier: Apache-2.0
#include "servosim/srvp/client.h"

#include <thread>

#include "base/sockets.h"
#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

Client::Options to(const TestServer& server) {
  Client::Options options;
  options.port = server.port();
  return options;
}
using Answers = std::vector<Answer>;

TEST(SrvpClient, DoesAllThatTheStockClientDoes) {
  std::atomic<bool> down{false};
  ServerOptions options;
  options.shut_down = [&down] { down = true; };
  TestServer server(options);
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  Client client(to(server));
  EXPECT_EQ(client.select("arm").answers, Answers{ack()});
  EXPECT_EQ(client.upload({{1000, 2000}, {500, 2500}}).answers, Answers{ack()});
  EXPECT_EQ(client.move({{0, 90}, {1, 45}}).answers, (Answers{ack(), ack()}));
  EXPECT_EQ(client.move_pwm({{1, 600}}).answers, (Answers{ack(), ack()}));
  EXPECT_EQ(client.info().answers, Answers{(McuInfo{{90, 9}})});
  EXPECT_EQ(client.set_delayed(true).answers, Answers{ack(SetMode::kDelayed)});
  EXPECT_EQ(client.move({{0, 10}}).answers, (Answers{ack(), ack()}));
  EXPECT_EQ(client.execute().answers, Answers{ack()});
  EXPECT_EQ(client.set_delayed(false).answers, Answers{ack(SetMode::kRealTime)});
  EXPECT_TRUE(client.move({{0, 11}}).ok());
  EXPECT_EQ(client.shut_down().answers, Answers{ack()});
  EXPECT_TRUE(becomes([&down] { return down.load(); }));
  EXPECT_EQ(mcu.orders().size(), 4u);
}

TEST(SrvpClient, ARefusalIsAnAnswer) {
  TestServer server;
  NullMcu mcu;
  mcu.answer = nack(Nack::ErrorContactingMcu);
  server.add(smart("nao", 2), mcu);
  Client client(to(server));
  const Reply unselected = client.move({{0, 1}});
  EXPECT_FALSE(unselected.ok());
  EXPECT_EQ(unselected.answers, Answers{nack(Nack::NoActiveMcu)});
  EXPECT_TRUE(client.select("nao").ok());
  const Reply undone = client.move({{0, 1}});
  EXPECT_FALSE(undone.ok());
  EXPECT_EQ(undone.answers, (Answers{ack(), nack(Nack::ErrorContactingMcu)}));
  EXPECT_THROW(client.move({}), std::invalid_argument);
  EXPECT_THROW(client.select("a-b"), std::invalid_argument);
  EXPECT_TRUE(client.info().ok());  // the client is still usable
}

TEST(SrvpClient, KnowsServersThatAnswerOnce) {
  ServerOptions options;
  options.single_ack = true;
  TestServer server(options);
  NullMcu mcu;
  server.add(smart("nao", 2), mcu);
  Client::Options single = to(server);
  single.single_ack = true;
  Client client(single);
  EXPECT_TRUE(client.select("nao").ok());
  EXPECT_EQ(client.move({{0, 1}}).answers, Answers{ack()});
  Client::Options impatient = to(server);
  impatient.timeout = std::chrono::milliseconds(200);
  Client wrong(impatient);
  EXPECT_TRUE(wrong.select("nao").ok());
  EXPECT_THROW(wrong.move({{0, 1}}), ClientError);
}

// The platform's server takes the result of one receive call for one frame.
TEST(SrvpClient, TheFirstQueryDoesNotComeWithTheLogin) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof in;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&in), size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&in), &size);
  std::string first;
  std::thread server([&] {
    const Descriptor socket(::accept(listener.get(), nullptr, nullptr));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first.resize(1000);
    first.resize(static_cast<std::size_t>(::recv(socket.get(), first.data(), first.size(), 0)));
    std::string rest(1000, ' ');
    ::recv(socket.get(), rest.data(), rest.size(), 0);
    ::send(socket.get(), kAck.data(), kAck.size(), MSG_NOSIGNAL);
  });
  Client::Options options;
  options.port = ntohs(in.sin_port);
  EXPECT_GT(options.login_pause.count(), 0);
  options.login_pause = std::chrono::seconds(2);  // the thread may come late
  Client client(options);
  EXPECT_TRUE(client.select("nao").ok());
  server.join();
  EXPECT_EQ(first, "!s-Client_here-e!");
}

TEST(SrvpClient, NoticesAnswersToNothing) {
  TestServer server;
  NullMcu mcu;
  server.add(smart("nao", 2), mcu);
  Client::Options single = to(server);
  single.single_ack = true;
  Client client(single);
  EXPECT_TRUE(client.select("nao").ok());
  EXPECT_TRUE(client.move({{0, 1}}).ok());
  EXPECT_TRUE(becomes([&client] {
    try {
      client.info();
      return false;
    } catch (const ClientError& error) {
      return std::string(error.what()).find("more answers than expected") != std::string::npos;
    }
  }));
}

std::string failure(const Client::Options& options, const char* query = nullptr) {
  try {
    Client client(options);
    if (query) {
      client.select(query);
    }
  } catch (const ClientError& error) {
    return error.what();
  }
  return "none";
}

TEST(SrvpClient, SaysWhyItCannotGoOn) {
  Client::Options options;
  options.host = "robot.example";
  EXPECT_EQ(failure(options).find("'robot.example' port 54817 is no address"), 0u);
  options.host = "127.0.0.1";
  options.port = 1;
  EXPECT_EQ(failure(options), "127.0.0.1:1: Connection refused");
  net::EventLoopThread thread;
  std::unique_ptr<net::Listener> listener;
  std::vector<Descriptor> sockets;
  std::string says;
  thread.call([&] {
    listener = std::make_unique<net::Listener>(thread.loop(), net::Address(),
                                               [&](Descriptor socket, const net::Address&) {
                                                 ::send(socket.get(), says.data(), says.size(), 0);
                                                 sockets.push_back(std::move(socket));
                                               });
  });
  options.port = listener->address().port;
  options.timeout = std::chrono::milliseconds(50);
  EXPECT_NE(failure(options, "x").find(": no answer within 0.05 s"), std::string::npos);
  thread.call([&says] { says = "HTTP/1.1 400 Bad Request"; });
  const std::string nonsense = failure(options, "x");
  EXPECT_TRUE(nonsense.find("sends an invalid answer: a bad head") != nonsense.npos ||
              nonsense.find("more answers than expected") != nonsense.npos)
      << nonsense;
  thread.stop();
  listener.reset();
}

}  // namespace
}  // namespace servosim::srvp

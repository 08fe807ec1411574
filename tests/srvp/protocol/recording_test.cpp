// SPDX-License-Identifier: Apache-2.0
// Every codec, the server and the client are compared with the platform's own programs, as recorded
// in tests/data/peers/srvp.txt. For the MCU's side see srvp/robot/recording_test.cpp.
#include "srvp/protocol/recording.h"

#include <gtest/gtest.h>

#include <map>

#include "servosim/srvp/client.h"

namespace servosim::srvp {
namespace srvp_recording_test {

const std::vector<RecordedConnection>& recording() {
  static const std::vector<RecordedConnection> connections = read_recording();
  return connections;
}

// Returns the MCU's connection. Its first message is the login and no answer.
const std::vector<Exchange>& of_mcu() { return recording().front().exchanges; }

std::vector<RecordedConnection> of_clients() {
  return {recording().begin() + 1, recording().end()};
}

/// Returns how many frames a stream has. All of them must come back as the same bytes.
template <typename Frame>
std::size_t same_again(const std::string& stream) {
  std::string again;
  const auto frames = frames_of<Frame>(stream);
  for (const Frame& frame : frames) {
    again += encode(frame);
  }
  EXPECT_EQ(shown(again), shown(stream));
  return frames.size();
}

std::optional<Query> query_of(const std::string& said) {
  FrameReader<Query> reader;
  reader.feed(said);
  const auto frame = reader.next();
  const auto* query = std::get_if<Query>(&frame);
  return query && reader.waiting() == 0 && encode(*query) == said ? std::optional(*query)
                                                                  : std::nullopt;
}

const std::string kClientLogin = "!s-Client_here-e!";

TEST(SrvpRecording, EveryFrameOfThePlatformComesBackAsTheSameBytes) {
  std::size_t orders = 0;
  std::size_t mcu_answers = 0;
  for (const Exchange& exchange : of_mcu()) {
    const bool login = &exchange == &of_mcu().front();
    if (login) {
      EXPECT_EQ(same_again<Login>(exchange.said), 1u);
    } else {
      mcu_answers += same_again<McuAnswer>(exchange.said);
    }
    orders += exchange.answer ? same_again<McuOrder>(*exchange.answer) : 0;
  }
  EXPECT_EQ(orders, 11u);
  EXPECT_EQ(mcu_answers, 11u);
  std::size_t answers = 0;
  std::size_t queries = 0;
  for (const RecordedConnection& connection : of_clients()) {
    for (const Exchange& exchange : connection.exchanges) {
      const bool login = exchange.said.starts_with(kClientLogin);
      queries += query_of(exchange.said.substr(login ? kClientLogin.size() : 0)) ? 1 : 0;
      answers += exchange.answer ? same_again<Answer>(*exchange.answer) : 0;
    }
  }
  EXPECT_EQ(same_again<Login>(kClientLogin), 1u);
  EXPECT_EQ(queries, 68u);
  EXPECT_EQ(answers, 86u);
}

/// The recorded MCU: it logs in and acknowledges every order with the recorded bytes.
class RecordedMcu {
 public:
  explicit RecordedMcu(TestServer& server) : peer_(server.port()) {
    peer_.send(of_mcu().front().said);
    EXPECT_TRUE(server.logs("MCU Maroon has logged in: Smart, 27 servos"));
    thread_ = std::thread([this] { work(); });
  }
  ~RecordedMcu() {
    ::shutdown(peer_.fd(), SHUT_RDWR);
    thread_.join();
  }
  std::vector<McuOrder> orders() {
    const std::lock_guard lock(mutex_);
    return orders_;
  }

 private:
  void work() {
    FrameReader<McuOrder> reader;
    for (std::string byte = peer_.receive(1); !byte.empty(); byte = peer_.receive(1)) {
      reader.feed(byte);
      const auto frame = reader.next();
      if (const auto* order = std::get_if<McuOrder>(&frame)) {
        {
          const std::lock_guard lock(mutex_);
          orders_.push_back(*order);
        }
        peer_.send(of_mcu()[1].said);
      }
    }
  }

  RawPeer peer_;
  std::mutex mutex_;
  std::vector<McuOrder> orders_;
  std::thread thread_;
};

// The recorded server sorts moves by id and leaves out those that later moves replace.
std::vector<std::map<int, int>> targets_of(const std::vector<McuOrder>& orders) {
  std::vector<std::map<int, int>> targets;
  for (const McuOrder& order : orders) {
    for (auto& to = targets.emplace_back(); const Move& move : order.movement.moves) {
      to[move.servo] = move.value;
    }
  }
  return targets;
}

TEST(SrvpRecording, TheServerAnswersAsThePlatformsOwn) {
  TestServer server;
  RecordedMcu mcu(server);
  for (const RecordedConnection& connection : of_clients()) {
    RawPeer user(server.port());
    for (const Exchange& exchange : connection.exchanges) {
      if (!exchange.answer) {
        break;  // the recorded server has closed
      }
      const std::string& expected = exchange.ours ? *exchange.ours : *exchange.answer;
      user.send(exchange.said);
      EXPECT_EQ(shown(user.receive(expected.size())), shown(expected)) << connection.title;
      if (!exchange.to_catch_up.empty()) {
        EXPECT_EQ(user.ask(exchange.to_catch_up, 2), kAck + kAck) << connection.title;
      }
    }
  }
  std::vector<McuOrder> recorded;
  for (const Exchange& exchange : of_mcu()) {
    for (const McuOrder& order : frames_of<McuOrder>(exchange.answer.value_or(""))) {
      recorded.push_back(order);
    }
  }
  ASSERT_EQ(recorded.back().kind, McuOrder::Kind::Execute);  // nothing is stored, so the answer
                                                             // here is NACK 252
  recorded.pop_back();
  EXPECT_EQ(targets_of(mcu.orders()), targets_of(recorded));
}

// These are all connections whose queries a client of servosim can send.
TEST(SrvpRecording, TheClientUnderstandsThePlatformsServer) {
  std::size_t connections = 0;
  for (const RecordedConnection& connection : of_clients()) {
    std::vector<Exchange> exchanges = connection.exchanges;
    std::erase_if(exchanges, [](const Exchange& exchange) { return !exchange.answer; });
    std::vector<Query> queries;
    for (const Exchange& exchange : exchanges) {
      const bool first = &exchange == &exchanges.front();
      if (const auto query = query_of(exchange.said.substr(first ? kClientLogin.size() : 0))) {
        queries.push_back(*query);
      }
    }
    if (queries.size() < exchanges.size()) {
      continue;
    }
    ++connections;
    RecordedServer server(exchanges);
    Client::Options options;
    options.port = server.port();
    options.login_pause = {};
    Client client(options);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      EXPECT_EQ(client.ask(queries[i]).answers, frames_of<Answer>(*exchanges[i].answer))
          << connection.title;
    }
    server.join();
    EXPECT_TRUE(server.is_done()) << connection.title;
  }
  EXPECT_EQ(connections, 20u);
}

}  // namespace srvp_recording_test
}  // namespace servosim::srvp

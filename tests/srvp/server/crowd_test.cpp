// SPDX-License-Identifier: Apache-2.0
// Many clients and MCUs at once: no answer is lost, and none goes to the wrong client.
#include <optional>
#include <thread>

#include "servosim/srvp/client.h"
#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

constexpr int kMcus = 16;
constexpr int kClients = 64;
constexpr int kQueries = 40;
constexpr std::size_t kServos = 32;

/// Answers in its own thread, as a function of the order: position p gets ACK or NACK code p + 1.
class Oracle : public LocalMcu {
 public:
  Oracle() : thread_([this] { work(); }) {}
  ~Oracle() override {
    stop_ = true;
    thread_.join();
  }
  void perform(McuOrder order, Respond respond) override {
    const std::lock_guard lock(mutex_);
    // The next order may come only after the answer.
    crossed_ = crossed_ || task_.has_value();
    task_.emplace(std::move(order), std::move(respond));
  }
  bool crossed() const { return crossed_; }
  static Control answer_to(int position) {
    return {position % 2 == 0, static_cast<std::uint8_t>(position + 1)};
  }

 private:
  void work() {
    while (!stop_) {
      std::optional<std::pair<McuOrder, Respond>> task;
      {
        const std::lock_guard lock(mutex_);
        task.swap(task_);
      }
      if (task) {
        task->second(answer_to(task->first.movement.moves.at(0).value));
      } else {
        std::this_thread::yield();
      }
    }
  }

  std::mutex mutex_;
  std::optional<std::pair<McuOrder, Respond>> task_;
  std::atomic<bool> crossed_{false};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Counts the answers of one client to moves of an MCU that others select, too.
struct Tally {
  int done = 0;        // answers of the MCU
  int taken_over = 0;  // NACK 254 as the first or second answer
  int wrong = 0;
};

std::string name_of(int mcu) { return "mcu" + std::to_string(mcu); }

Tally use(const TestServer& server, int number) {
  Client::Options options;
  options.port = server.port();
  options.timeout = std::chrono::seconds(60);
  Client client(options);
  Tally tally;
  const Answer taken_over = nack(Nack::NoActiveMcu);
  for (int i = 0; i < kQueries; ++i) {
    const int position = (number * 7 + i * 13) % 180;
    if (!client.select(name_of((number + i) % kMcus)).ok()) {
      ++tally.wrong;
    }
    const Reply reply = client.move({{static_cast<std::uint8_t>(i % 32), position}});
    if (reply.answers.back() == taken_over) {
      ++tally.taken_over;
    } else if (reply.answers == std::vector<Answer>{ack(), Oracle::answer_to(position)}) {
      ++tally.done;
    } else {
      ++tally.wrong;
    }
  }
  return tally;
}

/// Runs all clients, each in its own thread.
void expect_no_wrong_answers(const TestServer& server) {
  std::vector<Tally> tallies(kClients);
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back(
        [&server, i, &tally = tallies[static_cast<std::size_t>(i)]] { tally = use(server, i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  int done = 0;
  for (const Tally& tally : tallies) {
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_EQ(tally.done + tally.taken_over, kQueries);
    done += tally.done;
  }
  EXPECT_GT(done, 0);
}

TEST(SrvpCrowd, NoAnswerIsLostOrCrossed) {
  std::vector<std::unique_ptr<Oracle>> oracles;
  TestServer server;
  for (int i = 0; i < kMcus; ++i) {
    oracles.push_back(std::make_unique<Oracle>());
    server.add(smart(name_of(i), kServos), *oracles.back());
  }
  expect_no_wrong_answers(server);
  for (const auto& oracle : oracles) {
    EXPECT_FALSE(oracle->crossed());
  }
}

TEST(SrvpCrowd, NeitherWithMcusOfOtherProcesses) {
  TestServer server;
  std::vector<std::unique_ptr<RawMcu>> mcus;
  for (int i = 0; i < kMcus; ++i) {
    mcus.push_back(std::make_unique<RawMcu>(server, smart(name_of(i), kServos)));
  }
  std::vector<std::thread> threads;
  for (auto& mcu : mcus) {
    threads.emplace_back([&mcu] {  // for orders -m-1-<id>:<position>-!
      for (std::string order = mcu->receive(10); order.size() == 10; order = mcu->receive(10)) {
        mcu->send(encode(Oracle::answer_to(static_cast<unsigned char>(order[7]) - 1)));
      }
    });
  }
  expect_no_wrong_answers(server);
  for (auto& mcu : mcus) {
    ::shutdown(mcu->fd(), SHUT_RDWR);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace servosim::srvp

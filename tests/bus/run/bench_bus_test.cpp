// SPDX-License-Identifier: Apache-2.0
// A bench that is served for long: what it needs does not grow.
#include "bus/run/bench_bus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "bus/client/serial_port.h"
#include "bus/client/served_rig.h"
#include "bus/protocol/request.h"
#include "servo_models/catalogue.h"
#include "support/repetitions.h"

namespace servosim::bus {
namespace {

namespace bench_bus_test {

using test::ScratchFolder;

// Returns what this process has in memory [bytes].
double memory_in_use() {
  std::ifstream file("/proc/self/statm");
  double size = 0.0;
  double resident = 0.0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// A bench in lock-step behind a pseudo terminal, served in a thread.
class ServedBench {
 public:
  ServedBench()
      : bench_({{register_table("STS3215"), ServoCatalogue().model("STS3215"), 1, -1},
                {register_table("STS3215"), ServoCatalogue().model("STS3215"), 2, -1}},
               {}, {true, kCycle},
               [this](net::EventLoop& loop, BusPort::Calls calls) {
                 return open_terminal(loop, folder_.file("bus"), std::move(calls));
               }),
        thread_(
            [this] { bench_.run([this] { return ends_.load(); }, [](const std::string&) {}); }) {}
  ServedBench(const ServedBench&) = delete;
  ServedBench& operator=(const ServedBench&) = delete;
  ~ServedBench() {
    ends_ = true;
    thread_.join();
  }

  static constexpr double kCycle = 0.02;
  std::string place() const { return folder_.file("bus"); }

 private:
  ScratchFolder folder_;
  BenchBus bench_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// Asks both servos for their positions, `count` times. @return how many answers came
int answers_to(SerialPort& port, int count) {
  const Protocol& protocol = kFeetechSts;
  const Octets asked =
      encode(protocol,
             to_packet(protocol,
                       {Instruction::SyncRead, kBroadcast, {{1, 56, 2, {}}, {2, 56, 2, {}}}, {}}));
  int answers = 0;
  for (int i = 0; i < count; ++i) {
    port.send(asked);
    PacketReader reader(protocol, BusSide::Client);
    for (int arrived = 0; arrived < 2;) {
      const Octets bytes =
          port.receive(std::chrono::steady_clock::now() + std::chrono::seconds(10));
      if (bytes.empty()) {
        return answers;
      }
      reader.feed(bytes);
      for (; reader.next(); ++arrived) {
        ++answers;
      }
    }
  }
  return answers;
}

// AddressSanitizer keeps what is freed for a while.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SERVOSIM_KEEPS_FREED_MEMORY
#endif
#endif
#ifdef SERVOSIM_KEEPS_FREED_MEMORY
constexpr bool kMemoryIsGivenBack = false;
#else
constexpr bool kMemoryIsGivenBack = true;
#endif

// A simulated hour has 180000 exchanges of 20 ms. By default it is 20 s.
TEST(BenchBus, NeedsNoMoreMemoryAndDescriptorsAfterAnHour) {
  const int exchanges = servosim::test::repetitions(1000, 180000);
  constexpr int kWarmUp = 200;
  constexpr int kOpenings = 20;
  ServedBench served;
  { EXPECT_EQ(SerialPort(served.place(), 1e6).baud(), 1e6); }
  SerialPort first(served.place(), 1e6);
  EXPECT_EQ(answers_to(first, kWarmUp), 2 * kWarmUp);
  const double memory = memory_in_use();
  const std::ptrdiff_t descriptors = open_descriptors();
  for (int i = 0; i < kOpenings; ++i) {
    SerialPort port(served.place(), 1e6);
    EXPECT_EQ(answers_to(port, exchanges / kOpenings), 2 * (exchanges / kOpenings));
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  if (kMemoryIsGivenBack) {  // 50 bytes of each exchange would be 9 MB in an hour
    EXPECT_LT(memory_in_use() - memory, 1e6);
  }
}

}  // namespace bench_bus_test

}  // namespace
}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
// What clients cost a simulation: requests answered on one connection, and the simulation's share
// of publishing states.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "net/outbox.h"
#include "yarp/dialogue.h"
#include "yarp/station.h"
#include "yarp/streaming.h"

namespace servosim::yarp {
namespace {

constexpr std::size_t kJoints = 32;

std::string address_of(const Port& port) {
  return "127.0.0.1:" + std::to_string(port.contact().port);
}

Station::Options local() {
  Station::Options options;
  options.own_name_server = 0;
  return options;
}

// One client asks, gets the reply, asks again; the simulation serves as one in real time does.
void rpc(benchmark::State& state) {
  Station station(local(), [](const std::string&) {});
  std::atomic<bool> stop{false};
  Port& port =
      station.open({"/bench/rpc:i"},
                   station.in_simulation([](const Request&) { return Bottle{{Vocab("ok")}}; }));
  std::thread simulation([&] {
    while (!stop) {
      station.queue().serve_until(net::Clock::now() + std::chrono::milliseconds(1));
    }
  });
  Dialogue client{Dialogue::Options()};
  client.connect(address_of(port), Carrier::Tcp, "/bench/client");
  const Bottle request{{Vocab("set"), Vocab("icmd"), Vocab("cmod"), 0, Vocab("pos")}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(client.tell({PortCommand::Data, true, {}}, request));
  }
  state.SetItemsProcessed(state.iterations());
  stop = true;
  simulation.join();
}
BENCHMARK(rpc)->UseRealTime()->MeasureProcessCPUTime();

struct JointArrays {
  std::array<std::vector<double>, 9> quantities;
  std::array<std::vector<std::int32_t>, 2> modes;
  JointArrays() {
    quantities.fill(std::vector<double>(kJoints, 0.25));
    modes.fill(std::vector<std::int32_t>(kJoints, vocab("pos")));
  }
};

JointStates views(const JointArrays& arrays) {
  const auto& q = arrays.quantities;
  JointStates states;
  states.positions = {q[0], true};
  states.velocities = {q[1], true};
  states.accelerations = {q[2], true};
  states.motor_positions = {q[3], true};
  states.motor_velocities = {q[4], true};
  states.motor_accelerations = {q[5], true};
  states.torques = {q[6], true};
  states.duty_cycles = {q[7], true};
  states.currents = {q[8], true};
  states.control_modes = {arrays.modes[0], true};
  states.interaction_modes = {arrays.modes[1], true};
  return states;
}

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// The simulation's thread puts all quantities of 32 joints, as every 10 ms, for 4 readers that take
// all. Timed is the processor time of that thread alone, without its pauses; "median_us" is by the
// clock on the wall, where a busy machine may take the thread off its processor.
void publish(benchmark::State& state) {
  Station station(local(), [](const std::string&) {});
  Port& port = station.open({"/bench/stateExt:o"}, {});
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> heard{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, address = address_of(port)] {
      Dialogue reader{Dialogue::Options()};
      reader.connect(address, Carrier::FastTcp, "/bench/reader");
      reader.listen();
      while (!stop) {
        reader.hear(std::chrono::seconds(10));
        ++heard;
      }
    });
  }
  Writer writer;
  net::Outbox<JointArrays> outbox(station.thread(), {}, [&](const JointArrays& arrays) {
    writer.clear();
    encode_joint_states(writer, views(arrays), Generation::V3);
    port.publish(writer.bytes(), {1, 0.5});
  });
  const JointArrays current;
  const auto put = [&] { outbox.put([&current](JointArrays& arrays) { arrays = current; }); };
  while (heard < 100) {  // all are there
    put();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  heard = 0;
  std::vector<double> wall_us;
  for (auto _ : state) {
    const auto start = net::Clock::now();
    const double start_cpu = thread_seconds();
    put();
    state.SetIterationTime(thread_seconds() - start_cpu);
    wall_us.push_back(std::chrono::duration<double, std::micro>(net::Clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::nth_element(wall_us.begin(), wall_us.begin() + std::ptrdiff_t(wall_us.size() / 2),
                   wall_us.end());
  state.counters["median_us"] = wall_us[wall_us.size() / 2];
  state.counters["heard_per_put"] = double(heard) / double(state.iterations());
  stop = true;
  for (int i = 0; i < 100; ++i) {  // for whoever still waits
    put();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
}
BENCHMARK(publish)->UseManualTime()->Iterations(1000);

// What it costs a simulation's step that nobody wants anything.
void serve_nothing(benchmark::State& state) {
  net::WorkQueue queue;
  for (auto _ : state) {
    benchmark::DoNotOptimize(queue.serve());
  }
}
BENCHMARK(serve_nothing);

}  // namespace
}  // namespace servosim::yarp

BENCHMARK_MAIN();

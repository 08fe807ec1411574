// SPDX-License-Identifier: Apache-2.0
// What clients cost a simulation: requests answered on one connection, and the simulation's part of
// publishing states.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "board_world.h"
#include "yarp/ports/client.h"
#include "yarp/ports/node.h"
#include "yarp/server/board_server.h"

namespace servosim::yarp {
namespace {

constexpr int kJoints = 32;

std::string address_of(const Port& port) {
  return "127.0.0.1:" + std::to_string(port.contact().port);
}

YarpNode::Options local() {
  YarpNode::Options options;
  options.own_name_server = 0;
  return options;
}

// One client sends a request, gets the reply, and sends the next one. The simulation serves it as
// one in real time does.
void rpc(benchmark::State& state) {
  YarpNode node(local(), [](const std::string&) {});
  std::atomic<bool> stop{false};
  Port& port =
      node.open({"/bench/rpc:i"},
                node.in_simulation([](const PortRequest&) { return Bottle{{Vocab("ok")}}; }));
  std::thread simulation([&] {
    while (!stop) {
      node.queue().serve_until(net::Clock::now() + std::chrono::milliseconds(1));
    }
  });
  YarpClient client{YarpClient::Options()};
  client.connect(address_of(port), Carrier::Tcp, "/bench/client");
  const Bottle request{{Vocab("set"), Vocab("icmd"), Vocab("cmod"), 0, Vocab("pos")}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(client.send({PortCommand::Data, true, {}}, request));
  }
  state.SetItemsProcessed(state.iterations());
  stop = true;
  simulation.join();
}
BENCHMARK(rpc)->UseRealTime()->MeasureProcessCPUTime();

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// A board of 32 joints sends its state every 10 ms of simulated time to 4 readers, which read
// everything. The time is the processor time of the simulation's thread between two steps when a
// state is due, less that when none is due: joints are measured for the next step anyway.
// "median_us" is the median of these differences.
void publish(benchmark::State& state) {
  Simulation simulation = Simulation::from_text(bench::board_world(kJoints));
  ControlBoard board(simulation, "r");
  YarpNode node(local(), [](const std::string&) {});
  yarp::server::BoardServer::Options options;
  options.name = "/bench";
  options.period = 0.010;
  const yarp::server::Timeline timeline(simulation);
  yarp::server::BoardServer server(node, timeline, board, options);
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> heard{0};
  std::vector<std::thread> readers;
  const std::string address = "127.0.0.1:" + std::to_string(server.contact("stateExt:o").port);
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      YarpClient reader{YarpClient::Options()};
      reader.connect(address, Carrier::FastTcp, "/bench/reader");
      reader.reverse();
      while (!stop) {
        reader.next_message(std::chrono::seconds(10));
        ++heard;
      }
    });
  }
  // The time between the last two of this many steps [s].
  const auto turn = [&](int steps) {
    double spent = 0.0;
    for (int i = 0; i < steps; ++i) {
      simulation.step();
      const double start = thread_seconds();
      server.after_step();
      server.before_step();
      spent = thread_seconds() - start;
    }
    return spent;
  };
  turn(1);
  while (heard < 100) {  // all readers are connected
    turn(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  heard = 0;
  std::vector<double> more_us;
  for (auto _ : state) {
    const double without = turn(5);
    const double with = turn(5);
    state.SetIterationTime(std::max(0.0, with - without));
    more_us.push_back(1e6 * (with - without));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::nth_element(more_us.begin(), more_us.begin() + std::ptrdiff_t(more_us.size() / 2),
                   more_us.end());
  state.counters["median_us"] = more_us[more_us.size() / 2];
  state.counters["heard_per_put"] = double(heard) / double(state.iterations());
  stop = true;
  for (int i = 0; i < 100; ++i) {  // for a thread that still waits
    turn(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
}
BENCHMARK(publish)->UseManualTime()->Iterations(1000);

// The cost of a step of the simulation without requests.
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

// SPDX-License-Identifier: Apache-2.0
// Requests that a whole `servosim run --yarp` answers on one connection. By the clock, they arrive
// while the run waits for the next step; in a run as fast as possible they arrive between steps.
#include <benchmark/benchmark.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "base/child_process.h"
#include "yarp/ports/client.h"

namespace servosim::yarp {
namespace {

/// A run that ends with this object.
class Run {
 public:
  explicit Run(const std::string& mode)
      : child_(start_piped_child({SERVOSIM_PROGRAM, "run", SERVOSIM_WORLD, "--yarp",
                                  "icub=/icub/left_arm", "--yarp-nameserver=0", "--mode", mode},
                                 "", -1, true)) {}
  ~Run() {
    ::kill(child_.pid, SIGINT);
    static_cast<void>(wait_for_child(child_.pid));  // its exit status does not matter
  }

  /// The address for requests, which the run prints at its beginning; "" if it does not.
  std::string rpc_address() {
    const std::string word = "rpc:i ";
    std::string said;
    char c = 0;
    while (::read(child_.reader.get(), &c, 1) == 1) {
      said += c;
      const std::size_t at = said.find(word);
      if (c == ',' && at != said.npos) {
        return said.substr(at + word.size(), said.size() - 1 - at - word.size());
      }
    }
    return {};
  }

 private:
  PipedChild child_;
};

void rpc_of_run(benchmark::State& state, const std::string& mode) {
  Run run(mode);
  const std::string address = run.rpc_address();
  if (address.empty()) {
    return state.SkipWithError("servosim run has not begun");
  }
  YarpClient client{YarpClient::Options()};
  client.connect(address, Carrier::Tcp, "/bench/client");
  const Bottle request{{Vocab("get"), Vocab("encs")}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(client.send({PortCommand::Data, true, {}}, request));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(rpc_of_run, realtime, "realtime")->UseRealTime();
BENCHMARK_CAPTURE(rpc_of_run, fast, "fast")->UseRealTime();

}  // namespace
}  // namespace servosim::yarp

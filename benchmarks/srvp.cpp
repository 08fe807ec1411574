// SPDX-License-Identifier: Apache-2.0
// The throughput of an SRVP server with one client. It checks queries, hands them to an MCU in this
// process that does nothing, and answers them twice.
#include <benchmark/benchmark.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "srvp/server/server.h"

namespace servosim::srvp {
namespace {

constexpr std::size_t kServos = 16;

class NullMcu : public LocalMcu {
 public:
  void perform(McuOrder, Respond respond) override { respond(ack()); }
};

Descriptor connect_to(const net::Address& address) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address.ip);
  in.sin_port = htons(address.port);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&in), sizeof in) != 0) {
    socket.reset();
  }
  return socket;
}

bool exchange(const Descriptor& socket, const std::string& sent, std::string& answer) {
  return ::send(socket.get(), sent.data(), sent.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(sent.size()) &&
         ::recv(socket.get(), answer.data(), answer.size(), MSG_WAITALL) ==
             static_cast<ssize_t>(answer.size());
}

// Sends this many queries at once, and the next ones when all are answered.
void queries(benchmark::State& state) {
  const auto in_flight = static_cast<std::size_t>(state.range(0));
  NullMcu mcu;
  net::EventLoopThread thread;
  std::unique_ptr<Server> server;
  thread.call([&] {
    ServerOptions options;
    options.listen.port = 0;
    server = std::make_unique<Server>(thread.loop(), options, nullptr);
    server->add({"nao", McuKind::Smart, kServos, std::vector<std::uint8_t>(kServos, 90)}, mcu);
  });
  const Descriptor socket = connect_to(server->address());
  const std::string one_answer = encode(ack());
  std::string answer(one_answer.size(), ' ');
  exchange(socket, encode(Login(ClientLogin())) + encode(Query(SelectMcu{"nao"})), answer);
  std::string sent;
  std::string expected;
  for (std::size_t i = 0; i < in_flight; ++i) {
    sent += encode(Query(Movement{MoveForm::Position, {{3, 90}, {5, static_cast<int>(i % 180)}}}));
    expected += one_answer + one_answer;
  }
  answer.resize(expected.size());
  for (auto _ : state) {
    if (!exchange(socket, sent, answer) || answer != expected) {
      state.SkipWithError("a wrong answer");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  thread.call([&server] { server.reset(); });
}
BENCHMARK(queries)->Arg(1)->Arg(32)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace servosim::srvp

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0
// What servos on a bus cost a machine, and how late they answer: whole `servosim bus serve` and
// `servosim run --bus` with a client in this process, which writes goals and reads positions of all
// servos again and again.
//
// bench_bus [SECONDS [HOURS]]   60 s for each row, 24 simulated hours
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/child_process.h"
#include "bus/client/serial_port.h"
#include "bus/protocol/request.h"
#include "bus/registers/register_table.h"
#include "bus/servo/bench_plant.h"
#include "bus/servo/servo_bus.h"
#include "servo_models/catalogue.h"

namespace servosim::bus {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Row {
  const char* what;
  std::vector<std::string> command;  // {link} is the port
  const char* model;
  int servos;
  double baud;
  double rate;  // [Hz]
  bool is_tcp;
};

/// A servosim that ends with this object.
class Server {
 public:
  explicit Server(const std::vector<std::string>& command)
      : child_(start_piped_child(command, "", -1, true)) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    ::kill(child_.pid, SIGTERM);
    static_cast<void>(wait_for_child(child_.pid));  // its exit status does not matter
  }

  // Returns what is behind "bus at " in its output; empty if it ends without that.
  std::string place() {
    const std::string word = "bus at ";
    std::string said;
    char c = 0;
    while (::read(child_.reader.get(), &c, 1) == 1) {
      said += c;
      const std::size_t at = said.find(word);
      if (c == '\n' && at != said.npos) {
        return said.substr(at + word.size(), said.size() - 1 - at - word.size());
      }
    }
    fmt::print("{}\n", said);
    return {};
  }
  // Returns its processor time so far [s].
  double cpu() const {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(child_.pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
      return NAN;
    }
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  PipedChild child_;
};

Octets bytes_of(const RegisterTable& table, const BusRequest& request) {
  return encode(*table.protocol, to_packet(*table.protocol, request));
}

// Reads whole statuses. @return how many arrive until `end`
int statuses(SerialPort& port, const Protocol& protocol, int wanted, Clock::time_point end) {
  PacketReader reader(protocol, BusSide::Client);
  int count = 0;
  while (count < wanted) {
    const Octets bytes = port.receive(end);
    if (bytes.empty()) {
      break;
    }
    reader.feed(bytes);
    while (const auto packet = reader.next()) {
      count += packet->is_intact ? 1 : 0;
    }
  }
  return count;
}

void write_all(SerialPort& port, const RegisterTable& table, const Row& row, RegisterRole role,
               std::int64_t value) {
  const RegisterRow& of = *table.find(role);
  for (int i = 1; i <= row.servos; ++i) {
    const auto id = static_cast<std::uint8_t>(i);
    port.send(bytes_of(table, {Instruction::Write,
                               id,
                               {{id, of.address, of.size, of.encode(value, *table.protocol)}},
                               {}}));
    static_cast<void>(statuses(port, *table.protocol, 1, Clock::now() + std::chrono::seconds(1)));
  }
}

struct Latency {
  double median = 0.0;  // [s]
  double high = 0.0;    // of 99 %
  double highest = 0.0;
};

Latency latency_of(std::vector<double> late) {
  std::sort(late.begin(), late.end());
  const auto at = [&](double share) {
    return late.empty()
               ? NAN
               : late[static_cast<std::size_t>(share * static_cast<double>(late.size() - 1))];
  };
  return {at(0.5), at(0.99), at(1.0)};
}

void measure(const Row& row, const std::string& link, double seconds) {
  std::vector<std::string> command = row.command;
  for (std::string& word : command) {
    const std::size_t at = word.find("{link}");
    word = at == word.npos ? word : word.replace(at, 6, row.is_tcp ? "tcp:0" : link);
  }
  Server server(command);
  const std::string place = server.place();
  if (place.empty()) {
    return;
  }
  const RegisterTable table = register_table(row.model);
  SerialPort port(place, row.baud);
  write_all(port, table, row, RegisterRole::ReturnDelay, 0);
  write_all(port, table, row, RegisterRole::TorqueEnable, 1);
  const RegisterRow& present = *table.find(RegisterRole::PresentPosition);
  const RegisterRow& goal = *table.find(RegisterRole::GoalPosition);
  BusRequest read{Instruction::SyncRead, kBroadcast, {}, {}};
  for (int i = 1; i <= row.servos; ++i) {
    read.accesses.push_back({static_cast<std::uint8_t>(i), present.address, present.size, {}});
  }
  const Octets asked = bytes_of(table, read);
  BusPacket status;
  status.is_status = true;
  status.parameters.resize(present.size);
  const std::size_t answer = encode(*table.protocol, status).size();
  const double wire =
      10.0 / row.baud *
      static_cast<double>(asked.size() + answer * static_cast<std::size_t>(row.servos));
  const auto period = std::chrono::duration_cast<Clock::duration>(Seconds(1.0 / row.rate));
  const auto turns = static_cast<int>(seconds * row.rate);
  std::vector<double> late;
  int lost = 0;
  const double cpu = server.cpu();
  const auto begin = Clock::now();
  auto due = begin;
  for (int turn = 0; turn < turns; ++turn) {
    std::this_thread::sleep_until(due);
    due += period;
    const auto sent = Clock::now();
    port.send(asked);
    const int arrived = statuses(port, *table.protocol, row.servos, sent + std::chrono::seconds(1));
    lost += row.servos - arrived;
    late.push_back(Seconds(Clock::now() - sent).count() - wire);
    const auto value =
        static_cast<std::int64_t>(2048.0 + 150.0 * std::sin(turn / row.rate * 2.0 * 3.14159));
    BusRequest write{Instruction::SyncWrite, kBroadcast, {}, {}};
    for (int i = 1; i <= row.servos; ++i) {
      write.accesses.push_back({static_cast<std::uint8_t>(i), goal.address, goal.size,
                                goal.encode(value, *table.protocol)});
    }
    port.send(bytes_of(table, write));
  }
  const double took = Seconds(Clock::now() - begin).count();
  const Latency found = latency_of(std::move(late));
  fmt::print("{:<44} {:7.1f} Hz {:5} lost {:6.1f} % of a core  late {:6.3f} {:6.3f} {:7.3f} ms\n",
             row.what, turns / took, lost, 100.0 * (server.cpu() - cpu) / took, 1e3 * found.median,
             1e3 * found.high, 1e3 * found.highest);
}

// The time of the clock over that of a servo on its bench, without any port.
void measure_hours(const char* model, double hours) {
  const RegisterTable table = register_table(model);
  const BusChoices choices;
  ServoBus bus(*table.protocol, choices);
  const auto numbers = ServoCatalogue().model(model);
  BenchPlant bench(numbers, bench_load_for(*numbers));
  bus.add(std::make_unique<BusServo>(table, bench, choices));
  const RegisterRow& present = *table.find(RegisterRole::PresentPosition);
  const Octets asked =
      bytes_of(table, {Instruction::Read, 1, {{1, present.address, present.size, {}}}, {}});
  std::vector<BusReply> replies;
  std::int64_t answers = 0;
  const auto begin = Clock::now();
  const auto turns = static_cast<std::int64_t>(hours * 3600.0 * 50.0);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const double now = 0.02 * static_cast<double>(turn);
    replies.clear();
    bus.receive(asked, now, 0.0, replies);
    answers += static_cast<std::int64_t>(replies.size());
    for (int i = 0; i < 20; ++i) {
      bench.step(0.001);
      bus.step(0.001);
    }
  }
  const double took = Seconds(Clock::now() - begin).count();
  fmt::print("{:<44} {:.1f} h, {} of {} answers, in {:.1f} s: {:.0f} x real time\n",
             fmt::format("one {} at 50 reads/s, no port", model), hours, answers, turns, took,
             hours * 3600.0 / took);
}

std::string world_with_short_steps(const std::string& folder) {
  std::ifstream file(SERVOSIM_SO101);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("basicTimeStep 8", "basicTimeStep 2");
  put("protos/So101.proto",
      (std::filesystem::path(SERVOSIM_SO101).parent_path() / "protos/So101.proto").string());
  put("controller \"so101\"", "controller \"<none>\"");
  const std::string path = folder + "/so101.wbt";
  std::ofstream(path) << text;
  return path;
}

int run(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60.0;
  const double hours = argc > 2 ? std::atof(argv[2]) : 24.0;
  std::string folder = (std::filesystem::temp_directory_path() / "bench_bus_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return 1;
  }
  const std::string link = folder + "/bus";
  const auto serve = [](const std::string& model, const std::string& baud) {
    return std::vector<std::string>{SERVOSIM_PROGRAM, "bus", "serve",  model,
                                    "--baud",         baud,  "--link", "{link}"};
  };
  const std::string world = world_with_short_steps(folder);
  for (const Row& row :
       {Row{"6 STS3215 on benches", serve("STS3215:6", "1000000"), "STS3215", 6, 1e6, 500, false},
        Row{"6 STS3215 of so101.wbt, steps of 2 ms",
            {SERVOSIM_PROGRAM, "run", world, "--bus", "arm={link}"},
            "STS3215",
            6,
            1e6,
            500,
            false},
        Row{"6 STS3215 on benches, by TCP", serve("STS3215:6", "1000000"), "STS3215", 6, 1e6, 500,
            true},
        Row{"6 XM430-W350 on benches", serve("XM430-W350:6", "1000000"), "XM430-W350", 6, 1e6, 500,
            false},
        Row{"4 XM430-W350 on benches, 3 Mbit/s", serve("XM430-W350:4", "3000000"), "XM430-W350", 4,
            3e6, 1000, false},
        Row{"30 XM430-W350 on benches", serve("XM430-W350:30", "1000000"), "XM430-W350", 30, 1e6,
            100, false}}) {
    measure(row, link, seconds);
  }
  measure_hours("STS3215", hours);
  measure_hours("XM430-W350", hours);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace servosim::bus

int main(int argc, char** argv) { return servosim::bus::run(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: clients of a served bus that send any bytes through a TCP port, in any pieces,
// and leave and come again; and lines to its control socket. The first byte of the input selects
// the servo and its clock. Of the rest a byte FF is a new connection, FE some steps, FD a line for
// the control socket up to a line break; any other is the length of a piece.
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sockets.h"
#include "bus/registers/register_table.h"
#include "bus/run/bus_faults.h"
#include "bus/run/bus_line.h"
#include "bus/servo/bench_plant.h"
#include "servo_models/catalogue.h"

namespace {

using namespace servosim;
using namespace servosim::bus;

constexpr double kStep = 0.002;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

struct ServedModel {
  RegisterTable table;
  std::shared_ptr<const ServoModel> numbers;
};

const std::vector<ServedModel>& served_models() {
  static const std::vector<ServedModel> models = [] {
    std::vector<ServedModel> all;
    for (const char* const name : {"XM430-W350", "AX-12A", "STS3215", "SCS0009"}) {
      all.push_back({register_table(name), ServoCatalogue().model(name)});
    }
    return all;
  }();
  return models;
}

// A bus with one servo, and one client of it.
class ServedBus {
 public:
  ServedBus(const ServedModel& model, bool is_lockstep)
      : plant_(model.numbers, bench_load_for(*model.numbers)),
        bus_(*model.table.protocol, choices_),
        line_(loop_, with_servo(model.table), LineClock{is_lockstep, 0.0}, kStep,
              [](net::EventLoop& loop, BusPort::Calls calls) {
                return open_tcp(loop, 0, std::move(calls));
              }),
        faults_({{bus_.servos()[0].get(), &plant_, "bench/servo"}}, {}) {
    connect();
  }

  void connect() {
    const std::string_view address = line_.address();
    const int port = std::atoi(address.substr(4).data());
    client_ = net::dialling_socket(net::Address{.port = static_cast<std::uint16_t>(port)});
    serve();
  }
  void send(const std::uint8_t* bytes, std::size_t size) {
    // The system has room for more than any input.
    static_cast<void>(::send(client_.get(), bytes, size, MSG_NOSIGNAL));
    serve();
  }
  void obey(std::string_view text) {
    const std::string answer = faults_.obey(text, time_);
    must(answer == "ok" || answer.starts_with("error: "));
    must(answer.find('\n') == std::string::npos);
    faults_.apply(time_, line_);
  }
  void step() {
    plant_.step(kStep);
    time_ += kStep;
    faults_.apply(time_, line_);
    line_.step();
    const ServoSense sense = plant_.sense();
    must(std::isfinite(sense.position) && std::isfinite(sense.velocity) &&
         std::isfinite(sense.reading.current) && std::isfinite(sense.reading.voltage));
    must(line_.silence() >= 0.0);
  }

 private:
  ServoBus& with_servo(const RegisterTable& table) {
    bus_.add(std::make_unique<BusServo>(table, plant_, choices_));
    return bus_;
  }
  void serve() {
    for (int i = 0; i < 3; ++i) {
      loop_.run_once(net::Clock::now());
    }
    std::uint8_t bytes[512];
    while (::recv(client_.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
  }

  BusChoices choices_;
  net::EventLoop loop_;
  BenchPlant plant_;
  ServoBus bus_;
  BusLine line_;
  BusFaults faults_;
  Descriptor client_;
  double time_ = 0.0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::uint8_t* const end = data + size;
  const std::size_t number = data[0];
  ServedBus served(served_models()[number % served_models().size()], number >= 128);
  for (const std::uint8_t* at = data + 1; at != end;) {
    const std::uint8_t what = *at++;
    if (what == 0xFF) {
      served.connect();
    } else if (what == 0xFE) {
      for (int i = 0; i < 5; ++i) {
        served.step();
      }
    } else if (what == 0xFD) {
      const std::uint8_t* const last = std::find(at, end, '\n');
      served.obey({reinterpret_cast<const char*>(at), static_cast<std::size_t>(last - at)});
      at = last == end ? end : last + 1;
    } else {
      const std::size_t length = std::min<std::size_t>(what, static_cast<std::size_t>(end - at));
      served.send(at, length);
      at += length;
    }
  }
  return 0;
}

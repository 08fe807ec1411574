// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: files of ROBOTIS with the registers of a model, and a servo that has them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bus/registers/model_file.h"
#include "bus/registers/register_memory.h"
#include "bus/servo/bench_plant.h"
#include "bus/servo/firmware.h"
#include "servo_models/catalogue.h"

namespace {

using namespace servosim::bus;

void must(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// No byte is that of two registers, entries or data of entries.
void check_bytes(const RegisterTable& table) {
  std::vector<bool> is_taken(table.size());
  const auto take = [&](std::size_t begin, std::size_t size) {
    for (std::size_t at = begin; at < begin + size; ++at) {
      must(!is_taken[at]);
      is_taken[at] = true;
    }
  };
  for (const RegisterRow& row : table.rows) {
    take(row.address, row.size);
  }
  for (const IndirectBlock& block : table.indirect) {
    take(block.address, std::size_t{2} * block.count);
    take(block.data, block.count);
  }
}

// A servo with these registers on a bench, all of which get their greatest values while it is on.
void run_servo(const RegisterTable& table) {
  static const auto numbers = servosim::ServoCatalogue().model("XM430-W350");
  const BusChoices choices;
  RegisterMemory memory(table);
  BenchPlant plant(numbers, bench_load_for(*numbers));
  const auto firmware = make_firmware(memory, plant, choices);
  firmware->start();
  const auto step = [&] {
    firmware->order();
    for (int i = 0; i < 3; ++i) {
      plant.step(0.002);
      firmware->step(0.002);
    }
    firmware->refresh();
    must(std::isfinite(plant.sense().position) && std::isfinite(plant.sense().velocity));
  };
  step();
  memory.set(RegisterRole::TorqueEnable, 1);
  firmware->written(*memory.table().find(RegisterRole::TorqueEnable), 0);
  step();
  for (const RegisterRow& row : memory.rows()) {
    const std::int64_t most = row.range ? row.range->second : row.room().second;
    const std::int64_t before = memory.value(row);
    if (row.is_writable && firmware->check(row, most) == ServoFault::None) {
      memory.set(row, most);
      firmware->written(row, before);
    }
  }
  step();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(read_model_numbers(text, "dynamixel.model"));
  } catch (const std::invalid_argument&) {  // refused
  }
  try {
    const RegisterTable table = read_model_file(text, "x.model", "X", 7, std::nullopt);
    check_bytes(table);
    run_servo(table);
    RegisterMemory memory(table);
    for (const RegisterRow& row : memory.rows()) {
      memory.set(row, -1);
      static_cast<void>(memory.value(row));
    }
    memory.keep(memory.kept());
    must(memory.read(0, memory.table().size()).has_value());  // what the table has can be read
  } catch (const std::invalid_argument&) {                    // refused
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: files of ROBOTIS with the registers of a model.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "bus/registers/model_file.h"
#include "bus/registers/register_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace servosim::bus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(read_model_numbers(text, "dynamixel.model"));
  } catch (const std::invalid_argument&) {  // refused
  }
  try {
    RegisterMemory memory(read_model_file(text, "x.model", "X", 7, std::nullopt));
    for (const RegisterRow& row : memory.rows()) {
      memory.set(row, -1);
      static_cast<void>(memory.value(row));
    }
    memory.keep(memory.kept());
    if (!memory.read(0, memory.table().size())) {
      std::abort();  // what the table has can be read
    }
  } catch (const std::invalid_argument&) {  // refused
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: `servosim run`, `check`, `info` and `convert` with any file as the world, as a
// user starts them. The first byte of the input selects the command. The result must be a
// documented exit status.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "fuzz/expanded_text.h"
#include "fuzz/fuzz_project.h"

int servosim_main(int argc, char** argv);  // defined in src/cli/main.cpp

// A step that ODE aborts leaks its current job, 80 bytes.
extern "C" const char* __lsan_default_suppressions() { return "leak:PreallocateJobInfos\n"; }

namespace {

// The run must not wait for an extern controller, and the project has no other controller.
std::vector<std::string> arguments_of(std::uint8_t choice, const std::string& world) {
  switch (choice % 8) {
    case 'c' % 8:
      return {"check", world};
    case 'i' % 8:
      return {"info", world};
    case 'v' % 8:
      return {"convert", world, "-"};
    default:
      return {"run", world, "--steps", "3", "--controller-timeout", "0.001"};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace servosim;
  if (size < 2) {
    return 0;
  }
  static fuzz::FuzzProject project;
  std::string text =
      fuzz::expanded(std::string_view(reinterpret_cast<const char*>(data + 1), size - 1));
  project.take_proto(text);
  project.write_world(text);
  std::vector<std::string> arguments = arguments_of(data[0], project.world());
  arguments.insert(arguments.begin(), "servosim");
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const int status = servosim_main(static_cast<int>(arguments.size()), argv.data());
  if (status != kExitOk && status != kExitFailed && status != kExitBadInput &&
      status != kExitIncomplete) {
    std::abort();
  }
  return 0;
}

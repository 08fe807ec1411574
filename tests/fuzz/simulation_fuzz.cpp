// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: loads arbitrary bytes as a world and runs it. It may be refused, run or
// diverge, but never crash.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/expanded_text.h"
#include "servosim/simulation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// A step that ODE aborts leaks its current job, 80 bytes.
extern "C" const char* __lsan_default_suppressions() { return "leak:PreallocateJobInfos\n"; }

// Most mutated worlds do not parse. So half of the mutations replace a word with an extreme number
// or with another word of the same world.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> numbers{
      "0",    "-1",    "1",    "-0.5",  "1e-9", "-1e-9", "1e-300", "1e-320", "1e18",
      "-1e9", "1e300", "3.14", "1e400", "2",    "7",     "1000",   "-1e300", "0.001"};
  std::mt19937 random(seed);
  std::string text(reinterpret_cast<char*>(data), size);
  std::vector<std::pair<std::size_t, std::size_t>> words;  // begin and length
  for (std::size_t at = text.find_first_not_of(" \n"); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    words.emplace_back(at, end - at);
    at = text.find_first_not_of(" \n", end);
  }
  if (words.empty() || random() % 2 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const auto [begin, length] = words[random() % words.size()];
  const bool is_number = std::isdigit(static_cast<unsigned char>(text[begin + length - 1])) != 0;
  const auto& other = words[random() % words.size()];
  const std::string word = is_number || random() % 4 == 0 ? numbers[random() % numbers.size()]
                                                          : text.substr(other.first, other.second);
  text.replace(begin, length, word);
  text.resize(std::min(text.size(), max_size));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace servosim;
  LoadOptions options;
  options.notice = [](std::string_view) {};
  options.random_seed = 1;
  try {
    Simulation simulation = Simulation::from_text(
        "#VRML_SIM R2025a utf8\n" +
            fuzz::expanded(std::string_view(reinterpret_cast<const char*>(data), size)),
        std::move(options), "/nowhere");
    for (int r = 0; r < simulation.robots().size(); ++r) {
      for (const DeviceNode& device : simulation.robot(r).devices()) {
        if (device.get<Motor>() != nullptr) {
          device.get<Motor>()->set_position(0.4);
        }
      }
    }
    simulation.step(3);
    const SimulationState state = simulation.save();
    simulation.step(2);
    simulation.restore(state);
    for (int j = 0; j < simulation.joints().size(); ++j) {
      simulation.joint(j).reading();
    }
    simulation.step(2);
  } catch (const LoadError&) {
  } catch (const StepFailed&) {
  }
  return 0;
}

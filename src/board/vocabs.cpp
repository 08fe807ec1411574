// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

std::string to_string(vocab32_t vocab) {
  std::string code;
  for (auto rest = static_cast<std::uint32_t>(vocab); (rest & 0xff) != 0; rest >>= 8) {
    code += static_cast<char>(rest & 0xff);
  }
  return code;
}

}  // namespace servosim::yarp

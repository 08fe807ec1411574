// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <nettle/base64.h>

#include <cstddef>
#include <cstdint>

namespace servosim {

void append_base64(std::string& out, Bytes bytes) {
  const std::size_t begin = out.size();
  out.resize(begin + BASE64_ENCODE_RAW_LENGTH(bytes.size()));
  base64_encode_raw(out.data() + begin, bytes.size(),
                    reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

}  // namespace servosim

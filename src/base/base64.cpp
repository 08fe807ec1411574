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

std::optional<std::string> decoded_base64(std::string_view text) {
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  base64_decode_ctx state{};
  base64_decode_init(&state);
  std::size_t size = bytes.size();
  if (base64_decode_update(&state, &size, reinterpret_cast<std::uint8_t*>(bytes.data()),
                           text.size(), text.data()) == 0 ||
      base64_decode_final(&state) == 0) {
    return std::nullopt;
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace servosim

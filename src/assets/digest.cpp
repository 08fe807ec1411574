// SPDX-License-Identifier: Apache-2.0
#include "assets/digest.h"

#include <fmt/format.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <span>

namespace servosim::assets {
namespace {

std::string in_hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string sha1(std::string_view bytes) {
  std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest{};
  sha1_ctx context;
  ::nettle_sha1_init(&context);
  ::nettle_sha1_update(&context, bytes.size(), bytes_of(bytes));
  ::nettle_sha1_digest(&context, digest.size(), digest.data());
  return in_hexadecimal(digest);
}

std::string sha256(std::string_view bytes) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_ctx context;
  ::nettle_sha256_init(&context);
  ::nettle_sha256_update(&context, bytes.size(), bytes_of(bytes));
  ::nettle_sha256_digest(&context, digest.size(), digest.data());
  return in_hexadecimal(digest);
}

}  // namespace servosim::assets

// SPDX-License-Identifier: Apache-2.0
#include "bus/registers/register_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "bus/registers/register_file.h"

namespace servosim::bus {
namespace {

using namespace std::string_view_literals;

struct FamilyText {
  std::string_view name;
  std::string_view text;
};

constexpr FamilyText kFamilies[] = {
#include "register_texts.inc"
};

constexpr std::string_view kRoleTexts[] = {
#define SERVOSIM_ROLE(role, text) text,
    SERVOSIM_REGISTER_ROLES(SERVOSIM_ROLE)
#undef SERVOSIM_ROLE
};

// Each file is parsed once, when the first table is asked for.
const std::vector<RegisterFile>& register_files() {
  static const std::vector<RegisterFile> files = [] {
    std::vector<RegisterFile> all;
    for (const FamilyText& family : kFamilies) {
      all.emplace_back(family.text, fmt::format("servos/registers/{}.toml", family.name));
    }
    return all;
  }();
  return files;
}

}  // namespace

std::optional<RegisterRole> find_role(std::string_view text) {
  const auto* const found = std::find(std::begin(kRoleTexts), std::end(kRoleTexts), text);
  return found != std::end(kRoleTexts)
             ? std::optional(static_cast<RegisterRole>(found - std::begin(kRoleTexts)))
             : std::nullopt;
}

std::pair<std::int64_t, std::int64_t> RegisterRow::room() const {
  const std::int64_t all = std::int64_t{1} << (8 * size);
  switch (sign) {
    case RegisterSign::Complement:
      return {-all / 2, all / 2 - 1};
    case RegisterSign::Bit: {
      const std::int64_t most = (std::int64_t{1} << sign_bit) - 1;
      return {-most, most};
    }
    case RegisterSign::None:
      break;
  }
  return {-zero, all - 1 - zero};
}

bool RegisterRow::holds(std::uint32_t raw) const {
  return sign != RegisterSign::Bit || std::uint64_t{raw} >> (sign_bit + 1) == 0;
}

std::int64_t RegisterRow::decode(std::uint32_t raw) const {
  const std::int64_t number = raw;
  switch (sign) {
    case RegisterSign::Complement: {
      const std::int64_t all = std::int64_t{1} << (8 * size);
      return number >= all / 2 ? number - all : number;
    }
    case RegisterSign::Bit: {
      const std::int64_t bit = std::int64_t{1} << sign_bit;
      const std::int64_t magnitude = number & (bit - 1);
      return (number & bit) != 0 ? -magnitude : magnitude;
    }
    case RegisterSign::None:
      break;
  }
  return number - zero;
}

std::uint32_t RegisterRow::encode(std::int64_t value) const {
  const auto [least, most] = room();
  value = std::clamp(value, least, most);
  if (sign == RegisterSign::Bit) {
    const std::int64_t bit = std::int64_t{1} << sign_bit;
    return static_cast<std::uint32_t>(value < 0 ? -value | bit : value);
  }
  const std::int64_t all = std::int64_t{1} << (8 * size);
  return static_cast<std::uint32_t>((value + zero) & (all - 1));
}

std::uint32_t number_of(std::span<const std::uint8_t> bytes, const Protocol& protocol) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t at = protocol.is_big_endian ? bytes.size() - 1 - i : i;
    number |= std::uint32_t{bytes[at]} << (8 * i);
  }
  return number;
}

void put_number(std::uint32_t number, std::span<std::uint8_t> bytes, const Protocol& protocol) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t at = protocol.is_big_endian ? bytes.size() - 1 - i : i;
    bytes[at] = static_cast<std::uint8_t>(number >> (8 * i));
  }
}

std::int64_t RegisterRow::decode(std::span<const std::uint8_t> bytes,
                                 const Protocol& protocol) const {
  return decode(number_of(bytes, protocol));
}

std::vector<std::uint8_t> RegisterRow::encode(std::int64_t value, const Protocol& protocol) const {
  std::vector<std::uint8_t> bytes(size);
  put_number(encode(value), bytes, protocol);
  return bytes;
}

const RegisterRow* RegisterTable::find(RegisterRole role) const {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const RegisterRow& row) { return row.role == role; });
  return role != RegisterRole::None && found != rows.end() ? &*found : nullptr;
}

const RegisterRow* RegisterTable::find(std::string_view name) const {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const RegisterRow& row) { return row.name == name; });
  if (found != rows.end()) {
    return &*found;
  }
  const auto role = find_role(name);
  return role ? find(*role) : nullptr;
}

std::size_t RegisterTable::size() const {
  std::size_t end = rows.empty() ? 0 : rows.back().end();
  for (const IndirectBlock& block : indirect) {
    end = std::max({end, std::size_t{block.address} + 2U * block.count,
                    std::size_t{block.data} + block.count});
  }
  return end;
}

std::string firmware_text(int firmware, const Protocol& protocol) {
  return protocol.is_feetech() ? fmt::format("{}.{}", firmware / 256, firmware % 256)
                               : fmt::format("{}", firmware);
}

std::optional<int> read_firmware(std::string_view text, const Protocol& protocol) {
  const auto part = [](std::string_view digits) {
    const auto number = parse_number<int>(digits);
    return number && *number >= 0 && *number <= 255 ? number : std::nullopt;
  };
  if (!protocol.is_feetech()) {
    return part(text);
  }
  const std::size_t dot = text.find('.');
  const auto major = part(text.substr(0, dot));
  const auto minor = dot != text.npos ? part(text.substr(dot + 1)) : std::nullopt;
  return major && minor ? std::optional(256 * *major + *minor) : std::nullopt;
}

std::vector<std::string> register_models() {
  std::vector<std::string> names;
  for (const RegisterFile& file : register_files()) {
    for (const RegisterFile::Model& model : file.models()) {
      names.push_back(model.name);
    }
  }
  return names;
}

std::string register_model(int number, const Protocol& protocol) {
  for (const RegisterFile& file : register_files()) {
    for (const RegisterFile::Model& model : file.models()) {
      if (&file.protocol() == &protocol && model.number == number && number != 0) {
        return model.name;
      }
    }
  }
  return {};
}

RegisterTable register_table(std::string_view model, std::optional<int> firmware) {
  for (const RegisterFile& file : register_files()) {
    if (auto table = file.table(model, firmware)) {
      return std::move(*table);
    }
  }
  throw std::invalid_argument(fmt::format("no table has the registers of '{}'{}", printable(model),
                                          nearest_names(model, register_models())));
}

}  // namespace servosim::bus

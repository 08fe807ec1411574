// SPDX-License-Identifier: Apache-2.0
#include "bus/registers/register_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace servosim::bus {

RegisterMemory::RegisterMemory(RegisterTable table) : table_(std::move(table)) {
  bytes_.resize(table_.size());
  by_role_.resize(static_cast<std::size_t>(RegisterRole::None));
  for (const RegisterRow& row : table_.rows) {
    if (row.role != RegisterRole::None) {
      by_role_[static_cast<std::size_t>(row.role)] = &row;
    }
  }
  reset(true);
}

std::uint32_t RegisterMemory::number(std::span<const std::uint8_t> bytes) const {
  return number_of(bytes, *table_.protocol);
}

std::int64_t RegisterMemory::value(const RegisterRow& row) const {
  return row.decode(std::span(bytes_).subspan(row.address, row.size), *table_.protocol);
}

void RegisterMemory::set(const RegisterRow& row, std::int64_t value) {
  put_number(row.encode(value), std::span(bytes_).subspan(row.address, row.size), *table_.protocol);
}

std::int64_t RegisterMemory::value(RegisterRole role, std::int64_t otherwise) const {
  const RegisterRow* const row = by_role_[static_cast<std::size_t>(role)];
  return row != nullptr ? value(*row) : otherwise;
}

void RegisterMemory::set(RegisterRole role, std::int64_t value) {
  if (const RegisterRow* const row = by_role_[static_cast<std::size_t>(role)]) {
    set(*row, value);
  }
}

double RegisterMemory::quantity(RegisterRole role, double otherwise) const {
  const RegisterRow* const row = by_role_[static_cast<std::size_t>(role)];
  return row != nullptr ? static_cast<double>(value(*row)) * row->scale : otherwise;
}

void RegisterMemory::set_quantity(RegisterRole role, double quantity) {
  if (const RegisterRow* const row = by_role_[static_cast<std::size_t>(role)]) {
    const auto [least, most] = row->room();
    const double counts = std::round(row->scale > 0.0 ? quantity / row->scale : quantity);
    set(*row, static_cast<std::int64_t>(
                  std::clamp(counts, static_cast<double>(least), static_cast<double>(most))));
  }
}

std::size_t RegisterMemory::target_of(std::size_t address) const {
  for (const IndirectBlock& block : table_.indirect) {
    if (address >= block.data && address < std::size_t{block.data} + block.count) {
      const std::size_t entry = block.address + 2 * (address - block.data);
      return bytes_[entry] + 256U * bytes_[entry + 1];
    }
  }
  return address;
}

bool RegisterMemory::is_mirror(std::size_t address) const {
  return std::any_of(
      table_.indirect.begin(), table_.indirect.end(), [&](const IndirectBlock& block) {
        return address >= block.data && address < std::size_t{block.data} + block.count;
      });
}

const RegisterRow* RegisterMemory::row_at(std::size_t address) const {
  const auto found = std::find_if(rows().begin(), rows().end(), [&](const RegisterRow& row) {
    return address >= row.address && address < row.end();
  });
  return found != rows().end() ? &*found : nullptr;
}

const IndirectBlock* RegisterMemory::entry_at(std::size_t address) const {
  const auto found =
      std::find_if(table_.indirect.begin(), table_.indirect.end(), [&](const IndirectBlock& block) {
        return address >= block.address && address < std::size_t{block.address} + 2U * block.count;
      });
  return found != table_.indirect.end() ? &*found : nullptr;
}

void RegisterMemory::set_entry(std::size_t address, std::uint16_t target) {
  bytes_[address] = static_cast<std::uint8_t>(target);
  bytes_[address + 1] = static_cast<std::uint8_t>(target >> 8);
}

std::optional<Octets> RegisterMemory::read(std::size_t address, std::size_t count) const {
  if (address > bytes_.size() || count > bytes_.size() - address) {
    return std::nullopt;
  }
  Octets result(count);
  for (std::size_t i = 0; i < count; ++i) {
    // An entry that names data of a block again, by its default or by a chain, ends after one step.
    const std::size_t target = target_of(address + i);
    result[i] = target < bytes_.size() ? bytes_[target] : std::uint8_t{0};
  }
  return result;
}

void RegisterMemory::put(std::size_t address, std::span<const std::uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(address));
}

void RegisterMemory::reset(bool with_eeprom) {
  const auto concerns = [&](RegisterArea area) { return with_eeprom || !is_kept(area); };
  for (const RegisterRow& row : table_.rows) {
    if (concerns(row.area) && row.initial_of.empty()) {
      set(row, row.initial.value_or(0));
    }
  }
  if (with_eeprom) {
    set(RegisterRole::ModelNumber, table_.number);
    const RegisterRow* const version = table_.find(RegisterRole::FirmwareVersion);
    if (version != nullptr && !version->initial) {
      set(*version, table_.firmware);
    }
  }
  for (const RegisterRow& row : table_.rows) {
    if (concerns(row.area) && !row.initial_of.empty()) {
      if (const RegisterRow* const source = table_.find(row.initial_of)) {
        set(row, value(*source));
      }
    }
  }
  for (const IndirectBlock& block : table_.indirect) {
    if (concerns(block.area)) {
      for (std::size_t i = 0; i < block.count; ++i) {
        set_entry(block.address + 2 * i, static_cast<std::uint16_t>(block.data + i));
      }
    }
  }
}

Octets RegisterMemory::kept() const {
  Octets bytes;
  for (const RegisterRow& row : table_.rows) {
    if (is_kept(row.area)) {
      const auto* const from = bytes_.data() + row.address;
      bytes.insert(bytes.end(), from, from + row.size);
    }
  }
  for (const IndirectBlock& block : table_.indirect) {
    if (is_kept(block.area)) {
      const auto* const from = bytes_.data() + block.address;
      bytes.insert(bytes.end(), from, from + std::size_t{2} * block.count);
    }
  }
  return bytes;
}

Octets RegisterMemory::kept_with(Octets bytes, const RegisterRow& changed) const {
  std::size_t at = 0;
  for (const RegisterRow& row : table_.rows) {
    if (row.address == changed.address) {
      std::copy_n(bytes_.begin() + row.address, row.size,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    at += is_kept(row.area) ? row.size : 0;
  }
  return bytes;
}

void RegisterMemory::keep(const Octets& bytes) {
  std::size_t at = 0;
  const auto take = [&](std::size_t address, std::size_t size) {
    if (at + size <= bytes.size()) {
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                  bytes_.begin() + static_cast<std::ptrdiff_t>(address));
    }
    at += size;
  };
  for (const RegisterRow& row : table_.rows) {
    if (is_kept(row.area)) {
      take(row.address, row.size);
    }
  }
  for (const IndirectBlock& block : table_.indirect) {
    if (is_kept(block.area)) {
      take(block.address, std::size_t{2} * block.count);
    }
  }
}

}  // namespace servosim::bus

// SPDX-License-Identifier: Apache-2.0
#include "bus/registers/register_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "base/toml_reading.h"

namespace servosim::bus {
namespace {

constexpr double kPi = std::numbers::pi;

// Units of registers, in SI. A pulse is that of the model's position.
struct RegisterUnit {
  std::string_view name;
  double scale;
  bool is_pulse;
};
constexpr RegisterUnit kUnits[] = {
    {"pulse", 1.0, true},
    {"pulse/s", 1.0, true},
    {"pulse/s2", 1.0, true},
    {"rpm", kPi / 30.0, false},
    {"rpm2", kPi / 1800.0, false},  // 1/min²
    {"deg/s2", kPi / 180.0, false},
    {"%", 0.01, false},
    {"V", 1.0, false},
    {"V/s", 1.0, false},
    {"mA", 0.001, false},
    {"degC", 1.0, false},
    {"ms", 0.001, false},
    {"us", 1e-6, false},
};

/// Reads one family for one model.
class FamilyReader {
 public:
  FamilyReader(const TomlReading& reading, RegisterTable& table)
      : reading_(reading), table_(table) {}

  void read_family(const toml::table& file);
  void read_model(const toml::table& model, std::optional<int> firmware);
  void read_row(const toml::table& row);
  void read_indirect(const toml::table& block);

 private:
  std::int64_t whole(const toml::node& node) const;
  bool concerns_model(const toml::table& row) const;
  bool concerns_firmware(const toml::table& row) const;
  void read_unit(const toml::node& node, RegisterRow& row) const;
  void read_sign(const toml::node& node, RegisterRow& row) const;
  RegisterRole role(const toml::node& node) const;
  RegisterArea area(const toml::node& node) const;
  void read_values(const toml::table& table, RegisterRow& row) const;

  const TomlReading& reading_;
  RegisterTable& table_;
};

std::int64_t FamilyReader::whole(const toml::node& node) const {
  const auto number = node.value_exact<std::int64_t>();
  if (!number) {
    reading_.refuse(node, "this must be a whole number");
  }
  return *number;
}

bool FamilyReader::concerns_model(const toml::table& row) const {
  const toml::node* const models = row.get("models");
  if (models == nullptr) {
    return true;
  }
  const auto names = reading_.words(*models);
  return std::find(names.begin(), names.end(), table_.model) != names.end();
}

bool FamilyReader::concerns_firmware(const toml::table& row) const {
  const toml::node* const since = row.get("since");
  const toml::node* const before = row.get("before");
  return (since == nullptr || table_.firmware >= whole(*since)) &&
         (before == nullptr || table_.firmware < whole(*before));
}

// What all models of a file have alike besides registers.
void FamilyReader::read_family(const toml::table& file) {
  if (const toml::node* const since = file.get("fast_reads_since")) {
    table_.fast_reads_since = static_cast<int>(whole(*since));
  }
  if (const toml::node* const limit = file.get("homing_limit")) {
    table_.homing_limit = reading_.number(*limit, 0.0);
  }
  const auto is_word = [&](const char* key, std::string_view only) {
    const toml::node* const node = file.get(key);
    if (node != nullptr && reading_.word(*node) != only) {
      reading_.refuse(*node, fmt::format("`{}` can only be \"{}\"", key, only));
    }
    return node != nullptr;
  };
  table_.has_short_moving_status = is_word("moving_status", "short");
  table_.has_supply_current = is_word("current", "supply");
  table_.has_bulk_read = !is_word("bulk_read", "none");
}

void FamilyReader::read_model(const toml::table& model, std::optional<int> firmware) {
  constexpr std::string_view kKeys[] = {"name", "number", "firmware", "counts", "zero"};
  reading_.check_keys(model, kKeys);
  const auto number = [&](const char* key) {
    const toml::node* const node = model.get(key);
    return node != nullptr ? reading_.number(*node, 0.0) : 0.0;
  };
  table_.number = static_cast<int>(number("number"));
  table_.firmware = firmware.value_or(static_cast<int>(number("firmware")));
  table_.counts = number("counts");
  table_.zero = number("zero");
  if (!(table_.counts > 0.0)) {
    reading_.refuse(model, "a model has `counts`, those of its position per turn");
  }
}

void FamilyReader::read_unit(const toml::node& node, RegisterRow& row) const {
  row.unit = reading_.word(node);
  const std::size_t blank = row.unit.find(' ');
  const std::string_view name =
      std::string_view(row.unit).substr(std::min(blank + 1, row.unit.size()));
  const auto* const unit =
      std::find_if(std::begin(kUnits), std::end(kUnits),
                   [&](const RegisterUnit& each) { return each.name == name; });
  const double size = std::atof(row.unit.c_str());
  if (blank == std::string::npos || unit == std::end(kUnits) || !(size > 0.0)) {
    reading_.refuse(node, "a unit is a number and a name, such as \"0.229 rpm\"");
  }
  row.scale = size * unit->scale * (unit->is_pulse ? 2.0 * kPi / table_.counts : 1.0);
}

void FamilyReader::read_sign(const toml::node& node, RegisterRow& row) const {
  const std::string text = reading_.word(node);
  if (text == "complement") {
    row.sign = RegisterSign::Complement;
    return;
  }
  const int bit = text.starts_with("bit ") ? std::atoi(text.c_str() + 4) : 0;
  if (bit < 1 || bit >= 8 * row.size) {
    reading_.refuse(node, "`sign` is \"complement\" or a bit of the register, such as \"bit 15\"");
  }
  row.sign = RegisterSign::Bit;
  row.sign_bit = static_cast<std::uint8_t>(bit);
}

RegisterRole FamilyReader::role(const toml::node& node) const {
  const auto found = find_role(reading_.word(node));
  if (!found) {
    reading_.refuse(node, "there is no such role");
  }
  return *found;
}

RegisterArea FamilyReader::area(const toml::node& node) const {
  const std::string text = reading_.word(node);
  if (text == "EEPROM") {
    return RegisterArea::Eeprom;
  }
  if (text == "RAM") {
    return RegisterArea::Ram;
  }
  if (text != "FACTORY") {
    reading_.refuse(node, "`area` is \"EEPROM\", \"RAM\" or \"FACTORY\"");
  }
  return RegisterArea::Factory;
}

void FamilyReader::read_values(const toml::table& table, RegisterRow& row) const {
  const auto numbers = [&](const toml::node& node) {
    std::vector<std::int64_t> list;
    if (const toml::array* const array = node.as_array()) {
      for (const toml::node& each : *array) {
        list.push_back(whole(each));
      }
    }
    return list;
  };
  if (const toml::node* const initial = table.get("initial")) {
    if (initial->is_string()) {
      row.initial_of = reading_.word(*initial);
    } else {
      row.initial = whole(*initial);
    }
  }
  if (const toml::node* const range = table.get("range")) {
    const auto ends = numbers(*range);
    if (ends.size() != 2 || ends[0] > ends[1]) {
      reading_.refuse(*range, "a range is [LEAST, GREATEST]");
    }
    row.range = {ends[0], ends[1]};
  }
  if (const toml::node* const values = table.get("values")) {
    row.values = numbers(*values);
  }
  if (const toml::node* const limit = table.get("limit")) {
    row.limit = role(*limit);
  }
  if (const toml::node* const note = table.get("note")) {
    row.note = reading_.word(*note);
  }
}

void FamilyReader::read_row(const toml::table& table) {
  constexpr std::string_view kKeys[] = {"address", "size",   "name",  "role",    "access", "area",
                                        "unit",    "sign",   "zero",  "initial", "range",  "limit",
                                        "values",  "models", "since", "before",  "note"};
  reading_.check_keys(table, kKeys);
  if (!concerns_model(table) || !concerns_firmware(table)) {
    return;
  }
  const auto need = [&](const char* key) -> const toml::node& {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      reading_.refuse(table, fmt::format("a register has `{}`", key));
    }
    return *node;
  };
  RegisterRow row;
  const std::int64_t address = whole(need("address"));
  const std::int64_t size = whole(need("size"));
  if (address < 0 || address > 4000 || (size != 1 && size != 2 && size != 4)) {
    reading_.refuse(table, "a register has 1, 2 or 4 bytes at an address from 0 to 4000");
  }
  row.address = static_cast<std::uint16_t>(address);
  row.size = static_cast<std::uint8_t>(size);
  row.name = reading_.word(need("name"));
  const toml::node* const named = table.get("role");
  row.role = named != nullptr ? role(*named) : find_role(row.name).value_or(RegisterRole::None);
  if (table_.has(row.role)) {  // never of None
    reading_.refuse(table, "another register of this model has the same role");
  }
  row.is_writable = reading_.word(need("access")) == "RW";
  row.area = area(need("area"));
  if (const toml::node* const sign = table.get("sign")) {
    read_sign(*sign, row);
  }
  if (const toml::node* const zero = table.get("zero")) {
    row.zero = whole(*zero);
  }
  if (const toml::node* const unit = table.get("unit")) {
    read_unit(*unit, row);
  }
  read_values(table, row);
  if (!table_.rows.empty() && table_.rows.back().end() > row.address) {
    reading_.refuse(table, "registers are in the order of their addresses, each for itself");
  }
  table_.rows.push_back(std::move(row));
}

void FamilyReader::read_indirect(const toml::table& table) {
  constexpr std::string_view kKeys[] = {"address", "count", "data",  "first",
                                        "last",    "area",  "since", "before"};
  reading_.check_keys(table, kKeys);
  if (!concerns_firmware(table)) {
    return;
  }
  const auto number = [&](const char* key) {
    const toml::node* const node = table.get(key);
    const std::int64_t value = node != nullptr ? whole(*node) : -1;
    if (value < 0 || value > 4000) {
      reading_.refuse(table, fmt::format("an indirect block has `{}`, from 0 to 4000", key));
    }
    return static_cast<std::uint16_t>(value);
  };
  const toml::node* const where = table.get("area");
  table_.indirect.push_back({number("address"), number("count"), number("data"), number("first"),
                             number("last"), where != nullptr ? area(*where) : RegisterArea::Ram});
}

const toml::node& part_of(const TomlReading& reading, const toml::table& file, const char* key) {
  const toml::node* const node = file.get(key);
  if (node == nullptr) {
    reading.refuse(file, fmt::format("a file of registers has `{}`", key));
  }
  return *node;
}

// The version of Feetech's firmware is that of its two registers.
void set_version(RegisterTable& table, std::optional<int> firmware) {
  const auto part = [&](RegisterRole role, int value) {
    for (RegisterRow& row : table.rows) {
      if (row.role == role) {
        row.initial = firmware ? value : row.initial.value_or(0);
        return static_cast<int>(*row.initial);
      }
    }
    return 0;
  };
  const int asked = firmware.value_or(0);
  const int major = part(RegisterRole::FirmwareVersion, asked / 256);
  table.firmware = 256 * major + part(RegisterRole::FirmwareMinor, asked % 256);
}

}  // namespace

RegisterFile::RegisterFile(std::string_view text, const std::string& path)
    : reading_(path), file_(reading_.parse(text)) {
  constexpr std::string_view kKeys[] = {
      "protocol",         "sources",      "notes",         "registers", "indirect", "models",
      "fast_reads_since", "homing_limit", "moving_status", "current",   "bulk_read"};
  reading_.check_keys(file_, kKeys);
  const std::size_t slash = path.rfind('/') + 1;
  family_ = path.substr(slash, path.rfind('.') - slash);
  const toml::node& protocol = part_of(reading_, file_, "protocol");
  protocol_ = find_protocol(reading_.word(protocol));
  if (protocol_ == nullptr) {
    reading_.refuse(protocol, "`protocol` is dynamixel1, dynamixel2, sts or scs");
  }
  for (const toml::table* const model :
       reading_.tables(part_of(reading_, file_, "models"), "models")) {
    const toml::node* const number = model->get("number");
    models_.push_back({reading_.word(part_of(reading_, *model, "name")),
                       number != nullptr ? static_cast<int>(reading_.number(*number, 0.0)) : 0});
  }
}

std::optional<RegisterTable> RegisterFile::table(std::string_view model,
                                                 std::optional<int> firmware) const {
  RegisterTable table;
  FamilyReader reader(reading_, table);
  for (const toml::table* const each :
       reading_.tables(part_of(reading_, file_, "models"), "models")) {
    if (reading_.word(part_of(reading_, *each, "name")) == model) {
      table.model = model;
      reader.read_model(*each, firmware);
    }
  }
  if (table.model.empty()) {
    return std::nullopt;
  }
  table.family = family_;
  table.protocol = protocol_;
  reader.read_family(file_);
  for (const toml::table* const row :
       reading_.tables(part_of(reading_, file_, "registers"), "registers")) {
    reader.read_row(*row);
  }
  if (protocol_->is_feetech()) {
    set_version(table, firmware);
  }
  if (const toml::node* const blocks = file_.get("indirect")) {
    for (const toml::table* const block : reading_.tables(*blocks, "indirect")) {
      reader.read_indirect(*block);
    }
  }
  return table;
}

}  // namespace servosim::bus

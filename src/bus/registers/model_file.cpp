// SPDX-License-Identifier: Apache-2.0
#include "bus/registers/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/printable.h"
#include "base/text.h"

namespace servosim::bus {
namespace {

// The greatest address and size of a table, and the most lines of a file.
constexpr int kMostAddress = 4000;
constexpr int kMostLines = 10000;
constexpr int kMostEntries = 128;
// What a turn of a servo and a count of its velocity [rad/s] can be.
constexpr double kMostCounts = 2147483648.0;
constexpr double kLeastVelocity = 1e-6;
constexpr double kMostVelocity = 1e3;

[[noreturn]] void refuse_at(const std::string& path, int line, const std::string& reason) {
  throw std::invalid_argument(line > 0 ? fmt::format("{}:{}: {}", printable(path), line, reason)
                                       : fmt::format("{}: {}", printable(path), reason));
}

bool are_same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Text whose lines have columns between tabs.
class ColumnReader {
 public:
  ColumnReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  // Goes to the next line with text in it. @return false at the end
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = trimmed(text_.substr(0, end), " \t\r");
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (++number_ > kMostLines) {
        refuse(fmt::format("it has more than {} lines", kMostLines));
      }
      if (!line.empty()) {
        split(line);
        return true;
      }
    }
    return false;
  }
  const std::vector<std::string_view>& columns() const { return columns_; }
  int line() const { return number_; }
  [[noreturn]] void refuse(const std::string& reason) const { refuse_at(path_, number_, reason); }
  // Refuses a line that is not the one with the names of columns.
  void check_header(std::string_view first) const {
    if (!are_same(columns_.front(), first)) {
      refuse(fmt::format("the names of the columns must be here, the first one '{}'", first));
    }
  }
  int whole(std::size_t column, int least, int most, std::string_view what) const {
    const auto number =
        column < columns_.size() ? parse_number<int>(columns_[column]) : std::optional<int>();
    if (!number || *number < least || *number > most) {
      refuse(fmt::format("{} must be a whole number from {} to {}", what, least, most));
    }
    return *number;
  }
  double number(std::size_t column, std::string_view what) const {
    const auto number =
        column < columns_.size() ? parse_number<double>(columns_[column]) : std::optional<double>();
    if (!number || !std::isfinite(*number) || std::abs(*number) > 1e12) {
      refuse(fmt::format("{} must be a number", what));
    }
    return *number;
  }

 private:
  void split(std::string_view line) {
    columns_.clear();
    while (true) {
      const std::size_t end = std::min(line.find('\t'), line.size());
      if (const std::string_view column = trimmed(line.substr(0, end)); !column.empty()) {
        columns_.push_back(column);
      }
      if (end == line.size()) {
        return;
      }
      line.remove_prefix(end + 1);
    }
  }

  std::string_view text_;
  std::string path_;
  int number_ = 0;
  std::vector<std::string_view> columns_;
};

struct FileRow {
  int address = 0;
  int size = 0;
  std::string name;  // without a remark in parentheses
  int line = 0;

  bool meets(const FileRow& other) const {
    return address < other.address + other.size && other.address < address + size;
  }
};

struct FileNumber {
  double value = 0.0;
  int line = 0;
};

// What a file says.
struct ModelFileText {
  std::string path;
  std::map<std::string, FileNumber, std::less<>> type;  // [type info]
  std::map<std::string, FileNumber, std::less<>> unit;  // [unit info]
  std::vector<FileRow> rows;
  std::map<std::string, FileRow, std::less<>> indirect;  // by name

  FileNumber of(std::string_view key) const {
    const auto found = type.find(key);
    if (found == type.end()) {
      refuse_at(path, 0, fmt::format("[type info] must have {}", key));
    }
    return found->second;
  }
  // Returns one count of the velocity [rad/s]; 0: it does not say.
  double velocity() const {
    const auto found = unit.find("Present Velocity");
    return found != unit.end() ? found->second.value : 0.0;
  }
};

// "Secondary(Shadow) ID" and "Secondary ID" are the same register, and so are "BUS Watchdog" and
// "Bus Watchdog".
std::string without_remark(std::string_view name) {
  const std::size_t begin = name.find('(');
  const std::size_t end = name.find(')', begin == name.npos ? name.size() : begin);
  if (begin == name.npos || end == name.npos) {
    return std::string(name);
  }
  std::string text(trimmed(name.substr(0, begin)));
  const std::string_view rest = trimmed(name.substr(end + 1));
  return rest.empty() ? text : fmt::format("{} {}", text, rest);
}

void read_register(const ColumnReader& reader, ModelFileText& file) {
  FileRow row;
  row.address = reader.whole(0, 0, kMostAddress, "the address of a register");
  row.size = reader.whole(1, 1, 4, "the size of a register");
  if (row.size == 3 || reader.columns().size() < 3) {
    reader.refuse("a register has an address, 1, 2 or 4 bytes and a name, with tabs between them");
  }
  row.name = without_remark(reader.columns()[2]);
  row.line = reader.line();
  const bool is_indirect = row.name.starts_with("Indirect ");
  const auto check = [&](const FileRow& other, bool is_alone) {
    if (are_same(row.name, other.name)) {
      reader.refuse(fmt::format("line {} has '{}' already", other.line, printable(other.name)));
    }
    if (is_alone && row.meets(other)) {
      reader.refuse(
          fmt::format("'{}' has bytes of '{}'", printable(row.name), printable(other.name)));
    }
  };
  for (const FileRow& other : file.rows) {
    check(other, true);
  }
  for (const auto& [name, other] : file.indirect) {  // a block may have several names
    check(other, !is_indirect);
  }
  if (is_indirect) {
    file.indirect[row.name] = row;
  } else {
    file.rows.push_back(std::move(row));
  }
}

void read_number(const ColumnReader& reader, std::string_view what,
                 std::map<std::string, FileNumber, std::less<>>& numbers) {
  const std::string_view key = reader.columns().front();
  const FileNumber number{reader.number(1, what), reader.line()};
  const auto [known, is_new] = numbers.emplace(std::string(key), number);
  if (!is_new) {
    reader.refuse(fmt::format("line {} has '{}' already", known->second.line, printable(key)));
  }
}

ModelFileText read_text(std::string_view text, const std::string& path) {
  ModelFileText file;
  file.path = path;
  ColumnReader reader(text, path);
  std::string section;
  bool is_header = false;  // the first line of a section names its columns
  while (reader.next()) {
    const std::string_view first = reader.columns().front();
    if (first.front() == '[') {
      section = std::string(first);
      is_header = true;
      if (section != "[type info]" && section != "[unit info]" && section != "[control table]") {
        reader.refuse(fmt::format(
            "there is no section {}; there are [type info], [unit info] and [control table]",
            printable(section)));
      }
    } else if (section.empty()) {
      reader.refuse("a file NAME.model begins with a section such as [type info]");
    } else if (std::exchange(is_header, false)) {
      reader.check_header(section == "[type info]"   ? "name"
                          : section == "[unit info]" ? "Data Name"
                                                     : "Address");
    } else if (section == "[type info]") {
      read_number(reader, "what follows a name", file.type);
    } else if (section == "[unit info]") {
      read_number(reader, "a unit", file.unit);
    } else {
      read_register(reader, file);
    }
  }
  if (file.rows.empty()) {
    refuse_at(path, 0, "it has no registers in a section [control table]");
  }
  const auto velocity = file.unit.find("Present Velocity");
  if (velocity != file.unit.end() &&
      !(velocity->second.value >= kLeastVelocity && velocity->second.value <= kMostVelocity)) {
    refuse_at(path, velocity->second.line,
              fmt::format("a count of the velocity must be from {} to {} rad/s", kLeastVelocity,
                          kMostVelocity));
  }
  std::sort(file.rows.begin(), file.rows.end(),
            [](const FileRow& a, const FileRow& b) { return a.address < b.address; });
  return file;
}

// The counts of a whole turn: 0 to 4095 are 4096 of them, -303750 to 303750 are 607500.
double counts_of(const ModelFileText& file) {
  const double least = file.of("value_of_min_radian_position").value;
  const FileNumber most = file.of("value_of_max_radian_position");
  const double angle = file.of("max_radian").value - file.of("min_radian").value;
  if (!(most.value > least) || !(angle > 0.0)) {
    refuse_at(file.path, most.line,
              "value_of_max_radian_position must be above value_of_min_radian_position, and "
              "max_radian above min_radian");
  }
  const double counts = std::round((most.value - least + (least == 0.0 ? 1.0 : 0.0)) * 2.0 *
                                   std::numbers::pi / angle);
  if (!(counts >= 1.0 && counts <= kMostCounts)) {
    refuse_at(
        file.path, most.line,
        fmt::format("a turn of 2 pi rad would have {:g} counts, and must have from 1 to {:.0f}",
                    counts, kMostCounts));
  }
  return counts;
}

double zero_of(const ModelFileText& file) {
  const FileNumber zero = file.of("value_of_zero_radian_position");
  if (!(zero.value >= -kMostCounts && zero.value < kMostCounts)) {
    refuse_at(file.path, zero.line, "value_of_zero_radian_position must be a position of 4 bytes");
  }
  return zero.value;
}

const RegisterRow* row_named(const RegisterTable& table, std::string_view name) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const RegisterRow& row) { return are_same(row.name, name); });
  return found != table.rows.end() ? &*found : nullptr;
}

// Our tables of the protocol of all these files.
const std::vector<RegisterTable>& tables_of_ours() {
  static const std::vector<RegisterTable> tables = [] {
    std::vector<RegisterTable> list;
    for (const std::string& model : register_models()) {
      RegisterTable table = register_table(model);
      if (table.protocol == &kDynamixel2) {
        list.push_back(std::move(table));
      }
    }
    return list;
  }();
  return tables;
}

// The longest number in a name: 430 of XM430-W350.
std::string_view size_in(std::string_view name) {
  std::string_view longest;
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::size_t end = i;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) {
      ++end;
    }
    longest = end - i > longest.size() ? name.substr(i, end - i) : longest;
  }
  return longest;
}

// Mainly how many registers a table has where the file has them. Servos of one series and size, and
// those with the same unit of velocity, have more in common than a few addresses.
int likeness(const RegisterTable& table, const ModelFileText& file, std::string_view model) {
  int alike = model.starts_with(table.model.front()) ? 2 : 0;
  alike += size_in(table.model) == size_in(model) ? 5 : 0;
  for (const FileRow& row : file.rows) {
    const RegisterRow* const own = row_named(table, row.name);
    alike += own != nullptr && own->address == row.address && own->size == row.size ? 1 : 0;
  }
  const RegisterRow* const velocity = table.find(RegisterRole::PresentVelocity);
  const bool has_unit = velocity != nullptr && file.velocity() > 0.0 &&
                        std::abs(velocity->scale / file.velocity() - 1.0) < 0.03;
  return alike + (has_unit ? 20 : 0);
}

RegisterTable nearest_table(const ModelFileText& file, std::string_view model,
                            std::optional<int> firmware) {
  const auto& tables = tables_of_ours();
  const auto nearest = std::max_element(
      tables.begin(), tables.end(), [&](const RegisterTable& a, const RegisterTable& b) {
        return likeness(a, file, model) < likeness(b, file, model);
      });
  return register_table(nearest->model, firmware);
}

// A quantity has `ratio` times as many counts as in `like`: positions of another encoder, and
// velocities with another unit.
void rescale(RegisterRow& row, double ratio) {
  row.scale /= ratio;
  const auto scaled = [&](std::int64_t value) {
    return std::llround(static_cast<double>(value) * ratio);
  };
  const auto [least, most] = row.room();
  if (row.initial) {
    row.initial = std::clamp<std::int64_t>(scaled(*row.initial), least, most);
  }
  if (row.range) {
    row.range = {std::clamp<std::int64_t>(scaled(row.range->first), least, most),
                 std::clamp<std::int64_t>(scaled(row.range->second), least, most)};
  }
}

// @param position  its counts of a turn over those of `like`
// @param velocity  its counts of a velocity over those of `like`
// @param torque  the address of Torque Enable
RegisterRow row_of(const FileRow& source, const RegisterTable& like, double position,
                   double velocity, int torque) {
  RegisterRow row;
  if (const RegisterRow* const known = row_named(like, source.name)) {
    row = *known;
  } else {
    row.area = source.address < torque ? RegisterArea::Eeprom : RegisterArea::Ram;
    row.is_writable = !source.name.starts_with("Error ") &&
                      (row.area == RegisterArea::Eeprom || !source.name.starts_with("Present "));
    row.initial = row.is_writable ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  const bool has_size = row.size == source.size;
  row.address = static_cast<std::uint16_t>(source.address);
  row.size = static_cast<std::uint8_t>(source.size);
  row.name = source.name;
  if (row.unit.find(" pulse") != std::string::npos && position != 1.0) {
    rescale(row, position);
  } else if (row.unit.ends_with(" rpm") && velocity != 1.0) {
    rescale(row, velocity);
    row.unit = fmt::format("{:.4g} rpm", row.scale * 30.0 / std::numbers::pi);
  }
  const bool is_voltage =
      row.role == RegisterRole::MinVoltage || row.role == RegisterRole::MaxVoltage;
  if (!has_size || is_voltage) {
    row.range.reset();
  }
  if (is_voltage) {
    row.initial = row.role == RegisterRole::MinVoltage ? row.room().first : row.room().second;
  }
  return row;
}

// A file has the first entry of each block and its data. A block that no table of ours has goes on
// to the next register.
void add_indirect(const ModelFileText& file, const RegisterTable& like, RegisterTable& table) {
  const auto has = [&](std::string_view name, int address) {
    return std::any_of(file.indirect.begin(), file.indirect.end(), [&](const auto& each) {
      return each.first.starts_with(name) && each.second.address == address;
    });
  };
  std::vector<int> begins{kMostAddress};
  for (const FileRow& row : file.rows) {
    begins.push_back(row.address);
  }
  const auto room = [&](int address) {
    int next = kMostAddress;
    for (const int begin : begins) {
      next = begin > address ? std::min(next, begin) : next;
    }
    return next - address;
  };
  for (IndirectBlock block : like.indirect) {
    if (has("Indirect Address", block.address) && has("Indirect Data", block.data)) {
      block.count = static_cast<std::uint16_t>(
          std::min({int{block.count}, room(block.address) / 2, room(block.data)}));
      table.indirect.push_back(block);
    }
  }
  for (const auto& each : file.indirect) {
    begins.push_back(each.second.address);
  }
  for (const std::string_view way : {"Write", "Read"}) {
    const auto address = file.indirect.find(fmt::format("Indirect Address {}", way));
    const auto data = file.indirect.find(fmt::format("Indirect Data {}", way));
    if (address == file.indirect.end() || data == file.indirect.end()) {
      continue;
    }
    const int from = address->second.address;
    const int to = data->second.address;
    const bool is_known =
        std::any_of(table.indirect.begin(), table.indirect.end(), [&](const IndirectBlock& block) {
          return from >= block.address && from < block.address + 2 * block.count;
        });
    const int count = std::min({room(from) / 2, room(to), kMostEntries});
    if (!is_known) {
      table.indirect.push_back(
          {static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(count),
           static_cast<std::uint16_t>(to), static_cast<std::uint16_t>(table.rows.front().address),
           static_cast<std::uint16_t>(std::max(table.rows.back().end() - 1, to + count - 1)),
           RegisterArea::Ram});
    }
  }
  for (const IndirectBlock& block : table.indirect) {
    if (block.count == 0) {
      refuse_at(file.path, 0,
                fmt::format("[control table] has no room for an entry of the indirect block at {}",
                            block.address));
    }
  }
}

// Each byte of a table is that of one register, of one entry or of the data of one entry.
void check_bytes(const ModelFileText& file, const RegisterTable& table) {
  std::vector<bool> is_taken(table.size());
  const auto take = [&](std::size_t begin, std::size_t size) {
    for (std::size_t at = begin; at < begin + size; ++at) {
      if (is_taken[at]) {
        refuse_at(file.path, 0,
                  fmt::format("[control table] has an indirect block with the address {}, where "
                              "there is another block or a register",
                              at));
      }
      is_taken[at] = true;
    }
  };
  for (const RegisterRow& row : table.rows) {
    take(row.address, row.size);
  }
  for (const IndirectBlock& block : table.indirect) {
    take(block.address, std::size_t{2} * block.count);
    take(block.data, block.count);
  }
}

}  // namespace

RegisterTable read_model_file(std::string_view text, const std::string& path,
                              const std::string& model, int number, std::optional<int> firmware) {
  const ModelFileText file = read_text(text, path);
  const RegisterTable like = nearest_table(file, model, firmware);
  RegisterTable table = like;
  table.model = model;
  table.family = "model file";
  table.like = like.model;
  table.number = number;
  table.counts = counts_of(file);
  table.zero = zero_of(file);
  const double position = table.counts / like.counts;
  if (table.homing_limit) {
    *table.homing_limit *= position;
  }
  table.rows.clear();
  table.indirect.clear();
  const auto torque = std::find_if(file.rows.begin(), file.rows.end(), [](const FileRow& row) {
    return are_same(row.name, "Torque Enable");
  });
  const RegisterRow* const present = like.find(RegisterRole::PresentVelocity);
  const double ratio =
      present != nullptr && file.velocity() > 0.0 ? present->scale / file.velocity() : 1.0;
  const double velocity = std::abs(ratio - 1.0) > 0.03 ? ratio : 1.0;  // makers round
  for (const FileRow& row : file.rows) {
    table.rows.push_back(
        row_of(row, like, position, velocity, torque != file.rows.end() ? torque->address : 0));
    if (table.rows.back().role == RegisterRole::ModelNumber) {
      table.rows.back().initial = number;
    }
  }
  for (const auto& [role, name] :
       {std::pair(RegisterRole::Id, "ID"), std::pair(RegisterRole::ModelNumber, "Model Number"),
        std::pair(RegisterRole::FirmwareVersion, "Firmware Version"),
        std::pair(RegisterRole::BaudRate, "Baud Rate"),
        std::pair(RegisterRole::TorqueEnable, "Torque Enable"),
        std::pair(RegisterRole::GoalPosition, "Goal Position"),
        std::pair(RegisterRole::PresentPosition, "Present Position")}) {
    if (!table.has(role)) {
      throw std::invalid_argument(
          fmt::format("{}: [control table] must have a register '{}'", printable(path), name));
    }
  }
  add_indirect(file, like, table);
  check_bytes(file, table);
  return table;
}

std::vector<ModelNumber> read_model_numbers(std::string_view text, const std::string& path) {
  std::vector<ModelNumber> numbers;
  ColumnReader reader(text, path);
  bool is_header = true;
  while (reader.next()) {
    if (std::exchange(is_header, false)) {
      reader.check_header("Number");
    } else {
      const int number = reader.whole(0, 0, 65535, "the number of a model");
      if (reader.columns().size() < 2) {
        reader.refuse("a model has a number and a file, with a tab between them");
      }
      numbers.push_back({number, std::string(reader.columns()[1])});
    }
  }
  return numbers;
}

}  // namespace servosim::bus

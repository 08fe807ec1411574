// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_format.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/csv.h"

namespace servosim {
namespace {

constexpr std::string_view kJsonLabel = R"({"label":{"id":)";
constexpr std::string_view kJsonEpisode = R"({"episode":)";
constexpr std::string_view kCsvEpisode = "# episode";

using OrderedJson = nlohmann::ordered_json;

// The length of the longest double in shortest form, "-2.2250738585072014e-308". Every `none` is
// shorter.
constexpr std::size_t kMaxNumber = 24;
constexpr std::uint64_t kNothingYet = 0x7ff8'0000'5e57'05e1;  // a NaN that no computation gives

std::string dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string key_of(std::string quantity) {
  std::replace(quantity.begin(), quantity.end(), ' ', '_');
  return quantity;
}

// Returns the names as JSON text. All are different: the replacement of bad bytes may make two
// names equal, and a number is then added to one of them.
std::vector<std::string> json_names(const std::vector<TraceItem>& items) {
  std::set<std::string> used;
  std::vector<std::string> names;
  for (const TraceItem& item : items) {
    std::string name = dump(item.name);
    for (int n = 2; !used.insert(name).second; ++n) {
      name = dump(fmt::format("{} #{}", item.name, n));
    }
    names.push_back(name);
  }
  return names;
}

std::string description(const TraceItem& item) {
  OrderedJson json = OrderedJson::object();
  if (item.kind == TraceKind::Joint) {
    json["type"] = item.columns.front().unit == "rad" ? "rotational" : "linear";
    json["kind"] = item.joint_kind;
  }
  for (const TraceColumn& column : item.columns) {
    json["units"][key_of(column.quantity)] = column.unit;
  }
  return dump(json);
}

constexpr struct {
  TraceKind kind;
  const char* key;
} kGroups[]{{TraceKind::Joint, "joints"},
            {TraceKind::Muscle, "muscles"},
            {TraceKind::Propeller, "propellers"},
            {TraceKind::Robot, "robots"},
            {TraceKind::Body, "bodies"}};

// Adds `,"joints":{…},"muscles":{…},"propellers":{…}` and the other groups that have items.
// `each(i)` adds item i after its name.
template <typename Each>
void add_groups(const std::vector<TraceItem>& items, std::string& text, const Each& each) {
  const std::vector<std::string> names = json_names(items);
  std::size_t i = 0;
  for (const auto& group : kGroups) {
    const std::size_t first = i;
    for (; i < items.size() && items[i].kind == group.kind; ++i) {
      text += i == first ? fmt::format(",\"{}\":{{", group.key) : ",";
      text += names[i] + ':';
      each(i);
    }
    text += i == first ? "" : "}";
  }
}

}  // namespace

std::span<const TraceColumn> servo_trace_columns() {
  static const std::array<TraceColumn, 4> columns{
      {{"current", "A"}, {"voltage", "V"}, {"duty", ""}, {"temperature", "°C"}}};
  return columns;
}

std::span<const TraceColumn> load_trace_columns() {
  static const std::array<TraceColumn, 6> columns{{{"force x", "N"},
                                                   {"force y", "N"},
                                                   {"force z", "N"},
                                                   {"torque x", "N m"},
                                                   {"torque y", "N m"},
                                                   {"torque z", "N m"}}};
  return columns;
}

TraceFormat csv_format(const std::vector<TraceItem>& items) {
  TraceFormat format{"time [s]", {""}, "\n", ""};
  for (const TraceItem& item : items) {
    for (const TraceColumn& column : item.columns) {
      const std::string unit = column.unit.empty() ? "" : " [" + column.unit + ']';
      format.header += ',' + csv_cell(item.name + ' ' + column.quantity + unit);
      format.before.push_back(",");
    }
  }
  format.header += '\n';
  return format;
}

TraceFormat jsonl_format(const std::vector<TraceItem>& items, const std::string& world,
                         double time_step) {
  TraceFormat format;
  format.none = "null";
  format.header = fmt::format(
      R"({{"format":"servosim trace","version":1,"world":{},"time_step":{},"units":{{"time":"s"}})",
      dump(world), dump(time_step));
  add_groups(items, format.header, [&](std::size_t i) { format.header += description(items[i]); });
  format.header += "}\n";

  format.before.push_back("{\"time\":");
  std::string& text = format.end;  // collects the text before the next number
  add_groups(items, text, [&](std::size_t i) {
    text += '{';
    for (const TraceColumn& column : items[i].columns) {
      text += dump(key_of(column.quantity)) + ':';
      format.before.push_back(std::exchange(text, ","));
    }
    text = '}';
  });
  text += "}\n";
  return format;
}

std::string csv_label(const TraceLabel& label) {
  return fmt::format("# label {} at {} s: {}\n", label.id, dump(label.time), dump(label.text));
}

std::string jsonl_label(const TraceLabel& label) {
  return fmt::format(
      R"({}{},"time":{},"text":{},"x":{},"y":{},"size":{},"color":"#{:06x}","transparency":{},"font":{}}}}})"
      "\n",
      kJsonLabel, label.id, dump(label.time), dump(label.text), dump(label.x), dump(label.y),
      dump(label.size), static_cast<unsigned>(label.color) & 0xffffffu, dump(label.transparency),
      dump(label.font));
}

std::string csv_episode(int number) { return fmt::format("{} {}\n", kCsvEpisode, number); }

std::string jsonl_episode(int number) { return fmt::format("{}{}}}\n", kJsonEpisode, number); }

TraceLine kind_of_line(std::string_view line, bool json) {
  const bool is_label = json ? line.starts_with(kJsonLabel) : line.starts_with('#');
  return line.starts_with(json ? kJsonEpisode : kCsvEpisode) ? TraceLine::Episode
         : is_label                                          ? TraceLine::Label
                                                             : TraceLine::Row;
}

TraceRowPrinter::TraceRowPrinter(const TraceFormat& format)
    : end_(format.end), none_(format.none), max_size_(end_.size()) {
  for (const std::string& before : format.before) {
    const auto size = static_cast<std::uint32_t>(before.size());
    cells_.push_back({kNothingYet, texts_.size(), size, size});
    texts_.insert(texts_.end(), before.begin(), before.end());
    texts_.resize(texts_.size() + kMaxNumber);
    max_size_ += before.size() + kMaxNumber;
  }
}

char* TraceRowPrinter::print(const double* row, char* out) {
  for (Cell& cell : cells_) {
    const double number = *row++;
    if (std::bit_cast<std::uint64_t>(number) != cell.bits) {
      print_number(cell, number);
    }
    std::memcpy(out, texts_.data() + cell.begin, cell.size);
    out += cell.size;
  }
  std::memcpy(out, end_.data(), end_.size());
  return out + end_.size();
}

void TraceRowPrinter::print_number(Cell& cell, double number) {
  char* const begin = texts_.data() + cell.begin + cell.number;
  char* const end = std::isfinite(number) ? fmt::format_to(begin, FMT_COMPILE("{}"), number)
                                          : std::copy(none_.begin(), none_.end(), begin);
  cell.size = cell.number + static_cast<std::uint32_t>(end - begin);
  cell.bits = std::bit_cast<std::uint64_t>(number);
}

}  // namespace servosim

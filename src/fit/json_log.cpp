// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "fit/log_header.h"
#include "fit/log_readers.h"

namespace servosim {
namespace {

using Json = nlohmann::json;

double json_number(const Json& value, const LogColumn& column, const std::string& path,
                   const std::string& place) {
  if (value.is_boolean()) {
    return value.get<bool>() ? 1.0 : 0.0;
  }
  if (value.is_null()) {
    return kNoLogValue;
  }
  if (!value.is_number()) {
    fail_log(path + place,
             fmt::format("{} is {}, which is no number", name_of(column.quantity),
                         first_words(value.dump(-1, ' ', false, Json::error_handler_t::replace))));
  }
  return column.scale * value.get<double>();
}

void add_json_row(const Json& entry, const std::string& place, const LogFormat& format,
                  ServoLog& log, LogTable& table) {
  if (!entry.is_object()) {
    fail_log(log.path + place, "is no JSON object");
  }
  if (table.rows.empty()) {
    std::vector<std::string> names;
    for (const auto& [key, value] : entry.items()) {
      names.push_back(key);
    }
    choose_log_columns(names, format, table);
  }
  LogRow row = empty_log_row();
  for (const LogColumn& column : table.columns) {
    if (const auto found = entry.find(column.name); found != entry.end()) {
      row[index_of(column.quantity)] = json_number(*found, column, log.path, place);
    }
  }
  table.rows.push_back(row);
  table.places.push_back(place);
}

void add_json_header(const Json& document, ServoLog& log) {
  for (const auto& [key, value] : document.items()) {
    if (value.is_number()) {
      log.numbers[key] = value.get<double>();
    } else if (value.is_string()) {
      add_header_text(key, trimmed(value.get_ref<const std::string&>()), log.path, log);
    } else if (is_number_of_header(key) && !value.is_null()) {
      fail_log(log.path, fmt::format("{} is no number", key));
    }
  }
}

// What nlohmann's message says after its own prefix, such as "at line 3, column 5: …".
std::string json_fault(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t at = what.find("] ");
  return std::string(at == what.npos ? what : what.substr(at + 2));
}

// Throws an error about a number that JSON does not have, if that is the fault: Python writes NaN
// for one that is not known.
void refuse_no_number(std::string_view text, const Json::exception& error, const std::string& path,
                      std::size_t line) {
  const auto* const fault = dynamic_cast<const Json::parse_error*>(&error);
  const std::string_view before = text.substr(0, fault != nullptr ? fault->byte : 0);
  const std::size_t colon = before.rfind(':');
  if (colon == before.npos) {
    return;
  }
  std::string_view word = text.substr(colon + 1);
  word = trimmed(word.substr(0, word.find_first_of(",}]\r\n")));
  if (word != "NaN" && word != "Infinity" && word != "-Infinity") {
    return;
  }
  const std::string_view head = trimmed(before.substr(0, colon), " \t\r\n\"");
  const std::string_view key = head.substr(head.rfind('"') + 1);
  const std::size_t list = before.find("\"entries\"");
  const std::string_view entries = list != before.npos ? before.substr(list) : std::string_view();
  const auto entry = std::count(entries.begin(), entries.end(), '{');
  fail_log(line > 0    ? fmt::format("{}:{}", path, line)
           : entry > 0 ? fmt::format("{}: entry {}", path, entry)
                       : path,
           fmt::format("{} is {}, which JSON does not have; write null, or leave it out",
                       first_words(std::string(key)), word));
}

void read_json(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::exception& error) {
    refuse_no_number(text, error, log.path, 0);
    fail_log(log.path, fmt::format("is no JSON: {}", json_fault(error)));
  }
  const auto entries = document.is_object() ? document.find("entries") : document.end();
  if (entries == document.end() || !entries->is_array()) {
    fail_log(log.path, "has no list `entries`, which a log in JSON needs");
  }
  add_json_header(document, log);
  for (std::size_t i = 0; i < entries->size(); ++i) {
    add_json_row((*entries)[i], fmt::format(": entry {}", i + 1), format, log, table);
  }
}

void read_json_lines(std::string_view text, const LogFormat& format, ServoLog& log,
                     LogTable& table) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), " \r");
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      continue;
    }
    Json entry;
    try {
      entry = Json::parse(line);
    } catch (const Json::exception& error) {
      refuse_no_number(line, error, log.path, number);
      throw std::invalid_argument(
          fmt::format("{}:{}: is no line of JSON: {}", log.path, number, json_fault(error)));
    }
    if (entry.is_object() && entry.contains("header") && entry["header"].is_object()) {
      add_json_header(entry["header"], log);
      continue;
    }
    add_json_row(entry, fmt::format(":{}", number), format, log, table);
  }
}

bool is_json_lines(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return Json::accept(first) && trimmed(text.substr(first.size()), " \t\r\n").starts_with('{');
}

}  // namespace

bool is_json_log(std::string_view text) { return trimmed(text, " \t\r\n").starts_with('{'); }

void read_json_log(std::string_view text, const LogFormat& format, ServoLog& log, LogTable& table) {
  if (is_json_lines(text)) {
    read_json_lines(text, format, log, table);
  } else {
    read_json(text, format, log, table);
  }
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "sweep/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "base/csv.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/shortage.h"
#include "base/text.h"

namespace servosim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestRow = 16 << 20;
constexpr std::size_t kWriteAt = 1 << 20;
constexpr const char* kIdColumn = "sweep";
constexpr const char* kVersionColumn = "servosim";
constexpr const char* kRunColumn = "run";
constexpr const char* kRunsColumn = "runs";
constexpr const char* kExitColumn = "exit_code";

std::string json_string(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const SweepValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return fmt::format("{}", *whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("{}", *number);
  }
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "";
}

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) {
    line += (line.empty() ? "" : ",") + csv_cell(column);
  }
  return line;
}

bool is_jsonl(const std::string& path) { return lower_extension(path) == ".jsonl"; }

// The first values of a row, which identify the sweep and the run.
struct RowHead {
  std::string id;
  std::string version;
  std::uint64_t run = 0;
  std::uint64_t runs = 0;  // number of runs of the sweep
  std::int64_t exit_code = 0;
};

// Reads the lines of a .csv or .jsonl file.
class RowReader {
 public:
  // `first_line` is that of a .csv file, else empty.
  explicit RowReader(const std::string& first_line) : is_csv_(!first_line.empty()) {
    const std::vector<std::string> columns = csv_cells(first_line);
    count_ = columns.size();
    const auto place = [&](const char* name) {
      return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) -
                                      columns.begin());
    };
    id_ = place(kIdColumn);
    version_ = place(kVersionColumn);
    run_ = place(kRunColumn);
    runs_ = place(kRunsColumn);
    exit_ = place(kExitColumn);
    valid_ = !is_csv_ || std::max({id_, version_, run_, runs_, exit_}) < count_;
  }

  // Returns nothing for a line that is no row.
  std::optional<RowHead> read(std::string_view line) const {
    return is_csv_ ? read_csv(line) : read_json(line);
  }

 private:
  std::optional<RowHead> read_csv(std::string_view line) const {
    const std::vector<std::string> cells = csv_cells(line);
    if (!valid_ || cells.size() != count_) {
      return std::nullopt;
    }
    const auto run = parse_number<std::uint64_t>(cells[run_]);
    const auto runs = parse_number<std::uint64_t>(cells[runs_]);
    const auto exit_code = parse_number<std::int64_t>(cells[exit_]);
    if (!run || !runs || !exit_code) {
      return std::nullopt;
    }
    return RowHead{cells[id_], cells[version_], *run, *runs, *exit_code};
  }
  static std::optional<RowHead> read_json(std::string_view line) {
    RowHead head;
    const Json json = Json::parse(line, nullptr, false);
    const auto has = [&json](const char* name, bool text) {
      return json.contains(name) &&
             (text ? json[name].is_string() : json[name].is_number_integer());
    };
    if (!json.is_object() || !has(kIdColumn, true) || !has(kVersionColumn, true) ||
        !has(kRunColumn, false) || !has(kRunsColumn, false) || !has(kExitColumn, false)) {
      return std::nullopt;
    }
    json[kIdColumn].get_to(head.id);
    json[kVersionColumn].get_to(head.version);
    json[kRunColumn].get_to(head.run);
    json[kRunsColumn].get_to(head.runs);
    json[kExitColumn].get_to(head.exit_code);
    return head;
  }

  bool is_csv_;
  std::size_t count_ = 0;
  std::size_t id_ = 0;
  std::size_t version_ = 0;
  std::size_t run_ = 0;
  std::size_t runs_ = 0;
  std::size_t exit_ = 0;
  bool valid_ = true;
};

[[noreturn]] void refuse_line(const std::string& path, std::int64_t number,
                              const std::string& why) {
  throw std::invalid_argument(fmt::format("{}:{}: {}", printable(path), number, why));
}

// Does the same as LineReader::next(), and throws errors with the location of what cannot be read.
bool next_line(const std::string& path, LineReader& lines, std::string_view& line) {
  try {
    return lines.next(line);
  } catch (const std::length_error& error) {
    refuse_line(path, lines.number() + 1, error.what());
  } catch (const std::runtime_error& error) {
    rethrow_if_short(error);
    refuse_line(path, lines.number() + 1, error.what());
  }
}

}  // namespace

const GrowingFileKind& results_kind() {
  static constexpr std::string_view kEndings[]{".csv", ".jsonl"};
  static constexpr std::string_view kBeginnings[]{"sweep,servosim,run", R"({"sweep":")"};
  static constexpr GrowingFileKind kKind{"results file", kEndings, kBeginnings, true};
  return kKind;
}

bool RunSet::add(std::uint64_t number) {
  auto bit = blocks_[number / kBits][number % kBits];
  if (bit) {
    return false;
  }
  bit = true;
  ++size_;
  return true;
}

bool RunSet::has(std::uint64_t number) const {
  const auto block = blocks_.find(number / kBits);
  return block != blocks_.end() && block->second[number % kBits];
}

std::uint64_t RunSet::count(std::uint64_t first, std::uint64_t length) const {
  std::uint64_t found = 0;
  for (const auto& [block, bits] : blocks_) {
    for (std::uint64_t bit = 0; bit < kBits; ++bit) {
      const std::uint64_t number = block * kBits + bit;
      found += bits[bit] && number >= first && number - first < length ? 1 : 0;
    }
  }
  return found;
}

void SweepTally::add(std::uint64_t number, std::int64_t exit_code) {
  if (runs.add(number)) {
    const bool known = exit_code >= 0 && exit_code < static_cast<std::int64_t>(by_exit.size());
    ++by_exit[static_cast<std::size_t>(known ? exit_code : std::int64_t{Sweep::Failed})];
  }
}

ResultsFile::Header ResultsFile::header_of(const Sweep& sweep) {
  return {sweep.id(), SERVOSIM_VERSION, sweep.columns(), sweep.plan().size()};
}

ResultsFile::ResultsFile(std::string path, Header header, bool resume)
    : path_(std::move(path)), header_(std::move(header)), grows_(false) {
  check_growing_file(path_, results_kind());
  if (!is_jsonl(path_)) {
    first_line_ = csv_header(header_.columns);
  }
  struct stat info {};
  const bool is_there = ::stat(path_.c_str(), &info) == 0;
  const bool is_stream = is_there && !S_ISREG(info.st_mode);
  file_ = Descriptor(::open(path_.c_str(),
                            is_stream ? O_WRONLY | O_CLOEXEC | O_NOCTTY
                                      : O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY,
                            0666));
  if (!file_ || ::fstat(file_.get(), &info) != 0) {
    fail(errno);
  }
  grows_ = S_ISREG(info.st_mode);
  if (grows_) {
    // On a file system without locks this fails with another error; no lock can be held there.
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw std::invalid_argument(
          fmt::format("another sweep writes '{}' at this moment", printable(path_)));
    }
    if (info.st_size > 0 && !resume) {
      throw std::invalid_argument(
          fmt::format("'{}' has results already; to run what it lacks add --resume, or choose "
                      "another file",
                      printable(path_)));
    }
    read_present();
  }
  if (size_ == 0 && !first_line_.empty()) {
    write(first_line_ + '\n');
  }
}

// Removes what follows the last line break: the row that a killed process has not completed.
void ResultsFile::read_present() {
  std::ifstream in(path_, std::ios::binary);
  if (!in) {
    fail(errno);
  }
  removed_ = read_rows(in);
  if (removed_ > 0 && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
    fail(errno);
  }
}

// @returns the number of bytes after the last line.
std::uint64_t ResultsFile::read_rows(std::istream& in) {
  LineReader lines(in, kLongestRow);
  const RowReader reader(first_line_);
  std::string_view line;
  std::string header;  // first line of a file of another sweep
  while (next_line(path_, lines, line)) {
    if (lines.number() == 1 && !first_line_.empty()) {
      if (line != first_line_) {
        header = line;
      }
    } else {
      const auto head = header.empty() ? reader.read(line) : RowReader(header).read(line);
      if (!head || head->run >= header_.runs) {
        if (head && head->id != header_.id) {
          refuse_other(head->id, head->version, header);
        }
        refuse_line(path_, lines.number(),
                    "it is no row of results; remove it, and what is in it is run again");
      }
      if (head->id != header_.id || head->version != header_.version) {
        refuse_other(head->id, head->version, header);
      }
      if (tally_.runs.has(head->run)) {
        refuse_line(path_, lines.number(),
                    fmt::format("run {} is there twice; remove one of them", head->run));
      }
      tally_.add(head->run, head->exit_code);
    }
    size_ += line.size() + 1;
  }
  if (!header.empty()) {
    refuse_other("", "", header);
  }
  return lines.left_over();
}

// `first_line` is the first line of that file if it differs from ours, else empty.
void ResultsFile::refuse_other(const std::string& id, const std::string& version,
                               const std::string& first_line) const {
  std::string why;
  if (!version.empty() && version != header_.version) {
    why = fmt::format("servosim {} has written it, and this is {}", printable(version),
                      header_.version);
  } else if (!first_line.empty()) {
    const std::vector<std::string> there = csv_cells(first_line);
    const auto lacking = [](const auto& of, const auto& in) {
      return std::find_if(of.begin(), of.end(), [&](const std::string& column) {
        return std::find(in.begin(), in.end(), column) == in.end();
      });
    };
    const auto here = lacking(header_.columns, there);
    const auto other = lacking(there, header_.columns);
    why = here != header_.columns.end() ? fmt::format("it has no column '{}'", printable(*here))
          : other != there.end()
              ? fmt::format("it has a column '{}', and this sweep has none", printable(*other))
              : "its columns are in another order";
  } else {
    why = fmt::format(
        "it is {}, and this is {}: the world, its controllers, the parameters, the seeds or other "
        "options differ",
        printable(id), header_.id);
  }
  throw std::invalid_argument(fmt::format(
      "'{}' has the results of another sweep: {}; choose another file", printable(path_), why));
}

void ResultsFile::add(const SweepRow& row) {
  write(first_line_.empty() ? jsonl_line(header_.columns, row) : csv_line(row));
  const auto whole = [&row](const char* name, const std::vector<std::string>& columns) {
    const auto place = std::find(columns.begin(), columns.end(), name) - columns.begin();
    const auto* number = std::get_if<std::int64_t>(&row.at(static_cast<std::size_t>(place)));
    return number != nullptr ? *number : static_cast<std::int64_t>(Sweep::Failed);
  };
  tally_.add(static_cast<std::uint64_t>(whole(kRunColumn, header_.columns)),
             whole(kExitColumn, header_.columns));
}

// Writes all of the text, or nothing.
void ResultsFile::write(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = ::write(file_.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      const int error = errno;
      // If this fails too, the next process that opens the file removes the rest of the row.
      static_cast<void>(grows_ ? ::ftruncate(file_.get(), static_cast<off_t>(size_)) : 0);
      fail(error);
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  size_ += text.size();
}

void ResultsFile::close() {
  if (file_ && grows_ && ::fsync(file_.get()) != 0) {
    fail(errno);
  }
  file_.reset();
}

void ResultsFile::fail(int error) const {
  throw std::runtime_error(
      fmt::format("'{}' cannot be written: {}{}", printable(path_), std::strerror(error),
                  tally_.runs.size() > 0
                      ? fmt::format("; it has {} whole rows, and --resume goes on from there",
                                    tally_.runs.size())
                      : ""));
}

namespace {

// The file that a merge writes until it is complete. The destructor removes it unless it was
// renamed.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      path_ = path;
      return;  // a stream
    }
    if (fs::is_regular_file(status)) {
      throw std::invalid_argument(fmt::format(
          "'{}' is there already, and a merge makes a new file; choose another name or remove it",
          printable(path)));
    }
    final_ = path;
    const fs::path name(path);
    if (const fs::path folder = name.parent_path(); !folder.empty() && !fs::is_directory(folder)) {
      throw std::runtime_error(fmt::format("'{}' cannot be written: there is no folder '{}'",
                                           printable(path), printable(folder.string())));
    }
    path_ =
        name.parent_path() / fmt::format(".servosim-{}-{}", ::getpid(), name.filename().string());
  }
  ~UnfinishedFile() {
    if (!final_.empty()) {
      ::unlink(path_.c_str());
    }
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& path() const { return path_; }
  void finish() {
    if (!final_.empty() && ::rename(path_.c_str(), final_.c_str()) != 0) {
      throw std::runtime_error(
          fmt::format("'{}' cannot be written: {}", printable(final_), std::strerror(errno)));
    }
    final_.clear();
  }

 private:
  std::string path_;
  std::string final_;
};

}  // namespace

ResultsFile::Merged ResultsFile::merge(const std::string& path,
                                       const std::vector<std::string>& parts) {
  check_growing_file(path, results_kind());
  std::optional<RowHead> common;
  std::string first_line;
  Merged merged;
  UnfinishedFile unfinished(path);
  std::optional<ResultsFile> out;
  std::string waiting;
  for (const std::string& part : parts) {
    if (is_jsonl(part) != is_jsonl(path)) {
      throw std::invalid_argument(fmt::format(
          "'{}' and '{}' are of different kinds: .csv files make a .csv file, .jsonl files a "
          ".jsonl file",
          printable(part), printable(path)));
    }
    std::ifstream in(part, std::ios::binary);
    if (!in) {
      throw std::invalid_argument(
          fmt::format("'{}' cannot be opened: {}", printable(part), std::strerror(errno)));
    }
    LineReader lines(in, kLongestRow);
    std::optional<RowReader> reader;
    if (is_jsonl(part)) {
      reader.emplace("");
    }
    std::string_view line;
    while (next_line(part, lines, line)) {
      if (!reader) {
        reader.emplace(std::string(line));
        if (first_line.empty()) {
          first_line = line;
        } else if (line != first_line) {
          refuse_line(part, 1,
                      fmt::format("the columns are others than those of '{}', so it is of another "
                                  "sweep",
                                  printable(parts.front())));
        }
        continue;
      }
      const auto head = reader->read(line);
      if (!head || head->run >= head->runs) {
        refuse_line(part, lines.number(), "it is no row of results");
      }
      if (!common) {
        common = head;
        merged.runs = head->runs;
      } else if (head->id != common->id || head->version != common->version ||
                 head->runs != common->runs) {
        refuse_line(
            part, lines.number(),
            fmt::format("the row is of another sweep: of {} by servosim {}, and '{}' has "
                        "those of {} by servosim {}",
                        printable(head->id), printable(head->version), printable(parts.front()),
                        printable(common->id), printable(common->version)));
      }
      if (!out) {
        out.emplace(unfinished.path(),
                    Header{common->id, common->version,
                           first_line.empty() ? std::vector<std::string>() : csv_cells(first_line),
                           common->runs},
                    false);
      }
      if (!merged.tally.runs.has(head->run)) {
        merged.tally.add(head->run, head->exit_code);
        waiting.append(line).append("\n");
        if (waiting.size() >= kWriteAt) {
          out->write(waiting);
          waiting.clear();
        }
      }
    }
    if (lines.left_over() > 0) {
      merged.torn.push_back(part);
    }
  }
  if (!out) {
    throw std::invalid_argument("the files have no rows");
  }
  out->write(waiting);
  out->close();
  unfinished.finish();
  return merged;
}

std::string csv_line(const SweepRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i > 0 ? "," : "") + csv_cell(text_of(row[i]));
  }
  return line + '\n';
}

std::string jsonl_line(const std::vector<std::string>& columns, const SweepRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_text = std::holds_alternative<std::string>(row[i]);
    const std::string text = text_of(row[i]);
    line += (i > 0 ? "," : "{") + json_string(columns[i]) + ':' +
            (is_text        ? json_string(text)
             : text.empty() ? "null"
                            : text);
  }
  return line + "}\n";
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/shortage.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_format.h"

namespace servosim {
namespace {

constexpr std::size_t kFlushAt = 1 << 16;  // [bytes]
// The number of values that are handed over at once, so that waking the thread costs little.
constexpr std::size_t kHandOverAt = 1 << 13;
constexpr int kReaderTimeoutMs = 500;  // how long a run that ends waits for a slow reader

}  // namespace

Trace::Trace(const Simulation& simulation, std::string path, const TraceOptions& options)
    : recorder_(std::in_place, simulation, watch(simulation, options.watch)),
      watched_(options.watch),
      width_(recorder_->width()),
      path_(std::move(path)),
      given_up_(options.given_up),
      comments_(options.comments),
      writer_([this](const Batch& batch) { write_batch(batch); }) {
  check_growing_file(path_, trace_kind());
  const TraceFormat format = is_jsonl() ? jsonl_format(recorder_->items(), options.world,
                                                       simulation.basic_time_step_ms() / 1000.0)
                                        : csv_format(recorder_->items());
  printer_ = std::make_unique<TraceRowPrinter>(format);
  const auto reserve = [this](Batch& batch) { batch.rows.reserve(kHandOverAt + width_); };
  reserve(filling_);
  writer_.for_each_batch(reserve);
  open(format.header);
}

void Trace::open(const std::string& header) {
  text_.reset(new char[kFlushAt + std::max(header.size(), printer_->max_size())]);
  std::memcpy(text_.get(), header.data(), header.size());
  text_size_ = header.size();
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  struct stat status {};
  if (!file_ || ::fstat(file_.get(), &status) != 0) {
    fail(errno);
  }
  // A blocking file would make the thread wait in write(), where nothing wakes it.
  if (!S_ISREG(status.st_mode) && ::fcntl(file_.get(), F_SETFL, O_WRONLY | O_NONBLOCK) != 0) {
    fail(errno);
  }
}

Trace::~Trace() {
  try {
    close();
  } catch (const std::exception&) {  // a destructor cannot report it
  }
}

void Trace::go_on_with(const Simulation& simulation) {
  const std::vector<TraceItem> before = recorder_->items();
  try {
    recorder_.emplace(simulation, watch(simulation, watched_));
  } catch (const std::invalid_argument&) {
    throw std::runtime_error(path_ + ": the world that was loaded has nothing of what is traced");
  }
  const auto same = [](const TraceItem& a, const TraceItem& b) {
    return a.kind == b.kind && a.name == b.name && a.columns.size() == b.columns.size();
  };
  if (!std::equal(before.begin(), before.end(), recorder_->items().begin(),
                  recorder_->items().end(), same)) {
    throw std::runtime_error(
        path_ + ": the world that was loaded has other joints than those in the trace");
  }
  episode();
}

void Trace::row() {
  if (!file_) {
    throw std::runtime_error(fmt::format("cannot write the trace {}: it is closed", path_));
  }
  std::vector<double>& rows = filling_.rows;
  rows.resize(rows.size() + width_);
  recorder_->read(rows.data() + rows.size() - width_);
  if (rows.size() >= kHandOverAt) {
    enqueue();
  }
}

bool Trace::is_jsonl() const { return lower_extension(path_) == ".jsonl"; }

bool Trace::label(const TraceLabel& label) {
  if (has_lines()) {
    add_line(is_jsonl() ? jsonl_label(label) : csv_label(label));
  }
  return has_lines();
}

void Trace::episode() {
  ++episode_;
  if (has_lines()) {
    add_line(is_jsonl() ? jsonl_episode(episode_) : csv_episode(episode_));
  }
}

void Trace::add_line(std::string line) {
  if (file_) {
    filling_.lines.emplace_back(filling_.rows.size(), std::move(line));
  }
}

void Trace::enqueue() {
  try {
    writer_.hand_over(filling_);
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
}

// The writing thread and close() call it.
void Trace::write_batch(const Batch& batch) {
  if (!print(batch) || !flush()) {
    throw std::system_error(errno, std::generic_category());
  }
}

bool Trace::print(const Batch& batch) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.rows.size(); i += width_) {
    if (!print_lines(batch, i, next)) {
      return false;
    }
    if (text_size_ >= kFlushAt && !flush()) {  // makes room for the row
      return false;
    }
    char* const end = printer_->print(batch.rows.data() + i, text_.get() + text_size_);
    text_size_ = static_cast<std::size_t>(end - text_.get());
  }
  return print_lines(batch, batch.rows.size(), next);
}

// Prints the lines before row number `until`. `next` is the first line that is not printed yet.
bool Trace::print_lines(const Batch& batch, std::size_t until, std::size_t& next) {
  for (; next < batch.lines.size() && batch.lines[next].first <= until; ++next) {
    const std::string& line = batch.lines[next].second;
    if (!flush() || !write(line.data(), line.size())) {
      return false;
    }
  }
  return true;
}

// Writes all printed rows at once, so that rows are complete also if the process is killed.
bool Trace::flush() { return write(text_.get(), std::exchange(text_size_, 0)); }

bool Trace::write(const char* text, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(file_.get(), text + done, size - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN ? !wait_for_reader() : errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Waits until the reader takes more. @returns false, with errno, if the wait is given up
bool Trace::wait_for_reader() const {
  pollfd either[]{{file_.get(), POLLOUT, 0}, {given_up_, POLLIN, 0}};
  static_cast<void>(::poll(either, 2, -1));  // the caller tries again if this is interrupted
  if (either[0].revents == 0 && either[1].revents != 0 &&
      ::poll(either, 1, kReaderTimeoutMs) <= 0) {
    errno = ECANCELED;
    return false;
  }
  return true;
}

void Trace::close() {
  if (!file_) {
    return;
  }
  if (!writer_.is_here()) {  // a forked process must not write to the file of its parent
    file_.reset();
    return;
  }
  try {
    writer_.finish(filling_);
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
  if (::close(file_.release()) != 0) {
    fail(errno);
  }
}

void Trace::fail(int error) {
  file_.reset();
  throw_if_short(error, "cannot write the trace " + path_);
  throw std::runtime_error(
      fmt::format("cannot write the trace {}: {}", path_,
                  error == ECANCELED ? "nobody reads on; its end is lost" : std::strerror(error)));
}

const GrowingFileKind& trace_kind() {
  static constexpr std::string_view kEndings[]{".csv", ".jsonl"};
  static constexpr std::string_view kBeginnings[]{"time [s]", R"({"format":"servosim trace")"};
  static constexpr GrowingFileKind kKind{"trace", kEndings, kBeginnings, true};
  return kKind;
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "servosim/simulation.h"
#include "sim/trace/trace_format.h"

namespace servosim {
namespace {

constexpr std::size_t kFlushAt = 1 << 16;  // [bytes]
// Numbers handed over at once: so many that waking the thread costs little.
constexpr std::size_t kHandOverAt = 1 << 13;
constexpr int kReaderTimeoutMs = 500;  // with a slow reader, when the run is to end

}  // namespace

// Data that the two threads share.
struct Trace::Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  Batch batch;         // for the writing thread
  bool stop = false;   // it shall end when it has written them
  int error = 0;       // errno of a failure; the writing thread has ended
  std::thread thread;  // once there was enough to write
};

Trace::Trace(const Simulation& simulation, std::string path, const TraceOptions& options)
    : recorder_(std::in_place, simulation, watch(simulation, options.watch)),
      watched_(options.watch),
      width_(recorder_->width()),
      path_(std::move(path)),
      given_up_(options.given_up),
      exchange_(std::make_unique<Exchange>()),
      process_(::getpid()) {
  check_trace_path(path_);
  const TraceFormat format = is_jsonl() ? jsonl_format(recorder_->items(), options.world,
                                                       simulation.basic_time_step_ms() / 1000.0)
                                        : csv_format(recorder_->items());
  printer_ = std::make_unique<TraceRowPrinter>(format);
  for (Batch* batch : {&filling_, &exchange_->batch, &writing_}) {
    batch->rows.reserve(kHandOverAt + width_);
  }
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
  // Else it would wait in write(), where nothing wakes it.
  if (!S_ISREG(status.st_mode) && ::fcntl(file_.get(), F_SETFL, O_WRONLY | O_NONBLOCK) != 0) {
    fail(errno);
  }
}

Trace::~Trace() {
  try {
    close();
  } catch (const std::exception&) {  // lost, as the header says
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

bool Trace::is_jsonl() const { return trace_ending(path_) == ".jsonl"; }

void Trace::label(const TraceLabel& label) {
  add_line(is_jsonl() ? jsonl_label(label) : csv_label(label));
}

void Trace::episode() {
  ++episode_;
  add_line(is_jsonl() ? jsonl_episode(episode_) : csv_episode(episode_));
}

void Trace::add_line(std::string line) {
  if (file_) {
    filling_.lines.emplace_back(filling_.rows.size(), std::move(line));
  }
}

void Trace::enqueue() {
  if (::getpid() != process_) {  // the thread is not here, and the file is not ours
    filling_.clear();
    return;
  }
  if (!exchange_->thread.joinable()) {
    start_thread();
  }
  std::unique_lock lock(exchange_->mutex);
  exchange_->changed.wait(lock,
                          [this] { return exchange_->batch.empty() || exchange_->error != 0; });
  if (exchange_->error == 0) {
    exchange_->batch.swap(filling_);
    exchange_->changed.notify_all();
    return;
  }
  lock.unlock();
  stop_thread();
  fail(exchange_->error);
}

void Trace::start_thread() {
  const BlockedSignals blocked;
  exchange_->thread = std::thread([this] { writer_loop(); });
}

void Trace::stop_thread() {
  {
    const std::lock_guard lock(exchange_->mutex);
    exchange_->stop = true;
    exchange_->changed.notify_all();
  }
  exchange_->thread.join();
}

// The writing thread.
void Trace::writer_loop() {
  std::unique_lock lock(exchange_->mutex);
  for (;;) {
    exchange_->changed.wait(lock, [this] { return !exchange_->batch.empty() || exchange_->stop; });
    if (exchange_->batch.empty()) {
      return;
    }
    writing_.swap(exchange_->batch);
    exchange_->changed.notify_all();
    lock.unlock();
    const bool written = print(writing_) && flush();
    const int error = errno;
    writing_.clear();
    lock.lock();
    if (!written) {
      exchange_->error = error;
      exchange_->changed.notify_all();
      return;
    }
  }
}

bool Trace::print(const Batch& batch) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < batch.rows.size(); i += width_) {
    if (!print_lines(batch, i, next)) {
      return false;
    }
    if (text_size_ >= kFlushAt && !flush()) {  // so that the row has room; perhaps the header
      return false;
    }
    char* const end = printer_->print(batch.rows.data() + i, text_.get() + text_size_);
    text_size_ = static_cast<std::size_t>(end - text_.get());
  }
  return print_lines(batch, batch.rows.size(), next);
}

// Those before number `until`, of which `next` is the first.
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

// False, with errno, if it is given up.
bool Trace::wait_for_reader() const {
  pollfd either[]{{file_.get(), POLLOUT, 0}, {given_up_, POLLIN, 0}};
  static_cast<void>(::poll(either, 2, -1));  // or interrupted: then it is tried again
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
  if (::getpid() != process_) {
    abandon();
    return;
  }
  if (exchange_->thread.joinable()) {
    stop_thread();
  }
  if (exchange_->error != 0) {
    fail(exchange_->error);
  }
  if (!print(filling_) || !flush()) {
    fail(errno);
  }
  if (::close(file_.release()) != 0) {
    fail(errno);
  }
}

// In a process forked from the one whose rows these are. Nothing waits for the thread, which is not
// here; even the end of what it was using would.
void Trace::abandon() {
  file_.reset();
  static_cast<void>(exchange_.release());
}

void Trace::fail(int error) {
  file_.reset();
  throw_if_short(error, "cannot write the trace " + path_);
  throw std::runtime_error(
      fmt::format("cannot write the trace {}: {}", path_,
                  error == ECANCELED ? "nobody reads on; its end is lost" : std::strerror(error)));
}

// Where a trace may go.
namespace {

namespace fs = std::filesystem;

// Whether a file starts like our traces.
bool holds_a_trace(const std::string& path) {
  constexpr std::string_view kBeginnings[]{"time [s]", R"({"format":"servosim trace")"};
  const std::string begin = read_beginning(path, 32);
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&begin](std::string_view known) { return begin.starts_with(known); });
}

}  // namespace

std::string trace_ending(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

void check_trace_path(const std::string& path) {
  if (path == "-") {
    throw std::invalid_argument(
        "a trace does not go to '-'; for standard output name /dev/stdout, with --quiet");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return;  // holds nothing that could be lost; a folder cannot be opened
  }
  if (const std::string ending = trace_ending(path); ending != ".csv" && ending != ".jsonl") {
    throw std::invalid_argument(
        fmt::format("a trace is a .csv or .jsonl file, not '{}'; did you mean '{}'?", path,
                    fs::path(path).replace_extension(".csv").string()));
  }
  if (fs::is_regular_file(status) && fs::file_size(path, error) > 0 && !error &&
      !holds_a_trace(path)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is there already and is no trace, so it is not overwritten; choose another name or "
        "remove it",
        path));
  }
}

}  // namespace servosim

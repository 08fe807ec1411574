// SPDX-License-Identifier: Apache-2.0
#include "step_file.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "base/files.h"
#include "classes.h"
#include "exclusive.h"
#include "recording/recorder.h"
#include "sim/trace/trace_writer.h"
#include "view/replay_page.h"

namespace servosim::python {

namespace {

// The open files, which the end of the interpreter closes.
std::vector<std::weak_ptr<StepFile>>& open_files() {
  static std::vector<std::weak_ptr<StepFile>> list;
  return list;
}

// Calls the library, and throws its errors as those of this package.
template <typename Call>
auto checked(Call call) {
  try {
    return call();
  } catch (const std::runtime_error& error) {
    throw FileFailed(error.what());
  }
}

std::string name_of(const std::string& world) {
  const std::string name = std::filesystem::path(world).filename().string();
  return name.empty() ? "world" : name;
}

void refuse_without_page() {
  if (!has_replay_page()) {
    throw std::runtime_error(kNoReplayPage);
  }
}

}  // namespace

// ---- what both kinds share

StepFile::StepFile(Exclusive& owner, const char* kind, std::string path)
    : owner_(owner.weak_from_this()), kind_(kind), path_(std::move(path)), forks_(forks) {}

void StepFile::check_idle() const {
  if (const auto owner = owner_.lock()) {
    owner->check_idle();
  }
}

bool StepFile::closed() const {
  check_idle();
  return is_closed_;
}

bool StepFile::is_in_use() const {
  const auto owner = owner_.lock();
  return owner != nullptr && owner->is_in_use();
}

void StepFile::check_process() const {
  if (!is_closed_ && is_of_another_process()) {
    throw std::runtime_error(
        std::string("the ") + kind_ + " '" + path_ +
        "' was begun before this process was forked, and the other process goes on writing it: "
        "close() it here, which leaves the file as it is, or step a clone()");
  }
}

void StepFile::row(Simulation& simulation) {
  if (is_closed_) {
    return;
  }
  try {
    write_row(simulation);
  } catch (const std::runtime_error& error) {
    is_closed_ = true;
    abandon();
    throw FileFailed(error.what());
  }
}

void StepFile::episode() {
  if (!is_closed_ && !is_of_another_process()) {
    write_episode();
  }
}

void StepFile::close() {
  if (!closed()) {
    finish();
  }
}

void StepFile::finish() {
  is_closed_ = true;
  if (is_of_another_process()) {
    abandon();
  } else {
    checked([this] { write_end(); });
  }
}

void StepFile::close_at_end() {
  if (is_closed_) {
    return;
  }
  try {
    finish();
  } catch (const FileFailed& error) {
    PyErr_SetObject(PyExc_OSError, text(error.what()).ptr());
    PyErr_WriteUnraisable(nullptr);
  }
}

void keep_open(Exclusive& owner, const std::shared_ptr<StepFile>& file) {
  owner.files().push_back(file);
  std::erase_if(open_files(), [](const auto& known) { return known.expired(); });
  open_files().push_back(file);
}

void Exclusive::check_files() {
  if (files_.empty()) {
    return;
  }
  std::erase_if(files_, [](const auto& file) { return file->is_closed(); });
  for (const auto& file : files_) {
    file->check_process();
  }
}

void Exclusive::close_files() {
  for (const auto& file : files_) {
    file->close_at_end();
  }
}

// ---- traces

TraceFile::TraceFile(Exclusive& owner, Simulation& simulation, const std::string& world,
                     const std::string& path, const std::vector<std::string>& watch)
    : StepFile(owner, "trace", path) {
  TraceOptions options;
  options.watch = watch;
  options.world = world.substr(world.rfind('/') + 1);
  trace_ = checked([&] { return std::make_unique<Trace>(simulation, path, options); });
}

TraceFile::~TraceFile() { close_at_end(); }

void TraceFile::write_row(Simulation& /*simulation*/) { trace_->row(); }

void TraceFile::write_episode() { trace_->episode(); }

void TraceFile::write_end() {
  const std::unique_ptr<Trace> closing = std::move(trace_);
  closing->close();
}

void TraceFile::abandon() {
  if (is_of_another_process()) {
    // Its thread is not in this process, so it cannot be joined.
    static_cast<void>(trace_.release());
  }
  trace_.reset();
}

// ---- recordings

RecordingFile::RecordingFile(Exclusive& owner, Simulation& simulation, const std::string& world,
                             const std::string& path, double rate, double images)
    : StepFile(owner, "recording", path), world_(name_of(world)) {
  if (!(rate > 0.0 && rate <= 1e6)) {
    throw py::value_error(
        "rate is a number of frames per simulated second, above 0 and at most "
        "1e6, not " +
        py::str(py::float_(rate)).cast<std::string>());
  }
  if (!(images >= 0.0 && images <= kMaxPictureRate)) {
    throw py::value_error(
        "images is a number of pictures per simulated second, from 0 to 1e6, not " +
        py::str(py::float_(images)).cast<std::string>());
  }
  const RecordingOptions options{rate, world_, images};
  checked([&] {
    if (path.empty()) {
      in_memory_ = std::make_unique<Recorder>(simulation, options,
                                              [this](std::string_view piece) { bytes_ += piece; });
    } else {
      in_file_ = std::make_unique<FileRecorder>(simulation, path, options);
    }
  });
  frames_ = recorder().frames();
}

RecordingFile::~RecordingFile() { close_at_end(); }

std::int64_t RecordingFile::frames() const {
  check_idle();
  return frames_;
}

Recorder& RecordingFile::recorder() const {
  return in_memory_ != nullptr ? *in_memory_ : in_file_->recorder();
}

void RecordingFile::write_row(Simulation& simulation) {
  seconds_ += simulation.basic_time_step_ms() / 1000.0;
  recorder().step(seconds_);
  frames_ = recorder().frames();
}

void RecordingFile::write_end() {
  constexpr const char* kReason = "the recording was closed";
  if (in_memory_ != nullptr) {
    in_memory_->end(seconds_, kReason);
  } else {
    in_file_->end(seconds_, kReason);
  }
  frames_ = recorder().frames();
  abandon();
}

void RecordingFile::abandon() {
  in_memory_.reset();
  in_file_.reset();
}

std::string RecordingFile::page() {
  check_idle();
  refuse_without_page();
  if (!is_closed() && !is_of_another_process()) {
    checked([this] { recorder().flush(); });
  }
  if (path().empty()) {
    return replay_page(std::vector<NamedRecording>{{world_, bytes_}});
  }
  auto file = read_file(path());
  if (const auto* error = std::get_if<FileError>(&file)) {
    throw FileFailed(path() + ": " + error->reason);
  }
  const std::string name = std::filesystem::path(path()).filename().string();
  return replay_page(std::vector<NamedRecording>{{name, std::move(std::get<std::string>(file))}});
}

std::string page_of_state(Simulation& simulation, const std::string& world) {
  refuse_without_page();
  const std::string name = name_of(world);
  return replay_page(std::vector<NamedRecording>{
      {name,
       record_state(simulation, name, "nothing was recorded: call record() before you step")}});
}

py::object replay_of(const std::string& page, const std::string& world) {
  return py::module_::import("servosim._notebook").attr("Replay")(text(page), text(name_of(world)));
}

// ---- classes

namespace {

template <typename File>
void bind_file(Class<File, std::shared_ptr<File>>& type, const char* name) {
  type.def_property_readonly(
          "path", [](const File& self) { return text(self.path()); },
          "The file's path; '' if it is in memory.")
      .def_property_readonly(
          "closed", [](const File& self) { return self.closed(); },
          "Whether nothing is written any more.")
      .def(
          "close", [](File& self) { self.close(); },
          "Writes what is left. Raises OSError if not all could be written.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](File& self, const py::object&, const py::object&,
                          const py::object&) { self.close(); })
      .def("__repr__", [name](const File& self) {
        return text(std::string("<") + name +
                    (self.path().empty() ? " in memory" : " '" + self.path() + "'") +
                    (self.is_in_use()   ? " of a simulation in use>"
                     : self.is_closed() ? ", closed>"
                                        : ">"));
      });
}

}  // namespace

void bind_files(py::module_& module) {
  Class<TraceFile, std::shared_ptr<TraceFile>> trace(
      module, "Trace", "A file that grows by a row with each step; see Simulation.trace().");
  bind_file(trace, "Trace");
  Class<RecordingFile, std::shared_ptr<RecordingFile>> recording(
      module, "Recording",
      "What a simulation looks like as it steps; see Simulation.record(). The page of replay() "
      "shows it.");
  bind_file(recording, "Recording");
  recording
      .def_property_readonly(
          "frames", [](const RecordingFile& self) { return self.frames(); },
          "How many states it has.")
      .def(
          "replay", [](RecordingFile& self) { return replay_of(self.page(), self.path()); },
          "The page that shows it in a browser, and in a notebook: a Replay.");
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const bool all_rest = stop_threads();
    for (const auto& known : open_files()) {
      if (const auto file = known.lock(); file && (all_rest || !file->is_in_use())) {
        file->close_at_end();
      }
    }
  }));
}

}  // namespace servosim::python

// SPDX-License-Identifier: Apache-2.0
#include "trace_file.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <utility>

#include "bindings.h"
#include "sim/trace/trace_writer.h"
#include "simulation_object.h"

namespace servosim::python {

namespace {

// Open ones, which the end of the interpreter closes.
std::vector<std::weak_ptr<TraceFile>>& open_traces() {
  static std::vector<std::weak_ptr<TraceFile>> list;
  return list;
}

// Calls of Trace with their errors as ours.
template <typename Call>
auto checked(Call call) {
  try {
    return call();
  } catch (const std::runtime_error& error) {
    throw TraceFailed(error.what());
  }
}

}  // namespace

TraceFile::TraceFile(SimulationObject& owner, const std::string& path,
                     const std::vector<std::string>& watch)
    : owner_(owner.weak_from_this()), path_(path), forks_(forks) {
  TraceOptions options;
  options.watch = watch;
  options.world = owner.world.substr(owner.world.rfind('/') + 1);
  trace_ = checked([&] { return std::make_unique<Trace>(owner.idle(), path, options); });
}

TraceFile::~TraceFile() { close_at_end(); }

bool TraceFile::closed() const {
  if (const auto owner = owner_.lock()) {
    owner->idle();
  }
  return is_closed();
}

bool TraceFile::is_of_another_process() const { return forks_ != forks; }

void TraceFile::check_process() const {
  if (trace_ != nullptr && is_of_another_process()) {
    throw std::runtime_error(
        "the trace '" + path_ +
        "' was begun before this process was forked, and the other process goes on writing it: "
        "close() it here, which leaves the file as it is, or step a clone()");
  }
}

void TraceFile::row() {
  if (trace_ == nullptr) {
    return;
  }
  try {
    trace_->row();
  } catch (const std::runtime_error& error) {
    trace_.reset();
    throw TraceFailed(error.what());
  }
}

void TraceFile::episode() {
  if (trace_ != nullptr && !is_of_another_process()) {
    trace_->episode();
  }
}

void TraceFile::close() {
  if (!closed()) {
    finish();
  }
}

void TraceFile::finish() {
  if (is_of_another_process()) {
    static_cast<void>(trace_.release());  // its thread is not in this process: it cannot be joined
    return;
  }
  const std::unique_ptr<Trace> closing = std::move(trace_);
  checked([&closing] { closing->close(); });
}

void TraceFile::close_at_end() {
  if (trace_ == nullptr) {
    return;
  }
  try {
    finish();
  } catch (const TraceFailed& error) {
    PyErr_SetObject(PyExc_OSError, text(error.what()).ptr());
    PyErr_WriteUnraisable(nullptr);
  }
}

namespace {

std::shared_ptr<TraceFile> begin_trace(SimulationObject& owner, const std::filesystem::path& path,
                                       const std::vector<std::string>& watch) {
  auto trace = std::make_shared<TraceFile>(owner, path.string(), watch);
  owner.traces().push_back(trace);
  std::erase_if(open_traces(), [](const auto& known) { return known.expired(); });
  open_traces().push_back(trace);
  return trace;
}

}  // namespace

void bind_traces(py::module_& module) {
  py::class_<TraceFile, std::shared_ptr<TraceFile>>(
      module, "Trace", "A file that grows by a row with each step; see Simulation.trace().")
      .def_property_readonly(
          "path", [](const TraceFile& self) { return text(self.path()); }, "The file's path.")
      .def_property_readonly("closed", &TraceFile::closed, "Whether nothing is written any more.")
      .def("close", &TraceFile::close,
           "Writes what is left. Raises OSError if not all could be written.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](TraceFile& self, const py::args&) { self.close(); });
  module.def("_trace", &begin_trace, py::arg("simulation"), py::arg("path"), py::arg("watch"));
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    for (const auto& known : open_traces()) {
      if (const auto trace = known.lock()) {
        trace->close_at_end();
      }
    }
  }));
}

}  // namespace servosim::python

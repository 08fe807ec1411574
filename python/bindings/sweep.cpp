// SPDX-License-Identifier: Apache-2.0
// What servosim.distributed is made of: the runs of a sweep, their results file, and a world's
// files.
#include "sweep/sweep.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "bindings.h"
#include "classes.h"
#include "fetch/world_files.h"
#include "run/controller_finder.h"
#include "scene/scene.h"
#include "sim/world_inspector.h"
#include "simulation_object.h"
#include "sweep/parameter_values.h"
#include "sweep/results_file.h"

namespace servosim::python {

namespace {

using Numbers = std::vector<std::uint64_t>;

std::unique_ptr<Sweep> make_sweep(const std::filesystem::path& world, SweepVariation variation,
                                  std::optional<double> duration, std::optional<std::int64_t> steps,
                                  std::vector<std::string> watch,
                                  const std::vector<std::string>& allow_missing,
                                  const py::dict& load) {
  SweepOptions options;
  options.world = world.string();
  options.load = load_options(load);
  options.variation = std::move(variation);
  options.duration = duration;
  options.steps = steps;
  options.watch = std::move(watch);
  for (const std::string& name : allow_missing) {
    options.allow_missing.push_back(missing_of(name));
  }
  const Unlocked unlocked;
  return std::make_unique<Sweep>(std::move(options));
}

py::object object_of_value(const SweepValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return py::int_(*whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return py::float_(*number);
  }
  if (const auto* words = std::get_if<std::string>(&value)) {
    return text(*words);
  }
  return py::none();
}

// Writes a row as bytes, which cost less to send to another process than objects of Python.
void write_row(const SweepRow& row, Writer& out) {
  out.u32(static_cast<std::uint32_t>(row.size()));
  for (const SweepValue& value : row) {
    out.u8(static_cast<std::uint8_t>(value.index()));
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      out.i64(*whole);
    } else if (const auto* number = std::get_if<double>(&value)) {
      out.f64(*number);
    } else if (const auto* words = std::get_if<std::string>(&value)) {
      out.text(*words);
    }
  }
}

SweepValue read_value(Reader& in) {
  switch (in.u8()) {
    case 0:
      return {};
    case 1:
      return in.i64();
    case 2:
      return in.f64();
    default:
      return std::string(in.text());
  }
}

std::vector<SweepRow> read_rows(const py::bytes& bytes) {
  const auto view = bytes.cast<std::string_view>();
  Reader in(as_bytes(view));
  std::vector<SweepRow> rows;
  while (in.ok() && in.left() > 0) {
    SweepRow& row = rows.emplace_back();
    for (std::uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
      row.push_back(read_value(in));
    }
  }
  if (!in.ok()) {
    throw py::value_error("these bytes are no rows");
  }
  return rows;
}

// Pairs of names of files: that of the computer where the sweep runs, and that of the computer
// where it was begun.
using Names = std::vector<std::pair<std::string, std::string>>;

void rename(SweepValue& value, const Names& names) {
  auto* text = std::get_if<std::string>(&value);
  for (const auto& [here, there] : names) {
    for (std::size_t at = 0; text != nullptr && (at = text->find(here, at)) != std::string::npos;
         at += there.size()) {
      text->replace(at, here.size(), there);
    }
  }
}

py::bytes run(const Sweep& sweep, const Numbers& numbers, const Names& names) {
  Writer out;
  {
    const Unlocked unlocked;
    const std::size_t message = sweep.column("message");
    for (const std::uint64_t number : numbers) {
      if (Unlocked::is_over()) {
        break;
      }
      SweepRow row = sweep.run(number);
      rename(row[message], names);
      write_row(row, out);
    }
  }
  const std::string_view made = as_text(out.bytes());
  return {made.data(), made.size()};
}

py::list rows_of(const py::bytes& bytes) {
  py::list list;
  for (const SweepRow& row : read_rows(bytes)) {
    py::tuple values(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      values[i] = object_of_value(row[i]);
    }
    list.append(values);
  }
  return list;
}

// The robots of a world whose controllers a sweep in one process does not run, with these
// controllers.
py::list controllers_of(const Sweep& sweep) {
  py::list list;
  for (const RobotSpec& robot : WorldInspector(sweep.world()).scene().robots) {
    if (!means_no_controller(robot.controller)) {
      list.append(py::make_tuple(text(robot.name), text(robot.controller)));
    }
  }
  return list;
}

// Calls an action with Python's lock released. A file that cannot be written is an OSError.
template <typename Action>
auto or_os_error(const Action& action) {
  try {
    const Unlocked unlocked;
    return action();
  } catch (const std::runtime_error& error) {
    PyErr_SetObject(PyExc_OSError, text(error.what()).ptr());
    throw py::error_already_set();
  }
}

std::unique_ptr<ResultsFile> open_results(const std::filesystem::path& path, const Sweep& sweep,
                                          bool resume) {
  return or_os_error([&] {
    return std::make_unique<ResultsFile>(path.string(), ResultsFile::header_of(sweep), resume);
  });
}

void add_rows(ResultsFile& file, const py::bytes& bytes) {
  const std::vector<SweepRow> rows = read_rows(bytes);
  or_os_error([&] {
    for (const SweepRow& row : rows) {
      file.add(row);
    }
  });
}

// The values of a list. A range or a distribution has none, since it consists of numbers.
std::vector<std::string> listed_values(const std::string& parameter) {
  const ParameterValues values(parameter);
  std::vector<std::string> list;
  for (std::uint64_t i = 0; values.is_list() && i < values.size(); ++i) {
    list.push_back(values.value(i));
  }
  return list;
}

py::tuple files_of_world(const std::filesystem::path& world,
                         const std::vector<std::filesystem::path>& proto_paths,
                         const std::vector<std::filesystem::path>& servo_paths,
                         const std::vector<std::filesystem::path>& assets,
                         const std::vector<std::string>& values) {
  fetch::WorldFiles found;
  {
    const Unlocked unlocked;
    found = fetch::files_of_world(world.string(), {proto_paths.begin(), proto_paths.end()},
                                  {servo_paths.begin(), servo_paths.end()},
                                  {assets.begin(), assets.end()}, values);
  }
  py::list files;
  for (const fetch::WorldFilePart& part : found.files) {
    files.append(py::make_tuple(part.name, py::bytes(part.content)));
  }
  return py::make_tuple(found.world, found.proto_paths, found.servo_paths, files);
}

void bind_runs(py::module_& module) {
  Class<Sweep>(module, "_Sweep",
               "Many runs of a world that differ in fields and seeds. Several threads may "
               "call all of it at once.")
      .def_init(
          [](const std::filesystem::path& world, const std::vector<std::string>& parameters,
             const std::string& variants, const std::string& variants_name,
             const std::string& seeds, std::optional<std::uint64_t> samples,
             std::uint64_t draw_seed, bool latin_hypercube, std::optional<double> duration,
             std::optional<std::int64_t> steps, const std::vector<std::string>& watch,
             const std::vector<std::string>& allow_missing, const py::dict& load) {
            return make_sweep(
                world,
                {parameters, variants, variants_name, seeds, samples, draw_seed, latin_hypercube},
                duration, steps, watch, allow_missing, load);
          },
          py::arg("world"), py::kw_only(), py::arg("parameters"), py::arg("variants"),
          py::arg("variants_name"), py::arg("seeds"), py::arg("samples"), py::arg("draw_seed"),
          py::arg("latin_hypercube"), py::arg("duration"), py::arg("steps"), py::arg("watch"),
          py::arg("allow_missing"), py::arg("load"))
      .def("__len__", [](const Sweep& self) { return self.plan().size(); })
      .def("__repr__",
           [](const Sweep& self) {
             return text("<Sweep of " + std::to_string(self.plan().size()) + " runs of " +
                         described(self.options().world) + '>');
           })
      .def_property_readonly("id", &Sweep::id, "What decides the rows, as a text.")
      .def_property_readonly("columns", &Sweep::columns, "The names of the values of a row.")
      .def_property_readonly(
          "parameters", [](const Sweep& self) { return self.plan().parameters(); },
          "The paths of the fields that differ.")
      .def_property_readonly(
          "diagnostics",
          [](const Sweep& self) {
            py::list list;
            for (const Diagnostic& diagnostic : self.world().diagnostics()) {
              list.append(py::cast(diagnostic));
            }
            return list;
          },
          "The messages of loading the world.")
      .def_property_readonly("controllers", &controllers_of,
                             "The robots that have a controller, each with it: it is not run.")
      .def("run", &run, py::arg("numbers"), py::arg("names") = Names{},
           "The rows of these runs as bytes, one after the other in this thread, without Python's "
           "lock. names: of files in messages, each with what stands there instead.");
}

void bind_results_file(py::module_& module) {
  Class<ResultsFile>(module, "_ResultsFile", "The rows of a sweep in a .csv or .jsonl file.")
      .def_init(&open_results, py::arg("path"), py::arg("sweep"), py::arg("resume"))
      .def(
          "__contains__",
          [](const ResultsFile& self, std::uint64_t number) {
            return self.tally().runs.has(number);
          },
          py::arg("number"), "Whether there is a row of that run.")
      .def("__len__", [](const ResultsFile& self) { return self.tally().runs.size(); })
      .def_property_readonly(
          "by_exit", [](const ResultsFile& self) { return self.tally().by_exit; },
          "How many rows have exit_code 0, 1, 2 and 3.")
      .def_property_readonly("removed", &ResultsFile::removed,
                             "Bytes of a torn row that was removed.")
      .def("__repr__",
           [](const ResultsFile& self) {
             return text("<ResultsFile of " + std::to_string(self.tally().runs.size()) + " runs>");
           })
      .def("add", &add_rows, py::arg("rows"), "Writes what run() gives. Raises OSError.")
      .def(
          "close", [](ResultsFile& self) { or_os_error([&] { self.close(); }); },
          "Everything reaches the disk. Raises OSError.");
}

}  // namespace

void bind_sweep(py::module_& module) {
  bind_runs(module);
  bind_results_file(module);
  module.def("_rows_of", &rows_of, py::arg("rows"), "What run() gives, as a list of tuples.");
  module.def("_value_text", &value_as_text, py::arg("value"),
             "A value as it would stand in a file.");
  module.def("_files_of_world", &files_of_world, py::arg("world"), py::arg("proto_paths"),
             py::arg("servo_paths"), py::arg("assets"), py::arg("values"),
             "The path of a world, the folders of its PROTOs, and (path or address, bytes) of each "
             "file that it may need, also once fields have these values.");
  module.def("_listed_values", &listed_values, py::arg("parameter"),
             "The values that a text PATH=VALUES lists; none of a range or a distribution.");
}

}  // namespace servosim::python

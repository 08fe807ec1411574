// SPDX-License-Identifier: Apache-2.0
// What went wrong, as objects of Python: the messages about a world, and the exceptions.
#include <pybind11/stl.h>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "bindings.h"
#include "classes.h"
#include "controller_api/server/supervisor/field_values.h"
#include "servosim/diagnostics.h"
#include "servosim/simulation.h"
#include "step_file.h"
#include "wbt/field_place.h"

namespace servosim::python {

namespace {

std::string_view name_of_missing(Missing kind) {
  switch (kind) {
    case Missing::Bodies:
      return "bodies";
    case Missing::Protos:
      return "protos";
    case Missing::Meshes:
      return "meshes";
    case Missing::Controllers:
      return "controllers";
    case Missing::Extern:
      return "extern";
    case Missing::Plugins:
      return "plugins";
    case Missing::Fluids:
      return "fluids";
    case Missing::Pictures:
      return "pictures";
    case Missing::Sounds:
      return "sounds";
  }
  return "";
}

void translate(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const LoadError& failed) {
    py::list list;
    for (const Diagnostic& diagnostic : failed.list()) {
      list.append(py::cast(diagnostic));
    }
    const py::object type = of_errors("LoadError");
    const py::object made = type(text(failed.what()), list);
    PyErr_SetObject(type.ptr(), made.ptr());
  } catch (const FileFailed& failed) {
    PyErr_SetObject(PyExc_OSError, text(failed.what()).ptr());
  } catch (const SupervisorRequestError& refused) {
    PyErr_SetObject(of_errors("EditError").ptr(), text(refused.what()).ptr());
  } catch (const wbt::FieldPathError& wrong) {
    if (wrong.names.empty()) {
      PyErr_SetObject(of_errors("EditError").ptr(), text(wrong.what()).ptr());
      return;
    }
    py::list names;
    for (const std::string& name : wrong.names) {
      names.append(text(name));
    }
    const py::object made = of_errors("unknown_name")(text(wrong.reason), text(wrong.name), names);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (const Diverged& failed) {
    PyErr_SetObject(of_errors("Diverged").ptr(), text(failed.what()).ptr());
  } catch (const StepFailed& failed) {
    PyErr_SetObject(of_errors("StepFailed").ptr(), text(failed.what()).ptr());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory");
  } catch (const std::system_error& failed) {
    const bool is_memory = failed.code() == std::errc::not_enough_memory;
    PyErr_SetObject(is_memory ? PyExc_MemoryError : PyExc_OSError, text(failed.what()).ptr());
  }
}

}  // namespace

Missing missing_of(const std::string& name) {
  std::string known;
  for (int i = 0; i <= static_cast<int>(Missing::Sounds); ++i) {
    const auto kind = static_cast<Missing>(i);
    if (name_of_missing(kind) == name) {
      return kind;
    }
    known += (i > 0 ? ", '" : "'") + std::string(name_of_missing(kind)) + '\'';
  }
  throw py::value_error("nothing of a world is called '" + name + "'; what it may lack are " +
                        known);
}

void set_error(const std::exception_ptr& error) {
  try {
    translate(error);
  } catch (py::error_already_set& raised) {
    raised.restore();
  } catch (const py::builtin_exception& failed) {
    failed.set_error();
  } catch (const std::exception& failed) {
    PyErr_SetObject(PyExc_RuntimeError, text(failed.what()).ptr());
  }
}

void InUse::refuse(const std::string& what) const {
  if (why_ != nullptr) {
    raise("InUseError", "this " + what + ' ' + why_);
  }
  if (forks_ != forks) {
    raise("InUseError", "another thread was at work on this " + what +
                            " when the process was forked, so it stays in use here: fork before "
                            "such work begins, or load the world again");
  }
  raise("InUseError",
        "this " + what +
            " is in use: another thread, or the call that this notice or signal handler "
            "interrupts, is at work on it. Let one thread at a time call it, or give each its own");
}

void bind_errors(py::module_& module) {
  follow_forks();
  Class<MissingPart>(module, "MissingPart",
                     "Something without which a world may move otherwise than meant.")
      .def_property_readonly(
          "kind", [](const MissingPart& self) { return text(name_of_missing(self.kind)); },
          "'bodies', 'protos', 'meshes', 'controllers', 'extern', 'plugins', 'fluids', 'pictures' "
          "or "
          "'sounds'.")
      .def_property_readonly(
          "subject", [](const MissingPart& self) { return text(self.subject); },
          "What is missing, such as \"PROTO 'Table'\".")
      .def_property_readonly(
          "remedy", [](const MissingPart& self) { return text(self.remedy); },
          "What to do about it; '' if nothing helps.")
      .def("__repr__",
           [](const MissingPart& self) { return text("<MissingPart " + self.subject + ">"); });
  Class<Diagnostic>(module, "Diagnostic", "A message about a file of a world.")
      .def_property_readonly(
          "file", [](const Diagnostic& self) { return text(self.file); }, "The file's path.")
      .def_readonly("line", &Diagnostic::line, "From 1 on; 0: the whole file is meant.")
      .def_readonly("column", &Diagnostic::column, "From 1 on; 0: the whole file is meant.")
      .def_property_readonly(
          "severity", [](const Diagnostic& self) { return text(name_of(self.severity)); },
          "'info', 'warning' or 'error'.")
      .def_property_readonly(
          "message", [](const Diagnostic& self) { return text(self.message); },
          "What is wrong, and what to do.")
      .def_property_readonly(
          "missing", [](const Diagnostic& self) { return self.missing; },
          "The MissingPart that the message is about, or None.")
      .def_readonly("only_looks", &Diagnostic::only_looks,
                    "Whether it is about something missing that acts on no motion.")
      .def_readonly("replaced", &Diagnostic::replaced,
                    "Whether a given value is not simulated: another one is used, or none.")
      .def("__str__", [](const Diagnostic& self) { return text(to_string(self)); })
      .def("__repr__",
           [](const Diagnostic& self) { return text("<Diagnostic " + to_string(self) + ">"); });
  py::register_exception_translator(&translate);
}

}  // namespace servosim::python

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <string_view>

#include "servosim/diagnostics.h"

// The parts of the module `servosim._servosim`, and what they share.

namespace servosim::python {

namespace py = pybind11;

// Each adds its classes to the module; those of a later one may use those of an earlier one.
void bind_errors(py::module_& module);
void bind_elements(py::module_& module);
void bind_fields(py::module_& module);
void bind_traces(py::module_& module);
void bind_simulation(py::module_& module);
void bind_batch(py::module_& module);
void bind_sweep(py::module_& module);

/// A text of the library, whose bytes that are no UTF-8 become U+FFFD.
inline py::str text(std::string_view of) {
  PyObject* made = PyUnicode_DecodeUTF8(of.data(), static_cast<Py_ssize_t>(of.size()), "replace");
  if (made == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::str>(made);
}

/// Something of servosim._errors, which is Python.
inline py::object of_errors(const char* name) {
  return py::module_::import("servosim._errors").attr(name);
}

/// A kind by its name, as the option --allow-missing has it. @throws py::value_error
Missing missing_of(const std::string& name);

/// Sets the exception of Python for one of ours, for functions that pybind11 does not wrap.
void set_error(const std::exception_ptr& error);

/// Raises an exception class of servosim._errors with one text.
[[noreturn]] inline void raise(const char* error, const std::string& what) {
  PyErr_SetObject(of_errors(error).ptr(), text(what).ptr());
  throw py::error_already_set();
}

}  // namespace servosim::python

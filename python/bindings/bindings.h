// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "servosim/diagnostics.h"
#include "threads.h"

// The parts of the module `servosim._servosim`, and what they share.

namespace servosim::python {

namespace py = pybind11;

// Each function adds its classes to the module. A later one may use the classes of an earlier one.
void bind_errors(py::module_& module);
void bind_elements(py::module_& module);
void bind_fields(py::module_& module);
void bind_files(py::module_& module);
void bind_simulation(py::module_& module);
void bind_batch(py::module_& module);
void bind_sweep(py::module_& module);

/// The text of the library as a str. Bytes that are not UTF-8 become U+FFFD.
inline py::str text(std::string_view of) {
  PyObject* made = PyUnicode_DecodeUTF8(of.data(), static_cast<Py_ssize_t>(of.size()), "replace");
  if (made == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::str>(made);
}

/// The UTF-8 bytes of a str. @throws UnicodeEncodeError of Python
inline std::string utf8(py::handle of) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(of.ptr(), &size);
  if (bytes == nullptr) {
    throw py::error_already_set();
  }
  return {bytes, static_cast<std::size_t>(size)};
}

/// An object of servosim._errors, which is written in Python.
inline py::object of_errors(const char* name) {
  return py::module_::import("servosim._errors").attr(name);
}

/// An array that is shown with names of its rows and columns. None: with numbers.
inline py::object labelled(const py::object& array, const py::object& rows,
                           const py::object& columns) {
  return py::module_::import("servosim._notebook").attr("labelled")(array, rows, columns);
}

/// A value for a message: its repr(), cut where it is long or deep.
inline std::string shown(py::handle value) {
  return py::str(of_errors("shown")(value)).cast<std::string>();
}

/// A world by its path. An empty path means that the world was a text.
inline std::string described(const std::string& world) {
  return world.empty() ? "a text" : '\'' + world + '\'';
}

/// A kind of missing parts by its name in the option --allow-missing. @throws py::value_error
Missing missing_of(const std::string& name);

/// Sets the exception of Python for an exception of the library, in functions that pybind11 does
/// not wrap.
void set_error(const std::exception_ptr& error);

/// Whether the exception says that a value is wrong. Others say that memory is short, or interrupt
/// the program.
inline bool is_of_value(const py::error_already_set& raised) {
  return raised.matches(PyExc_TypeError) || raised.matches(PyExc_ValueError) ||
         raised.matches(PyExc_OverflowError);
}

/// Raises an exception class of servosim._errors with the given text.
[[noreturn]] inline void raise(const char* error, const std::string& what) {
  PyErr_SetObject(of_errors(error).ptr(), text(what).ptr());
  throw py::error_already_set();
}

/// Whether a call works on an object with Python's lock released, or gives a notice of it. An
/// object that was in use when a process was forked remains so in the new process, since the thread
/// that works on it stays behind.
class InUse {
 public:
  /// @param why  why it is in use, as the end of a sentence; null: a call is at work. It must
  ///   outlive the use.
  void begin(const char* why = nullptr) {
    active_ = true;
    why_ = why;
    forks_ = forks;
  }
  void end() { active_ = false; }
  explicit operator bool() const { return active_; }
  /// @param what  what is in use, such as "simulation"
  /// @throws InUseError of Python
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  bool active_ = false;
  const char* why_ = nullptr;
  std::uint64_t forks_ = 0;  // number of forks at begin()
};

}  // namespace servosim::python

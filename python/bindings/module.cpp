// SPDX-License-Identifier: Apache-2.0
#include <pybind11/eval.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <string>

#include "bindings.h"

namespace servosim::python {
namespace {

std::string numpy_version() {
  return py::module_::import("numpy").attr("__version__").cast<std::string>();
}

// pybind11 reads fields of NumPy's structures. Before 2.12 it knows only those of NumPy 1.
constexpr bool kKnowsNumpy2 = PYBIND11_VERSION_MAJOR > 2 || PYBIND11_VERSION_MINOR >= 12;

// @throws ImportError of Python
void refuse_unknown_numpy() {
  const std::string version = numpy_version();
  if (!kKnowsNumpy2 && std::stoi(version) >= 2) {
    throw py::import_error(
        "servosim was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) + '.' +
        std::to_string(PYBIND11_VERSION_MINOR) + ", which cannot make arrays of NumPy " + version +
        ": install 'numpy<2', or install pybind11 3 by pip and build servosim again");
  }
}

// Whether NumPy reads each kind of array that the module makes, and the module reads one that NumPy
// has made.
bool arrays_are_right() {
  static constexpr std::array<float, 6> kSingle{0.5f, -1.5f, 2.5f, -3.5f, 4.5f, -5.5f};
  static constexpr std::array<double, 6> kDouble{0.5, -1.5, 2.5, -3.5, 4.5, -5.5};
  const py::array view(py::dtype::of<float>(), {2, 3}, kSingle.data(), py::capsule(&kSingle));
  const py::array_t<double> copy(std::array<py::ssize_t, 2>{2, 3}, kDouble.data());
  const py::object rows = py::eval("[[0.5, -1.5, 2.5], [-3.5, 4.5, -5.5]]");
  const auto given = py::module_::import("numpy").attr("array")(rows);
  const auto taken = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  return view.attr("tolist")().equal(rows) && copy.attr("tolist")().equal(rows) && taken &&
         taken.ndim() == 2 && taken.shape(1) == 3 &&
         std::equal(kDouble.begin(), kDouble.end(), taken.data());
}

// A later layout of NumPy's structures must not give wrong numbers without a message. @throws
// ImportError of Python
void check_arrays() {
  bool are_right = false;
  try {
    are_right = arrays_are_right();
  } catch (const py::error_already_set&) {  // pybind11 does not find what it needs of NumPy
  }
  if (!are_right) {
    throw py::import_error(
        "servosim was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) + '.' +
        std::to_string(PYBIND11_VERSION_MINOR) + ", which makes wrong arrays of NumPy " +
        numpy_version() +
        ": install another NumPy, or a newer pybind11 by pip and build servosim again");
  }
}

}  // namespace
}  // namespace servosim::python

PYBIND11_MODULE(_servosim, module) {
  module.doc() = "The compiled part of the package servosim.";
  module.attr("version") = SERVOSIM_VERSION;
  module.attr("knows_numpy_2") = servosim::python::kKnowsNumpy2;
  servosim::python::refuse_unknown_numpy();
  servosim::python::check_arrays();
  servosim::python::bind_errors(module);
  servosim::python::bind_elements(module);
  servosim::python::bind_fields(module);
  servosim::python::bind_files(module);
  servosim::python::bind_simulation(module);
  servosim::python::bind_batch(module);
  servosim::python::bind_sweep(module);
}

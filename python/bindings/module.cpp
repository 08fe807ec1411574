// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

PYBIND11_MODULE(_servosim, module) {
  module.doc() = "The compiled part of the package servosim.";
  module.attr("version") = SERVOSIM_VERSION;
  servosim::python::bind_errors(module);
  servosim::python::bind_elements(module);
  servosim::python::bind_fields(module);
  servosim::python::bind_traces(module);
  servosim::python::bind_simulation(module);
  servosim::python::bind_batch(module);
  servosim::python::bind_sweep(module);
}

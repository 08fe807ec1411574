// SPDX-License-Identifier: Apache-2.0
// What servosim.distributed is made of.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bindings.h"
#include "fetch/world_files.h"

namespace servosim::python {

namespace {

using Paths = std::vector<std::filesystem::path>;

std::vector<std::string> strings_of_paths(const Paths& paths) {
  return {paths.begin(), paths.end()};
}

py::tuple files_of_world(const std::filesystem::path& world, const Paths& proto_paths,
                         const Paths& assets) {
  fetch::WorldFiles found;
  {
    const py::gil_scoped_release unlocked;
    found = fetch::files_of_world(world.string(), strings_of_paths(proto_paths),
                                  strings_of_paths(assets));
  }
  py::list files;
  for (const fetch::WorldFilePart& part : found.files) {
    files.append(py::make_tuple(part.name, py::bytes(part.content)));
  }
  return py::make_tuple(found.world, found.proto_paths, files);
}

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("_files_of_world", &files_of_world, py::arg("world"), py::arg("proto_paths"),
             py::arg("assets"),
             "The path of a world, the folders of its PROTOs, and (path or address, bytes) of each "
             "file that it may need.");
}

}  // namespace servosim::python

// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "controller/link.h"
#include "core/printable.h"

namespace servosim {

namespace {

std::string dl_error() {
  const char* text = dlerror();
  return text == nullptr ? "its entry point is null" : text;
}

// Folder of libController.so itself, symbolic links resolved; empty if it cannot be told.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&open_embedded_link), &info) == 0) {
    return {};
  }
  char* real = realpath(info.dli_fname, nullptr);
  const std::string path = real != nullptr ? real : "";
  std::free(real);
  return path.substr(0, path.rfind('/') + 1);
}

// libservosim lies above libController, in the build tree and installed. Elsewhere the dynamic
// linker may know it. No RUNPATH does this: it fails where dlopen() is wrapped, as by sanitizers.
std::string find_simulator() {
  const std::string name = SERVOSIM_LIBRARY_NAME;
  for (const char* above : {"../", "../../../"}) {
    const std::string path = own_folder() + above + name;
    if (access(path.c_str(), R_OK) == 0) {
      return path;
    }
  }
  return name;
}

}  // namespace

std::unique_ptr<Link> open_embedded_link(const EmbeddedSettings& settings) {
  const std::string path = find_simulator();
  // Local: its symbols and those of ODE stay out of the controller's. Never closed, since its code
  // runs until the process ends.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    print_to_stderr("Error", "cannot load the simulator: " + dl_error());
    return nullptr;
  }
  void* symbol = dlsym(library, kOpenEmbedded);
  if (symbol == nullptr) {
    print_to_stderr("Error", path + " is not the simulator: " + dl_error());
    return nullptr;
  }
  auto* open = reinterpret_cast<OpenEmbedded*>(symbol);
  return std::unique_ptr<Link>(open(&settings));
}

}  // namespace servosim

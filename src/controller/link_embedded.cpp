// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdio>

#include "controller/link.h"

namespace servosim {

std::unique_ptr<Link> open_embedded_link(const EmbeddedSettings& settings) {
  // Found by this library's RUNPATH. Local: its symbols and those of ODE stay out of the
  // controller's. Never closed, since its code runs until the process ends.
  void* library = dlopen(SERVOSIM_LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "Error: cannot load the simulator: %s\n", dlerror());
    return nullptr;
  }
  void* symbol = dlsym(library, kOpenEmbedded);
  if (symbol == nullptr) {
    std::fprintf(stderr, "Error: %s is not the simulator: %s\n", SERVOSIM_LIBRARY_NAME, dlerror());
    return nullptr;
  }
  auto* open = reinterpret_cast<OpenEmbedded*>(symbol);
  return std::unique_ptr<Link>(open(&settings));
}

}  // namespace servosim

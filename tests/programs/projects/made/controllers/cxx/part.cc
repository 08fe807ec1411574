// SPDX-License-Identifier: Apache-2.0
#include <string>

std::string who() { return "cxx"; }

// SPDX-License-Identifier: Apache-2.0
#include <webots/utils/string.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

char* wbu_string_strsep(char** stringp, const char* delim) {
  if (stringp == nullptr || delim == nullptr || *stringp == nullptr) {
    return nullptr;
  }
  char* begin = *stringp;
  char* end = begin + std::strcspn(begin, delim);
  *stringp = *end != '\0' ? end + 1 : nullptr;
  *end = '\0';
  return begin;
}

char* wbu_string_replace(char* value, const char* before, const char* after) try {
  if (value == nullptr || before == nullptr || after == nullptr) {
    return nullptr;
  }
  std::string text = value;
  const std::size_t cut = std::strlen(before);
  const std::size_t put = std::strlen(after);
  if (cut > 0) {
    std::string result;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(before, from)) != text.npos; from = at + cut) {
      result.append(text, from, at - from).append(after, put);
    }
    text = result.append(text, from);
  }
  return strdup(text.c_str());
} catch (const std::bad_alloc&) {
  return nullptr;
}

// SPDX-License-Identifier: Apache-2.0
#include "cli/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace servosim {
namespace {

using std::string_view_literals::operator""sv;

// How tokens of services begin, as these publish it for scanners of secrets.
constexpr std::array kBeginnings{"ghp_"sv,        "gho_"sv,   "ghu_"sv, "ghs_"sv,  "ghr_"sv,
                                 "github_pat_"sv, "glpat-"sv, "sk-"sv,  "xoxb-"sv, "xoxp-"sv,
                                 "AKIA"sv,        "ASIA"sv,   "AIza"sv, "hf_"sv,   "npm_"sv,
                                 "pypi-"sv,       "eyJ"sv};
constexpr std::size_t kShortestToken = 16;

// Names, in lower case and without `-` and `_`, that end like this have a secret as their value.
constexpr std::array kSecretNames{"password"sv,  "passwd"sv,     "passphrase"sv,
                                  "secret"sv,    "token"sv,      "apikey"sv,
                                  "accesskey"sv, "privatekey"sv, "secretkey"sv};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '+' || c == '/' || c == '~';
}

bool is_token(std::string_view word) {
  return word.size() >= kShortestToken &&
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [word](std::string_view beginning) { return word.starts_with(beginning); });
}

bool names_secret(std::string_view word) {
  std::string name;
  for (const char c : word) {
    if (c != '-' && c != '_') {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&name](std::string_view end) { return name.ends_with(end); });
}

// Cleans a text from its beginning to its end.
class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : text_(text) {}

  CleanText clean() {
    while (at_ < text_.size()) {
      if (!skip_private_key() && !skip_user_of_url()) {
        take_word();
      }
    }
    return std::move(clean_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void keep(std::size_t size) {
    clean_.text += text_.substr(at_, size);
    at_ += size;
  }

  void remove(std::size_t size) {
    clean_.text += kRemoved;
    ++clean_.removed;
    at_ += size;
  }

  bool skip_private_key() {
    constexpr std::string_view kBegin = "-----BEGIN ";
    constexpr std::string_view kEnd = "-----END ";
    if (!rest().starts_with(kBegin)) {
      return false;
    }
    const std::size_t line = std::min(rest().find('\n'), rest().size());
    if (rest().substr(0, line).find("PRIVATE KEY") == std::string_view::npos) {
      return false;
    }
    const std::size_t end = rest().find(kEnd);
    const std::size_t last = end == std::string_view::npos ? end : rest().find('\n', end);
    remove(std::min(last, rest().size()));
    return true;
  }

  bool skip_user_of_url() {
    constexpr std::string_view kScheme = "://";
    if (!rest().starts_with(kScheme)) {
      return false;
    }
    keep(kScheme.size());
    const std::size_t end = std::min(rest().find_first_of("/ \t\r\n\"'<>"), rest().size());
    if (const std::size_t user = rest().substr(0, end).rfind('@'); user != std::string_view::npos) {
      remove(user);
    }
    return true;
  }

  void take_word() {
    std::size_t size = 0;
    while (size < rest().size() && is_word(rest()[size])) {
      ++size;
    }
    const std::string_view word = rest().substr(0, size);
    if (size == 0) {
      keep(1);
    } else if (is_token(word)) {
      remove(size);
    } else {
      const char before = at_ > 0 ? text_[at_ - 1] : ' ';
      keep(size);
      if (names_secret(word)) {
        skip_value(word.starts_with('-'), before == '"' || before == '\'');
      }
    }
  }

  // Removes the value of a name that ends here. It is behind `=`, `:` or an opening quote, or,
  // behind an option, behind a space or the quotes of the next word of a list.
  // @param is_quoted  whether a quote is open, which begins directly in front of the name
  void skip_value(bool is_option, bool is_quoted) {
    constexpr std::size_t kLongestGap = 200;
    std::size_t gap = 0;
    bool is_value = false;
    char quote = '\0';  // the last one
    while (gap < rest().size() && gap < kLongestGap) {
      const char c = rest()[gap];
      const bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
      if (c == '=' || c == ':') {
        is_value = true;
      } else if (c == '"' || c == '\'') {
        is_quoted = !is_quoted;
        is_value = is_value || is_option || (gap > 0 && c == '"');
        quote = c;
      } else if ((is_space && c != '\n') || (is_option && (c == ',' || c == '\n'))) {
        is_value = is_value || is_option;
      } else {
        break;
      }
      ++gap;
    }
    if (!is_value || (quote != '\0' && !is_quoted)) {
      return;
    }
    keep(gap);
    const std::string_view ends = quote == '"'    ? "\"\n"sv
                                  : quote == '\'' ? "'\n"sv
                                                  : " \t\r\n,;\"'[]{}"sv;
    if (const std::size_t end = std::min(rest().find_first_of(ends), rest().size()); end > 0) {
      remove(end);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  CleanText clean_;
};

}  // namespace

CleanText without_secrets(std::string_view text) { return Cleaner(text).clean(); }

bool may_be_token(std::string_view word) {
  const auto has = [word](int (*kind)(int)) {
    return std::any_of(word.begin(), word.end(),
                       [kind](char c) { return kind(static_cast<unsigned char>(c)) != 0; });
  };
  return word.size() >= 20 && has(std::isalpha) && has(std::isdigit) &&
         word.find('/') == std::string_view::npos;
}

std::string without_home(std::string_view text, std::string_view home) {
  while (home.ends_with('/')) {
    home.remove_suffix(1);
  }
  if (home.empty()) {
    return std::string(text);
  }
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find(home); at != std::string_view::npos;
       at = text.find(home, begin)) {
    const std::size_t end = at + home.size();
    const bool is_begin = at == 0 || !is_word(text[at - 1]);
    const bool is_end = end == text.size() || text[end] == '/' || !is_word(text[end]);
    result += text.substr(begin, at - begin);
    result += is_begin && is_end ? std::string_view("~") : home;
    begin = end;
  }
  return result += text.substr(begin);
}

}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "cli/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/letter_case.h"

namespace servosim {
namespace {

using std::string_view_literals::operator""sv;

// How tokens of services begin, as these publish it for scanners of secrets.
constexpr std::array kBeginnings{
    "ghp_"sv,   "gho_"sv,  "ghu_"sv,     "ghs_"sv,     "ghr_"sv,      "github_pat_"sv, "glpat-"sv,
    "glptt-"sv, "sk-"sv,   "sk_live_"sv, "rk_live_"sv, "xoxb-"sv,     "xoxp-"sv,       "xoxa-"sv,
    "xoxs-"sv,  "xapp-"sv, "AKIA"sv,     "ASIA"sv,     "AIza"sv,      "ya29."sv,       "GOCSPX-"sv,
    "SG."sv,    "hf_"sv,   "npm_"sv,     "pypi-"sv,    "dckr_pat_"sv, "eyJ"sv};
constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestLook = 200;     // so that the time grows with the text alone
constexpr std::size_t kLongestQuoted = 1024;  // a longer text in quotes ends with its line

// A file such as hf_shoulder_2.stl is no token.
constexpr std::array kFileEndings{".wbt"sv, ".proto"sv, ".toml"sv, ".stl"sv, ".obj"sv, ".dae"sv,
                                  ".png"sv, ".jpg"sv,   ".jpeg"sv, ".hdr"sv, ".csv"sv, ".svt"sv};

// Names, in lower case and without `-` and `_`, that end like this have a secret as their value.
constexpr std::array kSecretNames{"password"sv,  "passwd"sv,       "passphrase"sv, "secret"sv,
                                  "token"sv,     "apikey"sv,       "accesskey"sv,  "privatekey"sv,
                                  "secretkey"sv, "pwd"sv,          "credential"sv, "credentials"sv,
                                  "tokens"sv,    "authorization"sv};
// These are ends of other words, and count only as whole words.
constexpr std::array kSecretWords{"pass"sv, "auth"sv, "bearer"sv};

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
  return std::find(kSecretWords.begin(), kSecretWords.end(), name) != kSecretWords.end() ||
         std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&name](std::string_view end) { return name.ends_with(end); });
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool has_digit(std::string_view word) {
  return word.find_first_of("0123456789") != std::string_view::npos;
}

bool names_file(std::string_view word) {
  const std::string name = lower_case(word);
  return std::any_of(kFileEndings.begin(), kFileEndings.end(),
                     [&name](std::string_view ending) { return name.ends_with(ending); });
}

// Returns where a token begins within a word: at its beginning, or, if it has a digit, behind one
// of
// `/.~+`. Returns the size of the word if there is none.
std::size_t token_in(std::string_view word) {
  for (std::size_t at = 0; at < word.size(); ++at) {
    const bool may_begin = at == 0 || "/.~+"sv.find(word[at - 1]) != std::string_view::npos;
    if (!may_begin || !is_token(word.substr(at))) {
      continue;
    }
    std::string_view part = word.substr(at, kLongestLook);
    part = part.substr(0, part.find('/'));
    if (is_token(part) && (at == 0 || has_digit(part)) && !names_file(part)) {
      return at;
    }
  }
  return word.size();
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
    const std::string_view look = rest().substr(0, kLongestLook);
    if (look.substr(0, look.find('\n')).find("PRIVATE KEY") == std::string_view::npos) {
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
    std::size_t end = 0;
    while (end < rest().size() && "/ \t\r\n\"<>"sv.find(rest()[end]) == std::string_view::npos) {
      end += rest()[end] == '\\' ? 2 : 1;
    }
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
    } else if (const std::size_t token = token_in(word); token < size) {
      keep(token);
      remove(size - token);
    } else {
      const char before = at_ > 0 ? text_[at_ - 1] : ' ';
      keep(size);
      if (word == "Bearer" || word == "bearer") {
        skip_next_word();
      } else if (names_secret(word)) {
        skip_value(word, before);
      }
    }
  }

  // Removes the word behind `Bearer` if it is long and has a digit, as no name of a node has.
  void skip_next_word() {
    const std::size_t begin = rest().find_first_not_of(" \t");
    if (begin == 0 || begin == std::string_view::npos) {
      skip_value("bearer", ' ');
      return;
    }
    std::size_t end = begin;
    while (end < rest().size() && (is_word(rest()[end]) || rest()[end] == '=')) {
      ++end;
    }
    if (const std::string_view word = rest().substr(begin, end - begin);
        word.size() >= kShortestToken && has_digit(word)) {
      keep(begin);
      remove(word.size());
    }
  }

  // Removes the value of a name that ends here. It is behind `=`, `:`, `=>`, `(` with a quote, or
  // an opening quote, or, behind an option, behind a space or the quotes of the next word of a
  // list. An element of XML has it behind `>`.
  // @param before  the character in front of the name; a quote there is open
  void skip_value(std::string_view name, char before) {
    const bool is_option = name.starts_with('-');
    const bool is_element = before == '<' && !name.starts_with('/') && rest().starts_with('>');
    std::size_t gap = is_element ? 1 : 0;
    bool is_value = is_element;
    bool is_call = false;
    bool is_escaped = false;  // whether a quote has a backslash, since it is within a text
    bool is_quoted = before == '"' || before == '\'';
    char quote = '\0';  // the last one
    while (gap < rest().size() && gap < kLongestLook) {
      const char c = rest()[gap];
      const char next = gap + 1 < rest().size() ? rest()[gap + 1] : '\0';
      if (c == '=' || c == ':') {
        is_value = true;
      } else if (c == '"' || c == '\'') {
        is_quoted = !is_quoted;
        is_value = is_value || is_option || is_call || (gap > 0 && c == '"' && !is_escaped);
        quote = c;
      } else if (c == '\\' && (next == '"' || next == '\'')) {
        is_escaped = true;
      } else if (c == '(' && !is_value) {
        is_call = true;
      } else if (!(c == '>' && gap > 0 && rest()[gap - 1] == '=') && !(is_space(c) && c != '\n') &&
                 !(is_option && (c == ',' || c == '\n'))) {
        break;
      } else if (is_space(c)) {
        is_value = is_value || is_option;
      }
      ++gap;
    }
    if (!is_value || (quote != '\0' && !is_quoted)) {
      return;
    }
    keep(gap);
    const std::size_t end = quote == '\0' ? bare_size(name, is_element)
                            : is_escaped  ? std::min(rest().find_first_of("\\\n"), rest().size())
                                          : quoted_size(quote);
    if (end > 0) {
      remove(end);
    }
  }

  // Returns the size of the value without quotes that begins here. Behind `Authorization:` it has
  // two words.
  std::size_t bare_size(std::string_view name, bool is_element) const {
    const std::string_view ends = is_element ? "<\n"sv
                                  : lower_case(name).ends_with("authorization")
                                      ? "\r\n\"'"sv
                                      : " \t\r\n,;\"'[]{}"sv;
    return std::min(rest().find_first_of(ends), rest().size());
  }

  // Returns the size of the text that begins here and ends at a quote without a backslash. A text
  // in `"` may have several lines.
  std::size_t quoted_size(char quote) const {
    for (std::size_t at = 0; at < std::min(rest().size(), kLongestQuoted); ++at) {
      if (rest()[at] == quote) {
        return at;
      }
      if (rest()[at] == '\n' && quote != '"') {
        break;
      }
      at += rest()[at] == '\\' ? 1 : 0;
    }
    return std::min(rest().find('\n'), rest().size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  CleanText clean_;
};

// Returns whether the `/` at this position begins a path: no word is in front of it, or the end of
// `file://`, or an option of letters such as `-I`.
bool begins_path(std::string_view text, std::size_t at) {
  std::size_t begin = at;  // of the word in front
  while (begin > 0 && at - begin < kLongestLook && is_word(text[begin - 1])) {
    --begin;
  }
  const std::string_view word = text.substr(begin, at - begin);
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return word.empty() || (word == "//" && begin > 0 && text[begin - 1] == ':') ||
         (word.size() > 1 && word.front() == '-' &&
          std::all_of(word.begin() + 1, word.end(), is_letter));
}

}  // namespace

CleanText without_secrets(std::string_view text) { return Cleaner(text).clean(); }

std::string without_end_of_key(std::string text) {
  constexpr std::string_view kEnd = "-----END ";
  constexpr std::string_view kKey = "PRIVATE KEY-----";
  for (std::size_t key = text.rfind(kKey); key != std::string::npos && key > 0;
       key = text.rfind(kKey, key - 1)) {
    const std::size_t begin = key > kLongestLook ? key - kLongestLook : 0;
    const std::string_view look = std::string_view(text).substr(begin, key - begin);
    const std::size_t end = look.rfind(kEnd);
    if (end != std::string_view::npos && look.find('\n', end) == std::string_view::npos) {
      return text.replace(0, key + kKey.size(), kRemoved);
    }
  }
  return text;
}

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
    const bool is_end = end == text.size() || text[end] == '/' || !is_word(text[end]);
    result += text.substr(begin, at - begin);
    result += begins_path(text, at) && is_end ? std::string_view("~") : home;
    begin = end;
  }
  return result += text.substr(begin);
}

std::string without_homes(std::string text, const std::vector<std::string>& homes) {
  for (const std::string& home : homes) {
    text = without_home(text, home);
  }
  return text;
}

}  // namespace servosim

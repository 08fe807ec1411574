// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace servosim {

/// What replaces a secret.
inline constexpr std::string_view kRemoved = "<removed>";

/// A text in which secrets are replaced.
struct CleanText {
  std::string text;
  std::size_t removed = 0;  ///< number of secrets
};

/// Returns a text without what looks like a secret: private keys, words that begin as tokens of
/// known services do, the user's name and password in a URL, the word behind `Bearer`, and values
/// of names such as `password`, `API_TOKEN=` or `--secret`. What a secret looks like is a guess: a
/// person has to look at the result.
CleanText without_secrets(std::string_view text);

/// Returns a text whose beginning is lost without the end of a private key that began there.
std::string without_end_of_key(std::string text);

/// Returns whether a word may be a token: at least 20 characters, among them letters and digits,
/// and no slash.
bool may_be_token(std::string_view word);

/// Returns the text with `~` in place of the home folder, where a path begins with it, also behind
/// `file://` or an option such as `-I`. Nothing is replaced if `home` is empty or the root.
std::string without_home(std::string_view text, std::string_view home);
/// Does the same for several paths of the home folder, in this order.
std::string without_homes(std::string text, const std::vector<std::string>& homes);

}  // namespace servosim

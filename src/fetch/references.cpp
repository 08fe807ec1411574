// SPDX-License-Identifier: Apache-2.0
#include "fetch/references.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/text.h"
#include "wbt/lexer.h"

namespace servosim::fetch {
namespace {

constexpr std::size_t kLongestUrl = 2000;

void add(std::vector<std::string>& list, std::set<std::string>& seen, const std::string& one) {
  if (seen.insert(one).second) {
    list.push_back(one);
  }
}

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// Calls see(text) for each quoted string. Each line is read on its own, so text that is not VRML,
// such as the code of a template, affects at most the rest of its line.
template <class See>
void for_each_string(std::string_view text, See see) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '#') {
        break;
      }
      if (line[at] != '"') {
        continue;
      }
      const std::size_t begin = at + 1;
      for (++at; at < line.size() && line[at] != '"'; ++at) {
        at += line[at] == '\\' ? 1 : 0;
      }
      if (at < line.size()) {
        see(wbt::unescaped(line.substr(begin, at - begin)));
      }
    }
  }
}

}  // namespace

References references_in(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMeshes{".stl", ".obj", ".dae"};
  constexpr std::array<std::string_view, 4> kTextures{".png", ".jpg", ".jpeg", ".hdr"};
  References found;
  std::set<std::string> seen;
  for (wbt::Lexer lexer(text); lexer.peek().kind != wbt::TokenKind::End;) {
    const wbt::Token token = lexer.take();
    if (token.is("EXTERNPROTO") && lexer.peek().kind == wbt::TokenKind::String) {
      add(found.externs, seen, wbt::unescaped(lexer.peek().text));
    } else if (token.kind == wbt::TokenKind::Word &&
               lexer.peek().kind == wbt::TokenKind::OpenBrace) {
      found.nodes.emplace(token.text);
    }
  }
  for_each_string(text, [&](const std::string& url) {
    if (url.size() > kLongestUrl || url.find_first_of("%<>{}`\n") != std::string::npos) {
      return;  // a template computes it, or it is no url
    }
    const std::string ending = lower_ending(url);
    if (is_one_of(kMeshes, ending)) {
      add(found.meshes, seen, url);
    } else if (is_one_of(kTextures, ending)) {
      add(found.textures, seen, url);
    }
  });
  return found;
}

bool is_proto(std::string_view text) {
  wbt::Lexer lexer(text);
  while (lexer.peek().is("EXTERNPROTO") || lexer.peek().is("IMPORTABLE") ||
         lexer.peek().kind == wbt::TokenKind::String) {
    lexer.advance();
  }
  return lexer.peek().is("PROTO");
}

bool is_web_page(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text.size()));
  std::string start(text.substr(0, 15));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

}  // namespace servosim::fetch

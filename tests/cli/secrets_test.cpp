// SPDX-License-Identifier: Apache-2.0
#include "cli/secrets.h"

#include <gtest/gtest.h>

#include <string>

namespace servosim {
namespace secrets_test {

TEST(Secrets, AreRemoved) {
  const struct {
    const char* text;
    const char* clean;
  } cases[]{
      {"a ghp_0123456789abcdefABCDEF b", "a <removed> b"},
      {"API_TOKEN=abc", "API_TOKEN=<removed>"},
      {"password: 'a b', x", "password: '<removed>', x"},
      {"{\"apiKey\": \"a,b\"}", "{\"apiKey\": \"<removed>\"}"},
      {"field SFString secret \"x y\"", "field SFString secret \"<removed>\""},
      {"controllerArgs [ \"--token=abc\" \"2\" ]",
       "controllerArgs [ \"--token=<removed>\" \"2\" ]"},
      {"controllerArgs [\n  \"--token\"\n  \"abc\"\n]",
       "controllerArgs [\n  \"--token\"\n  \"<removed>\"\n]"},
      {"[\"--api-key\", \"abc\"]", "[\"--api-key\", \"<removed>\"]"},
      {"run --password abc x", "run --password <removed> x"},
      {"https://me:pass@example.org/x", "https://<removed>@example.org/x"},
      {"-----BEGIN RSA PRIVATE KEY-----\nab\ncd\n-----END RSA PRIVATE KEY-----\nx", "<removed>\nx"},
      {"-----BEGIN PRIVATE KEY-----\nab", "<removed>"}};
  for (const auto& each : cases) {
    const CleanText clean = without_secrets(each.text);
    EXPECT_EQ(clean.text, each.clean);
    EXPECT_EQ(clean.removed, 1u) << each.text;
  }
}

TEST(Secrets, OtherTextStaysAsItIs) {
  for (const std::string text :
       {"", "a token is missing here", "url \"https://example.org/a@b/c.stl\"", "password \"\"",
        "controllerArgs [ \"--token\" ]", "translation 0.1 -2 3e-5 # 50 %",
        "-----BEGIN CERTIFICATE-----", "sk-short", "tokens = 7", "user@example.org",
        "DEF TOKEN Solid {\n  name \"token\"\n}", "state_hash: 51e099cf3a94027a"}) {
    EXPECT_EQ(without_secrets(text).text, text);
    EXPECT_EQ(without_secrets(text).removed, 0u);
  }
}

TEST(Secrets, MayBeTokens) {
  EXPECT_TRUE(may_be_token("a1b2c3d4e5f6a7b8c9d0"));
  EXPECT_FALSE(may_be_token("a1b2c3d4e5f6a7b8c9d")) << "too short";
  EXPECT_FALSE(may_be_token("/opt/webots/R2025a/resources"));
  EXPECT_FALSE(may_be_token("12345678901234567890"));
}

TEST(Secrets, HomeIsATilde) {
  EXPECT_EQ(without_home("/home/me/w.wbt:3: \"/home/me\" /home/men /x/home/me", "/home/me/"),
            "~/w.wbt:3: \"~\" /home/men /x/home/me");
  EXPECT_EQ(without_home("/h/h/h /h", "/h"), "~/h/h ~");
  EXPECT_EQ(without_home("/a", ""), "/a");
  EXPECT_EQ(without_home("/a", "/"), "/a");
}

}  // namespace secrets_test
}  // namespace servosim

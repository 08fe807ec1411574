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
      {"-----BEGIN PRIVATE KEY-----\nab", "<removed>"},
      {"password: \"a\\\"b\" x", "password: \"<removed>\" x"},
      {"secret \"a\nb\" x", "secret \"<removed>\" x"},
      {"token = \"a\nb", "token = \"<removed>\nb"},
      {"customData \"{\\\"pwd\\\": \\\"x y\\\"}\"",
       "customData \"{\\\"pwd\\\": \\\"<removed>\\\"}\""},
      {"<password>a b</password>", "<password><removed></password>"},
      {"setPassword(\"x\")", "setPassword(\"<removed>\")"},
      {"setPassword('x')", "setPassword('<removed>')"},
      {"'password' => 'x',", "'password' => '<removed>',"},
      {"pwd: x", "pwd: <removed>"},
      {"--pass x", "--pass <removed>"},
      {"auth = 'x'", "auth = '<removed>'"},
      {"credentials=x", "credentials=<removed>"},
      {"tokens = 7", "tokens = <removed>"},
      {"-H \"Authorization: Bearer xyz\" -v", "-H \"Authorization: <removed>\" -v"},
      {"\"authorization\": \"Bearer xyz\"", "\"authorization\": \"<removed>\""},
      {"a Bearer 0123456789abcdef== b", "a Bearer <removed> b"},
      {"https://example.org/ghp_0123456789abcdefABCD/x", "https://example.org/<removed>"},
      {"https://me:it's@example.org/x", "https://<removed>@example.org/x"},
      {"https://me:a\\\"b@example.org/x", "https://<removed>@example.org/x"}};
  for (const auto& each : cases) {
    const CleanText clean = without_secrets(each.text);
    EXPECT_EQ(clean.text, each.clean);
    EXPECT_EQ(clean.removed, 1u) << each.text;
  }
}

TEST(Secrets, BeginAsThoseOfKnownServices) {
  for (const std::string beginning :
       {"sk_live_", "rk_live_", "xapp-", "xoxa-", "xoxs-", "ya29.", "GOCSPX-", "SG.", "dckr_pat_",
        "glptt-", "glpat-", "npm_", "AKIA"}) {
    for (const std::string before : {"", "https://example.org/", "a+", "x~"}) {
      EXPECT_EQ(without_secrets(before + beginning + "0123456789abcdef").text,
                before + "<removed>");
    }
  }
}

TEST(Secrets, OtherTextStaysAsItIs) {
  for (const std::string text : {"",
                                 "a token is missing here",
                                 "url \"https://example.org/a@b/c.stl\"",
                                 "password \"\"",
                                 "controllerArgs [ \"--token\" ]",
                                 "translation 0.1 -2 3e-5 # 50 %",
                                 "-----BEGIN CERTIFICATE-----",
                                 "sk-short",
                                 "user@example.org",
                                 "url \"meshes/hf_shoulder_pitch_2.stl\"",
                                 "DEF PASS Solid { }",
                                 "DEF Bearer Hinge2Joint { }",
                                 "children [ USE AUTH ]",
                                 "compass: 3",
                                 "bypass = 1",
                                 "Author: me",
                                 "name \"password\"\ncontroller \"x\"",
                                 "</password>\n<user>x</user>",
                                 "url [ \"https://a.org\" \"b@c.png\" ]",
                                 "if token > 5 then",
                                 "password (optional) is",
                                 "DEF TOKEN Solid {\n  name \"token\"\n}",
                                 "state_hash: 51e099cf3a94027a"}) {
    EXPECT_EQ(without_secrets(text).text, text);
    EXPECT_EQ(without_secrets(text).removed, 0u);
  }
}

TEST(Secrets, TheEndOfAKeyIsRemovedWithWhatIsBeforeIt) {
  EXPECT_EQ(without_end_of_key("ab\ncd\n-----END RSA PRIVATE KEY-----\nx"), "<removed>\nx");
  EXPECT_EQ(without_end_of_key("ab\n-----END PRIVATE KEY-----\nc\n-----END EC PRIVATE KEY-----"),
            "<removed>");
  for (const std::string other :
       {"", "ab", "a PRIVATE KEY-----", "-----END CERTIFICATE-----\nPRIVATE KEY-----"}) {
    EXPECT_EQ(without_end_of_key(other), other);
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
  EXPECT_EQ(without_home("file:///home/me/x -I/home/me/y -L/home/me", "/home/me"),
            "file://~/x -I~/y -L~");
  EXPECT_EQ(without_home("http://home/me x//home/me ./home/me", "/home/me"),
            "http://home/me x//home/me ./home/me");
  EXPECT_EQ(without_homes("/home/me/a /data/me/b", {"/home/me", "/data/me"}), "~/a ~/b");
  EXPECT_EQ(without_home("/a", ""), "/a");
  EXPECT_EQ(without_home("/a", "/"), "/a");
}

}  // namespace secrets_test
}  // namespace servosim

// SPDX-License-Identifier: Apache-2.0
#include "fetch/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "assets/address.h"
#include "run/test_support.h"

namespace servosim::fetch {
namespace {

namespace fs = std::filesystem;

const std::string kAddress = "https://example.org/P.proto";

class FetchCache : public testing::Test {
 protected:
  Cache open() const {
    return Cache((folder_ / "cache").string(), [] { FAIL() << "it is locked"; });
  }
  std::string file(const std::string& ending = {}) const {
    return (folder_ / ("cache/" + assets::cache_name(kAddress) + ending)).string();
  }
  static void download(Cache& cache, const std::string& text) {
    PartialFile part = cache.open_part(kAddress);
    part.begin(0, "\"v\"");
    part.add(as_bytes(text));
    EXPECT_EQ(part.finish(), text);
    cache.keep(kAddress, text, {"MIT", ""});
  }

  test::TempFolder folder_;
};

TEST_F(FetchCache, KeepsFilesWithARecord) {
  {
    Cache cache = open();
    EXPECT_EQ(cache.find(kAddress), nullptr);
    download(cache, "text");
  }
  Cache cache = open();
  const CacheEntry* entry = cache.find(kAddress);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->size, 4u);
  EXPECT_EQ(entry->licence.text, "MIT");
  EXPECT_EQ(test::read_text(file()), "text");
  EXPECT_FALSE(fs::exists(file(".part")));
  EXPECT_FALSE(fs::exists(file(".part.json")));
}

TEST_F(FetchCache, DoesNotTrustAChangedFile) {
  Cache cache = open();
  download(cache, "text");
  std::ofstream(file()) << "texT";
  EXPECT_EQ(cache.find(kAddress), nullptr);
  download(cache, "text");
  EXPECT_NE(cache.find(kAddress), nullptr);
  fs::remove(file());
  EXPECT_EQ(cache.find(kAddress), nullptr);
}

// A process that is killed while it adds a line leaves such an index.
TEST_F(FetchCache, ReadsACutIndex) {
  {
    Cache cache = open();
    download(cache, "text");
  }
  const std::string index = (folder_ / "cache/index.jsonl").string();
  std::ofstream(index, std::ios::app) << "[1]\nnull\n{\"url\": 3}\n{\"url\":\"https://exam";
  {
    Cache cache = open();
    EXPECT_NE(cache.find(kAddress), nullptr);
    download(cache, "other text");
  }
  Cache cache = open();
  ASSERT_NE(cache.find(kAddress), nullptr);
  EXPECT_EQ(cache.find(kAddress)->size, 10u);
}

TEST_F(FetchCache, ContinuesAPartOnlyWithItsValidator) {
  Cache cache = open();
  {
    PartialFile part = cache.open_part(kAddress);
    part.begin(0, "\"v\"");
    part.add(as_bytes("ab"));
  }
  PartialFile part = cache.open_part(kAddress);
  EXPECT_EQ(part.size(), 2u);
  EXPECT_EQ(part.validator(), "\"v\"");
  part.begin(2, "\"v\"");
  part.add(as_bytes("cd"));
  EXPECT_EQ(part.finish(), "abcd");
  part.begin(0, "");
  part.add(as_bytes("e"));
  EXPECT_EQ(part.finish(), "e");
  EXPECT_EQ(cache.open_part(kAddress).size(), 0u);  // the file has nothing by which a later
                                                    // download could be compared
  std::ofstream(file(".part.json")) << R"({"url":"https://example.org/Q.proto","validator":"v"})";
  EXPECT_EQ(cache.open_part(kAddress).size(), 0u);
  part.remove();
  EXPECT_FALSE(fs::exists(file(".part")));
}

TEST_F(FetchCache, IsForOneWriterAtATime) {
  const Cache first = open();
  bool waited = false;
  struct Waits {};
  EXPECT_THROW(Cache((folder_ / "cache").string(),
                     [&] {
                       waited = true;
                       throw Waits();
                     }),
               Waits);
  EXPECT_TRUE(waited);
}

TEST_F(FetchCache, SaysWhatTheSystemRefuses) {
  folder_.write("cache", "a file");
  try {
    open();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be made"), std::string::npos) << error.what();
  }
}

// Through a link, data from strangers would overwrite a file of the user.
TEST_F(FetchCache, FollowsNoLinks) {
  Cache cache = open();
  const std::string target = folder_.write("mine", "mine").string();
  fs::create_symlink(target, file(".part"));
  PartialFile part = cache.open_part(kAddress);
  EXPECT_THROW(part.begin(0, "\"v\""), std::runtime_error);
  EXPECT_EQ(test::read_text(target), "mine");
  fs::remove(file(".part"));
  fs::remove(file(".part.json"));
  fs::create_symlink(target, file(".part.json"));
  PartialFile other = cache.open_part(kAddress);
  other.begin(0, "\"v\"");
  EXPECT_EQ(test::read_text(target), "mine");
  EXPECT_NE(test::read_text(file(".part.json")).find(kAddress), std::string::npos);
}

}  // namespace
}  // namespace servosim::fetch

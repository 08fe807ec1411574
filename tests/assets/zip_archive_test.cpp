// SPDX-License-Identifier: Apache-2.0
#include "assets/zip_archive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "support/zip_files.h"

namespace servosim::assets {
namespace {

class Zip : public testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/a.zip"; }
  std::string bytes() const { return read_file_or_nothing(path()); }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  // Returns the text, or the reason why there is none.
  static std::string text_of(const ZipArchive& zip, const std::string& name) {
    const auto read = zip.read(name);
    const auto* error = std::get_if<FileError>(&read);
    return error != nullptr ? error->reason : std::get<std::string>(read);
  }

  TemporaryFolder folder_{"servosim_zip_"};
};

TEST_F(Zip, IsReadFileByFile) {
  std::string large;
  for (int i = 0; i < 40'000; ++i) {
    large += std::to_string(i * 7919);
  }
  test::write_zip(path(), {{"first", "one"}, {"sub/second", large}, {"empty", ""}});
  const ZipArchive zip(path());
  EXPECT_EQ(zip.fault(), "");
  EXPECT_TRUE(zip.has("first"));
  EXPECT_TRUE(zip.has("second"));
  EXPECT_FALSE(zip.has("third"));
  EXPECT_FALSE(zip.has("sub"));
  EXPECT_EQ(text_of(zip, "second"), large);
  EXPECT_EQ(text_of(zip, "first"), "one");
  EXPECT_EQ(text_of(zip, "empty"), "");
  EXPECT_EQ(text_of(zip, "third"), "is not in '" + path() + "'");
}

TEST_F(Zip, IsReadByThreadsAtOnce) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 50; ++i) {
    files.emplace_back("f" + std::to_string(i), std::string(5000, static_cast<char>('A' + i)));
  }
  test::write_zip(path(), files);
  const ZipArchive zip(path());
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (const auto& [name, content] : files) {
        EXPECT_EQ(text_of(zip, name), content);
      }
    });
  }
}

TEST_F(Zip, ThatIsNoneSaysSo) {
  EXPECT_EQ(ZipArchive(path()).fault(), "cannot be read: No such file or directory");
  write("no archive at all");
  const ZipArchive zip(path());
  EXPECT_EQ(zip.fault(), "is no zip archive, or a damaged one");
  EXPECT_FALSE(zip.has("first"));
  EXPECT_EQ(text_of(zip, "first"), "is not in '" + path() + "'");
  EXPECT_EQ(ZipArchive(folder_.path()).fault(), "is no regular file");
}

TEST_F(Zip, ThatIsDamagedGivesNoText) {
  test::write_zip(path(), {{"name", std::string(300, 'x') + "end"}});
  const std::string whole = bytes();
  const std::string fault = "cannot be read from '" + path() + "': the archive is damaged";
  // The local header has 30 bytes and the name. Compressed data follow.
  std::string other = whole;
  other[30 + 4 + 3] = static_cast<char>(other[30 + 4 + 3] ^ 0x55);
  write(other);
  EXPECT_EQ(text_of(ZipArchive(path()), "name"), fault);
  // The checksum is in the list of files, whose entries begin with PK\1\2.
  other = whole;
  const std::size_t entry = other.find("PK\x01\x02");
  other[entry + 16] = static_cast<char>(other[entry + 16] ^ 1);
  write(other);
  EXPECT_NE(text_of(ZipArchive(path()), "name"), std::string(300, 'x') + "end");
  // The size is wrong.
  other = whole;
  other[entry + 24] = static_cast<char>(other[entry + 24] + 1);
  write(other);
  EXPECT_NE(text_of(ZipArchive(path()), "name").find("damaged"), std::string::npos);
  // The list itself is damaged.
  other = whole;
  other[entry] = 'x';
  write(other);
  const ZipArchive listless(path());
  EXPECT_EQ(listless.fault(), "");
  EXPECT_FALSE(listless.has("name"));
  EXPECT_EQ(listless.fault(), "is a damaged zip archive");
  EXPECT_EQ(text_of(listless, "name"), "is not in '" + path() + "'");
  constexpr std::size_t kEnd = 22;  // the record that ends an archive; its comment may be cut off
  for (std::size_t size = 0; size + kEnd <= whole.size(); size += 7) {
    write(whole.substr(0, size));
    EXPECT_NE(ZipArchive(path()).fault(), "") << size;
  }
}

TEST_F(Zip, OfHugeOrEncryptedFilesGivesNoText) {
  test::write_zip(path(), {{"name", "text"}});
  const std::string whole = bytes();
  const std::size_t entry = whole.find("PK\x01\x02");
  std::string other = whole;
  other.replace(entry + 24, 4, std::string("\x00\x00\x00\x40", 4));  // 1 GB
  write(other);
  EXPECT_EQ(text_of(ZipArchive(path()), "name"),
            "cannot be read from '" + path() + "': it is larger than 256 MB");
  other = whole;
  other[entry + 8] = static_cast<char>(other[entry + 8] | 1);
  write(other);
  EXPECT_EQ(text_of(ZipArchive(path()), "name"),
            "cannot be read from '" + path() + "': it is encrypted");
}

}  // namespace
}  // namespace servosim::assets

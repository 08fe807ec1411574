// SPDX-License-Identifier: Apache-2.0
#include "assets/zip_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <variant>

#include "assets/zip_archive.h"
#include "base/files.h"

namespace servosim::assets {
namespace zip_writer_test {

TEST(ZipWriter, FilesAreReadBack) {
  const std::string large(300'000, 'a');
  const std::vector<ZipEntry> files{
      {"a/first", "one\n"}, {"b/Größe", large}, {"empty", ""}, {"bytes", std::string("\0\xff", 2)}};
  const std::string bytes = zip_of(files);
  EXPECT_LT(bytes.size(), large.size() / 100) << "it is compressed";
  EXPECT_EQ(bytes, zip_of(files)) << "no clock is in it";
  const TemporaryFolder folder("servosim_zip");
  const std::string path = folder.path() + "/a.zip";
  std::ofstream(path, std::ios::binary) << bytes;
  const ZipArchive archive(path);
  EXPECT_EQ(archive.fault(), "");
  for (const ZipEntry& file : files) {
    const auto read = archive.read(file.name.substr(file.name.find('/') + 1));
    ASSERT_TRUE(std::holds_alternative<std::string>(read)) << file.name;
    EXPECT_EQ(std::get<std::string>(read), file.content) << file.name;
  }
}

}  // namespace zip_writer_test
}  // namespace servosim::assets

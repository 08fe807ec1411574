// SPDX-License-Identifier: Apache-2.0
// What the database of MCUs stores, and a server whose file cannot be used.
#include "srvp/server/database.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "run/test_support.h"
#include "srvp/server/support.h"

namespace servosim::srvp {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

const McuRecord kArm{"arm\xff'", McuKind::Dumb, 2, {{1000, 2000}, {0, kMaxPwm}}};
const McuRecord kNao{"nao", McuKind::Smart, 16, {}};

std::vector<McuRecord> load(const fs::path& file, std::string* said = nullptr) {
  return Database(file.string()).load([said](const std::string& what) {
    ASSERT_TRUE(said) << what;
    *said += what + '\n';
  });
}

TEST(SrvpDatabase, KeepsWhatItIsGiven) {
  const TempFolder folder;
  const fs::path file = folder / "robots.db";
  EXPECT_TRUE(load(file).empty());
  {
    Database database(file.string());
    database.store({kArm.name, kArm.kind, kArm.servo_count, {}});
    database.store(kNao);
    database.store(kArm);
  }
  EXPECT_EQ(load(file), (std::vector{kArm, kNao}));
  McuRecord other = kArm;
  other.calibration = {{7, 8}, {9, 10}};
  Database(file.string()).store(other);
  EXPECT_EQ(load(file), (std::vector{other, kNao}));
}

TEST(SrvpDatabase, InMemoryNeedsNoFile) {
  Database database("");
  database.store(kArm);
  EXPECT_EQ(database.load([](const std::string&) {}), std::vector{kArm});
}

TEST(SrvpDatabase, LeavesFilesOfOthersAlone) {
  const TempFolder folder;
  const auto expect_error = [&](const fs::path& file, const std::string& text) {
    const auto content = [&file] {
      return fs::is_regular_file(file) ? test::read_text(file) : std::string();
    };
    const std::string before = content();
    try {
      Database database(file.string());
      FAIL() << file;
    } catch (const DatabaseError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find(file.string()), 0u) << error.what();
    }
    EXPECT_EQ(content(), before);
  };
  expect_error(folder.write("notes.txt", std::string(5000, 'n')), "file is not a database");
  expect_error(folder / "nowhere/robots.db", "cannot be opened");
  expect_error(folder.path(), "cannot be opened");
  // This is a SQLite file without the mark of servosim, as another program writes it.
  const fs::path other = folder / "other.db";
  Database(other.string()).store(kNao);
  std::string content = test::read_text(other);
  content.replace(68, 4, "abcd");  // the application id, by SQLite's file format
  folder.write("other.db", content);
  expect_error(other, "is a database of another application");
}

TEST(SrvpDatabase, ADamagedFileIsAnErrorAndNoCrash) {
  const TempFolder folder;
  const fs::path file = folder / "robots.db";
  {
    Database database(file.string());
    database.store(kNao);
    database.store(kArm);
  }
  const std::string content = test::read_text(file);
  int errors = 0;
  for (std::size_t at = 0; at < content.size(); at += 61) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    folder.write("damaged.db", damaged);
    try {
      Database database((folder / "damaged.db").string());
      for (const McuRecord& record : database.load([](const std::string&) {})) {
        EXPECT_TRUE(record.calibration.empty() || record.calibration.size() == record.servo_count);
      }
      database.store(kArm);
    } catch (const DatabaseError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 0);
}

/// Prevents files from growing, as a full disk does.
class FullDisk {
 public:
  explicit FullDisk(const fs::path& file) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit full{fs::file_size(file) / 2, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

/// Locks the file as a program does that writes into it, by the lock of SQLite's file format.
class DatabaseLock {
 public:
  explicit DatabaseLock(const fs::path& file) : file_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;  // the pending byte, the reserved byte and the shared ones
    lock.l_len = 512;
    EXPECT_EQ(::fcntl(file_.get(), F_OFD_SETLKW, &lock), 0);
  }

 private:
  Descriptor file_;
};

const Query kUpload = Upload{{{1000, 2000}, {0, kMaxPwm}}};

TEST(SrvpDatabase, AServerRemembersAfterARestart) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  NullMcu mcu;
  {
    TestServer server(options);
    server.add(dumb("arm", 2), mcu);
    RawUser user(server, "arm");
    EXPECT_EQ(user.ask(kUpload), kAck);
  }
  TestServer server(options);
  RawUser user(server, "arm");  // known, but not connected
  EXPECT_EQ(user.ask(to_positions({{0, 90}})), refusal(Nack::McuOffline));
  EXPECT_THROW(server.add(dumb("arm", 3), mcu), std::invalid_argument);
  EXPECT_THROW(server.add(smart("arm", 2), mcu), std::invalid_argument);
  server.add(dumb("arm", 2), mcu);
  EXPECT_EQ(user.ask(to_positions({{0, 90}}), 2), kAck + kAck);
  EXPECT_EQ(mcu.orders().at(0).movement, to_pwm({{0, 1500}}));
}

TEST(SrvpDatabase, AFullDiskRefusesAnUploadAndNothingElse) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  TestServer server(options);
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(kUpload), kAck);
  {
    const FullDisk full(options.database);
    EXPECT_EQ(user.ask(Upload{{{7, 7}, {7, 7}}}), refusal(Nack::ErrorLoadingMinMax));
    EXPECT_TRUE(server.logs("robots.db cannot be written: "));
    EXPECT_EQ(user.ask(to_positions({{0, 90}}), 2), kAck + kAck);  // uses the previous calibration
    EXPECT_EQ(mcu.orders().at(0).movement, to_pwm({{0, 1500}}));
  }
  EXPECT_EQ(user.ask(kUpload), kAck);
}

TEST(SrvpDatabase, ALockedFileRefusesAnUploadWhileOthersAreServed) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  TestServer server(options);
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  server.add(smart("nao", 2), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(kUpload), kAck);
  const DatabaseLock lock(options.database);
  user.send(encode(kUpload));
  RawUser other(server, "nao");  // meanwhile the writer waits for the lock
  EXPECT_EQ(other.ask(to_positions({{0, 90}}), 2), kAck + kAck);
  EXPECT_EQ(user.receive(12), refusal(Nack::ErrorLoadingMinMax));
  EXPECT_TRUE(server.logs("database is locked"));
}

TEST(SrvpDatabase, AFileThatIsLockedAtTheStartIsReadAsSoonAsItCanBe) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  Database(options.database).store({"arm", McuKind::Dumb, 1, {{1000, 2000}}});
  Database(options.database).store({"leg", McuKind::Dumb, 1, {{3000, 4000}}});
  auto lock = std::make_unique<DatabaseLock>(options.database);
  TestServer server(options);
  EXPECT_TRUE(server.logs("robots.db cannot be read: database is locked"));
  NullMcu mcu;
  server.add(dumb("arm", 1), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(to_positions({{0, 90}})), refusal(Nack::NoMcuInfo));
  EXPECT_EQ(user.ask(Upload{{{7, 8}}}), refusal(Nack::ErrorLoadingMinMax));
  lock.reset();
  EXPECT_TRUE(becomes([&] { return user.ask(SelectMcu{"leg"}) == kAck; }));
  EXPECT_EQ(user.ask(to_positions({{0, 90}})), refusal(Nack::McuOffline));
  EXPECT_EQ(user.ask(SelectMcu{"arm"}), kAck);
  EXPECT_EQ(user.ask(to_positions({{0, 90}}), 2), kAck + kAck);  // uses the calibration in the file
  EXPECT_EQ(mcu.orders().at(0).movement, to_pwm({{0, 1500}}));
  EXPECT_EQ(user.ask(Upload{{{7, 8}}}), kAck);
  EXPECT_EQ(load(options.database).at(0).calibration, (std::vector<PwmRange>{{7, 8}}));
}

TEST(SrvpDatabase, WhoEverLoggedInIsKnownAfterARestart) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  NullMcu mcu;
  {
    TestServer server(options);
    for (int i = 0; i < 500; ++i) {
      server.add(smart("nao" + std::to_string(i), 2), mcu);
    }
  }
  EXPECT_EQ(load(options.database).size(), 500u);
  TestServer server(options);
  RawUser user(server, "nao499");
  EXPECT_EQ(user.ask(to_positions({{0, 90}})), refusal(Nack::McuOffline));
}

TEST(SrvpDatabase, ForgetsWhatHasNoCalibration) {
  Database database("");
  database.apply({{kArm, kNao}, {}});
  database.apply({{}, {kArm.name, kNao.name, "nobody"}});
  EXPECT_EQ(database.load([](const std::string&) {}), std::vector{kArm});
}

TEST(SrvpDatabase, AReadOnlyFileIsReadAndRefusesUploads) {
  const TempFolder folder;
  ServerOptions options;
  options.database = (folder / "robots.db").string();
  Database(options.database).store(kArm);
  fs::permissions(folder.path(), fs::perms(0555));
  fs::permissions(options.database, fs::perms(0444));
  // Permissions do not restrict root.
  const bool was_root = ::geteuid() == 0 && ::seteuid(65534) == 0;
  {
    TestServer server(options);
    NullMcu mcu;
    server.add({kArm.name, kArm.kind, kArm.servo_count, {}}, mcu);
    RawUser user(server, kArm.name);
    EXPECT_EQ(user.ask(to_positions({{0, 90}}), 2), kAck + kAck);
    EXPECT_EQ(user.ask(kUpload), refusal(Nack::ErrorLoadingMinMax));
    EXPECT_TRUE(server.logs("readonly database"));
  }
  if (was_root) {
    EXPECT_EQ(::seteuid(0), 0);
  }
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST(SrvpDatabase, AServerGoesOnWithoutAFileThatIsOfNoUse) {
  const TempFolder folder;
  ServerOptions options;
  options.database = folder.write("notes.txt", std::string(5000, 'n')).string();
  TestServer server(options);
  EXPECT_TRUE(
      server.logs("notes.txt cannot be read: file is not a database. Until it can be "
                  "used uploads are refused with NACK 247"));
  NullMcu mcu;
  server.add(dumb("arm", 2), mcu);
  RawUser user(server, "arm");
  EXPECT_EQ(user.ask(kUpload), refusal(Nack::ErrorLoadingMinMax));
  EXPECT_EQ(user.ask(SetMode{SetMode::kRealTime}), encode(ack(SetMode::kRealTime)));
}

}  // namespace
}  // namespace servosim::srvp

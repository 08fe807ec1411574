// SPDX-License-Identifier: Apache-2.0
#include "fetch/fetch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "assets/address.h"
#include "assets/library.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "fetch/cache.h"
#include "fetch/downloads.h"
#include "fetch/references.h"
#include "scene/scene.h"
#include "scene/scene_builder.h"
#include "wbt/lexer.h"
#include "wbt/proto/proto_finder.h"
#include "wbt/schema/node_types.h"
#include "wbt/world_file.h"

namespace servosim::fetch {
namespace {

namespace fs = std::filesystem;
using Outcome = FetchedFile::Outcome;
using Clock = std::chrono::steady_clock;

constexpr int kMaxRounds = 5;  // how often the world is loaded
constexpr int kTries = 3;      // attempts per file
// Pause before a busy server gets the next request.
constexpr std::chrono::milliseconds kFirstPause{1000};
constexpr std::size_t kMaxWorld = 256u << 20;  // limit of a world on standard input [bytes]
constexpr std::size_t kMaxNames = 20'000;  // limit of the number of files to which a world leads

// Writes blanks and characters that are not ASCII as %xx.
std::string in_ascii(std::string_view address) {
  std::string result;
  for (const unsigned char c : address) {
    result +=
        c <= ' ' || c > '~' ? fmt::format("%{:02X}", c) : std::string(1, static_cast<char>(c));
  }
  return result;
}

bool is_of_webots(const std::string& address) {
  const auto file = assets::webots_file(address);
  return file && file->path.starts_with("projects/");
}

// A world or PROTO file whose references are followed.
struct Found {
  std::string name;  // path or address
  wbt::Version user_version;
};

struct LimitReached {};

// @throws std::invalid_argument
std::string text_of_world(const std::string& world) {
  if (world == "-") {
    return read_to_end(STDIN_FILENO, kMaxWorld);
  }
  auto text = read_file(world);
  if (const auto* error = std::get_if<FileError>(&text)) {
    throw std::invalid_argument(error->reason + did_you_mean_file(world));
  }
  return std::move(std::get<std::string>(text));
}

class Fetching {
 public:
  Fetching(const std::string& world, std::string text, const FetchOptions& options,
           const FetchListener& listener)
      : world_(world),
        text_(std::move(text)),
        options_(options),
        listener_(listener),
        library_(std::make_shared<const assets::Library>(
            assets::places_here(options.proto_paths, options.assets))),
        finder_(wbt::project_of_world(folder_of_world(world)), library_),
        scratch_(options.dry_run ? std::make_unique<TemporaryFolder>("servosim_fetch_") : nullptr),
        cache_(scratch_ ? scratch_->path() : options.cache, listener.wait) {
    if (scratch_) {
      for (const std::string& folder : library_->places().own_caches) {
        known_.merge(read_index(folder));
      }
    }
    note_server(options.mirror);
  }

  void run(const wbt::Version& version) {
    deadline_ = Clock::now() + std::chrono::seconds(options_.total_seconds);
    try {
      look_into(text_, folder_of_world(world_), version, {});
      look_into_waiting();
      for (int i = 0; i < kMaxRounds && want_what_loading_misses(); ++i) {
        look_into_waiting();
      }
    } catch (const LimitReached&) {  // the failure is already reported
    }
  }

 private:
  static std::string folder_of_world(const std::string& world) {
    return fs::absolute(world).lexically_normal().parent_path().string();
  }

  std::variant<std::string, FileError> text_of(const std::string& name) const {
    return assets::is_address(name) && cache_.has(name) ? cache_.read(name) : library_->read(name);
  }

  void look_into_waiting() {
    while (!waiting_.empty()) {
      const Found next = std::move(waiting_.front());
      waiting_.pop_front();
      look_into(next);
    }
  }

  // What templates compute is known only after they have run. Returns whether anything new was
  // found.
  bool want_what_loading_misses() {
    std::vector<std::pair<std::string, std::string>> missed;  // address, folder of what names it
    assets::Places places = library_->places();
    if (scratch_) {
      places.named_stores.push_back(scratch_->path());
    }
    wbt::ReadOptions read;
    read.use_stand_ins = false;
    read.library = std::make_shared<const assets::Library>(
        std::move(places), [&](const std::string& address, const std::string& folder) {
          missed.emplace_back(address, folder);
        });
    load(read);
    bool any = false;
    for (const auto& [address, folder] : missed) {
      if (seen_.insert(address).second) {
        any = true;
        if (address.ends_with(".proto")) {
          const std::vector<std::string> all = addresses_near(address);
          if (!all.empty() && all.front() == address) {
            seen_.erase(address);
          }
          want_first(all, version_of(address));
        } else {
          static_cast<void>(have(address, inherited_licence(folder, address), false));
        }
      }
    }
    return any;
  }

  void load(const wbt::ReadOptions& options) const {
    try {
      Diagnostics ignored;  // a run reports them
      const wbt::WorldFile file =
          wbt::read_world_text(text_, world_, folder_of_world(world_), options, ignored);
      if (ignored.errors() == 0) {
        static_cast<void>(build_scene(file, ignored));
      }
    } catch (const std::exception& error) {
      rethrow_if_short(error);
    }
  }

  // Returns the licence of a mesh or picture that a file in `folder` names.
  Licence inherited_licence(const std::string& folder, const std::string& address) const {
    const auto known = licences_.find(folder);
    const Licence licence = known != licences_.end() ? known->second : Licence();
    return !licence.is_stated() && is_of_webots(address) ? webots_assets_licence() : licence;
  }

  void look_into(const Found& file) {
    const auto text = text_of(file.name);
    if (const auto* read = std::get_if<std::string>(&text)) {
      Licence licence = licence_of(*read);
      if (!licence.is_stated() && is_of_webots(file.name)) {
        licence = webots_assets_licence();
      }
      look_into(*read, assets::folder_of(file.name),
                wbt::header_version(*read).value_or(file.user_version), licence);
    }
  }

  void look_into(const std::string& text, const std::string& folder, const wbt::Version& version,
                 const Licence& licence) {
    References found = references_in(text);
    if (!assets::is_address(folder)) {
      note_servers(found);
    }
    if (const auto [known, is_new] = licences_.try_emplace(folder, licence);
        !is_new && licence.is_for_webots_only()) {
      known->second = licence;
    }
    wbt::Source source;
    source.file = ++looked_;
    source.version = version;
    source.folder = folder;
    source.externs = std::move(found.externs);
    for (const std::string& url : source.externs) {
      found.nodes.erase(std::string(wbt::extern_proto_name(url)));
      want_proto(wbt::extern_proto_name(url), source, true);
    }
    for (const std::string& name : found.nodes) {
      if (wbt::find_node_type(name) == nullptr) {
        want_proto(name, source, false);
      }
    }
    for (const auto* urls : {&found.meshes, options_.textures ? &found.textures : nullptr}) {
      for (std::size_t i = 0; urls != nullptr && i < urls->size(); ++i) {
        want_file((*urls)[i], source, licence);
      }
    }
  }

  // Files of this machine belong to the user. A server that they name may be in the user's network.
  void note_servers(const References& found) {
    for (const auto* urls : {&found.externs, &found.meshes, &found.textures}) {
      std::for_each(urls->begin(), urls->end(), [this](const auto& url) { note_server(url); });
    }
  }
  void note_server(const std::string& address) {
    if (assets::is_address(address)) {
      named_servers_.emplace(assets::server_of(address));
    }
  }

  void want_proto(std::string_view name, const wbt::Source& source, bool is_declared) {
    const std::string& here = finder_.find(name, source);
    const bool is_in_our_cache = assets::is_address(here) && is_ours(here);
    note_release(here, finder_.address(name, source));
    if (!here.empty() && !is_in_our_cache) {
      report_release(here);
      look_later(here, source.version);
      return;
    }
    const std::vector<std::string> addresses =
        is_in_our_cache ? std::vector{here} : finder_.addresses(name, source);
    if (!addresses.empty()) {
      want_first(addresses, source.version);
    } else if (is_declared && seen_.insert(fmt::format("{} {}", source.folder, name)).second) {
      report({Outcome::Failed,
              std::string(name),
              {},
              {},
              {},
              "is not where its EXTERNPROTO line says, and that names no address"});
    }
  }

  static wbt::Version version_of(const std::string& address) {
    const auto file = assets::webots_file(address);
    const auto release = file ? wbt::parse_version(file->tag) : std::nullopt;
    return release.value_or(wbt::kNewestVersion);
  }

  // Returns where a PROTO may be whose name a template has generated.
  std::vector<std::string> addresses_near(const std::string& address) {
    if (!wbt::precedes_externproto(version_of(address))) {
      return {address};
    }
    wbt::Source source;
    source.file = ++looked_;
    source.version = version_of(address);
    const std::string name(wbt::extern_proto_name(address));
    if (const std::string here = finder_.find(name, source); !here.empty()) {  // in another folder
      return assets::is_address(here) && is_ours(here) ? std::vector{here}
                                                       : std::vector<std::string>();
    }
    const std::vector<std::string> all = finder_.addresses(name, source);
    return all.empty() ? std::vector{address} : all;
  }

  // Fetches the first of these PROTO files that exists. If there are several releases, only those
  // with the axes of `user` are tried, because ProtoFinder does not use files with other axes.
  void want_first(std::vector<std::string> addresses, const wbt::Version& user) {
    if (addresses.empty()) {
      return;
    }
    const bool has_choice = addresses.size() > 1;
    const bool is_turned = has_choice && !wbt::geometry_axis_is_z(user);
    if (is_turned) {
      std::erase_if(addresses, [](const std::string& address) {
        return wbt::geometry_axis_is_z(version_of(address));
      });
    }
    // Two users with the same axes have the same choice.
    if (!chosen_.insert({addresses.front(), is_turned}).second) {
      return;
    }
    for (const std::string& address : addresses) {
      if (!seen_.insert(address).second) {
        if (absent_.contains(address)) {
          continue;
        }
        return;  // another user's file
      }
      bool is_absent = false;
      if (have(address, {}, true, has_choice ? &is_absent : nullptr)) {
        return look_later(address, user);
      }
      if (!is_absent) {
        return;  // a failure or a licence, which is already reported
      }
      absent_.insert(address);
    }
    report({Outcome::Failed,
            addresses.front(),
            {},
            {},
            {},
            fmt::format("is in none of the releases of Webots{} ({} files were asked for)",
                        is_turned ? " with the axes of this world" : "", addresses.size())});
  }

  void want_file(const std::string& url, const wbt::Source& source, const Licence& licence) {
    const std::string name = assets::resolve(source.folder, url, wbt::release_tag(source.version));
    if (!assets::is_address(name)) {
      return;  // the file is on this machine or nowhere
    }
    const std::string here = library_->find(name, source.folder);
    note_release(here, name);
    if (!here.empty() && !(assets::is_address(here) && is_ours(here))) {
      report_release(here);
      return;
    }
    const std::string& address = here.empty() ? name : here;
    if (seen_.insert(address).second) {
      const bool says_nothing = !licence.is_stated() && is_of_webots(address);
      static_cast<void>(have(address, says_nothing ? webots_assets_licence() : licence, false));
    }
  }

  // `here` is in a cache, which may have the file of another release than `asked` names.
  void note_release(const std::string& here, const std::string& asked) {
    const auto found = assets::webots_file(here);
    const auto named = assets::webots_file(asked);
    if (found && named && !found->tag.empty() && !named->tag.empty() && found->tag != named->tag) {
      asked_for_.try_emplace(here, asked);
    }
  }

  // Reports a file of another release. Other files of caches that are not ours are not reported.
  void report_release(const std::string& here) {
    if (!asked_for_.contains(here) || !seen_.insert(here).second) {
      return;
    }
    const auto text = library_->read(here);
    const auto* const read = std::get_if<std::string>(&text);
    const bool has_licence = read != nullptr && is_proto(*read);
    report({Outcome::Here,
            here,
            {},
            read != nullptr ? std::optional<std::uint64_t>(read->size()) : std::nullopt,
            has_licence ? licence_of(*read) : webots_assets_licence(),
            {}});
  }

  // Returns whether one of our caches has a file of this address. Its content may have changed.
  bool is_ours(const std::string& address) const {
    const std::vector<std::string>& caches = library_->places().own_caches;
    return std::any_of(caches.begin(), caches.end(), [&](const std::string& folder) {
      std::error_code error;
      return fs::is_regular_file(fs::path(folder) / assets::cache_name(address), error);
    });
  }

  void look_later(const std::string& name, const wbt::Version& version) {
    if (looked_into_.insert(name).second) {
      waiting_.push_back({name, version});
    }
  }

  void report(FetchedFile file) {
    const std::string source = source_of(file.address);
    if (file.outcome != Outcome::Here && source != in_ascii(file.address)) {
      file.source = source;
    }
    if (const auto asked = asked_for_.find(file.address);
        asked != asked_for_.end() && file.outcome == Outcome::Here) {
      file.asked_for = asked->second;
    }
    listener_.file(file);
  }

  // Returns whether the file is in the cache, and downloads it if needed. If `is_absent` is not
  // null, the server's answer that it has no such file sets it and is not reported.
  bool have(const std::string& address, const Licence& licence, bool is_proto,
            bool* is_absent = nullptr) {
    if (listener_.is_to_end()) {
      throw FetchEnded();
    }
    if (const CacheEntry* entry = cache_.find(address)) {
      report({Outcome::Here, address, {}, entry->size, entry->licence, {}});
      return true;
    }
    if (options_.dry_run && is_ours(address)) {
      if (const auto known = known_.find(address); known != known_.end()) {
        report({Outcome::Here, address, {}, known->second.size, known->second.licence, {}});
      } else {
        report({Outcome::Here, address, {}, {}, licence, {}});
      }
      return true;
    }
    const auto end = [&](Outcome outcome, const std::string& reason) {
      report({outcome, address, {}, {}, licence, reason});
      return false;
    };
    const auto stop_at = [&](const std::string& limit) {
      if (!limit.empty()) {
        end(Outcome::Failed, limit + "; nothing more is fetched");
        throw LimitReached();
      }
    };
    stop_at(limit_of_names());
    if (const std::string fault = assets::fault_of_address(address); !fault.empty()) {
      return end(Outcome::Failed, fault);
    }
    if (!may_be_used(licence)) {
      return end(Outcome::LeftOut, {});
    }
    if (options_.dry_run && !is_proto) {
      return end(Outcome::Listed, {});
    }
    stop_at(limit_of_downloads());
    const std::string from = source_of(address);
    if (unreachable_.contains(assets::server_of(from))) {
      return end(Outcome::Failed, "is of a server that cannot be reached");
    }
    const bool is_there = download(address, from, licence, is_proto, is_absent);
    downloaded_ += is_absent != nullptr && *is_absent ? 0 : 1;
    return is_there;
  }

  // These return a clause that names the limit; it is empty if there is room for one more file.
  std::string limit_of_names() const {
    return seen_.size() + looked_into_.size() > kMaxNames
               ? fmt::format("is one of more than {} files that the world leads to", kMaxNames)
               : "";
  }
  std::string limit_of_downloads() const {
    if (downloaded_ >= options_.max_files) {
      return fmt::format("is beyond the limit of {} files, --max-files", options_.max_files);
    }
    if (total_ >= options_.max_total_size) {
      return fmt::format("is beyond the limit of {:g} MB for all files, --max-total",
                         static_cast<double>(options_.max_total_size) / 1e6);
    }
    if (seconds_left() == 0) {
      return fmt::format("is beyond the limit of {} s for all files, --max-time",
                         options_.total_seconds);
    }
    return {};
  }

  // Returns whole seconds.
  std::uint32_t seconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::seconds>(deadline_ - Clock::now()).count();
    return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0));
  }

  bool may_be_used(const Licence& licence) const {
    return options_.accept_webots_licence || !licence.is_for_webots_only();
  }

  // Returns the address from which a file is downloaded.
  std::string source_of(const std::string& address) const {
    const auto file = assets::webots_file(address);
    const std::string mirror = options_.mirror.substr(0, options_.mirror.find_last_not_of('/') + 1);
    return in_ascii(!options_.mirror.empty() && file && !file->tag.empty()
                        ? fmt::format("{}/{}/{}", mirror, file->tag, file->path)
                        : address);
  }

  bool download(const std::string& address, const std::string& from, const Licence& licence,
                bool is_proto, bool* is_absent) {
    PartialFile part = cache_.open_part(address);
    DownloadEnd end;
    for (int i = 0; i < kTries && (i == 0 || seconds_left() > 0); ++i) {
      end = transfer(address, from, part);
      if (end.kind == DownloadEnd::Kind::Elsewhere) {
        part.remove();
      } else if (end.kind == DownloadEnd::Kind::Busy) {
        pause(i + 1 < kTries ? kFirstPause * (1 << i) : std::chrono::seconds(0));
      } else if (end.kind != DownloadEnd::Kind::Broken) {
        break;
      }
    }
    if (end.kind == DownloadEnd::Kind::Absent && is_absent != nullptr) {
      part.remove();
      *is_absent = true;
      return false;
    }
    if (end.kind == DownloadEnd::Kind::Unreachable) {
      unreachable_.emplace(assets::server_of(from));
    }
    if (end.kind != DownloadEnd::Kind::Complete) {
      const bool may_go_on =
          end.kind != DownloadEnd::Kind::Refused && end.kind != DownloadEnd::Kind::Absent &&
          end.kind != DownloadEnd::Kind::Elsewhere && part.size() > 0 && !part.validator().empty();
      if (!may_go_on) {
        part.remove();
      }
      report({Outcome::Failed,
              address,
              {},
              {},
              licence,
              end.reason + (may_go_on ? "; the next call goes on from there" : "")});
      return false;
    }
    return keep(address, part, licence, is_proto);
  }

  void pause(std::chrono::milliseconds time) const {
    constexpr std::chrono::milliseconds kPiece{50};
    for (; time.count() > 0; time -= kPiece) {
      if (listener_.is_to_end()) {
        throw FetchEnded();
      }
      std::this_thread::sleep_for(kPiece);
    }
  }

  DownloadEnd transfer(const std::string& address, const std::string& from, PartialFile& part) {
    const std::uint64_t room = options_.max_total_size - std::min(options_.max_total_size, total_);
    const std::uint64_t known = part.validator().empty() ? 0 : part.size();
    DownloadRequest request{from,
                            known,
                            part.validator(),
                            std::min(options_.max_file_size, known + room),
                            std::min(options_.seconds, std::max(seconds_left(), 1u)),
                            named_servers_.contains(assets::server_of(from))};
    const Downloads::Sink sink{
        [&](const DownloadHead& head) { part.begin(head.from, head.validator); },
        [&](Bytes bytes) {
          part.add(bytes);
          total_ += bytes.size();
          listener_.progress(address, part.size());
        },
        [&] {
          if (listener_.is_to_end()) {
            throw FetchEnded();
          }
        }};
    return downloads_.get(request, sink);
  }

  // Keeps the download if it is the right kind of file.
  bool keep(const std::string& address, PartialFile& part, const Licence& inherited,
            bool should_be_proto) {
    const std::string text = part.finish();
    const auto end = [&](Outcome outcome, const Licence& licence, const std::string& reason) {
      part.remove();
      report({outcome, address, {}, text.size(), licence, reason});
      return false;
    };
    if (is_web_page(text)) {
      return end(Outcome::Failed, inherited, "the server sends a page for browsers in its place");
    }
    if (should_be_proto && !is_proto(text)) {
      return end(Outcome::Failed, inherited, "is no PROTO file");
    }
    Licence licence = should_be_proto ? licence_of(text) : inherited;
    if (!licence.is_stated() && is_of_webots(address)) {
      licence = webots_assets_licence();
    }
    if (!may_be_used(licence)) {
      return end(Outcome::LeftOut, licence, {});
    }
    cache_.keep(address, text, licence);
    report({options_.dry_run ? Outcome::Listed : Outcome::Fetched,
            address,
            {},
            text.size(),
            licence,
            {}});
    return true;
  }

  std::string world_;  // a path, or - for standard input
  std::string text_;   // text of the world
  const FetchOptions& options_;
  const FetchListener& listener_;
  std::shared_ptr<const assets::Library> library_;
  wbt::ProtoFinder finder_;
  std::unique_ptr<TemporaryFolder> scratch_;  // only in a dry run
  Cache cache_;
  CacheEntries known_;  // entries of our own cache, in a dry run
  Downloads downloads_;
  std::deque<Found> waiting_;
  std::set<std::string> looked_into_;              // the names
  std::set<std::string> seen_;                     // the addresses
  std::set<std::string> absent_;                   // those of them that a server does not have
  std::set<std::pair<std::string, bool>> chosen_;  // see want_first()
  // The address of the world's release; the key is the address that is used.
  std::map<std::string, std::string> asked_for_;
  // Licences of PROTO files; the key is the folder, the value the strictest one.
  std::map<std::string, Licence> licences_;
  std::set<std::string, std::less<>> unreachable_;  // the servers
  // Servers in files of this machine, and the server of the mirror.
  std::set<std::string, std::less<>> named_servers_;
  std::uint32_t looked_ = 0;
  std::size_t downloaded_ = 0;
  std::uint64_t total_ = 0;  // [bytes]
  Clock::time_point deadline_;
};

}  // namespace

void fetch_world(const std::string& world, const FetchOptions& options,
                 const FetchListener& listener) {
  std::string text = text_of_world(world);
  const auto version = wbt::header_version(text);
  if (!version) {
    throw std::invalid_argument(
        "is no Webots world: its first line must be '#VRML_SIM <version> utf8'");
  }
  Fetching(world, std::move(text), options, listener).run(*version);
}

}  // namespace servosim::fetch

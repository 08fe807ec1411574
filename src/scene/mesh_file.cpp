// SPDX-License-Identifier: Apache-2.0
#include "scene/mesh_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "assets/address.h"
#include "assets/bytes_file.h"
#include "base/assert.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "base/text.h"
#include "scene/mesh_triangles.h"
#include "wbt/proto/proto_finder.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxOutput = kMaxFileSize;  // of the reader's output [bytes]
constexpr std::string_view kLightEnd = ".hdr";    // of the name of a picture of light

std::string lower_ending(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending.empty() ? ending : ending.substr(1);
}

// Returns why a url names no file that can be read, or an empty text.
std::string fault_of_url(std::string_view type, const std::string& url, std::string_view ending) {
  if (url.empty()) {
    return fmt::format("{} has no url: name an STL, OBJ or DAE file", type);
  }
  if (ending != "stl" && ending != "obj" && ending != "dae") {
    return fmt::format("'{}' is no STL, OBJ or DAE file: convert it", url);
  }
  return {};
}

std::string fault_of_reader(int wait_status) {
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGXCPU) {
    return fmt::format("takes more than {} s to read: use a coarser one", max_read_seconds());
  }
  return fmt::format("is damaged (its reader {}): export it again",
                     describe_wait_status(wait_status));
}

// Returns the file that a mesh file names, or an empty text if there is none. The file must be in
// the folder of the mesh file or below, because a file may not make the program open files
// elsewhere.
std::string beside(const assets::Library& library, const std::string& mesh,
                   const std::string& reference) {
  const fs::path path(reference);
  if (reference.empty() || path.is_absolute() || assets::is_address(reference) ||
      std::find(path.begin(), path.end(), "..") != path.end()) {
    return {};
  }
  const std::string folder = assets::folder_of(mesh);
  std::string name = assets::resolve(folder, reference, {});
  if (assets::is_address(name)) {
    return library.find(name, folder);
  }
  std::error_code ignored;
  return fs::is_regular_file(name, ignored) ? name : "";
}

// Returns the text of a file of materials that an OBJ file names, or nothing if there is none.
std::optional<std::string> materials_of(const assets::Library& library, const std::string& obj,
                                        const std::string& reference) {
  const std::string name =
      lower_ending(reference) == "mtl" ? beside(library, obj, reference) : std::string();
  if (name.empty()) {
    return std::nullopt;
  }
  auto text = library.read(name);
  return std::holds_alternative<std::string>(text)
             ? std::optional(std::get<std::string>(text) + '\n')
             : std::nullopt;
}

// Returns all materials that an OBJ file names, one after the other. Each file is read once.
// @param absent  receives the first file that is not there, or the first one beyond the limits
std::string all_materials_of(const assets::Library& library, const std::string& name,
                             std::string_view obj, std::string& absent) {
  constexpr std::size_t kMaxMaterials = std::size_t{4} << 20;  // [bytes]
  constexpr std::size_t kMaxNames = 1000;                      // each is looked for on the disk
  constexpr std::string_view kBlanks = " \t\r";
  std::string text;
  std::map<std::string, bool, std::less<>> known;  // by name: whether the file is there
  const auto add = [&](std::string_view reference) {
    if (const auto asked = known.find(reference); asked != known.end()) {
      return asked->second;
    }
    if (known.size() == kMaxNames || text.size() >= kMaxMaterials) {
      if (absent.empty()) {
        absent =
            fmt::format("{}, after {} others of {} bytes", reference, known.size(), text.size());
      }
      return true;
    }
    const auto found = materials_of(library, name, std::string(reference));
    text += found.value_or("");
    return known.emplace(reference, found.has_value()).first->second;
  };
  while (!obj.empty()) {
    const std::size_t end = std::min(obj.find('\n'), obj.size());
    std::string_view line = obj.substr(0, end);
    obj.remove_prefix(std::min(end + 1, obj.size()));
    if (!line.starts_with("mtllib")) {
      continue;
    }
    line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));
    const std::string_view all = trimmed(line, kBlanks);
    if (add(all)) {
      continue;
    }
    // The line has several files, or one whose name has blanks.
    std::istringstream words{std::string(all)};
    for (std::string each; words >> each;) {
      if (!add(each) && absent.empty()) {
        absent = all;
      }
    }
  }
  return text;
}

// Returns the file for the reader, followed by its materials. Adds its own size to the order.
// @param absent  receives the first file of materials that is not there
std::variant<Descriptor, FileError> open_with_materials(const assets::Library& library,
                                                        const std::string& name, std::string& order,
                                                        std::string& absent) {
  auto text = library.read(name);
  if (auto* failure = std::get_if<FileError>(&text)) {
    return std::move(*failure);
  }
  std::string& bytes = std::get<std::string>(text);
  order += fmt::format(" {}", bytes.size());
  bytes += all_materials_of(library, name, bytes, absent);
  return assets::file_of_bytes(bytes);
}

/// What the last files contain, so that a robot's file and the world that is made of it, and worlds
/// one after the other, read each file once. A file that was written since is another one.
///
/// Threads: any number at once.
class RecentFiles {
 public:
  /// A file as it is, and what it was read for.
  struct Key {
    std::array<std::uint64_t, 7> file;
    std::string order;
    bool operator==(const Key&) const = default;
  };

  /// Returns nothing if the system does not tell.
  static std::optional<Key> key_of(const Descriptor& file, const std::string& order) {
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) {
      return std::nullopt;
    }
    const auto number = [](auto x) { return static_cast<std::uint64_t>(x); };
    return Key{{number(info.st_dev), number(info.st_ino), number(info.st_size),
                number(info.st_mtim.tv_sec), number(info.st_mtim.tv_nsec),
                number(info.st_ctim.tv_sec), number(info.st_ctim.tv_nsec)},
               order};
  }

  std::shared_ptr<const MeshParts> find(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(files_, key, &File::key);
    return found != files_.end() ? found->parts : nullptr;
  }

  void keep(const Key& key, const std::shared_ptr<const MeshParts>& parts) {
    const std::scoped_lock lock(mutex_);
    files_.push_back({key, parts, size_of(*parts)});
    size_ += files_.back().size;
    while (size_ > kMostKept) {
      size_ -= files_.front().size;
      files_.pop_front();
    }
  }

 private:
  struct File {
    Key key;
    std::shared_ptr<const MeshParts> parts;
    std::size_t size;
  };
  static constexpr std::size_t kMostKept = std::size_t{128} << 20;  // [bytes]

  static std::size_t size_of(const MeshParts& parts) {
    std::size_t size = sizeof(File);
    for (const MeshPart& part : std::get<std::vector<MeshPart>>(parts)) {
      size += sizeof part + sizeof(Vec3) * (part.mesh.vertices.size() + part.normals.size()) +
              sizeof(part.mesh.triangles[0]) * part.mesh.triangles.size() +
              sizeof(part.uvs[0]) * part.uvs.size();
    }
    return size;
  }

  std::mutex mutex_;
  std::deque<File> files_;  // the oldest first
  std::size_t size_ = 0;
};

RecentFiles& recent_files() {
  static RecentFiles files;
  return files;
}

std::shared_ptr<const MeshParts> read_parts(const assets::Library& library, const std::string& name,
                                            const std::string& format, MeshUse use,
                                            MeshHelper& helper) {
  const auto fault = [](std::string reason) {
    return std::make_shared<const MeshParts>(std::move(reason));
  };
  const bool look = use == MeshUse::Look;
  const bool has_materials = look && format == "obj";
  std::string order = format;
  std::string absent;
  auto file =
      has_materials ? open_with_materials(library, name, order, absent) : library.open(name);
  if (look) {
    order += fmt::format(" {}", kMeshLook);
  }
  if (const auto* failure = std::get_if<FileError>(&file)) {
    return fault(failure->reason);
  }
  auto& opened = std::get<Descriptor>(file);
  const auto key = has_materials ? std::nullopt : RecentFiles::key_of(opened, order);
  if (auto known = key ? recent_files().find(*key) : nullptr) {
    return known;
  }
  try {
    const ChildOutput output = helper.read(order, std::move(opened), kMaxOutput);
    const int status =
        output.wait_status.value_or(0);  // without a status an incomplete output shows the failure
    if (auto decoded = decode_mesh_parts(output.text); decoded && status == 0) {
      if (auto* const read = std::get_if<std::vector<MeshPart>>(&*decoded)) {
        for (MeshPart& part : *read) {
          part.absent_materials = absent;
        }
      }
      // libstdc++ 12 destroys what a variant cannot copy.
      auto parts = std::make_shared<const MeshParts>(std::move(*decoded));
      if (key && std::holds_alternative<std::vector<MeshPart>>(*parts)) {
        recent_files().keep(*key, parts);
      }
      return parts;
    }
    return fault(fault_of_reader(status));
  } catch (const std::system_error& error) {
    throw_if_short(error.code(), fmt::format("'{}' cannot be read", name));
    return fault(fmt::format("cannot be read ({}): install servosim again", error.what()));
  }
}

// `name` is for messages, and says by its end whether it is a picture of light.
ReadImage read_image(const std::variant<Descriptor, FileError>& file, const std::string& name) {
  if (const auto* failure = std::get_if<FileError>(&file)) {
    return failure->reason;
  }
  try {
    const std::vector<std::string> command{
        helper_program_path("mesh_reader"),
        std::string(name.ends_with(kLightEnd) ? kLight : kPicture), std::to_string(::getpid())};
    const ChildOutput output = run_filter(command, std::get<Descriptor>(file).get(), kMaxOutput);
    const int status = output.wait_status.value_or(0);
    if (auto picture = decode_picture(output.text); picture && status == 0) {
      if (auto* image = std::get_if<Image>(&*picture)) {
        return std::make_shared<const Image>(std::move(*image));
      }
      return std::get<std::string>(*picture);
    }
    return fault_of_reader(status);
  } catch (const std::system_error& error) {
    throw_if_short(error.code(), fmt::format("'{}' cannot be read", name));
    return fmt::format("cannot be read ({}): install servosim again", error.what());
  }
}

// Returns the names of the objects of a file, for a message.
std::string names_in(const std::vector<MeshPart>& parts) {
  constexpr std::size_t kMaxNames = 10;
  std::set<std::string> names;
  for (const MeshPart& part : parts) {
    if (names.size() == kMaxNames && !names.contains(part.name)) {
      return fmt::format("\"{}\", ...", fmt::join(names, "\", \""));
    }
    names.insert(part.name);
  }
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

// The parts of a file that a Mesh node selects.
struct Choice {
  std::string name;   // empty selects all names
  int material = -1;  // -1 selects all materials

  bool takes(const MeshPart& part) const {
    return (name.empty() || part.name == name) && (material < 0 || part.material == material);
  }
  std::string text() const {
    const std::string object = name.empty() ? "triangle" : fmt::format("object \"{}\"", name);
    return material < 0 ? object : fmt::format("{} of material {}", object, material);
  }
};

Choice choice_of(const wbt::Node& node, std::string_view ending, Diagnostics& diagnostics) {
  if (node.type->name != "Mesh") {
    return {};
  }
  Choice choice{node.string("name"), std::max(node.integer("materialIndex"), -1)};
  if (ending != "dae" && (!choice.name.empty() || choice.material >= 0)) {
    diagnostics.replacement(node.where,
                            "name and materialIndex of a Mesh select parts of a DAE file only; the "
                            "whole file is used");
    return {};
  }
  return choice;
}

// Returns the parts as one mesh, or a clause if a point is out of range.
std::variant<std::shared_ptr<Mesh>, std::string> merge(const MeshPartList& parts, const Vec3& scale,
                                                       bool ccw) {
  auto mesh = std::make_shared<Mesh>();
  for (const MeshPart* part : parts) {
    const auto first = static_cast<std::uint32_t>(mesh->vertices.size());
    for (const Vec3& vertex : part->mesh.vertices) {
      mesh->vertices.push_back(scaled(vertex, scale));
      if (!is_in_range(mesh->vertices.back())) {
        return "has a point that is not between -1e6 and 1e6 m";
      }
    }
    for (const auto& [a, b, c] : part->mesh.triangles) {
      add_triangle(*mesh, {first + a, first + b, first + c}, ccw);
    }
  }
  return mesh;
}

}  // namespace

Vec3 mesh_scale(const wbt::Node& node) {
  const Vec3 scale = node.has("scale") ? node.vec3("scale") : Vec3{1.0, 1.0, 1.0};
  const bool is_good = is_finite(scale) && scale.x * scale.y * scale.z != 0.0;
  return is_good ? scale : Vec3{1.0, 1.0, 1.0};
}

std::shared_ptr<const MeshParts> read_triangles(const std::string& path, MeshHelper& helper) {
  return read_parts(assets::Library(assets::Places{}), path, lower_ending(path), MeshUse::Form,
                    helper);
}

ReadImage read_image(std::string_view bytes) {
  return read_image(assets::file_of_bytes(bytes), "picture");
}

void MeshFiles::leave_out(const wbt::Node& node, std::string_view field, const std::string& reason,
                          const std::string& remedy) const {
  const std::vector<std::string>& urls = node.strings("url");
  const std::string_view type = node.type->name;
  diagnostics_.warning(
      node.where_of(field),
      fmt::format("{}{}{}; the {} is left out", reason, remedy.empty() ? "" : ": ", remedy, type),
      MissingPart{
          Missing::Meshes,
          urls.empty() || urls[0].empty() ? std::string(type) : fmt::format("mesh '{}'", urls[0]),
          fmt::format("{}; {}", reason,
                      remedy.empty()
                          ? fmt::format("put the file there, or correct the {} node", type)
                          : remedy)});
}

MeshPartList MeshFiles::parts(const wbt::Node& node, MeshUse use) {
  const std::vector<std::string>& urls = node.strings("url");
  const std::string url = urls.empty() ? "" : urls[0];
  const std::string ending = lower_ending(url);
  if (const std::string fault = fault_of_url(node.type->name, url, ending); !fault.empty()) {
    leave_out(node, "url", fault);
    return {};
  }
  const Choice choice = choice_of(node, ending, diagnostics_);
  const std::string path = name_of(node, url);
  if (path.empty()) {
    const std::string address =
        assets::resolve(folders_of(node).front(), url, wbt::release_tag(node.version));
    leave_out(node, "url", fmt::format("'{}' is not on this machine", url),
              assets::how_to_get(address));
    return {};
  }
  const MeshParts& all = parts_of(path, ending, use);
  if (const auto* reason = std::get_if<std::string>(&all)) {
    leave_out(node, "url", fmt::format("'{}' {}", path, *reason));
    return {};
  }
  const auto& parts = std::get<std::vector<MeshPart>>(all);
  MeshPartList chosen;
  bool any = false;
  for (const MeshPart& part : parts) {
    if (choice.takes(part)) {
      chosen.push_back(&part);
      any = any || !part.mesh.triangles.empty();
    }
  }
  if (!parts.empty() && chosen.empty()) {
    leave_out(
        node, choice.name.empty() ? "materialIndex" : "name",
        fmt::format("'{}' has no {}; its objects are {}", path, choice.text(), names_in(parts)));
  } else if (!any) {
    leave_out(node, "url", fmt::format("'{}' has no triangle", path));
    chosen.clear();
  }
  return chosen;
}

std::shared_ptr<const Mesh> MeshFiles::read(const wbt::Node& node, const Vec3& scale) {
  return merged(node, parts(node), scale);
}

std::shared_ptr<const Mesh> MeshFiles::read_look(const wbt::Node& node, const Vec3& scale,
                                                 std::vector<std::array<double, 2>>& places) {
  const MeshPartList chosen = parts(node, MeshUse::Look);
  for (const MeshPart* part : chosen) {
    for (const auto& [u, v] : part->uvs) {
      places.push_back({u, 1.0 - v});
    }
  }
  const std::shared_ptr<const Mesh> mesh = merged(node, chosen, scale);
  if (mesh == nullptr || places.size() != mesh->vertices.size()) {
    places.clear();
  }
  return mesh;
}

// Returns null without parts, of which another function has warned. Without triangles it returns
// null with a warning.
std::shared_ptr<const Mesh> MeshFiles::merged(const wbt::Node& node, const MeshPartList& chosen,
                                              const Vec3& scale) const {
  if (chosen.empty()) {
    return nullptr;
  }
  const std::string& url = node.strings("url")[0];
  const Vec3 own = mesh_scale(node);
  const bool is_mirrored = own.x * own.y * own.z < 0.0;
  const bool ccw = !node.has("ccw") || node.boolean("ccw");
  auto made = merge(chosen, scaled(scale, own), ccw != is_mirrored);
  if (const auto* reason = std::get_if<std::string>(&made)) {
    leave_out(node, "url", fmt::format("'{}' {}", name_of(node, url), *reason));
    return nullptr;
  }
  const auto& mesh = std::get<std::shared_ptr<Mesh>>(made);
  if (mesh->triangles.empty()) {
    leave_out(node, "url", fmt::format("'{}' has no triangle", name_of(node, url)));
    return nullptr;
  }
  return mesh;
}

// A url in a PROTO is relative to the PROTO's file. If it is the value of a parameter, it is
// relative to the world's.
std::vector<std::string> MeshFiles::folders_of(const wbt::Node& node) const {
  std::vector<std::string> folders;
  const std::string declared =
      assets::folder_of(diagnostics_.sources().resolve(node.where_of("url")).file);
  if (assets::is_address(declared) || fs::path(declared).is_absolute()) {
    folders.push_back(declared);
  }
  folders.push_back(world_folder_);
  const auto& proto_paths = library_->places().proto_paths;
  folders.insert(folders.end(), proto_paths.begin(), proto_paths.end());
  return folders;
}

// Returns the first existing file. Without one, it returns the path at which it should be on this
// machine, or an empty text if the url is an address.
std::string MeshFiles::name_of(const wbt::Node& node, const std::string& url) const {
  std::string missing;
  const std::vector<std::string> folders = folders_of(node);
  for (const std::string& folder : folders) {
    const std::string name = assets::resolve(folder, url, wbt::release_tag(node.version));
    std::error_code ignored;
    const std::string found = assets::is_address(name)    ? library_->find(name, folder)
                              : fs::exists(name, ignored) ? name
                                                          : "";
    if (!found.empty()) {
      return found;
    }
    if (&folder == &folders.front() && !assets::is_address(name)) {
      missing = name;
    }
  }
  return missing;
}

std::string MeshFiles::name_beside(const wbt::Node& node, const std::string& reference) const {
  return beside(*library_, name_of(node, node.strings("url")[0]), reference);
}

ReadImage MeshFiles::image(const std::string& name, bool is_light) {
  if (name.empty()) {
    return "is not on this machine";
  }
  if (name.ends_with(kLightEnd) != is_light) {
    return is_light ? "is no Radiance file (.hdr): convert it" : std::string(kNoPicture);
  }
  if (const auto asked = images_.find(name); asked != images_.end()) {
    return asked->second;
  }
  return images_.emplace(name, admit(name)).first->second;
}

// Returns a picture that counts from now on, or that there is no room for it.
ReadImage MeshFiles::admit(const std::string& name) {
  if (images_.size() >= kMaxPictures) {
    return fmt::format("is one too many: a world has at most {}", kMaxPictures);
  }
  const auto pixels_of = [](const ReadImage& image) {
    const auto* const read = std::get_if<std::shared_ptr<const Image>>(&image);
    return read != nullptr ? (*read)->pixels.size() / 4 : 0;
  };
  const std::size_t most = use_ == MeshUse::Look ? kMaxPixelsSeen : kMaxPixelsInAll;
  const auto known = known_.images.find(name);
  const bool is_new = known == known_.images.end();
  const auto large = known_.too_large.find(name);
  // Refused pictures take time to be read, too, so there is at most one of them, and once.
  is_full_ = is_full_ || pixels_ >= most ||
             (large != known_.too_large.end() && pixels_ + large->second > most);
  const ReadImage image = !is_new    ? known->second
                          : is_full_ ? ReadImage(std::string())
                                     : read_image(library_->open(name), name);
  const std::size_t pixels = pixels_of(image);
  if ((is_new && is_full_) || pixels_ + pixels > most) {
    is_full_ = true;
    if (pixels > 0) {
      known_.too_large[name] = pixels;
    }
    return fmt::format("is one too many: all have more than {} million pixels; use smaller ones",
                       most >> 20);
  }
  pixels_ += pixels;
  if (is_new) {
    known_.images.emplace(name, image);
    std::size_t in_store = 0;
    for (const auto& [other, kept] : known_.images) {
      in_store += pixels_of(kept);
    }
    if (in_store > most || known_.images.size() > kMaxPictures) {
      std::erase_if(known_.images, [&](const auto& kept) {
        return kept.first != name && !images_.contains(kept.first);
      });
    }
  }
  return image;
}

const MeshParts& MeshFiles::parts_of(const std::string& path, const std::string& format,
                                     MeshUse use) {
  auto& parts = known_.files[{path, use}];
  if (parts == nullptr) {
    parts = read_parts(*library_, path, format, use, helper_);
  }
  SERVOSIM_ASSERT(parts != nullptr, "no entry for {}", path);
  return *parts;
}

}  // namespace servosim

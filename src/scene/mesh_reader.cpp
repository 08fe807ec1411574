// SPDX-License-Identifier: Apache-2.0
// The program mesh_reader reads one STL, OBJ or Collada file from its standard input with assimp
// and writes its triangles, or the reason why there are none, to its standard output. For a PNG or
// JPEG file it writes the pixels. It is a separate process because some files crash the libraries
// that read them, and others never end.
//
// Usage: mesh_reader stl|obj|dae PARENT [[SIZE] look]
//        mesh_reader picture PARENT
//        mesh_reader light PARENT
//        mesh_reader font PARENT SIZE SMOOTH LETTER...
//        mesh_reader helper PARENT
// where PARENT is the number of the process that waits for it. With `look`, vertices have normals
// and places in pictures, and parts have colours and pictures, as far as the file contains them.
// The text of its MTL files follows SIZE bytes of an OBJ file. Of a font it draws letters, given by
// their numbers, of SIZE pixels, where SMOOTH is 0 or 1. As a helper it takes orders from a socket,
// its standard input: see MeshHelper.
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/helper_program.h"
#include "base/sent_descriptors.h"
#include "scene/glyph_reader.h"
#include "scene/mesh_file.h"
#include "scene/mesh_helper.h"
#include "scene/picture_reader.h"

namespace servosim {
namespace {

constexpr std::uint64_t kMaxMemory = std::uint64_t{2} << 30;

std::string read_input() {
  std::string text;
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n == 0 || (n < 0 && errno != EINTR)) {
      return text;
    }
    text.append(piece.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  }
}

void write_output(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) {
      return;
    }
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

// The files that assimp can open: the file to read, and the materials, if there are any, for every
// other name, which can only be that of an MTL file.
class InputFiles final : public Assimp::IOSystem {
 public:
  InputFiles(std::string name, std::string_view text, std::string_view materials)
      : name_(std::move(name)), text_(text), materials_(materials) {}
  bool Exists(const char* name) const override { return name == name_ || !materials_.empty(); }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char* /*mode*/) override {
    const std::string_view text = name == name_ ? text_ : materials_;
    return Exists(name) ? new Assimp::MemoryIOStream(
                              reinterpret_cast<const std::uint8_t*>(text.data()), text.size())
                        : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  std::string name_;
  std::string_view text_;
  std::string_view materials_;
};

// Removes all importers except that of `format`, because the extension alone decides how a file is
// read.
void select_importer(const std::string& format, Assimp::Importer& importer) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const std::string endings = importer.GetImporterInfo(i)->mFileExtensions;
    if ((' ' + endings + ' ').find(' ' + format + ' ') == std::string::npos) {
      importer.UnregisterLoader(importer.GetImporter(i));
    }
  }
}

using Corner = std::array<float, 8>;  // position; with a look also the normal and the place in a
                                      // picture

struct CornerHash {
  std::size_t operator()(const Corner& corner) const {
    std::uint64_t hash = 0;
    for (const float x : corner) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

struct SameBits {  // also for NaN
  bool operator()(const Corner& a, const Corner& b) const {
    return std::bit_cast<std::array<std::uint32_t, 8>>(a) ==
           std::bit_cast<std::array<std::uint32_t, 8>>(b);
  }
};

// Adds triangles to a part. Equal corners become one vertex. assimp's own function joins vertices
// that are nearer than 10 µm, in quadratic time if there are many.
class PartBuilder {
 public:
  PartBuilder(MeshPart& part, bool look) : part_(part), look_(look) {}

  void add(const aiMesh& mesh, const aiMatrix4x4& at) {
    const bool mirrored = at.Determinant() < 0.0F;
    const bool has_normals = look_ && mesh.HasNormals();
    const bool has_uvs = look_ && mesh.HasTextureCoords(0);
    aiMatrix3x3 turn(at);
    turn.Inverse().Transpose();
    for (unsigned int i = 0; i < mesh.mNumFaces; ++i) {
      const aiFace& face = mesh.mFaces[i];
      if (face.mNumIndices != 3) {
        continue;  // points and lines
      }
      std::array<std::uint32_t, 3> triangle{};
      for (unsigned int k = 0; k < 3; ++k) {
        const unsigned int i_corner = face.mIndices[k];
        const aiVector3D normal =
            has_normals ? (turn * mesh.mNormals[i_corner]).NormalizeSafe() : aiVector3D();
        const aiVector3D uv = has_uvs ? mesh.mTextureCoords[0][i_corner] : aiVector3D();
        triangle[k] = vertex(at * mesh.mVertices[i_corner], has_normals ? &normal : nullptr,
                             has_uvs ? &uv : nullptr);
      }
      if (mirrored) {
        std::swap(triangle[1], triangle[2]);
      }
      part_.mesh.triangles.push_back(triangle);
    }
  }

 private:
  // `n` and `uv` may be null for all corners.
  std::uint32_t vertex(const aiVector3D& v, const aiVector3D* n, const aiVector3D* uv) {
    Corner corner{v.x + 0.0F, v.y + 0.0F, v.z + 0.0F};  // no -0
    if (n != nullptr) {
      corner[3] = n->x + 0.0F;
      corner[4] = n->y + 0.0F;
      corner[5] = n->z + 0.0F;
    }
    if (uv != nullptr) {
      corner[6] = uv->x + 0.0F;
      corner[7] = uv->y + 0.0F;
    }
    const auto [known, is_new] =
        numbers_.try_emplace(corner, static_cast<std::uint32_t>(part_.mesh.vertices.size()));
    if (is_new) {
      part_.mesh.vertices.push_back({v.x, v.y, v.z});
      if (n != nullptr) {
        part_.normals.push_back({n->x, n->y, n->z});
      }
      if (uv != nullptr) {
        part_.uvs.push_back({uv->x, uv->y});
      }
    }
    return known->second;
  }

  MeshPart& part_;
  bool look_;
  std::unordered_map<Corner, std::uint32_t, CornerHash, SameBits> numbers_;
};

// Collects the meshes of all objects of a file.
class PartCollector {
 public:
  PartCollector(const aiScene& scene, bool look, bool colors)
      : scene_(scene), look_(look), colors_(colors) {}

  // Returns false if there are too many triangles.
  bool collect(const aiNode& node, const aiMatrix4x4& above) {
    const aiMatrix4x4 at = above * node.mTransformation;
    for (unsigned int i = 0; i < node.mNumMeshes; ++i) {
      const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[i]];
      triangles_ += mesh.mNumFaces;
      if (triangles_ > kMaxTriangles) {
        return false;
      }
      MeshPart& part = parts_.emplace_back();
      part.name = node.mName.C_Str();
      part.material = static_cast<std::int32_t>(mesh.mMaterialIndex);
      if (colors_) {
        add_material(part);
      }
      PartBuilder(part, look_).add(mesh, at);
    }
    for (unsigned int i = 0; i < node.mNumChildren; ++i) {
      if (!collect(*node.mChildren[i], at)) {
        return false;
      }
    }
    return true;
  }

  std::vector<MeshPart> take() { return std::move(parts_); }

 private:
  void add_material(MeshPart& part) const {
    const aiMaterial& material = *scene_.mMaterials[part.material];
    aiColor3D color;
    if (material.Get(AI_MATKEY_COLOR_DIFFUSE, color) == AI_SUCCESS) {
      float opacity = 1.0F;
      // Without this property the material is opaque.
      static_cast<void>(material.Get(AI_MATKEY_OPACITY, opacity));
      part.color = {color.r, color.g, color.b, opacity};
    }
    if (material.Get(AI_MATKEY_COLOR_EMISSIVE, color) == AI_SUCCESS) {
      part.emission = {color.r, color.g, color.b};
    }
    float shininess = 0.0F;
    if (material.Get(AI_MATKEY_SHININESS, shininess) == AI_SUCCESS) {
      part.shininess = {shininess};
    }
    aiString picture;
    if (material.GetTexture(aiTextureType_DIFFUSE, 0, &picture) == AI_SUCCESS) {
      part.picture = picture.C_Str();
    }
  }

  const aiScene& scene_;
  bool look_;
  bool colors_;
  std::size_t triangles_ = 0;
  std::vector<MeshPart> parts_;
};

// Returns the message of assimp as a clause, which may quote the file.
std::string clause(std::string text) {
  const std::string name = AI_MEMORYIO_MAGIC_FILENAME;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    text.replace(at, name.size(), "file");
  }
  for (char& c : text) {
    c = c < ' ' || c > '~' ? ' ' : c;
  }
  text = text.substr(0, std::min<std::size_t>(text.find_last_not_of(". ") + 1, 300));
  return "cannot be read (" + (text.empty() ? "no reason given" : text) + "): export it again";
}

const std::string kTooLarge = "needs more than 2 GB to be read: use a coarser one";

// Returns whether assimp, which stores exceptions, ran out of memory.
bool is_out_of_memory(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
  }
  return false;
}

// `size` is the size of the file, which its materials follow.
MeshParts read_parts(const std::string& format, bool look, std::size_t size) {
  const std::string input = read_input();
  const std::string_view text = std::string_view(input).substr(0, size);
  Assimp::Importer importer;
  select_importer(format, importer);
  importer.SetPropertyInteger(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
  // No other file is readable, because a material may name any file.
  const std::string name = AI_MEMORYIO_MAGIC_FILENAME + ("." + format);
  importer.SetIOHandler(new InputFiles(name, text, std::string_view(input).substr(text.size())));
  const aiScene* scene =
      importer.ReadFile(name, aiProcess_Triangulate | aiProcess_ValidateDataStructure);
  if (scene == nullptr || scene->mRootNode == nullptr) {
    return is_out_of_memory(importer.GetException()) ? kTooLarge
                                                     : clause(importer.GetErrorString());
  }
  // The normals of an STL file are those of its triangles. Without its materials an OBJ file has
  // only their names.
  const bool has_colors = look && (format == "dae" || text.size() < input.size());
  PartCollector collector(*scene, look && format != "stl", has_colors);
  if (!collector.collect(*scene->mRootNode, aiMatrix4x4())) {
    return "has more than " + std::to_string(kMaxTriangles) + " triangles: use a coarser one";
  }
  return collector.take();
}

// Returns what draws the letters that the arguments name.
std::string read_font(const std::vector<std::string>& words) {
  const int size = std::clamp(std::atoi(words[1].c_str()), 1, kMaxFontSize);
  std::vector<char32_t> letters;
  for (std::size_t i = 3; i < words.size(); ++i) {
    letters.push_back(static_cast<char32_t>(std::strtoul(words[i].c_str(), nullptr, 10)));
  }
  return encode_glyphs(draw_glyphs(read_input(), size, words[2][0] == '1', letters));
}

// Reads standard input as the words of an order say: a format, and what may follow it. It skips the
// destructors of assimp, which may fail.
[[noreturn]] void read_and_exit(const std::vector<std::string>& words) {
  const bool look = words.size() > 1 && words.back() == kMeshLook;
  const std::size_t size =
      words.size() == 3 ? std::strtoull(words[1].c_str(), nullptr, 10) : std::string::npos;
  const std::string& kind = words[0];
  try {
    limit_memory(kMaxMemory);
    limit_processor_time(max_read_seconds());
    write_output(kind == kFont      ? read_font(words)
                 : kind == kPicture ? encode_picture(read_picture(read_input()))
                 : kind == kLight   ? encode_picture(read_light(read_input()))
                                    : encode(read_parts(kind, look, size)));
  } catch (const std::bad_alloc&) {
    write_output(encode(kTooLarge));
  } catch (const std::exception& error) {
    write_output(encode(clause(error.what())));
  }
  ::_exit(0);
}

std::vector<std::string> words_of(const std::string& order) {
  std::istringstream stream(order);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Follows orders until there are no more, each in a copy of this process. The copies have what it
// has loaded and linked so far.
int help() {
  const Assimp::Importer warm;
  for (;;) {
    std::array<char, kMaxMeshOrder> order;
    iovec part{order.data(), order.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    SentDescriptors room;
    room.make_room(header);
    ssize_t size = -1;
    do {
      size = ::recvmsg(STDIN_FILENO, &header, 0);
    } while (size < 0 && errno == EINTR);
    std::vector<Descriptor> streams;
    if (size > 0) {
      SentDescriptors::take(header, streams);
    }
    if (size <= 0 || streams.size() != 2) {
      return 0;
    }
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      const std::vector<std::string> words =
          words_of(std::string(order.data(), static_cast<std::size_t>(size)));
      if (words.empty() || !end_with_parent(parent) || ::dup2(streams[0].get(), STDIN_FILENO) < 0 ||
          ::dup2(streams[1].get(), STDOUT_FILENO) < 0) {
        ::_exit(2);
      }
      read_and_exit(words);
    }
    MeshAnswer answer;
    answer.error = child < 0 ? errno : 0;
    streams.clear();
    while (child > 0 && ::waitpid(child, &answer.wait_status, 0) < 0 && errno == EINTR) {
    }
    if (::send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) {
      return 0;
    }
  }
}

}  // namespace
}  // namespace servosim

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool look =
      (argc == 4 || argc == 5) && argv[argc - 1] == std::string_view(servosim::kMeshLook);
  const bool is_font = argc >= 5 && words[0] == servosim::kFont;
  if ((argc != 3 && !look && !is_font) || !servosim::end_with_parent(std::atoi(argv[2]))) {
    return 2;
  }
  words.erase(words.begin() + 1);  // the parent
  if (words[0] == servosim::kMeshHelper) {
    return servosim::help();
  }
  servosim::read_and_exit(words);
}

// SPDX-License-Identifier: Apache-2.0
#include "rendering/rays/sky_light.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace servosim::rays {

namespace {

constexpr int kSide = 64;  // of the cube from which the light of the sky is taken

// Where a direction meets a cube around the origin: a face, and a place on it from its upper left
// corner.
struct CubePlace {
  int face = 0;
  float u = 0.5f;
  float v = 0.5f;
};

CubePlace on_cube(const Float3& d) {
  const float x = std::abs(d.x);
  const float y = std::abs(d.y);
  const float z = std::abs(d.z);
  const auto place = [](int face, float right, float down, float depth) {
    const float half = depth > 0.0f ? 0.5f / depth : 0.0f;
    return CubePlace{face, 0.5f + half * right, 0.5f + half * down};
  };
  if (x >= y && x >= z) {
    return d.x > 0.0f ? place(0, -d.y, -d.z, x) : place(1, d.y, -d.z, x);
  }
  if (y >= z) {
    return d.y > 0.0f ? place(2, d.x, -d.z, y) : place(3, -d.x, -d.z, y);
  }
  return d.z > 0.0f ? place(4, -d.y, d.x, z) : place(5, -d.y, -d.x, z);
}

// The direction in which a place of a face is: the reverse of on_cube().
Float3 from_cube(int face, float u, float v) {
  const float right = 2.0f * u - 1.0f;
  const float down = 2.0f * v - 1.0f;
  switch (face) {
    case 0:
      return {1.0f, -right, -down};
    case 1:
      return {-1.0f, right, -down};
    case 2:
      return {right, 1.0f, -down};
    case 3:
      return {-right, -1.0f, -down};
    case 4:
      return {down, -right, 1.0f};
    default:
      return {-down, -right, -1.0f};
  }
}

// The points of Hammersley's set, which fill the unit square evenly.
std::array<double, 2> hammersley(std::uint32_t i, std::uint32_t count) {
  std::uint32_t bits = i;
  bits = (bits << 16) | (bits >> 16);
  bits = ((bits & 0x55555555u) << 1) | ((bits & 0xaaaaaaaau) >> 1);
  bits = ((bits & 0x33333333u) << 2) | ((bits & 0xccccccccu) >> 2);
  bits = ((bits & 0x0f0f0f0fu) << 4) | ((bits & 0xf0f0f0f0u) >> 4);
  bits = ((bits & 0x00ff00ffu) << 8) | ((bits & 0xff00ff00u) >> 8);
  return {static_cast<double>(i) / count, bits * 0x1p-32};
}

// A half vector around z of the distribution GGX.
Float3 half_vector(const std::array<double, 2>& point, double roughness) {
  const double a = roughness * roughness;
  const double turn = 2.0 * std::numbers::pi * point[0];
  const double cosine = std::sqrt((1.0 - point[1]) / (1.0 + (a * a - 1.0) * point[1]));
  const double sine = std::sqrt(std::max(0.0, 1.0 - cosine * cosine));
  return {static_cast<float>(sine * std::cos(turn)), static_cast<float>(sine * std::sin(turn)),
          static_cast<float>(cosine)};
}

constexpr int kShareSteps = 48;

// The table of mirror_share(): Webots' split sum, by cosine and roughness.
struct MirrorShares {
  MirrorShares() {
    for (int row = 0; row <= kShareSteps; ++row) {
      fill(row);
    }
  }

  // Scale and offset.
  std::array<std::array<std::array<float, 2>, kShareSteps + 1>, kShareSteps + 1> shares;

 private:
  void fill(int row) {
    constexpr std::uint32_t kSamples = 512;
    const double roughness = static_cast<double>(row) / kShareSteps;
    const double k = 0.5 * roughness * roughness;
    const auto shading = [k](double cosine) { return cosine * (1.0 - k) + k; };
    std::vector<Float3> halves;
    for (std::uint32_t i = 0; i < kSamples; ++i) {
      halves.push_back(half_vector(hammersley(i, kSamples), roughness));
    }
    for (int column = 0; column <= kShareSteps; ++column) {
      const double nv = std::max(1e-3, static_cast<double>(column) / kShareSteps);
      const Float3 v{static_cast<float>(std::sqrt(1.0 - nv * nv)), 0.0f, static_cast<float>(nv)};
      double scale = 0.0;
      double offset = 0.0;
      for (const Float3& h : halves) {
        const double vh = std::max(0.0f, dot(v, h));
        const double nl = 2.0 * vh * h.z - nv;
        if (nl > 0.0 && h.z > 0.0f) {
          // The cosine nv of the numerator of Smith's law and that of the sum's divisor cancel out.
          const double visible = nl * vh / (shading(nl) * shading(nv) * h.z);
          const double opposite = 1.0 - vh;
          const double square = opposite * opposite;
          const double fresnel = square * square * opposite;
          scale += (1.0 - fresnel) * visible;
          offset += fresnel * visible;
        }
      }
      shares[row][column] = {static_cast<float>(scale / kSamples),
                             static_cast<float>(offset / kSamples)};
    }
  }
};

}  // namespace

MirrorShare mirror_share(const Floats& cosine, const Floats& roughness) {
  static const MirrorShares table;  // made for the first surface that mirrors the sky
  const Floats x = static_cast<float>(kShareSteps) * clamped(cosine - 0.001f, 0.0f, 1.0f);
  const Floats y = static_cast<float>(kShareSteps) * clamped(roughness, 0.0f, 1.0f);
  const auto step_below = [](const Floats& place) {
    const Ints step = to_ints(place);
    return choose(step < kShareSteps, step, step - 1);
  };
  const Ints column = step_below(x);
  const Ints row = step_below(y);
  const Floats right = x - to_floats(column);
  // Both numbers of a place of the table, and those of the next column.
  const auto in_row = [&](int below) {
    const FourFloats four =
        load_four([&](int i) { return table.shares[row[i] + below][column[i]].data(); });
    return MirrorShare{four.n[0] + right * (four.n[2] - four.n[0]),
                       four.n[1] + right * (four.n[3] - four.n[1])};
  };
  const MirrorShare upper = in_row(0);
  const MirrorShare lower = in_row(1);
  const Floats down = y - to_floats(row);
  return {upper.scale + down * (lower.scale - upper.scale),
          upper.offset + down * (lower.offset - upper.offset)};
}

SkyCube::SkyCube(const Faces& faces, const Faces& light) : light_(light) {
  for (std::size_t i = 0; faces[0] != nullptr && i < faces.size(); ++i) {
    pictures_.emplace_back(faces[i]);
  }
  if (light[0] != nullptr) {
    levels_.push_back(level_of(light));
  } else {
    Level& first = levels_.emplace_back();
    first.side = kSide;
    for (const Pyramid& picture : pictures_) {
      for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
          first.colors.push_back(
              of_lane(picture
                          .smooth(all((x + 0.5f) / kSide), all((y + 0.5f) / kSide), false, false,
                                  all(1.0f / kSide))
                          .color,
                      0));
        }
      }
    }
  }
  const int last = static_cast<int>(std::log2(kSide));
  for (int level = 1; level <= last; ++level) {
    Level made = filtered(levels_.front(), kSide >> level, static_cast<double>(level) / last);
    levels_.push_back(std::move(made));
  }
}

namespace {

// The light of a pixel of a Radiance file.
Float3 light_of(const Image& image, int x, int y) {
  const std::uint8_t* const p =
      &image.pixels[std::size_t{4} * (static_cast<std::size_t>(y) * image.width + x)];
  const float unit = std::ldexp(1.0f, p[3] - 136);
  return {unit * static_cast<float>(p[0]), unit * static_cast<float>(p[1]),
          unit * static_cast<float>(p[2])};
}

}  // namespace

// Each colour is the mean of the pixels that it covers, or the nearest one.
SkyCube::Level SkyCube::level_of(const Faces& light) {
  Level level;
  level.side = kSide;
  const int side = light[0]->width;
  const auto begin = [side](int i) { return i * side / kSide; };
  for (const auto& face : light) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        Float3 sum{};
        float count = 0.0f;
        for (int row = begin(y); row < std::max(begin(y) + 1, begin(y + 1)); ++row) {
          for (int column = begin(x); column < std::max(begin(x) + 1, begin(x + 1)); ++column) {
            sum = sum + light_of(*face, column, row);
            count += 1.0f;
          }
        }
        level.colors.push_back((1.0f / count) * sum);
      }
    }
  }
  return level;
}

Texels SkyCube::at(const Floats3& directions) const {
  Ints faces{};
  Floats u{};
  Floats v{};
  for (int i = 0; i < kLanes; ++i) {
    const CubePlace place = on_cube(of_lane(directions, i));
    faces[i] = place.face;
    u[i] = place.u;
    v[i] = place.v;
  }
  Texels texels;
  for (unsigned left = kAllLanes; left != 0;) {
    const int face = faces[std::countr_zero(left)];
    const Ints on_face = faces == face;
    const Texels found =
        pictures_[static_cast<std::size_t>(face)].smooth(u, v, false, false, Floats{});
    texels.color = choose(on_face, found.color, texels.color);
    texels.alpha = choose(on_face, found.alpha, texels.alpha);
    left &= ~set_of(on_face);
  }
  return texels;
}

Float3 SkyCube::sample(const Level& level, const Float3& direction) {
  const CubePlace place = on_cube(direction);
  const auto side = static_cast<float>(level.side);
  const float most = side - 1.0f;
  const float x = std::clamp(place.u * side - 0.5f, 0.0f, most);
  const float y = std::clamp(place.v * side - 0.5f, 0.0f, most);
  const int column = static_cast<int>(x);
  const int row = static_cast<int>(y);
  const int right = std::min(column + 1, level.side - 1);
  const int below = std::min(row + 1, level.side - 1);
  const Float3* const colors =
      &level.colors[static_cast<std::size_t>(place.face) * level.side * level.side];
  const float share = x - static_cast<float>(column);
  return mixed(
      mixed(colors[row * level.side + column], colors[row * level.side + right], share),
      mixed(colors[below * level.side + column], colors[below * level.side + right], share),
      y - static_cast<float>(row));
}

SkyCube::Level SkyCube::filtered(const Level& source, int side, double roughness) {
  constexpr std::uint32_t kSamples = 256;
  std::vector<Float3> halves;
  for (std::uint32_t i = 0; i < kSamples; ++i) {
    halves.push_back(half_vector(hammersley(i, kSamples), roughness));
  }
  Level level;
  level.side = side;
  for (int face = 0; face < 6; ++face) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const Float3 n = unit_or(from_cube(face, (x + 0.5f) / side, (y + 0.5f) / side), {});
        const Float3 up =
            std::abs(n.z) < 0.9f ? Float3{0.0f, 0.0f, 1.0f} : Float3{1.0f, 0.0f, 0.0f};
        const Float3 across = unit_or(cross(up, n), {});
        const Float3 along = cross(n, across);
        Float3 sum{};
        float weight = 0.0f;
        for (const Float3& h : halves) {
          const Float3 half = h.x * across + h.y * along + h.z * n;
          const Float3 l = 2.0f * h.z * half - n;  // the view is along the normal
          const float nl = dot(n, l);
          if (nl > 0.0f) {
            sum = sum + nl * sample(source, l);
            weight += nl;
          }
        }
        level.colors.push_back(weight > 0.0f ? (1.0f / weight) * sum : sample(source, n));
      }
    }
  }
  return level;
}

Float3 SkyCube::mirrored(const Float3& direction, float roughness) const {
  const auto last = static_cast<float>(levels_.size() - 1);
  const float level = std::clamp((last + 1.0f) * roughness, 0.0f, last);
  const auto finer = static_cast<std::size_t>(level);
  const Float3 near = sample(levels_[finer], direction);
  return finer + 1 == levels_.size()
             ? near
             : mixed(near, sample(levels_[finer + 1], direction), level - std::floor(level));
}

Float3 SkyCube::gathered(const Float3& normal) const { return sample(levels_.back(), normal); }

std::shared_ptr<const SkyCube> SkyCubes::of(const Sky& sky) {
  if (sky.faces[0] == nullptr && sky.light[0] == nullptr) {
    return nullptr;
  }
  const std::scoped_lock lock(lock_);
  std::array<const Image*, 12> images{};
  const auto address = [](const auto& face) { return face.get(); };
  std::transform(sky.faces.begin(), sky.faces.end(), images.begin(), address);
  std::transform(sky.light.begin(), sky.light.end(), images.begin() + 6, address);
  return made_once(known_, images,
                   [&] { return std::make_shared<const SkyCube>(sky.faces, sky.light); });
}

}  // namespace servosim::rays

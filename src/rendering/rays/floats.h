// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Numbers of several rays side by side. Each operation is that of a single number in each lane,
// rounded alike, so that the light of a ray does not depend on its neighbours. A condition is a
// mask: both sides of a choice are computed. A set of lanes that is not a mask is an integer with a
// bit for each, the lowest for lane 0.

namespace servosim::rays {

/// The number of rays in one register. Every processor has registers of four floats.
inline constexpr int kLanes = 4;
inline constexpr unsigned kAllLanes = (1u << kLanes) - 1u;

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
/// Whole numbers, or the result of a comparison: all bits of a lane are 1 where it is true.
using Ints = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

/// Half as many numbers in double precision.
using Doubles = double __attribute__((vector_size(sizeof(Floats))));

/// The same number for all rays.
inline Floats all(float x) { return Floats{x, x, x, x}; }

inline float choose(bool condition, float a, float b) { return condition ? a : b; }
inline Floats choose(const Ints& condition, const Floats& a, const Floats& b) {
  return condition ? a : b;
}
inline Ints choose(const Ints& condition, const Ints& a, const Ints& b) {
  return condition ? a : b;
}

/// These are std::min(a, b) and std::max(a, b), also for NaN.
inline Floats lesser(const Floats& a, const Floats& b) { return choose(b < a, b, a); }
inline Floats greater(const Floats& a, const Floats& b) { return choose(a < b, b, a); }
/// Returns `low` for NaN.
inline Floats clamped(const Floats& x, float low, float high) {
  return lesser(all(high), greater(all(low), x));
}

inline Floats absolute(const Floats& x) {
  return std::bit_cast<Floats>(std::bit_cast<Ints>(x) & 0x7fff'ffff);
}

/// The square root is correctly rounded.
inline float square_root(float x) { return std::sqrt(x); }
inline Floats square_root(const Floats& x) {
#ifdef __SSE2__
  return _mm_sqrt_ps(x);
#else
  return Floats{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

/// Rounds towards zero. The result is any number if it does not fit.
inline Ints to_ints(const Floats& x) {
#ifdef __SSE2__
  return std::bit_cast<Ints>(_mm_cvttps_epi32(x));
#else
  return __builtin_convertvector(x, Ints);
#endif
}
inline Floats to_floats(const Ints& x) { return __builtin_convertvector(x, Floats); }

/// Returns the set of lanes for which a condition holds.
inline unsigned set_of(const Ints& mask) {
#ifdef __SSE2__
  return static_cast<unsigned>(_mm_movemask_ps(std::bit_cast<Floats>(mask)));
#else
  return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}
inline Ints mask_of(unsigned set) {
  const auto bits = static_cast<std::int32_t>(set);
  return (Ints{bits, bits, bits, bits} & Ints{1, 2, 4, 8}) != 0;
}

/// Calls use(lane) for each lane of a set.
template <typename Use>
void for_each_lane(unsigned set, const Use& use) {
  for (; set != 0; set &= set - 1u) {
    use(std::countr_zero(set));
  }
}

/// Reads or writes adjacent numbers at any address.
inline Floats load(const float* from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline Doubles load(const double* from) {
  Doubles x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(const Floats& x, float* to) { std::memcpy(to, &x, sizeof x); }
inline void store(const Doubles& x, double* to) { std::memcpy(to, &x, sizeof x); }

/// Reads adjacent numbers and rounds them.
inline Floats rounded(const double* from) {
#ifdef __SSE2__
  return _mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(from)), _mm_cvtpd_ps(_mm_loadu_pd(from + 2)));
#else
  return Floats{static_cast<float>(from[0]), static_cast<float>(from[1]),
                static_cast<float>(from[2]), static_cast<float>(from[3])};
#endif
}

/// Two numbers of each ray.
struct TwoFloats {
  Floats first;
  Floats second;
};

/// Reads two adjacent numbers of each ray. `from` returns the address for a lane.
template <typename From>
TwoFloats load_two(const From& from) {
  const auto both = [&](int i, int j) {
    Doubles pairs;
    std::memcpy(&pairs, from(i), sizeof(double));
    std::memcpy(reinterpret_cast<char*>(&pairs) + sizeof(double), from(j), sizeof(double));
    return std::bit_cast<Floats>(pairs);
  };
  const Floats a = both(0, 1);
  const Floats b = both(2, 3);
  return {__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
}

/// Four numbers of each ray.
struct FourFloats {
  Floats n[4];
};

/// Exchanges rows and columns: the arguments are the numbers of each ray.
inline FourFloats transposed(const Floats& a, const Floats& b, const Floats& c, const Floats& d) {
  const Floats ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Floats cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Floats more_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Floats more_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return {{__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
           __builtin_shufflevector(more_ab, more_cd, 0, 1, 4, 5),
           __builtin_shufflevector(more_ab, more_cd, 2, 3, 6, 7)}};
}

/// Reads four adjacent numbers of each ray. `from` returns the address for a lane.
template <typename From>
FourFloats load_four(const From& from) {
  return transposed(load(from(0)), load(from(1)), load(from(2)), load(from(3)));
}

}  // namespace servosim::rays

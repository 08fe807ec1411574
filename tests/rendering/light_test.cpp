// SPDX-License-Identifier: Apache-2.0
// The light that an eye sees, against Webots' laws and the numbers of its tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "rendering/light_scenery.h"

namespace servosim {
namespace light_test {

// The numbers of Webots' test camera_color_focus: a red Box below a blue sky, seen along -z.
TEST(Light, GivesTheBytesOfWebots) {
  Scenery scenery;
  scenery.eye.rotation = {{0.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0}};
  scenery.sky = sky_of({0.0, 0.0, 1.0});
  scenery.lights = {sun({0.0, -1.0, -1.0}), sun({0.0, -1.0, -1.0})};
  for (LightSpec& light : scenery.lights) {
    light.ambient_intensity = 1.0;
  }
  scenery.add(box({1.0, 1.0, 0.1}), at(0.0, -0.5, -0.5), phong({1.0, 0.0, 0.0}));
  const std::vector<float> seen = scenery.see({Projection::Planar, 64, 64, 0.785398});
  const Vec3 above = Scenery::pixel(seen, 64 * 30 + 31);
  const Vec3 below = Scenery::pixel(seen, 64 * 32 + 31);
  EXPECT_EQ(byte_of(above.x), 0);
  EXPECT_EQ(byte_of(above.z), 255);
  EXPECT_EQ(byte_of(below.x), 227);
  EXPECT_EQ(byte_of(below.z), 0);
}

// The numbers of Webots' test camera_color, of a chart whose colours its test camera_noise_mask
// shows as they are: there its light is 1.
TEST(Light, GivesTheBytesOfWebotsForAPhysicalChart) {
  const auto coded = [](int byte) {
    const double light = -std::log(1.0 - std::pow(byte / 255.0, 2.2) * (1.0 - std::exp(-20.0)));
    const double c = std::min(1.0, light);
    const double code = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255.0 * code));
  };
  const auto pixel = [&coded](int r, int g, int b) {
    return Bytes{coded(r), coded(g), coded(b), 255};
  };
  // Each of the four places that are asked for is in a quarter of its own.
  const Bytes upper_left = pixel(123, 71, 58);
  const Bytes upper_right = pixel(156, 205, 195);
  const Bytes lower_left = pixel(207, 207, 207);
  const Bytes lower_right = pixel(44, 44, 44);
  Finish finish = physical({1.0, 1.0, 1.0}, 1.0, 0.2);
  finish.color_map.image = image(2, 2, {upper_left, upper_right, lower_left, lower_right});
  finish.color_map.is_smooth = false;
  Scenery scenery;
  scenery.sky = sky_of({1.0, 1.0, 1.0});
  scenery.lights = {lamp({}, {0.0, 0.0, 1.0})};
  scenery.add(plane(2.0, 2.0), facing(1.0), finish);
  const std::vector<float> seen = scenery.see({Projection::Planar, 64, 64, 1.570796});
  const auto expect = [&seen](int x, int y, const std::array<int, 3>& bytes) {
    const Vec3 light = Scenery::pixel(seen, 64 * y + x);
    EXPECT_NEAR(byte_of(light.x), bytes[0], 2) << x << ' ' << y;
    EXPECT_NEAR(byte_of(light.y), bytes[1], 2) << x << ' ' << y;
    EXPECT_NEAR(byte_of(light.z), bytes[2], 2) << x << ' ' << y;
  };
  expect(5, 8, {122, 75, 65});
  expect(59, 8, {153, 200, 191});
  expect(5, 56, {202, 202, 202});
  expect(59, 56, {54, 54, 54});
}

TEST(Light, OfUnlitShapesIsOne) {
  Scenery plain = wall({});
  plain.lights = {sun({1.0, 0.0, 0.0})};
  EXPECT_EQ(byte_of(plain.see_ahead().x), 207);
  Finish picture;
  picture.color_map.image = one_color({51, 102, 204, 255});
  expect_near(wall(picture).see_ahead(), {0.2, 0.4, 0.8});  // as it is coded
}

TEST(Light, FollowsPhongsLaw) {
  Finish finish = phong({0.6, 0.5, 0.3});
  finish.ambient_intensity = 0.7;
  finish.emission = {0.1, 0.3, 0.2};
  finish.specular = {0.9, 0.4, 0.5};
  finish.shininess = 0.1;
  Scenery scenery = wall(finish);
  scenery.lights = {sun({0.8, 0.6, 0.0}, 1.3), sun({-1.0, 0.0, 0.1})};
  scenery.lights[0].color = {0.9, 0.8, 0.7};
  scenery.lights[0].ambient_intensity = 0.25;
  // The half-way vector between the normal -x, where the sensor is, and the light.
  const Vec3 half = unit_or(Vec3{-1.0, 0.0, 0.0} + Vec3{-0.8, -0.6, 0.0}, {});
  const Vec3 color = lin(scenery.lights[0].color);
  const double shine = std::pow(-half.x, 12.8);
  const Vec3 reflected = 0.8 * lin(finish.color) + shine * lin(finish.specular);
  const Vec3 ambient = scaled(0.25 * scenery.lights[0].color, lin(0.7 * finish.color));
  expect_near(scenery.see_ahead(), lin(finish.emission) + ambient + 1.3 * scaled(color, reflected),
              1e-4);
  // A picture takes the place of the colours, and there are no highlights.
  finish.color_map.image = one_color({128, 64, 200, 255});
  Scenery picture = wall(finish);
  picture.lights = scenery.lights;
  const Vec3 white{1.0, 1.0, 1.0};
  const Vec3 sum = lin(finish.emission) + lin(0.7) * 0.25 * scenery.lights[0].color +
                   1.3 * 0.8 * scaled(color, white);
  expect_near(picture.see_ahead(), scaled(lin(Vec3{128.0 / 255, 64.0 / 255, 200.0 / 255}), sum),
              1e-4);
}

// Webots' law for one light, in double precision.
Vec3 physical_law(const Finish& finish, const Vec3& l, double intensity) {
  const Vec3 n{-1.0, 0.0, 0.0};  // and the sensor is in that direction
  const Vec3 base = lin(finish.color);
  const double rough = std::clamp(finish.roughness, 0.04, 1.0);
  const double a2 = std::pow(rough, 4.0);
  const Vec3 h = unit_or(l + n, {});
  const double nl = std::clamp(dot(n, l), 1e-4, 1.0);
  const double nv = 1.0 + 1e-4;
  const double nh = std::clamp(dot(n, h), 0.0, 1.0);
  const auto g = [a2](double x) { return 2.0 * x / (x + std::sqrt(a2 + (1.0 - a2) * x * x)); };
  const double d = a2 / (kPi * std::pow((nh * a2 - nh) * nh + 1.0, 2.0));
  const Vec3 f0 = (1.0 - finish.metalness) * Vec3{0.04, 0.04, 0.04} + finish.metalness * base;
  const double f90 = std::min(1.0, 25.0 * std::max({f0.x, f0.y, f0.z}));
  const auto part = [&](double own_f0, double own_base) {
    const double f = own_f0 + (f90 - own_f0) * std::pow(1.0 - nh, 5.0);  // the view is the normal
    const double diffuse = 0.96 * own_base * (1.0 - finish.metalness);
    return nl * ((1.0 - f) * diffuse / kPi * intensity * intensity +
                 f * g(nl) * g(nv) * d / (4.0 * nl * nv) * intensity);
  };
  return {part(f0.x, base.x), part(f0.y, base.y), part(f0.z, base.z)};
}

TEST(Light, FollowsTheLawOfPhysicalAppearances) {
  for (const double roughness : {0.0, 0.3, 1.0}) {
    for (const double metalness : {0.0, 0.6, 1.0}) {
      for (const Vec3& towards :
           {Vec3{-0.8, 0.6, 0.0}, Vec3{-1.0, 0.01, 0.0}, Vec3{0.6, 0.8, 0.0}}) {
        const Finish finish = physical({0.7, 0.5, 0.2}, roughness, metalness);
        Scenery scenery = wall(finish);
        scenery.lights = {sun(-towards, 1.7)};
        const Vec3 expected = physical_law(finish, unit_or(towards, {}), 1.7);
        // Single precision rounds the narrow reflection of a smooth surface.
        const double tolerance = roughness == 0.0 ? 0.03 : 1e-4;
        expect_near(scenery.see_ahead(), expected,
                    1e-6 + tolerance * std::max({expected.x, expected.y, expected.z}));
      }
    }
  }
}

// A dull surface returns the light of the surroundings by its colour; a mirror shows the sky.
TEST(Light, OfTheSkyFallsOnPhysicalAppearances) {
  Finish mirror = physical({1.0, 1.0, 1.0}, 0.0, 1.0);
  Scenery scenery = wall(mirror);
  scenery.sky = sky_of({0.2, 0.5, 0.9}, 1.0, 0.8);
  expect_near(scenery.see_ahead(), 0.8 * Vec3{0.2, 0.5, 0.9}, 5e-3);
  mirror.sky_strength = 0.25;
  Scenery weak = wall(mirror);
  weak.sky = scenery.sky;
  expect_near(weak.see_ahead(), 0.2 * Vec3{0.2, 0.5, 0.9}, 2e-3);
  Scenery dark = wall(mirror);
  dark.sky.reset();
  expect_near(dark.see_ahead(), {});
  // A dull surface returns the part that metals do not mirror, and 4 % and more of it mirrored.
  Scenery dull = wall(physical({0.5, 0.5, 0.5}, 1.0, 0.0));
  dull.sky = scenery.sky;
  const Vec3 returned = dull.see_ahead();
  const double base = 0.96 * lin(0.5);
  EXPECT_GT(returned.x, 0.8 * 0.2 * base);
  EXPECT_LT(returned.x, 0.8 * 0.2 * (base + 0.1));
  EXPECT_NEAR(returned.y / returned.x, 0.5 / 0.2, 1e-4) << "whatever the direction";
  EXPECT_NEAR(returned.z / returned.x, 0.9 / 0.2, 1e-4);
  // A Material sees none of it.
  Scenery paper = wall(phong({1.0, 1.0, 1.0}));
  paper.sky = scenery.sky;
  expect_near(paper.see_ahead(), {});
}

TEST(Light, EmittedIsAsItIsCoded) {
  Finish finish = physical({0.0, 0.0, 0.0}, 1.0, 0.0);
  finish.emission = {0.5, 0.25, 0.1};
  finish.emission_strength = 3.0;
  expect_near(wall(finish).see_ahead(), {1.5, 0.75, 0.3});
  finish.emission_map.image = one_color({51, 102, 153, 255});
  expect_near(wall(finish).see_ahead(), 3.0 * Vec3{0.2, 0.4, 0.6});
  // Where Webots draws shadows it leaves the strength out.
  Scenery shadows = wall(finish);
  shadows.lights = {sun({-1.0, 0.0, 0.0})};
  shadows.lights[0].casts_shadows = true;
  expect_near(shadows.see_ahead(), {0.2, 0.4, 0.6}, 1e-4);
  shadows.lights[0].intensity = 0.0;  // it is on, though it gives nothing
  expect_near(shadows.see_ahead(), {0.2, 0.4, 0.6}, 1e-4);
}

// 48 lights of a type shine, and all give what comes from everywhere.
TEST(Light, FromEverywhereIsOfAllLights) {
  Finish finish = phong({1.0, 1.0, 1.0});
  finish.ambient_intensity = 1.0;
  Scenery scenery = wall(finish);
  LightSpec light = sun({1.0, 0.0, 0.0}, 0.01);
  light.ambient_intensity = 0.02;
  scenery.lights.assign(60, light);
  EXPECT_NEAR(scenery.see_ahead().x, 48 * 0.01 + 60 * 0.02, 1e-4);
}

TEST(Light, WeakensWithDistance) {
  Scenery scenery = wall(phong({1.0, 1.0, 1.0}));
  scenery.lights = {lamp({0.5, 0.0, 0.0}, {0.5, 0.25, 1.0})};
  EXPECT_NEAR(scenery.see_ahead().x, 1.0 / (0.5 + 0.25 * 1.5 + 2.25), 1e-5);
  scenery.lights[0].radius = 1.4;  // its edge is hard
  EXPECT_EQ(scenery.see_ahead().x, 0.0);
}

TEST(Light, OfASpotFadesToTheEdge) {
  const auto seen = [](double angle, double beam) {
    Scenery scenery = wall(phong({1.0, 1.0, 1.0}));
    LightSpec spot = lamp({});
    spot.type = LightType::Spot;
    spot.direction = {std::cos(angle), std::sin(angle), 0.0};
    spot.beam_width = beam;
    spot.cut_off_angle = 0.5;
    scenery.lights = {spot};
    return scenery.see_ahead().x;
  };
  EXPECT_NEAR(seen(0.2, 0.3), 1.0, 1e-5);
  EXPECT_NEAR(seen(0.4, 0.3), 0.5, 1e-4);
  EXPECT_EQ(seen(0.51, 0.3), 0.0);
  EXPECT_NEAR(seen(0.49, 0.9), 1.0, 1e-5);  // a beam is at most as wide as the cone
}

// A cone of more than half a turn has all directions, also the one behind the light.
TEST(Light, OfASpotMayShineBehindIt) {
  const auto seen = [](double beam) {
    Scenery scenery = wall(phong({1.0, 1.0, 1.0}));
    LightSpec spot = lamp({});
    spot.type = LightType::Spot;
    spot.direction = {-1.0, 0.0, 0.0};
    spot.beam_width = beam;
    spot.cut_off_angle = 4.5;
    scenery.lights = {spot};
    return scenery.see_ahead().x;
  };
  EXPECT_NEAR(seen(0.5), (4.5 - kPi) / 4.0, 1e-3);
  EXPECT_NEAR(seen(4.0), 1.0, 1e-5);
}

// While Webots draws shadows, it leaves out lamps that are weak at the near side of a Shape.
TEST(Light, OfWeakLampsIsLeftOutWhereShadowsAreDrawn) {
  const auto seen = [](double quadratic, bool has_shadows, double transparency = 0.0) {
    Finish finish = phong({1.0, 1.0, 1.0});
    finish.transparency = transparency;
    Scenery scenery = wall(finish);
    // The lamp is 40 m in front of the wall.
    scenery.lights = {lamp({-38.0, 0.0, 0.0}, {0.0, 0.0, quadratic}), sun({0.0, 0.0, 1.0}, 1.0)};
    scenery.lights[0].intensity = 1000.0;
    scenery.lights[0].radius = 1e9;
    scenery.lights[1].casts_shadows = has_shadows;
    return scenery.see_ahead().x;
  };
  EXPECT_NEAR(seen(2.0, false), 1000.0 / (2.0 * 1600.0), 1e-3);
  EXPECT_EQ(seen(2.0, true), 0.0);
  EXPECT_NEAR(seen(0.5, true), 1000.0 / (0.5 * 1600.0), 1e-3);
  EXPECT_GT(seen(2.0, true, 0.5), 0.1) << "translucent Shapes are drawn without shadows";
}

TEST(Light, IsTakenAwayByShadows) {
  const auto seen = [](const auto& change) {
    Scenery scenery = wall(phong({1.0, 1.0, 1.0}));
    scenery.lights = {sun({1.0, 0.0, -1.0}), sun({1.0, 0.0, 0.0}, 0.3)};
    scenery.lights[0].casts_shadows = true;
    scenery.add(box({0.2, 0.4, 0.4}), at(1.0, 0.0, 1.0), phong({1.0, 1.0, 1.0}));
    change(scenery);
    return scenery.see_ahead().x;
  };
  const double lit = std::sqrt(0.5) + 0.3;
  EXPECT_NEAR(seen([](Scenery&) {}), 0.3, 1e-5);
  EXPECT_NEAR(seen([](Scenery& s) { s.poses[1].translation.y = 1.0; }), lit, 1e-5);
  EXPECT_NEAR(seen([](Scenery& s) { s.lights[0].casts_shadows = false; }), lit, 1e-5);
  const auto with = [&seen](const auto& change) {
    return seen([&change](Scenery& s) {
      Finish finish = *s.finishes[1];
      change(finish);
      s.finishes[1] = std::make_shared<const Finish>(finish);
    });
  };
  EXPECT_NEAR(with([](Finish& f) { f.casts_shadows = false; }), lit, 1e-5);
  EXPECT_NEAR(with([](Finish& f) { f.transparency = 0.1; }), lit, 1e-5);
  EXPECT_NEAR(with([](Finish& f) { f.law = ShadingLaw::Unlit; }), 0.3, 1e-5);
  // A lamp throws shadows of what is between it and the wall alone.
  EXPECT_NEAR(seen([](Scenery& s) {
                s.lights = {lamp({1.0, 0.0, 0.0})};
                s.lights[0].casts_shadows = true;
              }),
              1.0, 1e-5);
  // What is translucent shows none.
  EXPECT_NEAR(seen([](Scenery& s) {
                Finish finish = *s.finishes[0];
                finish.transparency = 0.5;
                s.finishes[0] = std::make_shared<const Finish>(finish);
              }),
              0.5 * lit, 1e-5);
}

// A shadow takes the light of its source alone, not that which is everywhere. A mesh with more
// indices than Webots counts throws none.
TEST(Light, StaysEverywhereInShadows) {
  Finish paper = phong({1.0, 1.0, 1.0});
  paper.ambient_intensity = 0.5;
  Scenery scenery = wall(paper);
  scenery.lights = {sun({1.0, 0.0, -1.0})};
  scenery.lights[0].casts_shadows = true;
  scenery.lights[0].ambient_intensity = 0.4;
  auto mesh = std::make_shared<DrawnMesh>();
  mesh->positions = {1.0f, -0.2f, 0.8f, 1.0f, 0.2f, 0.8f, 1.0f, 0.0f, 1.3f};
  const auto with_indices = [&](std::size_t count) {
    auto made = std::make_shared<DrawnMesh>(*mesh);
    for (std::size_t i = 0; i < count; ++i) {
      made->indices.push_back(static_cast<std::uint32_t>((i / 3) % 2 == 0 ? i % 3 : 2 - i % 3));
    }
    DrawnShape shape;
    shape.form = Form::Mesh;
    shape.mesh = made;
    Scenery shaded = scenery;
    shaded.add(shape, {}, phong({1.0, 1.0, 1.0}));
    return shaded.see_ahead().x;
  };
  const double everywhere = 0.4 * lin(0.5);
  EXPECT_NEAR(scenery.see_ahead().x, everywhere + std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(with_indices(65535), everywhere, 1e-5);
  EXPECT_NEAR(with_indices(65538), everywhere + std::sqrt(0.5), 1e-5);
}

// Light glasses cover what is behind, in the order of the distances of their middles.
TEST(Light, ShinesThroughTranslucentShapes) {
  const auto glow = [](const Vec3& color, double transparency) {
    Finish finish = physical({0.0, 0.0, 0.0}, 1.0, 1.0);
    finish.emission = color;
    finish.transparency = transparency;
    return finish;
  };
  Scenery scenery = wall(glow({0.8, 0.0, 0.0}, 0.0), 5.0);
  scenery.add(plane(2.0, 2.0), facing(2.0), glow({0.0, 0.6, 0.0}, 0.75));
  scenery.add(plane(2.0, 2.0), facing(3.0), glow({0.0, 0.0, 0.9}, 0.4));
  expect_near(scenery.see_ahead(), {0.8 * 0.4 * 0.75, 0.6 * 0.25, 0.9 * 0.6 * 0.75});
  // The middle of the nearer one moves away: it is drawn first.
  scenery.poses[1].translation.y = -0.9;
  scenery.shapes[1].size.x = 9.0;
  scenery.poses[1].translation.y = -4.0;
  expect_near(scenery.see_ahead(), {0.8 * 0.75 * 0.4, 0.6 * 0.25 * 0.4, 0.9 * 0.6});
  // Behind something opaque neither is seen.
  scenery.add(plane(2.0, 2.0), facing(1.0), glow({0.3, 0.3, 0.3}, 0.0));
  expect_near(scenery.see_ahead(), {0.3, 0.3, 0.3});
  // A picture has pixels through which one sees.
  Finish leaf = glow({0.0, 0.7, 0.0}, 0.0);
  leaf.color_map.image = one_color({0, 0, 0, 51});
  Scenery garden = wall(glow({0.8, 0.0, 0.0}, 0.0), 5.0);
  garden.add(plane(2.0, 2.0), facing(2.0), leaf);
  expect_near(garden.see_ahead(), {0.8 * 0.8, 0.7 * 0.2, 0.0});
  // The nearest ones of many that lie behind each other are seen.
  Scenery glasses;
  glasses.eye.translation = {0.0, 0.2, 0.1};  // off the edge between two triangles
  for (int i = 0; i < 100; ++i) {
    glasses.add(plane(2.0, 2.0), facing(1.0 + 0.1 * i),
                glow(i < 32 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0}, 0.98));
  }
  expect_near(glasses.see_ahead(), {1.0 - std::pow(0.98, 32.0), 0.0, 0.0}, 1e-4);
  // A fully transparent Shape is not there.
  Scenery clear = wall(glow({0.8, 0.0, 0.0}, 0.0), 5.0);
  clear.add(plane(2.0, 2.0), facing(2.0), glow({0.9, 0.9, 0.9}, 1.0));
  expect_near(clear.see_ahead(), {0.8, 0.0, 0.0});
}

TEST(Light, FadesInFog) {
  for (const FogLaw law : {FogLaw::Linear, FogLaw::Exponential, FogLaw::SquareExponential}) {
    Finish finish = physical({0.0, 0.0, 0.0}, 1.0, 1.0);
    finish.emission = {0.9, 0.1, 0.4};
    Scenery scenery = wall(finish, 3.0);
    scenery.fog = Fog{law, {0.6, 0.7, 0.8}, 4.0};
    const double left = law == FogLaw::Linear        ? 0.25
                        : law == FogLaw::Exponential ? std::exp(-0.75)
                                                     : std::exp(-0.75 * 0.75);
    const double share = std::pow(1.0 - left, 2.2);
    expect_near(scenery.see_ahead(),
                (1.0 - share) * finish.emission + share * lin(scenery.fog->color), 1e-4);
    // What is unlit is seen through it.
    Scenery unlit = wall({}, 3.0);
    unlit.fog = scenery.fog;
    expect_near(unlit.see_ahead(), {1.0, 1.0, 1.0});
  }
}

// The sky has the bytes of its colour at the exposure of the Viewpoint.
TEST(Light, OfTheSkyHasItsColour) {
  Scenery scenery;
  expect_near(scenery.see_ahead(), {});
  scenery.sky = sky_of({0.2, 0.6, 1.0}, 2.0);
  const Vec3 seen = scenery.see_ahead();
  EXPECT_EQ(byte_of(seen.x, 2.0), 51);
  EXPECT_EQ(byte_of(seen.y, 2.0), 153);
  EXPECT_EQ(byte_of(seen.z, 2.0), 255);
}

// The pictures of the sky, in the order front, back, left, right, above, below. Each has a spot in
// its upper left quarter.
TEST(Light, OfTheSkyComesFromItsPictures) {
  Scenery scenery;
  scenery.sky = Sky{};
  for (int face = 0; face < 6; ++face) {
    const auto level = static_cast<std::uint8_t>(30 * (face + 1));
    const Bytes plain{level, 0, 0, 255};
    scenery.sky->faces[static_cast<std::size_t>(face)] =
        image(2, 2, {{level, 255, 0, 255}, plain, plain, plain});
  }
  // Webots' worlds with z up have the front in -x and the left in -y.
  scenery.sky->axes = {{-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0}};
  const auto along = [&scenery](const Vec3& direction) {
    const Vec3 x = unit_or(direction, {});
    const Vec3 y = unit_or(cross({0.1, 0.2, 1.0}, x), {});
    const Vec3 z = cross(x, y);
    scenery.eye.rotation = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return scenery.see_ahead();
  };
  const auto expect = [&along](const Vec3& direction, int face, bool spot) {
    const Vec3 seen = along(direction);
    EXPECT_NEAR(seen.x, std::pow(30.0 * (face + 1) / 255.0, 2.0), 1e-3) << face;
    EXPECT_NEAR(seen.y, spot ? 1.0 : 0.0, 1e-3) << face << ' ' << spot;
  };
  constexpr double kIn = 0.6;          // beyond the middles of the four pixels
  expect({-1.0, -kIn, kIn}, 0, true);  // in front, to the left and up
  expect({-1.0, kIn, kIn}, 0, false);
  expect({-1.0, -kIn, -kIn}, 0, false);
  expect({1.0, kIn, kIn}, 1, true);
  expect({1.0, -kIn, kIn}, 1, false);
  expect({kIn, -1.0, kIn}, 2, true);  // to the left of the left is what is behind
  expect({-kIn, -1.0, kIn}, 2, false);
  expect({-kIn, 1.0, kIn}, 3, true);
  expect({kIn, -kIn, 1.0}, 4, true);  // the upper edge is behind
  expect({-kIn, -kIn, 1.0}, 4, false);
  expect({-kIn, -kIn, -1.0}, 5, true);  // the upper edge is in front
  expect({kIn, -kIn, -1.0}, 5, false);
  // A mirror shows the picture behind the sensor, not squared.
  Scenery mirror = wall(physical({1.0, 1.0, 1.0}, 0.0, 1.0));
  mirror.sky = scenery.sky;
  EXPECT_NEAR(mirror.see_ahead().x, 30.0 / 255.0, 5e-3);
}

// The rougher a metal is, the more of a bright picture aside it mirrors; a dull surface has the
// mean of what is before it.
TEST(Light, OfThePicturesOfTheSkySpreadsWithRoughness) {
  const auto seen = [](double roughness, double metalness) {
    Scenery scenery = wall(physical({1.0, 1.0, 1.0}, roughness, metalness));
    scenery.sky = Sky{};
    for (std::size_t face = 0; face < 6; ++face) {
      scenery.sky->faces[face] =
          one_color(face == 1 ? Bytes{51, 51, 51, 255} : Bytes{204, 204, 204, 255});
    }
    scenery.sky->axes = {};
    return scenery.see_ahead().x;
  };
  const double mirrored = seen(0.0, 1.0);  // the second picture is behind the sensor
  EXPECT_NEAR(mirrored, 0.2, 5e-3);
  double before = mirrored;
  for (const double roughness : {0.3, 0.5, 0.7}) {
    const double now = seen(roughness, 1.0);
    EXPECT_GT(now, before - 1e-4) << roughness;
    before = now;
  }
  EXPECT_GT(before, mirrored + 0.02);
  EXPECT_LT(before, 0.8);
  const double dull = seen(1.0, 0.0);
  EXPECT_GT(dull, 0.2);
  EXPECT_LT(dull, 0.8);
}

// The part of the light that comes from the face +x of a cube, of all that a law spreads around a
// normal: GGX's half vectors h, whose cosines c are those of the quantiles q, c^2 = (1 - q) / (1 +
// (a^2 - 1) q) with a = roughness^2, give the directions l = 2 (n h) h - n with the weight n l.
double share_of_face(const Vec3& n, double roughness) {
  constexpr int kRings = 400;
  constexpr int kTurns = 200;
  const double a = roughness * roughness;
  const Vec3 across = unit_or(cross({0.0, 0.0, 1.0}, n), {});
  const Vec3 along = cross(n, across);
  double in_face = 0.0;
  double all = 0.0;
  for (int i = 0; i < kRings; ++i) {
    const double q = (i + 0.5) / kRings;
    const double cosine = std::sqrt((1.0 - q) / (1.0 + (a * a - 1.0) * q));
    const double sine = std::sqrt(1.0 - cosine * cosine);
    for (int j = 0; j < kTurns; ++j) {
      const double turn = 2.0 * kPi * (j + 0.5) / kTurns;
      const Vec3 h = sine * std::cos(turn) * across + sine * std::sin(turn) * along + cosine * n;
      const Vec3 l = 2.0 * cosine * h - n;
      const double weight = std::max(0.0, dot(n, l));
      all += weight;
      in_face += l.x >= std::max(std::abs(l.y), std::abs(l.z)) ? weight : 0.0;
    }
  }
  return in_face / all;
}

// The pictures of the sky are filtered in seven levels of 64 >> m pixels for the roughness m / 6. A
// surface mirrors level 7 roughness, and a dull one returns level 6 in the direction of its normal.
// The picture behind the sensor has the byte 255, and the others 51.
TEST(Light, OfThePicturesOfTheSkyHasTheLevelOfTheRoughness) {
  const auto seen = [](double base, double roughness, double metalness, bool has_pictures) {
    Scenery scenery = wall(physical({base, base, base}, roughness, metalness));
    scenery.sky = sky_of({1.0, 1.0, 1.0});
    for (std::size_t face = 0; has_pictures && face < 6; ++face) {
      const auto byte = static_cast<std::uint8_t>(face == 1 ? 255 : 51);
      scenery.sky->faces[face] = one_color({byte, byte, byte, 255});
    }
    scenery.sky->axes = {};
    return scenery.see_ahead().x;
  };
  // The light of the four pixels around the middle of a face, whose normals lie half a pixel aside.
  const auto level = [](int m) {
    const double aside = m < 6 ? 1.0 / (64 >> m) : 0.0;
    return 0.2 + 0.8 * share_of_face(unit_or(Vec3{1.0, aside, aside}, {}), m / 6.0);
  };
  // Level 6 spreads so far that the 256 directions of the renderer miss the edges of the face.
  const auto tolerance = [](int m) { return m < 6 ? 4e-3 : 0.012; };
  for (int m = 1; m <= 7; ++m) {
    // Under a sky of 1 a metal of the colour 1 returns the scale of what it mirrors.
    const double scale = seen(1.0, m / 7.0, 1.0, false);
    const int last = std::min(m, 6);
    EXPECT_NEAR(seen(1.0, m / 7.0, 1.0, true) / scale, level(last), tolerance(last)) << m;
  }
  const double between = seen(1.0, 4.25 / 7.0, 1.0, true) / seen(1.0, 4.25 / 7.0, 1.0, false);
  EXPECT_NEAR(between, 0.75 * level(4) + 0.25 * level(5), tolerance(4));
  // What a dull surface adds by its colour is the light of its surroundings.
  const double dull = seen(1.0, 0.5, 0.0, true) - seen(0.0, 0.5, 0.0, true);
  EXPECT_NEAR(dull, 0.96 * level(6), tolerance(6));
}

// A Radiance picture lights surfaces, whatever is seen as the sky. Its pixels have an exponent.
TEST(Light, OfTheSkyComesFromItsPicturesOfLight) {
  Scenery mirror = wall(physical({1.0, 1.0, 1.0}, 0.0, 1.0));
  mirror.sky = sky_of({0.2, 0.4, 0.6}, 1.0, 0.5);
  for (std::size_t face = 0; face < 6; ++face) {
    // Red is half of the number of the face, green 4, and blue 0.
    mirror.sky->light[face] = one_color({static_cast<std::uint8_t>(8 * (face + 1)), 64, 0, 132});
  }
  mirror.sky->axes = {};
  expect_near(mirror.see_ahead(), 0.5 * Vec3{1.0, 4.0, 0.0}, 0.03);  // what is behind the eye
  Scenery dull = wall(physical({1.0, 1.0, 1.0}, 1.0, 0.0));
  dull.sky = mirror.sky;
  EXPECT_GT(dull.see_ahead().y, 1.9);
  Scenery sky;
  sky.sky = mirror.sky;
  EXPECT_EQ(byte_of(sky.see_ahead().x), 51) << "the colour is seen";
}

TEST(Light, FollowsTheMapsOfPhysicalAppearances) {
  Finish finish = physical({0.7, 0.5, 0.2}, 0.3, 0.1);
  finish.roughness_map.image = one_color({204, 0, 0, 255});
  finish.metalness_map.image = one_color({153, 0, 0, 255});
  Scenery scenery = wall(finish);
  const Vec3 towards = unit_or(Vec3{-0.8, 0.3, 0.2}, {});
  scenery.lights = {sun(-towards)};
  expect_near(scenery.see_ahead(), physical_law(physical({0.7, 0.5, 0.2}, 0.8, 0.6), towards, 1.0),
              1e-4);
  // Occlusion takes away light of the sky alone.
  Finish open = physical({1.0, 1.0, 1.0}, 0.0, 1.0);
  open.occlusion_map.image = one_color({102, 0, 0, 255});
  open.occlusion_strength = 0.5;
  Scenery hidden = wall(open);
  hidden.sky = sky_of({0.5, 0.5, 0.5});
  EXPECT_NEAR(hidden.see_ahead().x, 0.5 * 0.7, 5e-3);
}

// A normal map of one colour turns the normal in the direction in which u or v grows.
TEST(Light, FollowsNormalMaps) {
  const auto seen = [](const Bytes& coded, const Vec3& direction) {
    Finish finish = physical({1.0, 1.0, 1.0}, 1.0, 0.0);
    finish.normal_map.image = one_color(coded);
    Scenery scenery = wall(finish);
    scenery.lights = {sun(direction)};
    return scenery.see_ahead().x;
  };
  const Vec3 from_right{1.0, 1.0, 0.0};  // u grows to the right, in -y
  const Vec3 from_below{1.0, 0.0, 1.0};  // v grows downwards
  const double straight = seen({128, 128, 255, 255}, from_right);
  EXPECT_NEAR(straight, seen({128, 128, 255, 255}, from_below), 1e-3);
  EXPECT_GT(seen({218, 128, 218, 255}, from_right), 1.2 * straight);
  EXPECT_LT(seen({38, 128, 218, 255}, from_right), 0.3 * straight);
  EXPECT_GT(seen({128, 218, 218, 255}, from_below), 1.2 * straight);
  EXPECT_LT(seen({128, 38, 218, 255}, from_below), 0.3 * straight);
}

// Smooth normals: a sphere is lit as if it were round, though its outline is that of a polyhedron.
TEST(Light, FollowsSmoothNormals) {
  Scenery scenery;
  scenery.add(round(Form::Sphere, 0.5, 0.0), at(3.0, 0.0, 0.0), phong({1.0, 1.0, 1.0}));
  scenery.lights = {sun({1.0, 0.0, 0.0})};
  const std::vector<float> seen = scenery.see({Projection::Planar, 33, 33, 0.4});
  for (int i = 0; i < 33; ++i) {
    const double y = -std::tan(0.2) * (2.0 * (i + 0.5) / 33.0 - 1.0);
    const double b = 3.0 / (1.0 + y * y);  // |t d - c| = r
    const double root = b * b - (9.0 - 0.25) / (1.0 + y * y);
    if (root > 0.01) {
      const double t = b - std::sqrt(root);
      const double nl = (3.0 - t) / 0.5;
      EXPECT_NEAR(Scenery::pixel(seen, 33 * 16 + i).x, nl, 0.02) << i;
    }
  }
}

Scenery crowd() {
  Scenery scenery;
  scenery.sky = sky_of({0.4, 0.6, 0.9});
  scenery.lights = {sun({1.0, 0.5, -1.5}), lamp({2.0, 0.0, 2.0}, {1.0, 0.0, 0.2})};
  scenery.lights[0].casts_shadows = scenery.lights[1].casts_shadows = true;
  Finish floor = phong({1.0, 1.0, 1.0});
  floor.color_map.image = places();
  scenery.add(plane(30.0, 30.0), at(0.0, 0.0, -1.0), floor);
  for (int i = 0; i < 40; ++i) {
    const Pose pose = at(2.0 + 0.37 * (i % 11), std::sin(1.7 * i) * 3.0, std::cos(2.3 * i),
                         {{1.0, 0.2 * i, 2.0}, 0.7 * i});
    Finish finish =
        i % 2 == 0 ? phong({0.9, 0.1 * (i % 9), 0.2}) : physical({0.3, 0.8, 0.5}, 0.4, 0.5);
    finish.transparency = i % 5 == 0 ? 0.5 : 0.0;
    scenery.add(i % 3 == 0 ? round(Form::Sphere, 0.2, 0.0) : box({0.3, 0.2, 0.5}), pose, finish);
  }
  return scenery;
}

TEST(Light, HasTheSameBytesForAnyNumberOfThreads) {
  Scenery scenery = crowd();
  for (const int rays : {1, 4}) {
    scenery.rays_per_pixel = rays;
    const RayPattern pattern{Projection::Planar, 163, 99, 1.3};  // 24 tiles: three threads
    const std::vector<float> one = scenery.see(pattern, 1);
    for (const int threads : {2, 3}) {
      const std::vector<float> more = scenery.see(pattern, threads);
      EXPECT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(float)), 0);
    }
  }
}

// The light of a part of a picture is that of the whole picture, though the part begins within a
// tile and its packets have other neighbours.
TEST(Light, OfSomeColumnsIsThatOfTheWholePicture) {
  const Scenery scenery = crowd();
  const RayPattern pattern{Projection::Planar, 132, 77, 1.3};
  const std::vector<float> whole = scenery.see(pattern);
  for (const int first : {20, 44}) {
    const int columns = 40;
    const std::vector<float> part = scenery.see_columns(pattern, first, columns);
    for (int row = 0; row < 77; ++row) {
      for (int column = 0; column < columns; ++column) {
        for (int color = 0; color < 3; ++color) {
          ASSERT_EQ(part[3 * (columns * row + column) + color],
                    whole[3 * (132 * row + first + column) + color])
              << row << ' ' << column;
        }
      }
    }
  }
}

// Four rays are those of the middles of the quarters of a pixel.
TEST(Light, OfAPixelIsTheMeanOfItsQuarters) {
  Scenery scenery = crowd();
  const std::vector<float> fine = scenery.see({Projection::Planar, 40, 24, 1.3});
  scenery.rays_per_pixel = 4;
  const std::vector<float> coarse = scenery.see({Projection::Planar, 20, 12, 1.3});
  for (int y = 0; y < 12; ++y) {
    for (int x = 0; x < 20; ++x) {
      const int first = 40 * 2 * y + 2 * x;
      const double mean =
          0.25 * (Scenery::pixel(fine, first).x + Scenery::pixel(fine, first + 1).x +
                  Scenery::pixel(fine, first + 40).x + Scenery::pixel(fine, first + 41).x);
      EXPECT_NEAR(Scenery::pixel(coarse, 20 * y + x).x, mean, 1e-5) << x << ' ' << y;
    }
  }
}

// `far` leaves out whole Shapes, by their boxes along the axes of the world.
TEST(Light, ComesFromShapesThatReachIntoTheFrustum) {
  Scenery scenery;
  scenery.add(box({0.2, 0.5, 0.5}), at(5.0, 0.0, 0.0), {});
  scenery.add(box({9.0, 0.5, 0.5}), at(9.0, 0.0, 0.0), {});
  scenery.far = 5.2;
  EXPECT_EQ(scenery.see_ahead().x, 1.0);
  scenery.far = 4.6;  // a part of the second one is nearer
  EXPECT_EQ(scenery.see_ahead().x, 1.0);
  scenery.far = 4.4;
  EXPECT_EQ(scenery.see_ahead().x, 0.0);
}

// Which Shape is seen follows the same rule.
TEST(Light, AndShapesAreSeenAsFarAway) {
  Scenery scenery;
  scenery.add(box({0.2, 0.5, 0.5}), at(5.0, 0.0, 0.0), {});
  scenery.add(box({9.0, 0.5, 0.5}), at(9.5, 0.0, 0.0), {});
  EXPECT_EQ(scenery.shape_ahead(), 0) << "there is no end";
  scenery.far = 5.2;
  EXPECT_EQ(scenery.shape_ahead(), 0);
  scenery.poses[0].translation.x = 4.95;
  scenery.far = 4.8;
  EXPECT_EQ(scenery.shape_ahead(), -1) << "both are wholly beyond";
  scenery.poses[1].translation.x = 9.2;
  EXPECT_EQ(scenery.shape_ahead(), 1) << "a part of it is nearer";
}

// A finish that changes is seen in the next picture of the same eye, as a light that moves is.
TEST(Light, FollowsTheMoment) {
  const std::unique_ptr<Renderer> renderer = make_renderer({plane(9.0, 9.0)});
  const std::unique_ptr<Eye> eye = renderer->open({Projection::Planar, 1, 1, 0.1});
  const std::vector<Pose> poses{facing(2.0)};
  std::vector<std::shared_ptr<const Finish>> finishes(1);
  std::vector<LightSpec> lights{sun({1.0, 0.0, 0.0})};
  const auto see = [&](const Vec3& color, double intensity) {
    finishes[0] = std::make_shared<const Finish>(phong(color));
    lights[0].intensity = intensity;
    const Looks looks{finishes, lights, std::nullopt, std::nullopt};
    Glance glance;
    glance.shapes = poses;
    glance.columns = 1;
    glance.looks = &looks;
    std::vector<float> light(3);
    eye->find_light(glance, light);
    return Scenery::pixel(light, 0);
  };
  expect_near(see({1.0, 0.0, 0.0}, 1.0), {1.0, 0.0, 0.0});
  expect_near(see({0.0, 1.0, 0.0}, 0.7), {0.0, 0.7, 0.0});
}

// A picture that a Shape no longer has takes no memory, though the renderer and its eye remain.
TEST(Light, KeepsNoPictureThatIsNoLongerSeen) {
  const std::unique_ptr<Renderer> renderer = make_renderer({plane(9.0, 9.0)});
  const std::unique_ptr<Eye> eye = renderer->open({Projection::Planar, 1, 1, 0.01});
  const std::vector<Pose> poses{facing(2.0)};
  const auto see = [&](std::shared_ptr<const Image> picture) {
    const std::weak_ptr<const Image> held = picture;
    Finish finish;
    finish.color_map.image = picture;
    Sky sky = sky_of({0.5, 0.5, 0.5});
    sky.faces.fill(std::move(picture));
    const std::vector<std::shared_ptr<const Finish>> finishes{
        std::make_shared<const Finish>(finish)};
    const Looks looks{finishes, {}, sky, std::nullopt};
    Glance glance;
    glance.shapes = poses;
    glance.near = 0.01;
    glance.columns = 1;
    glance.looks = &looks;
    std::vector<float> light(3);
    eye->find_light(glance, light);
    return std::pair{held, light[0]};
  };
  const auto [former, light] = see(one_color({51, 0, 0, 255}));
  EXPECT_NEAR(light, 0.2, 1e-5);
  EXPECT_FALSE(former.expired()) << "the eye has it";
  EXPECT_NEAR(see(one_color({102, 0, 0, 255})).second, 0.4, 1e-5);
  EXPECT_TRUE(former.expired());
}

// A renderer that shares with another one sees the same.
TEST(Light, IsTheSameWithSharedShapes) {
  const Scenery scenery = crowd();
  const RayPattern pattern{Projection::Planar, 40, 24, 1.3};
  const std::vector<float> alone = scenery.see(pattern);
  std::unique_ptr<Renderer> first = make_renderer(scenery.shapes);
  const std::unique_ptr<Renderer> second = make_renderer(scenery.shapes, first.get());
  first.reset();
  const Looks looks = scenery.looks();
  Glance glance;
  glance.shapes = scenery.poses;
  glance.near = 0.01;
  glance.columns = pattern.width;
  glance.looks = &looks;
  std::vector<float> shared(alone.size());
  second->open(pattern)->find_light(glance, shared);
  EXPECT_EQ(shared, alone);
}

}  // namespace light_test
}  // namespace servosim

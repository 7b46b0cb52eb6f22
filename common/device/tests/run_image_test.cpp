// SPDX-License-Identifier: MIT
// Textures and surfaces: which elements an instruction means, how it mixes and converts them, and
// what is found wrong. Expected values follow the CUDA Programming Guide, worked out by hand.
#include <bit>

#include "check/checker.h"
#include "run_test.h"

namespace {

using report::Kind;
using run::AddressMode;

const std::string kRegisters =
    ".reg .f32 %fx, %fy, %fz, %f<4>;\n.reg .b32 %r<4>, %layer;\ncvt.u64.u32 %q, %n;\n";
// Thread t is at the middle of element t in x, and at y = 0.5 and z = 0.5.
const std::string kMiddle =
    "cvt.rn.f32.u32 %fx, %t;\nadd.f32 %fx, %fx, 0f3F000000;\nmov.f32 %fy, 0f3F000000;\n"
    "mov.f32 %fz, %fy;\n";
const std::string kStoreFloat = "mov.b32 %a, %f0;\n" + run_test::kStore;
const std::string kTex1D = "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx}];\n";
const std::string kFetch = "tex.1d.v4.s32.s32 {%a, %r1, %r2, %r3}, [%q, {%t}];\n";

// kMiddle, moved by so many elements of 1/256: an exact number.
std::string moved_by(int in_256ths) {
  const float by = static_cast<float>(in_256ths) / 256;
  char text[16];
  std::snprintf(text, sizeof text, "0f%08X", std::bit_cast<std::uint32_t>(by));
  return kMiddle + "add.f32 %fx, %fx, " + text + ";\n";
}

std::vector<float> floats(const std::vector<std::uint32_t>& words) {
  std::vector<float> values;
  for (const std::uint32_t word : words) values.push_back(std::bit_cast<float>(word));
  return values;
}

class RunImage : public run_test::Run {
 protected:
  void SetUp() override {
    Run::SetUp();
    memory::set_observer(&checker_);
    checker_.streams().begin_work(0);
  }
  void TearDown() override {
    checker_.streams().end_work();
    memory::set_observer(nullptr);
    memory::release_all();
  }

  // An image whose memory holds these values.
  template <class T>
  run::Image image_of(const std::vector<T>& values, report::ImageShape shape = {1, false, false}) {
    run::Image image;
    image.about.shape = shape;
    image.about.width = values.size();
    image.about.channel_bytes = sizeof(T);
    image.about.is_float = std::is_floating_point_v<T>;
    image.is_signed = std::is_signed_v<T>;
    image.modes.fill(AddressMode::kClamp);
    const std::uint64_t size = values.size() * sizeof(T);
    image.base = memory::allocate(size, memory::Allocation::Kind::kDevice, {});
    std::memcpy(reinterpret_cast<void*>(image.base), values.data(), size);
    checker_.on_write(image.base, size);
    image.row_bytes = size;
    return image;
  }
  static run::Image with_rows(run::Image image, std::uint64_t height, std::uint64_t depth = 1) {
    image.about.width /= height * depth;
    image.about.height = height;
    image.about.depth = depth;
    image.row_bytes /= height * depth;
    return image;
  }

  std::vector<std::uint32_t> run_on(const run::Image& image, const std::string& body,
                                    unsigned num_threads) {
    load(run_test::kernel(kRegisters + body));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    machine_->set_monitors({&checker_});
    return launch(1, num_threads, static_cast<std::uint32_t>(images_.add(image)));
  }

  check::Checker checker_;
};

TEST_F(RunImage, TakesTheElementThatHoldsTheCoordinate) {
  const auto out = run_on(image_of<float>({10, 20, 30}), kMiddle + kTex1D + kStoreFloat, 5);
  EXPECT_EQ(floats(out), (std::vector<float>{10, 20, 30, 30, 30}));
  expect_none();
}

TEST_F(RunImage, GivesTheBorderOutside) {
  run::Image image = image_of<float>({10, 20});
  image.modes.fill(AddressMode::kBorder);
  image.border = {7, 8, 9, 10};
  const auto out = run_on(image, kMiddle + kTex1D + kStoreFloat, 4);
  EXPECT_EQ(floats(out), (std::vector<float>{10, 20, 7, 7}));
}

TEST_F(RunImage, WrapsAndMirrorsNormalisedCoordinates) {
  run::Image image = image_of<float>({10, 20});
  image.has_normalised_coordinates = true;
  image.modes.fill(AddressMode::kWrap);
  const std::string body = kMiddle + "mul.f32 %fx, %fx, 0f3F000000;\n" + kTex1D + kStoreFloat;
  EXPECT_EQ(floats(run_on(image, body, 4)), (std::vector<float>{10, 20, 10, 20}));
  image.modes.fill(AddressMode::kMirror);
  EXPECT_EQ(floats(run_on(image, body, 4)), (std::vector<float>{10, 20, 20, 10}));
}

TEST_F(RunImage, RoundsWeightsToEightBits) {
  run::Image image = image_of<float>({0, 256, 256});
  image.is_filtered = true;
  for (const int weight : {0, 1, 128, 255}) {
    const auto out = run_on(image, moved_by(weight) + kTex1D + kStoreFloat, 2);
    EXPECT_EQ(floats(out), (std::vector<float>{static_cast<float>(weight), 256})) << weight;
  }
  const auto out =
      run_on(image, kMiddle + "add.f32 %fx, %fx, 0f3B400000;\n" + kTex1D + kStoreFloat, 1);
  EXPECT_EQ(floats(out), (std::vector<float>{1})) << "3/1024 is nearer to 1/256 than to 0";
}

TEST_F(RunImage, MixesFourElementsOfTwoRows) {
  run::Image image = with_rows(image_of<float>({1, 2, 3, 4}, {2, false, false}), 2);
  image.is_filtered = true;
  const auto out = run_on(image,
                          moved_by(128) +
                              "add.f32 %fy, %fy, 0f3F000000;\n"
                              "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx, %fy}];\n" +
                              kStoreFloat,
                          2);
  EXPECT_EQ(floats(out), (std::vector<float>{2.5F, 3}));
}

TEST_F(RunImage, NormalisesIntegers) {
  run::Image bytes = image_of<unsigned char>({0, 51, 255});
  bytes.about.normalises = true;
  EXPECT_EQ(floats(run_on(bytes, kMiddle + kTex1D + kStoreFloat, 3)),
            (std::vector<float>{0, 0.2F, 1}));
  run::Image shorts = image_of<short>({-32768, -32767, 32767});
  shorts.about.normalises = true;
  EXPECT_EQ(floats(run_on(shorts, kMiddle + kTex1D + kStoreFloat, 3)),
            (std::vector<float>{-1, -1, 1}));
  expect_none();
}

TEST_F(RunImage, ExtendsIntegersAndHalves) {
  EXPECT_EQ(
      run_on(image_of<signed char>({-128, 127}),
             kMiddle + "tex.1d.v4.s32.f32 {%a, %r1, %r2, %r3}, [%q, {%fx}];\n" + run_test::kStore,
             2),
      (std::vector<std::uint32_t>{static_cast<std::uint32_t>(-128), 127}));
  run::Image halves = image_of<unsigned short>({0x3C00, 0xC000});
  halves.about.is_float = true;
  EXPECT_EQ(floats(run_on(halves, kMiddle + kTex1D + kStoreFloat, 2)), (std::vector<float>{1, -2}));
  expect_none();
}

TEST_F(RunImage, ChoosesLayersAndFaces) {
  const run::Image layers = with_rows(image_of<float>({1, 2, 11, 12}, {1, true, false}), 1, 2);
  EXPECT_EQ(floats(run_on(layers,
                          kMiddle +
                              "add.s32 %layer, %t, -1;\nmov.f32 %fx, 0f3F800000;\n"
                              "tex.a1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%layer, "
                              "%fx}];\n" +
                              kStoreFloat,
                          4)),
            (std::vector<float>{2, 2, 12, 12}));
  const run::Image cube = with_rows(image_of<float>({0, 1, 2, 3, 4, 5}, {2, false, true}), 1, 6);
  // Towards -z.
  EXPECT_EQ(floats(run_on(cube,
                          kMiddle +
                              "mov.f32 %fx, 0f3F000000;\nmov.f32 %fz, 0fBF800000;\n"
                              "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx, %fy, "
                              "%fz, %fz}];\n" +
                              kStoreFloat,
                          1)),
            (std::vector<float>{5}));
}

TEST_F(RunImage, IgnoresTheLevelOfAMipmap) {
  const auto out = run_on(
      image_of<float>({10, 20}),
      kMiddle + "tex.level.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx}], %fy;\n" + kStoreFloat,
      2);
  EXPECT_EQ(floats(out), (std::vector<float>{10, 20}));
}

// Counter-clockwise from the lower left, where y goes down.
TEST_F(RunImage, GathersOneChannelOfFourElements) {
  const run::Image image = with_rows(image_of<float>({1, 2, 3, 4}, {2, false, false}), 2);
  const char* const results[4] = {"%f0", "%f1", "%f2", "%f3"};
  const float expected[4] = {3, 4, 2, 1};
  for (int i = 0; i < 4; ++i) {
    const auto out = run_on(image,
                            moved_by(128) +
                                "mov.f32 %fy, %fx;\n"
                                "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx, %fy}];\n"
                                "mov.b32 %a, " +
                                results[i] + ";\n" + run_test::kStore,
                            1);
    EXPECT_EQ(floats(out)[0], expected[i]) << i;
  }
}

TEST_F(RunImage, AnswersQuestionsAboutATexture) {
  const run::Image image = with_rows(image_of<float>({1, 2, 3, 4, 5, 6}, {2, false, false}), 2);
  EXPECT_EQ(run_on(image, "txq.width.b32 %a, [%q];\n" + run_test::kStore, 1)[0], 3u);
  EXPECT_EQ(run_on(image, "txq.height.b32 %a, [%q];\n" + run_test::kStore, 1)[0], 2u);
}

TEST_F(RunImage, FindsAFetchPastTheTexture) {
  run::Image image = image_of<int>({9, 8});
  image.is_linear_memory = true;
  EXPECT_EQ(run_on(image, kFetch + run_test::kStore, 3), (std::vector<std::uint32_t>{9, 8, 0}));
  expect(Kind::kOutOfBounds,
         "thread 2 of block 0 reads element 2 of a texture of 2 elements of 4 bytes");
}

TEST_F(RunImage, FindsAnotherTypeThanTheTextureGives) {
  run_on(image_of<int>({1}), kMiddle + kTex1D + kStoreFloat, 1);
  expect(Kind::kOutOfBounds, "floating-point numbers from a texture that gives 32-bit integers");
  run::Image image = image_of<unsigned char>({1});
  image.about.normalises = true;
  run_on(image,
         kMiddle + "tex.1d.v4.u32.f32 {%a, %r1, %r2, %r3}, [%q, {%fx}];\n" + run_test::kStore, 1);
  expect(Kind::kOutOfBounds, "(its readMode is cudaReadModeNormalizedFloat)");
}

TEST_F(RunImage, EndsAKernelWithAnotherObjectOrShape) {
  run::Image image = image_of<float>({1, 2});
  run_on(image, kFetch + run_test::kStore, 1);
  expect(Kind::kOutOfBounds, "calls tex1Dfetch for a texture that is not linear memory");
  run_on(image,
         kMiddle + "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx, %fy}];\n" + kStoreFloat, 1);
  expect(Kind::kOutOfBounds, "of 2 dimensions, but the texture has 1 dimension (2 elements of 4");
  run_on(image, "mov.u64 %q, 99;\n" + kMiddle + kTex1D + kStoreFloat, 1);
  expect(Kind::kOutOfBounds, "uses texture object 99, which was never created or has been destroy");
  image.is_surface = true;
  run_on(image, kMiddle + kTex1D + kStoreFloat, 1);
  expect(Kind::kOutOfBounds, "uses texture object");
  EXPECT_EQ(machine_->error(), 700);
}

TEST_F(RunImage, FindsElementsThatNothingHasWritten) {
  run::Image image = image_of<int>({9, 8});
  image.base = memory::allocate(8, memory::Allocation::Kind::kDevice, {});
  image.is_linear_memory = true;
  checker_.on_write(image.base, 4);
  run_on(image, kFetch + run_test::kStore, 1);
  expect_none();
  run_on(image, kFetch + "mov.u32 %a, 0;\n" + run_test::kStore, 2);
  expect_none();
  run_on(image, kFetch + run_test::kStore, 2);
  expect(Kind::kUninitializedRead, "thread 1 of block 0 reads 4 bytes");
}

TEST_F(RunImage, FindsFreedMemory) {
  run::Image image = image_of<int>({9});
  image.is_linear_memory = true;
  memory::release(image.base, memory::Allocation::Kind::kDevice, {});
  run_on(image, kFetch + run_test::kStore, 1);
  expect(Kind::kOutOfBounds, "which has been freed");
}

TEST_F(RunImage, FindsAReadOfWhatTheKernelHasWritten) {
  run::Image image = image_of<int>({9, 8});
  image.is_linear_memory = true;
  const auto write = [&](int place) {
    return "mov.u64 %s, " + std::to_string(image.base) + ";\nmov.u32 %b, 5;\nst.global.u32 [%s+" +
           std::to_string(4 * place) + "], %b;\n";
  };
  run_on(image, write(1) + kFetch + run_test::kStore, 1);
  expect_none();
  run_on(image, write(0) + kFetch + run_test::kStore, 1);
  expect(Kind::kRace, "what this kernel has written in");
}

class RunSurface : public RunImage {
 protected:
  run::Image surface() {
    run::Image image = with_rows(image_of<int>({1, 2, 3, 4, 5, 6}, {2, false, false}), 2);
    image.is_surface = true;
    return image;
  }
  // Element t, and row 1.
  static std::string read(const std::string& mode) {
    return "mul.lo.u32 %b, %t, 4;\nadd.s32 %b, %b, -4;\nmov.u32 %c, 1;\nsuld.b.2d.b32." + mode +
           " %a, [%q, {%b, %c}];\n" + run_test::kStore;
  }
};

TEST_F(RunSurface, ReadsAsItsModeSays) {
  EXPECT_EQ(run_on(surface(), read("zero"), 5), (std::vector<std::uint32_t>{0, 4, 5, 6, 0}));
  EXPECT_EQ(run_on(surface(), read("clamp"), 5), (std::vector<std::uint32_t>{4, 4, 5, 6, 6}));
  expect_none();
  run_on(surface(), read("trap"), 5);
  expect(Kind::kOutOfBounds,
         "thread 0 of block 0 reads 4 bytes at byte -4, row 1 of a surface of 3 x 2 elements of 4 "
         "bytes: x counts bytes, from 0 to 8");
}

TEST_F(RunSurface, WritesVectorsAndParts) {
  const run::Image image = surface();
  run_on(image,
         "mov.u32 %b, 0;\nmov.u32 %a, 70;\nmov.u32 %d, 80;\n"
         "sust.b.2d.v2.b32.trap [%q, {%b, %b}], {%a, %d};\n"
         "mov.u32 %b, 8;\nmov.u32 %c, 1;\nsust.b.2d.b8.trap [%q, {%b, %c}], %a;\n"
         "mov.u32 %b, 400;\nsust.b.2d.b32.zero [%q, {%b, %c}], %a;\n",
         1);
  expect_none();
  std::vector<int> got(6);
  std::memcpy(got.data(), reinterpret_cast<const void*>(image.base), 24);
  EXPECT_EQ(got, (std::vector<int>{70, 80, 3, 4, 5, 70}));
}

TEST_F(RunSurface, FindsElementsInsteadOfBytes) {
  run_on(surface(), "mov.u32 %b, 1;\nsust.b.2d.b32.trap [%q, {%b, %b}], %b;\n", 1);
  expect(Kind::kMisaligned, "writes 4 bytes of a surface at x = 1: x counts bytes");
  EXPECT_EQ(machine_->error(), 716);
}

TEST_F(RunSurface, FindsTwoThreadsThatWriteOnePlace) {
  run_on(surface(), "mov.u32 %b, 0;\nsust.b.2d.b32.trap [%q, {%b, %b}], %t;\n", 2);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].kind, Kind::kRace);
}

TEST_F(RunImage, RefusesWhatItDoesNotKnow) {
  load(run_test::kernel(kRegisters + "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%q, {%fx}], {%r0};\n"
                                     "sust.p.1d.v4.b32.trap [%q, {%r0}], {%r0, %r1, %r2, %r3};\n"));
  EXPECT_EQ(refusals_.size(), 2u);
}

}  // namespace

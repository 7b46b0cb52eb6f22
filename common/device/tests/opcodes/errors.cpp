// SPDX-License-Identifier: MIT
#include "tests/opcodes/errors.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace opcodes {

namespace {

float float_of(std::uint64_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits);
  float x;
  std::memcpy(&x, &word, 4);
  return x;
}
double double_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}
double brain_of(std::uint64_t bits) { return float_of((bits & 0xffff) << 16); }
double half_of(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31),
            significand = static_cast<int>(bits & 1023);
  double x =
      exponent == 0 ? std::ldexp(significand, -24) : std::ldexp(1024 + significand, exponent - 25);
  if (exponent == 31) x = significand == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -x : x;
}

struct Allowed {
  long double relative = 0;
  long double absolute = 0;
  double largest = 3.4028234663852886e38;  // of the format
  double smallest = 0x1p-149;              // what a result may differ by in any case
};

std::string compared(long double exact, double result, const Allowed& allowed) {
  if (std::isnan(exact) || std::isnan(result)) {
    return std::isnan(exact) && std::isnan(result) ? "" : "one of the two is not a number";
  }
  const long double slack =
      allowed.absolute + allowed.relative * std::fabs(exact) + allowed.smallest;
  if (std::isinf(result)) {
    if (std::fabs(exact) + slack > allowed.largest && std::signbit(exact) == std::signbit(result)) {
      return "";
    }
  } else if (std::fabs(exact) > allowed.largest) {
    return "it should be infinite";
  } else if (std::fabs(exact - result) <= slack) {
    return "";
  }
  char text[120];
  std::snprintf(text, sizeof text, "%.10g instead of %.10Lg, allowed %.3Lg", result, exact, slack);
  return text;
}

long double function_of(const std::string& name, long double x) {
  if (name == "rcp") return 1 / x;
  if (name == "sqrt") return std::sqrt(x);
  if (name == "rsqrt") return 1 / std::sqrt(x);
  if (name == "lg2") return std::log2(x);
  if (name == "ex2") return std::exp2(x);
  if (name == "sin") return std::sin(x);
  if (name == "cos") return std::cos(x);
  return std::tanh(x);
}

Allowed allowed_of(const std::string& name) {
  Allowed allowed;
  if (name == "rcp") allowed.relative = 0x1p-23;
  if (name == "sqrt") allowed.relative = 0x1p-23;
  if (name == "rsqrt") allowed.relative = 0x1.2p-23;                            // 2^-22.9
  if (name == "lg2") allowed.relative = 0x1p-22, allowed.absolute = 0x1.5p-23;  // 2^-22.6
  if (name == "ex2") allowed.relative = 0x1p-22;
  if (name == "sin" || name == "cos") allowed.absolute = 0x1.7p-21;  // 2^-20.5
  if (name == "tanh") allowed.relative = 0x1p-11;
  return allowed;
}

std::string divided(double a, double b, std::uint64_t result, bool is_full, Allowed allowed) {
  allowed.relative = 0x1p-22;  // two units
  const double magnitude = std::fabs(b);
  if (!is_full && magnitude > 0x1p126 && std::isfinite(b)) {
    if (std::isinf(a) || std::isnan(a)) {
      return std::isnan(float_of(result)) ? "" : "it should not be a number";
    }
    return float_of(result) == 0 ? "" : "it should be 0";
  }
  // A reciprocal that leaves the range of f32 is not promised anything.
  if (!is_full && magnitude < 0x1p-126 && magnitude > 0) return "";
  return compared(static_cast<long double>(a) / b, float_of(result), allowed);
}

double flushed(double x) { return std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x; }

std::string of_halves(const std::string& check, std::uint64_t source, std::uint64_t result) {
  const bool is_tanh = check.starts_with("tanh");
  const bool is_brain = check.find("bf16") != std::string::npos;
  const double x = is_brain ? brain_of(source) : half_of(source);
  Allowed allowed;
  allowed.largest = is_brain ? 3.3895e38 : 65504;
  allowed.smallest = is_brain ? 0x1p-126 : 0x1p-24;
  // f16: 2^-10.987, by the PTX manual. A GPU cuts tanh.approx.f32 to bf16: one unit, and the error
  // of f32, which is 2^-11 of the result. (The manual says 2^-8, which an H200 exceeds.)
  if (is_tanh && !is_brain) allowed.absolute = 0x1.02p-11;
  if (is_tanh && is_brain) allowed.relative = 0x1p-7 + 0x1p-11;
  if (!is_tanh) allowed.relative = is_brain ? 0x1p-7 : 0x1.2p-10;  // 2^-9.9
  const long double exact =
      is_tanh ? std::tanh(static_cast<long double>(x)) : std::exp2(static_cast<long double>(x));
  return compared(exact, is_brain ? brain_of(result) : half_of(result), allowed);
}

}  // namespace

std::string error_of(const std::string& check, const std::uint64_t* sources, std::uint64_t result,
                     bool ftz) {
  if (check == "rcp64" || check == "rsqrt64") {
    // A NaN that is an infinity in its upper half, which is all that a GPU reads.
    if (std::isnan(double_of(sources[0])) && (sources[0] >> 32 & 0xfffff) == 0) return "";
    double x = double_of(sources[0]);
    Allowed allowed;
    allowed.relative = 0x1p-19;
    allowed.largest = 1.7976931348623157e308;
    allowed.smallest = ftz ? 0x1p-1022 : 0;
    if (ftz && std::fabs(x) < 0x1p-1022) x = std::copysign(0.0, x);
    const long double exact = check == "rcp64" ? 1 / static_cast<long double>(x)
                                               : 1 / std::sqrt(static_cast<long double>(x));
    return compared(exact, double_of(result), allowed);
  }
  if (check.ends_with("16x2")) {
    const std::string low = of_halves(check, sources[0] & 0xffff, result & 0xffff);
    return low.empty() ? of_halves(check, sources[0] >> 16, result >> 16) : low;
  }
  if (check.find("f16") != std::string::npos) return of_halves(check, sources[0], result);

  double x = float_of(sources[0]), y = float_of(sources[1]);
  if (ftz) x = flushed(x), y = flushed(y);
  Allowed allowed = allowed_of(check);
  if (ftz) allowed.smallest = 0x1p-126;
  if (check == "div" || check == "div_full") {
    return divided(x, y, result, check == "div_full", allowed);
  }
  // Beyond a turn the error grows with the argument.
  if (check == "sin" || check == "cos") {
    if (std::fabs(x) > 6.2832 && std::isfinite(x)) return "";
    if (std::isinf(x)) x = NAN;
  }
  return compared(function_of(check, x), float_of(result), allowed);
}

std::string difference_of(const Case& made, const Values& values, const std::string& gpu) {
  const bool is_matrix = made.check.starts_with("mma");
  // Factors are below 4, so a product is below 16, and so is an accumulator that goes in. A tensor
  // core cuts each of k + 1 addends at a place below the greatest one; the number of places
  // depends on the format.
  double bound = 0;
  if (is_matrix) {
    const std::size_t at = made.text.find('k', made.text.find(".m"));
    const double k = std::strtod(made.text.c_str() + at + 1, nullptr);
    const double place =
        made.check == "mma"
            ? 0x1p-22
            : (made.check == "mma64" ? 0x1p-51 : (made.check == "mma_half" ? 0x1p-10 : 0x1p-12));
    bound = (k + 1) * 16 * place;
  }
  std::size_t at = 0;
  for (std::size_t r = 0; r < made.results.size(); ++r) {
    const int size = value_bytes(made.results[r]);
    for (int i = 0; i < kNumTuples; ++i) {
      if (!is_kept(i)) continue;
      std::uint64_t theirs = 0;
      if (at + static_cast<std::size_t>(size) > gpu.size()) return "the record is too short";
      std::memcpy(&theirs, gpu.data() + at, static_cast<std::size_t>(size));
      at += static_cast<std::size_t>(size);
      const std::uint64_t ours = values[r * kNumTuples + static_cast<std::size_t>(i)];
      std::string wrong;
      if (is_matrix) {
        const auto differs = [&](double a, double b) { return !(std::fabs(a - b) <= bound); };
        bool is_wrong = false;
        if (size == 8) {
          is_wrong = differs(double_of(ours), double_of(theirs));
        } else if (made.check == "mma_half") {
          is_wrong = differs(half_of(ours & 0xffff), half_of(theirs & 0xffff)) ||
                     differs(half_of(ours >> 16), half_of(theirs >> 16));
        } else {
          is_wrong = differs(float_of(ours), float_of(theirs));
        }
        if (is_wrong) wrong = "beyond the bound of a tensor core";
      } else {
        std::uint64_t sources[3] = {};
        for (std::size_t s = 0; s < made.sources.size(); ++s) {
          sources[s] = operand(made.sources[s].second, i, static_cast<int>(s));
        }
        wrong = error_of(made.check, sources, theirs, made.text.find(".ftz.") != std::string::npos);
        if (!wrong.empty()) wrong = "the GPU's own result: " + wrong;
      }
      if (!wrong.empty()) {
        char text[120];
        std::snprintf(text, sizeof text, "tuple %d, result %zu: GPU %llx, machine %llx: ", i, r,
                      static_cast<unsigned long long>(theirs),
                      static_cast<unsigned long long>(ours));
        return std::string(text).append(wrong);
      }
    }
  }
  return "";
}

}  // namespace opcodes

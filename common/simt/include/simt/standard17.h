// SPDX-License-Identifier: MIT
// For a program compiled as C++17 (`./lab run --std 17`): what the emulator's headers use of
// C++20's library. Concepts themselves come with -fconcepts.
#pragma once

#if __cplusplus < 202002L

#include <climits>
#include <cstddef>
#include <type_traits>

namespace std {

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <class T>
struct remove_cvref : remove_cv<remove_reference_t<T>> {};
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;

template <class T, class U>
concept same_as = is_same_v<T, U>;
template <class From, class To>
concept convertible_to = is_convertible_v<From, To>;
template <class T>
concept integral = is_integral_v<T>;

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
template <class T>
constexpr int popcount(T x) noexcept {
  return __builtin_popcountll(x);
}
template <class T>
constexpr int countl_zero(T x) noexcept {
  constexpr int kSpare = static_cast<int>((sizeof(unsigned long long) - sizeof(T)) * CHAR_BIT);
  return x == 0 ? static_cast<int>(sizeof(T) * CHAR_BIT) : __builtin_clzll(x) - kSpare;
}
template <class T>
constexpr int countr_zero(T x) noexcept {
  return x == 0 ? static_cast<int>(sizeof(T) * CHAR_BIT) : __builtin_ctzll(x);
}
template <class T>
constexpr int bit_width(T x) noexcept {
  return static_cast<int>(sizeof(T) * CHAR_BIT) - countl_zero(x);
}
template <class T>
constexpr T bit_ceil(T x) noexcept {
  return x <= 1 ? T{1} : static_cast<T>(T{1} << bit_width(static_cast<T>(x - 1)));
}
template <class T>
constexpr bool has_single_bit(T x) noexcept {
  return popcount(x) == 1;
}

// Laid out as libstdc++'s, which the emulator itself is compiled with; g++ demands the nested
// names.
struct source_location {
 private:
  struct __impl {
    const char* _M_file_name;
    const char* _M_function_name;
    unsigned _M_line;
    unsigned _M_column;
  };
  using Result = decltype(__builtin_source_location());
  const __impl* place_ = nullptr;

 public:
  static constexpr source_location current(Result place = __builtin_source_location()) noexcept {
    source_location here;
    here.place_ = static_cast<const __impl*>(place);
    return here;
  }
  constexpr source_location() noexcept = default;
  constexpr unsigned line() const noexcept { return place_ == nullptr ? 0 : place_->_M_line; }
  constexpr unsigned column() const noexcept { return place_ == nullptr ? 0 : place_->_M_column; }
  constexpr const char* file_name() const noexcept {
    return place_ == nullptr ? "" : place_->_M_file_name;
  }
};

}  // namespace std

#endif

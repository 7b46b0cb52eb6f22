// SPDX-License-Identifier: MIT
#include "run/shared_memory.h"

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "simt/launch.h"
#include "simt/memory.h"

namespace simt {
namespace device {
namespace {

alignas(1024) std::byte g_dynamic_shared[kMaxSharedBytesPerBlock];

// The part of the executable's TLS image that has no initial values.
struct TlsImage {
  std::ptrdiff_t offset = 0;  // from the thread's handle, the same on every thread
  std::size_t size_bytes = 0;
};

std::byte* thread_handle() { return reinterpret_cast<std::byte*>(pthread_self()); }

int visit_object(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    auto* const begin = static_cast<std::byte*>(info->dlpi_tls_data) + segment.p_filesz;
    *static_cast<TlsImage*>(result) = {begin - thread_handle(), segment.p_memsz - segment.p_filesz};
  }
  return 1;  // the executable comes first, and shared libraries hold no kernels
}

TlsImage find_tls_image() {
  TlsImage image;
  dl_iterate_phdr(visit_object, &image);
  return image;
}

}  // namespace

// Word by word, because no pattern of single bytes is a NaN for every type.
void poison(std::span<std::byte> range) {
  constexpr std::size_t kWordBytes = sizeof(kPoisonWord);
  const auto word = std::bit_cast<std::array<std::byte, kWordBytes>>(kPoisonWord);
  const std::size_t phase = reinterpret_cast<std::uintptr_t>(range.data()) % kWordBytes;
  std::byte* const begin = range.data();
  std::size_t done = std::min(kWordBytes, range.size());
  for (std::size_t i = 0; i < done; ++i) begin[i] = word[(phase + i) % kWordBytes];
  while (done < range.size()) {  // doubles what is filled
    const std::size_t next = std::min(done, range.size() - done);
    std::memcpy(begin + done, begin, next);
    done += next;
  }
}

SharedMemory::SharedMemory(std::size_t dynamic_bytes) : dynamic_(g_dynamic_shared, dynamic_bytes) {
  static const TlsImage image = find_tls_image();
  static_ = {thread_handle() + image.offset, image.size_bytes};
  host_image_.assign(static_.begin(), static_.end());
}

SharedMemory::~SharedMemory() {
  if (!is_lent_) lend_to_host();
}

void SharedMemory::lend_to_host() {
  std::memcpy(static_.data(), host_image_.data(), static_.size());
  is_lent_ = true;
}

void SharedMemory::take_back() {
  std::memcpy(host_image_.data(), static_.data(), static_.size());
  is_lent_ = false;
}

void SharedMemory::poison() const {
  device::poison(static_);
  device::poison(dynamic_);
}

void SharedMemory::save(std::vector<std::byte>& image) const {
  image.resize(static_.size() + dynamic_.size());
  std::memcpy(image.data(), static_.data(), static_.size());
  std::memcpy(image.data() + static_.size(), dynamic_.data(), dynamic_.size());
}

void SharedMemory::restore(const std::vector<std::byte>& image) const {
  std::memcpy(static_.data(), image.data(), static_.size());
  std::memcpy(dynamic_.data(), image.data() + static_.size(), dynamic_.size());
}

}  // namespace device

void* dynamic_shared() { return device::g_dynamic_shared; }

}  // namespace simt

// SPDX-License-Identifier: MIT
#include "check/virtual_tables.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "check/memory_findings.h"
#include "program/address.h"
#include "program/source_line.h"
#include "run/running.h"
#include "run/untraced.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

// Where objects that kernels constructed keep their pointers.
std::set<std::uintptr_t>& device_objects() {
  static auto& objects = *new std::set<std::uintptr_t>;  // outlives all users
  return objects;
}

// The class whose table of virtual functions holds the address; empty if none does.
const std::string& class_of_table(std::uintptr_t address) {
  static auto& known = *new std::unordered_map<std::uintptr_t, std::string>;
  const auto [entry, is_new] = known.try_emplace(address);
  if (!is_new) return entry->second;
  constexpr const char* kPrefix = "vtable for ";
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(variable_at(address).c_str(), nullptr, nullptr, nullptr), &std::free);
  if (name != nullptr && std::strncmp(name.get(), kPrefix, std::strlen(kPrefix)) == 0) {
    entry->second = name.get() + std::strlen(kPrefix);
  }
  return entry->second;
}

}  // namespace

void note_constructed(const void* pointer) {
  if (!is_device_address(pointer)) return;
  if (running.launch == nullptr) return forget_device_objects(number(pointer), 1);
  const Untraced untraced;
  device_objects().insert(number(pointer));
}

void forget_device_objects(std::uintptr_t address, std::size_t size_bytes) {
  auto& objects = device_objects();
  objects.erase(objects.lower_bound(address), objects.lower_bound(address + size_bytes));
}

void copy_device_objects(std::uintptr_t to, std::uintptr_t from, std::size_t size_bytes) {
  auto& objects = device_objects();
  if (objects.empty()) return;
  const std::set<std::uintptr_t> copied(objects.lower_bound(from),
                                        objects.lower_bound(from + size_bytes));
  forget_device_objects(to, size_bytes);
  for (const std::uintptr_t object : copied) objects.insert(object - from + to);
}

void check_virtual_call(const Access& access) {
  const std::uintptr_t object = running.last_read();
  if (!is_device_address(reinterpret_cast<const void*>(object))) return;
  const std::string& name = class_of_table(access.address);
  if (name.empty() || device_objects().contains(object)) return;
  std::uintptr_t table = 0;
  std::memcpy(&table, reinterpret_cast<const void*>(object), sizeof table);
  if (class_of_table(table) == name) end_host_object(access, name);
}

}  // namespace simt::device

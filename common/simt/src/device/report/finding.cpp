// SPDX-License-Identifier: MIT
#include "simt/finding.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory_resource>
#include <utility>

#include "report/debugger.h"
#include "simt/sealed.h"

namespace simt {
namespace {

constexpr std::array kKindNames = {
#define SIMT_FINDING_KIND(constant, name) name,
#include "simt/finding_kinds.inc"
};

std::pmr::vector<Finding>& kept_findings() {
  static auto* const kept =  // outlives all users
      std::pmr::polymorphic_allocator<>(sealed_memory()).new_object<std::pmr::vector<Finding>>();
  return *kept;
}

FindingListener g_listener = nullptr;

}  // namespace

const char* finding_kind_name(FindingKind kind) { return kKindNames[std::size_t(kind)]; }

void report(Finding finding) {
  const bool known =
      std::any_of(kept_findings().begin(), kept_findings().end(), [&](const Finding& other) {
        return other.kind == finding.kind && other.file == finding.file &&
               other.line == finding.line;
      });
  if (known || kept_findings().size() >= kMaxFindings) return device::forget_parties();
  if (g_listener != nullptr) g_listener(finding);
  device::tell_debugger(finding.kind, finding.message);
  kept_findings().push_back(std::move(finding));
}

void set_finding_listener(FindingListener listener) { g_listener = listener; }

std::span<const Finding> findings() { return kept_findings(); }

std::vector<Finding> take_findings() {
  std::pmr::vector<Finding>& kept = kept_findings();
  std::vector<Finding> taken(std::move_iterator(kept.begin()), std::move_iterator(kept.end()));
  kept.clear();
  return taken;
}

}  // namespace simt

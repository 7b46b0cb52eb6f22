// SPDX-License-Identifier: MIT
#include "check/part_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "check/device_shadow.h"
#include "check/race_shadow.h"
#include "check/word_history.h"
#include "program/address.h"
#include "program/own_parts.h"
#include "simt/memory.h"
#include "simt/page.h"

namespace simt::device {
namespace {

// The files hold these, each with ascending keys.
struct SavedRecord {
  std::uint64_t key;  // the address of the record
  WordHistory word;
};
struct SavedVariable {  // a word of the program's variables, which share pages with others
  std::uint64_t key;    // its address
  std::uint32_t value;
};
constexpr std::size_t kPageBytes = 4096;  // a larger page is saved in pieces
struct SavedPage {                        // of device memory, or of its flags
  std::uint64_t key;                      // its address
  std::array<std::uint8_t, kPageBytes> bytes;
};

enum File { kPages, kFlags, kRecords, kVariables, kVariableRecords };

bool made_by(Stamp stamp, const PartMemory& part) {
  return ordinal_of(stamp) >= part.first_block && ordinal_of(stamp) < part.end_block;
}

bool has_written(const WordHistory& word, const PartMemory& part) {
  return made_by(word.write, part);
}

bool has_accessed(const WordHistory& word, const PartMemory& part) {
  return has_written(word, part) || made_by(word.reads[0], part) || made_by(word.reads[1], part);
}

class Writer {
 public:
  explicit Writer(int file) : file_(file) {}
  template <class Item>
  void put(const Item& item) {
    const auto* const bytes = reinterpret_cast<const char*>(&item);
    buffer_.insert(buffer_.end(), bytes, bytes + sizeof item);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  bool flush() {
    std::size_t done = 0;
    while (is_good_ && done < buffer_.size()) {
      const ssize_t now = write(file_, buffer_.data() + done, buffer_.size() - done);
      is_good_ = now > 0;
      done += is_good_ ? static_cast<std::size_t>(now) : 0;
    }
    buffer_.clear();
    return is_good_;
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
  int file_;
  bool is_good_ = true;
  std::vector<char> buffer_;
};

// Which pages a process has written since it was forked: the system gave it copies of its own.
class ChangedPages {
 public:
  ChangedPages() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~ChangedPages() {
    if (file_ >= 0) close(file_);
  }
  ChangedPages(const ChangedPages&) = delete;
  ChangedPages& operator=(const ChangedPages&) = delete;

  // Calls visit(address) for those in [begin, begin + size_bytes), from `after` on.
  template <class Visit>
  bool visit(std::uintptr_t begin, std::size_t size_bytes, Visit visit) const {
    const std::size_t page = page_bytes();
    const std::uintptr_t last = (begin + size_bytes - 1) / page;
    std::array<std::uint64_t, 4096> entries;
    for (std::uintptr_t number = begin / page; number <= last;) {
      const std::size_t count = std::min<std::size_t>(entries.size(), last - number + 1);
      const ssize_t got = pread(file_, entries.data(), count * sizeof entries[0],
                                static_cast<off_t>(number * sizeof entries[0]));
      if (got != static_cast<ssize_t>(count * sizeof entries[0])) return false;
      for (std::size_t i = 0; i < count; ++i, ++number) {
        if (is_own(entries[i])) visit(number * page);
      }
    }
    return true;
  }

 private:
  // The format is documented in the kernel's admin-guide/mm/pagemap.rst.
  static bool is_own(std::uint64_t entry) {
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
    constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
    constexpr std::uint64_t kMappedOnce = std::uint64_t{1} << 56;
    return (entry & kSwapped) != 0 ||
           (entry & (kPresent | kMappedOnce)) == (kPresent | kMappedOnce);
  }

  int file_;
};

std::vector<const Allocation*> device_allocations() {
  std::vector<const Allocation*> result = live_allocations();
  std::erase_if(result, [](const Allocation* a) { return !is_device_address(a->base); });
  std::sort(result.begin(), result.end(),
            [](const Allocation* a, const Allocation* b) { return a->base < b->base; });
  return result;
}

std::uint32_t word_at(std::uint64_t address) {
  std::uint32_t word;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

// What changed pages hold of the program's variables. Not only words with a record: some stores
// have none.
bool save_variables(const ChangedPages& changed, Writer& writer) {
  for (const std::span<const std::byte> variables : own_variables()) {
    if (variables.empty()) continue;
    const std::uintptr_t begin = number(variables.data());
    const bool is_good = changed.visit(begin, variables.size(), [&](std::uintptr_t page) {
      const std::uintptr_t end = std::min(page + page_bytes(), begin + variables.size());
      for (std::uintptr_t at = std::max(page, begin); at < end; at += sizeof(std::uint32_t)) {
        writer.put(SavedVariable{at, word_at(at)});
      }
    });
    if (!is_good) return false;
  }
  return true;
}

bool save_pages(const ChangedPages& changed, std::uintptr_t begin, std::size_t size_bytes,
                std::uintptr_t& saved_end, Writer& writer) {
  return changed.visit(begin, size_bytes, [&](std::uintptr_t page) {
    for (std::uintptr_t at = std::max(page, saved_end); at < page + page_bytes();
         at += kPageBytes) {
      SavedPage saved;
      saved.key = at;
      std::memcpy(saved.bytes.data(), reinterpret_cast<const void*>(at), kPageBytes);
      writer.put(saved);
      saved_end = at + kPageBytes;
    }
  });
}

// Visits records of which a changed page holds a part.
template <class Visit>
bool visit_records(const ChangedPages& changed, std::span<WordHistory> records,
                   const WordHistory*& visited_end, Visit visit) {
  const std::uintptr_t begin = number(records.data());
  return changed.visit(begin, records.size_bytes(), [&](std::uintptr_t page) {
    const std::uintptr_t from = std::max(page, begin) - begin;
    const std::size_t first = from / sizeof(WordHistory);
    const std::size_t end = (page + page_bytes() - begin - 1) / sizeof(WordHistory) + 1;
    const WordHistory* word =
        std::max(records.data() + first, const_cast<WordHistory*>(visited_end));
    const WordHistory* const last = records.data() + std::min(end, records.size());
    for (; word < last; ++word) visit(*word);
    visited_end = std::max(visited_end, last);
  });
}

template <class Item>
class Saved {
 public:
  explicit Saved(int file) {
    struct stat status = {};
    if (fstat(file, &status) != 0 || status.st_size == 0) return;
    size_bytes_ = static_cast<std::size_t>(status.st_size);
    room_ = mmap(nullptr, size_bytes_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  ~Saved() {
    if (size_bytes_ != 0 && is_good()) munmap(room_, size_bytes_);
  }
  Saved(Saved&& other) noexcept
      : room_(std::exchange(other.room_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  Saved& operator=(Saved&&) = delete;

  bool is_good() const { return room_ != MAP_FAILED; }
  std::span<const Item> items() const {
    return {static_cast<const Item*>(room_), size_bytes_ / sizeof(Item)};
  }

 private:
  void* room_ = nullptr;
  std::size_t size_bytes_ = 0;
};

// What one part says about a key.
template <class Item>
struct Said {
  const PartMemory* part;
  const Item* item;
};

// Calls visit(span of Said) for each key, with what the parts say about it, in their order.
template <class Item, class Visit>
void for_each_key(std::span<const PartMemory> parts, const std::vector<Saved<Item>>& saved,
                  Visit visit) {
  std::vector<const Item*> next;
  for (const auto& file : saved) next.push_back(file.items().data());
  std::vector<Said<Item>> said;
  for (;;) {
    std::uint64_t key = UINT64_MAX;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto items = saved[i].items();
      if (next[i] != items.data() + items.size()) key = std::min(key, next[i]->key);
    }
    if (key == UINT64_MAX) return;
    said.clear();
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto items = saved[i].items();
      if (next[i] != items.data() + items.size() && next[i]->key == key) {
        said.push_back({&parts[i], next[i]++});
      }
    }
    visit(std::span<const Said<Item>>(said));
  }
}

template <class Item>
std::vector<Saved<Item>> open_files(std::span<const PartMemory> parts, File file) {
  std::vector<Saved<Item>> files;
  for (const PartMemory& part : parts) files.emplace_back(part.files[file]);
  return files;
}

template <class Item>
bool all_good(const std::vector<Saved<Item>>& files) {
  return std::all_of(files.begin(), files.end(), [](const auto& file) { return file.is_good(); });
}

// Of two reads by one part, the later one; by threads of one block without a barrier in between
// that is a guess.
int later_read(const WordHistory& word, const PartMemory& part) {
  if (!made_by(word.reads[1], part)) return 0;
  if (!made_by(word.reads[0], part)) return 1;
  const auto when = [](Stamp s) { return std::pair(ordinal_of(s), tick_of(s)); };
  return when(word.reads[0]) > when(word.reads[1]) ? 0 : 1;
}

// The record after all parts, one after another; see note_read().
WordHistory joined(std::span<const Said<SavedRecord>> said) {
  WordHistory word = said[0].item->word;
  for (const Said<SavedRecord>& next : said.subspan(1)) {
    const WordHistory& other = next.item->word;
    const int read = later_read(other, *next.part);
    word.reads[1] = other.reads[read];
    word.read_pcs[1] = other.read_pcs[read];
    word.is_written |= other.is_written;
  }
  return word;
}

std::uint8_t* page_at(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

// Whether two parts changed the same byte.
bool overlap(std::span<const Said<SavedPage>> said) {
  if (said.size() == 1) return false;
  for (std::size_t i = 0; i < kPageBytes; ++i) {
    int changes = 0;
    for (const auto& [part, page] : said) changes += page->bytes[i] != page_at(page->key)[i];
    if (changes > 1) return true;
  }
  return false;
}

bool overlap(std::span<const Said<SavedVariable>> said) {
  return std::count_if(said.begin(), said.end(), [](const auto& one) {
           return one.item->value != word_at(one.item->key);
         }) > 1;
}

void apply_changes(std::span<const Said<SavedPage>> said) {
  std::uint8_t* const to = page_at(said[0].item->key);
  std::array<std::uint8_t, kPageBytes> before;
  std::memcpy(before.data(), to, kPageBytes);
  for (const auto& [part, page] : said) {
    for (std::size_t i = 0; i < kPageBytes; ++i) {
      if (page->bytes[i] != before[i]) to[i] = page->bytes[i];
    }
  }
}

void apply_changes(std::span<const Said<SavedVariable>> said) {
  const std::uint32_t before = word_at(said[0].item->key);
  for (const auto& [part, word] : said) {
    if (word->value != before) std::memcpy(page_at(word->key), &word->value, sizeof word->value);
  }
}

// A kernel only sets flags.
void apply_flags(std::span<const Said<SavedPage>> said) {
  std::uint8_t* const to = page_at(said[0].item->key);
  for (const auto& [part, page] : said) {
    for (std::size_t i = 0; i < kPageBytes; ++i) to[i] |= page->bytes[i];
  }
}

// Whether a part wrote what another one accessed.
bool collide(std::span<const Said<SavedRecord>> said) {
  return said.size() > 1 && std::any_of(said.begin(), said.end(), [](const auto& one) {
           return has_written(one.item->word, *one.part);
         });
}

}  // namespace

bool sees_changed_pages() {
  const ChangedPages pages;
  return pages.visit(kDeviceBase, 1, [](std::uintptr_t) {});
}

bool save_part_memory(const PartMemory& part) {
  const ChangedPages changed;
  const std::vector<const Allocation*> allocations = device_allocations();
  bool is_good = true;

  Writer pages(part.files[kPages]);
  Writer flags(part.files[kFlags]);
  Writer records(part.files[kRecords]);
  std::uintptr_t pages_end = 0;
  std::uintptr_t flags_end = 0;
  const WordHistory* records_end = nullptr;
  const auto save_record = [&](Writer& writer, const WordHistory& word) {
    if (has_accessed(word, part)) writer.put(SavedRecord{number(&word), word});
  };
  for (const Allocation* const allocation : allocations) {
    const std::uintptr_t base = number(allocation->base);
    const std::size_t size_bytes = allocation->size_bytes;
    const auto own_flags = device_flags.storage_of(base, size_bytes);
    is_good = is_good && save_pages(changed, base, size_bytes, pages_end, pages) &&
              save_pages(changed, number(own_flags.data()), own_flags.size(), flags_end, flags) &&
              visit_records(changed, device_records(base, size_bytes), records_end,
                            [&](const WordHistory& word) { save_record(records, word); });
  }

  Writer variables(part.files[kVariables]);
  Writer variable_history(part.files[kVariableRecords]);
  const WordHistory* variables_end = nullptr;
  is_good = is_good &&
            visit_records(changed, variable_records(), variables_end,
                          [&](const WordHistory& word) { save_record(variable_history, word); }) &&
            save_variables(changed, variables);
  for (Writer* const writer : {&pages, &flags, &records, &variables, &variable_history}) {
    is_good = writer->flush() && is_good;
  }
  return is_good;
}

bool merge_part_memory(std::span<const PartMemory> parts) {
  const auto pages = open_files<SavedPage>(parts, kPages);
  const auto flags = open_files<SavedPage>(parts, kFlags);
  const auto variables = open_files<SavedVariable>(parts, kVariables);
  const auto records = open_files<SavedRecord>(parts, kRecords);
  const auto variable_history = open_files<SavedRecord>(parts, kVariableRecords);
  if (!all_good(pages) || !all_good(flags) || !all_good(variables) || !all_good(records) ||
      !all_good(variable_history)) {
    return false;
  }
  bool are_independent = true;
  for (const auto* const files : {&records, &variable_history}) {
    for_each_key(parts, *files, [&](auto said) { are_independent &= !collide(said); });
  }
  if (are_independent) {  // by the records; some stores have none
    for_each_key(parts, pages, [&](auto said) { are_independent &= !overlap(said); });
    for_each_key(parts, variables, [&](auto said) { are_independent &= !overlap(said); });
  }
  if (!are_independent) return false;

  for_each_key(parts, pages, [](auto said) { apply_changes(said); });
  for_each_key(parts, flags, [](auto said) { apply_flags(said); });
  for_each_key(parts, variables, [](auto said) { apply_changes(said); });
  for (const auto* const files : {&records, &variable_history}) {
    for_each_key(parts, *files, [](auto said) {
      *reinterpret_cast<WordHistory*>(said[0].item->key) = joined(said);
    });
  }
  return true;
}

}  // namespace simt::device

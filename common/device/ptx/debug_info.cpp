// SPDX-License-Identifier: MIT
#include "ptx/debug_info.h"

#include <algorithm>
#include <unordered_map>

#include "ptx/lexer.h"

namespace ptx {
namespace {

// By their numbers in the standard.
namespace tag {
constexpr std::uint64_t kArray = 0x01, kParameter = 0x05, kPointer = 0x0f, kReference = 0x10,
                        kTypedef = 0x16, kSubrange = 0x21, kConst = 0x26, kVariable = 0x34,
                        kVolatile = 0x35, kRestrict = 0x37, kRvalueReference = 0x42;
}
namespace attribute {
constexpr std::uint64_t kLocation = 0x02, kName = 0x03, kByteSize = 0x0b, kUpperBound = 0x2f,
                        kAbstractOrigin = 0x31, kCount = 0x37, kType = 0x49, kVector = 0x2107;
}
namespace operation {
constexpr std::uint64_t kAddress = 0x03, kPlus = 0x23;
}

constexpr std::uint64_t kPointerBytes = 8;
constexpr int kMaxTypeDepth = 32;  // of arrays and typedefs in one another
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // of a type

// Bytes, and the symbols that they refer to.
struct Section {
  std::string bytes;
  std::unordered_map<std::size_t, std::string_view> symbols;
};

[[noreturn]] void fail() { throw Error(0, "the debug information cannot be read"); }

Section read_section(const std::vector<std::string>& texts, std::string_view name) {
  Section section;
  for (const std::string& text : texts) {
    Lexer lexer(text);
    lexer.next();
    if (!lexer.is_word(name)) continue;
    lexer.next();
    lexer.expect('{', "after the name of a .section");
    while (!lexer.is('}')) {
      if (lexer.is(Token::Kind::kName)) {  // a label
        lexer.next();
        lexer.expect(':', "after a label");
        continue;
      }
      std::size_t size_bytes = 0;
      if (lexer.is_word("b8")) size_bytes = 1;
      if (lexer.is_word("b16")) size_bytes = 2;
      if (lexer.is_word("b32")) size_bytes = 4;
      if (lexer.is_word("b64")) size_bytes = 8;
      if (size_bytes == 0) fail();
      do {
        lexer.next();
        const Token& token = lexer.token();
        std::uint64_t bits = 0;
        if (token.kind == Token::Kind::kInteger) {
          bits = token.bits;
        } else {
          section.symbols[section.bytes.size()] = token.text;
        }
        for (std::size_t i = 0; i < size_bytes; ++i, bits >>= 8) {
          section.bytes += static_cast<char>(bits & 0xff);
        }
        do {  // past what is added to a symbol, or taken from it
          lexer.next();
        } while (!lexer.is(',') && !lexer.is('}') && !lexer.is(Token::Kind::kEnd) &&
                 lexer.is_on_line_of_previous());
      } while (lexer.is(','));
    }
  }
  return section;
}

class Reader {
 public:
  explicit Reader(const Section& section) : section_(section) {}

  std::size_t at() const { return at_; }
  bool is_at_end() const { return at_ >= section_.bytes.size(); }
  void skip(std::uint64_t size_bytes) {
    if (size_bytes > section_.bytes.size() - at_) fail();
    at_ += size_bytes;
  }
  std::uint64_t fixed(std::size_t size_bytes) {
    const std::size_t from = at_;
    skip(size_bytes);
    std::uint64_t value = 0;
    for (std::size_t i = size_bytes; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(section_.bytes[from + i]);
    }
    return value;
  }
  std::uint64_t leb128() {  // without a sign
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = fixed(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string string() {
    const std::size_t from = at_;
    while (fixed(1) != 0) {
    }
    return section_.bytes.substr(from, at_ - 1 - from);
  }
  std::string_view symbol() {
    const auto found = section_.symbols.find(at_);
    skip(kPointerBytes);
    return found == section_.symbols.end() ? std::string_view() : found->second;
  }

 private:
  const Section& section_;
  std::size_t at_ = 0;
};

// A variable in a function's depot: as a whole, or a part of what is at `offset`.
struct Location {
  std::string_view depot;  // empty: it is elsewhere
  std::uint64_t offset = 0;
  bool is_whole = false;
};

// What is used of an entry. Others are named by their offsets; 0: none.
struct Entry {
  std::uint64_t tag = 0;
  std::uint64_t type = 0;
  std::uint64_t origin = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t num_items = 1;  // of an array, in all dimensions
  bool is_vector = false;
  std::string name;
  Location location;
};

struct Abbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  struct Attribute {
    std::uint64_t name, form;
  };
  std::vector<Attribute> attributes;
};

struct Value {
  std::uint64_t number = 0;
  std::string text;
  Location location;
};

class Entries {
 public:
  Entries(const Section& info, const Section& abbreviations) {
    read_abbreviations(abbreviations);
    Reader reader(info);
    while (!reader.is_at_end()) read_unit(reader);
  }

  // By the name of the depot, in order of their offsets.
  std::unordered_map<std::string_view, std::vector<Local>> locals() const {
    std::unordered_map<std::string_view, std::vector<Local>> found;
    for (const auto& [offset, entry] : entries_) {
      const Location& place = entry.location;
      const bool is_variable = entry.tag == tag::kVariable || entry.tag == tag::kParameter;
      if (!is_variable || !place.depot.starts_with("__local_depot") || place.offset > kMaxBytes) {
        continue;
      }
      const Entry& origin = entry.origin == 0 ? entry : at(entry.origin);
      Local local;
      local.offset = static_cast<std::uint32_t>(place.offset);
      if (place.is_whole) {
        local.name = origin.name;
        local.size_bytes = static_cast<std::uint32_t>(size_of(origin.type, 0));
      }
      found[place.depot].push_back(std::move(local));
    }
    for (auto& [depot, all] : found) {
      std::ranges::sort(all, {}, &Local::offset);
      // Members of one object, as a structured binding names them: its size is not known.
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].offset == all[i - 1].offset) all[i].size_bytes = all[i - 1].size_bytes = 0;
      }
    }
    return found;
  }

 private:
  void read_abbreviations(const Section& section) {
    Reader reader(section);
    while (!reader.is_at_end()) {
      const std::uint64_t code = reader.leb128();
      if (code == 0) return;
      Abbreviation& one = abbreviations_[code];
      one.tag = reader.leb128();
      one.has_children = reader.fixed(1) != 0;
      while (true) {
        const std::uint64_t name = reader.leb128();
        const std::uint64_t form = reader.leb128();
        if (name == 0 && form == 0) break;
        one.attributes.push_back({name, form});
      }
    }
  }

  void read_unit(Reader& reader) {
    const std::size_t unit = reader.at();
    const std::size_t end = unit + 4 + reader.fixed(4);
    reader.skip(2 + 4 + 1);  // version, place of the abbreviations, size of an address
    std::vector<Entry*> open;
    while (reader.at() < end && !reader.is_at_end()) {
      const std::size_t offset = reader.at();
      const std::uint64_t code = reader.leb128();
      if (code == 0) {
        if (!open.empty()) open.pop_back();
        continue;
      }
      const auto found = abbreviations_.find(code);
      if (found == abbreviations_.end()) fail();
      Entry& entry = entries_[offset];
      entry.tag = found->second.tag;
      if (entry.tag == tag::kSubrange) entry.num_items = 0;  // where it gives none
      for (const Abbreviation::Attribute& one : found->second.attributes) {
        note(entry, one.name, read(reader, one.form, unit));
      }
      if (entry.tag == tag::kSubrange && !open.empty()) {
        open.back()->num_items =
            std::min(open.back()->num_items, kMaxBytes) * std::min(entry.num_items, kMaxBytes);
      }
      if (found->second.has_children) open.push_back(&entry);
    }
  }

  static void note(Entry& entry, std::uint64_t name, Value value) {
    switch (name) {
      case attribute::kName:
        entry.name = std::move(value.text);
        break;
      case attribute::kLocation:
        entry.location = value.location;
        break;
      case attribute::kType:
        entry.type = value.number;
        break;
      case attribute::kAbstractOrigin:
        entry.origin = value.number;
        break;
      case attribute::kByteSize:
        entry.size_bytes = value.number;
        break;
      case attribute::kCount:
        entry.num_items = value.number;
        break;
      case attribute::kUpperBound:
        entry.num_items = value.number + 1;
        break;
      case attribute::kVector:
        entry.is_vector = true;
        break;
      default:
        break;
    }
  }

  static Value read(Reader& reader, std::uint64_t form, std::size_t unit) {
    Value value;
    switch (form) {
      case 0x01:  // address
        reader.skip(kPointerBytes);
        break;
      case 0x0b:  // data1
      case 0x0c:  // flag
        value.number = reader.fixed(1);
        break;
      case 0x05:  // data2
        value.number = reader.fixed(2);
        break;
      case 0x06:  // data4
      case 0x0e:  // place of a string
      case 0x10:  // place of an entry
      case 0x17:  // place in another section
        value.number = reader.fixed(4);
        break;
      case 0x07:  // data8
        value.number = reader.fixed(8);
        break;
      case 0x0d:  // with a sign: no number of those that are used
      case 0x0f:
        value.number = reader.leb128();
        break;
      case 0x08:
        value.text = reader.string();
        break;
      case 0x13:  // ref4
        value.number = unit + reader.fixed(4);
        break;
      case 0x19:  // flag_present
        break;
      case 0x0a:
        read_location(reader, reader.fixed(1), value.location);
        break;
      case 0x03:
        read_location(reader, reader.fixed(2), value.location);
        break;
      case 0x04:
        read_location(reader, reader.fixed(4), value.location);
        break;
      case 0x09:
      case 0x18:
        read_location(reader, reader.leb128(), value.location);
        break;
      default:
        fail();
    }
    return value;
  }

  // The depot, plus the place in it; plus that of a part, or further operations.
  static void read_location(Reader& reader, std::uint64_t size_bytes, Location& location) {
    const std::size_t end = reader.at() + size_bytes;
    if (size_bytes > kPointerBytes && reader.fixed(1) == operation::kAddress) {
      location.depot = reader.symbol();
      if (reader.at() < end && reader.fixed(1) == operation::kPlus) {
        location.offset = reader.leb128();
        location.is_whole = reader.at() == end;
      } else {
        location.is_whole = size_bytes == 1 + kPointerBytes;
      }
    }
    if (reader.at() > end) fail();
    reader.skip(end - reader.at());
  }

  const Entry& at(std::uint64_t offset) const {
    static const Entry none;
    const auto found = entries_.find(offset);
    return found == entries_.end() ? none : found->second;
  }

  std::uint64_t size_of(std::uint64_t offset, int depth) const {  // 0: unknown
    const Entry& type = at(offset);
    if (depth > kMaxTypeDepth || type.is_vector) return 0;  // 3 elements take the room of 4
    std::uint64_t size_bytes = type.size_bytes;
    if (size_bytes == 0) {
      switch (type.tag) {
        case tag::kPointer:
        case tag::kReference:
        case tag::kRvalueReference:
          size_bytes = kPointerBytes;
          break;
        case tag::kArray:
          size_bytes = std::min(type.num_items, kMaxBytes) * size_of(type.type, depth + 1);
          break;
        case tag::kTypedef:
        case tag::kConst:
        case tag::kVolatile:
        case tag::kRestrict:
          size_bytes = size_of(type.type, depth + 1);
          break;
        default:
          break;
      }
    }
    return size_bytes > kMaxBytes ? 0 : size_bytes;
  }

  std::unordered_map<std::uint64_t, Abbreviation> abbreviations_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace

void find_locals(Module& module) {
  if (module.debug_sections.empty()) return;
  try {
    const Section abbreviations = read_section(module.debug_sections, "debug_abbrev");
    const Section info = read_section(module.debug_sections, "debug_info");
    auto locals = Entries(info, abbreviations).locals();
    for (Function& function : module.functions) {
      for (const Variable& variable : function.variables) {
        const auto found = locals.find(variable.name);
        if (found != locals.end()) function.locals = std::move(found->second);
      }
    }
  } catch (const Error&) {
    // A program runs without them.
  }
}

}  // namespace ptx

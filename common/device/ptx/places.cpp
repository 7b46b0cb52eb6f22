// SPDX-License-Identifier: MIT
#include "ptx/places.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "ptx/constant.h"

namespace ptx {

namespace {

using Kind = Token::Kind;

constexpr std::uint32_t kMaxFiles = 1u << 16;
// A file that only comments name has this number plus its index, until finish().
constexpr std::uint32_t kUnknownFile = 1u << 31;
// Each is compared with each file. A compiler's output has a few.
constexpr std::size_t kMaxUnknownFiles = 1024;
constexpr std::uint32_t kMaxInlinedDepth = 1024;

bool is_octal_digit(char c) { return c >= '0' && c <= '7'; }

// LLVM writes bytes beyond ASCII as \303, and escapes quotes and backslashes.
std::string unescaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
    } else if (i + 3 < text.size() && is_octal_digit(text[i + 1]) && is_octal_digit(text[i + 2]) &&
               is_octal_digit(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[++i];
    }
  }
  return result;
}

// Takes ":12" from the end of `text`; false, and no change: there is no number.
bool take_number(std::string_view& text, std::uint32_t& number) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + colon + 1, end, value);
  if (error != std::errc() || last != end) return false;
  number = value;
  text = text.substr(0, colon);
  return true;
}

struct Spot {
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// "foo.cu:31:5", or without a column, which is then 0.
bool read_spot(std::string_view text, Spot& spot) {
  std::uint32_t last = 0;
  if (!take_number(text, last)) return false;
  if (take_number(text, spot.line)) {
    spot.column = last;
  } else {
    spot.line = last;
    spot.column = 0;
  }
  spot.file = text;
  return !text.empty();
}

bool ends_with_path(std::string_view path, std::string_view name) {
  return path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

}  // namespace

std::size_t Places::Hash::operator()(const Key& key) const {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = key.function;
  for (const std::uint32_t part : {key.file, key.line, key.column, key.inlined_at}) {
    hash = (hash ^ part) * kOdd;
    hash ^= hash >> 29;
  }
  return hash;
}

Places::Places(Module& module) : module_(module), functions_(1) {
  module_.files.emplace_back();
  interned({});
}

std::uint32_t Places::interned(Key key) {
  if (key.inlined_at != kNoPlace && depths_[key.inlined_at] >= kMaxInlinedDepth) {
    key.inlined_at = kNoPlace;
  }
  const auto [it, is_new] = indices_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
  if (is_new) {
    depths_.push_back(key.inlined_at == kNoPlace ? 0 : depths_[key.inlined_at] + 1);
    keys_.push_back(key);
  }
  return it->second;
}

// .file 1 "path"[, timestamp, size]    .file 1 ["directory"] "name" [md5 0x...]
void Places::parse_file(Lexer& lexer) {
  lexer.next();
  const std::uint32_t number = lexer.expect_number("the number of a .file");
  if (number >= kMaxFiles) {
    lexer.fail("a .file has the number " + std::to_string(number) + "; the largest is " +
               std::to_string(kMaxFiles - 1));
  }
  if (!lexer.is(Kind::kString)) lexer.fail_expecting("the path of a .file in quotes");
  std::string path = unescaped(lexer.token().text);
  lexer.next();
  if (lexer.is(Kind::kString)) {
    const std::string name = unescaped(lexer.token().text);
    path = name.starts_with('/') ? name : path + '/' + name;
    lexer.next();
  }
  while (lexer.accept(',')) parse_size(lexer, "the time or the size of a .file");
  if (lexer.is(Kind::kName) && lexer.is_on_line_of_previous() && lexer.token().text == "md5") {
    lexer.skip_line();  // a number of 128 bits
  }
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = std::move(path);
}

std::uint32_t Places::file_of_comment(std::string_view name) {
  const auto it = files_of_comments_.find(name);
  if (it != files_of_comments_.end()) return it->second;
  if (unknown_files_.size() == kMaxUnknownFiles) return 0;
  const auto number = kUnknownFile + static_cast<std::uint32_t>(unknown_files_.size());
  unknown_files_.push_back(name);
  files_of_comments_.emplace(name, number);
  return number;
}

// The place that `place` was inlined at, from the comment after its .loc.
std::uint32_t Places::chain_of_comment(std::string_view comment, const Key& place) {
  constexpr std::string_view kLink = " @[ ";
  const std::size_t begin = comment.find("//");
  if (begin == std::string_view::npos) return kNoPlace;
  comment.remove_prefix(begin + 2);
  while (!comment.empty() && (comment.front() == ' ' || comment.front() == '\t')) {
    comment.remove_prefix(1);
  }
  const std::size_t first_link = comment.find(kLink);
  Spot spot;
  std::string_view first = comment.substr(0, first_link);
  while (!first.empty() && (first.back() == ' ' || first.back() == '\r')) first.remove_suffix(1);
  if (!read_spot(first, spot) || spot.line != place.line) return kNoPlace;
  files_of_comments_.insert_or_assign(spot.file, place.file);
  if (first_link == std::string_view::npos) return kNoPlace;

  // The last link is the outermost call: it has a place first.
  std::string_view rest = comment.substr(first_link);
  while (!rest.empty() && (rest.back() == ']' || rest.back() == ' ' || rest.back() == '\r')) {
    rest.remove_suffix(1);
  }
  std::uint32_t inlined_at = kNoPlace;
  while (!rest.empty()) {
    const std::size_t link = rest.rfind(kLink);
    if (link == std::string_view::npos) return kNoPlace;
    if (!read_spot(rest.substr(link + kLink.size()), spot)) return kNoPlace;
    inlined_at = interned({file_of_comment(spot.file), spot.line, spot.column, inlined_at, 0});
    rest = rest.substr(0, link);
  }
  return inlined_at;
}

std::uint32_t Places::parse_inlined_at(Lexer& lexer) {
  Key call;
  call.file = lexer.expect_number("the number of a file after inlined_at");
  call.line = lexer.expect_number("a line after inlined_at");
  call.column = lexer.expect_number("a column after inlined_at");
  if (call.file >= kMaxFiles) call.file = 0;
  // The nearest .loc before it that has these coordinates also says what that was inlined into.
  const auto it = calls_.find(call);
  return it != calls_.end() ? it->second : interned(call);
}

std::uint32_t Places::parse_function_name(Lexer& lexer) {
  FunctionName name;
  name.label = lexer.expect_name("a label of .debug_str after function_name");
  if (lexer.accept('+')) name.offset = parse_size(lexer, "the offset of a function_name");
  const auto index = static_cast<std::uint32_t>(functions_.size());
  const auto [it, is_new] = function_indices_.try_emplace(name, index);
  if (is_new) functions_.push_back(name);
  return it->second;
}

std::uint32_t Places::parse_loc(Lexer& lexer) {
  lexer.next();
  Key place;
  place.file = lexer.expect_number("the number of a file after .loc");
  if (place.file >= kMaxFiles) {
    lexer.fail("a .loc names file " + std::to_string(place.file) + "; no .file has that number");
  }
  place.line = lexer.expect_number("a line after .loc");
  if (lexer.is(Kind::kInteger) && lexer.is_on_line_of_previous()) {
    place.column = lexer.expect_number("a column after .loc");
  }
  const Key coordinates = place;
  while (lexer.accept(',')) {
    const std::string_view word = lexer.expect_name("function_name or inlined_at");
    if (word == "function_name") {
      place.function = parse_function_name(lexer);
    } else if (word == "inlined_at") {
      place.inlined_at = parse_inlined_at(lexer);
    } else {
      lexer.fail(quoted(word) + " does not follow .loc; expected function_name or inlined_at");
    }
  }
  if (place.inlined_at == kNoPlace && place.function == 0) {
    place.inlined_at = chain_of_comment(lexer.rest_of_line(), place);
  }
  const std::uint32_t index = interned(place);
  calls_.insert_or_assign(coordinates, index);
  return index;
}

void Places::find_files_of_comments() {
  std::vector<std::uint32_t> numbers;  // by index in unknown_files_
  numbers.reserve(unknown_files_.size());
  for (const std::string_view name : unknown_files_) {
    // A later .loc may have told the number.
    std::uint32_t number = files_of_comments_[name];
    if (number >= kUnknownFile) {
      number = 0;
      for (std::uint32_t i = 1; i < module_.files.size() && number == 0; ++i) {
        if (ends_with_path(module_.files[i], name)) number = i;
      }
    }
    if (number == 0) {
      number = static_cast<std::uint32_t>(module_.files.size());
      module_.files.emplace_back(name);
    }
    numbers.push_back(number);
  }
  for (Key& key : keys_) {
    if (key.file >= kUnknownFile) key.file = numbers[key.file - kUnknownFile];
  }
}

// By index in functions_: the text at each label of .debug_str.
std::vector<std::string_view> Places::names_of_functions() {
  std::vector<std::string_view> names(functions_.size());
  if (functions_.size() == 1) return names;
  std::string bytes;
  std::unordered_map<std::string_view, std::size_t> labels;
  for (const std::string& section : module_.debug_sections) {
    try {
      Lexer lexer(section);
      lexer.next();
      if (!lexer.is_word("debug_str")) continue;
      lexer.next();
      lexer.expect('{', "after .section .debug_str");
      while (!lexer.is('}')) {
        if (lexer.is(Kind::kName)) {
          labels.emplace(lexer.token().text, bytes.size());
          lexer.next();
          lexer.expect(':', "after a label");
          continue;
        }
        if (!lexer.is_word("b8")) break;
        do {
          lexer.next();
          bytes += static_cast<char>(lexer.expect_number("a byte"));
        } while (lexer.is(','));
      }
    } catch (const Error&) {
      // Names are a comfort: a program runs without them.
    }
  }
  module_.names.push_back(std::make_unique<std::string>(std::move(bytes)));
  const std::string_view text = *module_.names.back();
  // Names may overlap, so the end of each is looked up and not searched for.
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 0) ends.push_back(i);
  }
  ends.push_back(text.size());
  for (std::size_t i = 1; i < functions_.size(); ++i) {
    const auto label = labels.find(functions_[i].label);
    if (label == labels.end() || functions_[i].offset > text.size() - label->second) continue;
    const std::size_t begin = label->second + functions_[i].offset;
    const std::size_t end = *std::lower_bound(ends.begin(), ends.end(), begin);
    names[i] = text.substr(begin, end - begin);
  }
  return names;
}

void Places::intern_again() {
  const std::vector<Key> old_keys = std::move(keys_);
  keys_.clear();
  depths_.clear();
  indices_.clear();
  std::vector<std::uint32_t> new_index(old_keys.size());
  for (std::size_t i = 0; i < old_keys.size(); ++i) {
    Key key = old_keys[i];
    key.inlined_at = new_index[key.inlined_at];  // a call's index is lower than its callee's
    new_index[i] = interned(key);
  }
  for (Function& function : module_.functions) {
    for (Instruction& instruction : function.instructions) {
      instruction.place = new_index[instruction.place];
    }
  }
}

void Places::finish() {
  bool is_changed = !unknown_files_.empty();
  find_files_of_comments();
  for (Key& key : keys_) {
    if (key.file != 0 && (key.file >= module_.files.size() || module_.files[key.file].empty())) {
      key.file = 0;
      is_changed = true;
    }
  }
  if (is_changed) intern_again();
  const std::vector<std::string_view> names = names_of_functions();
  module_.places.reserve(keys_.size());
  for (const Key& key : keys_) {
    module_.places.push_back({key.file, key.line, key.column, key.inlined_at, names[key.function]});
  }
}

}  // namespace ptx

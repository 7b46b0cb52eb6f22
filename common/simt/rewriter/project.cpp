// SPDX-License-Identifier: MIT
#include "project.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "closed_libraries.h"
#include "ptx/ptx.h"
#include "rewrite.h"

namespace simt::rewriter {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw FileError(path.string() + ": error: is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(path.string() + ": error: cannot be read");
  std::string text;
  char part[1 << 14];
  while (stream.read(part, sizeof part), stream.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxSourceBytes) {
      throw FileError(path.string() + ": error: larger than 4 MiB, too large for a source file");
    }
  }
  return text;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw FileError(path.string() + ": error: cannot be written");
}

constexpr const char* kThrustsOwnHeader = "thrust/version.h";

// A string literal for a directive.
std::string quoted(const fs::path& path) {
  std::string result = "\"";
  for (const char c : path.string()) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

Project::Project(const fs::path& input, std::vector<fs::path> include_dirs,
                 std::vector<fs::path> library_dirs)
    : include_dirs_(std::move(include_dirs)), library_dirs_(std::move(library_dirs)) {
  input_ = load(input, true);
  for (auto& [key, file] : files_) {  // a kernel may be declared in a header that comes later
    Edits edits(file.text);
    rewrite_all(file.source, kernels_, edits);
    file.is_changed = file.is_changed || !edits.empty();
    for (std::size_t i = 0; i < file.includes.size(); ++i) {
      file.is_changed |= !file.includes[i] && needs_wrapper(file.source.includes[i]);
    }
  }
  spread_changes();
}

std::string Project::load(const fs::path& path, bool is_input) {
  std::string key = fs::weakly_canonical(path).string();
  if (files_.count(key) != 0) return key;
  File& file = files_[key];
  file.path = path;
  file.text = read_file(path);
  try {
    file.source = lex(file.text);
    Edits edits(file.text);
    rewrite_all(file.source, {}, edits);
    find_kernels(file.source.code, kernels_);
    file.is_changed = is_input || !edits.empty();
  } catch (const SyntaxError& error) {
    Source lines;
    lines.text = file.text;
    throw FileError(path.string() + ":" + std::to_string(lines.line_at(error.offset())) +
                    ": error: " + error.what());
  }
  for (const Include& include : file.source.includes) {
    file.includes.emplace_back();
    if (const auto header = find(include, file)) {
      file.includes.back() = load(*header, false);
    } else if (is_in_library(include)) {
      uses_thrust_ |= is_thrusts(include.name);
    } else if (!missing_library(include.name).empty()) {
      file.is_changed = true;
    }
  }
  return key;
}

std::optional<fs::path> Project::find(const Include& include, const File& from) const {
  std::vector<fs::path> dirs;
  if (!include.is_bracketed) dirs.push_back(from.path.parent_path());
  dirs.insert(dirs.end(), include_dirs_.begin(), include_dirs_.end());
  for (const fs::path& dir : dirs) {
    std::error_code error;
    fs::path candidate = dir / include.name;
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;  // the compiler may know
}

// NVIDIA's own CUB, which comes with Thrust, does not count: g++ cannot compile it.
bool Project::is_in_library(const Include& include) const {
  return std::any_of(library_dirs_.begin(), library_dirs_.end(), [&](const fs::path& dir) {
    std::error_code error;
    if (is_cubs(include.name) && fs::is_regular_file(dir / kThrustsOwnHeader, error)) return false;
    return fs::is_regular_file(dir / include.name, error);
  });
}

// Then the compiler reports a header that it lacks.
bool Project::has_thrust() const { return is_in_library({kThrustsOwnHeader, 0, 0, true, 0}); }

// The headers of CCCL must see a host compiler. Where a program uses Thrust, that is true for all
// of libcu++, since both share headers.
bool Project::needs_wrapper(const Include& include) const {
  const bool is_cccls = is_thrusts(include.name) || (uses_thrust_ && is_libcuxxs(include.name));
  return is_cccls && is_in_library(include);
}

fs::path Project::wrapper_of(const Include& include) const {
  std::string name = include.name;
  std::replace(name.begin(), name.end(), '/', '.');
  return output_.parent_path() / (output_.filename().string() + ".cccl." + name);
}

// A header that includes a changed one has to be changed, too, to include the new one.
void Project::spread_changes() {
  for (bool again = true; again;) {
    again = false;
    for (auto& [key, file] : files_) {
      const bool follows =
          std::any_of(file.includes.begin(), file.includes.end(),
                      [&](const auto& header) { return header && files_.at(*header).is_changed; });
      if (!follows || file.is_changed) continue;
      file.is_changed = again = true;
    }
  }
}

fs::path Project::output_of(const File& file) const {
  if (&file == &files_.at(input_)) return output_;
  std::string name = file.path.lexically_normal().string();
  std::replace(name.begin(), name.end(), '/', '.');
  return output_.parent_path() / (output_.filename().string() + "." + name);
}

std::string Project::rewritten(const File& file) const {
  Edits edits(file.text);
  rewrite_all(file.source, kernels_, edits);
  if (file.text.compare(0, 3, "\xEF\xBB\xBF") == 0) edits.replace(0, 3, "");
  for (std::size_t i = 0; i < file.includes.size(); ++i) {
    if (!file.includes[i]) {
      const Include& include = file.source.includes[i];
      if (needs_wrapper(include)) {
        edits.replace(include.begin, include.end, quoted(wrapper_of(include).filename()));
      } else if (!is_in_library(include) && !(has_thrust() && is_thrusts(include.name))) {
        refuse_closed_library(include, edits);
      }
      continue;
    }
    const File& header = files_.at(*file.includes[i]);
    const Include& include = file.source.includes[i];
    if (header.is_changed) {
      edits.replace(include.begin, include.end, quoted(output_of(header).filename()));
    } else if (header.path == file.path.parent_path() / include.name) {
      // Found next to the file, where its new place may not be.
      edits.replace(include.begin, include.end, quoted(fs::absolute(header.path)));
    }
  }
  return "#line 1 " + quoted(file.path) + "\n" + edits.apply();
}

// What the emulator must know about the source; program/rewriter_table.h describes it.
std::string Project::table() const {
  std::set<std::string> entries;
  for (const auto& [key, file] : files_) {
    DeviceVariables found;
    find_device_variables(file.source.code, found);
    for (const Macro& macro : file.source.macros) {
      const std::size_t num_before = found.size();
      find_device_variables(macro.body, found);
      // A macro may paste names that do not appear in the source.
      if (found.size() > num_before) entries.insert(":*");
    }
    for (const std::string_view name : found.device) entries.insert(":" + std::string(name));
    for (const std::string_view name : found.managed) entries.insert("~" + std::string(name));
    for (const std::string_view name : found.constant) entries.insert("=" + std::string(name));
    const std::string name = file.path.filename().string();
    for (const std::size_t place : find_classes(file.source.code)) {
      entries.insert("@" + name + ":" + std::to_string(file.source.line_at(place)));
    }
  }
  std::string text;
  for (const std::string& entry : entries) text += entry + ";";
  return "[[gnu::used, gnu::section(\"simt_names\")]] static const char simt_names[] = " +
         quoted(fs::path(text)) + ";\n";
}

// Reads of volatile memory, the compiler's own atomics and PTX's ld.volatile. CUDA's atomics are
// calls.
bool Project::may_poll() const {
  const auto follows_asm = [](const Tokens& code, std::size_t at) {
    return at > 0 && code[at - 1].text.find("asm") != std::string_view::npos;
  };
  const auto polls = [&](const Tokens& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::string_view text = code[i].text;
      if (code[i].kind == TokenKind::kString) {
        if (text.find(".volatile") != std::string_view::npos) return true;
      } else if (text == "volatile"
                     ? !follows_asm(code, i)
                     : text.compare(0, 9, "__atomic_") == 0 || text.compare(0, 7, "__sync_") == 0) {
        return true;
      }
    }
    return false;
  };
  return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
    const Source& source = entry.second.source;
    return polls(source.code) ||
           std::any_of(source.macros.begin(), source.macros.end(),
                       [&](const Macro& macro) { return polls(macro.body); }) ||
           std::any_of(source.includes.begin(), source.includes.end(),
                       [](const Include& include) { return include.name == "atomic"; });
  });
}

void Project::write(const fs::path& output) {
  output_ = output;
  if (may_poll()) write_file(output.string() + ".polls", "");
  std::map<std::string, std::string> texts;
  std::string head;  // of the input: what follows needs it
  for (const auto& [key, file] : files_) {
    if (!file.is_changed) continue;
    for (const Include& include : file.source.includes) {
      if (!needs_wrapper(include)) continue;
      write_file(wrapper_of(include), "#pragma once\n#include \"simt/cccl_begin.inc\"\n#include <" +
                                          include.name + ">\n#include \"simt/cccl_end.inc\"\n");
    }
    texts[key] = rewritten(file);
    if (texts[key].find(ptx::kCarryFlag) != std::string::npos) head = "#include \"simt/ptx.h\"\n";
  }
  for (const auto& [key, text] : texts) {
    std::string whole;
    if (key == input_) whole.append(head).append(table());
    write_file(output_of(files_.at(key)), whole.append(text));
  }
}

}  // namespace simt::rewriter

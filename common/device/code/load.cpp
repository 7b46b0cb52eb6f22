// SPDX-License-Identifier: MIT
// From a parsed module to a program: symbols, functions, their instructions and operands.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "code/flow.h"
#include "code/guarded_updates.h"
#include "code/local_layout.h"
#include "code/names.h"
#include "code/program.h"
#include "code/rows.h"
#include "code/shared_layout.h"

namespace code {
namespace {

std::uint32_t align_up(std::uint32_t offset, std::size_t alignment) {
  const auto align = static_cast<std::uint32_t>(std::max<std::size_t>(alignment, 1));
  return (offset + align - 1) / align * align;
}

constexpr std::array<std::string_view, 34> kSpecials = {"%tid.x",
                                                        "%tid.y",
                                                        "%tid.z",
                                                        "%ntid.x",
                                                        "%ntid.y",
                                                        "%ntid.z",
                                                        "%ctaid.x",
                                                        "%ctaid.y",
                                                        "%ctaid.z",
                                                        "%nctaid.x",
                                                        "%nctaid.y",
                                                        "%nctaid.z",
                                                        "%laneid",
                                                        "%warpid",
                                                        "%nwarpid",
                                                        "%smid",
                                                        "%nsmid",
                                                        "%gridid",
                                                        "%lanemask_eq",
                                                        "%lanemask_le",
                                                        "%lanemask_lt",
                                                        "%lanemask_ge",
                                                        "%lanemask_gt",
                                                        "%total_smem_size",
                                                        "%dynamic_smem_size",
                                                        "%aggr_smem_size",
                                                        "%clusterid.x",
                                                        "%nclusterid.x",
                                                        "%cluster_ctaid.x",
                                                        "%cluster_nctaid.x",
                                                        "%cluster_ctarank",
                                                        "%cluster_nctarank",
                                                        "WARP_SZ",
                                                        "%is_explicit_cluster"};
// Those that are read anew each time: the handler of `mov` reads them.
constexpr std::array<std::string_view, 6> kChanging = {
    "%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};

bool is_special(std::string_view name) {
  return std::ranges::find(kSpecials, name) != kSpecials.end() || name.starts_with("%envreg") ||
         name.starts_with("%cluster") || name.starts_with("%ncluster");
}
bool is_changing(std::string_view name) {
  return std::ranges::find(kChanging, name) != kChanging.end();
}

// The file in which an immediate at that place of the operands is read.
File file_of_immediate(const ptx::Instruction& instruction, std::size_t position) {
  const std::string_view opcode = instruction.words.front();
  std::vector<ptx::Type> types;
  for (const std::string_view word : instruction.words) {
    if (const ptx::Type type = ptx::type_named(word); type != ptx::Type::kNone)
      types.push_back(type);
  }
  if (types.empty()) return File::k32;
  ptx::Type type = types.back();
  if (opcode == "shl" || opcode == "shr") {
    if (position == 2) return File::k32;
  } else if (opcode == "bfe" || opcode == "szext" || opcode == "bmsk") {
    if (position >= 2) return File::k32;
  } else if (opcode == "bfi") {
    if (position >= 3) return File::k32;
  } else if (opcode == "mad" && instruction.words.size() > 1 && instruction.words[1] == "wide") {
    if (position == 3) return ptx::size_of(type) == 4 ? File::k64 : File::k32;
  } else if (opcode == "slct") {
    if (position < 3) type = types.front();
  } else if (opcode == "vote" || opcode == "match" || opcode == "shfl" || opcode == "redux") {
    if (position >= 2) return File::k32;  // the mask, whatever the value's type
  } else if (opcode == "selp" && position == 3) {
    return File::kPredicate;
  } else if (opcode == "setp" && position == 3) {
    return File::kPredicate;
  } else if (opcode == "set" && position == 3) {
    return File::kPredicate;
  } else if (opcode == "mbarrier" || opcode == "cp" || opcode == "bar" || opcode == "barrier") {
    return File::k32;
  }
  if (type == ptx::Type::kPred) return File::kPredicate;
  return ptx::size_of(type) == 8 ? File::k64 : File::k32;
}

// Of an immediate that `mov` packs with others into one register.
File file_of_piece(const ptx::Instruction& instruction, const ptx::Operand& vector) {
  const std::size_t size_bytes = ptx::size_of(ptx::type_named(instruction.words.back()));
  return size_bytes / vector.elements.size() == 8 ? File::k64 : File::k32;
}

std::uint64_t function_address(Program& program, const Function* function) {
  auto& numbers = program.by_number;
  auto found = std::ranges::find(numbers, function);
  if (found == numbers.end()) found = numbers.insert(numbers.end(), function);
  return (static_cast<std::uint64_t>(found - numbers.begin()) + 1) * kFunctionBytes;
}

class FunctionLoader {
 public:
  FunctionLoader(Program& program, ptx::Function& source, Function& function)
      : program_(program), source_(source), function_(function) {}

  void load() {
    function_.is_kernel = source_.is_kernel;
    const std::array<std::uint32_t, 3>& bounds =
        source_.required_threads[0] != 0 ? source_.required_threads : source_.max_threads;
    if (bounds[0] != 0) {
      function_.max_threads = bounds[0] * std::max(1U, bounds[1]) * std::max(1U, bounds[2]);
    }
    const std::array<std::uint32_t, 3> named = cluster_in_name(source_.name);
    for (std::size_t i = 0; i < 3; ++i) {
      function_.cluster[i] = std::max({1U, source_.cluster[i], named[i]});
    }
    lay_out_locals(source_, function_);
    place_parameters();
    Flow flow = flow_of(source_);
    rows_ = rows_of(source_, flow);
    write_ops(flow);
    function_.blocks = std::move(flow.blocks);
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
      function_.blocks[b].live_words = rows_.live_words[b];
    }
    connect(flow);
    find_guarded_updates(function_);
    function_.bytes32 = rows_.num32 * kRowBytes32;
    function_.bytes64 = rows_.num64 * kRowBytes64;
    function_.bytes_predicate = rows_.num_predicates * kRowBytesPredicate;
  }

 private:
  void place_parameters() {
    std::uint32_t at = 0;
    const auto place = [&](const std::vector<ptx::Variable>& variables,
                           std::vector<std::uint32_t>& offsets) {
      for (const ptx::Variable& variable : variables) {
        const std::size_t size = std::max(variable.size_bytes, ptx::size_of(variable.type));
        at = align_up(at, std::max(variable.align_bytes, std::min<std::size_t>(size, 16)));
        offsets.push_back(at);
        locals_[variable.name] = at;
        at += static_cast<std::uint32_t>(size);
      }
    };
    // Of a kernel they lie in the launch's parameters with the alignment of their types.
    if (source_.is_kernel) {
      for (const ptx::Variable& variable : source_.parameters) {
        const std::size_t size = std::max(variable.size_bytes, ptx::size_of(variable.type));
        at = align_up(at, std::max<std::size_t>(variable.align_bytes, ptx::size_of(variable.type)));
        function_.parameter_offsets.push_back(at);
        parameters_[variable.name] = at;
        at += static_cast<std::uint32_t>(size);
      }
      function_.parameter_bytes = at;
      at = 0;
    } else {
      place(source_.parameters, function_.parameter_offsets);
      function_.parameter_bytes = at;
      place(source_.returns, function_.return_offsets);
    }
    function_.parameters = source_.parameters;
    function_.returns = source_.returns;
    std::vector<std::uint32_t> unused;
    for (const ptx::Variable& variable : source_.variables) {
      if (variable.space == ptx::Space::kShared) continue;
      place({variable}, unused);
      if (variable.name.starts_with("__local_depot")) {
        function_.depot_offset = locals_[variable.name];
        for (LocalVariable& local : function_.locals) local.offset += function_.depot_offset;
      }
    }
    function_.local_bytes = align_up(at, 16);
  }

  Slot constant(Constant wanted, File file) {
    const auto key = std::tuple(static_cast<int>(wanted.kind), wanted.bits, wanted.symbol,
                                static_cast<int>(file));
    const auto [entry, is_new] = constants_.try_emplace(key);
    if (is_new) {
      entry->second = rows_.add(file);
      wanted.slot = entry->second;
      function_.constants.push_back(wanted);
    }
    return entry->second;
  }
  Slot value(std::uint64_t bits, File file) {
    if (file == File::k32) bits &= UINT32_MAX;
    return constant({{}, Constant::Kind::kValue, bits, 0}, file);
  }

  Slot special(std::string_view name) {
    const auto [entry, is_new] = specials_.try_emplace(name);
    if (is_new) {
      entry->second = rows_.add(name == "%gridid" ? File::k64 : File::k32);
      function_.specials.push_back({entry->second, name});
    }
    return entry->second;
  }

  // The address of a variable as a row, in the space in which `instruction` uses it; or nothing, if
  // it is no variable. `addend` is added.
  Slot address_of(std::string_view name, std::int64_t addend, File file) {
    const auto bits = static_cast<std::uint64_t>(addend);
    if (const auto local = locals_.find(name); local != locals_.end()) {
      return constant({{}, Constant::Kind::kLocal, local->second + bits, 0}, file);
    }
    if (const auto parameter = parameters_.find(name); parameter != parameters_.end()) {
      return value(parameter->second + bits, file);
    }
    for (std::uint32_t i = 0; i < program_.symbols.size(); ++i) {
      const Symbol& symbol = program_.symbols[i];
      if (symbol.name != name) continue;
      if (symbol.space != ptx::Space::kShared) return value(symbol.address + bits, file);
      uses_.insert(i);
      const auto kind =
          symbol.is_dynamic_shared ? Constant::Kind::kDynamic : Constant::Kind::kShared;
      return constant({{}, kind, bits, i}, file);
    }
    if (const auto found = program_.by_name.find(name); found != program_.by_name.end()) {
      calls_.push_back(found->second);
      return value(function_address(program_, found->second), file);
    }
    return {};
  }
  Operand resolve(const ptx::Instruction& instruction, const ptx::Operand& source,
                  std::size_t position) {
    using Kind = ptx::Operand::Kind;
    Operand result;
    for (const ptx::Operand& element : source.elements) {
      result.elements.push_back(resolve(instruction, element, position));
      if (element.kind == ptx::Operand::Kind::kInteger && instruction.words.front() == "mov") {
        result.elements.back().slot = value(element.bits, file_of_piece(instruction, source));
      }
    }
    if (!source.second.empty() && source.second != "_") {
      result.second = slot_of(instruction, source.second);
    }
    switch (source.kind) {
      case Kind::kRegister:
        result.slot = slot_of(instruction, source.name);
        result.slot.is_negated = source.is_negated;
        result.symbol = source.name;
        if (const auto type = rows_.types.find(source.name); type != rows_.types.end()) {
          result.type = type->second;
        }
        break;
      case Kind::kInteger:
      case Kind::kFloat32:
      case Kind::kFloat64: {
        result.is_immediate = true;
        result.bits = source.bits;
        const File file = file_of_immediate(instruction, position);
        if (source.kind == Kind::kFloat32 && file == File::k64) {
          float single = 0;
          std::memcpy(&single, &source.bits, sizeof single);
          const double wide = single;
          std::memcpy(&result.bits, &wide, sizeof wide);
        }
        result.slot = file == File::kPredicate ? value(source.bits != 0 ? 1 : 0, file)
                                               : value(result.bits, file);
        break;
      }
      case Kind::kSymbol:
        result.symbol = source.name;
        if (const auto local = locals_.find(source.name);
            control_of(instruction) == Control::kCall && local != locals_.end()) {
          result.is_address = true;  // an argument or a result
          result.offset = local->second;
        }
        if (control_of(instruction) == Control::kNone) {
          result.slot =
              address_of(source.name, source.offset, file_of_immediate(instruction, position));
          if (!result.slot.exists()) {
            throw ptx::Error(instruction.text_line, "unknown name " + std::string(source.name));
          }
        }
        break;
      case Kind::kAddress:
        result.is_address = true;
        result.symbol = source.name;
        if (source.name.empty()) {
          result.offset = source.offset;
          result.slot = value(0, File::k64);
        } else if (const auto found = rows_.slots.find(source.name); found != rows_.slots.end()) {
          result.slot = found->second;
          result.type = rows_.types.at(source.name);
          result.offset = source.offset;
        } else {
          result.slot = address_of(source.name, source.offset, File::k64);
          if (!result.slot.exists()) {
            throw ptx::Error(instruction.text_line, "unknown name " + std::string(source.name));
          }
        }
        break;
      case Kind::kVector:
      case Kind::kIgnored:
        break;
    }
    return result;
  }

  Slot slot_of(const ptx::Instruction& instruction, std::string_view name) {
    if (const auto found = rows_.slots.find(name); found != rows_.slots.end()) return found->second;
    if (is_special(name)) return special(name);
    if (is_changing(name) && instruction.words.front() == "mov") return {};
    if (rows_.types.contains(name)) {  // never written nor read anywhere else
      const ptx::Type type = rows_.types.at(name);
      return rows_.slots[name] = rows_.add(type == ptx::Type::kPred  ? File::kPredicate
                                           : ptx::size_of(type) <= 4 ? File::k32
                                                                     : File::k64);
    }
    throw ptx::Error(instruction.text_line, "unknown register " + std::string(name));
  }

  void write_ops(const Flow& flow) {
    for (std::uint32_t b = 0; b < flow.ranges.size(); ++b) {
      const Flow::Range range = flow.ranges[b];
      begins_.push_back(static_cast<std::uint32_t>(function_.ops.size()));
      const bool is_empty = range.begin >= source_.instructions.size();
      add_marker("%block", b, is_empty ? ptx::Instruction{} : source_.instructions[range.begin]);
      for (std::uint32_t i = range.begin; i < range.end; ++i) add(source_.instructions[i], b);
      note_lines_near(begins_.back());
    }
    add_marker("ret", static_cast<std::uint32_t>(flow.ranges.size() - 1), {});
  }

  // For the instructions from `begin` on: of the next one with a line, or else the last one.
  void note_lines_near(std::size_t begin) {
    std::uint32_t near = ptx::kNoPlace;
    const auto visit = [&](Instruction& instruction) {
      if (program_.line_of(instruction).line != 0) near = instruction.place;
      if (instruction.near == ptx::kNoPlace) instruction.near = near;
    };
    auto& all = function_.instructions;
    for (std::size_t i = all.size(); i-- > begin;) visit(all[i]);
    near = ptx::kNoPlace;
    for (std::size_t i = begin; i < all.size(); ++i) visit(all[i]);
  }

  // `at`: the instruction whose place it has.
  void add_marker(std::string_view word, std::uint32_t block, const ptx::Instruction& at) {
    Instruction marker;
    marker.words = {word};
    marker.place = at.place;
    marker.text_line = at.text_line;
    marker.id = program_.num_instructions++;
    marker.block = block;
    Op op;
    op.immediate = block;
    function_.ops.push_back(op);
    function_.instructions.push_back(std::move(marker));
  }

  void add(const ptx::Instruction& source, std::uint32_t block) {
    Op op;
    if (!source.guard.empty()) {
      op.guard = slot_of(source, source.guard).offset;
      op.guard_negated = source.guard_negated;
    }
    Instruction result;
    result.words = source.words;
    result.place = source.place;
    result.text_line = source.text_line;
    result.id = program_.num_instructions++;
    result.block = block;
    result.has_destination = has_destination(source);
    result.is_read = result.has_destination && rows_.read.contains(source.operands.front().name);
    for (std::size_t i = 0; i < source.operands.size(); ++i) {
      result.operands.push_back(resolve(source, source.operands[i], i));
    }
    std::array<std::uint32_t*, 4> fields = {&op.d, &op.a, &op.b, &op.c};
    std::size_t field = result.has_destination ? 0 : 1;
    for (const Operand& operand : result.operands) {
      if (field == fields.size()) break;
      *fields[field++] = operand.slot.offset;
      if (operand.is_address) op.immediate = operand.offset;
    }
    if (control_of(source) == Control::kCall) note_call(source);
    function_.ops.push_back(op);
    function_.instructions.push_back(std::move(result));
  }

  void note_call(const ptx::Instruction& source) {
    for (const ptx::Operand& operand : source.operands) {
      const auto found = program_.by_name.find(operand.name);
      if (found != program_.by_name.end()) calls_.push_back(found->second);
      // Through a pointer: those whose addresses are known so far, all that tables name among them.
      if (operand.kind == ptx::Operand::Kind::kRegister) {
        calls_.insert(calls_.end(), program_.by_number.begin(), program_.by_number.end());
      }
    }
  }

  void connect(const Flow& flow) {
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
      function_.blocks[b].begin = begins_[b];
      function_.blocks[b].end = b + 1 < begins_.size()
                                    ? begins_[b + 1]
                                    : static_cast<std::uint32_t>(function_.ops.size());
    }
    for (std::size_t i = 0; i < function_.ops.size(); ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (instruction.words.front() != "bra") continue;
      const auto block = flow.block_of_label.find(instruction.operands.front().symbol);
      function_.ops[i].target = &function_.ops[begins_[block->second]];
    }
    // brx.idx: its targets are the successors in the order of the table.
    for (std::size_t i = 0; i < function_.ops.size(); ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (instruction.words.front() != "brx") continue;
      auto targets = std::make_shared<std::vector<const Op*>>();
      const ptx::Table* const table = flow.table(source_, instruction.operands.back().symbol);
      for (const std::string_view label : table->targets) {
        targets->push_back(&function_.ops[begins_[flow.block_of_label.at(label)]]);
      }
      function_.ops[i].details = targets.get();
      function_.details.push_back(std::move(targets));
    }
  }

 public:
  const std::vector<const Function*>& calls() const { return calls_; }
  const std::set<std::uint32_t>& uses() const { return uses_; }

 private:
  Program& program_;
  ptx::Function& source_;
  Function& function_;
  Rows rows_;
  std::unordered_map<std::string_view, std::uint32_t> locals_;      // in local memory
  std::unordered_map<std::string_view, std::uint32_t> parameters_;  // of a kernel
  std::map<std::tuple<int, std::uint64_t, std::uint32_t, int>, Slot> constants_;
  std::unordered_map<std::string_view, Slot> specials_;
  std::vector<std::uint32_t> begins_;
  std::vector<const Function*> calls_;
  std::set<std::uint32_t> uses_;  // shared symbols
};

void load_symbols(Program& program, const Placer& place) {
  const auto add = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::Space::kGlobal && variable.space != ptx::Space::kConst &&
        variable.space != ptx::Space::kShared) {
      return;
    }
    Symbol symbol;
    symbol.name = variable.name;
    symbol.readable = variable_name(variable.name);
    symbol.space = variable.space;
    symbol.size_bytes = variable.size_bytes;
    symbol.align_bytes = static_cast<std::uint32_t>(variable.align_bytes);
    symbol.is_managed = variable.is_managed;
    symbol.is_dynamic_shared =
        variable.space == ptx::Space::kShared && variable.is_extern && variable.size_bytes == 0;
    symbol.variable = &variable;
    if (variable.space != ptx::Space::kShared) symbol.address = place(variable);
    program.symbols.push_back(std::move(symbol));
  };
  for (const ptx::Variable& variable : program.module.variables) add(variable);
  for (const ptx::Function& function : program.module.functions) {
    for (const ptx::Variable& variable : function.variables) add(variable);
  }
}

}  // namespace

bool Instruction::has(std::string_view word) const {
  return std::ranges::find(words, word) != words.end();
}

const Function* Program::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Symbol* Program::find_symbol(std::string_view name) const {
  const auto found = std::ranges::find(symbols, name, &Symbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

std::unique_ptr<Program> load(ptx::Module module, const Placer& place) {
  auto program = std::make_unique<Program>();
  program->module = std::move(module);
  for (const std::string& path : program->module.files) program->files.push_back(source_file(path));
  load_symbols(*program, place);
  for (const ptx::Function& source : program->module.functions) {
    if (source.is_declared_only) continue;
    auto function = std::make_unique<Function>();
    function->name = source.name;
    function->readable = function_name(source.name);
    program->by_name[source.name] = function.get();
    program->functions.push_back(std::move(function));
  }
  // Tables of virtual functions name theirs, which any kernel may call.
  for (const Symbol& symbol : program->symbols) {
    for (const ptx::Variable::Address& word : symbol.variable->addresses) {
      const auto found = program->by_name.find(word.symbol);
      if (found != program->by_name.end()) function_address(*program, found->second);
    }
  }
  std::vector<SharedUse> uses;
  std::size_t next = 0;
  for (ptx::Function& source : program->module.functions) {
    if (source.is_declared_only) continue;
    Function& function = *program->functions[next++];
    FunctionLoader loader(*program, source, function);
    loader.load();
    uses.push_back({&function, loader.calls(), loader.uses()});
  }
  lay_out_shared(*program, uses);
  return program;
}

std::vector<std::byte> initial_contents(const Program& program, const Symbol& symbol) {
  if (symbol.variable == nullptr) return {};
  std::vector<std::byte> contents = symbol.variable->initial;
  for (const ptx::Variable::Address& word : symbol.variable->addresses) {
    const Symbol* const other = program.find_symbol(word.symbol);
    std::uint64_t address = other == nullptr ? 0 : other->address;
    if (other == nullptr) {
      const auto function = program.by_name.find(word.symbol);
      if (function == program.by_name.end()) continue;
      const auto found = std::ranges::find(program.by_number, function->second);
      address =
          (static_cast<std::uint64_t>(found - program.by_number.begin()) + 1) * kFunctionBytes;
    }
    address += static_cast<std::uint64_t>(word.addend);
    if (contents.size() < word.offset + sizeof address)
      contents.resize(word.offset + sizeof address);
    std::memcpy(contents.data() + word.offset, &address, sizeof address);
  }
  return contents;
}

}  // namespace code

// SPDX-License-Identifier: MIT
#include <algorithm>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

bool is_attribute(const Token& token) {
  return token.is("alignas") || token.is("__align__") || token.is("__attribute__") ||
         token.is("_Alignas");
}

// Where the declaration's first specifier stands, going back from code[i], but not beyond `first`.
std::size_t declaration_begin(const Tokens& code, std::size_t first, std::size_t i) {
  while (i > first) {
    const Token& before = code[i - 1];
    if (before.is_identifier() || before.kind == TokenKind::kNumber || before.is("::") ||
        before.is("<") || before.is(">") || before.is(",") || before.is("*")) {
      --i;
      continue;
    }
    // The brackets of an attribute, but not those of an `if` before the declaration.
    const std::size_t open = before.is(")") ? matching_open(code, i - 1) : code.size();
    if (open == code.size() || open <= first || !is_attribute(code[open - 1])) break;
    i = open - 1;
  }
  return i;
}

// Whether the '{' at code[open] belongs to namespace a::b { or extern "C" {.
bool opens_namespace(const Tokens& code, std::size_t open) {
  std::size_t name = open;
  while (name > 0 && (code[name - 1].is("::") || code[name - 1].kind == TokenKind::kString ||
                      (code[name - 1].is_identifier() && !code[name - 1].is("namespace") &&
                       !code[name - 1].is("extern")))) {
    --name;
  }
  return name > 0 && (code[name - 1].is("namespace") || code[name - 1].is("extern"));
}

class Declaration {
 public:
  // shared: where __shared__ stands. first: where the declaration may begin at the earliest.
  Declaration(const Tokens& code, std::size_t first, std::size_t shared, Edits& edits)
      : code_(code), begin_(declaration_begin(code, first, shared)), end_(shared), edits_(edits) {
    while (end_ < code.size() && !code[end_].is(";") && !code[end_].is("{") &&
           !code[end_].is("}")) {
      ++end_;
    }
  }

  std::size_t end() const { return end_; }

  bool is_extern() const {
    return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(begin_),
                       code_.begin() + static_cast<std::ptrdiff_t>(end_),
                       [](const Token& token) { return token.is("extern"); });
  }

  void rewrite(bool at_namespace_scope) {
    const Token* name = nullptr;  // the last identifier outside of brackets
    int depth = 0;                // of template arguments
    for (std::size_t i = begin_; i < end_; ++i) {
      const Token& token = code_[i];
      if (token.is("extern")) {
        edits_.replace(token.begin, token.end, at_namespace_scope ? "static" : "");
      } else if (token.is("__shared__")) {
        edits_.replace(token.begin, token.end, "");
      } else if (is_attribute(token)) {
        i = remove_attribute(i);
      } else if (token.is("<")) {
        ++depth;
      } else if (token.is(">")) {
        --depth;
      } else if (token.is("[")) {
        i = matching_close(code_, i);
      } else if (token.is(",") && depth == 0) {
        initialise(name, i);
        name = nullptr;
      } else if (token.is_identifier()) {
        name = &token;
      } else if (token.is("=") || token.is("(")) {
        fail();
      }
    }
    if (end_ < code_.size() && code_[end_].is("{")) fail();
    initialise(name, end_);
  }

  // __shared__ alignas(16) float x[32]; nvcc takes that, g++ wants alignas before all specifiers.
  void move_alignas_to_front() {
    std::string moved;
    for (std::size_t i = begin_ + 1; i + 1 < end_; ++i) {
      if (!code_[i].is("alignas") || !code_[i + 1].is("(")) continue;
      const std::size_t close = matching_close(code_, i + 1);
      if (close >= end_) return;
      moved += "alignas";
      for (std::size_t j = i + 1; j <= close; ++j) moved.append(" ").append(code_[j].text);
      edits_.replace(code_[i].begin, code_[close].end, "");
    }
    if (!moved.empty()) edits_.insert(code_[begin_].begin, moved + " ");
  }

 private:
  // The memory is aligned for everything, and a reference cannot have an alignment of its own.
  // Returns where the attribute ends.
  std::size_t remove_attribute(std::size_t i) {
    if (i + 1 >= end_ || !code_[i + 1].is("(")) fail();
    const std::size_t close = matching_close(code_, i + 1);
    if (close >= end_) fail();
    edits_.replace(code_[i].begin, code_[close].end, "");
    return close;
  }

  // Makes the declarator of that name, which ends before code_[end], a reference.
  void initialise(const Token* name, std::size_t end) {
    if (name == nullptr || name == &code_[begin_]) fail();
    edits_.replace(name->begin, name->end, "(&" + std::string(name->text) + ")");
    edits_.insert(code_[end - 1].end, " = ::simt::DynamicShared{}");
  }

  [[noreturn]] void fail() const {
    throw SyntaxError(code_[begin_].begin, "cannot read this extern __shared__ declaration");
  }

  const Tokens& code_;
  std::size_t begin_;
  std::size_t end_;  // the ';', or a brace that cannot belong to it, or the end of a macro's body
  Edits& edits_;
};

}  // namespace

void rewrite_shared(const Tokens& code, Edits& edits) {
  std::vector<bool> open_braces;  // for each: whether it is a namespace's
  int num_other_braces = 0;       // open ones of functions and classes
  std::size_t first = 0;          // behind the last declaration
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].is("{")) {
      open_braces.push_back(opens_namespace(code, i));
      num_other_braces += open_braces.back() ? 0 : 1;
    } else if (code[i].is("}") && !open_braces.empty()) {
      num_other_braces -= open_braces.back() ? 0 : 1;
      open_braces.pop_back();
    } else if (code[i].is("__shared__")) {
      Declaration declaration(code, first, i, edits);
      if (declaration.is_extern()) {
        declaration.rewrite(num_other_braces == 0);
      } else {
        declaration.move_alignas_to_front();
      }
      first = declaration.end();
      i = first - 1;
    }
  }
}

}  // namespace simt::rewriter

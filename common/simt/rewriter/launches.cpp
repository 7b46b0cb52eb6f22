// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "rewrite.h"

namespace simt::rewriter {
namespace {

constexpr std::array<std::string_view, 16> kKeywordsBeforeAnExpression = {
    "return", "else", "do",    "case",   "throw",     "co_return", "co_yield", "co_await",
    "if",     "for",  "while", "switch", "constexpr", "and",       "or",       "not"};

bool is_name(const Token& token) {
  return token.is_identifier() &&
         std::find(kKeywordsBeforeAnExpression.begin(), kKeywordsBeforeAnExpression.end(),
                   token.text) == kKeywordsBeforeAnExpression.end();
}

// How many tokens from `begin` on are this one character, without blanks between them.
std::size_t run_length(const Tokens& code, std::size_t begin, std::string_view character) {
  std::size_t end = begin;
  while (end < code.size() && code[end].is(character) &&
         (end == begin || code[end].begin == code[end - 1].end)) {
    ++end;
  }
  return end - begin;
}

// Whether code[begin] begins one of "<< <" and ">> >": an editor that takes a launch for shifts
// lays it out so, and nvcc reads it.
bool is_parted(const Tokens& code, std::size_t begin, std::string_view character) {
  return run_length(code, begin, character) == 2 && begin + 2 < code.size() &&
         code[begin + 2].is(character);
}

// The '<' that opens the template arguments that end at code[close], or code.size().
std::size_t opening_angle(const Tokens& code, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes_bracket(code[i])) {
      i = matching_open(code, i);
      if (i == code.size()) break;
    } else if (is_of_operator(code, i)) {
      continue;
    } else if (code[i].is(">")) {
      ++depth;
    } else if (code[i].is("<")) {
      if (--depth == 0) return i;
    } else if (code[i].is(";") || opens_bracket(code[i])) {
      break;
    }
  }
  return code.size();
}

// Whether the bracket at code[open] holds a statement's condition:
// if (x), if constexpr (x), for (...).
bool is_condition(const Tokens& code, std::size_t open) {
  if (open == 0) return false;
  constexpr std::array<std::string_view, 5> kStatements = {"if", "for", "while", "switch",
                                                           "constexpr"};
  return std::find(kStatements.begin(), kStatements.end(), code[open - 1].text) !=
         kStatements.end();
}

// Where the last part of a kernel's name begins: name, name<arguments>, a ## b, (expression),
// expression[index], call(arguments). `end` is one past the part. code.size(): no such thing there.
std::size_t part_begin(const Tokens& code, std::size_t end) {
  const std::size_t none = code.size();
  if (end == 0) return none;
  const std::size_t last = end - 1;
  if (code[last].is(">")) {
    const std::size_t open = opening_angle(code, last);
    return open == none || open == 0 || !is_name(code[open - 1]) ? none : part_begin(code, open);
  }
  if (code[last].is("]") || code[last].is(")")) {
    const std::size_t open = matching_open(code, last);
    if (open == none) return none;
    const std::size_t callee = part_begin(code, open);
    if (callee != none) return callee;
    return code[last].is(")") && !is_condition(code, open) ? open : none;
  }
  if (!is_name(code[last])) return none;
  const bool is_pasted = last >= 2 && code[last - 1].is("##");
  return is_pasted ? part_begin(code, last - 1) : last;
}

// Where the kernel's name begins that ends before code[end]; code.size() if there is none.
std::size_t kernel_begin(const Tokens& code, std::size_t end) {
  std::size_t begin = part_begin(code, end);
  while (begin != code.size() && begin > 0) {
    if (code[begin - 1].is("template") && begin > 1) --begin;  // of obj.template kernel<...>
    const Token& joint = code[begin - 1];
    if (!joint.is("::") && !joint.is(".") && !joint.is("->")) break;
    const std::size_t qualifier = part_begin(code, begin - 1);
    if (qualifier == code.size()) return joint.is("::") ? begin - 1 : code.size();
    begin = qualifier;
  }
  return begin;
}

// The first of the three '>' that end the launch configuration which begins at code[begin].
std::size_t find_configuration_end(const Tokens& code, std::size_t begin, bool may_be_parted) {
  for (std::size_t i = begin; i < code.size(); ++i) {
    if (code[i].is(";") || closes_bracket(code[i])) break;
    if (opens_bracket(code[i])) {
      i = matching_close(code, i);
    } else if (may_be_parted && is_parted(code, i, ">") && i + 3 < code.size() &&
               code[i + 3].is("(")) {
      return i;
    } else if (const std::size_t length = run_length(code, i, ">"); length >= 3) {
      // More than three: template arguments end right before.
      const std::size_t end = i + length;
      if (end < code.size() && code[end].is("(")) return end - 3;
      i = end - 1;
    }
  }
  return code.size();
}

class LaunchRewriter {
 public:
  LaunchRewriter(const Tokens& code, const std::vector<std::string_view>& macro_parameters,
                 Edits& edits)
      : code_(code), macro_parameters_(macro_parameters), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const std::size_t length = run_length(code_, i, "<");
      const bool is_operator = i > 0 && code_[i - 1].is("operator");  // operator<< <T>
      if ((length >= 3 || is_parted(code_, i, "<")) && !is_operator) {
        if (length > 3) throw SyntaxError(code_[i].begin, "stray <<<< (a merge conflict?)");
        rewrite(i);
      }
      if (length > 0) i += length - 1;
    }
  }

 private:
  // code_[open] is the first of the three '<'.
  void rewrite(std::size_t open) {
    const std::size_t begin = kernel_begin(code_, open);
    if (begin >= open) throw SyntaxError(code_[open].begin, "<<< without a kernel before it");
    const std::size_t close = find_configuration_end(code_, open + 3, is_parted(code_, open, "<"));
    if (close == code_.size()) {
      throw SyntaxError(code_[open].begin, "<<< without its >>>(arguments)");
    }
    const std::size_t arguments = close + 3;  // the '('
    const std::size_t end = matching_close(code_, arguments);
    if (end == code_.size()) {
      throw SyntaxError(code_[open].begin, "kernel launch whose arguments have no )");
    }
    const std::string kernel = spell(code_, begin, open);
    // A name that starts with '::' must not join the text before it.
    edits_.replace(code_[begin].begin, code_[open - 1].end,
                   " ::simt::launch(" + launch_site(code_, begin, open, macro_parameters_) + ", ");
    edits_.replace(code_[open].begin, code_[open + 2].end, "::simt::LaunchConfig(");
    edits_.replace(code_[close].begin, code_[close + 2].end, ")");
    const bool has_zero = rewrite_arguments(kernel, arguments, end);
    edits_.replace(
        code_[arguments].begin, code_[arguments].end,
        ", [&](auto... simt_args) {" + call(kernel, has_zero) + "}" + separator(arguments, end));
  }

  // A literal 0 is a number first, and where that does not fit, a null pointer.
  static std::string call(const std::string& kernel, bool has_zero) {
    if (!has_zero) return kernel + "(simt_args...);";
    const std::string with_number = kernel + "(::simt::number(simt_args)...)";
    return "if constexpr (requires {" + with_number + ";}) " + with_number + "; else " + kernel +
           "(simt_args...);";
  }

  // The text between the lambda and the first argument.
  std::string separator(std::size_t open, std::size_t close) const {
    if (open + 1 == close) return "";
    const bool may_be_empty = code_[open + 1].is("__VA_ARGS__");
    return may_be_empty ? " __VA_OPT__(,) " : ", ";
  }

  // By-value parameters of a template cannot be deduced from NULL (a number) or from {...}. Returns
  // whether an argument is a literal 0.
  bool rewrite_arguments(const std::string& kernel, std::size_t open, std::size_t close) {
    int index = 0;
    bool has_zero = false;
    for (std::size_t i = open + 1; i < close; ++i) {
      const bool is_first = code_[i - 1].is(",") || i == open + 1;
      const bool is_alone = code_[i + 1].is(",") || i + 1 == close;
      if (is_first && is_alone && code_[i].is("NULL")) {
        edits_.replace(code_[i].begin, code_[i].end, "nullptr");
      } else if (is_first && is_alone && code_[i].is("0")) {
        edits_.replace(code_[i].begin, code_[i].end, "::simt::LiteralZero{}");
        has_zero = true;
      } else if (is_first && code_[i].is("{")) {
        edits_.insert(code_[i].begin, "::simt::KernelParameter<decltype(" + kernel + "), " +
                                          std::to_string(index) + ">");
      }
      if (opens_bracket(code_[i])) {
        i = matching_close(code_, i);
      } else if (code_[i].is("<") && code_[i - 1].is_identifier()) {
        const std::size_t angle = matching_angle(code_, i);
        if (angle < close) i = angle;
      } else if (code_[i].is(",")) {
        ++index;
      }
    }
    return has_zero;
  }

  const Tokens& code_;
  const std::vector<std::string_view>& macro_parameters_;
  Edits& edits_;
};

}  // namespace

void rewrite_launches(const Tokens& code, const std::vector<std::string_view>& macro_parameters,
                      Edits& edits) {
  LaunchRewriter(code, macro_parameters, edits).run();
}

}  // namespace simt::rewriter

// SPDX-License-Identifier: MIT
// What the parser says about text that is not PTX, and what bounds it.
#include <gtest/gtest.h>

#include "ptx_test.h"

namespace ptx {
namespace {

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

struct Case {
  std::string text;
  std::string message;
};

TEST(PtxParser, RefusesTextThatIsNoModule) {
  for (const auto& [text, message] : std::vector<Case>{
           {"\x7f"
            "ELF",
            "PTX line 1: the text has a byte 127, which no PTX has; is it PTX?"},
           {std::string("\0x", 2),
            "PTX line 1: the text has a byte 0, which no PTX has; is it PTX?"},
           {"\n\nhello", "PTX line 3: expected a directive, such as .entry, but found \"hello\""},
           {".foo",
            "PTX line 1: expected a directive, such as .entry, .func, .global or .shared, "
            "but found \".foo\""},
           {"/* a\n", "PTX line 1: the comment /* has no end"},
           {".pragma \"a\n\";", "PTX line 1: a string has no closing quote on its line"},
           {".pragma 1;", "PTX line 1: expected a string after .pragma, but found \"1\""},
           {".version",
            "PTX line 1: expected a version or a target, but found the end of the "
            "text; is it complete?"},
           {".address_size 32",
            "PTX line 1: only addresses of 64 bits are supported; compile for "
            "a 64-bit system"},
           {".section .debug_str\n{ 1", "PTX line 2: the block { has no }; is the text complete?"},
           {".section 1", "PTX line 1: expected the name of a .section, but found \"1\""},
           {".section .a;", "PTX line 1: expected '{' after .section, but found \";\""},
           {".file 70000 \"a\"", "PTX line 1: a .file has the number 70000; the largest is 65535"},
           {".file 1 a", "PTX line 1: expected the path of a .file in quotes, but found \"a\""},
           {".alias f g;",
            "PTX line 1: expected ',' between the two functions of .alias, but "
            "found \"g\""},
       }) {
    EXPECT_EQ(error_of(text), message);
  }
}

TEST(PtxParser, RefusesFunctionsThatAreIncomplete) {
  for (const auto& [text, message] : std::vector<Case>{
           {".entry",
            "PTX line 1: expected the name of a function, but found the end of the "
            "text; is it complete?"},
           {".entry k(",
            "PTX line 1: expected a state space, such as .param, but found the end of "
            "the text; is it complete?"},
           {".entry k() }",
            "PTX line 1: expected '{' or ';' after the head of a function, but "
            "found \"}\""},
           {".entry k()\n{\nret;", "PTX line 2: this { has no }; is the text complete?"},
           {".entry k()\n{\nret;\n{", "PTX line 4: this { has no }; is the text complete?"},
           {".entry k() .fast { }", "PTX line 1: \".fast\" is not a directive of a function"},
           {".func f(.reg .b32 a) { }",
            "PTX line 1: a parameter in a register (.reg) is not "
            "supported; declare it as .param"},
           {".func f(.param .b32 a, .param .b32 a) { }",
            "PTX line 1: \"a\" is declared twice in one scope; inline assembly that declares names "
            "needs { } around it"},
           {".func f() { }\n.func f() { }", "PTX line 2: \"f\" is defined twice"},
           {".global .b32 f;\n.func f() { }", "PTX line 2: \"f\" is defined twice"},
           {".entry k() .maxntid a { }",
            "PTX line 1: expected a number of threads or blocks, but "
            "found \"a\""},
           {".entry k() .maxnreg 5000000000 { }",
            "PTX line 1: a number after \".maxnreg\" must fit in 32 bits"},
       }) {
    EXPECT_EQ(error_of(text), message);
  }
}

TEST(PtxParser, RefusesStatementsThatAreNone) {
  for (
      const auto& [text, message] : std::vector<Case>{
          {"ret",
           "PTX line 3: expected an operand: a register, a number, a name, [address] or "
           "{vector}, but found \"}\""},
          {"add.s32 a b;",
           "PTX line 2: expected ',' or ';' after an operand of \"add\", but "
           "found \"b\""},
          {"mov.b32 a,;",
           "PTX line 2: expected an operand: a register, a number, a name, "
           "[address] or {vector}, but found \";\""},
          {"1;", "PTX line 2: expected an instruction, but found \"1\""},
          {"<", "PTX line 2: expected an instruction, but found \"<\""},
          {".foo x;", "PTX line 2: expected an instruction or a declaration, but found \".foo\""},
          {".branchtargets a;", "PTX line 2: \".branchtargets\" needs a label before it"},
          {"L: .branchtargets 1;",
           "PTX line 2: expected a label or a function in a list of "
           "targets, but found \"1\""},
          {"@p ret;",
           "PTX line 2: \"p\" after @ is not a register; declare it with .reg before "
           "its use"},
          {"@1 ret;", "PTX line 2: expected a register after @, but found \"1\""},
          {".reg .pred p; @p;",
           "PTX line 2: expected an instruction after its guard, but found "
           "\";\""},
          {"and.pred !p, a;",
           "PTX line 2: \"p\" after ! is not a register; declare it with .reg "
           "before its use"},
          {".reg .b32 a; setp a|b;",
           "PTX line 2: \"b\" after | is not a register; declare it "
           "with .reg before its use"},
          {".reg .b32 a; vadd a.b0;",
           "PTX line 2: parts of the register \"a\" (.b0, .h1) are not supported; take them out with "
           "prmt or bfe"},
          {".reg .v2 .b32 v; mov v.z, 0;",
           "PTX line 2: expected a part of the vector \"v\", such as .x, but found \".z\""},
          {"ld [1.5];", "PTX line 2: an address must be an integer"},
          {"ld [;",
           "PTX line 2: expected a register, a name or a number after [, but found "
           "\";\""},
          {"ld [a;", "PTX line 2: expected ']' after an address, but found \";\""},
          {"ld [a+b];", "PTX line 2: expected a number, but found \"b\""},
          {"ld [a+1.0];", "PTX line 2: an offset must be an integer"},
          {"mov {a;", "PTX line 2: expected '}' after a vector, but found \";\""},
          {"call (a;", "PTX line 2: expected ')' after the values of a call, but found \";\""},
          {"L: L:",
           "PTX line 2: the label \"L\" is defined twice in one scope; inline assembly "
           "with labels needs { } around it"},
          {".shared .b32 L; L:",
           "PTX line 2: the label \"L\" has the name of a variable; rename "
           "one"},
          {".loc 70000 1 1", "PTX line 2: a .loc names file 70000; no .file has that number"},
          {".loc 1 1 1, foo 2",
           "PTX line 2: \"foo\" does not follow .loc; expected function_name "
           "or inlined_at"},
      }) {
    EXPECT_EQ(error_in_kernel(text), message);
  }
}

TEST(PtxParser, RefusesDeclarationsOfRegisters) {
  for (const auto& [text, message] : std::vector<Case>{
           {".reg a;",
            "PTX line 2: expected the type of a register, such as .b32, but found "
            "\"a\""},
           {".reg .v4 .b32 a<2>;",
            "PTX line 2: a range of registers cannot have vectors; name each"},
           {".reg .b32 _;", "PTX line 2: _ cannot be declared: it takes values that nothing reads"},
           {".reg .b32 a, a;",
            "PTX line 2: \"a\" is declared twice in one scope; inline assembly "
            "that declares names needs { } around it"},
           {".reg .b32 a<2>, a<3>;",
            "PTX line 2: the registers \"a\" are declared twice in one "
            "scope"},
           {".reg .b32 a<-1>;", "PTX line 2: expected a number of registers, but found \"-\""},
           {".reg .b32 a",
            "PTX line 3: expected ';' after the names of registers, but found "
            "\"}\""},
       }) {
    EXPECT_EQ(error_in_kernel(text), message);
  }
}

TEST(PtxParser, RefusesDeclarationsOfVariables) {
  for (const auto& [text, message] : std::vector<Case>{
           {".global a;", "expected the type of a variable, such as .b32, but found \"a\""},
           {".global .pred a;", "a predicate cannot be in memory; use .u8"},
           {".global .align 3 .b32 a;",
            "the alignment of a variable must be a power of two, at most 1048576"},
           {".global .b32 .fast a;",
            "\".fast\" does not fit into the declaration of a variable before it"},
           {".global .b32 a[-1];", "the length of an array must not be negative"},
           {".global .b32 a[1.5];", "the length of an array must be an integer"},
           {".global .b32 a[2][];", "only the first length of an array may be left out"},
           {".global .b32 a[1000000][1000000];", "the array \"a\" is larger than any memory"},
           {".global .b32 a[][1000000][1000000];", "the array \"a\" is larger than any memory"},
           {".global .b32 a[9223372036854775807];", "an array is longer than any memory"},
           {".global .b32 a" + repeated("[1]", 17) + ";", "an array has more than 16 dimensions"},
           {".global .b32 a = ;",
            "expected a number or an address as initial value, but found "
            "\";\""},
           {".global .b32 a[2] = 1;",
            "expected '{' before the values of an array, but found \"1\""},
           {".global .b32 a[2] = {1,2,3};", "the variable \"a\" has too many initial values"},
           {".global .b32 a[2] = {{{1}}};",
            "the initial values of \"a\" have more braces than it has dimensions"},
           {".global .b8 a = b;",
            "an address does not fit in an element of \"a\"; write it into an array of .u64"},
           {".global .b8 a[2] = {0xFF(b), 0};",
            "a byte of an address (mask(symbol)) as initial value is not supported; give the "
            "pointer its natural alignment, so that the compiler writes it as .u64"},
           {".global .f32 a = 1;",
            "an integer cannot initialise a floating-point variable; write 1.0 or 0f3F800000"},
           {".global .u32 a = 1.0;",
            "a floating-point number cannot initialise a variable of this type; write its bits, "
            "such as 0x3F800000"},
           {".shared .b32 a = 1;", "only variables in .global and .const have initial values"},
           {".global .b8 a[2][100000000] = {{1}, {2}};",
            "the initial values of all variables need more than 67108864 bytes"},
           {".global .attribute(.managed .b32 a;",
            "expected ')' of .attribute, but found the end of the text; is it complete?"},
           {".global .b32 a, a;", "\"a\" is defined twice"},
       }) {
    EXPECT_EQ(error_of(text), "PTX line 1: " + message);
  }
}

TEST(PtxParser, RefusesNumbersThatAreNone) {
  for (const auto& [text, message] : std::vector<Case>{
           {"0x", "\"0x\" is not a number"},
           {"12ab", "\"12ab\" is not a number"},
           {"08", "\"08\" is not a number"},
           {"18446744073709551616", "a number does not fit in 64 bits"},
           {"1e999", "\"1e999\" is not a floating-point number of 64 bits"},
           {"0f3F80",
            "a number that begins with \"0f\" has 8 hexadecimal digits after it, for "
            "all bits of the value"},
           {"0f3F8000000",
            "a number that begins with \"0f\" has 8 hexadecimal digits after it, "
            "for all bits of the value"},
           {"1/0", "a constant expression divides by zero"},
           {"1 % 0", "a constant expression divides by zero"},
           {"1.0/0", "a constant expression divides by zero"},
           {"1.0 << 2", "only + - * / are allowed between floating-point constants"},
           {"~1.0", "~ needs an integer after it"},
           {"-!1.0", "! needs an integer after it"},
           {"1.0 ? 1 : 2", "the condition before ? must be an integer"},
           {"(.s64)1.0", "a cast needs an integer after it"},
           {"(.b8)1", "expected the cast .s64 or .u64, but found \".b8\""},
       }) {
    EXPECT_EQ(error_in_kernel("mov a, " + text + ";"), "PTX line 2: " + message);
  }
}

TEST(PtxParser, ShortensAndCleansWhatItQuotes) {
  EXPECT_EQ(error_of(repeated("a", 100)),
            "PTX line 1: expected a directive, such as .entry, but found \"" + repeated("a", 60) +
                "...\"");
  EXPECT_EQ(error_of("a\xff"),
            "PTX line 1: expected a directive, such as .entry, but found \"a?\"");
}

TEST(PtxParser, BoundsNesting) {
  EXPECT_EQ(error_in_kernel("mov " + repeated("{", 100000)),
            "PTX line 2: an operand is nested more than 64 deep");
  EXPECT_EQ(error_in_kernel("mov " + repeated("[a,", 100000)),
            "PTX line 2: an operand is nested more than 64 deep");
  for (const char* const part : {"(", "-", "1?", "1+(", "!-"}) {
    EXPECT_EQ(error_in_kernel("mov -" + repeated(part, 100000)),
              "PTX line 2: a constant expression is nested more than 64 deep");
  }
  EXPECT_EQ(error_in_kernel(repeated("{", 100000)),
            "PTX line 2: more than 64 scopes { are open here");
}

TEST(PtxParser, BoundsInstructions) {
  EXPECT_EQ(error_in_kernel(repeated("a;", 9 << 20)),
            "PTX line 2: the text has more than 8388608 instructions and operands; split the "
            "program into several files");
  EXPECT_EQ(error_of(std::string(kMaxTextBytes + 1, ' ')),
            "PTX line 1: the text has more than 64 MiB");
}

TEST(PtxParser, NamesTheLineOfAnError) {
  try {
    parse("\n\n\n?");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), 4u);
  }
}

std::string source_of_error(const std::string& statements) {
  try {
    parse(".entry k() {\n" + statements + "\n}\n.file 1 \"/a/x.cu\"\n.file 2 \"/a\" \"y.cu\"\n");
  } catch (const Error& error) {
    return error.source().file + ":" + std::to_string(error.source().line);
  }
  return "no error";
}

TEST(PtxParser, NamesTheSourceLineOfAnError) {
  EXPECT_EQ(source_of_error("?"), ":0");
  EXPECT_EQ(source_of_error(".loc 1 5 3\nret;\n\t.loc\t2 7 1 // y.cu:7:1\n?\n.loc 1 9 9"),
            "/a/y.cu:7");
  EXPECT_EQ(source_of_error(".loc 3 5 3\n?"), ":0");
  EXPECT_EQ(source_of_error(".loc 1\n?"), ":0");
  EXPECT_EQ(source_of_error(".loc 1 5 3\n}\n.visible .entry l() {\n?"), ":0");
}

}  // namespace
}  // namespace ptx

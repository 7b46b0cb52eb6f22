// SPDX-License-Identifier: MIT
// Files of one program that name each other's functions and variables.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "ptx_test.h"

namespace ptx {
namespace {

Module linked(std::vector<std::string> texts) {
  std::vector<Module> parts;
  for (std::string& text : texts) parts.push_back(parse(std::move(text)));
  return link(std::move(parts));
}

const Function& function(const Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.functions, name, &Function::name);
  if (found == module.functions.end()) throw std::runtime_error("no " + std::string(name));
  return *found;
}

std::string refusal(const std::vector<std::string>& texts) {
  try {
    linked(texts);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(PtxLink, FindsDefinitionOfAnotherFileInEitherOrder) {
  const std::string user = ".extern .func f();\n.extern .global .b32 v;\n.entry k() { call f; }";
  const std::string owner = ".visible .func f() { ret; }\n.visible .global .b32 v = 7;";
  for (const Module& module : {linked({user, owner}), linked({owner, user})}) {
    EXPECT_FALSE(function(module, "f").is_declared_only);
    EXPECT_FALSE(variable(module, "v").is_extern);
    EXPECT_EQ(variable(module, "v").initial.size(), 4u);
    EXPECT_EQ(module.functions.size(), 2u);
    EXPECT_EQ(module.variables.size(), 1u);
  }
}

// As clang writes a static variable that the host uses, too.
TEST(PtxLink, FindsAMarkedDefinitionOfTheSameFile) {
  const std::string text =
      ".extern .const .b32 v;\n.visible .const .b32 v__static__1f = 5;\n.visible .entry k() {\n"
      ".reg .b32 %r1;\nld.const.b32 %r1, [v];\nret;\n}";
  const Module module = linked({text});
  EXPECT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(function(module, "k").instructions[0].operands[1].name, "v__static__1f");
}

TEST(PtxLink, KeepsWhatOneFileKnowsApart) {
  const Module module =
      linked({".global .b32 v = 1;\n.func f() { ret; }\n.visible .entry a() {\n"
              ".reg .b32 %r1;\nld.global.b32 %r1, [v];\ncall f;\nret;\n}",
              ".global .b32 v = 2;\n.func f() { ret; }\n"
              ".global .u64 w[1] = {v};\n.visible .entry b() {\n"
              ".reg .b32 %r1;\nld.global.b32 %r1, [v];\ncall f;\nret;\n}",
              ".visible .global .b32 v = 3;"});
  EXPECT_EQ(module.variables.size(), 4u);
  const auto used = [&](std::string_view kernel) {
    return function(module, kernel).instructions[0].operands[1].name;
  };
  EXPECT_NE(used("a"), used("b"));
  EXPECT_EQ(variable(module, used("a")).initial.front(), std::byte{1});
  EXPECT_EQ(variable(module, used("b")).initial.front(), std::byte{2});
  EXPECT_EQ(variable(module, "v").initial.front(), std::byte{3});
  EXPECT_EQ(variable(module, "w").addresses.front().symbol, used("b"));
  EXPECT_NE(function(module, "a").instructions[1].operands[0].name,
            function(module, "b").instructions[1].operands[0].name);
}

TEST(PtxLink, KeepsOneOfWeakDefinitions) {
  const std::string weak = ".weak .func f() { ret; }\n.weak .global .b32 v = 1;";
  const Module module = linked({weak, weak, ".visible .func f() { trap; ret; }"});
  EXPECT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(function(module, "f").instructions.size(), 2u);
}

TEST(PtxLink, LinesStayThoseOfTheirFiles) {
  const std::string text =
      ".file 1 \"NAME\"\n.visible .entry NAME() {\n.loc 1 LINE 1\nbar.sync 0;\nret;\n}";
  const auto of = [&](const std::string& name, const std::string& line) {
    std::string made = text;
    for (std::size_t at; (at = made.find("NAME")) != std::string::npos;) made.replace(at, 4, name);
    return made.replace(made.find("LINE"), 4, line);
  };
  const Module module = linked({of("a", "3"), of("b", "5")});
  for (const auto& [name, line] : {std::pair{"a", 3u}, std::pair{"b", 5u}}) {
    const Place& place = module.places[function(module, name).instructions[0].place];
    EXPECT_EQ(module.files[place.file], name);
    EXPECT_EQ(place.line, line);
  }
}

TEST(PtxLink, RefusesTwoDefinitionsAndNone) {
  const std::string two = ".visible .func f() { ret; }";
  EXPECT_EQ(refusal({two, two}), "two files of the program define f");
  EXPECT_EQ(refusal({".extern .global .b32 v;"}), "no file of the program defines the variable v");
}

}  // namespace
}  // namespace ptx

// SPDX-License-Identifier: MIT
// A PTX instruction's operands, as C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::rewriter::ptx {

// Without blanks at both ends.
std::string trimmed(std::string_view text);
// Cuts at the separator, but not inside brackets.
std::vector<std::string> cut(std::string_view text, char separator);

// What the operand means as a value of a C++ type: "simt_ptx0.get<float>()".
std::string value(const std::string& operand, const std::string& type);
// The register that an operand names.
std::string register_name(const std::string& operand);
// Whether it is %laneid, %tid.x or another register that the device sets.
bool is_special_register(std::string_view name);
// The names in an operand, such as "%0" and "base" of [base+4], without numbers and "_".
std::vector<std::string> names_in(std::string_view operand);
// The elements of {a, b}; the operand itself if it is no list.
std::vector<std::string> elements(const std::string& operand);
// The C++ type of .u32; empty if there is none.
std::string type_of(std::string_view suffix);

}  // namespace simt::rewriter::ptx

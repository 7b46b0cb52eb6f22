// SPDX-License-Identifier: MIT
#include "fixture.h"

namespace lab_judge {

void tell_case(judge::Failure& failure, const std::string& before, const std::string& after) {
  if (failure.kind == judge::kind::kTodo || failure.kind == judge::kind::kCompileError) return;
  failure.message = before + failure.message + after;
}

std::string element_name(int row, int column) {
  return "the element in row " + std::to_string(row) + ", column " + std::to_string(column);
}

std::string explain_unwritten(const std::vector<float>& h_matrix, int width, int height,
                              int block_width, int block_height) {
  // True if exactly the elements of the first `columns` columns and `rows` rows were written.
  const auto only = [&](int columns, int rows) {
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        const bool is_inside = column < columns && row < rows;
        const float element = h_matrix[static_cast<std::size_t>(row) * width + column];
        if (judge::is_poison(element) == is_inside) return false;
      }
    }
    return true;
  };
  if (only(0, 0)) return "no thread writes anything";
  const int whole_columns = width / block_width * block_width;
  const int whole_rows = height / block_height * block_height;
  if (only(block_width, block_height)) {
    return "only one block works: either the grid has no more, or all its blocks do the same "
           "elements, because blockIdx is missing from the index";
  }
  if (only(whole_columns, whole_rows) || only(whole_columns, height) || only(width, whole_rows)) {
    return "the tail is dropped: the last, partial blocks at the right or lower edge are not "
           "launched (an integer division rounds down before ceil() could round up)";
  }
  if (only(block_width, height)) {
    return "only the first column of blocks works: either the grid has no more, or blockIdx.x is "
           "not multiplied by the width of a block";
  }
  if (only(width, block_height)) {
    return "only the first row of blocks works: "
           "either the grid has no more, or blockIdx.y is not multiplied by the height of a block";
  }
  const auto first_of_blocks = [&](bool in_columns, bool in_rows) {
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        const bool is_first =
            (!in_columns || column % block_width == 0) && (!in_rows || row % block_height == 0);
        const float element = h_matrix[static_cast<std::size_t>(row) * width + column];
        if (judge::is_poison(element) == is_first) return false;
      }
    }
    return true;
  };
  if (first_of_blocks(false, true)) {
    return "only the first row of threads of each block works: is threadIdx.y in the row?";
  }
  if (first_of_blocks(true, false)) {
    return "only the first column of threads of each block works: is threadIdx.x in the column?";
  }
  const auto blocks = [](int items, int per_block) { return (items + per_block - 1) / per_block; };
  if (only(blocks(height, block_height) * block_width, blocks(width, block_width) * block_height)) {
    return "x and y are swapped: columns are counted in x, up to the width; "
           "rows in y, up to the height";
  }
  return {};
}

}  // namespace lab_judge

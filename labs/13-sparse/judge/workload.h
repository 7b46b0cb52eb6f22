// SPDX-License-Identifier: MIT
// The measured calls. An item is a nonzero, or an edge.
#pragma once

#include "measure/workload.h"

namespace lab_judge {

// 32 nonzeros per row on average, in columns anywhere.
judge::Workload rows_alike(std::size_t num_nonzeros);

// The same, with all columns near the diagonal: neighbouring rows read the same x.
judge::Workload banded_rows(std::size_t num_nonzeros);

// 16 nonzeros per row on average: half as many as a warp has lanes.
judge::Workload short_banded_rows(std::size_t num_nonzeros);

// Half of the nonzeros in one row, the others in rows of 16 on average; columns anywhere.
judge::Workload one_long_row(std::size_t num_nonzeros);

// 32 edges per vertex on average: most of them at few vertices, or anywhere.
judge::Workload skewed_graph(std::size_t num_edges);
judge::Workload random_graph(std::size_t num_edges);

}  // namespace lab_judge

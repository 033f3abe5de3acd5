#pragma once

#include "models/upmem/work.hpp"

namespace pimdse::models::upmem {

/// Matrices of a layer that take the same vectors and so share a launch: q, k and v; gate and up.
struct MatrixGroup {
    std::string name;           ///< "q+k+v"
    std::int64_t rows = 0;      ///< results for one position, of the experts that are active
    std::int64_t inputs = 0;    ///< of a row
    std::int64_t vectors = 1;   ///< of that length for one position: every active expert has its own
    bool ends_block = false;    ///< its results are added to the residual stream
    bool is_attention = false;  ///< queries, keys and values
};
[[nodiscard]] std::vector<MatrixGroup> matrix_groups(sim::LanguageModel const& model);

/// Inputs of a row of the LM head.
[[nodiscard]] std::int64_t head_inputs(sim::LanguageModel const& model);

/// Bytes of weights in the fullest DPU: every matrix is dealt to all DPUs by rows, the LM head among them.
[[nodiscard]] double weight_bytes(Kernel const& kernel, Design const& design, sim::LanguageModel const& model);

/// All matrices of the model of the design once, with one vector.
[[nodiscard]] Plan step_plan(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem

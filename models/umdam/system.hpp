#pragma once

#include "models/umdam/prepared.hpp"
#include "sim/dram/standard.hpp"

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// A weight matrix of the model as this point stores and uses it.
struct Matrix {
    std::int64_t inputs = 0, outputs = 0;
    double stored = 1;     ///< copies of this shape in the whole model
    double active = 1;     ///< of them used by one token
    bool head = false;     ///< the LM head
    bool experts = false;  ///< tokens choose among the copies of a layer
    std::int64_t tile_rows = 0, tile_columns = 0;
    std::int64_t bytes = 0;  ///< stored, padding included
    Locality locality;
    [[nodiscard]] double weights() const { return static_cast<double>(inputs) * static_cast<double>(outputs); }
};

/// A point made concrete: the machine, the model's matrices in their layout, and what they take.
struct System {
    Design design;
    sim::dram::Standard const* timing_set = nullptr;  ///< as its file has it; in Prepared
    sim::dram::Standard standard;                     ///< with the point's channels, banks and rows
    std::shared_ptr<sim::dram::Mapping const> mapping;
    LanguageModel const* model = nullptr;
    std::vector<Matrix> matrices;
    std::int64_t interleave = 256;  ///< G, bytes of one matrix column in one tile
    double footprint = 0.0;         ///< B, without KV cache
    double kv_cache = 0.0;          ///< B at the end of the request
    double lane_utilisation = 1.0;
    std::int64_t split = 1;

    [[nodiscard]] bool uses_pim() const { return design.baseline != Baseline::npu_only; }
};

/// The weight matrices of a model, equal shapes together, the LM head last; not yet stored.
[[nodiscard]] std::vector<Matrix> matrices_of(LanguageModel const& model, Design const& design);

/// Stores the matrix with `interleave` bytes of a column per tile (fills tile_rows, tile_columns, bytes) and says how
/// it lies.
[[nodiscard]] StoredShape stored_shape(Matrix& matrix, Design const& design, Organisation const& organisation,
                                       std::int64_t interleave, std::int64_t element_bytes);

/// The timing set of a file with the point's channels, ranks, banks and rows; half of the channels where PIM shares
/// them with the NPU.
[[nodiscard]] sim::dram::Standard standard_of(Design const& design, sim::dram::Standard const& timing_set);

/// Builds a point or says why it cannot exist.
[[nodiscard]] std::variant<System, Infeasible> make_system(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::umdam

#pragma once

#include "models/llm/request_passes.hpp"
#include "models/umdam/prepared.hpp"
#include "models/umdam/spans.hpp"
#include "sim/dram/standard.hpp"
#include "sim/pim/bank_work.hpp"

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// Shape and order of the tiles that pimnast chooses for a matrix.
struct TilePlacement {
    std::int64_t parts = 1;  ///< equal parts of a column, each in another channel
    std::int64_t width = 0;  ///< columns of a tile, or parts of columns; 0: one for each bank
    TileCurve order = TileCurve::column_major;
    auto operator<=>(TilePlacement const&) const = default;
};

/// A weight matrix of the model in the layout of this point.
struct Matrix {
    std::int64_t inputs = 0, outputs = 0;
    double stored = 1;  ///< matrices of this shape in the whole model
    double active = 1;  ///< number of these that one token uses
    bool head = false;  ///< the LM head
    /// Layers in which tokens choose among the matrices; none: all tokens use them.
    LanguageModel const* experts = nullptr;
    std::int64_t tile_rows = 0, tile_columns = 0;
    std::int64_t bytes = 0;         ///< stored size, including padding
    std::int64_t span = 0;          ///< the same with places that the order of the tiles leaves out
    std::int64_t column_bytes = 0;  ///< of one column, or of its part in one bank
    /// Pieces of several columns follow each other in a bank: see BankWork; 0: whole columns.
    std::int64_t piece_bytes = 0, columns_of_tile = 1;
    TileGrid tiles_of_bank;
    Locality locality;
    TilePlacement placement;  ///< of pimnast
    [[nodiscard]] double weights() const { return static_cast<double>(inputs) * static_cast<double>(outputs); }
};

/// A point made concrete: the machine, the model's matrices in their layout, and the memory that they occupy.
struct System {
    Design design;
    sim::dram::Standard const* timing_set = nullptr;  ///< as in its file; owned by Prepared
    sim::dram::Standard standard;                     ///< with the point's channels, banks and rows
    std::shared_ptr<sim::dram::Mapping const> mapping;
    /// From the address of a weight in the tiles of its matrix to its place; `mapping` unless the banks are filled
    /// without regard to it (column_in_bank, pimnast).
    std::shared_ptr<sim::dram::Mapping const> placed;
    /// From the position of a weight in the order in which the NPU reads a matrix; `mapping` if that is storage order.
    std::shared_ptr<sim::dram::Mapping const> read_order;
    LanguageModel const* model = nullptr;
    std::vector<Span> spans;  ///< the layers that attend, by the positions to which they do
    std::vector<Matrix> matrices;
    std::int64_t interleave = 256;  ///< G, bytes of one matrix column in one tile
    double footprint = 0.0;         ///< B, without KV cache
    double kv_cache = 0.0;          ///< B at the end of the request, with states
    TokenPasses passes;             ///< of decode
    /// The same machine with the model that proposes tokens; none without one. Its weights and cache are not in those
    /// above.
    std::shared_ptr<System const> draft;
    double lane_utilisation = 1.0;
    std::int64_t split = 1;

    /// Columns of a tile.
    [[nodiscard]] std::int64_t tile_width() const {
        return design.tile_width == 0 ? lanes(standard.organisation) : design.tile_width;
    }
    /// B of the weights and of the caches of both models.
    [[nodiscard]] double all_weights() const { return footprint + (draft ? draft->footprint : 0.0); }
    [[nodiscard]] double all_caches() const { return kv_cache + (draft ? draft->kv_cache : 0.0); }
    /// B of memory for caches beside the weights; below 0 if those do not fit.
    [[nodiscard]] double room_for_caches() const {
        double const capacity = standard.organisation.capacity_bytes();
        return design.concurrency == Concurrency::partition ? capacity : capacity - all_weights();
    }
    [[nodiscard]] bool uses_pim() const { return design.baseline != Baseline::npu_only; }
};

/// The weight matrices of a model, with equal shapes of all kinds of layers merged and the LM head last; not yet
/// stored. The model outlives them.
[[nodiscard]] std::vector<Matrix> matrices_of(LanguageModel const& model, Design const& design);

/// How the point cuts matrices into tiles.
[[nodiscard]] LayoutOptions layout_options(Design const& design, std::int64_t interleave);

/// Stores the matrix with `interleave` bytes of a column per tile: sets tile_rows, tile_columns and bytes, and returns
/// the stored shape.
[[nodiscard]] StoredShape stored_shape(Matrix& matrix, Design const& design, Organisation const& organisation,
                                       std::int64_t interleave);

/// The system of a point without what depends on the matrices of its model: design, timing set, standard and model.
[[nodiscard]] std::variant<System, Infeasible> hardware_of(Prepared const& prepared, Design const& design);

/// Builds the system of a point, or returns the rule that the point breaks.
[[nodiscard]] std::variant<System, Infeasible> make_system(Prepared const& prepared, Design const& design);

/// Placements that pimnast has for a matrix, the one of relayout first: columns in one part or in up to as many equal
/// parts as there are channels, tiles as wide as the banks or twice as wide, in every order.
[[nodiscard]] std::vector<TilePlacement> placements(System const& system);

/// The matrix stored at a placement for the banks.
[[nodiscard]] Matrix placed_at(TilePlacement const& placement, Matrix matrix, System const& system);

/// Timing of the banks of a design, in cycles of the command clock of its memory.
[[nodiscard]] sim::pim::PimTiming pim_timing(Design const& design, sim::dram::Standard const& dram,
                                             PimConstants const& constants);

}  // namespace pimdse::models::umdam

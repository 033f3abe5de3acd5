#pragma once

#include "models/llm/workload.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// The layers of a model as launches see them: kinds that a request tells apart, matrices that share a launch, and the
/// shape of attention.
namespace pimdse::models::upmem {

/// Layers that cost the same in a request.
struct AlikeLayers {
    LanguageModel const* model = nullptr;  ///< of one kind of layers; its number of layers and its window are not used
    std::int64_t layers = 0;
    std::int64_t window = 0;  ///< 0: all positions, also where the request has no more than the window
    bool chunked = false;
};

/// The kinds of layers of a model for a request of `context` positions. Kinds that differ only in windows of which none
/// is shorter than the context are one.
[[nodiscard]] std::vector<AlikeLayers> alike_within(LanguageModel const& model, std::int64_t context);

/// Matrices of a layer that are multiplied with the same vectors and share a launch: q, k and v; gate and up.
struct MatrixGroup {
    std::string name;         ///< "q+k+v"
    std::int64_t rows = 0;    ///< results for one position, for the active experts
    std::int64_t inputs = 0;  ///< per row
    /// Number of vectors of this length for one position: every active expert has its own, and every head of latent
    /// attention.
    std::int64_t vectors = 1;
    /// Operations of the host for one position, besides the scaling of every result: on single elements (rotation,
    /// addition, activation), and elements that are normalised.
    std::int64_t elements = 0, normalised = 0;
};

/// The groups of a layer of a model whose layers are alike, in the order of execution.
[[nodiscard]] std::vector<MatrixGroup> matrix_groups(LanguageModel const& model);

/// Weight matrices of such a layer as the DPUs hold them. The matrix that expands the cached vectors of latent
/// attention is two: `k_up` takes the query of a head to the width of these vectors, `v_up` takes its sum from there.
[[nodiscard]] std::vector<WeightMatrix> held_matrices(LanguageModel const& model);

/// Attention of a layer. A unit is what a query reads of a position: a head of keys and values, or the one cached
/// vector of latent attention.
struct AttentionShape {
    std::int64_t units = 1;           ///< of a sequence
    std::int64_t queries = 1;         ///< heads of queries that read the same unit
    std::int64_t key = 0, value = 0;  ///< elements of a row of the scores, and of the values
    std::int64_t cached = 0;          ///< elements of a position of a unit
};
[[nodiscard]] AttentionShape attention_shape(LanguageModel const& model);

/// How the cache of a layer is distributed: a unit is one head of keys and values of one sequence, or the vectors that
/// latent attention caches of it. The positions of a unit are dealt in turn to `split` DPUs; if there are more units
/// than DPUs, a DPU has `units` whole units.
struct CacheDeal {
    std::int64_t units = 1, split = 1;
    std::int64_t window = 0;  ///< positions that a query attends to at most; 0: all up to itself
    bool chunked = false;     ///< windows do not slide, but follow one another; each is dealt anew

    /// `all` units on `dpus` DPUs.
    [[nodiscard]] static CacheDeal of(std::int64_t all, std::int64_t dpus);

    /// DPUs that hold positions to which a query attends that has so many up to itself, at most.
    [[nodiscard]] std::int64_t parts(std::int64_t up_to_itself) const {
        return std::min(split, window == 0 ? up_to_itself : std::min(window, up_to_itself));
    }
    /// Positions in the fullest DPU for a unit of `of_unit` positions.
    [[nodiscard]] std::int64_t positions(std::int64_t of_unit) const;
    /// Positions of a unit in the fullest DPU of each query, summed over queries: the query after the first `before`
    /// positions attends to itself and those before it, within its window, and so does each of the following
    /// `queries` - 1. The fullest DPU of a window that slides is not the same for all of them, which is neglected.
    [[nodiscard]] std::int64_t positions_seen(std::int64_t before, std::int64_t queries) const;
    /// A DPU that has all of a unit.
    [[nodiscard]] CacheDeal whole() const { return {1, 1, window, chunked}; }
    /// Positions of `all` that a unit keeps if `queries` are computed at once: those of the window of the first of them
    /// and all after it.
    [[nodiscard]] std::int64_t held(std::int64_t all, std::int64_t queries) const;
};

}  // namespace pimdse::models::upmem

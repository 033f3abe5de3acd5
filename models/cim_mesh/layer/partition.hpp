#pragma once

#include "models/cim_mesh/design.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// One weight matrix divided into crossbars: rows = tiles of its inputs, cols = tiles of its outputs.
struct Tiling {
    std::string name;
    std::int64_t rows = 0;
    std::int64_t cols = 0;    ///< placed columns
    std::int64_t summed = 0;  ///< columns with weights, which therefore have sums
    std::int64_t stored = 1;  ///< copies that a layer stores (experts)
    std::int64_t active = 1;  ///< copies that one token uses

    [[nodiscard]] std::int64_t tiles() const { return rows * cols; }
    auto operator<=>(Tiling const&) const = default;
};

/// The crossbars of a decoder layer, and the counts that the closed forms of latency need.
struct Partition {
    std::vector<Tiling> matrices;  ///< in the order of execution
    std::int64_t n = 0;            ///< slices of the hidden width
    std::int64_t f = 0;            ///< slices of the feed-forward width that one token uses
    std::int64_t q = 0;            ///< slices of the query width
    std::int64_t kv = 0;           ///< slices of the key (or value) width
    std::int64_t heads_per_slice = 1;
    std::int64_t slices_per_head = 1;   ///< above 1 if a head is wider than a crossbar; the partial scores are added
    std::int64_t tiles = 0;             ///< crossbars that a layer stores
    std::int64_t adds = 0;              ///< partial-sum additions of all stored matrices: sum of (rows - 1) x summed
    std::int64_t token_adds = 0;        ///< additions of one token: active experts, `parallel_columns` at a time
    std::int64_t token_qkv_adds = 0;    ///< part of token_adds in q, k and v
    std::int64_t token_up_adds = 0;     ///< part of token_adds in up
    bool gated = false;                 ///< whether a matrix gate is multiplied with up
    std::int64_t adapted = 0;           ///< matrices with a LoRA adapter that one token uses
    std::int64_t adapted_tiles = 0;     ///< crossbars whose SRAM-DCIM is reprogrammed
    std::int64_t table_tiles = 0;       ///< crossbars of token embedding and LM head (tied tables counted twice)
    Tiling head;                        ///< the LM head if it takes time; otherwise without columns
    std::int64_t columns_together = 1;  ///< output columns that are summed at the same time;
                                        ///< a searched schedule has the sequencers of both
    std::int64_t words = 0;             ///< output columns of the LM head if it is stored on the machine
    double lora_bytes = 0.0;            ///< bytes of the adapters of one layer
    double lora_products = 0.0;         ///< multiply-adds of one position in the adapters of one layer
    double compute_tiles = 0.0;         ///< tiles / pairs per compute tile, not rounded
    std::int64_t placed_tiles = 0;      ///< compute tiles that a layer occupies
    std::int64_t total_tiles = 0;       ///< compute tiles of all layers and tables
    /// Of the whole machine, if its layers are of several kinds; all other numbers are those of one kind.
    std::int64_t all_layers = 0, all_layer_tiles = 0;  ///< layers, and their compute tiles
    std::int64_t all_tiles = 0, all_crossbars = 0;     ///< also those of the tables
    bool has_tables = true;  ///< whether embedding, LM head and what a machine has once are counted with this kind
};

/// `value_bits`: width of a LoRA weight.
[[nodiscard]] Partition partition(Design const& design, double value_bits);

/// Whether a matrix has a LoRA adapter.
[[nodiscard]] bool is_adapted(Design const& design, std::string const& matrix);

/// Whether the routers of a matrix belong to the pool of the KV cache.
[[nodiscard]] bool holds_cache(KvPool pool, std::string_view matrix);

/// Number of crossbars whose routers the KV cache of a layer may use.
[[nodiscard]] std::int64_t kv_pool_tiles(KvPool pool, std::vector<Tiling> const& matrices);

/// A kind of layers on the machine: the design with a model that has these layers alone, and their crossbars. The
/// tables are counted with the first kind.
struct KindOnMesh {
    Design design;
    Partition partition;
};
/// The kinds of layers of a design, at least one. A request that fills no window does not tell layers with different
/// windows apart; alike layers are the model of the design itself.
[[nodiscard]] std::vector<KindOnMesh> kinds_of(Design const& design, double value_bits);

}  // namespace pimdse::models::cim_mesh

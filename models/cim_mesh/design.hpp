#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/llm/request_passes.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace pimdse::models::cim_mesh {

enum class Machine : std::uint8_t { primal, leap_a, leap_d };
enum class Mode : std::uint8_t { primal, leap };
/// searched: the faster of the two for each phase and, of a decoded token, for weights and for attention.
enum class Schedule : std::uint8_t { serial, tree, searched };
/// Whether a score is used as soon as it is computed, or kept at its router until all scores of the position are known.
enum class Scores : std::uint8_t { used, kept };
enum class KvPool : std::uint8_t { layer, colocated, attention };
enum class PlacementChoice : std::uint8_t { packed, searched, genes, judged };
/// The router of a group of matrices at which its vectors meet: nearest to the centroid of the group; with the least
/// sum of hops to the routers that it serves; with the shortest longest routes; or the fastest of these, by a search.
enum class Hubs : std::uint8_t { centroid, median, center, searched };
enum class FfnOrder : std::uint8_t { gate_up_down, up_gate_down, down_up_gate, interleaved };
enum class MatrixShape : std::uint8_t { bands, rectangles };
enum class Gating : std::uint8_t { srpg, none };
/// Whether a command of the main controller repeats itself, or every execution is stored.
enum class MainController : std::uint8_t { repeating, unrolled };
/// How often a slice of keys is streamed: once per slice of queries, or once for all queries of its group.
enum class KeyReuse : std::uint8_t { head, group };
/// Whether the cells of the crossbars are programmed before the request: never, or once, because it is the first one.
enum class CellProgramming : std::uint8_t { none, once };
/// Whether the LM head takes time.
enum class HeadTiming : std::uint8_t { skip, counted };
/// Whether the activation of the feed-forward part and the product of gate and up are inside the fitted service times,
/// without energy, or take time and energy of their own.
enum class Activations : std::uint8_t { fitted, counted };
/// What multiplies queries, keys, scores and values: the routers past which keys stream, or a baseline: RRAM crossbars
/// that are written with every key and value, SRAM arrays that are, a digital unit next to every crossbar, or one
/// buffer and one aggregator per layer.
enum class DynamicProducts : std::uint8_t { routers, reprogram, hybrid, digital, shared };

/// Requests that LEAP's machines take at a time: two use the PEs in mutual exclusion (journal version).
inline constexpr std::int64_t max_on_leap = 2;

/// One point of the design space with its values decoded, the request among them. Counts are in the unit of the
/// parameter, frequency in Hz.
struct Design : ModelRequest {
    Machine machine = Machine::primal;
    Mode mode = Mode::primal;
    HeadTiming lm_head = HeadTiming::skip;
    CellProgramming weight_load = CellProgramming::none;
    std::int64_t lora_rank = 0;
    std::span<std::string const> lora_targets;  ///< names of the adapted matrices; empty: none
    std::int64_t adapter_every = 0;             ///< requests that use the same adapters; 0: those of a batch
    Schedule schedule = Schedule::serial;
    std::int64_t mesh_rows = 0;
    std::int64_t mesh_cols = 0;
    std::int64_t crossbar = 0;
    std::int64_t link_bits = 0;
    std::int64_t fifo_bytes = 0;
    std::int64_t dmacs = 0;
    std::int64_t scratchpad = 0;
    std::int64_t scratchpad_banks = 0;  ///< 0: the published macro, scaled with its bytes
    double frequency = 0.0;
    std::int64_t parallel_columns = 1;
    std::int64_t adc_bits = 0;         ///< 0: as many as resolve a full sum
    std::int64_t softmax_rate = 0;     ///< scores per cycle of a router; 0: the fitted service time
    std::int64_t die_link_bits = 0;    ///< width of a link between compute tiles; 0: a mesh link
    std::int64_t macro_port_bits = 0;  ///< width of a port of a router to a macro; 0: of a mesh link, at no energy
    KvPool kv_pool = KvPool::layer;
    /// FIFO of each port of a router to a macro; 0: as large as the others, and without handshakes.
    std::int64_t macro_fifo_bytes = 0;
    Scores scores = Scores::used;
    Activations activations = Activations::fitted;
    Gating gating = Gating::srpg;
    MainController controller = MainController::repeating;
    PlacementChoice placement = PlacementChoice::packed;
    Hubs hubs = Hubs::centroid;
    std::array<std::size_t, 4> attention_order{0, 1, 2, 3};  ///< positions of q, k, v, o in the order of placement
    FfnOrder ffn_order = FfnOrder::gate_up_down;
    std::int64_t band_height = 0;
    std::size_t tile_order = 0;  ///< index of CrossbarOrder, for all matrices
    MatrixShape shape = MatrixShape::bands;
    std::int64_t attention_rows = 0, up_rows = 0,
                 down_rows = 0;  ///< rows of the rectangles of q, k, v, o; of gate and up; of down
    std::int64_t smac_cycles = 0;
    std::int64_t context_tile = 1;
    KeyReuse key_reuse = KeyReuse::head;
    double attained_share = 1.0;  ///< of the peak rate of the units in the pipeline of a prompt
    double layer_overhead = 0.0;  ///< s per layer of a pass
    DynamicProducts dynamic_products = DynamicProducts::routers;

    /// Whether the placement is searched, at cycle level.
    [[nodiscard]] bool searches_placement() const {
        return placement == PlacementChoice::searched || placement == PlacementChoice::judged;
    }
    [[nodiscard]] bool searches_schedule() const { return schedule == Schedule::searched; }
    /// Whether routers and sequencers can run tree collectives.
    [[nodiscard]] bool has_trees() const { return schedule != Schedule::serial; }
    /// The same hardware with a program of one schedule.
    [[nodiscard]] Design running(Schedule program) const {
        auto design = *this;
        design.schedule = program;
        return design;
    }
    [[nodiscard]] std::int64_t pairs_per_tile() const { return mesh_rows * mesh_cols; }
    [[nodiscard]] std::int64_t fifo_flits() const { return fifo_bytes * 8 / link_bits; }
    [[nodiscard]] bool is_leap() const { return machine != Machine::primal; }
    /// Whether keys and values are written into the cells of arrays of their own, and not into scratchpads.
    [[nodiscard]] bool writes_cells() const {
        return dynamic_products == DynamicProducts::reprogram || dynamic_products == DynamicProducts::hybrid;
    }
    /// Whether keys stay where they are: in arrays, or next to digital units.
    [[nodiscard]] bool multiplies_in_place() const {
        return writes_cells() || dynamic_products == DynamicProducts::digital;
    }
    [[nodiscard]] bool multiplies_in_routers() const { return dynamic_products == DynamicProducts::routers; }
    [[nodiscard]] bool keeps_scores() const { return scores == Scores::kept && multiplies_in_routers(); }
    [[nodiscard]] bool counts_activations() const { return activations == Activations::counted; }
    [[nodiscard]] bool shares_aggregator() const { return dynamic_products == DynamicProducts::shared; }
    /// Number of batches that use the same adapters before they are replaced: at least 1.
    [[nodiscard]] double batches_per_swap() const {
        return adapter_every == 0 ? 1.0 : static_cast<double>(adapter_every) / static_cast<double>(batch);
    }
    /// Whether a pass verifies proposed tokens.
    [[nodiscard]] bool verifies() const { return speculation.draft > 0 && output > 1; }
    /// Positions of a later pass of autoregressive generation, of which each is a token or a proposal.
    [[nodiscard]] double pass_positions() const { return static_cast<double>(speculation.positions()); }
};

/// The design with the values that its machine fixes. leap-a and leap-d have no SRAM-DCIM, no adapters and no gating; a
/// crossbar of PRIMAL's size becomes one of LEAP's, FIFOs are twice as large; on leap-a, kv_pool = layer becomes
/// kv_pool = attention.
[[nodiscard]] Design on_its_machine(MachineConstants const& machine, Design design);

/// The published macros of the paper to which the machine of the design belongs.
[[nodiscard]] Macros const& macros_of(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh

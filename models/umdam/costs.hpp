#pragma once

#include "models/umdam/latent.hpp"
#include "models/umdam/spans.hpp"
#include "models/umdam/stream_rate.hpp"
#include "models/umdam/streams.hpp"
#include "models/umdam/system.hpp"
#include "sim/base/bounded.hpp"
#include "sim/pim/pim_channel.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::models::umdam {

using sim::pim::BankWork;
using sim::pim::GemvWalk;
using sim::pim::Operand;
using sim::pim::PimLowerBound;
using sim::pim::PimReplay;
using sim::pim::PimTiming;

/// DRAM commands and NPU work of a phase. All counts cover the whole memory; bursts have the standard's size.
struct Commands {
    sim::Bounded reads, writes;                             ///< NPU bursts
    sim::Bounded row_activations;                           ///< rows, each in one bank
    double macs = 0.0;                                      ///< bursts multiplied inside a bank, once for each vector
    double bank_reads = 0.0;                                ///< bursts that a bank reads for these MACs
    double buffer_writes = 0.0;                             ///< WR_GB bursts
    double mac_reads = 0.0;                                 ///< RD_MAC bursts
    double cube_operations = 0.0, vector_operations = 0.0;  ///< FLOP on the NPU
    double loaded = 0.0;                                    ///< bytes from storage
    double staged = 0.0;  ///< bytes between the buffer and the first-level memories, where these are counted

    Commands& operator+=(Commands const& other);
    [[nodiscard]] Commands times(double n) const;
};

/// Time and commands of a phase.
struct Cost {
    sim::Bounded seconds;
    Commands commands;
    Cost& operator+=(Cost const& other);
    [[nodiscard]] Cost times(double n) const;
};

/// Equal sets of vectors that the banks multiply together: their share of all vectors, and of the time.
struct SetShare {
    double vectors = 0.0, time = 0.0;
};

/// Costs of elementary operations, the only part that depends on the fidelity. There is one instance per evaluation: at
/// fidelity cycle, PIM operations follow each other on one channel and start at the phase of the refresh interval at
/// which the previous operation ended.
class OperationCosts {
  public:
    OperationCosts(Prepared const& prepared, System const& system, Fidelity fidelity);

    /// Bytes per second of a weight stream of this length.
    [[nodiscard]] sim::Bounded read_bandwidth(double bytes) const;
    /// The NPU moves `bytes` in order through its buffer, without arithmetic.
    [[nodiscard]] Cost read(double bytes) const;
    [[nodiscard]] Cost write(double bytes) const;
    /// Reads and writes `bytes` in chunks: each chunk is read before it is written.
    [[nodiscard]] Cost copy(double bytes) const;
    /// Products y = x W on PIM for `vectors` vectors x, `times` times. A unit multiplies up to `pim_vectors` of them at
    /// once; vectors for experts are multiplied one by one, because different tokens choose different experts.
    [[nodiscard]] Cost gemv(Matrix const& matrix, double vectors, double times);
    /// How gemv() groups the vectors, with shares of the time by the closed form.
    [[nodiscard]] std::vector<SetShare> set_shares(Matrix const& matrix, double vectors) const;
    /// Multiplies the KV cache, spread over all banks, with `queries` vectors, `times` times for each context. Queries
    /// and softmax weights are written to the global buffers; scores and sums are read out. `positions` of a request
    /// attend to the same context, each with its own queries and weights.
    [[nodiscard]] Cost attention(Contexts const& contexts, std::int64_t bytes_per_token, double queries, double times,
                                 double positions = 1.0);
    /// Presimulates reads of weights of these lengths, so that one pass over the longest yields the costs of all.
    void presimulate_weights(std::span<double const> bytes);
    /// Presimulates the reads that growing_reads needs for these contexts.
    void presimulate_reads(Contexts const& contexts, double bytes_per_token);
    /// Reads the KV cache of each of these contexts `times` times.
    [[nodiscard]] Cost growing_reads(Contexts const& contexts, double bytes_per_token, double times) const;
    /// One C = A W with `rows` rows of A on the NPU (a mean if the products differ); W is read at `bandwidth`.
    [[nodiscard]] Cost gemm(Matrix const& matrix, double rows, sim::Bounded const& bandwidth) const;
    /// Elementwise work and products of activations only.
    [[nodiscard]] Cost vector(double operations) const;
    /// `operations` FLOP on the matrix units, in blocks of which they use this share.
    [[nodiscard]] Cost blocks(double operations, double share) const;
    /// Scores and weighted sums of values on the matrix units of the NPU, with keys and values on chip, for one request
    /// and one layer. causal_attention: `tokens` positions of a prompt behind `before` others, which attend to those
    /// before them in their span.
    /// attention_on_npu: `queries` positions that attend to each context in turn, in the form of cached_form().
    [[nodiscard]] Cost causal_attention(std::int64_t before, std::int64_t tokens, Span const& span,
                                        AttentionForm const& form) const;
    [[nodiscard]] Cost attention_on_npu(double queries, Contexts const& contexts) const;
    /// How the NPU attends to keys and values from memory.
    [[nodiscard]] AttentionForm cached_form() const;
    /// Where the sequence of products on PIM has got to, to continue from there on other units.
    struct Sequence {
        std::int64_t phase = 0;  ///< cycles since the last refresh was due
        double work = 0.0;       ///< lower bound of the cycles of products since the last pim_ends()
    };
    [[nodiscard]] Sequence sequence() const { return {replay_.phase(), pim_work_}; }
    void resume(Sequence const& at) {
        replay_.resume(at.phase);
        pim_work_ = at.work;
    }
    /// Time that refresh adds to the products on PIM since the last call, with the uncertainty at the two ends of the
    /// sequence. Until this call, lower bounds of the products leave refresh out.
    [[nodiscard]] sim::Bounded pim_ends();
    /// Upper bound of the time that one refresh adds to products on PIM [s]; 0 without refresh.
    [[nodiscard]] double longest_refresh() const;

  private:
    [[nodiscard]] Cost transfer(double bytes, sim::dram::Access access) const;
    [[nodiscard]] CubeBlock block() const { return {prepared_.machine.npu, system_.design.multiplies_bytes()}; }
    [[nodiscard]] NpuStreams const& of_weights() const { return weight_streams_ ? *weight_streams_ : streams_; }
    /// Bytes that a product moves between the buffer and the first-level memories: the least of all tilings.
    [[nodiscard]] double staged(GemmShape const& shape) const;
    /// What facil adds to a read of weights: an entry of the page table for each page.
    [[nodiscard]] Cost page_walks(sim::Bounded const& bytes) const;
    /// Vectors that are multiplied with a matrix in the banks at the same time, `count` times; cycles by the closed
    /// form.
    struct VectorSet {
        double vectors = 1.0, count = 0.0;
        BankWork work;
        double cycles = 0.0;
    };
    using VectorSets = std::vector<VectorSet>;
    /// Work of the busiest bank for a matrix and `vectors` simultaneous vectors, with the buffer divided into `parts`
    /// parts.
    [[nodiscard]] BankWork bank_work(Matrix const& matrix, double vectors, std::int64_t parts) const;
    [[nodiscard]] VectorSet one_set(Matrix const& matrix, double vectors) const;
    [[nodiscard]] VectorSets sets_of(Matrix const& matrix, double vectors) const;
    [[nodiscard]] double together(Matrix const& matrix) const;
    [[nodiscard]] std::int64_t phases(Matrix const& matrix) const;
    [[nodiscard]] Cost products(Matrix const& matrix, VectorSet const& set, double times);
    /// Blocks of scores and of values that the matrix units compute for `tile_pairs` pairs of tiles of positions; the
    /// useful work of `pairs` pairs of positions is counted in FLOP.
    [[nodiscard]] Cost attended(AttentionForm const& form, double tile_pairs, double pairs) const;
    [[nodiscard]] sim::Bounded pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                           sim::Bounded& row_activations);
    [[nodiscard]] static sim::Bounded refilled_cycles(GemvWalk const& walk, PimTiming const& timing, double cycles,
                                                      std::int64_t vectors);
    [[nodiscard]] sim::Bounded closed_form(GemvWalk const& walk, Operand operand, std::int64_t vectors) const;
    /// The cycles of products with refresh included.
    [[nodiscard]] sim::Bounded refreshed(sim::Bounded const& cycles) const;
    [[nodiscard]] Cost multiplied_cache(Contexts const& contexts, std::int64_t bytes_per_token, double queries,
                                        double times);
    [[nodiscard]] Cost attention_operands(Contexts const& contexts) const;
    [[nodiscard]] double turns_of(double vectors) const;
    [[nodiscard]] Cost replayed_attention(double bytes, double queries, double times);
    [[nodiscard]] sim::Bounded row_activations_of(double opened, sim::Bounded const& cycles) const;

    Prepared const& prepared_;
    System const& system_;
    Fidelity fidelity_;
    NpuStreams streams_;
    std::optional<NpuStreams> weight_streams_;  ///< where the NPU does not read weights in the order of storage
    PimTiming pim_;
    PimReplay replay_;
    PimLowerBound pim_lower_bound_;
    Refreshed refresh_;
    double pim_work_ = 0.0;  ///< Sequence::work
    double efficiency_ = 1.0;
};

}  // namespace pimdse::models::umdam

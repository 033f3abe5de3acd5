#pragma once

#include "models/umdam/pim/channel.hpp"
#include "models/umdam/stream_rate.hpp"
#include "models/umdam/streams.hpp"
#include "models/umdam/system.hpp"
#include "sim/base/bounded.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::umdam {

/// DRAM commands and NPU work of a phase. All counts over the whole memory; bursts are of the standard's size.
struct Commands {
    sim::Bounded reads, writes;                             ///< NPU bursts
    sim::Bounded row_activations;                           ///< rows opened in one bank
    double macs = 0.0;                                      ///< bursts multiplied inside a bank, once for each vector
    double bank_reads = 0.0;                                ///< bursts a bank reads for that
    double buffer_writes = 0.0;                             ///< WR_GB bursts
    double mac_reads = 0.0;                                 ///< RD_MAC bursts
    double cube_operations = 0.0, vector_operations = 0.0;  ///< FLOP on the NPU

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

/// Decode steps one after the other: contexts first, first + 1, ... of `count` tokens.
struct Contexts {
    std::int64_t first = 1, count = 1;
};

/// Where the costs of elementary operations come from: the only thing a fidelity changes. One per evaluation: at
/// fidelity cycle PIM operations follow each other on one channel and find refresh where the one before left it.
class OperationCosts {
  public:
    OperationCosts(Prepared const& prepared, System const& system, Fidelity fidelity);

    /// Bytes per second of a weight stream this long.
    [[nodiscard]] sim::Bounded read_bandwidth(double bytes) const;
    /// NPU moves `bytes` in order through the buffer, without arithmetic.
    [[nodiscard]] Cost read(double bytes) const;
    [[nodiscard]] Cost write(double bytes) const;
    /// Reads and writes `bytes` chunk by chunk: a chunk is read before it is written.
    [[nodiscard]] Cost copy(double bytes) const;
    /// y = x W on PIM for this many x, as many together as a unit takes (of experts each alone: others chose others),
    /// all of it this many times.
    [[nodiscard]] Cost gemv(Matrix const& matrix, double vectors, double times);
    /// Multiplies KV cache, spread over all banks, with `queries` vectors, in each of these contexts this many times;
    /// queries and shares of attention go into the global buffers, scores and sums come out.
    [[nodiscard]] Cost attention(Contexts const& contexts, std::int64_t bytes_per_token, double queries, double times);
    /// Says that reads of these lengths will be asked for.
    void foresee_reads(std::span<double const> bytes);
    /// Says that growing_reads will be asked for these contexts, one after the other.
    void foresee_reads(Contexts const& contexts, double bytes_per_token);
    /// Reads the KV cache of each of these contexts this many times.
    [[nodiscard]] Cost growing_reads(Contexts const& contexts, double bytes_per_token, double times) const;
    /// One C = A W with `rows` rows of A on the NPU, in the mean where there are several; W is read at `bandwidth`.
    [[nodiscard]] Cost gemm(Matrix const& matrix, double rows, sim::Bounded const& bandwidth) const;
    /// Elementwise work and products of activations only.
    [[nodiscard]] Cost vector(double operations) const;
    /// Scores and sums of values on the cubes, keys and values being there: of a prompt, whose positions see those
    /// before them; of `queries` positions that each see a context, one context after the other. One request, one
    /// layer.
    [[nodiscard]] Cost causal_attention(std::int64_t prompt) const;
    [[nodiscard]] Cost attention_on_npu(double queries, Contexts const& contexts) const;
    /// What refresh adds to the products on PIM since the last call, and may be off at their two ends. Until then they
    /// are bounded from below without it.
    [[nodiscard]] sim::Bounded pim_ends();
    /// s that one refresh adds to products on PIM at most; 0 without refresh.
    [[nodiscard]] double longest_refresh() const;

  private:
    [[nodiscard]] Cost transfer(double bytes, sim::dram::Access access) const;
    /// Vectors that meet a matrix in the banks at once, `count` times; cycles by the closed form.
    struct VectorSet {
        double vectors = 1.0, count = 0.0;
        BankWork work;
        double cycles = 0.0;
    };
    using VectorSets = std::vector<VectorSet>;
    /// What the busiest bank holds of a matrix that meets so many vectors at once, with such a part of the buffer.
    [[nodiscard]] BankWork bank_work(Matrix const& matrix, double vectors, std::int64_t parts) const;
    [[nodiscard]] VectorSet one_set(Matrix const& matrix, double vectors) const;
    [[nodiscard]] VectorSets sets_of(Matrix const& matrix, double vectors) const;
    [[nodiscard]] double together(Matrix const& matrix) const;
    [[nodiscard]] std::int64_t phases(Matrix const& matrix) const;
    [[nodiscard]] Cost products(Matrix const& matrix, VectorSet const& set, double times);
    /// Blocks of scores and of values that the cubes take for pairs of tiles of positions; useful work in FLOP.
    [[nodiscard]] Cost attended(double tile_pairs, double pairs) const;
    [[nodiscard]] sim::Bounded pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                           sim::Bounded& row_activations);
    [[nodiscard]] static sim::Bounded refilled_cycles(GemvWalk const& walk, PimTiming const& timing, double cycles,
                                                      std::int64_t vectors);
    [[nodiscard]] sim::Bounded closed_form(GemvWalk const& walk, Operand operand, std::int64_t vectors) const;
    /// With what refresh adds to such sums of products.
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
    Streams streams_;
    PimTiming pim_;
    PimReplay replay_;
    PimLowerBound pim_lower_bound_;
    Refreshed refresh_;
    double pim_work_ = 0.0;  ///< cycles that products since the last pim_ends() take at least
    double efficiency_ = 1.0;
};

}  // namespace pimdse::models::umdam

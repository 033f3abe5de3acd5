#pragma once

#include "models/umdam/design.hpp"
#include "models/umdam/range.hpp"

namespace pimdse::models::umdam {

/// DRAM commands and NPU work of a phase. All counts over the whole memory; bursts are of the standard's size.
struct Commands {
    Range reads, writes;          ///< NPU bursts
    Range activations;            ///< rows opened in one bank
    double macs = 0.0;            ///< bursts multiplied inside a bank
    double buffer_writes = 0.0;   ///< WR_GB bursts
    double mac_reads = 0.0;       ///< RD_MAC bursts
    double operations = 0.0;      ///< FLOP on the NPU

    Commands& operator+=(Commands const& other);
    [[nodiscard]] Commands times(double n) const;
};

/// Time and commands of a phase.
struct Cost {
    Range seconds;
    Commands commands;
    Cost& operator+=(Cost const& other);
    [[nodiscard]] Cost times(double n) const;
};

/// Where the costs of elementary operations come from: the only thing a fidelity changes.
class Costs {
  public:
    Costs(Prepared const& prepared, Design const& design, Fidelity fidelity);

    /// NPU reads `bytes` of one matrix in the order they are stored.
    [[nodiscard]] Range read_bandwidth(double bytes) const;
    /// NPU moves `bytes` in order through the buffer, without arithmetic.
    [[nodiscard]] Cost read(double bytes) const;
    [[nodiscard]] Cost write(double bytes) const;
    /// Reads and writes `bytes` in chunks: once out, once in.
    [[nodiscard]] Cost copy(double bytes) const;
    /// One y = x W on PIM.
    [[nodiscard]] Cost gemv(Matrix const& matrix) const;
    /// Multiplies `bytes` of KV cache, spread over all banks, with `queries` vectors each.
    [[nodiscard]] Cost attention(double bytes, double queries) const;
    /// One C = A W with `rows` rows of A on the NPU.
    [[nodiscard]] Cost gemm(Matrix const& matrix, double rows) const;
    /// Elementwise work and products of activations only.
    [[nodiscard]] Cost vector(double operations) const;
    [[nodiscard]] Cost cubes(double operations) const;

  private:
    [[nodiscard]] Range openings(double bytes) const;

    Prepared const& prepared_;
    Design const& design_;
    Fidelity fidelity_;
    PimTiming pim_;
    double baseline_efficiency_ = 1.0;
};

}  // namespace pimdse::models::umdam

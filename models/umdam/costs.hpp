#pragma once

#include "models/umdam/pim/replay.hpp"
#include "models/umdam/range.hpp"
#include "models/umdam/streams/streams.hpp"
#include "models/umdam/system.hpp"

namespace pimdse::models::umdam {

/// DRAM commands and NPU work of a phase. All counts over the whole memory; bursts are of the standard's size.
struct Commands {
    Range reads, writes;         ///< NPU bursts
    Range activations;           ///< rows opened in one bank
    double macs = 0.0;           ///< bursts multiplied inside a bank
    double buffer_writes = 0.0;  ///< WR_GB bursts
    double mac_reads = 0.0;      ///< RD_MAC bursts
    double operations = 0.0;     ///< FLOP on the NPU

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

/// Where the costs of elementary operations come from: the only thing a fidelity changes. One per evaluation: at
/// fidelity cycle PIM operations follow each other on one channel and find refresh where the one before left it.
class Costs {
  public:
    Costs(Prepared const& prepared, Design const& design, Fidelity fidelity);

    /// Bytes per second of a weight stream this long.
    [[nodiscard]] Range read_bandwidth(double bytes) const;
    /// NPU moves `bytes` in order through the buffer, without arithmetic.
    [[nodiscard]] Cost read(double bytes) const;
    [[nodiscard]] Cost write(double bytes) const;
    /// Reads and writes `bytes` chunk by chunk: a chunk is read before it is written.
    [[nodiscard]] Cost copy(double bytes) const;
    /// y = x W on PIM, this many times.
    [[nodiscard]] Cost gemv(Matrix const& matrix, double times);
    /// Multiplies `bytes` of KV cache, spread over all banks, with `queries` vectors, this many times.
    [[nodiscard]] Cost attention(double bytes, double queries, double times);
    /// One C = A W with `rows` rows of A on the NPU, W being read at `bandwidth`.
    [[nodiscard]] Cost gemm(Matrix const& matrix, double rows, Range const& bandwidth) const;
    /// Elementwise work and products of activations only.
    [[nodiscard]] Cost vector(double operations) const;
    [[nodiscard]] Cost cubes(double operations) const;
    /// What a decode on PIM may be off at its two ends: one refresh.
    [[nodiscard]] Range pim_ends() const;

  private:
    [[nodiscard]] Cost transfer(double bytes, sim::dram::Access access) const;
    /// What the busiest bank holds of a matrix.
    [[nodiscard]] BankWork bank_work(Matrix const& matrix) const;
    [[nodiscard]] Range pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                    Range& openings);
    [[nodiscard]] static Range refilled_cycles(Walk const& walk, PimTiming const& timing, double cycles,
                                               std::int64_t vectors);
    [[nodiscard]] Range closed_form(Walk const& walk, Operand operand, std::int64_t vectors) const;

    Prepared const& prepared_;
    Design const& design_;
    Fidelity fidelity_;
    Streams streams_;
    PimTiming pim_;
    PimReplay replay_;
    double efficiency_ = 1.0;
};

}  // namespace pimdse::models::umdam

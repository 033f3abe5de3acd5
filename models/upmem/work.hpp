#pragma once

#include "models/upmem/prepared.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// What the busiest DPU does in one launch: `blocks` times {reads, slots, writes}, dealt to the tasklets in chunks.
struct DpuWork {
    std::int64_t blocks = 0;
    std::int64_t chunk = 1;  ///< blocks that go to one tasklet together
    double slots_per_block = 0.0;
    double instructions_per_block = 0.0;         ///< fewer where hazards stall the pipeline
    double total_slots = 0.0;                    ///< of all tasklets; the last block may be short
    double total_instructions = 0.0;             ///< of them, instructions rather than hazard stalls
    double reads = 0.0, writes = 0.0;            ///< requests per block
    double read_bytes = 0.0, write_bytes = 0.0;  ///< per request
    double read_rows = 1.0, write_rows = 1.0;    ///< rows newly opened per request, on average
    double tail = 1.0;                           ///< share of the block model's address-code latencies that applies
    double fixed_slots = 0.0;                    ///< per tasklet
    double serial_slots = 0.0;                   ///< total under a lock
    double start_cycles = 0.0;

    /// Slots that hazards add are hidden while a tasklet waits for its turn: slots per instruction.
    [[nodiscard]] double slots_per_instruction() const {
        return instructions_per_block > 0.0 ? slots_per_block / instructions_per_block : 1.0;
    }
    [[nodiscard]] double mram_traffic() const {
        return static_cast<double>(blocks) * (reads * read_bytes + writes * write_bytes);
    }
    auto operator<=>(DpuWork const&) const = default;
};

/// What a launch costs one DPU depends on this, and on the design.
struct Task {
    std::int64_t elements = 0;  ///< of one DPU; 0 for a matrix of a model
    DpuWork work;
    auto operator<=>(Task const&) const = default;
};

/// One launch with its transfers, in bytes per DPU.
struct Launch {
    std::string what;
    Task task;
    double input = 0.0;   ///< different for every DPU
    double shared = 0.0;  ///< the same for all
    double output = 0.0;
    std::int64_t count = 1;  ///< how many such launches follow one another
    double host = 0.0;       ///< operations on elements by the host, behind each of them
    double calls = 1.0;      ///< that share the input evenly
};

/// All launches of a point. `pipelined`: they are the streams of one problem and may overlap; otherwise each waits for
/// the one before (layers).
struct Plan {
    bool pipelined = true;
    std::vector<Launch> launches;
    double output = 0.0;         ///< pipelined: fetched once at the end, per DPU
    double partial = 0.0;        ///< pipelined: results of a launch, per DPU, which the next one would overwrite
    double resident = 0.0;       ///< MRAM bytes of the fullest DPU
    double resident_bank = 0.0;  ///< of them, in the fullest of two banks
    double wram = 0.0;           ///< buffers of one tasklet
};

/// Elements of every stream of one DPU: as equal as whole 8-byte pieces allow, none dropped; the sum is the DPU's
/// share.
[[nodiscard]] std::vector<std::int64_t> stream_sizes(std::int64_t elements, std::int64_t streams, std::int64_t granule);

/// The smallest number of elements that a DPU can get: it fills whole 8-byte words of the kernel's host buffers and,
/// where every tasklet takes as much as the others, gives each of them a piece.
[[nodiscard]] std::int64_t granule(Kernel const& kernel, Design const& design);

/// A lower bound, in bytes, of what the fullest DPU holds of the problem: known before anything is counted in blocks.
[[nodiscard]] double bytes_at_least(Kernel const& kernel, Design const& design);

/// What does not depend on the shape of the work.
[[nodiscard]] DpuWork common_work(Prepared const& prepared, Design const& design, Kernel const& kernel);

/// MRAM moves words of 8 B.
[[nodiscard]] double whole_words(double bytes);

/// `rows` rows of `inputs` weights by the kernel of the design, on one DPU.
[[nodiscard]] Task matrix_task(Prepared const& prepared, Design const& design, std::int64_t rows, std::int64_t inputs);

/// Buffers of one tasklet, in bytes.
[[nodiscard]] double wram_of(Kernel const& kernel, Design const& design);

/// Launches of equal pieces, or of layers: all shapes but `tiles`, without buffers (see plan.hpp).
[[nodiscard]] Plan pieces_plan(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem

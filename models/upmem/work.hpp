#pragma once

#include "models/upmem/prepared.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// Work of the busiest DPU in one launch: `blocks` times {reads, slots, writes}, distributed to the tasklets in chunks.
struct DpuWork {
    std::int64_t blocks = 0;
    std::int64_t chunk = 1;  ///< blocks that one tasklet takes together
    double slots_per_block = 0.0;
    double instructions_per_block = 0.0;         ///< fewer than slots if hazards stall the pipeline
    double total_slots = 0.0;                    ///< of all tasklets; the last block may be short
    double total_instructions = 0.0;             ///< part of total_slots that is instructions and not hazard stalls
    double reads = 0.0, writes = 0.0;            ///< requests per block
    double read_bytes = 0.0, write_bytes = 0.0;  ///< per request
    double read_rows = 1.0, write_rows = 1.0;    ///< rows newly opened per request, on average
    double fixed_slots = 0.0;                    ///< per tasklet
    double serial_slots = 0.0;                   ///< total under a lock
    double start_cycles = 0.0;

    /// Slots per instruction. The slots that hazards add are hidden while a tasklet waits for its turn.
    [[nodiscard]] double slots_per_instruction() const {
        return instructions_per_block > 0.0 ? slots_per_block / instructions_per_block : 1.0;
    }
    [[nodiscard]] double mram_traffic() const {
        return static_cast<double>(blocks) * (reads * read_bytes + writes * write_bytes);
    }
    /// Rows that are opened.
    [[nodiscard]] double rows() const {
        return static_cast<double>(blocks) * (reads * read_rows + writes * write_rows);
    }
    auto operator<=>(DpuWork const&) const = default;
};

/// The input on which, besides the design, the cost of a launch on one DPU depends.
struct Task {
    std::int64_t elements = 0;  ///< per DPU; 0 for a matrix of a model
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
    double count = 1.0;        ///< number of consecutive launches of this kind; a mean where passes are one
    double host = 0.0;         ///< operations of the host on elements after each of them
    double calls = 1.0;        ///< number of calls that share the input evenly
    bool opens_layer = false;  ///< whether it is the first launch of a layer of a model
    bool merges = false;       ///< whether it completes the results of all streams; it is the last one
};

/// All launches of a point. `pipelined`: they are the streams of one problem and may overlap; otherwise each waits for
/// the previous one (layers).
struct Plan {
    bool pipelined = true;
    std::vector<Launch> launches;
    double output = 0.0;          ///< pipelined: fetched once at the end, per DPU
    bool continues = false;       ///< whether the DPUs hold the executable, from the part before
    bool merged_in_dpus = false;  ///< whether the last launch adds the results of streams; otherwise the host does
    /// pipelined: results of a launch, per DPU, that the next one would overwrite.
    double partial = 0.0;
    double resident = 0.0;       ///< MRAM bytes of the fullest DPU
    double resident_bank = 0.0;  ///< part of it in the fuller of two banks
    double wram = 0.0;           ///< buffers of one tasklet

    [[nodiscard]] bool ends_with_merge() const { return !launches.empty() && launches.back().merges; }
    /// Launches that have an input of their own.
    [[nodiscard]] std::size_t streams() const { return launches.size() - (ends_with_merge() ? 1 : 0); }
};

/// Elements of every stream of one DPU: as equal as whole pieces of 8 bytes allow. Their sum is the DPU's share.
[[nodiscard]] std::vector<std::int64_t> stream_sizes(std::int64_t elements, std::int64_t streams, std::int64_t granule);

/// The smallest number of elements that a DPU can receive: it fills whole 8-byte words of the kernel's host buffers
/// and, if all tasklets take the same number, gives one piece to each.
[[nodiscard]] std::int64_t granule(Kernel const& kernel, Design const& design);

/// A lower bound of the bytes of the problem in the fullest DPU, available before blocks are counted.
[[nodiscard]] double bytes_at_least(Kernel const& kernel, Design const& design);

/// The part of the work that does not depend on its shape.
[[nodiscard]] DpuWork common_work(Prepared const& prepared, Design const& design, Kernel const& kernel);

/// Rounds up to the words of 8 B that MRAM moves.
[[nodiscard]] double whole_words(double bytes);

/// `rows` rows of `inputs` weights by the kernel of the design, on one DPU.
[[nodiscard]] Task matrix_task(Prepared const& prepared, Design const& design, std::int64_t rows, std::int64_t inputs);

/// Buffers of one tasklet, in bytes.
[[nodiscard]] double wram_of(Kernel const& kernel, Design const& design);

/// Launches of equal pieces, or of layers: all shapes except `tiles`, without buffers (see plan.hpp).
[[nodiscard]] Plan pieces_plan(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem

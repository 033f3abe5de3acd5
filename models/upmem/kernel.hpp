#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// The machine that a number of a kernel was measured on: real hardware, or the simulator whose presets are offered.
enum class Family : std::uint8_t { hardware, upimulator };

/// How the work of a kernel is divided.
///   stream  contiguous elements in DMA blocks, distributed to the tasklets in turn
///   even    elements distributed evenly, DMA included in the slots
///   rows    matrix rows; element = row
///   layers  square matrices of size x size, one launch each
///   search  dependent reads, log2(size) of them per query
///   profile blocks of a series against a query; every tasklet takes the same number of blocks
///   tiles   a matrix transposed in column tiles, one per DPU and round; two launches each
enum class WorkShape : std::uint8_t { stream, even, rows, layers, search, profile, tiles };

/// Counts of the instructions that a listing executes, including transfers, taken from its text. All 0: not counted.
struct ListingCounts {
    /// In main before the first block; per preceding tasklet, in addition.
    double start = 0, skip = 0;
    double lead = 0, loaded = 0;    ///< per block, before its first transfer; up to its last read
    double block = 0, element = 0;  ///< per block, and per element of a block (rows: per product)
    /// Per query or row, beyond its blocks; for the last block, beyond other blocks.
    double chunk = 0, last = 0;
    double behind_writes = 0, end = 0;            ///< per block, after its last write; in main, after the last block
    double block_extras = 0, element_extras = 0;  ///< lower bound of the cycles of the register stage
    /// Per block: arrays that are read continuously; lower bound of the transfers to another row.
    double operands = 0, row_changes = 0;
};

/// One kernel as data: models/upmem/kernels/<name>.toml. Numbers with two entries are indexed by Family.
struct Kernel {
    std::string name, title, source, size, sync;
    WorkShape shape = WorkShape::stream;
    bool calibrated = false;   ///< fitted to measured rows because there is no listing
    bool one_stream = false;   ///< its launches depend on each other, so it cannot be streamed
    std::string listing;       ///< assembly text, "" if there is none
    std::string listing_file;  ///< its name, for messages
    bool shifts = false;       ///< the listing needs a block size that is a power of two
    ListingCounts counts;
    std::vector<std::string> arguments;  ///< words of DPU_INPUT_ARGUMENTS, as names of constants or numbers
    /// AND mask over the words that fill the MRAM before a listing runs.
    double mram_mask = std::numeric_limits<std::uint32_t>::max();

    /// Per element; mram_bytes: bytes that stay resident.
    double element_bytes = 0, input_bytes = 0, output_bytes = 0, mram_bytes = 0;
    double shared_bytes = 0;                                    ///< per element of the whole problem, sent to every DPU
    double shared_fixed = 0, output_fixed = 0, mram_fixed = 0;  ///< per DPU
    double input_arrays = 1, input_calls = 1, output_calls = 1;
    bool output_serial = false;  ///< results are fetched DPU by DPU
    /// Issue slots per element (rows, layers, profile: per multiply-accumulate; search: per step).
    std::array<double, 2> slots{};
    std::array<double, 2> instructions{};              ///< the same without register-file hazards; 0: equal to slots
    std::array<double, 2> row_overhead{};              ///< slots per row (profile: per position of the series)
    double block_overhead = 0;                         ///< instructions per block
    std::array<double, 2> block_hazards{};             ///< slots per block that register conflicts add
    std::array<double, 2> fixed_slots{};               ///< per tasklet and launch
    double reads = 0, writes = 0, write_fraction = 1;  ///< DMA requests per block; share of a block that is written
    double wram_blocks = 0, wram_bytes = 0;            ///< per tasklet: DMA buffers, and other bytes
    double start_cycles = -1;                          ///< until the tasklets are running; < 0: the machine's default
    double serial_slots = 0;                           ///< per element under a lock
    bool equal_shares = false;                         ///< every tasklet takes the same number of elements, rounded up
    /// rows_together 0: rows are distributed block by block.
    double layers = 1, row_macs = 0, mac_bytes = 0, rows_together = 1;
    double element_queries = 0, steps = 0;  ///< search: queries per element; steps 0: log2(size) + steps_extra
    std::array<double, 2> step_bytes{}, steps_extra{};         ///< step_bytes 0: the DMA block
    double query = 0, block_bytes = 0;                         ///< profile: elements of the query, its own DMA block
    double column_tiles = 0, tile_rows = 0, tile_columns = 0;  ///< tiles: number across the matrix; elements of each
    std::array<double, 2> look_slots{}, move_slots{};          ///< tiles: to examine a row, to move one
    std::array<double, 2> look_locked{}, move_locked{};        ///< the part of these that holds the lock of the flags
    double flag_bytes = 0;                                     ///< tiles: per request for a flag
    double host_elements = 0;                                  ///< per DPU, added by the host one after the other
    /// Merging of the results of streams in the DPU: elements per stream, elements per element of the later streams,
    /// bytes and slots of one, whether it is written back. All 0: results of streams are not merged.
    double merge_fixed = 0, merge_share = 0, merge_bytes = 0, merge_writes = 0;
    std::array<double, 2> merge_slots{};
    [[nodiscard]] bool merges() const { return merge_bytes > 0.0; }
    double launch = 0, exchange = 0;  ///< s, real hardware only: cost of a launch, work of the host between launches
};

/// Reads a kernel file and the listing it names. Every number has a unit and a source. Throws InputError with file and
/// line of every error.
[[nodiscard]] Kernel load_kernel(std::filesystem::path const& file);

/// Names (file stems) of the kernels in models/upmem/kernels, sorted.
[[nodiscard]] std::vector<std::string> kernel_names();
/// The file of a kernel: in models/upmem/kernels, or a file of the user (own_file.hpp).
[[nodiscard]] std::filesystem::path kernel_file(std::string const& name);

}  // namespace pimdse::models::upmem

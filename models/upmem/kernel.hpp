#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

/// Which machine a number of a kernel was taken on: the real one, or the simulator whose presets are offered.
enum class Family : std::uint8_t { hardware, upimulator };

/// How a kernel's work is cut up.
///   stream  contiguous elements in DMA blocks, dealt to the tasklets in turn
///   even    elements shared evenly, DMA folded into the slots
///   rows    matrix rows; element = row
///   layers  square matrices of size x size, one launch each
///   search  dependent reads, log2(size) of them per query
///   profile blocks of a series against a query; every tasklet takes as many of them
///   tiles   a matrix transposed in column tiles, one per DPU and round; two launches each
enum class WorkShape : std::uint8_t { stream, even, rows, layers, search, profile, tiles };

/// What a listing executes, counted in its text: instructions, transfers among them. All 0: nobody has counted.
struct ListingCounts {
    double start = 0, skip = 0;         ///< of main before the first block; beyond that per tasklet before it
    double lead = 0, loaded = 0;        ///< of a block, before its first transfer; up to its last read
    double block = 0, element = 0;      ///< of a block, and of each of its elements (rows: of each product)
    double chunk = 0, last = 0;         ///< beyond its blocks, of a query or row; beyond others, of the last block
    double behind_writes = 0, end = 0;  ///< of a block, behind its last write; of main, behind the last block
    double block_extras = 0, element_extras = 0;  ///< cycles of the register stage, at least
    double operands = 0, row_changes = 0;  ///< of a block: arrays read on and on; transfers in another row, at least
};

/// One kernel as data: models/upmem/kernels/<name>.toml. Numbers with two entries are indexed by Family.
struct Kernel {
    std::string name, title, source, size, sync;
    WorkShape shape = WorkShape::stream;
    bool calibrated = false;   ///< fitted to measured rows, because there is no listing
    bool one_stream = false;   ///< its launches depend on each other: nothing to stream
    std::string listing;       ///< assembly text, "" if there is none
    std::string listing_file;  ///< its name, for messages
    bool shifts = false;       ///< the listing needs a block of a power of two
    ListingCounts counts;
    std::vector<std::string> arguments;  ///< words of DPU_INPUT_ARGUMENTS, as names of constants or numbers
    double mram_mask =
        std::numeric_limits<std::uint32_t>::max();  ///< AND over the words that fill the MRAM before a listing runs

    double element_bytes = 0, input_bytes = 0, output_bytes = 0,
           mram_bytes = 0;                                      ///< per element; mram: what stays resident
    double shared_bytes = 0;                                    ///< per element of the whole problem, to every DPU
    double shared_fixed = 0, output_fixed = 0, mram_fixed = 0;  ///< per DPU
    double input_arrays = 1, input_calls = 1, output_calls = 1;
    bool output_serial = false;  ///< results are fetched DPU by DPU
    std::array<double, 2>
        slots{};  ///< issue slots per element (rows, layers, profile: per multiply-accumulate; search: per step)
    std::array<double, 2> instructions{};              ///< the same without register-file hazards; 0: as slots
    std::array<double, 2> row_overhead{};              ///< slots per row (profile: per position of the series)
    double block_overhead = 0;                         ///< instructions per block
    std::array<double, 2> block_hazards{};             ///< slots per block that register conflicts add to them
    std::array<double, 2> fixed_slots{};               ///< per tasklet and launch
    double reads = 0, writes = 0, write_fraction = 1;  ///< DMA requests per block; share of a block that is written
    double wram_blocks = 0, wram_bytes = 0;            ///< per tasklet: DMA buffers, and bytes beside them
    double start_cycles = -1;                          ///< until the tasklets are under way; < 0: the machine's default
    double serial_slots = 0;                           ///< per element under a lock
    bool equal_shares = false;                         ///< every tasklet takes the same number of elements, rounded up
    double layers = 1, row_macs = 0, mac_bytes = 0,
           rows_together = 1;               ///< rows_together 0: rows are shared block by block
    double element_queries = 0, steps = 0;  ///< search: queries per element; steps 0: log2(size) + steps_extra
    std::array<double, 2> step_bytes{}, steps_extra{};         ///< step_bytes 0: the DMA block
    double query = 0, block_bytes = 0;                         ///< profile: elements of the query, its own DMA block
    double column_tiles = 0, tile_rows = 0, tile_columns = 0;  ///< tiles: across the matrix; elements of each
    std::array<double, 2> look_slots{}, move_slots{};          ///< tiles: to look at a row, to carry one
    std::array<double, 2> look_locked{}, move_locked{};        ///< of them, those that hold the lock of the flags
    double flag_bytes = 0;                                     ///< tiles: per request for a flag
    double host_elements = 0;                                  ///< per DPU, that the host adds one after the other
    double launch = 0, exchange = 0;  ///< s, real hardware only: cost of a launch, work of the host between launches
};

/// Reads a kernel file and the listing it names. Every number has a unit and a source. Throws InputError naming file
/// and line of every mistake.
[[nodiscard]] Kernel load_kernel(std::filesystem::path const& file);

/// Names (file stems) of the kernels in models/upmem/kernels, sorted.
[[nodiscard]] std::vector<std::string> kernel_names();
/// The file of a kernel: in models/upmem/kernels, or the user's own (own_file.hpp).
[[nodiscard]] std::filesystem::path kernel_file(std::string const& name);

}  // namespace pimdse::models::upmem

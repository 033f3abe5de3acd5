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

/// What a number of a kernel file may be, both ends included, in SI. Beyond it nothing can be built, or products
/// would not fit 64 bits.
struct NumberLimits {
    double lower = 0.0, upper = 1'000'000'000'000;
};

class KernelTable;  // kernel.cpp: the table [numbers] of a kernel file while it is read

/// What a struct derives from whose numbers read themselves from a kernel file where they are declared. Without a file,
/// they have the usual value. Of a table that is being read only.
class KernelNumbers {
  public:
    KernelNumbers() = default;
    KernelNumbers(KernelTable* table) : table_(table) {}
    KernelNumbers(KernelNumbers const&) noexcept {}
    KernelNumbers& operator=(KernelNumbers const&) noexcept { return *this; }
    ~KernelNumbers() = default;

  protected:
    [[nodiscard]] double number(std::string const& name, NumberLimits limits = {}, double usual = 0.0) const;
    /// `name` for both families, or an entry for each; indexed by Family.
    [[nodiscard]] std::array<double, 2> numbers(std::string const& name, NumberLimits limits = {}) const {
        double const both = number(name, limits);
        return {number(name + "_hardware", limits, both), number(name + "_upimulator", limits, both)};
    }
    [[nodiscard]] KernelTable* table() const { return table_; }

  private:
    KernelTable* table_ = nullptr;
};

/// Counts of the instructions that a listing executes, including transfers, taken from its text. All 0: not counted.
struct ListingCounts : KernelNumbers {
    /// In main before the first block; per preceding tasklet, in addition.
    double start = number("listing_start"), skip = number("listing_skip");
    /// Per block, before its first transfer; up to its last read.
    double lead = number("listing_lead"), loaded = number("listing_loaded");
    /// Per block, and per element of a block (rows: per product).
    double block = number("listing_block"), element = number("listing_element");
    /// Per query or row, beyond its blocks; for the last block, beyond other blocks.
    double chunk = number("listing_chunk"), last = number("listing_last");
    /// Per block, after its last write; in main, after the last block.
    double behind_writes = number("listing_behind_writes"), end = number("listing_end");
    /// Lower bound of the cycles of the register stage.
    double block_extras = number("listing_block_extras"), element_extras = number("listing_element_extras");
    /// Per block: arrays that are read continuously; lower bound of the transfers to another row.
    double operands = number("listing_operands"), row_changes = number("listing_row_changes");
};

/// One kernel as data: models/upmem/kernels/<name>.toml. Numbers with two entries are indexed by Family.
struct Kernel : KernelNumbers {
    std::string name, title, source, size, sync;
    WorkShape shape = WorkShape::stream;
    bool calibrated = false;   ///< fitted to measured rows because there is no listing
    bool one_stream = false;   ///< its launches depend on each other, so it cannot be streamed
    std::string listing;       ///< assembly text, "" if there is none
    std::string listing_file;  ///< its name, for messages
    bool shifts = false;       ///< the listing needs a block size that is a power of two
    ListingCounts counts{table()};
    std::vector<std::string> arguments;  ///< words of DPU_INPUT_ARGUMENTS, as names of constants or numbers
    /// AND mask over the words that fill the MRAM before a listing runs.
    double mram_mask = number("mram_mask", {0, words}, words);

    /// Per element; mram_bytes: bytes that stay resident.
    double element_bytes = number("element_bytes", {0, 0x1p20}), input_bytes = number("input_bytes"),
           output_bytes = number("output_bytes"), mram_bytes = number("mram_bytes");
    double shared_bytes = number("shared_bytes");  ///< per element of the whole problem, sent to every DPU
    double shared_fixed = number("shared_fixed"), output_fixed = number("output_fixed"),
           mram_fixed = number("mram_fixed");  ///< per DPU
    double input_arrays = number("input_arrays", {}, 1), input_calls = number("input_calls", {}, 1),
           output_calls = number("output_calls", {}, 1);
    bool output_serial = number("output_serial") != 0.0;  ///< results are fetched DPU by DPU
    /// Issue slots per element (rows, layers, profile: per multiply-accumulate; search: per step).
    std::array<double, 2> slots = numbers("slots", {0, 1e9});
    std::array<double, 2> instructions = numbers("instructions");    ///< without register hazards; 0: equal to slots
    std::array<double, 2> row_overhead = numbers("row_overhead");    ///< slots per row (profile: per position)
    double block_overhead = number("block_overhead");                ///< instructions per block
    std::array<double, 2> block_hazards = numbers("block_hazards");  ///< slots per block that register conflicts add
    std::array<double, 2> fixed_slots = numbers("fixed_slots");      ///< per tasklet and launch
    double reads = number("reads", {0, 64}), writes = number("writes", {0, 64});  ///< DMA requests per block
    double write_fraction = number("write_fraction", {}, 1);                      ///< of a block that is written
    /// Per tasklet: DMA buffers, and other bytes.
    double wram_blocks = number("wram_blocks"), wram_bytes = number("wram_bytes");
    /// Until the tasklets are running; < 0: the machine's default.
    double start_cycles = number("start_cycles", {-1, 1e12}, -1);
    double serial_slots = number("serial_slots");       ///< per element under a lock
    bool equal_shares = number("equal_shares") != 0.0;  ///< every tasklet takes as many elements, rounded up
    /// rows_together 0: rows are distributed block by block.
    double layers = number("layers", {1, 1e5}, 1), row_macs = number("row_macs", {0, 0x1p30}),
           mac_bytes = number("mac_bytes", {0, 0x1p10}), rows_together = number("rows_together", {0, 0x1p12}, 1);
    /// search: queries per element; steps 0: log2(size) + steps_extra.
    double element_queries = number("element_queries", {0, 1e6}), steps = number("steps", {0, 0x1p10});
    std::array<double, 2> step_bytes = numbers("step_bytes", {0, 0x1p20});  ///< 0: the DMA block
    std::array<double, 2> steps_extra = numbers("steps_extra", {-64, 64});
    /// profile: elements of the query, its own DMA block.
    double query = number("query", {0, 0x1p20}), block_bytes = number("block_bytes", {0, 2048});
    /// tiles: number across the matrix; elements of each.
    double column_tiles = number("column_tiles", {0, 0x1p20}), tile_rows = number("tile_rows", {0, 256}),
           tile_columns = number("tile_columns", {0, 256});
    /// tiles: to examine a row, to move one; the part of these that holds the lock of the flags.
    std::array<double, 2> look_slots = numbers("look_slots"), move_slots = numbers("move_slots"),
                          look_locked = numbers("look_locked"), move_locked = numbers("move_locked");
    double flag_bytes = number("flag_bytes", {0, 2048});  ///< tiles: per request for a flag
    double host_elements = number("host_elements");       ///< per DPU, added by the host one after the other
    /// Merging of the results of streams in the DPU: elements per stream, elements per element of the later streams,
    /// bytes and slots of one, whether it is written back. All 0: results of streams are not merged.
    double merge_fixed = number("merge_fixed", {0, 0x1p16}), merge_share = number("merge_share", {0, 1}),
           merge_bytes = number("merge_bytes", {0, 2048}), merge_writes = number("merge_writes", {0, 1});
    std::array<double, 2> merge_slots = numbers("merge_slots", {0, 1e9});
    [[nodiscard]] bool merges() const { return merge_bytes > 0.0; }
    /// s, real hardware only: cost of a launch, work of the host between launches.
    double launch = number("launch"), exchange = number("exchange");

  private:
    static constexpr double words = std::numeric_limits<std::uint32_t>::max();
};

/// Reads a kernel file and the listing it names. Every number has a unit and a source. Throws InputError with file and
/// line of every error.
[[nodiscard]] Kernel load_kernel(std::filesystem::path const& file);

/// Names (file stems) of the kernels in models/upmem/kernels, sorted.
[[nodiscard]] std::vector<std::string> kernel_names();
/// The file of a kernel: in models/upmem/kernels, or a file of the user (own_file.hpp).
[[nodiscard]] std::filesystem::path kernel_file(std::string const& name);

}  // namespace pimdse::models::upmem

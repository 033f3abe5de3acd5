#include "models/upmem/listing_check.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/upmem/cycle.hpp"
#include "models/upmem/lower_bounds.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/plan.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <string>

namespace pimdse::models::upmem {
namespace {

using sim::as_double;

/// Listings that run longer are checked for smaller sizes only.
constexpr double instructions_checked = 60'000;
constexpr std::int64_t cycles_checked = std::int64_t{1} << 21;

/// Compares one launch of a listing with the counts of its kernel file.
class Comparison {
  public:
    Comparison(Prepared const& p, Design const& d, Task const& task, std::string const& file)
        : p_(p), d_(d), task_(task), kernel_(p.kernels[d.kernel]), file_(file), program_(count_program(p, d, task)) {}

    [[nodiscard]] bool too_long() const { return program_.all > instructions_checked && task_.elements > 1; }

    void run() {
        auto interpreter = make_interpreter(p_, d_, task_.elements);
        ListingTrace trace(interpreter, sim::whole_part(p_.machine.row_bytes.si), sim::whole_part(program_.reads));
        auto const run = run_listing(p_, d_, trace, cycles_checked);
        auto const executed = as_double(run.counters.instructions);
        if (!run.ended) {
            if (program_.exact) at_least("instructions in total (listing_*)", program_.all, executed);
            return;
        }
        if (program_.exact) same("instructions in total (listing_*)", program_.all, executed);
        at_most("instructions in total (listing_*)", program_.all, executed);
        transfers(trace);
        tasklets(trace);
        times(run);
    }

  private:
    void transfers(ListingTrace const& trace) const {
        auto const blocks = as_double(program_.blocks), whole = blocks - 1.0;
        auto const bytes = [&](double each, BlockBytes const& of) { return each * (whole * of.whole + of.last); };
        same("reads from MRAM (reads)", blocks * program_.reads, as_double(trace.reads()));
        same("writes to MRAM (writes)", blocks * program_.writes, as_double(trace.writes()));
        // Transfers move whole words of 8 B.
        at_most("bytes read from MRAM (element_bytes, reads)", bytes(program_.reads, program_.read_bytes),
                as_double(trace.bytes_read()));
        at_most("bytes written to MRAM (element_bytes, writes)", bytes(program_.writes, program_.write_bytes),
                as_double(trace.bytes_written()));
        at_most("distinct rows of MRAM (listing_operands)", program_.rows, as_double(trace.distinct_rows()));
        at_most("transfers to another row than the previous one (listing_row_changes)", program_.row_changes,
                as_double(trace.row_changes()));
        at_least("rows that transfers touch (reads, writes)", program_.rows_max, as_double(trace.rows_touched()));
    }

    /// Checks each tasklet that has a block: before its first transfer, up to the last read of its first block, after
    /// all transfers.
    void tasklets(ListingTrace const& trace) const {
        double const after = program_.writes > 0.0 ? program_.behind_writes : program_.behind_reads_min;
        for (std::int64_t t = 0; t < d_.tasklets; ++t) {
            auto const& tasklet = trace.of(static_cast<std::size_t>(t));
            if (tasklet.transfers == 0) continue;
            double const boot = LaunchProgram::boot - (t + 1 == d_.tasklets ? 1.0 : 0.0);
            double const begun = boot + program_.start + as_double(t) * kernel_.counts.skip;
            at_most("instructions before the first transfer (listing_start, listing_lead)",
                    boot + program_.start + program_.lead_min, as_double(tasklet.before_first));
            if (program_.reads > 0.0 && tasklet.loaded > 0)
                at_least("instructions up to the last read of a block (listing_start, listing_loaded)",
                         begun + program_.max_loaded, as_double(tasklet.loaded));
            at_most("instructions after the last transfer (listing_behind_writes, listing_block, listing_end)",
                    after + program_.finish, as_double(tasklet.instructions - tasklet.at_last));
        }
    }

    void times(CycleRun const& run) const {
        auto const lower = launch_lower_bound(p_, d_, task_);
        at_most("cycles of the register stage (listing_block_extras, listing_element_extras)", program_.extras_min,
                as_double(run.counters.hazard_cycles));
        at_most("cycles (listing_*)", lower.cycles - std::max(0.0, kernel_.start_cycles),
                as_double(run.counters.cycles));
        at_most("busy cycles of MRAM (reads, writes, listing_operands)", lower.dma_busy_min, run.dma_busy);
        at_least("busy cycles of MRAM (reads, writes, listing_operands)", lower.dma_busy_max, run.dma_busy);
    }

    void same(std::string_view what, double stated, double run) const {
        if (stated != run) refuse(what, "", stated, run);
    }
    void at_most(std::string_view what, double stated, double run) const {
        if (stated > run * (1.0 + 0x1p-30)) refuse(what, "at least ", stated, run);
    }
    void at_least(std::string_view what, double stated, double run) const {
        if (stated < run * (1.0 - 0x1p-30)) refuse(what, "at most ", stated, run);
    }
    [[noreturn]] void refuse(std::string_view what, std::string_view how, double stated, double run) const {
        throw sim::InputError(fmt::format(
            "{}: its counts state {}{:.10g} {}, but the listing {} executes {:.10g} ({} elements, {} tasklets, "
            "dma_block {}; bounds depend on the counts). Count again, or leave out all listing_*?",
            file_, how, stated, what, kernel_.listing_file, run, task_.elements, d_.tasklets, d_.dma_block));
    }

    Prepared const& p_;
    Design const& d_;
    Task const& task_;
    Kernel const& kernel_;
    std::string const& file_;
    LaunchProgram program_;
};

Design design_of(Prepared const& p, std::size_t kernel) {
    Design d;
    d.kernel = kernel;
    d.dpus = d.ranks = d.streams = 1;
    d.preset = Preset::upimulator_go;
    d.frequency = p.machine.frequency;
    return d;
}

/// An error in the listing is reported when the listing is to run.
bool assembles(Prepared const& p, Design d) {
    d.tasklets = 1;
    d.dma_block = 64;
    try {
        (void)make_interpreter(p, d, 1);
        return true;
    } catch (sim::InputError const&) {
        return false;
    }
}

void check_launch(Prepared const& p, Design const& d, std::string const& file) {
    if (check_design(p, d)) return;
    auto const made = plan(p, d);
    if (check_memory(p, d, made)) return;
    auto const& task = made.launches.front().task;
    if (!runs_listing(p.kernels[d.kernel], d, task)) return;
    Comparison comparison(p, d, task, file);
    if (!comparison.too_long()) comparison.run();
}

}  // namespace

std::shared_ptr<void const> prepare_checked(Parameters const& table, ModelOptions const& options) {
    auto prepared = prepare(table, options);
    auto const& kernels = table[static_cast<std::size_t>(find_parameter(table, "kernel"))].choices;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (names_own_file(kernels[i])) check_listing(*static_cast<Prepared const*>(prepared.get()), i, kernels[i]);
    return prepared;
}

void check_listing(Prepared const& p, std::size_t kernel, std::string const& file) {
    auto const& counts = p.kernels[kernel].counts;
    if (p.kernels[kernel].listing.empty() || counts.block + counts.element <= 0.0) return;
    Design d = design_of(p, kernel);
    if (!assembles(p, d)) return;
    std::size_t turn = 0;
    constexpr std::array bandwidths{60'000'000LL, 700'000'000LL, 9'000'000'000LL};
    for (std::int64_t const block : {8, 64, 256, 1024, 2048}) {
        for (std::int64_t const elements : {1, 7, 50, 333, 998, 2048}) {
            for (std::int64_t const tasklets : {1, 2, 5, 11, 16, 24}) {
                d.dma_block = block;
                d.elements = elements;
                d.tasklets = tasklets;
                d.dispatch_distance = turn % 4 == 3 ? 1 : 11;
                d.mram_bandwidth = sim::Bandwidth{as_double(bandwidths[turn++ % bandwidths.size()])};
                check_launch(p, d, file);
            }
        }
    }
}

dpu::Symbols listing_symbols(Kernel const& k, Design const& d, std::int64_t elements) {
    auto const bytes = sim::whole_part(static_cast<double>(elements) * k.element_bytes);
    auto const row = sim::whole_part(k.row_macs * k.mac_bytes);
    std::int64_t const units = k.shape == WorkShape::stream ? sim::divide_up(bytes, d.dma_block) : elements;
    dpu::MemoryMap const layout;
    return {{"TASKLETS", d.tasklets},
            {"BLOCK", d.dma_block},
            {"LOG2_BLOCK", std::countr_zero(static_cast<std::uint64_t>(d.dma_block))},
            {"BLOCK_LENGTH", d.dma_block / 8 - 1},
            {"BLOCK_WORDS", d.dma_block / 4},
            {"ALL_BLOCKS", d.tasklets * d.dma_block},
            {"ELEMENTS", elements},
            {"BYTES", bytes},
            {"AREA_BYTES", sim::round_up(bytes, 8)},
            {"ITERATIONS", sim::divide_up(units, d.tasklets)},
            {"ROW_BYTES", row},
            {"ROW_STEP", d.tasklets * row},
            {"ROWS_PER_TASKLET", sim::divide_up(elements, d.tasklets)},
            {"VECTOR_OFFSET", sim::round_up(elements, d.tasklets) * row},
            {"DPU_INPUT_ARGUMENTS", layout.arguments},
            {"__sys_heap_pointer_reset", layout.heap},
            {"__sys_used_mram_end", layout.data}};
}

bool listing_reads_block(Kernel const& k) {
    Design small, large;
    small.tasklets = large.tasklets = 1;
    small.dma_block = 8;
    large.dma_block = 64;
    std::int64_t const elements = 1 << 20;
    auto const before = listing_symbols(k, small, elements), after = listing_symbols(k, large, elements);
    return std::any_of(before.begin(), before.end(), [&](auto const& symbol) {
        auto const& [name, value] = symbol;
        bool const is_named = k.listing.find(name) != std::string::npos ||
                              std::find(k.arguments.begin(), k.arguments.end(), name) != k.arguments.end();
        return is_named && after.at(name) != value;
    });
}

dpu::Issued ListingTrace::issue(std::size_t tasklet) {
    auto const issued = listing_.issue(tasklet);
    auto& trace = tasklets_[tasklet];
    if (issued.kind == dpu::Issued::Kind::transfer) count(issued, trace);
    ++trace.instructions;
    return issued;
}

void ListingTrace::count(dpu::Issued const& transfer, TaskletTrace& tasklet) {
    if (tasklet.before_first < 0) tasklet.before_first = tasklet.instructions;
    if (!transfer.to_mram && ++tasklet.reads == reads_) tasklet.loaded = tasklet.instructions + 1;
    tasklet.at_last = tasklet.instructions + 1;
    ++tasklet.transfers;
    ++all_.transfers;
    if (!transfer.to_mram) ++all_.reads;
    bytes_[transfer.to_mram ? 1 : 0] += transfer.bytes;
    auto const first = static_cast<std::int64_t>(transfer.mram) / row_bytes_;
    auto const last = (static_cast<std::int64_t>(transfer.mram) + transfer.bytes - 1) / row_bytes_;
    for (auto row = first; row <= last; ++row) {
        rows_.insert(row);
        ++rows_touched_;
        if (row != tasklet.last_row) ++tasklet.row_changes, ++all_.row_changes;
        tasklet.last_row = row;
    }
}

}  // namespace pimdse::models::upmem

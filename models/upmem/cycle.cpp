#include "models/upmem/cycle.hpp"

#include "models/upmem/cost.hpp"
#include "models/upmem/listing_check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::upmem {

namespace {

dpu::BankTiming bank_timing(MachineConstants const& f) {
    return {
        f.t_rcd, f.t_ras, f.t_rp, f.t_cl, f.t_bl, sim::whole_part(f.row_bytes.si), sim::whole_part(f.access_bytes.si)};
}

template <class Source, class Memory>
CycleRun run(Source& source, Memory& memory, Design const& d, std::int64_t limit) {
    dpu::Core<Source, Memory> core(source, memory,
                                   {static_cast<int>(d.tasklets), static_cast<int>(d.dispatch_distance), limit});
    CycleRun result;
    result.counters = core.run();
    result.ended = core.finished();
    result.dma_busy = memory.busy_cycles();
    return result;
}

template <class Source>
CycleRun run_on(Source& source, Prepared const& p, Design const& d, std::int64_t limit) {
    if (d.preset == Preset::hardware) {
        DmaLaw const law = dma_law(p, d);
        dpu::ServerMemory memory(law.setup, law.per_byte, dpu::pipeline_depth);
        return run(source, memory, d, limit);
    }
    dpu::BankMemory memory(bank_timing(p.machine), memory_clock(p, d));
    return run(source, memory, d, limit);
}

using sim::as_double;

/// Rows that a transfer touches: the minimum, and the maximum if it may begin anywhere in a row.
double rows_min(double bytes, double row) { return std::ceil(bytes / row); }
double rows_max(double bytes, double row, bool aligned) {
    bool const fits = aligned && (std::fmod(row, bytes) == 0.0 || std::fmod(bytes, row) == 0.0);
    return rows_min(bytes, row) + (fits ? 0.0 : 1.0);
}

void set_rows_max(LaunchProgram& p, double row, bool aligned) {
    double const of_block =
        p.reads * rows_max(p.read_bytes.whole, row, aligned) + p.writes * rows_max(p.write_bytes.whole, row, aligned);
    p.rows_max = as_double(p.blocks) * of_block;
}

/// Counts of BlockProgram, which rounds the cumulative number of instructions at each block.
class GeneratedProgram {
  public:
    explicit GeneratedProgram(dpu::BlockWork const& work)
        : work_(work), transfers_(static_cast<double>(work.reads + work.writes)), whole_(std::floor(work.per_block)) {}

    [[nodiscard]] double min() const { return std::max(whole_, transfers_); }
    [[nodiscard]] double last() const { return std::max(transfers_, upto(work_.blocks) - upto(work_.blocks - 1)); }
    /// `n` whole blocks in a row.
    [[nodiscard]] double of_whole(std::int64_t n) const {
        return whole_ >= transfers_ ? std::floor(as_double(n) * work_.per_block) : as_double(n) * transfers_;
    }
    /// All blocks; exact.
    [[nodiscard]] double all() const {
        double const before = whole_ >= transfers_ ? upto(work_.blocks - 1) : as_double(work_.blocks - 1) * transfers_;
        return before + last();
    }
    /// Address instructions before each transfer.
    [[nodiscard]] double lead_min() const { return std::min(lead(min()), lead(last())); }
    [[nodiscard]] double lead_max() const { return std::max(lead(std::ceil(work_.per_block)), lead(last())); }
    /// Instructions after the last read of a block without writes.
    [[nodiscard]] double computed_min() const {
        return std::min({computed(min()), computed(std::ceil(work_.per_block)), computed(last())});
    }

  private:
    [[nodiscard]] double upto(std::int64_t block) const {
        double const sum = block >= work_.blocks ? work_.instructions
                                                 : std::min(work_.instructions, as_double(block) * work_.per_block);
        return std::floor(sum + 0.5);
    }
    [[nodiscard]] double lead(double count) const {
        return transfers_ > 0.0 && count >= (dpu::address_instructions + 1) * transfers_
                   ? as_double(dpu::address_instructions)
                   : 0.0;
    }
    [[nodiscard]] double computed(double count) const {
        return std::max(0.0, count - transfers_ * (1.0 + lead(count)));
    }

    dpu::BlockWork const& work_;
    double transfers_, whole_;
};

/// The operands are stored one after the other, each from the start of a row, as long as addresses do not wrap around.
void set_generated_rows(LaunchProgram& p, double row) {
    double const area = as_double(p.blocks) * std::max(p.read_bytes.whole, p.write_bytes.whole) + row;
    double const of_block = p.reads * rows_min(p.read_bytes.whole, row) + p.writes * rows_min(p.write_bytes.whole, row);
    bool const wraps = (p.reads + p.writes) * area > as_double(dpu::address_space);
    bool const always_changes = p.reads + p.writes > 1.0 || p.read_bytes.whole > row || p.write_bytes.whole > row;
    if (!wraps && always_changes) p.row_changes = as_double(p.blocks) * of_block;
    if (!wraps) {
        p.rows = p.reads * std::ceil(as_double(p.blocks) * p.read_bytes.whole / row) +
                 p.writes * std::ceil(as_double(p.blocks) * p.write_bytes.whole / row);
    }
    set_rows_max(p, row, true);
}

void set_extras(LaunchProgram& p, double per_instruction, double instructions) {
    double const max = as_double(dpu::max_extras);
    p.extras_max = std::min(max, std::ceil(per_instruction));
    p.extras_min = std::max(0.0, instructions * std::min(max, per_instruction) - as_double(p.tasklets));
}

/// The generated program. Hazards are register conflicts; they are fewer than the slots they cost, because each also
/// leaves bubbles.
dpu::BlockWork block_work(MachineConstants const& f, Design const& d, DpuWork const& w) {
    dpu::BlockWork work;
    work.extras = (w.slots_per_instruction() - 1.0) / f.allowance.hazard_bubbles;
    work.tasklets = static_cast<int>(d.tasklets);
    work.blocks = w.blocks;
    work.chunk = w.chunk;
    work.fixed = w.fixed_slots;
    work.instructions = w.total_instructions - static_cast<double>(d.tasklets) * w.fixed_slots;
    work.per_block = w.instructions_per_block;
    work.reads = static_cast<int>(w.reads);
    work.writes = static_cast<int>(w.writes);
    work.read_bytes = static_cast<std::uint32_t>(w.read_bytes);
    work.write_bytes = static_cast<std::uint32_t>(w.write_bytes);
    return work;
}

LaunchProgram generated_program(MachineConstants const& f, Design const& d, DpuWork const& w) {
    auto const work = block_work(f, d, w);
    GeneratedProgram const generated(work);
    LaunchProgram p;
    p.tasklets = d.tasklets;
    p.blocks = w.blocks;
    p.chunk = w.chunk;
    p.reads = as_double(work.reads);
    p.writes = as_double(work.writes);
    p.read_bytes = {as_double(work.read_bytes), as_double(work.read_bytes)};
    p.write_bytes = {as_double(work.write_bytes), as_double(work.write_bytes)};
    p.start = as_double(std::llround(work.fixed));
    p.lead_min = generated.lead_min();
    p.max_loaded = p.reads * (1.0 + generated.lead_max());
    p.between_writes_max = generated.lead_max();
    p.behind_reads_min = generated.computed_min();
    p.chunk_min = generated.of_whole(w.chunk);
    p.last_chunk_blocks = w.blocks - (sim::divide_up(w.blocks, w.chunk) - 1) * w.chunk;
    p.last_chunk_min = generated.of_whole(p.last_chunk_blocks - 1) + generated.last();
    double const of_blocks = generated.all();
    p.all = of_blocks + as_double(p.tasklets) * (LaunchProgram::boot + p.start + p.finish) - 1.0;
    set_extras(p, work.extras, of_blocks - p.transfers());
    set_generated_rows(p, f.row_bytes.si);
    return p;
}

/// Elements of a chunk of whole blocks, and of the last one.
struct ChunkElements {
    double whole = 0.0, last = 0.0;
};

ChunkElements chunk_elements(Kernel const& k, Design const& d, Task const& task) {
    double const share = as_double(sim::divide_up(task.elements, d.tasklets));
    if (k.shape == WorkShape::even) return {share, share};
    if (k.shape == WorkShape::rows) return {k.row_macs, k.row_macs};
    if (k.shape != WorkShape::stream || k.element_bytes <= 0.0) return {};
    double const whole = as_double(d.dma_block) / k.element_bytes;
    double const last = as_double(task.elements) - as_double(task.work.blocks - 1) * whole;
    return {whole, k.equal_shares ? whole : last};
}

void set_listing_sizes(LaunchProgram& p, Kernel const& k, Design const& d, ChunkElements const& of, double row) {
    auto const block = as_double(d.dma_block);
    p.read_bytes = p.write_bytes = {block, k.shape == WorkShape::stream ? of.last * k.element_bytes : block};
    double const operand = as_double(p.blocks - 1) * block + p.read_bytes.last;
    // From the last transfer of a block to the first one of the tasklet's next block, the row changes as well.
    double const back = std::abs(operand - as_double(p.tasklets) * block);
    bool const apart = k.shape != WorkShape::stream || (operand >= row && back >= row);
    bool const aligned = k.shape == WorkShape::rows || k.counts.operands <= 1.0 || std::fmod(operand, row) == 0.0;
    if (apart) p.row_changes = as_double(p.blocks) * k.counts.row_changes;
    p.rows = std::floor(k.counts.operands * as_double(p.blocks - 1) * block / row);
    set_rows_max(p, row, aligned && k.shape != WorkShape::search);
}

LaunchProgram listed_program(Kernel const& k, Design const& d, Task const& task, double row) {
    auto const& c = k.counts;
    auto const& w = task.work;
    LaunchProgram p;
    p.counted = c.block + c.element > 0.0;
    p.tasklets = d.tasklets;
    if (!p.counted) return p;
    auto const of = chunk_elements(k, d, task);
    p.exact = w.serial_slots == 0.0;
    p.blocks = w.blocks;
    p.chunk = w.chunk;
    p.reads = w.reads;
    p.writes = w.writes;
    p.start = c.start;
    p.finish = 1.0 + c.end;
    p.lead_min = c.lead;
    p.max_loaded = c.loaded + c.last;  // a block is shortened before it is read
    p.behind_reads_min = std::max(0.0, c.block - c.loaded);
    p.behind_writes = c.behind_writes;
    p.last_chunk_blocks = w.blocks - (sim::divide_up(w.blocks, w.chunk) - 1) * w.chunk;
    p.chunk_min = as_double(w.chunk) * c.block + c.chunk + of.whole * c.element;
    p.last_chunk_min = p.chunk_min + c.last + (of.last - of.whole) * c.element;
    auto const chunks = as_double(sim::divide_up(w.blocks, w.chunk)), tasklets = as_double(p.tasklets);
    double const of_blocks = (chunks - 1.0) * p.chunk_min + p.last_chunk_min;
    p.all = of_blocks + tasklets * (LaunchProgram::boot + p.start + p.finish) - 1.0 +
            c.skip * tasklets * (tasklets - 1.0) / 2.0;
    double const elements = (chunks - 1.0) * of.whole + of.last;
    p.extras_min = elements * c.element_extras + as_double(p.blocks - 1) * c.block_extras;
    p.extras_max = as_double(dpu::max_listed_extras);
    p.locked = w.serial_slots;
    set_listing_sizes(p, k, d, of, row);
    return p;
}

}  // namespace

dpu::Interpreter make_interpreter(Prepared const& p, Design const& d, std::int64_t elements) {
    auto const& k = p.kernels[d.kernel];
    auto const symbols = listing_symbols(k, d, elements);
    std::vector<std::uint32_t> arguments;
    for (auto const& word : k.arguments) {
        auto const found = symbols.find(word);
        if (found == symbols.end())
            throw sim::InputError(fmt::format("kernel {}: argument '{}' is not a known constant", k.name, word));
        arguments.push_back(static_cast<std::uint32_t>(found->second));
    }
    auto program = dpu::assemble(k.listing, k.listing_file, symbols, static_cast<int>(d.tasklets));
    dpu::MemoryMap memories;
    memories.wram_bytes = static_cast<std::uint64_t>(p.machine.wram_size[index(family_of(d.preset))].si);
    memories.mram_bytes = static_cast<std::uint64_t>(p.machine.mram_size.si);
    return {std::move(program), static_cast<int>(d.tasklets), arguments, static_cast<std::uint32_t>(k.mram_mask),
            memories};
}

dpu::MemoryClock memory_clock(Prepared const& p, Design const& d) {
    if (d.preset == Preset::upimulator_go) return {sim::whole_part(memory_ratio(p, d)), 1};
    double const memory = p.machine.memory_clock.si * (d.mram_bandwidth.si / p.machine.memory_bandwidth.si);
    return {sim::whole_part(std::round(memory)), std::llround(d.frequency.si)};
}

CycleRun simulate(Prepared const& p, Design const& d, Task const& task) {
    auto const& k = p.kernels[d.kernel];
    std::int64_t const limit = longest_run(p, d, task);
    if (runs_listing(k, d, task)) {
        auto source = make_interpreter(p, d, task.elements);
        auto listed = run_on(source, p, d, limit);
        if (!listed.ended) listed.place = source.running_at();
        return listed;
    }
    dpu::BlockProgram source(block_work(p.machine, d, task.work));
    return run_on(source, p, d, limit);
}

CycleRun run_listing(Prepared const& p, Design const& d, ListingTrace& listing, std::int64_t limit) {
    return run_on(listing, p, d, limit);
}

double expected_cycles(Prepared const& p, Design const& d, Task const& task) {
    return closed_form(task.work, dma_laws(p, d).usual, d.tasklets, d.dispatch_distance).cycles;
}

std::int64_t longest_run(Prepared const& p, Design const& d, Task const& task) {
    // Rounds of a generated program without register conflicts are counted; others are stepped, 10^7 to 10^8 cycles per
    // second.
    bool const listed = runs_listing(p.kernels[d.kernel], d, task);
    bool const counted = !listed && task.work.slots_per_instruction() == 1.0;
    std::int64_t max = std::int64_t{1} << (counted ? 42 : 36);
    // A listing that takes far longer than its kernel file makes one expect is taken for one that never ends.
    constexpr std::int64_t far_longer = 100;
    constexpr double at_least = 0x1p26;
    double const far = std::max(at_least, sim::as_double(far_longer) * expected_cycles(p, d, task));
    if (listed && far < static_cast<double>(max)) max = sim::whole_part(far);
    return d.preset == Preset::hardware ? max : std::min(max, memory_clock(p, d).beyond());
}

bool runs_listing(Kernel const& k, Design const& d, Task const& task) {
    if (k.listing.empty() || task.elements == 0) return false;
    bool const stands_for_machine = d.preset != Preset::hardware || k.slots[0] == k.slots[1];
    return stands_for_machine && (!k.shifts || std::has_single_bit(static_cast<std::uint64_t>(d.dma_block)));
}

LaunchProgram count_program(Prepared const& p, Design const& d, Task const& task) {
    auto const& k = p.kernels[d.kernel];
    if (runs_listing(k, d, task)) return listed_program(k, d, task, p.machine.row_bytes.si);
    return generated_program(p.machine, d, task.work);
}

}  // namespace pimdse::models::upmem

#include "models/upmem/cycle.hpp"

#include "models/upmem/dpu/server_memory.hpp"
#include "models/upmem/listing_symbols.hpp"
#include "models/upmem/listing_trace.hpp"
#include "models/upmem/program.hpp"

#include <fmt/format.h>
#include <algorithm>
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

}  // namespace

dpu::Interpreter make_interpreter(Kernel const& k, Design const& d, std::int64_t elements) {
    auto const symbols = listing_symbols(k, d, elements);
    std::vector<std::uint32_t> arguments;
    for (auto const& word : k.arguments) {
        auto const found = symbols.find(word);
        if (found == symbols.end())
            throw sim::InputError(fmt::format("kernel {}: argument '{}' is no known constant", k.name, word));
        arguments.push_back(static_cast<std::uint32_t>(found->second));
    }
    auto program = dpu::assemble(k.listing, k.listing_file, symbols, static_cast<int>(d.tasklets));
    return {std::move(program), static_cast<int>(d.tasklets), arguments, static_cast<std::uint32_t>(k.mram_mask)};
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
        auto source = make_interpreter(k, d, task.elements);
        return run_on(source, p, d, limit);
    }
    dpu::BlockProgram source(block_work(p.machine, d, task.work));
    return run_on(source, p, d, limit);
}

CycleRun run_listing(Prepared const& p, Design const& d, ListingTrace& listing, std::int64_t limit) {
    return run_on(listing, p, d, limit);
}

std::int64_t longest_run(Prepared const& p, Design const& d, Task const& task) {
    // Rounds of a made program without register conflicts are counted; others are stepped, 10^7 to 10^8 cycles a
    // second.
    bool const counted = !runs_listing(p.kernels[d.kernel], d, task) && task.work.slots_per_instruction() == 1.0;
    std::int64_t const most = std::int64_t{1} << (counted ? 42 : 36);
    return d.preset == Preset::hardware ? most : std::min(most, memory_clock(p, d).beyond());
}

}  // namespace pimdse::models::upmem

#include "models/umdam/costs.hpp"

#include "models/umdam/written_mapping.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

/// Calls f(x, y) for every count x of `a` and y of `b`.
template <class Call>
void each_count(Commands& a, Commands const& b, Call const& f) {
    for (auto const member : {&Commands::reads, &Commands::writes, &Commands::row_activations}) f(a.*member, b.*member);
    for (auto const member :
         {&Commands::macs, &Commands::bank_reads, &Commands::buffer_writes, &Commands::mac_reads,
          &Commands::cube_operations, &Commands::vector_operations, &Commands::loaded, &Commands::staged})
        f(a.*member, b.*member);
}

Bounded between(Bounded const& lowest, Bounded const& highest, double share) {
    return {lowest.value + share * (highest.value - lowest.value), lowest.lower, highest.upper,
            lowest.kinds.weaker(highest.kinds)};
}

/// A read whose length lies between those of two other reads, at this share of their distance.
Cost between(Cost const& lowest, Cost const& highest, double share) {
    Cost cost;
    cost.seconds = between(lowest.seconds, highest.seconds, share);
    cost.commands.row_activations = between(lowest.commands.row_activations, highest.commands.row_activations, share);
    return cost;
}

/// Sum of floor((a i + b) / m) for i from 0 to n - 1; no term is negative.
double sum_of_floors(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t m) {
    double sum = 0.0;
    while (n > 0) {
        double const count = static_cast<double>(n);
        sum += count * (count - 1.0) / 2.0 * static_cast<double>(a / m) + count * static_cast<double>(b / m);
        a %= m;
        b %= m;
        std::int64_t const max = a * n + b;
        if (max < m) break;
        n = max / m;
        b = max % m;
        std::swap(a, m);
    }
    return sum;
}

/// Content of one bank, summed over contexts of a growing KV cache: bursts, row visits, and visits of full rows.
struct GrowingBanks {
    std::int64_t count, token, begin, burst, row;
    double bursts, visits, full;

    GrowingBanks(Contexts const& c, std::int64_t bytes, std::int64_t banks, Organisation const& o)
        : count(c.count), token(bytes), begin(c.first * bytes), burst(banks * o.burst_bytes), row(banks * o.row_bytes) {
        bursts = sum_of_floors(count, token, begin + burst - 1, burst);
        visits = sum_of_floors(count, token, begin + row - 1, row);
        full = sum_of_floors(count, token, begin + burst - 1, row);
    }
    [[nodiscard]] std::int64_t bursts_at(std::int64_t i) const { return (begin + i * token + burst - 1) / burst; }
    /// Contexts whose last row has at least so many bursts without being full.
    [[nodiscard]] double partial(std::int64_t least) const {
        return sum_of_floors(count, token, begin + row - 1 - (least - 1) * burst, row) - full;
    }
};

}  // namespace

Commands& Commands::operator+=(Commands const& other) {
    each_count(*this, other, [](auto& to, auto const& from) { to += from; });
    return *this;
}

Commands Commands::times(double n) const {
    Commands all;
    each_count(all, *this, [n](auto& to, auto const& from) { to = from * n; });
    return all;
}

Cost& Cost::operator+=(Cost const& other) {
    seconds += other.seconds;
    commands += other.commands;
    return *this;
}

Cost Cost::times(double n) const { return {seconds * n, commands.times(n)}; }

OperationCosts::OperationCosts(Prepared const& prepared, System const& system, Fidelity fidelity)
    : prepared_(prepared),
      system_(system),
      fidelity_(fidelity),
      streams_(prepared.streams, prepared.machine,
               {system.design, system.standard, *system.timing_set, *system.mapping}, fidelity),
      pim_(pim_timing(system.design, system.standard, prepared.machine.pim)),
      replay_(pim_, system.design.refresh == DramRefresh::all_bank ? system.standard.timing.nREFI : 0,
              system.standard.timing.nRFC),
      pim_lower_bound_(pim_),
      refresh_{pim_.refresh_share > 0.0 ? static_cast<double>(system.standard.timing.nREFI) : 0.0} {
    bool const by_columns = system.design.baseline == Baseline::column_in_bank && system.design.engines > 1;
    if (system.read_order != system.mapping || by_columns) {
        weight_streams_.emplace(
            prepared.streams, prepared.machine,
            StreamSurroundings{system.design, system.standard, *system.timing_set, *system.read_order, by_columns},
            fidelity);
    }
    if (system.design.baseline == Baseline::fused) efficiency_ = prepared.machine.baseline.fused_efficiency;
}

Bounded OperationCosts::read_bandwidth(double bytes) const {
    return Bounded(bytes * efficiency_ / system_.standard.clock.si) /
           of_weights().run(bytes, sim::dram::Access::read).cycles;
}

Cost OperationCosts::transfer(double bytes, sim::dram::Access access) const {
    Cost cost;
    if (bytes <= 0.0) return cost;
    auto const run = streams_.run(bytes, access);
    cost.seconds = run.cycles * Bounded(system_.standard.clock.si);
    auto& bursts = access == sim::dram::Access::read ? cost.commands.reads : cost.commands.writes;
    bursts = bytes / system_.standard.organisation.burst_bytes;
    cost.commands.row_activations = run.row_activations;
    return cost;
}

Cost OperationCosts::read(double bytes) const { return transfer(bytes, sim::dram::Access::read); }
Cost OperationCosts::write(double bytes) const { return transfer(bytes, sim::dram::Access::write); }

Cost OperationCosts::copy(double bytes) const {
    double const chunk = std::min(bytes, prepared_.machine.baseline.relayout_chunk.si);
    double const chunks = bytes / chunk;
    Cost cost = read(chunk);
    cost += write(chunk);
    return cost.times(chunks);
}

void OperationCosts::presimulate_weights(std::span<double const> bytes) {
    (weight_streams_ ? *weight_streams_ : streams_).presimulate(bytes);
}

void OperationCosts::presimulate_reads(Contexts const& contexts, double bytes_per_token) {
    if (fidelity_ == Fidelity::analytic) return;
    std::vector<double> bytes;
    for (std::int64_t i = 0; i < contexts.count; ++i)
        bytes.push_back(static_cast<double>(contexts.first + i) * bytes_per_token);
    streams_.presimulate(bytes);
}

/// Analytic level: sets of consecutive contexts. Each read of a set takes at least as long as the one before the set
/// (its first one in the first set) and at most as long as the last of the set; between them, times grow by the same
/// from each to the next.
Cost OperationCosts::growing_reads(Contexts const& contexts, double bytes_per_token, double times) const {
    Cost sum;
    auto const read_at = [&](std::int64_t context) { return read(static_cast<double>(context) * bytes_per_token); };
    if (fidelity_ == Fidelity::cycle) {
        for (std::int64_t i = 0; i < contexts.count; ++i) sum += read_at(contexts.first + i).times(times);
        return sum;
    }
    Cost lowest = read_at(contexts.first);
    for (auto const& [first, count] : counted_together(contexts)) {
        Cost const highest = read_at(first + count - 1);
        double const reads = static_cast<double>(count),
                     mean = first == contexts.first ? 0.5 : (reads + 1.0) / (2.0 * reads);
        sum += between(lowest, highest, mean).times(reads * times);
        lowest = highest;
    }
    double const tokens = static_cast<double>(contexts.count) *
                          (static_cast<double>(contexts.first) + static_cast<double>(contexts.count - 1) / 2.0);
    sum.commands.reads = tokens * bytes_per_token / system_.standard.organisation.burst_bytes * times;
    return sum;
}

/// The walk of a page is waited for, although a prefetcher could hide it.
Cost OperationCosts::page_walks(Bounded const& bytes) const {
    Cost cost;
    auto const& c = prepared_.machine.baseline;
    auto const pages = bytes / Bounded(c.huge_page.si);
    cost.seconds = pages * Bounded(c.page_walk.si);
    cost.commands.reads = cost.commands.row_activations = pages;
    return cost;
}

/// The chips share the outputs in whole tiles, and each has the inputs that it needs in its own memory.
double OperationCosts::staged(GemmShape const& shape) const {
    auto inner = shape;
    std::int64_t const tiles = sim::divide_up(shape.outputs, shape.tile_width),
                       chips = std::min(sim::whole_part(prepared_.machine.npu.chips), tiles);
    inner.buffer = system_.design.npu_l1;
    inner.outputs = std::min(shape.outputs, sim::divide_up(tiles, chips) * shape.tile_width);
    inner.weight_bytes = sim::divide_up(shape.weight_bytes, chips);
    auto const& least = prepared_.min_tilings.get(inner, min_tiling);
    return (least.read + least.write) * static_cast<double>(chips);
}

Cost OperationCosts::gemm(Matrix const& m, double rows, Bounded const& bandwidth) const {
    GemmShape const shape{sim::whole_part(std::max(1.0, std::round(rows))),
                          m.inputs,
                          m.outputs,
                          system_.interleave * 8 / system_.design.stored_bits(),
                          system_.tile_width(),
                          m.bytes,
                          system_.design.npu_buffer,
                          8 * system_.design.activation_bytes(),
                          system_.design.stored_bits()};
    auto const& menu = prepared_.tilings.get(shape, tilings);
    auto const weights = static_cast<double>(m.bytes);
    bool const writes =
        std::any_of(menu.begin(), menu.end(), [](GemmTraffic const& traffic) { return traffic.write > 0.0; });
    auto const reading = of_weights().run(weights, sim::dram::Access::read);
    auto const writing = writes ? streams_.run(weights, sim::dram::Access::write) : reading;
    Bandwidths const bandwidths{bandwidth,
                                writes ? Bounded(weights / system_.standard.clock.si) / writing.cycles : bandwidth};
    // the vector units convert narrow weights to the format of the matrix units, which multiply at the same time
    double const conversions = system_.design.converts_weights() ? m.weights() : 0.0;
    double const flops = system_.design.attained_flops();
    double const passed = system_.design.npu_l1 > 0 ? staged(shape) : 0.0;
    auto const run = chosen_gemm(
        menu,
        std::max({cube_seconds(shape, flops, block()), vector_seconds(conversions, flops, prepared_.machine.npu),
                  first_level_seconds(passed, flops, prepared_.machine.npu)}),
        bandwidths);
    double const burst = system_.standard.organisation.burst_bytes;
    Cost cost;
    cost.seconds = run.seconds;
    cost.commands.reads = run.read / Bounded(burst);
    cost.commands.writes = run.write / Bounded(burst);
    cost.commands.row_activations =
        (reading.row_activations * run.read + writing.row_activations * run.write) / Bounded(weights);
    cost.commands.cube_operations = 2.0 * rows * m.weights();
    cost.commands.vector_operations = conversions;
    cost.commands.staged = passed;
    if (system_.design.baseline == Baseline::facil) cost += page_walks(run.read);
    return cost;
}

Cost OperationCosts::vector(double operations) const {
    Cost cost;
    cost.seconds = vector_seconds(operations, system_.design.attained_flops(), prepared_.machine.npu);
    cost.commands.vector_operations = operations;
    return cost;
}

Cost OperationCosts::blocks(double operations, double share) const {
    Cost cost;
    cost.seconds = operations / share / (system_.design.attained_flops() * block().faster());
    cost.commands.cube_operations = operations;
    return cost;
}

/// The inputs of weighted sums are positions, of which a block of bytes takes several tiles.
Cost OperationCosts::attended(AttentionForm const& form, double tile_pairs, double pairs) const {
    auto const block = this->block();
    double const edge = block.edge;
    double const blocks = tile_pairs * (std::ceil(static_cast<double>(form.key_width) / block.inputs) +
                                        std::ceil(static_cast<double>(form.value_width) / edge) / block.faster());
    Cost cost;
    cost.seconds = blocks * 2.0 * edge * edge * edge / system_.design.attained_flops();
    cost.commands.cube_operations = 2.0 * pairs * static_cast<double>(form.multiplications());
    return cost;
}

/// The queries of a group share their keys: if the positions do not fill a tile of rows, the queries of a group
/// together fill the tiles.
Cost OperationCosts::causal_attention(std::int64_t before, std::int64_t tokens, Span const& span,
                                      AttentionForm const& form) const {
    double const edge = prepared_.machine.npu.cube_edge, positions = static_cast<double>(tokens);
    double const group = static_cast<double>(form.group);
    std::int64_t const last = before + tokens;
    double const tile_pairs =
        positions < edge ? std::ceil(group * positions / edge) * static_cast<double>(form.kv_heads) *
                               std::ceil(static_cast<double>(span.keys_of_all(before + 1, last)) / edge)
                         : static_cast<double>(form.heads()) * span.tile_pairs(last, sim::whole_part(edge), before);
    return attended(form, tile_pairs, span.keys_up_to(last) - span.keys_up_to(before));
}

AttentionForm OperationCosts::cached_form() const {
    auto const& model = *system_.model;
    return has_latent_attention(model) ? absorbed_form(model) : expanded_form(model);
}

Cost OperationCosts::attention_on_npu(double queries, Contexts const& contexts) const {
    auto const form = cached_form();
    double const edge = prepared_.machine.npu.cube_edge;
    double const group = static_cast<double>(form.group);
    auto const positions = [](double last) { return last * (last + 1.0) / 2.0; };
    // sum of ceil(n / edge) over contexts of n = 1, 2, ... `last` positions
    auto const tiles = [&](double last) {
        double const full = std::floor(last / edge);
        return edge * positions(full) + (last - full * edge) * (full + 1.0);
    };
    double const before = static_cast<double>(contexts.first - 1), last = before + static_cast<double>(contexts.count);
    double const row_tiles = std::ceil(group * queries / edge) * static_cast<double>(form.kv_heads);
    return attended(form, row_tiles * (tiles(last) - tiles(before)), queries * (positions(last) - positions(before)));
}

// The costs of products in memory, computed by the units in the banks.

/// Products for which the buffer is refilled for every column. The bank waits for each filling that takes longer than
/// the MACs that run at the same time, including the shorter last filling of a column. With one buffer, a filling hides
/// the interval between two MACs.
Bounded OperationCosts::refilled_cycles(GemvWalk const& walk, PimTiming const& timing, double cycles,
                                        std::int64_t vectors) {
    double const columns = static_cast<double>(walk.mac_reads);
    std::int64_t const column = walk.buffer_writes / walk.mac_reads, filling = walk.first_fill;
    double const whole = static_cast<double>(column / filling), part = static_cast<double>(column % filling);
    double const chunks = columns * (whole + (part > 0.0 ? 1.0 : 0.0));
    if (!timing.double_buffer) {
        return {cycles, cycles - chunks * std::max(0.0, timing.mac_interval - timing.nRTP),
                cycles + chunks * (timing.nRTP + 2.0), Bound::calibrated};
    }
    double const interval = timing.mac_interval * static_cast<double>(vectors) / static_cast<double>(walk.inputs);
    auto const stall = [&](double written, double multiplied) {
        return std::max(0.0, written * timing.buffer_write - multiplied * interval);
    };
    double const full = static_cast<double>(filling);
    double const stalls = part == 0.0 ? whole * stall(full, full)
                                      : (whole - 1.0) * stall(full, full) + stall(part, full) + stall(full, part);
    auto without_buffer_writes = timing;
    without_buffer_writes.buffer_write = 0.0;
    return {cycles, cycles, gemv_cycles(walk, without_buffer_writes, vectors) + columns * stalls, Bound::calibrated};
}

/// Closed form, with the deviations that rounding to clock edges and pipeline ends can cause; refresh is added later.
Bounded OperationCosts::closed_form(GemvWalk const& walk, Operand operand, std::int64_t vectors) const {
    auto still = pim_;
    if (operand == Operand::present) still.buffer_write = 0.0;  // an operand that is already there costs nothing
    still.refresh_share = 0.0;
    double const lower = pim_lower_bound_.cycles(walk, operand, vectors);
    double const cycles = std::max(lower, gemv_cycles(walk, still, vectors));
    bool const refills = operand == Operand::written && walk.fills_in_rows;
    Bounded const refilled = refills ? refilled_cycles(walk, still, cycles, vectors) : Bounded(cycles);
    double const chunk = static_cast<double>(walk.first_fill) * still.buffer_write;
    double const upper =
        std::max(cycles, refilled.upper) + static_cast<double>(walk.row_activations) + 2.0 * chunk + 1.0;
    return {cycles, lower, upper, {Bound::proved, Bound::calibrated}};
}

double OperationCosts::longest_refresh() const {
    if (pim_.refresh_share == 0.0) return 0.0;
    return (system_.standard.timing.nRFC + pim_.nRAS + pim_.nRP + pim_.activate_to_mac + pim_.stagger +
            pim_.mac_interval + 2.0) *
           pim_.clock;
}

Bounded OperationCosts::refreshed(Bounded const& cycles) const {
    if (pim_.refresh_share == 0.0) return cycles;
    auto const& t = system_.standard.timing;
    double const max = longest_refresh() / pim_.clock;
    double const value = cycles.value / (1.0 - pim_.refresh_share);
    return {value, cycles.lower, std::max(value, cycles.upper / (1.0 - max / t.nREFI)), cycles.kinds};
}

/// Each refresh closes the row in use, which is activated again.
Bounded OperationCosts::row_activations_of(double opened, Bounded const& cycles) const {
    if (pim_.refresh_share == 0.0) return opened;
    double const interval = system_.standard.timing.nREFI;
    return {opened + cycles.value / interval,
            opened,
            opened + cycles.upper / interval + 1.0,
            {Bound::proved, Bound::calibrated}};
}

Bounded OperationCosts::pim_seconds(BankWork const& work, Operand operand, std::int64_t vectors, double times,
                                    Bounded& row_activations) {
    if (fidelity_ == Fidelity::cycle) {
        auto const spent = replay_.run(work, operand, vectors, sim::whole_part(times));
        row_activations = static_cast<double>(spent.row_activations);
        return static_cast<double>(spent.cycles) * pim_.clock;
    }
    auto const& walk = prepared_.walks.get(work, sim::pim::walk_of);
    auto const cycles = refreshed(closed_form(walk, operand, vectors)) * Bounded(times);
    pim_work_ += cycles.lower;
    row_activations = row_activations_of(static_cast<double>(walk.row_activations) * times, cycles);
    return cycles * Bounded(pim_.clock);
}

BankWork OperationCosts::bank_work(Matrix const& m, double vectors, std::int64_t parts) const {
    auto const& l = m.locality;
    std::int64_t const burst = system_.standard.organisation.burst_bytes;
    std::int64_t const part = std::max(burst, m.column_bytes / burst * burst);
    // a burst of narrow weights takes the inputs of several bursts of x
    std::int64_t const narrow = system_.design.weights_per_element();
    std::int64_t const buffer =
        system_.design.buffer_elements * static_cast<std::int64_t>(prepared_.machine.element_bytes) / narrow;
    std::int64_t const inputs = l.inside * sim::whole_part(vectors) * narrow;
    return {part,
            sim::divide_up(l.busiest, part),
            system_.standard.organisation.row_bytes,
            burst,
            std::max(burst, buffer / (l.inside * parts) / burst * burst),
            system_.design.loop_order,
            inputs,
            m.piece_bytes,
            m.columns_of_tile,
            m.tiles_of_bank};
}

/// Single-bank MACs name their bank and so need no phases for different inputs.
std::int64_t OperationCosts::phases(Matrix const& m) const {
    return system_.design.mac_command == MacCommand::single ? 1 : m.locality.phases;
}

/// The buffer is divided by powers of two, at least once per vector. Among these divisions the one with the shortest
/// closed form is chosen.
OperationCosts::VectorSet OperationCosts::one_set(Matrix const& m, double vectors) const {
    auto const ceil = [](double count) {
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
    };
    VectorSet best;
    for (auto parts = ceil(vectors); parts <= std::max(ceil(vectors), ceil(together(m))); parts *= 2) {
        auto const work = bank_work(m, vectors, parts);
        double const cycles =
            closed_form(prepared_.walks.get(work, sim::pim::walk_of), Operand::written, phases(m)).value;
        if (best.count == 0.0 || cycles < best.cycles) best = {vectors, 1.0, work, cycles};
    }
    return best;
}

/// Groups of vectors that are multiplied together: as many as a unit accepts, or a power of two below, whichever is
/// fastest in total; the remaining vectors are grouped in the same way.
OperationCosts::VectorSets OperationCosts::sets_of(Matrix const& m, double vectors) const {
    double const max = std::min(vectors, together(m));
    auto const begun_with = [&](double size) {
        double const count = std::floor(vectors / size), rest = vectors - count * size;
        VectorSets sets{one_set(m, size)};
        sets.front().count = count;
        if (rest > 0.0) {
            for (auto const& more : sets_of(m, rest)) sets.push_back(more);
        }
        return sets;
    };
    auto const cycles = [](VectorSets const& sets) {
        double sum = 0.0;
        for (auto const& set : sets) sum += set.count * set.cycles;
        return sum;
    };
    auto best = begun_with(max);
    for (auto size = std::bit_floor(static_cast<std::uint64_t>(max)); size > 0; size /= 2) {
        if (static_cast<double>(size) == max) continue;
        auto smaller = begun_with(static_cast<double>(size));
        if (cycles(smaller) < cycles(best)) best = std::move(smaller);
    }
    return best;
}

double OperationCosts::together(Matrix const& m) const {
    return m.experts != nullptr ? 1.0 : static_cast<double>(system_.design.pim_vectors);
}

std::vector<SetShare> OperationCosts::set_shares(Matrix const& m, double vectors) const {
    auto const sets = sets_of(m, vectors);
    double cycles = 0.0;
    for (auto const& set : sets) cycles += set.count * set.cycles;
    std::vector<SetShare> shares;
    for (auto const& set : sets) shares.push_back({set.count * set.vectors / vectors, set.count * set.cycles / cycles});
    return shares;
}

Cost OperationCosts::gemv(Matrix const& m, double vectors, double times) {
    Cost cost;
    for (auto const& set : sets_of(m, vectors)) cost += products(m, set, set.count * times);
    return cost;
}

Cost OperationCosts::products(Matrix const& m, VectorSet const& set, double times) {
    auto const& organisation = system_.standard.organisation;
    double const vectors = set.vectors;
    auto const& walk = prepared_.walks.get(set.work, sim::pim::walk_of);
    double const bytes = static_cast<double>(m.bytes), banks = bytes / static_cast<double>(m.locality.busiest);
    double const results =
        std::ceil(static_cast<double>(organisation.banks_per_rank()) / prepared_.machine.pim.results_per_burst) *
        organisation.ranks;
    Bounded row_activations;
    // the NPU adds up the parts of a column
    Cost cost = vector(static_cast<double>(m.outputs * (m.locality.split - 1)) * vectors * times);
    cost.seconds += pim_seconds(set.work, Operand::written, phases(m), times, row_activations);
    cost.commands.row_activations = row_activations * Bounded(banks);
    cost.commands.bank_reads = bytes / organisation.burst_bytes * times;
    cost.commands.macs = vectors * cost.commands.bank_reads;
    cost.commands.buffer_writes = static_cast<double>(walk.buffer_writes * organisation.channels) * times;
    cost.commands.mac_reads = static_cast<double>(walk.mac_reads * organisation.channels) * results * vectors * times;
    return cost;
}

/// Passes over a burst for `vectors` vectors.
double OperationCosts::turns_of(double vectors) const {
    return std::ceil(vectors / static_cast<double>(system_.design.pim_vectors));
}

Cost OperationCosts::replayed_attention(double bytes, double queries, double times) {
    auto const& organisation = system_.standard.organisation;
    double const banks = static_cast<double>(lanes(organisation));
    auto const bursts = sim::whole_part(std::ceil(bytes / banks / organisation.burst_bytes));
    BankWork const work{bursts * organisation.burst_bytes,
                        1,
                        organisation.row_bytes,
                        organisation.burst_bytes,
                        bursts * organisation.burst_bytes,
                        LoopOrder::res};
    Cost cost;
    Bounded row_activations;
    double const turns = turns_of(queries);
    cost.seconds = pim_seconds(work, Operand::present, sim::whole_part(turns), times, row_activations);
    cost.commands.row_activations = row_activations * Bounded(banks);
    cost.commands.bank_reads = static_cast<double>(bursts) * turns * banks * times;
    cost.commands.macs = static_cast<double>(bursts) * queries * banks * times;
    return cost;
}

/// Operands of attention for one layer and one request. Every channel receives all queries, and the softmax weights of
/// its own positions. Results are read out while rows open and close, like the sums of other products.
Cost OperationCosts::attention_operands(Contexts const& contexts) const {
    auto const& organisation = system_.standard.organisation;
    double const elements = organisation.burst_bytes / prepared_.machine.element_bytes;
    double const count = static_cast<double>(contexts.count), channels = organisation.channels;
    double const positions = count * (static_cast<double>(contexts.first) + (count - 1.0) / 2.0);
    double const queries = static_cast<double>(system_.model->query_width()) / elements * count;
    double const shares = static_cast<double>(system_.model->heads) * positions / elements / channels;
    Cost cost;
    cost.seconds = (queries + shares) * pim_.buffer_write * pim_.clock;
    cost.commands.buffer_writes = cost.commands.mac_reads = (queries + shares) * channels;
    return cost;
}

Cost OperationCosts::attention(Contexts const& contexts, std::int64_t bytes_per_token, double queries, double times,
                               double positions) {
    auto cost = multiplied_cache(contexts, bytes_per_token, queries * positions, times);
    cost += attention_operands(contexts).times(times * positions);
    return cost;
}

/// Bursts and row visits of a bank, summed over contexts: each context consists of full rows and a partial one.
Cost OperationCosts::multiplied_cache(Contexts const& contexts, std::int64_t bytes_per_token, double queries,
                                      double times) {
    Cost sum;
    if (fidelity_ == Fidelity::cycle) {
        for (std::int64_t i = 0; i < contexts.count; ++i)
            sum += replayed_attention(static_cast<double>((contexts.first + i) * bytes_per_token), queries, times);
        return sum;
    }
    auto const& organisation = system_.standard.organisation;
    double const banks = static_cast<double>(lanes(organisation)), of_row = organisation.columns();
    GrowingBanks const in(contexts, bytes_per_token, lanes(organisation), organisation);
    double const turns = turns_of(queries);
    double cycles = in.full * pim_lower_bound_.visit(of_row * turns), before = 0.0;
    std::int64_t const columns = organisation.columns();
    auto const visit = [&](std::int64_t bursts) { return pim_lower_bound_.visit(static_cast<double>(bursts) * turns); };
    for (std::int64_t i = 0; contexts.count <= columns && i < contexts.count; ++i)  // faster than all lengths below
        if (auto const rest = in.bursts_at(i) % columns; rest > 0) cycles += visit(rest);
    for (std::int64_t bursts = 1; contexts.count > columns && bursts < columns; ++bursts) {
        double const longer = visit(bursts);
        if (longer > before) cycles += in.partial(bursts) * (longer - before);
        before = longer;
    }
    double const rounded = in.visits + static_cast<double>(contexts.count);
    auto const each =
        refreshed({cycles, cycles, cycles + rounded, {Bound::proved, Bound::calibrated}}) * Bounded(times);
    pim_work_ += each.lower;
    sum.seconds = each * Bounded(pim_.clock);
    sum.commands.row_activations = row_activations_of(in.visits * times, each) * Bounded(banks);
    sum.commands.bank_reads = in.bursts * turns * banks * times;
    sum.commands.macs = in.bursts * queries * banks * times;
    return sum;
}

Bounded OperationCosts::pim_ends() {
    double const work = std::exchange(pim_work_, 0.0);
    if (fidelity_ == Fidelity::cycle || pim_.refresh_share == 0.0) return {};
    auto const& t = system_.standard.timing;
    double const refresh = t.nRFC + pim_.nRAS + pim_.nRP + pim_.activate_to_mac;
    Bounded const cycles{0.0,
                         refresh_.stretched(work, pim_lower_bound_.pause(t.nRFC), 0.0) - work,
                         refresh,
                         {Bound::proved, Bound::calibrated}};
    return cycles * Bounded(pim_.clock);
}

}  // namespace pimdse::models::umdam

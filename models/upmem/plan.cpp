#include "models/upmem/plan.hpp"

#include "models/upmem/layers.hpp"
#include "models/upmem/pass_plan.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace pimdse::models::upmem {
namespace {

double tile_bytes(Kernel const& k) { return k.tile_rows * k.tile_columns * k.element_bytes; }
double row_bytes(Kernel const& k) { return k.tile_rows * k.element_bytes; }

double resident_tiles(Kernel const& k, double tiles) { return tiles * (tile_bytes(k) + k.tile_columns); }

/// Tiles are distributed to the tasklets in turn; each tile is read, permuted and written.
DpuWork within_tiles(Prepared const& p, Design const& d, Kernel const& k) {
    auto const family = index(family_of(d.preset));
    double const elements = k.tile_rows * k.tile_columns;
    auto const tiles = static_cast<double>(d.elements);
    DpuWork w = common_work(p, d, k);
    w.blocks = d.elements;
    w.reads = w.writes = 1.0;
    w.read_bytes = w.write_bytes = tile_bytes(k);
    w.read_rows = w.write_rows = 1.0;
    w.slots_per_block = w.instructions_per_block = elements * k.slots[family] + k.block_overhead;
    w.total_slots = w.total_instructions = tiles * w.slots_per_block;
    return w;
}

/// Slots under the lock: instructions, and the transfers of flags, for which the other tasklets wait as well.
double locked_slots(Prepared const& p, Design const& d, Kernel const& k, RowMoves const& moves) {
    auto const family = index(family_of(d.preset));
    DmaLaw const law = dma_law(p, d);
    double const transfer = law.service(k.flag_bytes) + law.extra;
    auto const turn = static_cast<double>(std::max(d.tasklets, d.dispatch_distance));
    double const look = k.look_locked[family] + transfer / turn;
    double const test = k.move_locked[family] + 2.0 * transfer / turn;
    return static_cast<double>(moves.rows) * look + static_cast<double>(moves.tested()) * test;
}

/// A block is a row that is examined or moved; each reads a row and a flag, every second one writes both.
DpuWork between_tiles(Prepared const& p, Design const& d, Kernel const& k, RowMoves const& moves) {
    auto const family = index(family_of(d.preset));
    auto const rows = static_cast<double>(moves.rows), tested = static_cast<double>(moves.tested());
    DpuWork w = common_work(p, d, k);
    w.blocks = std::max<std::int64_t>(1, moves.rows + moves.tested());
    w.reads = 2.0;
    w.writes = 1.0;
    w.read_bytes = w.write_bytes = whole_words(0.5 * (row_bytes(k) + k.flag_bytes));
    w.read_rows = w.write_rows = 1.0;
    w.total_slots = w.total_instructions = rows * k.look_slots[family] + tested * k.move_slots[family];
    w.slots_per_block = w.instructions_per_block = w.total_slots / static_cast<double>(w.blocks);
    w.serial_slots = locked_slots(p, d, k, moves);
    return w;
}

Plan tile_plan(Prepared const& p, Design const& d, Kernel const& k) {
    Plan result;
    result.pipelined = false;
    auto const tiles = static_cast<double>(d.elements);
    result.resident = result.resident_bank = resident_tiles(k, tiles);
    // Work that fits no DPU is refused because of its size; its cycles need not be known.
    bool const fits = result.resident <= p.machine.mram_size.si;
    auto const moves = fits ? row_moves(d.elements, sim::whole_part(k.tile_columns)) : RowMoves{};
    std::int64_t const rounds = sim::divide_up(sim::whole_part(k.column_tiles), d.dpus);
    double const bytes = tiles * tile_bytes(k);
    result.launches.push_back(
        {"tiles", {d.elements, within_tiles(p, d, k)}, bytes, 0.0, 0.0, static_cast<double>(rounds)});
    result.launches.back().calls = tiles * k.tile_rows;
    result.launches.push_back(
        {"rows", {d.elements, between_tiles(p, d, k, moves)}, 0.0, 0.0, bytes, static_cast<double>(rounds)});
    return result;
}

struct PrimePower {
    std::int64_t prime = 2;
    int power = 0;
};

std::vector<PrimePower> factors_of(std::int64_t n) {
    std::vector<PrimePower> factors;
    for (std::int64_t prime = 2; prime * prime <= n; ++prime) {
        int power = 0;
        for (; n % prime == 0; n /= prime) ++power;
        if (power > 0) factors.push_back({prime, power});
    }
    if (n > 1) factors.push_back({n, 1});
    return factors;
}

std::int64_t power_modulo(std::int64_t base, std::int64_t exponent, std::int64_t modulus) {
    std::int64_t result = 1 % modulus;
    for (base %= modulus; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

/// The smallest exponent for which the power of `base` is 1. It divides `totient`, the count of numbers prime to the
/// modulus.
std::int64_t order_of(std::int64_t base, std::int64_t modulus, std::int64_t totient) {
    std::int64_t order = totient;
    for (auto const& [prime, power] : factors_of(totient)) {
        while (order % prime == 0 && power_modulo(base, order / prime, modulus) == 1) order /= prime;
    }
    return order;
}

/// Adds the rows of every divisor that takes its primes from `factors[next]` on: `count` rows in cycles of `order`.
void add_divisors(RowMoves& sum, std::vector<PrimePower> const& factors, std::size_t next, std::int64_t base,
                  std::int64_t count, std::int64_t order) {
    if (next == factors.size()) {
        if (order == 1) return;
        sum.rows += count;
        sum.walks += count / order;
        return;
    }
    add_divisors(sum, factors, next + 1, base, count, order);
    std::int64_t modulus = 1;
    for (int i = 0; i < factors[next].power; ++i) {
        std::int64_t const totient = modulus * (factors[next].prime - 1);
        modulus *= factors[next].prime;
        add_divisors(sum, factors, next + 1, base, count * totient, std::lcm(order, order_of(base, modulus, totient)));
    }
}

using sim::as_double;

/// Bytes for the batch and for fewer sequences, of which a pass of the prompt computes more positions at once: the
/// largest of `bytes_of` a number of sequences, and of such positions of each.
template <class BytesOf>
double enough_for(MachineConstants const& machine, Design const& d, BytesOf const& bytes_of) {
    double bytes = 0.0;
    for (std::int64_t sequences = 1; sequences <= d.batch; ++sequences) {
        auto const in_call = machine.allowance.call_positions / sequences;
        auto const at_once = std::clamp<std::int64_t>(in_call, 1, d.input);
        // Of all numbers of sequences with as many positions, the largest.
        sequences = at_once == 1 ? d.batch : std::min(d.batch, machine.allowance.call_positions / at_once);
        bytes = std::max(bytes, bytes_of(sequences, at_once));
    }
    return bytes;
}

/// Keys and values up to the last token but one, in the fullest DPU.
double cache_bytes(Prepared const& p, Design const& d, std::vector<AlikeLayers> const& kinds) {
    std::int64_t const all = d.input + d.output - 1;
    return p.kernels[d.kernel].mac_bytes * enough_for(p.machine, d, [&](std::int64_t sequences, std::int64_t at_once) {
               double elements = 0.0;
               for (auto const& kind : kinds) {
                   auto const deal = deal_of(kind, sequences, d.dpus);
                   auto const held = deal.positions(deal.held(all, std::max(at_once, d.speculation.positions())));
                   elements +=
                       as_double(kind.layers) * as_double(deal.units * held * attention_shape(*kind.model).cached);
               }
               return elements;
           });
}

/// Of so many sequences, the largest data of a launch in a pass of `queries` positions of each, of which the last has
/// `positions` up to itself; `heads` of them enter the LM head.
double buffers_of(Prepared const& p, Design const& d, std::int64_t sequences, std::int64_t positions,
                  std::int64_t queries, std::int64_t heads) {
    PassPlan plan(p, d);
    PassRun const pass{{{std::max<std::int64_t>(0, positions - queries), queries, sequences}}};
    for (auto const& kind : alike_within(*d.model, d.longest_context())) {
        plan.add_products(kind, pass.positions());
        plan.add_attention(kind, attention_load(kind, pass, {}, sequences, d.dpus));
    }
    plan.add_head(heads * sequences);
    double most = 0.0;
    for (auto const& launch : std::move(plan).plan().launches)
        most = std::max(most, launch.input + launch.shared + launch.output);
    return most;
}

/// Those of the last passes of the prompt and of the tokens, which have the most keys.
double buffers_of(Prepared const& p, Design const& d) {
    double const of_prompt = enough_for(p.machine, d, [&](std::int64_t sequences, std::int64_t at_once) {
        return buffers_of(p, d, sequences, d.input, at_once, 1);
    });
    if (d.output == 1) return of_prompt;
    auto const positions = d.speculation.positions();
    return std::max(of_prompt, buffers_of(p, d, d.batch, d.input + d.output - 1, positions, positions));
}

void add_matrix(Plan& plan, Prepared const& p, Design const& d, MatrixGroup const& group, double count) {
    auto const& k = p.kernels[d.kernel];
    std::int64_t const mine = sim::divide_up(group.rows, d.dpus);
    plan.launches.push_back({group.name, matrix_task(p, d, mine, group.inputs), 0.0,
                             whole_words(static_cast<double>(group.inputs) * k.mac_bytes),
                             static_cast<double>(mine) * k.output_bytes, count});
}

/// All matrices of the design's model once, with one vector.
Plan step_plan(Prepared const& p, Design const& d) {
    auto const& model = *d.model;
    Plan result;
    result.pipelined = false;
    for (auto const& kind : alike_within(model, 0)) {
        auto const first = result.launches.size();
        for (auto const& group : matrix_groups(*kind.model)) add_matrix(result, p, d, group, as_double(kind.layers));
        result.launches.at(first).opens_layer = true;
    }
    add_matrix(result, p, d, {"lm_head", model.vocabulary, head_inputs(model)}, 1);
    double vector = 0.0;
    for (auto const& launch : result.launches) vector = std::max(vector, launch.shared + launch.output);
    result.resident = weight_bytes(p.kernels[d.kernel], d) + vector;
    result.resident_bank = result.resident;
    result.wram = wram_of(p.kernels[d.kernel], d);
    return result;
}

}  // namespace

Plan plan(Prepared const& p, Design const& d) {
    if (d.is_request()) return held_plan(p, d, false);
    if (d.model != nullptr) return step_plan(p, d);
    auto const& k = p.kernels[d.kernel];
    Plan result = k.shape == WorkShape::tiles ? tile_plan(p, d, k) : pieces_plan(p, d);
    result.wram = wram_of(k, d);
    return result;
}

Plan held_plan(Prepared const& p, Design const& d, bool keeps_all) {
    auto const& k = p.kernels[d.kernel];
    Plan result{.pipelined = false};
    double buffers = 0.0;
    auto const add = [&](Design const& of) {
        auto const kinds = alike_within(*of.model, keeps_all ? 0 : of.longest_context());
        result.resident += weight_bytes(k, of) + cache_bytes(p, of, kinds);
        buffers = std::max(buffers, buffers_of(p, of));
    };
    add(d);
    if (d.speculation.has_model()) add(of_draft(d));
    result.resident_bank = result.resident += buffers;
    result.wram = wram_of(k, d);
    return result;
}

RowMoves row_moves(std::int64_t tiles, std::int64_t columns) {
    sim::expects(tiles > 0 && columns > 0 && tiles <= (std::int64_t{1} << 31) / columns, "rows are counted in 31 bits");
    RowMoves sum;
    std::int64_t const last = tiles * columns - 1;
    if (last > 1) add_divisors(sum, factors_of(last), 0, tiles, 1, 1);
    return sum;
}

double footprint(Prepared const& p, Design const& d, Plan const& plan) {
    double bytes = plan.resident * as_double(d.dpus);
    if (!d.is_request()) return bytes;
    for (auto const* model : {d.model, d.speculation.has_model() ? d.speculation.draft_model : nullptr})
        if (model != nullptr) bytes += as_double(lm_head_weights(*model)) * p.kernels[d.kernel].mac_bytes;
    return bytes;
}

double weight_bytes(Kernel const& k, Design const& d) {
    auto const& model = *d.model;
    double layers = 0.0;
    for (auto const& kind : alike_within(model, 0)) {
        double layer = 0.0;
        for (auto const& m : held_matrices(*kind.model))
            layer += static_cast<double>(sim::divide_up(m.outputs * m.count, d.dpus)) * static_cast<double>(m.inputs);
        layers += layer * static_cast<double>(kind.layers);
    }
    auto const head = static_cast<double>(sim::divide_up(model.vocabulary, d.dpus) * head_inputs(model));
    return (layers + head) * k.mac_bytes;
}

}  // namespace pimdse::models::upmem

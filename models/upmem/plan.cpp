#include "models/upmem/plan.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
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

}  // namespace

Plan plan(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    Plan result = k.shape == WorkShape::tiles ? tile_plan(p, d, k) : pieces_plan(p, d);
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

}  // namespace pimdse::models::upmem

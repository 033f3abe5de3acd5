#include "models/text/tilings.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace pimdse::models::text {
namespace {

using sim::Bounded;

/// Size of one side of a tile, and the number of tiles along that side.
struct Side {
    std::int64_t size = 0;
    double parts = 1.0;
};

/// For every number of parts the smallest size in whole units, in descending order. No other size moves less.
std::vector<Side> sides(std::int64_t whole, std::int64_t unit) {
    std::vector<Side> list;
    std::int64_t const units = sim::divide_up(whole, unit);
    std::int64_t size = units, parts = 1;
    for (; size > 1; size = sim::divide_up(units, parts)) {
        list.push_back({size * unit, static_cast<double>(parts)});
        parts = sim::divide_up(units, size - 1);
    }
    list.push_back({unit, static_cast<double>(units)});
    return list;
}

struct Tile {
    Side rows, inputs, outputs;
};

std::int64_t bytes_of(std::int64_t elements, std::int64_t bits) { return sim::divide_up(elements * bits, 8); }

/// Bytes of weights.
std::int64_t weight_tile(GemmShape const& s, std::int64_t inputs, std::int64_t outputs) {
    return bytes_of(inputs * outputs, s.weight_bits);
}

/// Bytes of an element of activations.
double element(GemmShape const& s) { return static_cast<double>(s.element_bits) / 8; }

bool fits(GemmShape const& s, Tile const& t) {
    std::int64_t const rows = t.rows.size, inputs = t.inputs.size, outputs = t.outputs.size;
    return 2 * (bytes_of(rows * inputs, s.element_bits) + weight_tile(s, inputs, outputs)) +
               rows * outputs * sum_bytes <=
           s.buffer;
}

double ramp_of(GemmShape const& s, Tile const& t) {
    std::int64_t const rows = t.rows.size, inputs = t.inputs.size, outputs = t.outputs.size;
    return static_cast<double>(weight_tile(s, inputs, outputs) +
                               bytes_of(rows * inputs + rows * outputs, s.element_bits));
}

/// Inputs innermost: the sums of a tile stay on chip until they are final. Activations over all inputs stay while
/// columns pass.
GemmTraffic sums_stay(GemmShape const& s, Tile const& t) {
    double const e = element(s);
    double const a_times = t.inputs.parts > 1 ? t.outputs.parts : 1.0;
    return {static_cast<double>(s.weight_bytes) * t.rows.parts + static_cast<double>(s.rows * s.inputs) * e * a_times,
            static_cast<double>(s.rows * s.outputs) * e, ramp_of(s, t)};
}

/// Rows innermost: a weight tile is read once and multiplies all rows; unfinished sums are written and read back.
GemmTraffic weights_stay(GemmShape const& s, Tile const& t) {
    double const e = element(s);
    double const sums = static_cast<double>(s.rows * s.outputs), spills = sums * sum_bytes * (t.inputs.parts - 1);
    return {static_cast<double>(s.weight_bytes) + static_cast<double>(s.rows * s.inputs) * e * t.outputs.parts + spills,
            sums * e + spills, ramp_of(s, t)};
}

/// Bytes of the buffer beside two weight tiles and the sums of one, and those of all inputs, outputs and fp32 sums.
struct Resident {
    std::int64_t tile, left, inputs, outputs, sums;
    explicit Resident(GemmShape const& s)
        : tile(weight_tile(s, s.tile_height, s.tile_width)),
          left(s.buffer - 2 * tile - s.rows * s.tile_width * sum_bytes),
          inputs(bytes_of(s.rows * s.inputs, s.element_bits)),
          outputs(bytes_of(s.rows * s.outputs, s.element_bits)),
          sums(s.rows * s.outputs * sum_bytes) {}
};

/// Weights are read once, tile by tile, while activations stay on chip as far as they fit. Either all of A is resident
/// and the part of C that does not fit is written, or all fp32 sums are resident and the part of A that does not fit is
/// written and read back.
template <class Menu>
void offer_resident(GemmShape const& s, Menu& menu) {
    Resident const on_chip(s);
    auto const& [tile, left, a, c, sums] = on_chip;
    auto const weights = static_cast<double>(s.weight_bytes), ramp = static_cast<double>(tile);
    if (a <= left) menu.offer({weights, static_cast<double>(std::max<std::int64_t>(0, a + c - left)), ramp});
    if (sums <= left && a > left - sums) {
        auto const spilled = static_cast<double>(a - (left - sums));
        menu.offer({weights + spilled, spilled, ramp});
    }
}

double moved(GemmTraffic const& t) { return t.read + t.write; }

/// The tilings that are not dominated in moved bytes and ramp; of equal ones the first is kept.
class Undominated {
  public:
    void offer(GemmTraffic const& candidate) {
        ++offered_;
        // `end` ends the tilings that move at most as much; the last of these has the smallest ramp
        auto const end = std::upper_bound(kept_.begin(), kept_.end(), moved(candidate),
                                          [](double bytes, Kept const& kept) { return bytes < moved(kept.traffic); });
        if (end != kept_.begin() && (end - 1)->traffic.ramp <= candidate.ramp) return;
        auto const first = end != kept_.begin() && moved((end - 1)->traffic) == moved(candidate) ? end - 1 : end;
        auto last = end;
        while (last != kept_.end() && last->traffic.ramp >= candidate.ramp) ++last;
        kept_.insert(kept_.erase(first, last), {candidate, offered_});
    }
    /// The smallest ramp among the tilings that move at most `bytes`: a candidate with at least this ramp need not be
    /// offered.
    [[nodiscard]] double min_ramp(double bytes) const {
        auto const end = std::upper_bound(kept_.begin(), kept_.end(), bytes,
                                          [](double max, Kept const& kept) { return max < moved(kept.traffic); });
        return end == kept_.begin() ? std::numeric_limits<double>::infinity() : (end - 1)->traffic.ramp;
    }
    [[nodiscard]] bool empty() const { return kept_.empty(); }
    /// In the order in which they were offered.
    [[nodiscard]] std::vector<GemmTraffic> list() const {
        auto sorted = kept_;
        std::sort(sorted.begin(), sorted.end(), [](Kept const& a, Kept const& b) { return a.offer < b.offer; });
        std::vector<GemmTraffic> list;
        for (auto const& kept : sorted) list.push_back(kept.traffic);
        return list;
    }

  private:
    struct Kept {
        GemmTraffic traffic;
        std::int64_t offer = 0;
    };
    std::vector<Kept> kept_;  ///< moved bytes ascending, so ramps descending
    std::int64_t offered_ = 0;
};

/// The tiling that moves least; of equal ones the first is kept.
class Least {
  public:
    void offer(GemmTraffic const& candidate) {
        if (empty_ || moved(candidate) < moved(best_)) best_ = candidate;
        empty_ = false;
    }
    /// No ramp matters once a tiling moves at most `bytes`.
    [[nodiscard]] double min_ramp(double bytes) const {
        return !empty_ && moved(best_) <= bytes ? 0.0 : std::numeric_limits<double>::infinity();
    }
    [[nodiscard]] bool empty() const { return empty_; }
    [[nodiscard]] GemmTraffic const& best() const { return best_; }

  private:
    GemmTraffic best_;
    bool empty_ = true;
};

/// The kinds of tilings for which a tile is offered.
struct Kinds {
    bool sums = false, weights = false;
};

template <class Menu>
void offer_tile(GemmShape const& s, Tile const& tile, Kinds kinds, Menu& menu) {
    if (!fits(s, tile)) return;
    if (kinds.sums) menu.offer(sums_stay(s, tile));
    if (kinds.weights) menu.offer(weights_stay(s, tile));
}

double min_moved(GemmShape const& s, Tile const& tile, Kinds kinds) {
    double const sums = kinds.sums ? moved(sums_stay(s, tile)) : std::numeric_limits<double>::infinity();
    return kinds.weights ? std::min(sums, moved(weights_stay(s, tile))) : sums;
}

/// Offers tiles with these outputs, in descending order. From the first size that fits, all smaller ones fit as well,
/// move more and ramp less. So a tile is dominated if its ramp is at least that of a known tiling that moves no more
/// than the first tile that fits.
template <class Menu>
void offer_outputs(GemmShape const& s, Tile const& tile, std::span<Side const> outputs, Kinds kinds, Menu& menu) {
    auto const with = [&](Side const& output) { return Tile{tile.rows, tile.inputs, output}; };
    auto const fitting = std::ranges::partition_point(outputs, [&](Side const& o) { return !fits(s, with(o)); });
    if (fitting == outputs.end()) return;
    double const ramp = menu.min_ramp(min_moved(s, with(*fitting), kinds));
    auto const first =
        std::partition_point(fitting, outputs.end(), [&](Side const& o) { return ramp_of(s, with(o)) >= ramp; });
    for (auto output = first; output != outputs.end(); ++output) offer_tile(s, with(*output), kinds, menu);
}

/// Offers every tile that no other tile of its kind dominates. Tilings whose sums stay move the same bytes for any part
/// of the inputs, or for any outputs if the tile has all inputs. Tilings whose weights stay move the same bytes for any
/// rows. In each case the smallest tile has the smallest ramp.
template <class Menu>
void offer_tiles(GemmShape const& s, Menu& menu) {
    auto const rows = sides(s.rows, tile_block), inputs = sides(s.inputs, s.tile_height),
               outputs = sides(s.outputs, s.tile_width);
    std::span const larger(rows.data(), rows.size() - 1);
    auto const fitting = std::ranges::partition_point(larger, [&](Side const& row) {
        return !fits(s, {row, inputs.back(), outputs.back()});
    });
    for (auto row = fitting; row != larger.end(); ++row) {
        offer_tile(s, {*row, inputs.front(), outputs.back()}, {true, false}, menu);
        if (inputs.size() > 1) offer_outputs(s, {*row, inputs.back(), {}}, outputs, {true, false}, menu);
    }
    Tile const all{rows.back(), inputs.front(), outputs.back()};
    offer_outputs(s, all, std::span(outputs).first(outputs.size() - 1), {false, true}, menu);
    offer_tile(s, all, {true, true}, menu);
    for (auto const& input : std::span(inputs).subspan(1))
        offer_outputs(s, {rows.back(), input, {}}, outputs, {&input == &inputs.back(), true}, menu);
}

/// A menu of the tilings of a product.
template <class Menu>
Menu offered(GemmShape const& s) {
    Menu menu;
    offer_resident(s, menu);
    if (!stays_on_chip(s)) offer_tiles(s, menu);  // otherwise only the weights are moved: no tiling is better
    return menu;
}

/// What a second of transfers counts in the choice of a tiling even where products hide it: a program does not move
/// many times the bytes to begin a microsecond earlier.
constexpr double weight_of_transfers = 1.0 / 100;

}  // namespace

bool stays_on_chip(GemmShape const& s) {
    Resident const on_chip(s);
    return on_chip.inputs + on_chip.outputs <= on_chip.left;
}

std::vector<GemmTraffic> tilings(GemmShape const& s) {
    sim::expects(s.rows >= 1 && s.inputs >= 1 && s.outputs >= 1, "a product has rows, inputs and outputs");
    return offered<Undominated>(s).list();
}

GemmTraffic min_tiling(GemmShape const& s) {
    auto const menu = offered<Least>(s);
    sim::ensures(!menu.empty(), "a product has at least one tiling");
    return menu.best();
}

GemmRun chosen_gemm(std::vector<GemmTraffic> const& menu, double compute_seconds, Bandwidths const& bandwidths) {
    sim::expects(!menu.empty(), "a product has at least one tiling");
    auto const transfers_of = [&](GemmTraffic const& traffic) {
        return Bounded(traffic.read) / bandwidths.read + Bounded(traffic.write) / bandwidths.write;
    };
    auto const seconds_of = [&](GemmTraffic const& traffic) {
        return Bounded(traffic.ramp) / bandwidths.read + larger(Bounded(compute_seconds), transfers_of(traffic));
    };
    auto const measure_of = [&](GemmTraffic const& traffic) {
        return seconds_of(traffic) + Bounded(weight_of_transfers) * transfers_of(traffic);
    };
    Bounded fastest = seconds_of(menu.front()), measure = measure_of(menu.front());
    GemmRun best{fastest, menu.front().read, menu.front().write};
    for (auto const& traffic : menu) {
        Bounded const seconds = seconds_of(traffic), own = measure_of(traffic);
        if (own.value < measure.value) best = {seconds, traffic.read, traffic.write};
        measure = smaller(measure, own);
        fastest = smaller(fastest, seconds);
    }
    if (fastest.is_exact()) return best;
    // whatever is chosen measures at most what the fastest does, whose transfers take no longer than it
    double const chosen = best.seconds.value;
    best.seconds = fastest;
    best.seconds.value = chosen;
    best.seconds.upper = std::max(chosen, fastest.upper * (1.0 + weight_of_transfers));
    best.read.kinds = best.write.kinds = {sim::Bound::proved, fastest.kinds.upper};
    for (auto const& traffic : menu) {
        best.read.lower = std::min(best.read.lower, traffic.read);
        best.write.lower = std::min(best.write.lower, traffic.write);
        if (measure_of(traffic).lower >= measure.upper) continue;  // never chosen
        best.read.upper = std::max(best.read.upper, traffic.read);
        best.write.upper = std::max(best.write.upper, traffic.write);
    }
    return best;
}

}  // namespace pimdse::models::text

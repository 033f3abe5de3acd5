#include "models/umdam/stream_rate.hpp"

#include "sim/dram/gf2.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

/// How many values a set of masks takes over the lowest `bits` bits of the address.
double values_below(Mapping const& mapping, std::initializer_list<Field> fields, int bits) {
    std::uint64_t const window = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::vector<std::uint64_t> rows;
    for (auto const field : fields) {
        for (auto const mask : mapping.masks(field)) rows.push_back(mask & window);
    }
    return std::ldexp(1.0, static_cast<int>(sim::dram::gf2::rank(rows)));
}

int lowest_row_bit(Mapping const& mapping) {
    std::uint64_t any = 0;
    for (auto const mask : mapping.masks(Field::row)) any |= mask;
    return any == 0 ? mapping.address_bits() : std::countr_zero(any);
}

/// Address bits a controller with this many entries per channel looks ahead over, for a sequential stream.
int lookahead_bits(Mapping const& mapping, double depth, int most) {
    for (int bits = mapping.offset_bits(); bits < most; ++bits) {
        double const bursts = std::ldexp(1.0, bits + 1 - mapping.offset_bits()) / values_below(mapping, {Field::channel}, bits + 1);
        if (bursts > depth) return bits;
    }
    return most;
}

struct Pace {
    double cycles_per_burst = 0.0;   ///< on one channel
    bool plateau = true;
};

/// The slowest of: data bus, bank-group spacing, row cycles of the banks in view, and activation limits.
Pace pace_of(sim::dram::Standard const& standard, Mapping const& mapping, double hits, int window, int extent) {
    auto const& t = standard.timing;
    double const groups = values_below(mapping, {Field::rank, Field::group}, window);
    double const bus = std::max(t.nBL, t.nCCDS);
    double const spacing = std::max<double>(bus, t.nCCDL / groups);
    double const row_cycle = std::max<double>({static_cast<double>(t.nRC), static_cast<double>(t.nRAS + t.nRP), t.nRCDRD + (hits - 1) * t.nCCDL + t.nRTP + t.nRP});
    double const banks = values_below(mapping, {Field::rank, Field::group, Field::bank}, std::min(extent, std::max(window, lowest_row_bit(mapping))));
    double const rows = std::max({row_cycle / banks, static_cast<double>(t.nRRDS), t.nFAW / 4.0}) / hits;
    bool const one_row = mapping.address_bits() <= lowest_row_bit(mapping) || extent <= lowest_row_bit(mapping);
    double const pace = one_row ? spacing : std::max(spacing, rows);
    return {pace, pace <= bus};
}

}  // namespace

double turnaround_cycles(sim::dram::Standard const& standard) {
    auto const& t = standard.timing;
    return (t.nCL + t.nBL + 2 - t.nCWL) + (t.nCWL + t.nBL + t.nWTRS) - 2.0 * std::max(t.nBL, t.nCCDS);
}

StreamRate stream_rate(sim::dram::Standard const& standard, Mapping const& mapping, Settings const& settings, double bytes) {
    int const extent = std::min(mapping.address_bits(), std::max(mapping.offset_bits() + 1, static_cast<int>(std::ceil(std::log2(std::max(bytes, 1.0))))));
    double const channels = values_below(mapping, {Field::channel}, extent);
    double const depth = static_cast<double>(settings.queue_depth) / static_cast<double>(settings.engines);
    int const window = std::min(extent, lookahead_bits(mapping, std::max(1.0, depth), extent));
    int const below_rows = std::min(lowest_row_bit(mapping), extent);
    double const hits = std::ldexp(1.0, below_rows - mapping.offset_bits()) / values_below(mapping, {Field::channel, Field::rank, Field::group, Field::bank}, below_rows);
    auto pace = pace_of(standard, mapping, hits, window, extent);
    StreamRate rate;
    rate.bursts_per_opening = hits;
    rate.plateau = pace.plateau && settings.engines == 1 && channels == standard.organisation.channels;
    double const available = settings.refresh == Refresh::all_bank ? 1.0 - refresh_share(standard) : 1.0;
    double const value = channels * standard.organisation.burst_bytes / (pace.cycles_per_burst * standard.clock.si) * available;
    double const peak = peak_bandwidth(standard);
    rate.bandwidth = rate.plateau ? Range(value, 0.95 * value, std::min(peak, 1.01 * value)) : Range(value, 0.4 * value, std::min(peak, 2.5 * value));
    return rate;
}

}  // namespace pimdse::models::umdam

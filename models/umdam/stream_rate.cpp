#include "models/umdam/stream_rate.hpp"

#include "sim/dram/gf2.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

/// How many values a set of fields takes over the lowest `bits` bits of the address.
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

/// What one channel does between two changes of row.
struct RowSet {
    double bursts = 1, banks = 1, hits = 1;
    bool only = false;      ///< the transfer ends before the row changes
    double run = 1;         ///< consecutive bursts to one row
    double groups = 1;      ///< bank groups within the controller's view
    double view_banks = 1;  ///< banks within it: rows of others can be opened while data flows
};

RowSet row_set(Mapping const& mapping, double depth, int extent) {
    int const offset = mapping.offset_bits(), rows = lowest_row_bit(mapping), bits = std::min(rows, extent);
    auto const local = [&](int below) { return std::ldexp(1.0, below - offset) / values_below(mapping, {Field::channel}, below); };
    auto const per_channel = [&](std::initializer_list<Field> fields, int below) {
        return values_below(mapping, fields, below) / values_below(mapping, {Field::channel}, below);
    };
    RowSet set;
    set.bursts = local(bits);
    set.banks = per_channel({Field::channel, Field::rank, Field::group, Field::bank}, bits);
    set.hits = set.bursts / set.banks;
    set.only = extent <= rows;
    int run = offset, view = offset;
    while (run < extent && per_channel({Field::channel, Field::rank, Field::group, Field::bank, Field::row}, run + 1) <= 1.0) ++run;
    while (view < extent && local(view + 1) <= depth) ++view;
    set.run = local(run);
    set.groups = values_below(mapping, {Field::channel, Field::rank, Field::group}, view) /
                 values_below(mapping, {Field::channel, Field::rank}, view);
    set.view_banks = per_channel({Field::channel, Field::rank, Field::group, Field::bank}, view);
    return set;
}

/// From the last burst of a row to the first of the next in the same bank.
double gap_cycles(sim::dram::Standard const& standard, sim::dram::Access access) {
    auto const& t = standard.timing;
    double const ending = access == sim::dram::Access::read ? t.nRTP : t.nCWL + t.nBL + t.nWR;
    return ending + t.nRP + t.nRCDRD;
}

/// Cycles per burst on one channel without refresh.
Range pace(sim::dram::Standard const& standard, RowSet const& set, double depth, double engines, sim::dram::Access access) {
    auto const& t = standard.timing;
    double const bus = std::max(t.nBL, t.nCCDS), same = std::max<double>(bus, t.nCCDL);
    double const spacing = set.groups > 1 ? bus : same;
    double const cycle = std::max(t.nRC, t.nRAS + t.nRP), gap = gap_cycles(standard, access);
    if (engines > 1) {
        double const visit = std::max(1.0, std::min(set.run, std::floor(depth / engines)));
        double const worst = (std::max(cycle, visit * same + gap)) / visit + set.banks * same / set.bursts;
        return {std::sqrt(bus * worst), bus, 1.5 * worst};
    }
    if (set.only) return {spacing, bus, same + gap * set.banks / set.bursts};
    double const at_best =
        std::max({set.bursts * bus, std::max(cycle, (set.hits - 1) * bus + gap), set.banks * std::max<double>(t.nRRDS, t.nFAW / 4.0)});
    double const at_worst = std::max(set.bursts * same + set.banks * gap, set.banks * cycle) * 1.15;
    double const row = std::max(cycle, (set.hits - 1) * same + gap);
    double const likely = std::max({set.bursts * spacing, row, set.banks * std::max<double>(t.nRRDS, t.nFAW / 4.0)});
    return {likely / set.bursts, at_best / set.bursts, std::max(at_worst, likely) / set.bursts};
}

}  // namespace

StreamRate stream_rate(sim::dram::Standard const& standard, Mapping const& mapping, Settings const& settings, int extent,
                       sim::dram::Access access) {
    auto const& t = standard.timing;
    double const depth = static_cast<double>(settings.queue_depth);
    double const engines = access == sim::dram::Access::read ? static_cast<double>(settings.engines) : 1.0;
    auto const set = row_set(mapping, depth, extent);
    auto const burst = pace(standard, set, depth, engines, access);
    double const bus = std::max(t.nBL, t.nCCDS);
    StreamRate rate;
    rate.channels = values_below(mapping, {Field::channel}, extent);
    rate.bursts_per_opening = engines > 1 ? std::max(1.0, std::min(set.run, depth / engines)) : set.hits;
    bool const sees_next_bank = set.groups > 1 || t.nCCDL <= t.nCCDS;
    rate.plateau = engines == 1 && standard.organisation.ranks == 1 && burst.value <= bus && sees_next_bank &&
                   depth >= 2 * std::min(set.run, 16.0) && depth >= 16 && set.banks >= 8;
    double least = 0.0, usual = 0.0, most = 0.0;
    if (settings.refresh == Refresh::all_bank) {
        double const banks = static_cast<double>(standard.organisation.banks_per_channel());
        least = static_cast<double>(t.nRFC) / t.nREFI;
        usual = refresh_share(standard);
        most = std::min(0.9, (t.nRFC + t.nRP + t.nRCDRD + (rate.plateau ? 3.0 * banks : t.nRAS + 8.0 * banks)) / t.nREFI);
    }
    // on the plateau only the rows of the banks in view are waited for when the row changes
    double const wait = gap_cycles(standard, access) + set.view_banks * std::max<double>(t.nRRDS, t.nFAW / 4.0);
    double const slow = rate.plateau ? burst.value * 1.03 + (set.only ? 0.0 : wait / set.bursts) : burst.high;
    rate.cycles_per_burst = {burst.value / (1 - usual), burst.low / (1 - least), slow / (1 - most)};
    return rate;
}

}  // namespace pimdse::models::umdam

#include "models/umdam/streams/rate.hpp"

#include "sim/dram/mapping/gf2.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

using sim::Bound;
using sim::Bounded;

constexpr int activates_per_window = 4;  // of tFAW

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

/// What one channel does before the row changes for the first time, and what its queue sees of it.
struct RowSet {
    double bursts = 1, banks = 1;
    bool only = false;     ///< the transfer ends before the row changes
    double run = 1;        ///< consecutive bursts to one row
    double groups = 1;     ///< bank groups within the controller's view
    double group_run = 1;  ///< consecutive bursts to one bank group, as many as the transfer has where it never changes
    double view_banks = 1;  ///< banks within it: rows of others can be opened while data flows
};

RowSet row_set(Mapping const& mapping, double depth, int extent) {
    int const offset = mapping.offset_bits(), rows = lowest_row_bit(mapping), bits = std::min(rows, extent);
    auto const local = [&](int below) {
        return std::ldexp(1.0, below - offset) / values_below(mapping, {Field::channel}, below);
    };
    auto const per_channel = [&](std::initializer_list<Field> fields, int below) {
        return values_below(mapping, fields, below) / values_below(mapping, {Field::channel}, below);
    };
    RowSet set;
    set.bursts = local(bits);
    set.banks = per_channel({Field::channel, Field::rank, Field::group, Field::bank}, bits);
    set.only = extent <= rows;
    int run = offset, view = offset;
    while (run < extent &&
           per_channel({Field::channel, Field::rank, Field::group, Field::bank, Field::row}, run + 1) <= 1.0)
        ++run;
    while (view < extent && local(view + 1) <= depth) ++view;
    set.run = local(run);
    set.groups = values_below(mapping, {Field::channel, Field::rank, Field::group}, view) /
                 values_below(mapping, {Field::channel, Field::rank}, view);
    set.view_banks = per_channel({Field::channel, Field::rank, Field::group, Field::bank}, view);
    int group = offset;
    while (group < extent && per_channel({Field::channel, Field::rank, Field::group}, group + 1) <= 1.0) ++group;
    set.group_run = local(group);
    return set;
}

/// What timing says about bursts, openings and their neighbours, in cycles.
struct Pace {
    double bus, same;    ///< between bursts at best, and within a bank group
    double cycle, gap;   ///< between openings of a bank; from its last burst to the first of the next row
    double opening;      ///< between openings of any banks
    double rank_change;  ///< what a burst of another rank waits longer
};

Pace pace_of(sim::dram::Standard const& standard, sim::dram::Access access) {
    auto const& t = standard.timing;
    double const ending = access == sim::dram::Access::read ? t.nRTP : t.nCWL + t.nBL + t.nWR;
    Pace pace{};
    pace.bus = std::max(t.nBL, t.nCCDS);
    pace.same = std::max<double>(pace.bus, t.nCCDL);
    pace.cycle = std::max(t.nRC, t.nRAS + t.nRP);
    pace.gap = ending + t.nRP + t.nRCDRD;
    pace.opening = std::max<double>(t.nRRDS, 1.0 * t.nFAW / activates_per_window);
    pace.rank_change = std::max(0.0, static_cast<double>(t.nBL + t.nCS) - pace.bus);
    return pace;
}

/// Several streams, each with rows of its own: they may meet in one bank at every visit, or never.
Bounded of_engines(Pace const& p, RowSet const& set, double depth, double engines, StreamAllowances const& a) {
    double const visit = std::max(1.0, std::min(set.run, std::floor(depth / engines)));
    double const worst = std::max(p.cycle, visit * p.same + p.gap) / visit + set.banks * p.same / set.bursts;
    return {std::sqrt(p.bus * worst), p.bus, a.engine_slow * (worst + p.rank_change), Bound::calibrated};
}

/// One stream: never faster than bus, banks and activation windows allow; at worst nothing overlaps, and every change
/// of row opens as many as the scheduler lets it.
Bounded of_one_stream(Pace const& p, RowSet const& set, RatedStream const& stream, StreamAllowances const& a) {
    auto const& shape = stream.shape;
    double const depth = static_cast<double>(stream.design.queue_depth);
    double const reopened = stream.design.scheduler == Scheduler::frfcfs ? a.row_reopenings : 1.0;
    // While a run to one group leaves the queue the next one enters, and bursts of both take turns.
    double const alone = std::max(0.0, 1.0 - a.group_run_overlap * depth / set.group_run);
    double const spacing = p.bus + (p.same - p.bus) * alone;
    auto const paced = [&](double burst) {
        return std::max(
            {burst, shape.busiest_bank * p.cycle, shape.least_openings * p.opening, shape.banks <= 1.0 ? p.same : 0.0});
    };
    double const at_best = paced(p.bus), rank = p.rank_change * shape.rank_changes;
    double const visit = std::max(p.gap, p.cycle - p.same);
    double const at_worst =
        p.same + rank + shape.most_openings * reopened * visit + 2.0 / depth;  // a short queue runs empty now and then
    double const others = shape.least_openings > 0.0 ? 1.0 / shape.least_openings - 1.0 : 0.0;  // bursts of a visit
    double const bank = shape.busiest_bank * std::max(p.cycle, others * p.same + p.gap);
    double const likely = std::clamp(std::max(paced(spacing), bank), at_best, at_worst);
    return {likely, at_best, at_worst, Bound::calibrated};
}

/// Shares of time that refresh takes: at least, usually, at most.
struct RefreshShares {
    double least = 0.0, usual = 0.0, most = 0.0;
};

RefreshShares refresh_shares(RatedStream const& stream, bool plateau, StreamAllowances const& a) {
    if (stream.design.refresh != DramRefresh::all_bank) return {};
    auto const& t = stream.standard.timing;
    double const banks = stream.standard.organisation.banks_per_channel();
    double const reopening = plateau ? a.plateau_refresh_per_bank * banks : t.nRAS + a.refresh_per_bank * banks;
    return {static_cast<double>(t.nRFC) / t.nREFI, refresh_share(stream.standard),
            std::min(a.refresh_most, (t.nRFC + t.nRP + t.nRCDRD + reopening) / t.nREFI)};
}

bool on_plateau(RatedStream const& stream, RowSet const& set, bool bus_bound, StreamAllowances const& a) {
    auto const& t = stream.standard.timing;
    double const depth = static_cast<double>(stream.design.queue_depth);
    bool const sees_next_bank = set.groups > 1 || t.nCCDL <= t.nCCDS;
    return stream.engines == 1 && stream.design.scheduler == Scheduler::frfcfs_row_hit &&
           stream.standard.organisation.ranks == 1 && bus_bound && sees_next_bank &&
           depth >= 2 * std::min(set.run, a.plateau_run) && depth >= a.plateau_depth && set.banks >= a.plateau_banks;
}

}  // namespace

StreamRate stream_rate(RatedStream const& stream, StreamAllowances const& a) {
    auto const& shape = stream.shape;
    double const depth = static_cast<double>(stream.design.queue_depth);
    double const engines = static_cast<double>(stream.engines);
    auto const set = row_set(stream.mapping, depth, stream.extent);
    auto const pace = pace_of(stream.standard, stream.access);
    auto const burst = engines > 1 ? of_engines(pace, set, depth, engines, a) : of_one_stream(pace, set, stream, a);
    StreamRate rate;
    rate.channels = values_below(stream.mapping, {Field::channel}, stream.extent);
    rate.openings = engines > 1
                        ? Bounded(std::min(1.0, engines / depth), 1.0 / stream.standard.organisation.columns(),
                                  a.engine_openings, Bound::calibrated)
                        : Bounded(shape.least_openings, shape.least_openings, shape.most_openings, Bound::calibrated);
    rate.plateau = on_plateau(stream, set, burst.value <= pace.bus, a);
    auto const refresh = refresh_shares(stream, rate.plateau, a);
    // on the plateau only the rows of the banks in view are waited for when the row changes
    double const wait = pace.gap + set.view_banks * pace.opening;
    double const drained = stream.access == sim::dram::Access::write ? a.write_drain : 0.0;
    double const slow = rate.plateau ? burst.value * a.plateau_slow + drained + (set.only ? 0.0 : wait / set.bursts)
                                     : a.stream_slow * burst.high + drained;
    rate.cycles_per_burst = {burst.value / (1 - refresh.usual), burst.low / (1 - refresh.least),
                             std::max(slow, burst.value) / (1 - refresh.most), Bound::calibrated};
    return rate;
}

}  // namespace pimdse::models::umdam

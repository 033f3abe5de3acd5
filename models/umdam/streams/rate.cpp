#include "models/umdam/streams/rate.hpp"

#include "sim/dram/effort.hpp"
#include "sim/dram/mapping/gf2.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

constexpr double most_reopened = 5.0;  // openings per change of row when hits do not keep a row open

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
    pace.opening = std::max<double>(t.nRRDS, t.nFAW / 4.0);
    pace.rank_change = std::max(0.0, static_cast<double>(t.nBL + t.nCS) - pace.bus);
    return pace;
}

/// Several streams, each with rows of its own: they may meet in one bank at every visit, or never.
Range of_engines(Pace const& p, RowSet const& set, double depth, double engines) {
    double const visit = std::max(1.0, std::min(set.run, std::floor(depth / engines)));
    double const worst = std::max(p.cycle, visit * p.same + p.gap) / visit + set.banks * p.same / set.bursts;
    return {std::sqrt(p.bus * worst), p.bus, 1.5 * (worst + p.rank_change)};
}

/// One stream: never faster than bus, banks and activation windows allow; at worst nothing overlaps, and every change
/// of row opens `reopened` rows.
Range of_one_stream(Pace const& p, RowSet const& set, StreamShape const& shape, double depth, double reopened) {
    // While a run to one group leaves the queue the next one enters, and bursts of both take turns.
    double const alone = std::max(0.0, 1.0 - 1.5 * depth / set.group_run);
    double const spacing = p.bus + (p.same - p.bus) * alone;
    auto const paced = [&](double burst) {
        return std::max(
            {burst, shape.busiest_bank * p.cycle, shape.least_openings * p.opening, shape.banks <= 1.0 ? p.same : 0.0});
    };
    double const at_best = paced(p.bus), rank = p.rank_change * shape.rank_changes;
    double const visit = std::max(p.gap, p.cycle - p.same);
    double const at_worst =
        p.same + rank + shape.most_openings * reopened * visit + 2.0 / depth;  // a short queue runs empty now and then
    double const bank =
        shape.busiest_bank * std::max(p.cycle, (1.0 / std::max(shape.least_openings, 1e-9) - 1.0) * p.same + p.gap);
    double const likely = std::clamp(std::max(paced(spacing), bank), at_best, at_worst);
    return {likely, at_best, at_worst};
}

}  // namespace

StreamRate stream_rate(sim::dram::Standard const& standard, Mapping const& mapping, StreamShape const& shape,
                       Settings const& settings, int extent, sim::dram::Access access) {
    auto const& t = standard.timing;
    double const depth = static_cast<double>(settings.queue_depth);
    double const engines = access == sim::dram::Access::read ? static_cast<double>(settings.engines) : 1.0;
    auto const set = row_set(mapping, depth, extent);
    auto const pace = pace_of(standard, access);
    auto const burst = engines > 1 ? of_engines(pace, set, depth, engines)
                                   : of_one_stream(pace, set, shape, depth,
                                                   settings.scheduler == Scheduler::frfcfs ? most_reopened : 1.0);
    StreamRate rate;
    rate.channels = values_below(mapping, {Field::channel}, extent);
    rate.openings = engines > 1 ? Range(std::min(1.0, engines / depth), 1.0 / standard.organisation.columns(), 1.5)
                                : Range(shape.least_openings, shape.least_openings, shape.most_openings);
    bool const sees_next_bank = set.groups > 1 || t.nCCDL <= t.nCCDS;
    rate.plateau = engines == 1 && settings.scheduler == Scheduler::frfcfs_row_hit &&
                   standard.organisation.ranks == 1 && burst.value <= pace.bus && sees_next_bank &&
                   depth >= 2 * std::min(set.run, 16.0) && depth >= 16 && set.banks >= 8;
    double least = 0.0, usual = 0.0, most = 0.0;
    if (settings.refresh == Refresh::all_bank) {
        double const banks = static_cast<double>(standard.organisation.banks_per_channel());
        least = static_cast<double>(t.nRFC) / t.nREFI;
        usual = refresh_share(standard);
        most =
            std::min(0.9, (t.nRFC + t.nRP + t.nRCDRD + (rate.plateau ? 3.0 * banks : t.nRAS + 8.0 * banks)) / t.nREFI);
    }
    // on the plateau only the rows of the banks in view are waited for when the row changes
    double const wait = pace.gap + set.view_banks * pace.opening;
    double const drained =
        access == sim::dram::Access::write ? 1.5 / 8.0 : 0.0;  // eight a cycle refill the queue between two drains
    double const slow = rate.plateau ? burst.value * 1.03 + drained + (set.only ? 0.0 : wait / set.bursts)
                                     : 1.08 * burst.high + drained;
    rate.cycles_per_burst = {burst.value / (1 - usual), burst.low / (1 - least),
                             std::max(slow, burst.value) / (1 - most)};
    return rate;
}

double walked_pace(sim::dram::Standard const& standard, Mapping const& mapping, sim::dram::Stream const& stream,
                   sim::dram::Options const& controller) {
    constexpr std::array parts{0.07, 0.31, 0.59, 0.83};  // of the stream: engines meet in some and not in others
    constexpr std::uint64_t looked_at = 1024;
    std::uint64_t const length = std::min(stream.size(), looked_at);
    sim::dram::Effort effort(standard, mapping, controller);
    double sum = 0.0;
    for (double const part : parts) {
        auto const first = static_cast<std::uint64_t>(part * static_cast<double>(stream.size() - length));
        auto const cycles = effort.of(stream, first, length);
        sum += std::accumulate(cycles.begin(), cycles.end(), 0.0);
    }
    return sum / static_cast<double>(parts.size() * length);
}

}  // namespace pimdse::models::umdam

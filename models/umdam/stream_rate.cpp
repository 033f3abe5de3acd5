#include "models/umdam/stream_rate.hpp"

#include "sim/base/counting.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;
using sim::dram::Mapping;

using sim::Bound;
using sim::Bounded;

double places(Mapping const& mapping, Field last, int bits) { return sim::power_of_two(mapping.reach(last, bits)); }

int lowest_row_bit(Mapping const& mapping) {
    std::uint64_t any = 0;
    for (auto const mask : mapping.masks(Field::row)) any |= mask;
    return any == 0 ? mapping.address_bits() : std::countr_zero(any);
}

/// Accesses of one channel up to the first change of the row, and the part of them that its queue sees.
struct RowSet {
    double bursts = 1, banks = 1;
    bool only = false;  ///< the transfer ends before the row changes
    double run = 1;     ///< consecutive bursts to one row
    double groups = 1;  ///< bank groups within the controller's view
    /// Consecutive bursts to one bank group; all bursts of the transfer if the group never changes.
    double group_run = 1;
    /// Only the bank of a row is used up to a change of row, but a later change of row leaves its bank group: whole
    /// rows of one bank follow each other.
    bool rows_in_one_bank = false;
    double view_banks = 1;  ///< banks within that view: rows of others can be opened while data is transferred
};

RowSet row_set(Mapping const& mapping, double depth, int extent) {
    int const offset = mapping.offset_bits(), rows = lowest_row_bit(mapping), bits = std::min(rows, extent);
    auto const of_channel = [&](Field last, int below) {
        return sim::power_of_two(mapping.reach(last, below) - mapping.reach(Field::channel, below));
    };
    auto const local = [&](int below) {
        return sim::power_of_two(below - offset) / places(mapping, Field::channel, below);
    };
    auto const last_with_one = [&](Field last) {
        int below = offset;
        while (below < extent && of_channel(last, below + 1) <= 1.0) ++below;
        return below;
    };
    RowSet set;
    set.bursts = local(bits);
    set.banks = of_channel(Field::bank, bits);
    set.only = extent <= rows;
    int view = offset;
    while (view < extent && local(view + 1) <= depth) ++view;
    set.run = local(last_with_one(Field::row));
    set.groups = sim::power_of_two(mapping.reach(Field::group, view) - mapping.reach(Field::rank, view));
    set.view_banks = of_channel(Field::bank, view);
    set.group_run = local(last_with_one(Field::group));
    set.rows_in_one_bank = set.banks <= 1.0 && of_channel(Field::group, extent) > 1.0;
    return set;
}

/// Distances between bursts and between row activations that the timing allows, in cycles.
struct Pace {
    double bus, same;   ///< between bursts: minimum, and within a bank group
    double cycle, gap;  ///< between row activations of a bank; from its last burst to the first of the next row
    double activation_interval;  ///< between row activations of any banks
    double rank_change;          ///< additional wait of a burst to another rank
};

Pace pace_of(sim::dram::Standard const& standard, sim::dram::Access access) {
    auto const& t = standard.timing;
    double const ending = access == sim::dram::Access::read ? t.nRTP : t.nCWL + t.nBL + t.nWR;
    Pace pace{};
    pace.bus = std::max(t.nBL, t.nCCDS);
    pace.same = std::max<double>(pace.bus, t.nCCDL);
    pace.cycle = std::max(t.nRC, t.nRAS + t.nRP);
    pace.gap = ending + t.nRP + t.nRCDRD;
    pace.activation_interval = std::max<double>(t.nRRDS, 1.0 * t.nFAW / sim::dram::activations_per_window);
    pace.rank_change = std::max(0.0, static_cast<double>(t.nBL + t.nCS) - pace.bus);
    return pace;
}

/// How many engines begin in one bank, at most; all where nothing is known.
double engines_in_one_bank(RatedStream const& stream) {
    if (stream.part == 0) return static_cast<double>(stream.engines);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> engines;  // by channel and bank
    double most = 0.0;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(stream.engines); ++i) {
        auto const place = stream.mapping.place(i * stream.part);
        most = std::max(most, engines[{place.channel, place.bank}] += 1.0);
    }
    return most;
}

/// One stream. At worst nothing overlaps, and at every change of row in the order of a bank the row is opened as often
/// as the scheduler allows. At best only the bus limits. Rows of the banks in view are opened while other banks
/// transfer data.
Bounded of_one_stream(Pace const& p, RowSet const& set, RatedStream const& stream, double depth,
                      StreamAllowances const& a) {
    double const reopened = stream.design.scheduler == Scheduler::frfcfs ? a.row_reactivations : 1.0;
    double const changes = stream.mapping.row_changes(stream.extent);
    // While a run to one bank group leaves the queue, the next run enters, and bursts of both alternate.
    double const alone = std::max(0.0, 1.0 - a.group_run_overlap * depth / set.group_run);
    double const visit = std::max(p.gap, p.cycle - p.same);
    // rows of one bank that follow each other are opened one after the other
    double const reopening = set.rows_in_one_bank ? (1.0 / set.run - 1.0 / set.group_run) * visit : 0.0;
    bool const one_group = set.banks <= 1.0 && !set.rows_in_one_bank;
    double const spacing = one_group ? p.same : p.bus + (p.same + reopening - p.bus) * alone;
    double const rank = p.rank_change * stream.mapping.rank_changes(stream.extent);
    double const at_worst = p.same + rank + changes * reopened * visit + 2.0 / depth;  // a short queue becomes empty
    double const likely =
        std::max({spacing, changes * p.activation_interval, changes * (visit + p.same) / set.view_banks});
    return {std::min(likely, at_worst), p.bus, at_worst, Bound::calibrated};
}

/// Several streams with rows of their own. At worst they meet in one bank at every visit, at best never.
Bounded of_engines(Pace const& p, RowSet const& set, RatedStream const& stream, double depth, double engines,
                   StreamAllowances const& a) {
    auto const of_visits = [&](double bursts) {
        double const visit = std::max(1.0, std::min(set.run, bursts));
        return std::max(p.cycle, visit * p.same + p.gap) / visit;
    };
    double const seen = std::floor(depth / engines), worst = of_visits(seen) + set.banks * p.same / set.bursts;
    double const slow = a.engine_slow * (worst + p.rank_change);
    if (set.rows_in_one_bank) {
        double const meeting = engines_in_one_bank(stream);
        // No two engines meet: they follow each other like one stream, whose overlap needs the queue for itself (one
        // after the other) or a part of it (in step).
        if (meeting == 1.0) {
            double const view = std::max(1.0, depth / std::sqrt(engines));
            return {std::clamp(of_one_stream(p, set, stream, view, a).value, p.bus, slow), p.bus, slow,
                    Bound::calibrated};
        }
        // Engines of a bank take turns. In a turn of v bursts each of them enters v / meeting further ones, so that the
        // queue holds v (meeting - 1) / 2 at its end.
        double const turn = std::max(1.0, 2.0 * depth / (meeting - 1.0));
        return {std::clamp(of_visits(turn), p.bus, slow), p.bus, slow, Bound::calibrated};
    }
    double const concurrent = std::max(1.0, set.view_banks / engines);  // banks whose rows change meanwhile
    double const usual = of_visits(seen + 1.0) / concurrent;            // one more enters while the row is being opened
    return {std::sqrt(p.bus * std::max(p.bus, usual)), p.bus, slow, Bound::calibrated};
}

/// Shares of time lost to refresh: usual and maximum.
struct RefreshShares {
    double usual = 0.0, max = 0.0;
};

RefreshShares refresh_shares(RatedStream const& stream, bool plateau, StreamAllowances const& a) {
    if (stream.design.refresh != DramRefresh::all_bank) return {};
    auto const& t = stream.standard.timing;
    double const banks = stream.standard.organisation.banks_per_channel();
    double const reopening = plateau ? a.plateau_refresh_per_bank * banks : t.nRAS + a.refresh_per_bank * banks;
    return {refresh_share(stream.standard), std::min(a.refresh_max, (t.nRFC + t.nRP + t.nRCDRD + reopening) / t.nREFI)};
}

bool on_plateau(RatedStream const& stream, RowSet const& set, bool bus_bound, StreamAllowances const& a) {
    auto const& t = stream.standard.timing;
    double const depth = static_cast<double>(stream.design.queue_depth);
    bool const sees_next_bank = set.groups > 1 || t.nCCDL <= t.nCCDS;
    return stream.engines == 1 && stream.design.scheduler == Scheduler::frfcfs_row_hit &&
           stream.standard.organisation.ranks == 1 && bus_bound && sees_next_bank &&
           depth >= 2 * std::min(set.run, a.plateau_run) && depth >= a.plateau_depth && set.banks >= a.plateau_banks;
}

/// Row activations per burst: at best each row is opened once, at worst at every change.
Bounded row_activations_of(RatedStream const& stream, StreamAllowances const& a) {
    double const bursts = sim::power_of_two(stream.extent - stream.mapping.offset_bits());
    double const rows = places(stream.mapping, Field::row, stream.extent) / bursts;
    if (stream.engines > 1) {
        double const usual = static_cast<double>(stream.engines) / static_cast<double>(stream.design.queue_depth);
        return {std::clamp(usual, rows, 1.0), rows, a.engine_activations, Bound::calibrated};
    }
    double const changes = std::max(rows, stream.mapping.row_changes(stream.extent));
    return {std::sqrt(rows * changes), rows, changes, Bound::calibrated};
}

/// The most even distribution of the bursts of a range: lower bounds of what the busiest resource has to do.
class Spread {
  public:
    explicit Spread(WholeRange const& range) : mapping_(range.mapping), bursts_(range.bursts) {
        auto const last = static_cast<std::uint64_t>(range.bursts) - 1;
        above_ = mapping_.offset_bits() + std::bit_width(last);          // all bursts lie below 1 << above_
        below_ = mapping_.offset_bits() + std::bit_width(last + 1) - 1;  // all below 1 << below_ belong to the range
    }
    /// Bursts of the busiest channel, rank, group or bank: at least the mean over those that are reached at all, and at
    /// least the number that the largest aligned part of the range gives to each of those it reaches.
    [[nodiscard]] double bursts(Field field) const {
        return std::max(std::ceil(bursts_ / places(mapping_, field, above_)), aligned(field));
    }
    [[nodiscard]] double mean_of_banks() const { return std::ceil(bursts_ / places(mapping_, Field::bank, above_)); }
    [[nodiscard]] double aligned(Field field) const {
        return sim::power_of_two(below_ - mapping_.offset_bits()) / places(mapping_, field, below_);
    }
    /// Number of places, distinguished by the fields down to `of`, within one place distinguished by the fields down to
    /// `field`, in the aligned part.
    [[nodiscard]] double aligned(Field of, Field field) const {
        return places(mapping_, of, below_) / places(mapping_, field, below_);
    }
    /// Different rows of all banks.
    [[nodiscard]] double rows() const {
        return std::max(places(mapping_, Field::row, below_), std::ceil(bursts_ / of_a_row()));
    }
    /// Different rows of the channel or rank that has the most.
    [[nodiscard]] double rows(Field field) const {
        return std::max(std::ceil(rows() / places(mapping_, field, above_)), aligned(Field::row, field));
    }
    /// Largest number of bursts that share a row.
    [[nodiscard]] double of_a_row() const {
        return sim::power_of_two(above_ - mapping_.offset_bits()) / places(mapping_, Field::row, above_);
    }

  private:
    sim::dram::Mapping const& mapping_;
    double bursts_;
    int above_ = 0, below_ = 0;
};

/// Minimum numbers of cycles between commands, for one direction.
struct CommandGaps {
    double column, same_rank, same_group;  ///< between bursts: any, of one rank, of one bank group
    double opened;                         ///< from ACT to the first burst
    double closing;                        ///< from the last burst to ACT of the next row
    double row_cycle;                      ///< from ACT to ACT of a bank
    double first;                          ///< tick of the first burst: ACT, then CAS a cycle ahead of it
    double done;                           ///< from the command of the last burst to the arrival of its data
};

CommandGaps gaps_of(WholeRange const& range) {
    auto const& t = range.standard.timing;
    bool const reads = range.access == sim::dram::Access::read;
    double const ending = reads ? t.nRTP : t.nCWL + t.nBL + t.nWR;
    double const precharge = std::min(t.nRP, t.nRPab);
    CommandGaps g{};
    g.same_rank = std::max(t.nBL, t.nCCDS);
    g.column = range.standard.organisation.ranks == 1 ? g.same_rank
                                                      : std::min<double>(g.same_rank, reads ? t.nBL + t.nCS : t.nBL);
    g.same_group = std::max<double>(g.same_rank, t.nCCDL);
    g.opened = reads ? t.nRCDRD : t.nRCDWR;
    g.closing = ending + precharge;
    g.row_cycle = std::max<double>(t.nRC, std::max<double>(t.nRAS, g.opened + ending) + precharge);
    g.first = g.opened + 2.0;
    g.done = reads ? t.read_latency() : 0.0;
    return g;
}

class Minimum {
  public:
    explicit Minimum(WholeRange const& range)
        : range_(range),
          organisation_(range.standard.organisation),
          gaps_(gaps_of(range)),
          spread_(range),
          refresh_{range.refreshed ? range.standard.timing.nREFI : 0.0} {}

    [[nodiscard]] StreamLowerBound found() const {
        double const last = std::max({buses(), groups(), banks(), row_activations(), commands()});
        return {last + gaps_.done, spread_.rows()};
    }

  private:
    /// From the last burst of a rank before a refresh to the first one after it.
    [[nodiscard]] double pause() const { return gaps_.closing + range_.standard.timing.nRFC + gaps_.opened; }

    [[nodiscard]] double bursts_of(Field field, double gap, double banks) const {
        return refresh_.stretched(gaps_.first + (spread_.bursts(field) - 1.0) * gap, pause() - gap, banks * gap);
    }

    [[nodiscard]] double buses() const {
        double const ranks = bursts_of(Field::rank, gaps_.same_rank, organisation_.banks_per_rank());
        if (organisation_.ranks == 1) return ranks;
        double const gap = gaps_.column, banks = organisation_.banks_per_channel();
        double const blocked = range_.standard.timing.nRFC + gaps_.opened - banks * gap;
        return std::max(ranks, refresh_.stretched(gaps_.first + (spread_.bursts(Field::channel) - 1.0) * gap, blocked,
                                                  banks * gap));
    }

    [[nodiscard]] double groups() const { return bursts_of(Field::group, gaps_.same_group, organisation_.banks); }

    /// A bank serves its rows one after the other; opening a row several times takes no less time.
    [[nodiscard]] double banks() const {
        return std::max(bank(spread_.mean_of_banks(), std::ceil(spread_.mean_of_banks() / spread_.of_a_row())),
                        bank(spread_.aligned(Field::bank), spread_.aligned(Field::row, Field::bank)));
    }
    [[nodiscard]] double bank(double bursts, double rows) const {
        double const visit = gaps_.opened + gaps_.closing - gaps_.same_group;
        double const min = std::max(rows * gaps_.row_cycle, rows * visit + bursts * gaps_.same_group);
        // the end of the last row is not waited for
        double const unused = std::max(gaps_.closing, gaps_.row_cycle - gaps_.opened);
        return refresh_.stretched(1.0 + min - unused, range_.standard.timing.nRFC,
                                  std::max(gaps_.row_cycle, visit + gaps_.same_group));
    }

    [[nodiscard]] double row_activations() const {
        auto const& t = range_.standard.timing;
        double const rows = spread_.rows(Field::rank), window = t.nFAW, apart = t.nRRDS;
        double const min = std::max((rows / sim::dram::activations_per_window - 1.0) * window, (rows - 1.0) * apart);
        return refresh_.stretched(1.0 + min + gaps_.opened, gaps_.row_cycle + t.nRFC - std::max(window, apart), window);
    }

    /// One command per cycle: ACT1, ACT2 and PRE for a row, RD or WR for a burst. The last row of a bank and rows that
    /// a refresh closes need no PRE of their own.
    [[nodiscard]] double commands() const {
        double const bursts = spread_.bursts(Field::channel), rows = spread_.rows(Field::channel);
        double const banks = organisation_.banks_per_channel(), blocked = range_.standard.timing.nRFC - 1.0 - banks;
        if (organisation_.ranks > 1 || blocked <= 0.0) return bursts + 2 * rows;
        return std::max(bursts + 2 * rows, refresh_.stretched(bursts + 3 * rows - banks, blocked, banks + 1.0));
    }

    WholeRange const& range_;
    sim::dram::Organisation const& organisation_;
    CommandGaps gaps_;
    Spread spread_;
    Refreshed refresh_;
};

}  // namespace

StreamRate stream_rate(RatedStream const& stream, StreamAllowances const& a) {
    double const depth = static_cast<double>(stream.design.queue_depth);
    double const engines = static_cast<double>(stream.engines);
    auto const set = row_set(stream.mapping, depth, stream.extent);
    auto const pace = pace_of(stream.standard, stream.access);
    auto const burst =
        engines > 1 ? of_engines(pace, set, stream, depth, engines, a) : of_one_stream(pace, set, stream, depth, a);
    StreamRate rate;
    rate.channels = places(stream.mapping, Field::channel, stream.extent);
    rate.banks = set.banks;
    rate.row_activations = row_activations_of(stream, a);
    bool const plateau = on_plateau(stream, set, burst.value <= pace.bus, a);
    auto const refresh = refresh_shares(stream, plateau, a);
    // on the plateau, a change of the row waits only for the rows of the banks in view
    double const wait = pace.gap + set.view_banks * pace.activation_interval;
    double const drained = stream.access == sim::dram::Access::write ? a.write_drain : 0.0;
    double const slow = plateau ? burst.value * a.plateau_slow + drained + (set.only ? 0.0 : wait / set.bursts)
                                : a.stream_slow * burst.upper + drained;
    rate.cycles_per_burst = {burst.value / (1 - refresh.usual), burst.lower,
                             std::max(slow, burst.value) / (1 - refresh.max), Bound::calibrated};
    return rate;
}

StreamLowerBound stream_lower_bound(WholeRange const& range) {
    if (range.bursts < 1.0) return {};
    return Minimum(range).found();
}

}  // namespace pimdse::models::umdam

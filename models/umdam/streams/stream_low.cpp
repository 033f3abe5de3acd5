#include "models/umdam/streams/stream_low.hpp"

#include "models/umdam/streams/refreshed.hpp"
#include "sim/base/power_of_two.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Field;

/// How the bursts of a range spread, at best: what the one with most of them has at least.
class Spread {
  public:
    explicit Spread(WholeRange const& range) : mapping_(range.mapping), bursts_(range.bursts) {
        auto const last = static_cast<std::uint64_t>(range.bursts) - 1;
        above_ = mapping_.offset_bits() + std::bit_width(last);          // all bursts lie below 1 << above_
        below_ = mapping_.offset_bits() + std::bit_width(last + 1) - 1;  // and all below 1 << below_ are among them
    }
    /// Bursts of the busiest channel, rank, group or bank: the mean over those that are reached at all, or what the
    /// largest aligned part of the range gives each of those it reaches.
    [[nodiscard]] double bursts(Field field) const {
        return std::max(std::ceil(bursts_ / places(field, above_)), aligned(field));
    }
    [[nodiscard]] double mean_of_banks() const { return std::ceil(bursts_ / places(Field::bank, above_)); }
    [[nodiscard]] double aligned(Field field) const {
        return sim::power_of_two(below_ - mapping_.offset_bits()) / places(field, below_);
    }
    /// Places told apart by fields down to `of` that one place down to `field` has in that part.
    [[nodiscard]] double aligned(Field of, Field field) const { return places(of, below_) / places(field, below_); }
    /// Different rows, all banks.
    [[nodiscard]] double rows() const { return std::max(places(Field::row, below_), std::ceil(bursts_ / of_a_row())); }
    /// Different rows of the channel or rank that has most of them.
    [[nodiscard]] double rows(Field field) const {
        return std::max(std::ceil(rows() / places(field, above_)), aligned(Field::row, field));
    }
    /// Most bursts that share a row.
    [[nodiscard]] double of_a_row() const {
        return sim::power_of_two(above_ - mapping_.offset_bits()) / places(Field::row, above_);
    }

  private:
    [[nodiscard]] double places(Field last, int bits) const { return sim::power_of_two(mapping_.reach(last, bits)); }

    sim::dram::Mapping const& mapping_;
    double bursts_;
    int above_ = 0, below_ = 0;
};

/// Least cycles between commands, for one direction.
struct CommandGaps {
    double column, same_rank, same_group;  ///< between bursts: any, of a rank, of a bank group
    double opened;                         ///< from ACT to the first burst
    double closing;                        ///< from the last burst to ACT of the next row
    double row_cycle;                      ///< from ACT to ACT of a bank
    double first;                          ///< tick of the first burst: ACT, then CAS a cycle ahead of it
    double done;                           ///< from the command of the last burst until it has arrived
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

class Least {
  public:
    explicit Least(WholeRange const& range)
        : range_(range),
          organisation_(range.standard.organisation),
          gaps_(gaps_of(range)),
          spread_(range),
          refresh_{range.refreshed ? range.standard.timing.nREFI : 0.0} {}

    [[nodiscard]] StreamLow found() const {
        double const last = std::max({buses(), groups(), banks(), openings(), commands()});
        return {last + gaps_.done, spread_.rows()};
    }

  private:
    /// From the last burst of a rank before a refresh to the first one behind it.
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

    /// A bank serves its rows one after the other; a row that is opened several times takes no less.
    [[nodiscard]] double banks() const {
        return std::max(bank(spread_.mean_of_banks(), std::ceil(spread_.mean_of_banks() / spread_.of_a_row())),
                        bank(spread_.aligned(Field::bank), spread_.aligned(Field::row, Field::bank)));
    }
    [[nodiscard]] double bank(double bursts, double rows) const {
        double const visit = gaps_.opened + gaps_.closing - gaps_.same_group;
        double const least = std::max(rows * gaps_.row_cycle, rows * visit + bursts * gaps_.same_group);
        double const unused = std::max(gaps_.closing, gaps_.row_cycle - gaps_.opened);  // nobody waits for the last one
        return refresh_.stretched(1.0 + least - unused, range_.standard.timing.nRFC,
                                  std::max(gaps_.row_cycle, visit + gaps_.same_group));
    }

    [[nodiscard]] double openings() const {
        auto const& t = range_.standard.timing;
        double const rows = spread_.rows(Field::rank), window = t.nFAW, apart = t.nRRDS;
        double const least = std::max((rows / sim::dram::activates_per_window - 1.0) * window, (rows - 1.0) * apart);
        return refresh_.stretched(1.0 + least + gaps_.opened, gaps_.row_cycle + t.nRFC - std::max(window, apart),
                                  window);
    }

    /// One command a cycle: ACT1, ACT2 and PRE of a row, RD or WR of a burst. The last row of a bank, and those that a
    /// refresh closes, need no PRE of their own.
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

StreamLow stream_low(WholeRange const& range) {
    if (range.bursts < 1.0) return {};
    return Least(range).found();
}

}  // namespace pimdse::models::umdam

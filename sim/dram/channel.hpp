#pragma once

#include "sim/dram/channel_issue.hpp"

namespace pimdse::sim::dram {

/// One channel under the command rules of its family. `tick(t)` runs tick t; ticks in which nothing can happen
/// (t < wake()) may be left out, others not.
template <Family family>
class Channel;

template <>
class Channel<Family::ddr4> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        Candidate const chosen = choose(t, next);
        if (chosen) issue(chosen, t);
        wake_ = chosen ? after_issue(t) : next;
    }

  private:
    Candidate choose(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::both>(choose_queue(), t, next);
    }

    void issue(Candidate chosen, Tick t) {
        if (chosen.source() == Source::maintenance) return issue_maintenance(chosen, t);
        if (chosen.is_column()) return issue_column(chosen, t);
        if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
        open(chosen.node(), take_for_activation(chosen, t));
    }
};

/// Each tick has room for one column and one row command, the column first; both pseudo channels share them.
template <>
class Channel<Family::hbm2> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        Candidate const column = choose_column(t, next);
        if (column) issue_column(column, t);
        Candidate const row = choose_row(t, next);
        if (row) issue_row(row, t);
        wake_ = column || row ? after_issue(t) : next;
    }

  private:
    Candidate choose_column(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return {};
        return best_queued<Kinds::columns>(choose_queue(), t, next);
    }

    Candidate choose_row(Tick t, Tick& next) {
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::rows>(choose_queue(), t, next);
    }

    void issue_row(Candidate row, Tick t) {
        if (row.source() == Source::maintenance) return issue_maintenance(row, t);
        if (row.command() == Command::precharge) return issue_precharge(row, t);
        open(row.node(), take_for_activation(row, t));
    }
};

/// Activation takes two commands, and the data clock must run before a burst: a CAS goes first when it has stopped.
template <>
class Channel<Family::lpddr5> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        bool const issued = act(t, next);
        wake_ = !issued ? next : synchronising_ || activating_ != 0 ? t + 1 : after_issue(t);
    }

    void append_signature(Tick now, Origin const& origin, Signature& signature) const;
    void skip(Jump const& jump, Counters const& earlier);

  private:
    /// True if a command was issued.
    bool act(Tick t, Tick& next) {
        if (synchronising_) {
            issue_synchronised(t);
            return true;
        }
        bool const half_open = activating_ != 0;
        if (half_open && deadline_ <= t) return finish_activation();
        Candidate const chosen = choose(t, next);
        if (!chosen) return half_open && finish_activation();
        if (!chosen.is_column()) {
            issue(chosen, t);
            return true;
        }
        if (t < clock_until_) {
            issue_clocked(chosen, t);
            return true;
        }
        // A CAS takes this tick and the RD/WR the next: a half-open bank must not miss its deadline meanwhile.
        if (half_open && deadline_ <= t + 1) return finish_activation();
        synchronising_ = chosen;
        return true;
    }

    Candidate choose(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::both>(choose_queue(), t, next);
    }

    void issue(Candidate chosen, Tick t) {
        if (chosen.source() == Source::maintenance) return issue_maintenance(chosen, t);
        if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
        half_opened_ = take_for_activation(chosen, t);
        activating_ = bit(chosen.node());
        deadline_ = t + control_.activate_deadline;
    }

    bool finish_activation() {
        activating_ = 0;
        open(half_opened_.bank, half_opened_);
        return true;
    }

    void issue_clocked(Candidate chosen, Tick t) {
        issue_column(chosen, t);
        clock_until_ = std::max(clock_until_,
                                t + (chosen.command() == Command::read ? control_.read_clock : control_.write_clock));
    }

    void issue_synchronised(Tick t) {
        Candidate const chosen = synchronising_;
        synchronising_ = {};
        ++counters_.clock_syncs;
        issue_clocked(chosen, t);
    }

    Candidate synchronising_;  ///< its CAS went in the previous tick
    Request half_opened_;      ///< between ACT1 and ACT2
    Tick deadline_ = 0;        ///< last tick for its ACT2
    Tick clock_until_ = 0;     ///< WCK runs in earlier ticks
};

}  // namespace pimdse::sim::dram

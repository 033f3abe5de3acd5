#pragma once

#include "sim/dram/counts/counters.hpp"
#include "sim/dram/timing/timers.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// Accounts for every cycle of a channel's data bus (HBM2: of each pseudo channel's). A burst takes nBL cycles from its
/// command; the gap before it is charged to what held its request: it had not come yet (head_of_line), a refresh was
/// due or running, its row was being opened (activation_limit where nRRD or nFAW held the ACT, else bank_conflict), and
/// then the column command itself waited (turnaround, bank_group, else command_bus). What is left after the last burst
/// is `drained`.
class BusWatch {
  public:
    explicit BusWatch(Standard const& standard);

    void refresh_due(Tick t);
    void refresh_issued(std::size_t rank, Tick t, Tick until);
    /// An ACT is about to issue in tick t.
    void activate(Timers const& timers, std::size_t bank, Tick t);
    /// A RD or WR is about to issue in tick t for a request accepted after tick `arrive`.
    void column(Timers const& timers, Command command, std::size_t bank, Tick arrive, Tick t, Counters& counters);
    /// The run ends with tick `end`.
    void finish(Tick end, Counters& counters);

    void shift(Tick by);
    void append_signature(Tick now, std::vector<std::uint64_t>& out) const;

  private:
    struct Port {
        Tick free = 1;                        ///< first tick after the last burst
        Command last = Command::refresh_all;  ///< last column command; anything else: none yet
        Tick refresh_from = 0, refresh_until = 0;
    };
    [[nodiscard]] std::size_t port_of(std::size_t rank) const { return shared_ ? 0 : rank; }
    [[nodiscard]] Spent cause_of_column_wait(Timers const& timers, Command command, std::size_t bank,
                                             Port const& port) const;

    bool shared_;
    Tick burst_;
    std::vector<Port> ports_;
    std::array<Tick, 64> limited_{};  ///< how long nRRD or nFAW alone held a bank's last ACT
};

}  // namespace pimdse::sim::dram

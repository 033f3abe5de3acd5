#pragma once

#include "sim/dram/family.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/timers.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pimdse::sim::dram {

/// Histogram of read latencies in cycles: exact up to 4095, above that in steps of 1/64 of the value.
class Latencies {
  public:
    void add(Tick latency);
    void add_all(Latencies const& other);
    /// Adds what was counted since `earlier` another `times` times.
    void repeat(Latencies const& earlier, std::uint64_t times);

    [[nodiscard]] bool empty() const { return counts_.empty(); }
    [[nodiscard]] std::uint64_t count() const;
    /// The smallest latency (lower edge of its step) that at least `fraction` of the reads do not exceed; nullopt
    /// without reads.
    [[nodiscard]] std::optional<Tick> percentile(double fraction) const;
    bool operator==(Latencies const&) const = default;

  private:
    std::vector<std::uint64_t> counts_;
};

/// Use of a cycle of a channel's data bus.
enum class BusUse : std::uint8_t {
    transfer,
    refresh,
    turnaround,
    bank_group,
    activation_limit,
    bank_conflict,
    command_bus,
    head_of_line,
    drained
};
inline constexpr std::size_t bus_use_count = 9;
inline constexpr std::array<std::string_view, bus_use_count> bus_use_names{
    "transfer",      "refresh",     "turnaround",   "bank_group", "activation_limit",
    "bank_conflict", "command_bus", "head_of_line", "drained"};

/// Counters of a run, summed over all channels. Every field is an exact count; nothing is derived.
struct Counters {
    Tick cycles = 0;  ///< until everything is complete
    std::uint64_t requests = 0, reads = 0, writes = 0;
    std::uint64_t hits = 0, misses = 0, conflicts = 0;
    std::uint64_t forwarded = 0;  ///< reads of a write in the queue
    std::uint64_t coalesced = 0;  ///< writes merged into a queued write
    std::uint64_t row_activations = 0, precharges = 0, precharge_alls = 0, read_commands = 0, write_commands = 0;
    std::uint64_t refreshes = 0;  ///< REFab or REFpb until the last cycle, all ranks of all channels
    bool refreshes_are_all_bank = true;
    std::uint64_t clock_syncs = 0;  ///< CAS commands whose RD or WR was issued (LPDDR5)
    std::uint64_t latency_sum = 0;  ///< cycles, over all reads
    std::array<std::uint64_t, bus_use_count>
        bus_use{};                ///< channel-cycles; sums to cycles * channels (HBM2: * pseudo channels) when observed
    Latencies latencies;          ///< of reads; empty unless observed
    std::uint64_t simulated = 0;  ///< requests simulated one by one; the others were in skipped periods

    /// Bursts on the data bus: without forwarded reads and coalesced writes.
    [[nodiscard]] std::uint64_t bursts() const { return read_commands + write_commands; }
    /// Cycles; nullopt without reads.
    [[nodiscard]] std::optional<double> average_read_latency() const {
        if (reads == 0) return std::nullopt;
        return static_cast<double>(latency_sum) / static_cast<double>(reads);
    }
    /// Adds the counts of another channel; `cycles` becomes the maximum of the two.
    void add(Counters const& other);
    /// Adds what was counted since `earlier` another `times` times, except cycles.
    void repeat(Counters const& earlier, std::uint64_t times);
    bool operator==(Counters const&) const = default;
};

/// Mean bandwidth of the data bus over the run: of bursts, not of requests.
[[nodiscard]] Bandwidth bandwidth(Counters const& counters, Standard const& standard);
/// Energy: command counts times energy per command.
struct EnergySplit {
    Energy activate, array, transfer, refresh;
    [[nodiscard]] Energy total() const { return activate + array + transfer + refresh; }
};
[[nodiscard]] EnergySplit energy(Counters const& counters, Standard const& standard);

/// Accounting of every cycle of the data bus of a channel (HBM2: of each pseudo channel). A burst takes nBL cycles from
/// its command. The gap before it is charged to the cause that delayed its request: the request had not arrived
/// (head_of_line), a refresh was due or running (refresh), its row was being opened (activation_limit if nRRD or nFAW
/// delayed the ACT, else bank_conflict), or the column command waited (turnaround, bank_group, else command_bus).
/// Cycles after the last burst are `drained`.
class BusMonitor {
  public:
    explicit BusMonitor(Standard const& standard);

    void refresh_due(Tick t);
    void refresh_issued(std::size_t rank, Tick t, Tick until);
    /// Notes an ACT that will be issued in cycle t.
    void activate(Timers const& timers, std::size_t bank, Tick t);
    /// Notes a RD or WR that will be issued in cycle t for a request that was accepted after cycle `arrive`.
    void column(Timers const& timers, Command command, std::size_t bank, Tick arrive, Tick t, Counters& counters);
    /// Ends the run after cycle `end`.
    void finish(Tick end, Counters& counters);

    void shift(Tick by);
    /// Advances by `by` cycles what refreshes since cycle `since` have set; there has been no burst since.
    void shift_refreshes(Tick since, Tick by);
    void append_signature(Tick now, std::vector<std::uint64_t>& out) const;
    /// Appends what decides the accounting of refreshes without bursts in between.
    void append_refreshes(Tick now, std::vector<std::uint64_t>& out) const;

  private:
    struct Port {
        Tick free = 1;                        ///< first cycle after the last burst
        Command last = Command::refresh_all;  ///< last RD or WR; anything else: none yet
        Tick refresh_from = 0, refresh_until = 0;
    };
    [[nodiscard]] std::size_t port_of(std::size_t rank) const { return shared_ ? 0 : rank; }
    [[nodiscard]] BusUse cause_of_column_wait(Timers const& timers, Command command, std::size_t bank,
                                              Port const& port) const;

    bool shared_;
    Tick burst_;
    std::vector<Port> ports_;
    std::array<Tick, 64> limited_{};  ///< how long nRRD or nFAW alone delayed a bank's last ACT
};

}  // namespace pimdse::sim::dram

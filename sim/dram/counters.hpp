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

/// How often each read latency occurred: exact up to 4095 cycles, above that in steps of 1/64 of the value.
class Latencies {
  public:
    void add(Tick latency);
    void add_all(Latencies const& other);
    /// Adds `times` times what this gained since `earlier`.
    void repeat(Latencies const& earlier, std::uint64_t times);

    [[nodiscard]] bool empty() const { return counts_.empty(); }
    [[nodiscard]] std::uint64_t count() const;
    /// The smallest latency (lower edge of its step) that at least `fraction` of the reads do not exceed; nothing of no
    /// reads.
    [[nodiscard]] std::optional<Tick> percentile(double fraction) const;
    bool operator==(Latencies const&) const = default;

  private:
    std::vector<std::uint64_t> counts_;
};

/// Where a cycle of a channel's data bus went.
enum class Spent : std::uint8_t {
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
inline constexpr std::size_t spent_count = 9;
inline constexpr std::array<std::string_view, spent_count> spent_names{
    "transfer",      "refresh",     "turnaround",   "bank_group", "activation_limit",
    "bank_conflict", "command_bus", "head_of_line", "drained"};

/// What a run counted, over all channels. Doubles nothing and derives nothing: every field is an exact count.
struct Counters {
    Tick cycles = 0;  ///< ticks until everything is complete
    std::uint64_t requests = 0, reads = 0, writes = 0;
    std::uint64_t hits = 0, misses = 0, conflicts = 0;
    std::uint64_t forwarded = 0;  ///< reads answered by the write queue
    std::uint64_t coalesced = 0;  ///< writes merged into a queued write
    std::uint64_t activates = 0, precharges = 0, precharge_alls = 0, read_commands = 0, write_commands = 0;
    std::uint64_t refreshes = 0;  ///< REFab or REFpb, until the last tick, all ranks of all channels
    bool refreshes_are_all_bank = true;
    std::uint64_t clock_syncs = 0;  ///< CAS commands whose RD/WR has issued (LPDDR5)
    std::uint64_t latency_sum = 0;  ///< cycles, over all reads
    std::array<std::uint64_t, spent_count>
        spent{};                  ///< channel-cycles; sums to cycles * channels (HBM2: * pseudo channels) when observed
    Latencies latencies;          ///< of reads; empty unless observed
    std::uint64_t simulated = 0;  ///< requests run through one by one; the rest was skipped exactly

    /// What crossed the data bus: forwarded reads and coalesced writes do not.
    [[nodiscard]] std::uint64_t bursts() const { return read_commands + write_commands; }
    /// Nothing of no reads.
    [[nodiscard]] std::optional<double> average_read_latency() const {
        if (reads == 0) return std::nullopt;
        return static_cast<double>(latency_sum) / static_cast<double>(reads);
    }
    /// Adds what another channel counted; cycles become the larger of the two.
    void add(Counters const& other);
    /// Adds `times` times what this gained since `earlier` (cycles excepted).
    void repeat(Counters const& earlier, std::uint64_t times);
    /// What was gained since `earlier` (without latency distribution).
    [[nodiscard]] Counters less(Counters const& earlier) const;
    /// Every count times a factor, rounded.
    [[nodiscard]] Counters scaled(double factor) const;
    bool operator==(Counters const&) const = default;
};

/// Mean bandwidth of the data bus over the run: bursts, not requests.
[[nodiscard]] Bandwidth bandwidth(Counters const& counters, Standard const& standard);
/// Energy by command counts; the parts sum to the total.
struct EnergySplit {
    Energy activate, array, transfer, refresh;
    [[nodiscard]] Energy total() const { return activate + array + transfer + refresh; }
};
[[nodiscard]] EnergySplit energy(Counters const& counters, Standard const& standard);

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

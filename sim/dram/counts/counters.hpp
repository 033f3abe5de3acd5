#pragma once

#include "sim/dram/counts/latency.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pimdse::sim::dram {

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

}  // namespace pimdse::sim::dram

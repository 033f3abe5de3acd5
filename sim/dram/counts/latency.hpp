#pragma once

#include "sim/dram/timing/command.hpp"

#include <cstdint>
#include <optional>
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

}  // namespace pimdse::sim::dram

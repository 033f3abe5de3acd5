#pragma once

#include "models/umdam/pim/channel.hpp"

#include <map>
#include <vector>

namespace pimdse::models::umdam {

/// Whether x is written to the global buffer by the product itself or is there already.
enum class Operand : std::uint8_t { written, present };

/// A channel that executes one GEMV after the other, all command by command. What a GEMV costs depends on the rows it
/// opens and on where in the refresh interval it starts; both together are simulated once and then looked up: exact.
class PimReplay {
  public:
    PimReplay(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time);

    struct Spent {
        std::int64_t cycles = 0, openings = 0;
    };
    /// Executes `work` this many times in a row. `vectors`: MACs per burst (several queries, or groups of banks in
    /// turn).
    Spent run(BankWork const& work, Operand operand, std::int64_t vectors, std::int64_t times);

  private:
    struct ProductKey {
        BankWork work;
        Operand operand = Operand::written;
        std::int64_t vectors = 1;
        auto operator<=>(ProductKey const&) const = default;
    };
    struct Product {
        std::vector<MacRun> runs;
        std::map<std::int64_t, Spent> by_phase;
    };
    Spent simulate(Product const& product, std::int64_t vectors) const;

    PimTiming timing_;
    std::int64_t refresh_interval_, refresh_time_;
    std::int64_t phase_ = 0;
    std::map<ProductKey, Product> products_;
};

}  // namespace pimdse::models::umdam

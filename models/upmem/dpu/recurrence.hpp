#pragma once

#include "models/upmem/dpu/counters.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <vector>

namespace pimdse::models::upmem::dpu {

/// A state as words: equal words imply an equal future.
class StateWords {
  public:
    template <class T>
    requires std::integral<T> || std::is_enum_v<T>
    void add(T value) { words_.push_back(static_cast<std::uint64_t>(value)); }
    void add(double value) { words_.push_back(std::bit_cast<std::uint64_t>(value)); }
    void clear() { words_.clear(); }
    bool operator==(StateWords const&) const = default;

  private:
    std::vector<std::uint64_t> words_;
};

/// A source whose tasklets repeat the same blocks, and a memory that does not depend on addresses.
template <class Source, class Memory>
concept Recurring = requires(Source& source, Memory& memory, StateWords& words, std::vector<std::int64_t> const& blocks,
                             std::int64_t n) {
    { source.marks() } -> std::convertible_to<std::int64_t>;
    { source.repeats() } -> std::convertible_to<bool>;
    { source.blocks_in_hand() } -> std::convertible_to<std::vector<std::int64_t>>;
    { source.periods_ahead(blocks) } -> std::convertible_to<std::int64_t>;
    source.skip_periods(blocks, n);
    source.describe(words);
    { memory.is_exact() } -> std::convertible_to<bool>;
    memory.describe(words, n);
    { memory.busy_cycles() } -> std::convertible_to<double>;
    memory.skip_periods(n, n, 0.0);
};

/// The state of a run when it was last kept, and its counts at that moment.
struct KeptState {
    StateWords words;
    Counters counters;
    std::int64_t cycle = 0;
    double busy = 0.0;
    std::vector<std::int64_t> blocks;
};

/// Times at which a state is kept so that a period of any length is found (Brent): after 1, 2, 4, 8 ... marks.
class KeepingTimes {
  public:
    [[nodiscard]] bool over() const { return wait_ > longest; }
    [[nodiscard]] bool due() {
        if (--left_ > 0) return false;
        wait_ *= 2;
        left_ = wait_;
        return true;
    }
    void stop() { wait_ = 2 * longest; }

  private:
    static constexpr std::int64_t longest = 1 << 14;
    std::int64_t wait_ = 1, left_ = 1;
};

}  // namespace pimdse::models::upmem::dpu

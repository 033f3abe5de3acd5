#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Cost of a decoded token in all layers of a kind.
struct TokenCost {
    double cycles = 0.0;  ///< of one layer
    double min = 0.0;     ///< a lower bound of them at cycle level
    double joules = 0.0;  ///< of the events in all layers
};

/// Costs of tokens by their number of keys, from a pure function: those of neighbouring numbers are computed together
/// when one of them is needed, and kept for all threads.
class TokenTable {
  public:
    using Cost = std::function<TokenCost(std::int64_t keys)>;
    /// Keeps the costs of 1 to `most` keys.
    TokenTable(std::int64_t most, Cost cost)
        : cost_(std::move(cost)), blocks_(static_cast<std::size_t>((most + size - 1) / size)) {}

    /// Precondition: keys >= 1.
    [[nodiscard]] TokenCost at(std::int64_t keys) const {
        auto const at = static_cast<std::size_t>((keys - 1) / size),
                   place = static_cast<std::size_t>((keys - 1) % size);
        if (at >= blocks_.size()) return cost_(keys);
        auto const* block = blocks_[at].load(std::memory_order_acquire);
        return (block == nullptr ? make(at) : *block)[place];
    }

  private:
    static constexpr std::int64_t size = 64;
    using Block = std::array<TokenCost, static_cast<std::size_t>(size)>;

    [[nodiscard]] Block const& make(std::size_t at) const {
        auto block = std::make_unique<Block>();
        for (std::size_t i = 0; i < block->size(); ++i)
            (*block)[i] = cost_(static_cast<std::int64_t>(at) * size + static_cast<std::int64_t>(i) + 1);
        std::scoped_lock const lock(mutex_);
        if (auto const* known = blocks_[at].load(std::memory_order_relaxed)) return *known;
        owned_.push_back(std::move(block));
        blocks_[at].store(owned_.back().get(), std::memory_order_release);
        return *owned_.back();
    }

    Cost cost_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Block>> owned_;
    mutable std::vector<std::atomic<Block const*>> blocks_;
};

}  // namespace pimdse::models::cim_mesh

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::dse::answers {

/// Numbers found by the hash of what they stand for, which is kept elsewhere: 5 to 11 bytes each (open addressing).
class SlotTable {
  public:
    /// The number with this hash for which `is_it` holds.
    template <class IsIt>
    [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t hash, IsIt const& is_it) const {
        if (slots_.empty()) return std::nullopt;
        for (std::size_t slot = hash & mask(); slots_[slot] != 0; slot = (slot + 1) & mask()) {
            if (is_it(slots_[slot] - 1)) return slots_[slot] - 1;
        }
        return std::nullopt;
    }

    /// Adds a number below 2^32 - 1 that is not there; `hash_of` gives the hash of any number in the table.
    template <class HashOf>
    void add(std::uint32_t number, HashOf const& hash_of) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow(hash_of);
        put(number, hash_of(number));
        ++size_;
    }

    void prefetch(std::uint64_t hash) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()], 1);
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(std::uint32_t); }

  private:
    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

    void put(std::uint32_t number, std::uint64_t hash) {
        std::size_t slot = hash & mask();
        while (slots_[slot] != 0) slot = (slot + 1) & mask();
        slots_[slot] = number + 1;
    }

    template <class HashOf>
    void grow(HashOf const& hash_of) {
        std::vector<std::uint32_t> const old = std::move(slots_);
        slots_.assign(std::max<std::size_t>(64, 2 * old.size()), 0);
        for (auto const entry : old) {
            if (entry != 0) put(entry - 1, hash_of(entry - 1));
        }
    }

    std::vector<std::uint32_t> slots_;  ///< number plus one
    std::size_t size_ = 0;
};

}  // namespace pimdse::dse::answers

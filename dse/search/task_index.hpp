#pragma once

#include "dse/search/result_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::search {

/// A hash table of numbers, keyed by the hash of data that are stored elsewhere: 5 to 11 bytes per number (open
/// addressing).
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

    /// Adds a number below 2^32 - 1 that is not in the table; `hash_of` gives the hash of any number in the table.
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

/// Finds the row of a task. Rows in ascending order are stored as runs at almost no cost; other rows (strays) cost 5 to
/// 11 bytes each.
class TaskIndex {
  public:
    [[nodiscard]] std::optional<Row> find(ResultColumns const& columns, space::Task task) const;
    /// Adds the next row of `columns`, whose task must be new.
    void add(ResultColumns const& columns);
    [[nodiscard]] std::size_t rows() const { return rows_; }
    void prefetch(space::Task task) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// Consecutive rows with ascending tasks; the intervals from the first to the last task of two runs do not overlap.
    struct Run {
        Row first = 0;
        Row rows = 0;
    };
    using Runs = std::map<space::Task, Run>;

    [[nodiscard]] static space::Task last_of(ResultColumns const& columns, Run const& run) {
        return columns.task(run.first + run.rows - 1);
    }
    [[nodiscard]] std::optional<Row> find_in(ResultColumns const& columns, Run const& run, space::Task task) const;
    [[nodiscard]] bool prolongs(ResultColumns const& columns, space::Task task) const;
    [[nodiscard]] bool may_begin_run(ResultColumns const& columns, space::Task task) const;

    Runs runs_;
    SlotTable strays_;
    std::size_t rows_ = 0;
    space::Task greatest_{};
    std::optional<space::Task>
        latest_;                ///< the first task of the run that ends with the last row, if there is such a run
    mutable Row expected_ = 0;  ///< the next row if look-ups ascend
};

/// The texts of failures: each pair of rule and reason once, numbered from 0. A copy shares all but the last chunk of
/// up to 1024.
class FailureTexts {
  public:
    FailureTexts() = default;
    FailureTexts(FailureTexts&&) noexcept = default;
    FailureTexts& operator=(FailureTexts&&) noexcept = default;
    /// The copy builds its table for add() on demand.
    FailureTexts(FailureTexts const& other) : full_(other.full_), last_(other.last_) {}
    FailureTexts& operator=(FailureTexts const& other) { return *this = FailureTexts(other); }
    ~FailureTexts() = default;

    /// Returns the number of this failure and adds it if it is new.
    std::uint32_t add(std::string_view rule, std::string_view reason,
                      double violation = models::Infeasible::unmeasured);
    [[nodiscard]] std::string_view rule(std::uint32_t number) const { return entry(number).rule(); }
    /// Valid until the next add(), as rule() is.
    [[nodiscard]] std::string_view reason(std::uint32_t number) const { return entry(number).reason(); }
    [[nodiscard]] double violation(std::uint32_t number) const { return entry(number).violation; }
    [[nodiscard]] std::size_t size() const { return full_.size() * per_chunk + last_.size(); }

  private:
    static constexpr std::size_t per_chunk = 1024;
    struct Entry {
        std::string text;  ///< rule and reason
        std::uint32_t rule_size = 0;
        double violation = models::Infeasible::unmeasured;
        [[nodiscard]] std::string_view rule() const { return std::string_view(text).substr(0, rule_size); }
        [[nodiscard]] std::string_view reason() const { return std::string_view(text).substr(rule_size); }
    };
    using Chunk = std::vector<Entry>;

    [[nodiscard]] Entry const& entry(std::uint32_t number) const {
        std::size_t const chunk = number / per_chunk;
        return chunk < full_.size() ? (*full_[chunk])[number % per_chunk] : last_[number % per_chunk];
    }
    [[nodiscard]] std::uint64_t hash_of(std::uint32_t number) const;

    std::vector<std::shared_ptr<Chunk const>> full_;
    Chunk last_;
    SlotTable known_;
};

}  // namespace pimdse::dse::search

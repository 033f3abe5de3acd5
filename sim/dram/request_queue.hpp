#pragma once

#include "sim/dram/family.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace pimdse::sim::dram {

/// A request in the queues of a channel. `order` counts acceptances, so it sorts like (arrival, position in the queue).
struct Request {
    std::uint64_t address = 0;
    Tick arrive = 0;
    std::uint64_t order = 0;
    std::uint32_t row = 0;
    std::uint8_t bank = 0;
    Access access = Access::read;
    bool counted = false;  ///< as hit, miss or conflict
};

/// The read or the write queue of a channel: one linked list per bank, in order of acceptance. For every open bank it
/// keeps the oldest request for the open row (hit) and the oldest for another row (miss), so that the cost of
/// scheduling grows with the number of banks, not of entries.
class RequestQueue {
  public:
    using Slot = std::int16_t;
    static constexpr Slot none = -1;
    static constexpr std::size_t max_banks = 64;

    /// By bank: the order of a request times max_banks, plus the bank. The minimum identifies the oldest request and
    /// its bank.
    using Ages = std::array<std::uint64_t, max_banks>;
    static constexpr std::uint64_t no_request = ~std::uint64_t{0};

    explicit RequestQueue(int depth);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] bool full() const { return free_ == none; }
    [[nodiscard]] Request const& operator[](Slot slot) const {
        return entries_[static_cast<std::size_t>(slot)].request;
    }

    /// Banks (one bit each) with a request, with a hit, with a miss.
    [[nodiscard]] std::uint64_t waiting() const { return waiting_; }
    [[nodiscard]] std::uint64_t hits() const { return hits_; }
    [[nodiscard]] std::uint64_t misses() const { return misses_; }
    /// The oldest request, hit and miss of a bank; valid if the bank is in the corresponding mask.
    [[nodiscard]] Slot oldest(std::size_t bank) const { return lists_[bank].head; }
    [[nodiscard]] Slot oldest_hit(std::size_t bank) const { return lists_[bank].hit; }
    [[nodiscard]] Slot oldest_miss(std::size_t bank) const { return lists_[bank].miss; }
    /// Their ages, valid in the same cases.
    [[nodiscard]] Ages const& ages() const { return ages_; }
    [[nodiscard]] Ages const& hit_ages() const { return hit_ages_; }
    [[nodiscard]] Ages const& miss_ages() const { return miss_ages_; }

    /// Appends a request; `open`: its bank has row `open_row` open. Precondition: not full.
    void push(Request const& request, bool open, std::uint32_t open_row);
    /// Removes the oldest hit of an open bank.
    void remove_hit(std::size_t bank);
    /// Removes the oldest request of a closed bank.
    void remove_oldest(std::size_t bank);
    /// The bank has opened `row`: separates hits from misses.
    void open_row(std::size_t bank, std::uint32_t row);
    /// The bank has closed its row.
    void close_row(std::size_t bank);
    void mark_counted(Slot slot) { entry(slot).request.counted = true; }
    /// True if a request of the bank has this address.
    [[nodiscard]] bool holds(std::size_t bank, std::uint64_t address) const;

    /// Calls visit(request) for every entry, bank by bank, oldest first.
    template <class Visit>
    void each(Visit&& visit) {
        for (auto const& list : lists_) {
            for (Slot at = list.head; at != none; at = entry(at).next) visit(entry(at).request);
        }
    }
    template <class Visit>
    void each(Visit&& visit) const {
        for (auto const& list : lists_) {
            for (Slot at = list.head; at != none; at = entries_[static_cast<std::size_t>(at)].next)
                visit(entries_[static_cast<std::size_t>(at)].request);
        }
    }

  private:
    struct Entry {
        Request request;
        Slot next = none, previous = none;
    };
    struct List {
        Slot head = none, tail = none, hit = none, miss = none;
    };
    Entry& entry(Slot slot) { return entries_[static_cast<std::size_t>(slot)]; }
    [[gnu::always_inline]] void unlink(std::size_t bank, Slot slot);
    [[nodiscard]] std::uint64_t age(Slot slot) const {
        auto const& request = (*this)[slot];
        return request.order * max_banks + request.bank;
    }

    std::vector<Entry> entries_;
    std::array<List, max_banks> lists_{};
    Ages ages_{}, hit_ages_{}, miss_ages_{};
    std::uint64_t waiting_ = 0, hits_ = 0, misses_ = 0;
    Slot free_ = none;
    std::size_t size_ = 0;
};

inline RequestQueue::RequestQueue(int depth) : entries_(static_cast<std::size_t>(depth)) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
        entries_[i].next = static_cast<Slot>(i + 1 < entries_.size() ? static_cast<int>(i) + 1 : none);
    free_ = 0;
}

inline void RequestQueue::push(Request const& request, bool open, std::uint32_t open_row) {
    Slot const slot = free_;
    auto& e = entry(slot);
    free_ = e.next;
    auto& list = lists_[request.bank];
    e = {request, none, list.tail};
    if (list.tail != none)
        entry(list.tail).next = slot;
    else
        list.head = slot, ages_[request.bank] = age(slot);
    list.tail = slot;
    ++size_;
    std::uint64_t const bit = std::uint64_t{1} << request.bank;
    waiting_ |= bit;
    if (!open) return;
    if (request.row == open_row) {
        if ((hits_ & bit) == 0) list.hit = slot, hit_ages_[request.bank] = age(slot);
        hits_ |= bit;
    } else {
        if ((misses_ & bit) == 0) list.miss = slot, miss_ages_[request.bank] = age(slot);
        misses_ |= bit;
    }
}

inline void RequestQueue::unlink(std::size_t bank, Slot slot) {
    auto& e = entry(slot);
    auto& list = lists_[bank];
    if (e.previous != none)
        entry(e.previous).next = e.next;
    else if ((list.head = e.next) != none)
        ages_[bank] = age(list.head);
    if (e.next != none)
        entry(e.next).previous = e.previous;
    else
        list.tail = e.previous;
    if (list.head == none) waiting_ &= ~(std::uint64_t{1} << bank);
    e.next = free_;
    free_ = slot;
    --size_;
}

inline void RequestQueue::remove_hit(std::size_t bank) {
    auto& list = lists_[bank];
    auto const row = entry(list.hit).request.row;
    Slot next = entry(list.hit).next;
    unlink(bank, list.hit);
    while (next != none && entry(next).request.row != row) next = entry(next).next;
    list.hit = next;
    if (next != none) hit_ages_[bank] = age(next);
    if (next == none) hits_ &= ~(std::uint64_t{1} << bank);
}

inline void RequestQueue::remove_oldest(std::size_t bank) { unlink(bank, lists_[bank].head); }

inline void RequestQueue::open_row(std::size_t bank, std::uint32_t row) {
    std::uint64_t const bit = std::uint64_t{1} << bank;
    auto& list = lists_[bank];
    list.hit = list.miss = none;
    for (Slot at = list.head; at != none && (list.hit == none || list.miss == none); at = entry(at).next) {
        Slot& kind = entry(at).request.row == row ? list.hit : list.miss;
        if (kind == none) kind = at;
    }
    if (list.hit != none) hit_ages_[bank] = age(list.hit);
    if (list.miss != none) miss_ages_[bank] = age(list.miss);
    hits_ = list.hit == none ? hits_ & ~bit : hits_ | bit;
    misses_ = list.miss == none ? misses_ & ~bit : misses_ | bit;
}

inline void RequestQueue::close_row(std::size_t bank) {
    std::uint64_t const keep = ~(std::uint64_t{1} << bank);
    hits_ &= keep;
    misses_ &= keep;
}

inline bool RequestQueue::holds(std::size_t bank, std::uint64_t address) const {
    for (Slot at = lists_[bank].head; at != none; at = entries_[static_cast<std::size_t>(at)].next) {
        if (entries_[static_cast<std::size_t>(at)].request.address == address) return true;
    }
    return false;
}

/// Cycles of completions that the front end has not processed yet, earliest first. Only a limited window of outstanding
/// requests needs them.
class CompletionQueue {
  public:
    void add(Tick tick) { pending_.push(tick); }
    /// The earliest; `never` if there is none.
    [[nodiscard]] Tick next() const { return pending_.empty() ? never : pending_.top(); }
    /// Removes the completions up to this cycle; returns how many there were.
    std::uint64_t take(Tick until) {
        std::uint64_t count = 0;
        for (; next() <= until; ++count) pending_.pop();
        return count;
    }

  private:
    std::priority_queue<Tick, std::vector<Tick>, std::greater<>> pending_;
};

}  // namespace pimdse::sim::dram

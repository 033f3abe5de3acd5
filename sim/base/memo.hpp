#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <utility>

namespace pimdse::sim {

/// Remembers a pure function's answers for all threads. A key computed twice at the same time gives the same answer
/// twice, so remembering never changes a result.
template <class Key, class Result>
class Memo {
  public:
    /// `compute(key, constants...)` where the key is new. What computes sees the key and what is fixed while points
    /// vary, and nothing else, so that two points with one key have one answer: it is a function, or a lambda that
    /// captures nothing. The reference stays good as long as the memo lives.
    template <class Compute, class... Constants>
    Result const& get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "what is remembered is computed from its key: by a function, or a lambda that captures nothing");
        {
            std::shared_lock const reading(mutex_);
            if (auto const found = results_.find(key); found != results_.end()) return found->second;
        }
        Result result = compute(key, constants...);
        std::unique_lock const writing(mutex_);
        return results_.try_emplace(key, std::move(result)).first->second;
    }

  private:
    mutable std::shared_mutex mutex_;
    mutable std::map<Key, Result> results_;  // nodes stay where they are, so references outlive later insertions
};

/// Remembers a pure function's latest answers for all threads, where all of them would fill the memory: those used last
/// whose `weight()` together is at most `most`, and never less than one. See Memo for what may compute.
template <class Key, class Result>
class LruCache {
  public:
    explicit LruCache(std::size_t max) : max_(max) {}

    /// `compute(key, constants...)`, a std::shared_ptr<Answer const>, where the key is new or forgotten.
    template <class Compute, class... Constants>
    std::shared_ptr<Result const> get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "what is remembered is computed from its key: by a function, or a lambda that captures nothing");
        {
            std::shared_lock const reading(mutex_);
            if (auto const found = entries_.find(key); found != entries_.end()) {
                found->second.used = ++clock_;
                return found->second.result;
            }
        }
        std::shared_ptr<Result const> result = compute(key, constants...);
        std::unique_lock const writing(mutex_);
        auto const [at, fresh] = entries_.try_emplace(key, result, ++clock_);
        if (fresh) weight_ += result->weight();
        result = at->second.result;
        while (weight_ > max_ && entries_.size() > 1) forget_oldest();
        return result;
    }

  private:
    struct Entry {
        std::shared_ptr<Result const> result;
        mutable std::atomic<std::uint64_t> used;

        Entry(std::shared_ptr<Result const> known, std::uint64_t now) : result(std::move(known)), used(now) {}
    };

    void forget_oldest() const {
        auto const oldest = std::min_element(entries_.begin(), entries_.end(), [](auto const& a, auto const& b) {
            return a.second.used.load() < b.second.used.load();
        });
        weight_ -= oldest->second.result->weight();
        entries_.erase(oldest);
    }

    std::size_t max_;
    mutable std::shared_mutex mutex_;
    mutable std::atomic<std::uint64_t> clock_{0};
    mutable std::size_t weight_ = 0;
    mutable std::map<Key, Entry> entries_;
};

}  // namespace pimdse::sim

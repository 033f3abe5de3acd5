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

/// Cache of the results of a pure function, shared by all threads. A key that two threads compute at the same time
/// gives the same result twice, so caching never changes a result.
template <class Key, class Result>
class Memo {
  public:
    /// The cached result, or `compute(key, constants...)` if the key is new. `compute` may depend only on the key and
    /// on constants that are the same for all points, so that two points with equal keys have equal results: it must be
    /// a function, or a lambda without captures. The reference stays valid as long as the memo lives.
    template <class Compute, class... Constants>
    Result const& get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "a cached result depends on its key only: `compute` is a function, or a lambda without captures");
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
    mutable std::map<Key, Result> results_;  // nodes never move, so references survive later insertions
};

/// Cache of the most recently used results of a pure function, shared by all threads, for results that would fill the
/// memory if all were kept. The total `weight()` of the kept results is at most `max`, but at least one result is kept.
/// The requirements on `compute` are those of Memo.
template <class Key, class Result>
class LruCache {
  public:
    explicit LruCache(std::size_t max) : max_(max) {}

    /// The cached result, or `compute(key, constants...)`, a std::shared_ptr<Result const>, if the key is new or was
    /// evicted.
    template <class Compute, class... Constants>
    std::shared_ptr<Result const> get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "a cached result depends on its key only: `compute` is a function, or a lambda without captures");
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
        while (weight_ > max_ && entries_.size() > 1) evict_oldest();
        return result;
    }

  private:
    struct Entry {
        std::shared_ptr<Result const> result;
        mutable std::atomic<std::uint64_t> used;

        Entry(std::shared_ptr<Result const> known, std::uint64_t now) : result(std::move(known)), used(now) {}
    };

    void evict_oldest() const {
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

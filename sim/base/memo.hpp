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
template <class Key, class Answer>
class Memo {
  public:
    /// `compute(key, constants...)` where the key is new. What computes sees the key and what is fixed while points
    /// vary, and nothing else, so that two points with one key have one answer: it is a function, or a lambda that
    /// captures nothing. The reference stays good as long as the memo lives.
    template <class Compute, class... Constants>
    Answer const& get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "what is remembered is computed from its key: by a function, or a lambda that captures nothing");
        {
            std::shared_lock const reading(mutex_);
            if (auto const found = answers_.find(key); found != answers_.end()) return found->second;
        }
        Answer answer = compute(key, constants...);
        std::unique_lock const writing(mutex_);
        return answers_.try_emplace(key, std::move(answer)).first->second;
    }

  private:
    mutable std::shared_mutex mutex_;
    mutable std::map<Key, Answer> answers_;  // nodes stay where they are, so references outlive later insertions
};

/// Remembers a pure function's latest answers for all threads, where all of them would fill the memory: those used last
/// whose `weight()` together is at most `most`, and never less than one. See Memo for what may compute.
template <class Key, class Answer>
class LruCache {
  public:
    explicit LruCache(std::size_t most) : most_(most) {}

    /// `compute(key, constants...)`, a std::shared_ptr<Answer const>, where the key is new or forgotten.
    template <class Compute, class... Constants>
    std::shared_ptr<Answer const> get(Key const& key, Compute const& compute, Constants const&... constants) const {
        static_assert(std::is_empty_v<Compute> || std::is_function_v<std::remove_pointer_t<Compute>>,
                      "what is remembered is computed from its key: by a function, or a lambda that captures nothing");
        {
            std::shared_lock const reading(mutex_);
            if (auto const found = entries_.find(key); found != entries_.end()) {
                found->second.used = ++clock_;
                return found->second.answer;
            }
        }
        std::shared_ptr<Answer const> answer = compute(key, constants...);
        std::unique_lock const writing(mutex_);
        auto const [at, fresh] = entries_.try_emplace(key, answer, ++clock_);
        if (fresh) weight_ += answer->weight();
        answer = at->second.answer;
        while (weight_ > most_ && entries_.size() > 1) forget_oldest();
        return answer;
    }

  private:
    struct Entry {
        std::shared_ptr<Answer const> answer;
        mutable std::atomic<std::uint64_t> used;

        Entry(std::shared_ptr<Answer const> known, std::uint64_t now) : answer(std::move(known)), used(now) {}
    };

    void forget_oldest() const {
        auto const oldest = std::min_element(entries_.begin(), entries_.end(), [](auto const& a, auto const& b) {
            return a.second.used.load() < b.second.used.load();
        });
        weight_ -= oldest->second.answer->weight();
        entries_.erase(oldest);
    }

    std::size_t most_;
    mutable std::shared_mutex mutex_;
    mutable std::atomic<std::uint64_t> clock_{0};
    mutable std::size_t weight_ = 0;
    mutable std::map<Key, Entry> entries_;
};

}  // namespace pimdse::sim

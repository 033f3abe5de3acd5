#pragma once

#include <map>
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

}  // namespace pimdse::sim

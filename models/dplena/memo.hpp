#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>

namespace pimdse::models::dplena {

/// What a pure function answered, for all threads. Two threads may compute the same answer at the same time; it is the same
/// answer, so remembering never changes a result.
template <class Key, class Answer>
class Memo {
  public:
    template <class Compute>
    Answer get(Key const& key, Compute const& compute) const {
        {
            std::shared_lock const reading(mutex_);
            if (auto const known = answers_.find(key); known != answers_.end()) return known->second;
        }
        Answer const answer = compute();
        std::unique_lock const writing(mutex_);
        return answers_.emplace(key, answer).first->second;
    }

  private:
    mutable std::shared_mutex mutex_;
    mutable std::map<Key, Answer> answers_;
};

}  // namespace pimdse::models::dplena

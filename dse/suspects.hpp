#pragma once

#include "dse/journal.hpp"
#include "dse/result_store.hpp"

#include <set>
#include <vector>

namespace pimdse::dse {

/// Points that an earlier run handed out and never answered: one of them may have taken the process with it, so they are
/// evaluated apart (ProcessApart).
class Suspects {
  public:
    void started(Started mark) { marks_.push_back(std::move(mark)); }
    /// Drops what has an answer, or lies in a block that has; call once the journal is read.
    void settle(ResultStore const& store);

    [[nodiscard]] bool empty() const { return tasks_.empty(); }
    [[nodiscard]] std::size_t size() const { return tasks_.size(); }
    [[nodiscard]] bool contains(Task task) const { return tasks_.contains(task); }

  private:
    std::vector<Started> marks_;
    std::set<Task> tasks_;
};

}  // namespace pimdse::dse

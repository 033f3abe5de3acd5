#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/batch.hpp"
#include "dse/store/journal.hpp"

#include <array>
#include <vector>

namespace pimdse::dse::run {

/// Points that an earlier run submitted without getting a result, or stopped at its time limit. One of them may have
/// crashed that run, so a child process evaluates them (evaluate_apart()). Stored as runs of ids, because ten thousand
/// ranks may each have held 131,072 of them.
class Quarantine {
  public:
    /// Adds the points of a journal mark.
    void started(store::journal::Started const& mark);
    /// Removes points that have a result or lie in a block that has one; to be called when the journal has been read.
    void settle(search::ResultStore const& store);

    /// Adds a point that took too long; to be called after settle().
    void add(space::Task task) { ids_[static_cast<std::size_t>(task.fidelity)].add(task.point); }

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] bool contains(space::Task task) const { return at(task.fidelity).contains(task.point); }
    [[nodiscard]] space::IdSet const& at(models::Fidelity fidelity) const {
        return ids_[static_cast<std::size_t>(fidelity)];
    }

  private:
    std::array<space::IdSet, models::fidelity_names.size()> ids_;
    std::vector<space::Task> listed_;  ///< points of marks that are lists, until settle() is called
};

}  // namespace pimdse::dse::run

#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/batch.hpp"
#include "dse/store/journal.hpp"

#include <array>
#include <vector>

namespace pimdse::dse::run {

/// Points that an earlier run handed out and never answered: one of them may have taken the process with it, so they
/// are evaluated by a process of their own (WorkerProcess). Kept as runs of ids: ten thousand ranks may each have held
/// 131,072 of them.
class Quarantine {
  public:
    void started(store::journal::Started const& mark);
    /// Drops what has an answer, or lies in a block that has; call once the journal is read.
    void settle(search::ResultStore const& store);

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] bool contains(space::Task task) const { return at(task.fidelity).contains(task.point); }
    [[nodiscard]] space::IdSet const& at(models::Fidelity fidelity) const {
        return ids_[static_cast<std::size_t>(fidelity)];
    }

  private:
    std::array<space::IdSet, models::fidelity_names.size()> ids_;
    std::vector<space::Task> listed_;  ///< in marks that are lists, until they are settled
};

}  // namespace pimdse::dse::run

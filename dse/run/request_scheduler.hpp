#pragma once

#include "dse/run/dispatcher.hpp"
#include "dse/run/quarantine.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/batch.hpp"

#include <deque>
#include <map>
#include <optional>

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

namespace pimdse::dse::run {

/// Source of the tasks that a strategy requests and that have no result yet. Quarantined points are returned in batches
/// of their own, and with `keep = "front"` no batch crosses a block boundary. An adaptive strategy receives every
/// result in request order and is asked for more points after each, so that its requests depend only on its lag.
class RequestScheduler final : public TaskSource {
  public:
    RequestScheduler(space::Space const& space, search::Strategy& strategy, search::ResultStore const& store,
                     Quarantine const& quarantine);

    [[nodiscard]] std::optional<space::Batch> more(std::uint64_t max) override;
    [[nodiscard]] std::uint64_t left() const override;
    /// Passes new results to the strategy in request order; to be called when the store has grown.
    void tell();

    [[nodiscard]] std::uint64_t requested() const { return requested_; }
    /// Requested tasks that already have a result of an earlier run.
    [[nodiscard]] std::uint64_t restored() const { return restored_; }
    /// Requested tasks that more() has returned.
    [[nodiscard]] std::uint64_t given() const { return given_; }
    /// True if more() has returned nullopt: there are no more tasks.
    [[nodiscard]] bool over() const { return over_; }

  private:
    enum class TaskState : std::uint8_t { evaluated, quarantined, open };
    /// Consecutive tasks of the first batch, from `at_` on, that have the same state.
    struct Run {
        TaskState state = TaskState::open;
        std::uint64_t count = 0;
    };
    [[nodiscard]] Run next_run(std::uint64_t max);
    [[nodiscard]] Run run_in_range(std::uint64_t max) const;
    [[nodiscard]] Run run_in_list(std::uint64_t max) const;
    [[nodiscard]] TaskState state_of(space::Task task) const;
    [[nodiscard]] bool adaptive() const { return strategy_.lag() != search::Strategy::non_adaptive; }
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_.size(); }
    bool ask();

    space::Space const& space_;
    search::Strategy& strategy_;
    search::ResultStore const& store_;
    Quarantine const& quarantine_;
    std::map<models::Fidelity, space::IdSet> evaluated_;  ///< as of the first requested range of each fidelity
    std::deque<space::Batch> batches_;                    ///< requested and not yet returned by more()
    std::uint64_t at_ = 0;                                ///< position in the first batch
    std::deque<space::Task> outstanding_;  ///< requested by an adaptive strategy and not yet told, in request order
    std::uint64_t requested_ = 0, restored_ = 0, given_ = 0;
    bool over_ = false;
};

}  // namespace pimdse::dse::run

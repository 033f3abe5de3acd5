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

/// The tasks that a strategy asks for and that have no result yet. Quarantined points come in batches of their own, and
/// where only fronts are kept no batch reaches beyond a block. An adaptive strategy is told every result in the order
/// in which it asked, and is asked for more after each, so that its requests depend on nothing but its lag.
class RequestScheduler final : public TaskSource {
  public:
    RequestScheduler(space::Space const& space, search::Strategy& strategy, search::ResultStore const& store,
                     Quarantine const& quarantine);

    [[nodiscard]] std::optional<space::Batch> more(std::uint64_t max) override;
    [[nodiscard]] std::uint64_t left() const override;
    /// Tasks that are not in the store are given out again, as quarantined ones.
    void give_back(space::Batch const& tasks) override;
    /// Tells the strategy the next results in the order in which it asked; to be called when the store has grown.
    void tell();

    [[nodiscard]] std::uint64_t requested() const { return requested_; }
    /// Of these, with a result of an earlier run.
    [[nodiscard]] std::uint64_t restored() const { return restored_; }
    /// Of these, given out by more().
    [[nodiscard]] std::uint64_t given() const { return given_; }
    /// True when more() has said that no more will come.
    [[nodiscard]] bool over() const { return over_; }

  private:
    enum class Known : std::uint8_t { evaluated, quarantined, nothing };
    /// The tasks of `current_` from `at_` on that are known in the same way.
    struct Run {
        Known known = Known::nothing;
        std::uint64_t count = 0;
    };
    [[nodiscard]] Run next_run(std::uint64_t max);
    [[nodiscard]] Run run_in_range(std::uint64_t max) const;
    [[nodiscard]] Run run_in_list(std::uint64_t max) const;
    [[nodiscard]] Known known(space::Task task) const;
    [[nodiscard]] bool adaptive() const { return strategy_.lag() != search::Strategy::non_adaptive; }
    [[nodiscard]] std::uint64_t outstanding() const { return untold_.size(); }
    bool ask();
    [[nodiscard]] bool is_there(space::Task task) const;

    space::Space const& space_;
    search::Strategy& strategy_;
    search::ResultStore const& store_;
    Quarantine const& quarantine_;
    std::map<models::Fidelity, space::IdSet> evaluated_;  ///< before a range was first asked for at this fidelity
    std::deque<space::Batch> batches_;                    ///< asked and not given out
    std::uint64_t at_ = 0;                                ///< in the first of them
    std::deque<space::Batch> returned_;
    std::deque<space::Task> untold_;  ///< of an adaptive strategy, in the order asked
    std::uint64_t requested_ = 0, restored_ = 0, given_ = 0;
    bool over_ = false;
};

}  // namespace pimdse::dse::run

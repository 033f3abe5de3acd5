#include "dse/explore.hpp"

#include "dse/strategy/strategy.hpp"

namespace pimdse::dse {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<models::Sense> senses_of(std::vector<Objective> const& objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

class Exploration {
  public:
    Exploration(Space const& space, Pool& pool, Journal& journal, ResultStore& store, std::stop_token stop, std::function<void(Progress const&)> const& watch)
        : space_(space), pool_(pool), journal_(journal), store_(store), stop_(std::move(stop)), watch_(watch), front_(senses_of(space.objectives())),
          strategy_(make_strategy(space)) {
        progress_.planned = strategy_->planned();
    }

    Explored run() {
        for (Batch batch = strategy_->ask(); !batch.empty() && !stop_.stop_requested(); batch = strategy_->ask()) answer_batch(batch);
        journal_.commit();
        report();
        return {progress_, progress_.told >= strategy_->planned() && !interrupted_};
    }

  private:
    /// Remembered answers are told from the store; the runs between them are evaluated.
    void answer_batch(Batch const& batch) {
        std::uint64_t at = 0;
        while (at < batch.size() && !stop_.stop_requested()) {
            std::uint64_t const known = run_length(batch, at, true);
            for (std::uint64_t i = at; i < at + known; ++i) tell_remembered(batch.task(i));
            at += known;
            std::uint64_t const unknown = run_length(batch, at, false);
            std::uint64_t const before = progress_.told;
            if (unknown > 0) {
                pool_.evaluate(batch.part(at, unknown), [this](std::span<Answer const> answers) { keep(answers); }, stop_);
            }
            at += unknown;
            interrupted_ = interrupted_ || progress_.told - before < unknown;
        }
        interrupted_ = interrupted_ || at < batch.size();
    }

    /// How many tasks from `at` on are (or are not) in the store.
    std::uint64_t run_length(Batch const& batch, std::uint64_t at, bool remembered) const {
        if (store_.size() == 0) return remembered ? 0 : batch.size() - at;
        std::uint64_t length = 0;
        while (at + length < batch.size() && store_.contains(batch.task(at + length)) == remembered) ++length;
        return length;
    }

    void tell_remembered(Task task) {
        Answer const answer = store_.answer(*store_.find(task));
        count(answer);
        strategy_->tell({&answer, 1});
        report_sometimes();
    }

    void keep(std::span<Answer const> answers) {
        journal_.append(answers);
        for (auto const& answer : answers) {
            store_.insert(answer);
            count(answer);
        }
        progress_.evaluated += answers.size();
        strategy_->tell(answers);
        report_sometimes();
    }

    void count(Answer const& answer) {
        ++progress_.told;
        if (auto const* metrics = std::get_if<models::Metrics>(&answer.outcome)) {
            objective_values_.clear();
            for (auto const& objective : space_.objectives()) objective_values_.push_back((*metrics)[objective.metric].value);
            front_.insert(answer.task.point, objective_values_);
        } else if (std::holds_alternative<models::Infeasible>(answer.outcome)) {
            ++progress_.infeasible;
        } else {
            ++progress_.failed;
        }
    }

    void report_sometimes() {
        constexpr std::chrono::milliseconds interval{200};
        if (Clock::now() - reported_ >= interval) report();
    }

    void report() {
        reported_ = Clock::now();
        progress_.front = front_.size();
        progress_.seconds = std::chrono::duration<double>(reported_ - begun_).count();
        if (watch_) watch_(progress_);
    }

    Space const& space_;
    Pool& pool_;
    Journal& journal_;
    ResultStore& store_;
    std::stop_token stop_;
    std::function<void(Progress const&)> const& watch_;
    Archive front_;
    std::unique_ptr<Strategy> strategy_;
    Progress progress_;
    std::vector<double> objective_values_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point reported_ = begun_;
    bool interrupted_ = false;
};

}  // namespace

Explored explore(Space const& space, Pool& pool, Journal& journal, ResultStore& store, std::stop_token stop,
                 std::function<void(Progress const&)> const& watch) {
    return Exploration(space, pool, journal, store, std::move(stop), watch).run();
}

}  // namespace pimdse::dse

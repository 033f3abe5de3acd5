#include "dse/explore.hpp"

#include "dse/strategy/strategy.hpp"
#include "sim/check.hpp"

#include <fmt/format.h>

namespace pimdse::dse {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<models::Sense> senses_of(std::vector<Objective> const& objectives) {
    std::vector<models::Sense> senses;
    for (auto const& objective : objectives) senses.push_back(objective.better);
    return senses;
}

/// What the search knows of a task before it is evaluated.
enum class Known : std::uint8_t { answered, suspect, nothing };

class Exploration {
  public:
    Exploration(Space const& space, Pool& pool, Journal& journal, ResultStore& store, std::stop_token stop, std::function<void(Progress const&)> const& watch,
                Suspects const& suspects)
        : space_(space),
          pool_(pool),
          journal_(journal),
          store_(store),
          stop_(std::move(stop)),
          watch_(watch),
          suspects_(suspects),
          front_(senses_of(space.objectives())),
          strategy_(make_strategy(space)),
          block_(space) {
        progress_.planned = strategy_->planned();
        if (keeps_fronts()) count_remembered_blocks();
    }

    Explored run() {
        for (Batch batch = strategy_->ask(); !batch.empty() && !stop_.stop_requested(); batch = strategy_->ask()) answer_batch(batch);
        journal_.commit();
        report();
        return {progress_, progress_.told >= strategy_->planned() && !interrupted_};
    }

  private:
    [[nodiscard]] bool keeps_fronts() const { return space_.search().keep == Keep::front; }

    /// Remembered answers are told from the store; the runs between them are evaluated.
    void answer_batch(Batch const& batch) {
        std::uint64_t at = 0;
        while (at < batch.size() && !stop_.stop_requested()) {
            Known const known = known_of(batch, at);
            std::uint64_t const end = end_of_run(batch, at, known);
            if (known == Known::answered) {
                tell_remembered(batch, at, end);
            } else {
                Batch const run = batch.part(at, end - at);
                evaluate(known == Known::suspect ? run.as_suspects() : run, batch);
            }
            at = end;
        }
        forget_cut_block();
        interrupted_ = interrupted_ || at < batch.size();
    }

    Known known_of(Batch const& batch, std::uint64_t i) const {
        if (store_.evaluated() == 0 && suspects_.empty()) return Known::nothing;
        Task const task = batch.task(i);
        bool const answered = keeps_fronts() ? store_.contains_block(block_of(task.point), task.fidelity) : store_.contains(task);
        if (answered) return Known::answered;
        return suspects_.contains(task) ? Known::suspect : Known::nothing;
    }

    /// How far tasks from `at` on are known in the same way.
    std::uint64_t end_of_run(Batch const& batch, std::uint64_t at, Known known) const {
        if (store_.evaluated() == 0 && suspects_.empty()) return batch.size();
        std::uint64_t end = at;
        do end = known_alike_until(batch, end);
        while (end < batch.size() && known_of(batch, end) == known);
        return end;
    }

    /// The end of a stretch from `at` on that can only be known as a whole: a task, or what is left of a block.
    std::uint64_t known_alike_until(Batch const& batch, std::uint64_t at) const {
        bool const by_task = !keeps_fronts() || (!suspects_.empty() && known_of(batch, at) != Known::answered);
        return by_task ? at + 1 : at + within_block(space_, batch, at, batch.size() - at);
    }

    void tell_remembered(Batch const& batch, std::uint64_t from, std::uint64_t to) {
        if (keeps_fronts()) return tell_remembered_blocks(batch, from, to);
        for (std::uint64_t i = from; i < to; ++i) {
            Answer const answer = store_.answer(*store_.find(batch.task(i)));
            count(answer);
            strategy_->tell({&answer, 1});
            report_sometimes();
        }
    }

    void tell_remembered_blocks(Batch const& batch, std::uint64_t from, std::uint64_t to) {
        while (from < to) {
            auto const block = block_of(batch.task(from).point);
            std::uint64_t const points = within_block(space_, batch, from, to - from);
            std::uint64_t const there = store_.blocks().at({block, batch.fidelity()});
            if (there != points) {
                throw sim::InputError(fmt::format("block {} of ids was explored with {} points and would have {} now (another --budget or --shard). Use the same one, or another output?",
                                                  block, there, points));
            }
            progress_.told += points;
            from += points;
        }
    }

    void count_remembered_blocks() {
        for (ResultStore::Row row = 0; row < store_.size(); ++row) count_outcome(store_.answer(row));
        for (auto const& count : store_.left_out()) progress_.infeasible += count.rule.empty() ? 0 : count.points;
    }

    void evaluate(Batch const& run, Batch const& whole) {
        std::uint64_t const before = progress_.told;
        Listener listener;
        listener.started = [this](Batch const& tasks) { mark(tasks); };
        if (keeps_fronts()) listener.finished = [this, &whole](Findings const& findings) { keep_fronts(findings, whole); };
        else listener.finished = [this](Findings const& findings) { keep(findings.kept); };
        pool_.evaluate(run, listener, stop_);
        interrupted_ = interrupted_ || progress_.told - before < run.size();
    }

    /// So that a next run knows what this one was working on if it dies.
    void mark(Batch const& tasks) {
        Started started{tasks.fidelity(), {}, 0, {}};
        if (tasks.is_range()) {
            started.first = tasks.task(0).point;
            started.count = tasks.size();
        } else {
            for (std::uint64_t i = 0; i < tasks.size(); ++i) started.points.push_back(tasks.task(i).point);
        }
        journal_.append(started);
    }

    void keep(std::span<Answer const> answers) {
        journal_.append(answers);
        store_.insert(answers);
        for (auto const& answer : answers) count(answer);
        progress_.evaluated += answers.size();
        strategy_->tell(answers);
        report_sometimes();
    }

    /// Parts of a block are joined; the block counts when all of its tasks in `whole`, a run of ids, are there.
    void keep_fronts(Findings const& findings, Batch const& whole) {
        auto const first = whole.task(0).point;
        auto const last = whole.task(whole.size() - 1).point;
        PointId const here{index_of(first) + progress_.told};
        std::uint64_t const begin = std::max(index_of(first), block_of(here) * BlockSummary::ids);
        std::uint64_t const end = std::min(index_of(last), block_of(here) * BlockSummary::ids + BlockSummary::ids - 1) + 1;
        progress_.told += findings.points;
        progress_.evaluated += findings.points;
        auto const summary = block_.add({here, whole.fidelity()}, end - begin, findings);
        if (summary) {
            journal_.append(*summary);
            store_.insert(*summary);
            for (auto const& answer : summary->kept) count_outcome(answer);
            for (auto const& count : summary->left_out) progress_.infeasible += count.rule.empty() ? 0 : count.points;
            strategy_->tell(summary->kept);
        }
        report_sometimes();
    }

    /// Points of a block that was cut by a stop are evaluated again another time.
    void forget_cut_block() {
        progress_.told -= block_.pending();
        progress_.evaluated -= block_.pending();
        block_ = BlockBuilder(space_);
    }

    void count(Answer const& answer) {
        ++progress_.told;
        count_outcome(answer);
    }

    void count_outcome(Answer const& answer) {
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
    Suspects const& suspects_;
    Archive front_;
    std::unique_ptr<Strategy> strategy_;
    BlockBuilder block_;
    Progress progress_;
    std::vector<double> objective_values_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point reported_ = begun_;
    bool interrupted_ = false;
};

}  // namespace

Explored explore(Space const& space, Pool& pool, Journal& journal, ResultStore& store, std::stop_token stop,
                 std::function<void(Progress const&)> const& watch, Suspects const& suspects) {
    return Exploration(space, pool, journal, store, std::move(stop), watch, suspects).run();
}

}  // namespace pimdse::dse

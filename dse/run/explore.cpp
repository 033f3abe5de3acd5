#include "dse/run/explore.hpp"

#include "dse/run/asking.hpp"
#include "dse/search/front.hpp"
#include "dse/search/strategies.hpp"
#include "dse/search/strategy.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::run {
namespace {

using Clock = std::chrono::steady_clock;

class Exploration {
  public:
    Exploration(space::Space const& space, search::Strategy& strategy, store::journal::Journal& journal,
                search::ResultStore& store, std::function<void(Progress const&)> const& watch,
                Quarantine const& quarantine)
        : space_(space),
          strategy_(strategy),
          journal_(journal),
          store_(store),
          watch_(watch),
          asking_(space, strategy, store, quarantine),
          front_(store, space.objectives(), space.search().fidelity),
          plan_(search::shard_positions(space)) {
        if (keeps_fronts()) check_remembered_blocks();
    }

    Explored run(Pool& pool, std::stop_token stop) {
        pool.evaluate(work(), std::move(stop));
        journal_.commit();
        report(std::chrono::seconds(1));
        return {progress_, asking_.over() && progress_.evaluated == asking_.given()};
    }

  private:
    [[nodiscard]] bool keeps_fronts() const { return space_.search().keep == space::Keep::front; }

    Work work() {
        return {.more = [this](std::uint64_t most) { return asking_.more(most); },
                .left =
                    [this] {
                        auto const planned = strategy_.planned();
                        return planned - std::min(planned, asking_.remembered() + asking_.given());
                    },
                .started = [this](space::Batch const& tasks) { mark(tasks); },
                .arrived = [this](Findings&& findings) { keep(std::move(findings)); },
                .returned = [this](space::Batch const& tasks) { asking_.give_back(tasks); },
                .tick = [this] { tick(); }};
    }

    /// So that a next run knows what this one was working on if it dies.
    void mark(space::Batch const& tasks) {
        store::journal::Started started{tasks.fidelity(), {}, 0, {}};
        if (tasks.is_range()) {
            started.first = tasks.task(0).point;
            started.count = tasks.size();
        } else {
            for (std::uint64_t i = 0; i < tasks.size(); ++i) started.points.push_back(tasks.task(i).point);
        }
        journal_.append(started);
    }

    void keep(Findings findings) {
        progress_.evaluated += findings.points;
        if (keeps_fronts())
            return keep_part({index_of(findings.first.point), findings.points, findings.first.fidelity,
                              std::move(findings.kept), std::move(findings.left_out)});
        journal_.append(findings.kept);
        store_.insert(findings.kept);
        asking_.tell();
    }

    /// Parts of a block are kept until the block is whole; then only what nobody in the block dominates.
    void keep_part(space::BlockPart part) {
        std::pair const key{part.first / space::BlockSummary::ids, part.fidelity};
        bool const whole = part.points == planned_in(key.first);  // the block's record says it all
        if (!whole) journal_.append(part);
        store_.add(std::move(part));
        join_if_whole(key);
    }

    void join_if_whole(std::pair<std::uint64_t, models::Fidelity> key) {
        auto const& open = store_.open_blocks().at(key);
        if (open.points != planned_in(key.first)) return;
        auto const summary = run::joined(space_, key.first, key.second, open.parts);
        journal_.append(summary);
        store_.insert(summary);
    }

    /// Points of the plan, a run of ids, that lie in the block.
    [[nodiscard]] std::uint64_t planned_in(std::uint64_t block) const {
        std::uint64_t const first = block * space::BlockSummary::ids;
        std::uint64_t const from = std::max(plan_.first, first);
        std::uint64_t const to = std::min(plan_.last, first + space::BlockSummary::ids);
        return from < to ? to - from : 0;
    }

    void check_remembered_blocks() {
        auto const fidelity = space_.search().fidelity;
        for (auto const& [key, points] : store_.blocks()) {
            std::uint64_t const planned = planned_in(key.first);
            if (key.second == fidelity && planned > 0 && points != planned) refuse(key.first, points);
        }
        std::vector<std::pair<std::uint64_t, models::Fidelity>> open;
        for (auto const& [key, block] : store_.open_blocks()) {
            if (key.second != fidelity) continue;
            auto const& [last, part] = *block.parts.rbegin();
            if (block.parts.begin()->first < plan_.first || last + part.points > plan_.last)
                refuse(key.first, block.points);
            open.push_back(key);
        }
        for (auto const& key : open) join_if_whole(key);  // the run died between the last part and the block
    }

    [[noreturn]] void refuse(std::uint64_t block, std::uint64_t points) const {
        throw sim::InputError(
            fmt::format("block {} of ids was explored with {} points and would have {} now (another --budget or "
                        "--shard). Use the same one, or another output?",
                        block, points, planned_in(block)));
    }

    void tick() {
        constexpr std::chrono::milliseconds interval{200};
        if (Clock::now() - reported_ < interval) return;
        journal_.tick();
        report(interval / 20);
    }

    /// `for_front`: how long it may look for the front.
    void report(std::chrono::microseconds for_front) {
        if (watch_) {
            front_.look(for_front);
            progress_.standing = strategy_.standing();
            note_standing();
        }
        reported_ = Clock::now();
        progress_.planned = strategy_.planned();
        progress_.told = asking_.remembered() + progress_.evaluated;
        progress_.infeasible = store_.count(search::Status::infeasible);
        progress_.failed = store_.evaluated() - progress_.infeasible - store_.count(search::Status::ok);
        progress_.front = front_.members();
        progress_.front_of = front_.rows();
        progress_.kept = store_.size();
        progress_.seconds = std::chrono::duration<double>(reported_ - begun_).count();
        if (watch_) watch_(progress_);
    }

    /// For those who watch the journal.
    void note_standing() {
        constexpr std::chrono::seconds between_notes{1};
        auto const now = Clock::now();
        if (!progress_.standing || now - noted_ < between_notes) return;
        journal_.append(*progress_.standing);
        noted_ = now;
    }

    space::Space const& space_;
    search::Strategy const& strategy_;
    store::journal::Journal& journal_;
    search::ResultStore& store_;
    std::function<void(Progress const&)> const& watch_;
    Asking asking_;
    search::FrontCount front_;
    Progress progress_;
    search::Positions plan_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point reported_ = begun_;
    Clock::time_point noted_ = begun_;
};

}  // namespace

Explored explore(space::Space const& space, search::Strategy& strategy, Pool& pool, store::journal::Journal& journal,
                 search::ResultStore& store, std::stop_token stop, std::function<void(Progress const&)> const& watch,
                 Quarantine const& quarantine) {
    return Exploration(space, strategy, journal, store, watch, quarantine).run(pool, std::move(stop));
}

Explored explore(space::Space const& space, Pool& pool, store::journal::Journal& journal, search::ResultStore& store,
                 std::stop_token stop, std::function<void(Progress const&)> const& watch,
                 Quarantine const& quarantine) {
    return explore(space, *search::make_strategy(space), pool, journal, store, std::move(stop), watch, quarantine);
}

}  // namespace pimdse::dse::run

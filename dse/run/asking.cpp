#include "dse/run/asking.hpp"

#include "dse/run/findings.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/space.hpp"

#include <algorithm>
#include <iterator>

namespace pimdse::dse::run {
namespace {

constexpr std::uint64_t longest_list = 8192;  // a list is written to the journal point by point before it is handed out
constexpr std::uint64_t most_skipped = 1 << 20;  // at once: whoever asks has others to look after

}  // namespace

Asking::Asking(space::Space const& space, search::Strategy& strategy, search::ResultStore const& store,
               Quarantine const& quarantine)
    : space_(space), strategy_(strategy), store_(store), quarantine_(quarantine) {}

std::optional<space::Batch> Asking::more(std::uint64_t most) {
    if (!returned_.empty()) {
        space::Batch first = std::move(returned_.front());
        returned_.pop_front();
        if (first.size() > most) {
            returned_.push_front(first.part(most, first.size() - most));
            first = first.part(0, most);
        }
        given_ += first.size();
        return first;
    }
    for (std::uint64_t skipped = 0; skipped < most_skipped;) {
        if (batches_.empty() && !ask()) tell();  // what was remembered: nothing will arrive
        if (batches_.empty()) {
            over_ = outstanding() == 0 && !strategy_.waits();
            return over_ ? std::nullopt : std::optional(space::Batch{});
        }
        auto const run = next_run(most);
        space::Batch part = batches_.front().part(at_, run.count);
        at_ += run.count;
        if (at_ == batches_.front().size()) {
            batches_.pop_front();
            at_ = 0;
        }
        if (run.known != Known::answered) {
            given_ += run.count;
            return run.known == Known::quarantined ? part.quarantined() : std::move(part);
        }
        remembered_ += run.count;
        skipped += part.is_range() ? 1 : run.count;
    }
    return space::Batch{};
}

void Asking::give_back(space::Batch const& tasks) {
    over_ = false;
    for (std::uint64_t i = 0; i < tasks.size();) {
        std::uint64_t const first = i;
        while (i < tasks.size() && !is_there(tasks.task(i))) ++i;
        if (i > first) returned_.push_back(tasks.part(first, i - first).quarantined());
        given_ -= i - first;
        while (i < tasks.size() && is_there(tasks.task(i))) ++i;
    }
}

bool Asking::is_there(space::Task task) const {
    if (space_.search().keep == space::Keep::all) return store_.contains(task);
    std::pair const key{run::block_of(task.point), task.fidelity};
    if (store_.blocks().contains(key)) return true;
    auto const open = store_.open_blocks().find(key);
    if (open == store_.open_blocks().end()) return false;
    auto const behind = open->second.parts.upper_bound(index_of(task.point));
    if (behind == open->second.parts.begin()) return false;
    auto const& [first, part] = *std::prev(behind);
    return index_of(task.point) < first + part.points;
}

/// One that listens is asked until it has no more to ask, so that what it is told between two questions does not depend
/// on how quickly answers come.
bool Asking::ask() {
    bool asked = false;
    while (outstanding() < strategy_.lag()) {
        space::Batch batch = strategy_.ask(listens() ? strategy_.lag() - outstanding() : search::Strategy::deaf);
        if (batch.empty()) return asked;
        asked = true;
        asked_ += batch.size();
        for (std::uint64_t i = 0; listens() && i < batch.size(); ++i) untold_.push_back(batch.task(i));
        batches_.push_back(std::move(batch));
        if (!listens()) break;
    }
    return asked;
}

void Asking::tell() {
    while (!untold_.empty()) {
        auto const row = store_.find(untold_.front());
        if (!row) return;
        untold_.pop_front();
        strategy_.tell(store_.answer(*row));
        ask();
    }
}

Asking::Run Asking::next_run(std::uint64_t most) {
    if (!batches_.front().is_range()) return run_in_list(most);
    auto const fidelity = batches_.front().fidelity();
    if (!answered_.contains(fidelity)) answered_[fidelity] = answered_ids(store_, fidelity);
    return run_in_range(most);
}

Asking::Run Asking::run_in_range(std::uint64_t most) const {
    space::Task const task = batches_.front().task(at_);
    std::uint64_t const first = index_of(task.point);
    std::uint64_t end = first + (batches_.front().size() - at_);
    auto const done = answered_.at(task.fidelity).stretch(first);
    end = std::min(end, done.end);
    if (done.inside) return {Known::answered, end - first};
    auto const stretch = quarantine_.at(task.fidelity).stretch(first);
    end = std::min({end, stretch.end, first + most});
    if (space_.search().keep == space::Keep::front)
        end = std::min(end, (run::block_of(task.point) + 1) * space::BlockSummary::ids);
    return {stretch.inside ? Known::quarantined : Known::nothing, end - first};
}

Asking::Run Asking::run_in_list(std::uint64_t most) const {
    auto const& batch = batches_.front();
    Run run{known(batch.task(at_)), 1};
    std::uint64_t const longest =
        std::min(batch.size() - at_, run.known == Known::answered ? longest_list : std::min(most, longest_list));
    while (run.count < longest && known(batch.task(at_ + run.count)) == run.known) ++run.count;
    return run;
}

Asking::Known Asking::known(space::Task task) const {
    if (store_.contains(task)) return Known::answered;
    return quarantine_.contains(task) ? Known::quarantined : Known::nothing;
}

}  // namespace pimdse::dse::run

#include "dse/answers/answered.hpp"

namespace pimdse::dse::answers {
namespace {

/// Neighbours are joined before they are added: most rows are the next id.
class Joining {
  public:
    explicit Joining(task::IdSet& into) : into_(into) {}
    ~Joining() { into_.add(first_, last_); }
    Joining(Joining const&) = delete;
    Joining& operator=(Joining const&) = delete;

    void add(std::uint64_t id) {
        if (id != last_) {
            into_.add(first_, last_);
            first_ = id;
        }
        last_ = id + 1;
    }

  private:
    task::IdSet& into_;
    std::uint64_t first_ = 0, last_ = 0;
};

}  // namespace

task::IdSet answered_ids(ResultStore const& store, models::Fidelity fidelity) {
    task::IdSet ids;
    bool in_blocks = false;
    for (auto const& [block, points] : store.blocks()) {
        if (block.second != fidelity) continue;
        std::uint64_t const first = block.first * task::BlockSummary::ids;
        ids.add(first, first + task::BlockSummary::ids);
        in_blocks = true;
    }
    for (auto const& [block, open] : store.open_blocks()) {
        if (block.second != fidelity) continue;
        for (auto const& [first, part] : open.parts) ids.add(first, first + part.points);
    }
    if (in_blocks) return ids;  // every row lies in a block, or is a failure of one
    Joining rows(ids);
    for (auto const row : store.sorted()) {
        task::Task const task = store.task(row);
        if (task.fidelity == fidelity) rows.add(index_of(task.point));
    }
    return ids;
}

}  // namespace pimdse::dse::answers

#include "dse/suspects.hpp"

namespace pimdse::dse {

void Suspects::settle(ResultStore const& store) {
    for (auto const& mark : marks_) {
        for (std::uint64_t i = 0; i < mark.size(); ++i) {
            Task const task = mark.task(i);
            bool const in_block = store.contains_block(index_of(task.point) / BlockSummary::ids, task.fidelity);
            if (!in_block && !store.contains(task)) tasks_.insert(task);
        }
    }
    marks_.clear();
}

}  // namespace pimdse::dse

#include "models/upmem/listing_trace.hpp"

namespace pimdse::models::upmem {

dpu::Issued ListingTrace::issue(std::size_t tasklet) {
    auto const issued = listing_.issue(tasklet);
    auto& trace = tasklets_[tasklet];
    if (issued.kind == dpu::Issued::Kind::transfer) count(issued, trace);
    ++trace.instructions;
    return issued;
}

void ListingTrace::count(dpu::Issued const& transfer, TaskletTrace& tasklet) {
    if (tasklet.before_first < 0) tasklet.before_first = tasklet.instructions;
    if (!transfer.to_mram && ++tasklet.reads == reads_) tasklet.loaded = tasklet.instructions + 1;
    tasklet.at_last = tasklet.instructions + 1;
    ++tasklet.transfers;
    ++all_.transfers;
    if (!transfer.to_mram) ++all_.reads;
    bytes_[transfer.to_mram ? 1 : 0] += transfer.bytes;
    auto const first = static_cast<std::int64_t>(transfer.mram) / row_bytes_;
    auto const last = (static_cast<std::int64_t>(transfer.mram) + transfer.bytes - 1) / row_bytes_;
    for (auto row = first; row <= last; ++row) {
        rows_.insert(row);
        ++rows_touched_;
        if (row != tasklet.last_row) ++tasklet.row_changes, ++all_.row_changes;
        tasklet.last_row = row;
    }
}

}  // namespace pimdse::models::upmem

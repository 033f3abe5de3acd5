#include "sim/pim/bank_work.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace pimdse::sim::pim {
namespace {

using Histogram = std::map<std::int64_t, std::int64_t>;

/// The pieces of columns, cut at rows and at segments of the buffer. The cuts of whole columns are periodic: after one
/// period a column starts at the beginning of a row again.
Histogram cut_by_columns(BankWork const& work) {
    Histogram pieces;
    std::int64_t const period =
        work.piece_bytes == 0 ? work.row_bytes / std::gcd(work.column_bytes, work.row_bytes) : work.columns;
    for (std::int64_t column = 0; column < std::min(period, work.columns); ++column) {
        std::int64_t const times = (work.columns - column + period - 1) / period;
        for (std::int64_t at = 0, next = 0; at < work.column_bytes; at = next) {
            std::int64_t const segment_end = (at / work.buffer_bytes + 1) * work.buffer_bytes;
            next = std::min({work.column_bytes, work.end_in_row(column, at), segment_end});
            pieces[divide_up(next - at, work.burst_bytes)] += times;
        }
    }
    return pieces;
}

Histogram cut_by_rows(BankWork const& work) {
    std::int64_t const bytes = work.columns * work.column_bytes;
    Histogram pieces;
    if (bytes >= work.row_bytes) pieces[work.row_bytes / work.burst_bytes] = bytes / work.row_bytes;
    if (bytes % work.row_bytes != 0) pieces[divide_up(bytes % work.row_bytes, work.burst_bytes)] += 1;
    return pieces;
}

}  // namespace

std::int64_t BankWork::row_of_piece(std::int64_t column, std::int64_t piece) const {
    std::int64_t const tile = tiles.index(piece, column / columns_of_tile);
    return (tile * columns_of_tile + column % columns_of_tile) * piece_bytes / row_bytes;
}

std::int64_t BankWork::end_in_row(std::int64_t column, std::int64_t at) const {
    if (piece_bytes == 0) {
        std::int64_t const start = column * column_bytes;
        return ((start + at) / row_bytes + 1) * row_bytes - start;
    }
    std::int64_t piece = at / piece_bytes;
    std::int64_t const row = row_of_piece(column, piece);
    do ++piece;
    while (piece * piece_bytes < column_bytes && row_of_piece(column, piece) == row);
    return piece * piece_bytes;
}

GemvWalk walk_of(BankWork const& work) {
    expects(work.column_bytes > 0 && work.columns > 0 && work.buffer_bytes > 0, "a GEMV has work");
    expects(work.piece_bytes == 0 || work.order == LoopOrder::kseg, "storage order has whole columns");
    GemvWalk walk;
    for (auto const& [macs, count] : work.order == LoopOrder::kseg ? cut_by_columns(work) : cut_by_rows(work)) {
        walk.visits.push_back({macs, count});
        walk.macs += macs * count;
        walk.row_activations += count;
    }
    std::int64_t const vector_bursts = divide_up(work.column_bytes, work.burst_bytes);
    std::int64_t const segments = divide_up(work.column_bytes, work.buffer_bytes);
    bool const refills = work.order == LoopOrder::nat && segments > 1;
    walk.inputs = work.inputs;
    walk.fills_in_rows = refills;
    walk.fillings = refills ? segments * work.columns : work.order == LoopOrder::kseg ? segments : 1;
    walk.buffer_writes = work.inputs * (refills ? vector_bursts * work.columns : vector_bursts);
    walk.first_fill = work.inputs * std::min(vector_bursts, divide_up(work.buffer_bytes, work.burst_bytes));
    walk.mac_reads = work.columns * (work.order == LoopOrder::kseg ? segments : 1);
    return walk;
}

double row_visit_cycles(PimTiming const& timing, double macs) {
    double const row = timing.stagger +
                       std::max(timing.activate_to_mac + (macs - 1) * timing.mac_interval + timing.nRTP, timing.nRAS) +
                       timing.nRP;
    return std::max(row, macs * timing.mac_interval);  // MACs of neighbouring visits keep their interval as well
}

double gemv_cycles(GemvWalk const& walk, PimTiming const& timing, std::int64_t phases) {
    double multiply = 0.0;
    for (auto const& visit : walk.visits) {
        multiply +=
            static_cast<double>(visit.count) * row_visit_cycles(timing, static_cast<double>(visit.macs * phases));
    }
    double const write = static_cast<double>(walk.buffer_writes) * timing.buffer_write;
    double const first = static_cast<double>(walk.first_fill) * timing.buffer_write;
    double const total = timing.double_buffer ? std::max(multiply, write) + first : multiply + write;
    return total / (1.0 - timing.refresh_share);
}

}  // namespace pimdse::sim::pim

#include "sim/pim/pim_channel.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <ratio>

namespace pimdse::sim::pim {
namespace {

constexpr auto moments_per_second = static_cast<double>(std::femto::den);

/// Appends the runs for the bytes [from, to) of a column, each of which opens its row.
void append_alone(BankWork const& w, std::int64_t column, std::int64_t from, std::int64_t to,
                  std::vector<MacRun>& runs) {
    for (std::int64_t at = from, next = 0; at < to; at = next) {
        next = std::min(to, w.end_in_row(column, at));
        runs.push_back({.macs = divide_up(next - at, w.burst_bytes), .opens_row = true});
    }
}

/// The same for bytes of columns that follow each other: they share a row that is open.
void append_runs(BankWork const& w, std::int64_t from, std::int64_t to, std::vector<MacRun>& runs) {
    for (std::int64_t at = from, next = 0; at < to; at = next) {
        next = std::min(to, (at / w.row_bytes + 1) * w.row_bytes);
        bool const opens = at % w.row_bytes == 0 || runs.empty();
        runs.push_back({.macs = divide_up(next - at, w.burst_bytes), .opens_row = opens});
    }
}

std::int64_t chunk_bursts(BankWork const& w, std::int64_t chunk) {
    return w.inputs * divide_up(std::min(w.buffer_bytes, w.column_bytes - chunk * w.buffer_bytes), w.burst_bytes);
}

void start_chunk(MacRun& run, std::int64_t bursts) {
    run.starts_chunk = true;
    run.chunk_bursts = bursts;
}

std::vector<MacRun> by_segments(BankWork const& w) {
    std::vector<MacRun> runs;
    for (std::int64_t segment = 0; segment * w.buffer_bytes < w.column_bytes; ++segment) {
        for (std::int64_t column = 0; column < w.columns; ++column) {
            auto const before = runs.size();
            append_alone(w, column, segment * w.buffer_bytes, std::min((segment + 1) * w.buffer_bytes, w.column_bytes),
                         runs);
            if (column == 0) start_chunk(runs[before], chunk_bursts(w, segment));
            runs.back().ends_column = true;
        }
    }
    return runs;
}

std::vector<MacRun> in_storage_order(BankWork const& w) {
    std::vector<MacRun> runs;
    bool const refills = w.order == LoopOrder::nat && w.column_bytes > w.buffer_bytes;
    std::int64_t const chunk_bytes = refills ? w.buffer_bytes : w.column_bytes;
    for (std::int64_t column = 0; column < w.columns; ++column) {
        for (std::int64_t chunk = 0; chunk * chunk_bytes < w.column_bytes; ++chunk) {
            auto const before = runs.size();
            std::int64_t const start = column * w.column_bytes;
            append_runs(w, start + chunk * chunk_bytes, start + std::min((chunk + 1) * chunk_bytes, w.column_bytes),
                        runs);
            if (refills || column == 0)
                start_chunk(runs[before],
                            refills ? chunk_bursts(w, chunk) : w.inputs * divide_up(w.column_bytes, w.burst_bytes));
        }
        runs.back().ends_column = true;
    }
    return runs;
}

/// The channel counts in femtoseconds; a clock cycle has about a million of them.
double rounded(double cycles, double clock) {
    constexpr auto femtoseconds = static_cast<double>(std::femto::den);  // per second
    return std::round(cycles * clock * femtoseconds) / std::round(clock * femtoseconds);
}

constexpr double moment = 0x1p-18;  // cycles; more than the rounding of a sum to femtoseconds

}  // namespace

std::vector<MacRun> runs_of(BankWork const& work) {
    return work.order == LoopOrder::kseg ? by_segments(work) : in_storage_order(work);
}

PimChannel::PimChannel(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time,
                       std::int64_t phase)
    : timing_(timing),
      clock_(std::llround(timing.clock * moments_per_second)),
      interval_(std::llround(timing.mac_interval * timing.clock * moments_per_second)) {
    expects(refresh_interval == 0 || (phase >= 0 && phase < refresh_interval),
            "the phase lies within a refresh interval");
    refresh_interval_ = refresh_interval * clock_;
    refresh_time_ = refresh_time * clock_;
    start_phase_ = phase * clock_;
    next_refresh_ = refresh_interval == 0 ? INT64_MAX : refresh_interval_ - start_phase_;
    released_ = -1;
}

std::int64_t PimChannel::phase() const {
    return refresh_interval_ == 0 ? 0 : (cycles() * clock_ + start_phase_) % refresh_interval_ / clock_;
}

PimChannel::Moment PimChannel::edges(double cycles) const { return std::llround(cycles * static_cast<double>(clock_)); }

void PimChannel::open() {
    Moment start = up_to_edge(std::max(now_, closed_));
    while (start >= next_refresh_) {
        now_ = start;
        refresh();
        start = up_to_edge(std::max(now_, closed_));
    }
    opened_ = start + edges(timing_.stagger);
    first_mac_ = opened_ + edges(timing_.activate_to_mac);
    now_ = start;
    open_ = true;
    ++commands_.row_activations;
}

void PimChannel::close() {
    Moment const start = up_to_edge(std::max({now_, last_mac_ + edges(timing_.nRTP), opened_ + edges(timing_.nRAS)}));
    now_ = start;
    closed_ = start + edges(timing_.nRP);
    open_ = false;
    ++commands_.precharges;
}

void PimChannel::refresh() {
    if (open_) close();
    Moment const start = up_to_edge(std::max({now_, closed_, next_refresh_}));
    blocked_.push_back({start, start + refresh_time_});
    now_ = closed_ = start + refresh_time_;
    next_refresh_ += refresh_interval_;
    ++commands_.refreshes;
}

/// MACs follow each other at their interval. Those due before a refresh deadline are issued; the rest follow when the
/// row is open again.
void PimChannel::multiply(std::int64_t macs) {
    commands_.macs += macs;
    while (macs > 0) {
        if (!open_) open();
        Moment const first = std::max({now_, first_mac_, last_mac_ + interval_});
        std::int64_t const before_refresh =
            first >= next_refresh_ ? 0 : (next_refresh_ - first + interval_ - 1) / interval_;
        std::int64_t const issued = std::min(macs, before_refresh);
        if (issued > 0) last_mac_ = now_ = first + (issued - 1) * interval_;
        macs -= issued;
        if (macs == 0) return;
        now_ = std::max(now_, next_refresh_);
        refresh();
    }
}

/// Completion of a filling that starts at `start`, with the refreshes so far taken into account.
PimChannel::Moment PimChannel::filled_by(Moment start, std::int64_t bursts) const {
    Moment end = start + bursts * edges(timing_.buffer_write);
    for (auto const& window : blocked_) {
        if (window.to <= start || window.from >= end) continue;
        end += window.to - std::max(window.from, start);
    }
    return end;
}

void PimChannel::wait_for_chunk(std::int64_t bursts) {
    commands_.buffer_writes += bursts;
    Moment const done = now_;
    Moment const use_ended = std::max(now_, open_ ? last_mac_ + edges(timing_.nRTP) : closed_);
    Moment const start = timing_.double_buffer ? std::max<Moment>(filled_, released_) : std::max(filled_, use_ended);
    Moment end = filled_by(std::max<Moment>(start, 0), bursts);
    while (end > next_refresh_) {
        now_ = std::max(now_, next_refresh_);
        refresh();
        end = filled_by(std::max<Moment>(start, 0), bursts);
    }
    released_ = done;  // the previous filling is no longer needed; the one after next may overwrite it
    filled_ = end;
    std::erase_if(blocked_, [&](Window const& window) { return window.to <= end; });
    now_ = std::max(now_, end);
}

void PimChannel::execute(std::vector<MacRun> const& runs, std::int64_t phases) {
    for (auto const& run : runs) {
        if (run.opens_row && open_) close();
        if (run.starts_chunk) wait_for_chunk(run.chunk_bursts);
        if (!open_) open();
        multiply(run.macs * phases);
        commands_.mac_reads += run.ends_column ? 1 : 0;
    }
    if (open_) close();
    now_ = closed_;
    while (now_ >= next_refresh_) refresh();
}

PimReplay::PimReplay(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time)
    : timing_(timing), refresh_interval_(refresh_interval), refresh_time_(refresh_time) {}

PimReplay::Spent PimReplay::simulate(Product const& product, std::int64_t vectors) const {
    PimChannel channel(timing_, refresh_interval_, refresh_time_, phase_);
    channel.execute(product.runs, vectors);
    return {channel.cycles(), channel.commands().row_activations};
}

PimReplay::Spent PimReplay::run(BankWork const& work, Operand operand, std::int64_t vectors, std::int64_t times) {
    auto& product = products_[{work, operand, vectors}];
    if (product.runs.empty()) {
        product.runs = runs_of(work);
        for (auto& run : product.runs) run.starts_chunk = run.starts_chunk && operand == Operand::written;
    }
    Spent total;
    for (std::int64_t i = 0; i < times; ++i) {
        auto& known = product.by_phase[phase_];
        if (known.cycles == 0) known = simulate(product, vectors);
        total.cycles += known.cycles;
        total.row_activations += known.row_activations;
        if (refresh_interval_ > 0) phase_ = (phase_ + known.cycles) % refresh_interval_;
    }
    return total;
}

PimLowerBound::PimLowerBound(PimTiming const& timing)
    : timing_(timing),
      interval_(rounded(timing.mac_interval, timing.clock)),
      overhead_(timing.stagger + timing.activate_to_mac + timing.nRTP + timing.nRP) {}

/// ACT and PRE are issued at clock edges.
double PimLowerBound::visit(double macs) const {
    double const multiplied = timing_.activate_to_mac + (macs - 1.0) * interval_ + timing_.nRTP;
    return std::ceil(timing_.stagger + std::max(multiplied, timing_.nRAS) - moment) + timing_.nRP;
}

double PimLowerBound::visits(double count, double macs) const {
    return std::max(0.0, count * (overhead_ - interval_) + macs * interval_);
}

double PimLowerBound::pause(double refresh_time) const {
    return std::max(0.0, refresh_time + std::min(0.0, std::floor(overhead_ - interval_ - moment)));
}

/// Fillings and MACs alternate. The interval between two MACs may pass during a filling if the row stays open; the MAC
/// after such a filling is not the first of its visit.
double PimLowerBound::one_buffer(GemvWalk const& walk, std::int64_t vectors) const {
    double const first = static_cast<double>(walk.first_fill), all = static_cast<double>(walk.buffer_writes);
    std::int64_t const in_rows =
        walk.fills_in_rows ? std::min(walk.fillings - 1, walk.macs * vectors - walk.row_activations) : 0;
    double const hidden = static_cast<double>(in_rows) * std::max(0.0, interval_ - timing_.nRTP);
    return visits(static_cast<double>(walk.row_activations), static_cast<double>(walk.macs * vectors)) +
           std::max(first * timing_.buffer_write, all * timing_.buffer_write - hidden);
}

double PimLowerBound::cycles(GemvWalk const& walk, Operand operand, std::int64_t vectors) const {
    double sum = 0.0;
    for (auto const& v : walk.visits)
        sum += static_cast<double>(v.count) * visit(static_cast<double>(v.macs * vectors));
    double const macs = static_cast<double>(walk.macs * vectors);
    double const apart =
        timing_.stagger + timing_.activate_to_mac + (macs - 1.0) * interval_ + timing_.nRTP + timing_.nRP;
    double const multiplied = std::max(sum, apart);
    if (operand == Operand::present) return multiplied;
    double const first = static_cast<double>(walk.first_fill) * timing_.buffer_write;
    double const writes = static_cast<double>(walk.buffer_writes) * timing_.buffer_write;
    return std::max(first + multiplied,
                    timing_.double_buffer ? writes + timing_.nRTP + timing_.nRP : one_buffer(walk, vectors));
}

}  // namespace pimdse::sim::pim

#include "models/upmem/lower_bounds.hpp"

#include "models/upmem/cost.hpp"
#include "models/upmem/dpu/counters.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem {
namespace {

/// Lower bounds of the DPU cycles of a transfer.
struct TransferLowerBound {
    double service = 0.0;  ///< cycles for which the server is occupied
    double gap = 0.0;      ///< cycles from its issue to the issue of the tasklet's next instruction
};

/// Lower bounds of the memory side of a launch. From the issue of the first of several transfers to the issue that
/// follows the last of them takes at least before + services + (turns to a row - 1) x turn + after.
struct MramLowerBound {
    TransferLowerBound read, write, last_read, last_write;
    double before = 0.0, after = 0.0;
    double turn = 0.0;     ///< additional cycles compared with the next access of the same row
    double opening = 0.0;  ///< additional gap of the transfer with which a turn begins
    double busy_min = 0.0, busy_max = 0.0;
};

using sim::as_double;

/// From the issue of the last instruction to the end of the run.
constexpr double drain = dpu::pipeline_depth + 1;

/// Work of one tasklet: blocks in chunks, possibly including the last block of all.
struct Load {
    double instructions = 0.0, blocks = 0.0;
    bool has_last = false;
};

class Bounds {
  public:
    Bounds(LaunchProgram const& program, MramLowerBound const& mram, std::int64_t distance)
        : p_(program),
          mram_(mram),
          d_(as_double(distance)),
          all_tasklets_(as_double(program.tasklets)),
          chunks_(sim::divide_up(program.blocks, program.chunk)),
          busy_tasklets_(as_double(std::min(program.tasklets, chunks_))) {}

    [[nodiscard]] double cycles() const {
        return std::max({issue_slots(), longest_tasklet(), mean_tasklet(), server(), last_to_load(), lock(),
                         saturated_after_loading(), saturated_after_booting()});
    }

  private:
    /// Issue of the first instruction of tasklet t: its predecessor compares and boots it.
    [[nodiscard]] double first_issue(double t) const { return d_ - 1.0 + t * (d_ + 1.0); }
    [[nodiscard]] double boot() const { return p_.tasklets == 1 ? LaunchProgram::boot - 1.0 : LaunchProgram::boot; }
    /// Issue of the first transfer of all.
    [[nodiscard]] double first_request() const { return first_issue(0.0) + (boot() + p_.start + p_.lead_min) * d_; }

    [[nodiscard]] Load load(std::int64_t chunks, bool has_last) const {
        double const whole = as_double(chunks - (has_last ? 1 : 0));
        return {whole * p_.chunk_min + (has_last ? p_.last_chunk_min : 0.0),
                whole * as_double(p_.chunk) + (has_last ? as_double(p_.last_chunk_blocks) : 0.0), has_last};
    }
    /// Sum over all transfers of a load: cycles from the issue of an instruction to the issue of the next.
    [[nodiscard]] double gaps(double blocks, bool has_last) const {
        double const whole = blocks - (has_last ? 1.0 : 0.0);
        return whole * (p_.reads * mram_.read.gap + p_.writes * mram_.write.gap) +
               (has_last ? p_.reads * mram_.last_read.gap + p_.writes * mram_.last_write.gap : 0.0);
    }
    /// Instructions and transfers one after the other; `before`: cycles until the first of them issues.
    [[nodiscard]] double chain(double before, double instructions, double blocks, bool has_last) const {
        double const transfers = blocks * (p_.reads + p_.writes);
        return before + (instructions - 1.0 - transfers) * d_ + gaps(blocks, has_last) + drain;
    }
    [[nodiscard]] double tasklet(double t, Load const& l) const {
        double const own_boot = t + 1.0 == all_tasklets_ ? LaunchProgram::boot - 1.0 : LaunchProgram::boot;
        return chain(first_issue(t), own_boot + p_.start + l.instructions + p_.finish, l.blocks, l.has_last);
    }

    [[nodiscard]] double issue_slots() const { return d_ + p_.all + p_.extras_min + drain - 2.0; }

    [[nodiscard]] double longest_tasklet() const {
        std::int64_t const max = sim::divide_up(chunks_, p_.tasklets), holder = (chunks_ - 1) % p_.tasklets;
        double longest = tasklet(as_double(holder), load(max, true));
        if (holder > 0) longest = std::max(longest, tasklet(as_double(holder - 1), load(max, false)));
        if (holder == 0 && max > 1) longest = std::max(longest, tasklet(all_tasklets_ - 1.0, load(max - 1, false)));
        return longest;
    }

    /// The longest chain is at least the mean of all.
    [[nodiscard]] double mean_tasklet() const {
        double const first =
            all_tasklets_ * first_issue(0.0) + (d_ + 1.0) * all_tasklets_ * (all_tasklets_ - 1.0) / 2.0;
        double const plain = p_.all - all_tasklets_ - p_.transfers();
        double const opened = std::max(0.0, visits() - 1.0) * mram_.opening;
        return (first + plain * d_ + gaps(as_double(p_.blocks), true) + opened) / all_tasklets_ + drain;
    }

    /// Number of times that the server turns to a row: at least once per row. One turn serves the transfers of a
    /// tasklet to one row.
    [[nodiscard]] double visits() const {
        return std::max({p_.rows, std::ceil(p_.row_changes / busy_tasklets_), p_.transfers() > 0.0 ? 1.0 : 0.0});
    }

    [[nodiscard]] double service_of_all() const {
        double const whole = as_double(p_.blocks - 1);
        return whole * (p_.reads * mram_.read.service + p_.writes * mram_.write.service) +
               p_.reads * mram_.last_read.service + p_.writes * mram_.last_write.service;
    }

    /// All transfers one after the other; after the last of them a tasklet still computes and ends.
    [[nodiscard]] double server() const {
        if (p_.transfers() == 0.0) return 0.0;
        double const after = p_.writes > 0.0 ? p_.behind_writes : p_.behind_reads_min;
        return first_request() + mram_.before + service_of_all() + (visits() - 1.0) * mram_.turn + mram_.after +
               (after + p_.finish - 1.0) * d_ + drain;
    }

    /// Cycles until `tasklets` tasklets have the reads of their first block, which the server serves one by one.
    [[nodiscard]] double loaded(double tasklets) const {
        double const shorter = p_.reads * (mram_.read.service - mram_.last_read.service);
        return first_request() + mram_.before + tasklets * p_.reads * mram_.read.service - shorter + mram_.after;
    }

    /// The tasklet that receives the reads of its first block last still has the rest of its work to do.
    [[nodiscard]] double last_to_load() const {
        if (p_.reads == 0.0 || p_.blocks == 0) return 0.0;
        bool const equal = chunks_ % p_.tasklets == 0 || chunks_ <= p_.tasklets;
        std::int64_t const chunks = std::max<std::int64_t>(1, chunks_ / p_.tasklets);
        Load const min = load(chunks, equal);
        double const own = std::min(min.instructions, load(chunks, false).instructions);
        double const instructions = std::max(1.0, own - p_.max_loaded + p_.finish);
        double const transfers = min.blocks * (p_.reads + p_.writes) - p_.reads;
        double const plain = std::max(0.0, instructions - 1.0 - transfers);
        double const waits =
            std::max(0.0, gaps(min.blocks, min.has_last) - p_.reads * std::max(mram_.read.gap, mram_.last_read.gap));
        return loaded(busy_tasklets_) + plain * d_ + waits + drain;
    }

    /// From the issue of `acquire` to that of `release`, once each time the lock is taken.
    [[nodiscard]] double lock() const { return first_issue(0.0) + p_.locked * d_ + drain; }

    /// Tasklet j of `n` cannot issue its first computing instruction before cycle `first` + (j - 1) `apart`. Until
    /// enough of them have begun to saturate the issue slot, slots stay empty; each of the remaining instructions fills
    /// one slot. After these, the last tasklet still has its writes to make.
    [[nodiscard]] double saturated(double first, double apart) const {
        double const n = std::min(d_, busy_tasklets_), before = first + (n - 1.0) * apart;
        double const begun = LaunchProgram::boot + p_.start + p_.max_loaded;
        double const issued = busy_tasklets_ * begun + n + apart * n * (n - 1.0) / (2.0 * d_);
        double const after =
            p_.writes + std::max(0.0, p_.writes - 1.0) * p_.between_writes_max + p_.behind_writes + p_.finish;
        double const tail = p_.writes > 0.0 ? after : p_.finish;
        double const idle = (all_tasklets_ - busy_tasklets_) * (LaunchProgram::boot + p_.start + p_.finish);
        double const left = p_.all - idle - busy_tasklets_ * tail - issued;
        if (left <= 0.0) return 0.0;
        return before - 1.0 + left + conflicts_of(issued + busy_tasklets_ * tail + idle) + tail_cycles(tail);
    }
    /// Cycles of the register stage, except those of `others` instructions; instructions in the pipeline may hide some.
    [[nodiscard]] double conflicts_of(double others) const {
        constexpr double pipeline = 2.0 * dpu::pipeline_depth;
        double const sure = p_.extras_min - p_.extras_max * (others + pipeline);
        return std::max(0.0, sure - pipeline);
    }
    [[nodiscard]] double tail_cycles(double tail) const {
        return (tail - p_.writes) * d_ + p_.writes * std::min(mram_.write.gap, mram_.last_write.gap) + drain;
    }
    [[nodiscard]] double saturated_after_loading() const {
        if (p_.reads == 0.0 || p_.blocks == 0) return 0.0;
        return saturated(loaded(1.0), p_.reads * mram_.read.service);
    }
    [[nodiscard]] double saturated_after_booting() const {
        double const plain = LaunchProgram::boot - 1.0 + p_.start + p_.lead_min;
        double const waits = p_.reads * std::min(mram_.read.gap, mram_.last_read.gap);
        return saturated(first_issue(0.0) + plain * d_ + waits, d_ + 1.0);
    }

    LaunchProgram const& p_;
    MramLowerBound const& mram_;
    double d_, all_tasklets_;
    std::int64_t chunks_;
    double busy_tasklets_;
};

/// A listing without counts: every tasklet boots, calls main and stops.
LaunchLowerBound of_uncounted(Design const& d) {
    double const instructions = as_double(d.tasklets) * (LaunchProgram::boot + 1.0) - 1.0;
    return {as_double(d.dispatch_distance) + instructions + drain - 2.0, instructions, false, 0.0,
            std::numeric_limits<double>::infinity()};
}

/// Cycles from the issue of a transfer to its retirement; from its hand-back to the next issue of its tasklet.
constexpr double retired = dpu::pipeline_depth, woken = 2.0;

/// Smaller than any number of the model, larger than the rounding of a double of 2^43.
constexpr double hair = 0x1p-8;

/// Sums over the transfers of a launch, with one term for each kind: in whole blocks and in the last one.
template <class Of>
double sum_over(LaunchProgram const& p, Of const& of) {
    auto const whole = static_cast<double>(p.blocks - 1);
    return whole * (p.reads * of(p.read_bytes.whole) + p.writes * of(p.write_bytes.whole)) +
           p.reads * of(p.read_bytes.last) + p.writes * of(p.write_bytes.last);
}

template <class Of>
void set_transfers(MramLowerBound& m, LaunchProgram const& p, Of const& of) {
    m.read = of(p.read_bytes.whole);
    m.write = of(p.write_bytes.whole);
    m.last_read = of(p.read_bytes.last);
    m.last_write = of(p.write_bytes.last);
}

/// ServerMemory is first come, first served; it starts when the instruction issues.
MramLowerBound of_server(DmaLaw const& law, LaunchProgram const& p, double distance) {
    MramLowerBound m;
    m.after = 1.0;
    set_transfers(m, p, [&](double bytes) {
        double const service = law.service(bytes);
        return TransferLowerBound{service,
                                  std::max({distance, retired + 1.0 + woken, std::ceil(service - hair) + 1.0})};
    });
    m.busy_min = m.busy_max = sum_over(p, [&](double bytes) { return law.service(bytes); });
    return m;
}

/// Timing of BankMemory, in memory cycles.
struct Bank {
    double access;  ///< from an access to the next of the same row
    double turn;    ///< additional cycles of the first access to another row
    /// Additional cycles of an access that has to close and open rows, from its command.
    double opening;
    double result;  ///< from an access to its acknowledgement
    explicit Bank(MachineConstants const& f) {
        auto const real = [](std::int64_t n) { return static_cast<double>(n); };
        access = real(f.t_cl + 1);
        result = real(f.t_cl + f.t_bl + 1);
        opening = real(f.t_rp + 1 + f.t_rcd + 1);
        turn = result + opening - access;
    }
};

MramLowerBound of_bank(Prepared const& prepared, Design const& d, LaunchProgram const& p) {
    auto const& f = prepared.machine;
    auto const clock = memory_clock(prepared, d);
    double const ratio = clock.ratio();
    Bank const bank(f);
    auto const accesses = [&](double bytes) { return bytes / f.access_bytes.si; };
    auto const turns_within = [&](double bytes) { return std::ceil(bytes / f.row_bytes.si) - 1.0; };
    MramLowerBound m;
    m.before = retired;
    m.after = (bank.result + 1.0) / ratio + woken;
    m.turn = bank.turn / ratio;
    bool const in_one_row = p.read_bytes.whole <= f.row_bytes.si && p.write_bytes.whole <= f.row_bytes.si;
    m.opening = in_one_row ? std::max(0.0, bank.opening / ratio - 1.0) : 0.0;
    set_transfers(m, p, [&](double bytes) {
        double const memory =
            bank.access * (accesses(bytes) - 1.0) + bank.turn * turns_within(bytes) + bank.result + 1.0;
        double const wait = std::floor(memory / ratio * (1.0 - rounding)) + 1.0;
        return TransferLowerBound{bank.access * accesses(bytes) / ratio,
                                  std::max(static_cast<double>(d.dispatch_distance), retired + wait + woken)};
    });
    double const moved = bank.access * sum_over(p, accesses);
    double const rows = p.transfers() > 0.0 ? std::max(1.0, p.rows) : 0.0;
    auto const busy = [&](double opened) {
        double const closed = std::max(0.0, opened - 1.0);
        return (moved + opened * static_cast<double>(f.t_rcd + 1) + closed * static_cast<double>(f.t_rp + 1)) /
               clock.mean_ratio();
    };
    m.busy_min = busy(rows);
    m.busy_max = busy(p.rows_max);
    return m;
}

MramLowerBound mram_lower_bound(Prepared const& prepared, Design const& d, LaunchProgram const& p) {
    if (d.preset == Preset::hardware)
        return of_server(dma_law(prepared, d), p, static_cast<double>(d.dispatch_distance));
    return of_bank(prepared, d, p);
}

}  // namespace

LaunchLowerBound launch_lower_bound(Prepared const& prepared, Design const& d, Task const& task) {
    auto const program = count_program(prepared, d, task);
    if (!program.counted) return of_uncounted(d);
    auto const mram = mram_lower_bound(prepared, d, program);
    Bounds const bounds(program, mram, d.dispatch_distance);
    // A sum of one term per transfer is rounded once per transfer.
    double const shrunk = 1.0 - rounding - program.transfers() * 0x1p-52;
    auto const& kernel = prepared.kernels[d.kernel];
    double const start = std::max(0.0, kernel.start_cycles);
    // A generated program has no locks: the cycle level takes their cycles from the closed form.
    double const locked = kernel.listing.empty() ? serial_cycles(task.work, d.tasklets, d.dispatch_distance) : 0.0;
    return {(std::max(bounds.cycles(), locked) + start) * shrunk, program.all, program.exact, mram.busy_min * shrunk,
            mram.busy_max / shrunk};
}

}  // namespace pimdse::models::upmem

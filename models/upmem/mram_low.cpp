#include "models/upmem/mram_low.hpp"

#include "models/upmem/cycle.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem {
namespace {

/// Cycles from the issue of a transfer to its retirement; from its hand-back to the next issue of its tasklet.
constexpr double retired = dpu::pipeline_depth, woken = 2.0;

/// Less than any number of the model, more than what a double of 2^43 loses.
constexpr double hair = 0x1p-8;

/// Transfers of a launch, a term for each kind: of the whole blocks and of the last one.
template <class Of>
double sum_over(LaunchProgram const& p, Of const& of) {
    auto const whole = static_cast<double>(p.blocks - 1);
    return whole * (p.reads * of(p.read_bytes.whole) + p.writes * of(p.write_bytes.whole)) +
           p.reads * of(p.read_bytes.last) + p.writes * of(p.write_bytes.last);
}

template <class Of>
void set_transfers(MramLow& m, LaunchProgram const& p, Of const& of) {
    m.read = of(p.read_bytes.whole);
    m.write = of(p.write_bytes.whole);
    m.last_read = of(p.read_bytes.last);
    m.last_write = of(p.write_bytes.last);
}

/// ServerMemory: first come, first served; it starts when the instruction issues.
MramLow of_server(DmaLaw const& law, LaunchProgram const& p, double distance) {
    MramLow m;
    m.behind = 1.0;
    set_transfers(m, p, [&](double bytes) {
        double const service = law.service(bytes);
        return TransferLow{service, std::max({distance, retired + 1.0 + woken, std::ceil(service - hair) + 1.0})};
    });
    m.busy_least = m.busy_most = sum_over(p, [&](double bytes) { return law.service(bytes); });
    return m;
}

/// Of BankMemory, in memory cycles.
struct Bank {
    double access;   ///< from an access to the next of the same row
    double turn;     ///< that the first one of another row comes later
    double opening;  ///< that an access comes later for having to close and open rows, seen from its command
    double answer;   ///< from an access to its acknowledgement
    explicit Bank(MachineConstants const& f) {
        auto const real = [](std::int64_t n) { return static_cast<double>(n); };
        access = real(f.t_cl + 1);
        answer = real(f.t_cl + f.t_bl + 1);
        opening = real(f.t_rp + 1 + f.t_rcd + 1);
        turn = answer + opening - access;
    }
};

MramLow of_bank(Prepared const& prepared, Design const& d, LaunchProgram const& p) {
    auto const& f = prepared.machine;
    auto const clock = memory_clock(prepared, d);
    double const ratio = clock.ratio();
    Bank const bank(f);
    auto const accesses = [&](double bytes) { return bytes / f.access_bytes.si; };
    auto const turns_within = [&](double bytes) { return std::ceil(bytes / f.row_bytes.si) - 1.0; };
    MramLow m;
    m.before = retired;
    m.behind = (bank.answer + 1.0) / ratio + woken;
    m.turn = bank.turn / ratio;
    bool const in_one_row = p.read_bytes.whole <= f.row_bytes.si && p.write_bytes.whole <= f.row_bytes.si;
    m.opening = in_one_row ? std::max(0.0, bank.opening / ratio - 1.0) : 0.0;
    set_transfers(m, p, [&](double bytes) {
        double const memory =
            bank.access * (accesses(bytes) - 1.0) + bank.turn * turns_within(bytes) + bank.answer + 1.0;
        double const wait = std::floor(memory / ratio * (1.0 - rounding)) + 1.0;
        return TransferLow{bank.access * accesses(bytes) / ratio,
                           std::max(static_cast<double>(d.dispatch_distance), retired + wait + woken)};
    });
    double const moved = bank.access * sum_over(p, accesses);
    double const rows = p.transfers() > 0.0 ? std::max(1.0, p.rows) : 0.0;
    auto const busy = [&](double opened) {
        double const closed = std::max(0.0, opened - 1.0);
        return (moved + opened * static_cast<double>(f.t_rcd + 1) + closed * static_cast<double>(f.t_rp + 1)) /
               clock.mean_ratio();
    };
    m.busy_least = busy(rows);
    m.busy_most = busy(p.rows_most);
    return m;
}

}  // namespace

MramLow mram_low(Prepared const& prepared, Design const& d, LaunchProgram const& p) {
    if (d.preset == Preset::hardware)
        return of_server(dma_law(prepared, d), p, static_cast<double>(d.dispatch_distance));
    return of_bank(prepared, d, p);
}

}  // namespace pimdse::models::upmem

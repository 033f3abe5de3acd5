// Prints how much of the allowances of models/dplena/constants.toml random designs use: against cycle fidelity, the
// worst of each kind of design. Arguments: designs of each kind, seed, `long` for programs of many prefetches.
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/prefetch_estimate.hpp"
#include "tests/unit/models/dplena/random_designs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace pimdse::models;
using namespace pimdse::models::dplena;

/// What was seen of a ratio that should be 1.
struct Ratios {
    std::vector<double> seen;

    void print(std::string const& what) {
        if (seen.empty()) return;
        std::sort(seen.begin(), seen.end());
        std::vector<double> errors;
        for (auto const ratio : seen) errors.push_back(std::fabs(ratio - 1.0));
        std::sort(errors.begin(), errors.end());
        std::printf("%-62s %5zu  least %.5f  most %.5f  median error %.5f\n", what.c_str(), seen.size(), seen.front(),
                    seen.back(), errors[errors.size() / 2]);
    }
};

/// Ratios of cycle to coarser results, and how near its bounds came, by what was looked at.
class Seen {
  public:
    void add(std::string const& what, Estimate const& exact, Estimate const& coarse) {
        all_[what + ": cycle / value"].seen.push_back(exact.value / coarse.value);
        all_[what + ": cycle / lower bound"].seen.push_back(exact.value / coarse.lower);
        all_[what + ": cycle / high"].seen.push_back(exact.value / coarse.upper);
    }
    void print() {
        for (auto& [what, ratios] : all_) ratios.print(what);
    }

  private:
    std::map<std::string, Ratios> all_;
};

/// The mean time of a prefetch against its closed form, and of those beside each other against the bus.
void look_at_prefetch(Ratios& of_bus, Seen& seen, Program const& program, Estimate const& memory) {
    auto const& machine = support::machine();
    auto const& d = program.design();
    if (d.refresh == Refresh::on || program.logit_prefetches() == 0) return;
    auto const reads = static_cast<double>(d.lines_per_prefetch()) / static_cast<double>(d.channels);
    auto const form = estimate_prefetch(d, machine, 1.0);
    auto const mean = memory.value / static_cast<double>(program.prefetches());
    if (d.overlap != Overlap::none && d.outstanding > 1 && d.buffers > 1)
        of_bus.seen.push_back(mean /
                              (reads * static_cast<double>(machine.hbm.timing.bus[static_cast<std::size_t>(d.bus)])));
    if (d.overlap != Overlap::none) return;
    bool const line = form.value == machine.prefetch.base + machine.prefetch.per_read * reads;
    seen.add(line ? "prefetch on the line" : "prefetch from the table", Estimate::exact(mean),
             Estimate::within(form.value, form.value, form.upper, Bound::calibrated));
}

void look(Ratios& of_bus, Seen& seen, Program const& program) {
    auto const& machine = support::machine();
    auto const& d = program.design();
    std::string const where = std::string(d.overlap == Overlap::none ? "serial" : "overlapped") +
                              (d.outstanding > 1 && d.overlap != Overlap::none ? ", beside each other" : "") +
                              (d.refresh == Refresh::on ? ", refresh" : "");
    auto const exact = cycle_sampling(program, machine.hbm);
    auto const analytic = analytic_sampling(program, machine);
    seen.add("analytic, " + where, exact.total, analytic.total);
    seen.add("analytic memory, " + where, exact.memory, analytic.memory);
    look_at_prefetch(of_bus, seen, program, exact.memory);
}

}  // namespace

int main(int argc, char** argv) {
    int const count = argc > 1 ? std::atoi(argv[1]) : 100;
    auto const seed = static_cast<std::uint64_t>(argc > 2 ? std::atoi(argv[2]) : 1);
    auto const sizes = argc > 3 ? support::long_programs : support::Sizes{};
    Seen seen;
    Ratios of_bus;
    for (auto const kind :
         {support::Kind::serial, support::Kind::overlapped, support::Kind::refreshing, support::Kind::everything}) {
        support::for_random_designs(
            seed, count, kind, [&](Design const&, Program const& program) { look(of_bus, seen, program); }, sizes);
    }
    seen.print();
    of_bus.print("prefetches beside each other: cycle / bus");
}

#include "dse/cli/run/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iostream>
#include <vector>

namespace pimdse::dse::cli::run {
namespace {

/// "vlen 1 of 7 values" for parameters of which the first `points` points have not every value.
std::vector<std::string> cut_axes(space::Machine const& machine, std::uint64_t points) {
    std::vector<std::string> cut;
    std::uint64_t stride = 1;
    for (std::size_t i = machine.axes.size(); i-- > 0;) {
        auto const size = machine.axes[i].size();
        auto const seen = std::min(size, points / stride + (points % stride != 0 ? 1 : 0));
        if (seen < size) cut.push_back(fmt::format("{} {} of {} values", machine.parameters()[i].name, seen, size));
        stride *= size;
    }
    std::reverse(cut.begin(), cut.end());
    return cut;
}

/// Of the machine in which the sweep ends, and of those that it does not reach.
std::vector<std::string> unseen(space::Space const& space, std::uint64_t points) {
    std::vector<std::string> unseen;
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        auto const& machine = space.machines()[m];
        if (points <= space.first_of(m)) {
            unseen.push_back("nothing of " + machine.name);
        } else if (points - space.first_of(m) < machine.size()) {
            auto const cut = cut_axes(machine, points - space.first_of(m));
            unseen.insert(unseen.end(), cut.begin(), cut.end());
        }
    }
    return unseen;
}

void remark_on_corner(space::Space const& space) {
    auto const not_seen = unseen(space, space.search().budget);
    if (not_seen.empty()) return;
    std::cerr << fmt::format(
        "pimdse: a sweep of {} of {} points sees a corner of the space only ({}). "
        "--strategy sobol, which spreads them?\n",
        space.search().budget, space.size(), fmt::join(not_seen, ", "));
}

/// Points are drawn of all machines together: of a small one beside large ones none may be.
void remark_on_small_machines(space::Space const& space) {
    double const share = static_cast<double>(space.search().budget) / static_cast<double>(space.size());
    std::vector<std::string> small;
    for (auto const& machine : space.machines()) {
        if (share * static_cast<double>(machine.size()) < 1.0)
            small.push_back(fmt::format("{} with {} points", machine.name, machine.size()));
    }
    if (small.empty() || space.machines().size() == 1) return;
    std::cerr << fmt::format(
        "pimdse: {} of {} points are drawn from all machines together, so there may be none of {}. "
        "A larger --budget, or fewer values for the others?\n",
        space.search().budget, space.size(), fmt::join(small, ", "));
}

}  // namespace

void print_remarks(space::Space const& space) {
    for (auto const& remark : space.remarks()) std::cerr << "pimdse: " << remark << "\n";
    for (auto const& [what, note] : space.notes()) std::cerr << "pimdse: classes of " << what << ": " << note << "\n";
    for (auto const& remark : space.not_known()) std::cerr << "pimdse: " << remark << "\n";
    auto const& search = space.search();
    if (search.budget == 0 || search.budget >= space.size()) return;
    if (search.strategy == "sweep" && search.shards == 1) remark_on_corner(space);
    if (search.strategy == "random" || search.strategy == "sobol") remark_on_small_machines(space);
}

}  // namespace pimdse::dse::cli::run

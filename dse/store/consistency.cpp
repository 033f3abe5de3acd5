#include "dse/store/consistency.hpp"

#include "dse/search/digest.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/comparison.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::store {
namespace {

using Row = search::ResultStore::Row;

/// Whether the kept and the left-out points of blocks add up to the number of points of the blocks.
bool blocks_add_up(ResultFile const& file) {
    auto const& blocks = file.store.blocks();
    std::uint64_t in_blocks = 0, kept = 0, left_out = 0;
    for (auto const& [block, points] : blocks) in_blocks += points;
    for (Row row = 0; row < file.store.size(); ++row) {
        auto const task = file.store.task(row);
        if (blocks.contains({index_of(task.point) / space::BlockSummary::ids, task.fidelity})) ++kept;
    }
    for (auto const& count : file.store.left_out()) left_out += count.points;
    return in_blocks == kept + left_out;
}

/// Whether two shares of hypervolume are equal except for rounding: another order of additions changes the last bits.
bool same_share(double a, double b) {
    return std::isnan(a) || std::isnan(b) || agree(a, b, 1e-9) || std::abs(a - b) < 1e-12;
}

bool same_history(search::FrontHistory const& a, search::FrontHistory const& b) {
    return a.ids_per_row == b.ids_per_row && a.first_id == b.first_id && a.evaluations == b.evaluations &&
           a.size == b.size &&
           std::equal(a.hypervolume.begin(), a.hypervolume.end(), b.hypervolume.begin(), b.hypervolume.end(),
                      same_share) &&
           a.box.ideal == b.box.ideal && a.box.reference == b.box.reference;
}

/// Whether the front has the finest fidelity in the file. Files without a certificate may come from a version that
/// built the front from the finest feasible results.
bool is_finest(ResultFile const& file) {
    if (file.front_fidelity == search::finest_fidelity(file.store)) return true;
    if (file.certificate || file.front_fidelity > search::finest_fidelity(file.store)) return false;
    for (Row row = 0; row < file.store.size(); ++row)
        if (file.store.status(row) == search::Status::ok && file.store.task(row).fidelity > file.front_fidelity)
            return false;
    return true;
}

}  // namespace

std::vector<std::string> check_consistency(ResultFile const& file) {
    std::vector<std::string> problems;
    auto const name = file.path.string();
    auto const& columns = file.columns;
    auto const identity = space::identity_text(columns.canonical_text, columns.input_hashes);
    // Earlier versions included the paths of the user's own files in the digest.
    bool const digest_includes_paths =
        identity != columns.canonical_text && search::digest(columns.canonical_text, file.store) == file.digest;
    if (auto const sum = search::digest(identity, file.store); sum != file.digest && !digest_includes_paths) {
        problems.push_back(
            fmt::format("{} states the digest {} but holds results with the digest {}", name, file.digest, sum));
    }
    if (!file.columns.objectives.empty() &&
        search::front_of(file.store, file.columns.objectives, file.front_fidelity).ids() != file.front) {
        problems.push_back(fmt::format("{} states a front that is not the front of its results", name));
    }
    if (!is_finest(file)) {
        problems.push_back(fmt::format("{} states a front of {} results, but has results of a finer fidelity", name,
                                       models::name_of(file.front_fidelity)));
    } else if (!file.columns.objectives.empty() &&
               !same_history(file.history,
                             search::front_history(file.store, file.columns.objectives, file.front_fidelity))) {
        problems.push_back(fmt::format("{} states a history of its front that is not that of its results", name));
    }
    if (file.stated_rules != file.store.counts_per_rule()) {
        problems.push_back(fmt::format("{} states counts of violated rules that are not those of its results", name));
    }
    if (!blocks_add_up(file))
        problems.push_back(
            fmt::format("{} states numbers of points in blocks that its results do not add up to", name));
    if (auto const broken = search::first_broken_bound(file.store, file.store, file.columns.metrics.size()))
        problems.push_back(search::text_of(*broken, file.columns.metrics));
    return problems;
}

std::vector<Row> sample_rows(ResultFile const& file, std::size_t count, std::uint64_t seed) {
    std::vector<Row> rows = file.store.sorted();
    std::size_t const wanted = std::min(count, rows.size());
    for (std::size_t i = 0; i < wanted; ++i) {
        std::size_t const other =
            i + static_cast<std::size_t>(sim::mixed_bits(seed * sim::golden_step + i) % (rows.size() - i));
        std::swap(rows[i], rows[other]);
    }
    rows.resize(wanted);
    return rows;
}

}  // namespace pimdse::dse::store

#include "sim/noc/reference_rows.hpp"

#include "sim/base/csv_rows.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"
#include "sim/noc/closed_form.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <istream>
#include <map>

namespace pimdse::sim::noc {
namespace {

constexpr std::int32_t max_reference_side = 64;
constexpr double min_rate = 1e-6;  // flits per node and cycle

/// The cells of one line by column name.
class NamedFields {
  public:
    NamedFields(std::map<std::string, std::size_t> const& columns, std::vector<std::string> values, std::string place)
        : columns_(columns), values_(std::move(values)), place_(std::move(place)) {}

    [[nodiscard]] std::string text(std::string const& name) const {
        auto const at = columns_.find(name);
        return at != columns_.end() && at->second < values_.size() ? values_[at->second] : "";
    }
    [[nodiscard]] double number(std::string const& name) const {
        auto const value = text(name);
        auto const number = number_in<double>(value);
        if (number && std::isfinite(*number)) return *number;
        throw InputError("{}: '{}' of column {} is not a number", place_, value, name);
    }
    [[nodiscard]] std::int32_t whole(std::string const& name) const {
        double const value = number(name);
        if (value < 0.0 || value > 1e6 || value != std::floor(value))
            throw InputError("{}: {} = {} is not a count (a whole number from 0 to 10^6)", place_, name, value);
        return static_cast<std::int32_t>(value);
    }
    /// Checks the values of a modelled row that the network needs.
    void check_mesh() const {
        std::int32_t const side = whole("k");
        if (side < 1 || side > max_reference_side)
            throw InputError("{}: k = {} is out of range (1 to {})", place_, side, max_reference_side);
        if (whole("packet_flits") < 1) throw InputError("{}: packet_flits = 0 (it must be at least 1)", place_);
        if (auto const why = why_not(Mesh{side, side}, {.fifo_flits = whole("vc_buf_flits")}); !why.empty())
            throw InputError("{}: {}", place_, why);
        for (char const* rate : {"offered_flits_node_cycle", "accepted"}) {
            if (!(number(rate) >= min_rate))
                throw InputError("{}: {} = {} (it must be at least {})", place_, rate, number(rate), min_rate);
        }
    }

  private:
    std::map<std::string, std::size_t> const& columns_;
    std::vector<std::string> values_;
    std::string place_;
};

std::string why_not_modelled(NamedFields const& f) {
    if (f.text("topology") != "mesh" || f.whole("n") != 2) return "not a two-dimensional mesh";
    if (f.text("routing") != "dor") return "routing is not dimension-ordered";
    if (f.whole("num_vcs") != 1) return "more than one virtual channel";
    if (f.whole("speculative") != 0) return "speculative switch allocation";
    if (f.whole("routing_delay") != 0) return "a routing stage of its own";
    for (char const* delay : {"vc_alloc_delay", "sw_alloc_delay", "st_final_delay", "credit_delay", "link_delay"}) {
        if (f.whole(delay) != 1) return fmt::format("{} is not 1", delay);
    }
    auto const traffic = f.text("traffic");
    for (char const* known : {"uniform", "transpose", "bitcomp", "neighbor"}) {
        if (traffic == known) return "";
    }
    return fmt::format("traffic '{}'", traffic);
}

ReferenceRow read_row(NamedFields const& f, int line) {
    ReferenceRow row;
    row.line = line;
    row.not_modelled = why_not_modelled(f);
    row.request.packet_flits = f.whole("packet_flits");
    if (row.not_modelled.empty()) f.check_mesh();
    row.group = fmt::format("{} {}x{} {} {}", f.text("config"), f.text("k"), f.text("k"), f.text("traffic"),
                            row.request.packet_flits);
    row.request.mesh = {f.whole("k"), f.whole("k")};
    row.request.timing.fifo_flits = f.whole("vc_buf_flits");
    row.request.load = f.number("offered_flits_node_cycle");
    row.stable = f.text("status") == "stable";
    row.accepted = f.number("accepted");
    if (row.not_modelled.empty()) row.request.traffic = traffic_named(f.text("traffic"));
    if (!row.stable) return row;
    row.latency = f.number("pkt_latency");
    row.routers = f.number("avg_routers_per_path");
    return row;
}

/// The request of a run that is long enough for `packets` packets, within limits. Runs above saturation, of which only
/// the throughput is compared, have a fixed length. Stable rows are simulated at the load that the reference accepted,
/// which is random around the offered one.
OpenLoop sized(ReferenceRow const& row, std::int64_t packets) {
    OpenLoop request = row.request;
    if (row.stable) request.load = std::min(row.accepted, static_cast<double>(request.packet_flits));
    double const per_cycle = request.mesh.nodes() * request.load / request.packet_flits;
    request.measured =
        std::clamp<Cycle>(static_cast<Cycle>(static_cast<double>(packets) / per_cycle), 50'000, 20'000'000);
    request.warmup = 20'000;
    request.seed = static_cast<std::uint64_t>(row.line);  // any seed that does not depend on other rows
    if (!row.stable) {
        request.measured = 100'000;
        request.patience = 0;  // do not wait for packets that were in flight at the end
    }
    return request;
}

/// Above half of saturation a long run contains rare jams that mostly do not occur in short runs, such as those of the
/// reference. So this returns the run with the median latency among nine runs of the usual length of the reference.
OpenLoopResult middle_of_short_runs(OpenLoop request) {
    constexpr std::size_t count = 9;
    request.measured = std::min<Cycle>(request.measured, 50'000);
    std::vector<OpenLoopResult> runs;
    std::int64_t cycles = 0;
    for (std::size_t i = 0; i < count; ++i) {
        runs.push_back(run(request));
        cycles += runs.back().cycles;
        request.seed = hashed(request.seed, i);
    }
    // Latencies are compared at equal mean distance, as in check(): less the hops of the run's own mean route.
    auto const per_hop = static_cast<double>(closed_form::per_hop(request.timing));
    auto const beyond_the_route = [&](OpenLoopResult const& run) {
        return run.latency.value_or(0.0) - per_hop * run.hops.value_or(0.0);
    };
    std::sort(runs.begin(), runs.end(),
              [&](auto const& a, auto const& b) { return beyond_the_route(a) < beyond_the_route(b); });
    runs[count / 2].cycles = cycles;
    return runs[count / 2];
}

/// Saturated throughput of every group: that of the reference or, if the group has no overloaded row, that of the
/// closed form.
std::map<std::string, double> saturation(std::vector<ReferenceRow> const& rows) {
    std::map<std::string, std::pair<double, int>> seen;
    for (auto const& row : rows) {
        auto& [sum, count] = seen[row.group];
        if (row.stable || !row.not_modelled.empty()) continue;
        sum += row.accepted;
        ++count;
    }
    std::map<std::string, double> result;
    for (auto const& row : rows) {
        if (!row.not_modelled.empty() || result.contains(row.group)) continue;
        auto const& [sum, count] = seen[row.group];
        result[row.group] = count > 0 ? sum / count : saturation_load(row.request);
    }
    return result;
}

/// Relative error that is allowed at this share of saturation; nullopt above 85 %, where latencies of short runs
/// scatter too much to be compared.
std::optional<double> band_of(ReferenceRow const& row, double share) {
    if (!row.stable) return 0.05;
    if (share <= 0.5) return 0.015;
    return share <= 0.85 ? std::optional(0.03) : std::nullopt;
}

}  // namespace

std::vector<ReferenceRow> read_reference_rows(std::istream& csv, std::string const& file) {
    std::string text;
    std::map<std::string, std::size_t> columns;
    if (std::getline(csv, text)) {
        auto const names = csv_cells(without_byte_order_mark(text));
        for (std::size_t i = 0; i < names.size(); ++i) columns.emplace(names[i], i);
    }
    for (char const* name :
         {"config", "topology", "k", "n", "routing", "num_vcs", "vc_buf_flits", "speculative", "traffic",
          "packet_flits", "offered_flits_node_cycle", "status", "pkt_latency", "accepted", "avg_routers_per_path"}) {
        if (!columns.contains(name))
            throw InputError("{}:1: column '{}' is missing (these are the columns of noc_latency.csv)", file, name);
    }
    std::vector<ReferenceRow> rows;
    for (int line = 2; std::getline(csv, text); ++line) {
        if (text.empty() || text == "\r") continue;
        rows.push_back(read_row(NamedFields(columns, csv_cells(text), fmt::format("{}:{}", file, line)), line));
    }
    return rows;
}

std::vector<RowCheck> check(std::vector<ReferenceRow> const& rows, std::int64_t packets) {
    auto const saturated_at = saturation(rows);
    std::vector<RowCheck> checks(rows.size());
    tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
        auto const& row = rows[i];
        if (!row.not_modelled.empty()) return;
        auto& c = checks[i];
        c.saturation_share = row.request.load / saturated_at.at(row.group);
        auto const ours = row.stable && c.saturation_share > 0.5 ? middle_of_short_runs(sized(row, packets))
                                                                 : run(sized(row, packets));
        c.band = band_of(row, c.saturation_share);
        c.latency = ours.latency.value_or(0.0);  // if no packet arrived, the error is 100 %
        c.accepted = ours.accepted;
        c.throughput_error = ours.accepted / row.accepted - 1.0;
        c.router_cycles = ours.cycles * row.request.mesh.nodes();
        if (row.stable) {
            // Compare at equal mean distance, which removes a random effect of short runs.
            auto const per_hop = static_cast<double>(closed_form::per_hop(row.request.timing));
            c.expected_latency = row.latency + per_hop * (ours.hops.value_or(row.routers - 1.0) + 1.0 - row.routers);
            c.latency_error = c.latency / c.expected_latency - 1.0;
        }
        c.within = !c.band || std::abs(row.stable ? c.latency_error : c.throughput_error) <= *c.band;
    });
    return checks;
}

}  // namespace pimdse::sim::noc

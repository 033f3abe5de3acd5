// Fits the five service times of models/cim_mesh/constants.toml to the times of the PRIMAL rows of two models, which is
// all that was ever fitted, by least squares of relative errors over tolerances; prints them beside those of the file,
// what is counted on the mesh, and what is left of every row.
//
//   bench_cim_mesh_refit

#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/published.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::models::cim_mesh::test {
namespace {

struct Fitted {
    char const* name;
    double MachineConstants::*member;
};
constexpr std::array fitted{
    Fitted{"hop_service", &MachineConstants::hop_service}, Fitted{"score_service", &MachineConstants::score_service},
    Fitted{"distance_service", &MachineConstants::distance_service},
    Fitted{"prefill_vectors", &MachineConstants::prefill_vectors}, Fitted{"lora_fixed", &MachineConstants::lora_fixed}};
constexpr std::size_t unknowns = fitted.size();
using Column = std::array<double, unknowns>;

/// A published time of a point; less another, where the difference of two rows says more than either.
struct Row {
    std::string name;
    double value, tolerance;
    std::string metric;
    std::shared_ptr<Given const> given;  ///< a design points into its own tables: never copied
    std::shared_ptr<Given const> less;

    [[nodiscard]] double ratio(MachineConstants const& machine) const {
        return (time(machine, *given) - (less ? time(machine, *less) : 0.0)) / value;
    }

  private:
    [[nodiscard]] double time(MachineConstants const& machine, Given const& at) const {
        Memory const none;
        auto const kinds = kinds_of(at.design, machine.value_bits);
        auto const floors = layout(machine, none, kinds, Fidelity::analytic);
        CyclesOfKinds first, later;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            PlacedKind const kind(machine, kinds[i], floors[i], Fidelity::analytic);
            first.push_back(sum_of(kind.parts(first_pass(kind.design())).parts));
            later.push_back(sum_of(kind.parts(later_pass(machine, kind.design())).parts));
        }
        auto const all = times_of(machine, kinds, first, later);
        return metric == "ttft" ? all.ttft.value : all.rest.value / static_cast<double>(at.design.output - 1);
    }
};

bool is_fitted_on(PublishedFigure const& figure) {
    if (figure.fidelity != "analytic" || (figure.metric != "ttft" && figure.metric != "itl")) return false;
    for (auto const& [name, value] : figure.set) {
        if (name == "llm" && (value == "llama-3.2-1b" || value == "llama-2-13b"))
            return figure.source.starts_with("PRIMAL");
    }
    return false;
}

/// The same point with adapters on q alone; none for such a point.
std::optional<Settings> on_q_alone(PublishedFigure const& figure) {
    auto set = figure.set;
    for (auto& [name, value] : set) {
        if (name != "lora_targets" || value == "q") continue;
        value = "q";
        return Settings(set);
    }
    return std::nullopt;
}

/// The rows, and what the second adapter adds to each: small beside a row, and all that is known of its service.
std::vector<Row> rows() {
    constexpr double difference_tolerance = 0.2;
    std::vector<Row> rows, differences;
    for (auto const& figure : load_published("cim_mesh")) {
        if (!is_fitted_on(figure)) continue;
        auto const given = std::make_shared<Given const>(Settings(figure.set));
        if (auto const q = on_q_alone(figure)) {
            auto const base = std::find_if(rows.begin(), rows.end(), [&](Row const& row) {
                return row.metric == figure.metric && row.given->point == Given(*q).point;
            });
            sim::expects(base != rows.end(), "a row with adapters on q stands before that on q and v");
            differences.push_back({"more for v: " + figure.name, figure.value - base->value, difference_tolerance,
                                   figure.metric, given, base->given});
        }
        rows.push_back({figure.name, figure.value, figure.tolerance, figure.metric, given, nullptr});
    }
    rows.insert(rows.end(), differences.begin(), differences.end());
    return rows;
}

/// Solves a system of normal equations by elimination; it is small and definite.
Column solve(std::array<Column, unknowns> a, Column b) {
    for (std::size_t i = 0; i < unknowns; ++i) {
        for (std::size_t k = i + 1; k < unknowns; ++k) {
            double const share = a[k][i] / a[i][i];
            for (std::size_t j = i; j < unknowns; ++j) a[k][j] -= share * a[i][j];
            b[k] -= share * b[i];
        }
    }
    for (std::size_t i = unknowns; i-- > 0;) {
        for (std::size_t j = i + 1; j < unknowns; ++j) b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
    return b;
}

/// One step of Gauss and Newton; times are linear in each service, so that two or three are enough.
MachineConstants improved(MachineConstants const& machine, std::vector<Row> const& rows) {
    constexpr double step = 1e-4;
    std::array<Column, unknowns> normal{};
    Column right{};
    for (auto const& row : rows) {
        double const now = row.ratio(machine);
        Column slope{};
        for (std::size_t i = 0; i < unknowns; ++i) {
            auto moved = machine;
            moved.*fitted[i].member += step;
            slope[i] = (row.ratio(moved) - now) / step;
        }
        double const weight = 1.0 / (row.tolerance * row.tolerance);
        for (std::size_t i = 0; i < unknowns; ++i) {
            for (std::size_t j = 0; j < unknowns; ++j) normal[i][j] += weight * slope[i] * slope[j];
            right[i] += weight * slope[i] * (1.0 - now);
        }
    }
    auto const by = solve(normal, right);
    auto better = machine;
    for (std::size_t i = 0; i < unknowns; ++i) better.*fitted[i].member += by[i];
    return better;
}

void print_counts(char const* model) {
    Placed const placed({{"llm", model}, {"input", "1024"}, {"output", "1024"}});
    auto const& given = placed.given;
    auto const& c = placed.counts;
    fmt::print("{:13} {:8} {:9.0f} {:6.0f} {:6.0f} {:9.2f} {:9.2f} {:9.2f}\n", model, given.parts.token_adds,
               c.chain_borders, c.fill, c.walk_back, placed.layer.holder_routes(placed.layer.max_owners()).mean,
               c.busiest_router, c.prompt_link / placed.program.flits());
}

}  // namespace

int refit() {
    auto const all = rows();
    auto const given = load_constants();
    auto found = given;
    for (int i = 0; i < 6; ++i) found = improved(found, all);
    fmt::print("counted       additions  borders routes   back  keys away    router      link (vectors)\n");
    for (char const* model : {"llama-3.2-1b", "llama-3-8b", "llama-2-13b"}) print_counts(model);
    fmt::print("\nservice time          fitted    constants.toml\n");
    for (auto const& f : fitted) fmt::print("{:18} {:10.4f} {:10.4f}\n", f.name, found.*f.member, given.*f.member);
    fmt::print("\n{:46} {:>11} {:>15}\n", "row", "refitted", "constants.toml");
    double worst = 0.0;
    for (auto const& row : all) {
        double const error = row.ratio(found) - 1.0;
        if (!row.less) worst = std::max(worst, std::abs(error));
        fmt::print("{:46} {:+9.2f} % {:+13.2f} %\n", row.name, 100 * error, 100 * (row.ratio(given) - 1.0));
    }
    fmt::print("\n{} rows and differences, worst row {:.2f} %\n", all.size(), 100 * worst);
    return 0;
}

}  // namespace pimdse::models::cim_mesh::test

int main() { return pimdse::models::cim_mesh::test::refit(); }

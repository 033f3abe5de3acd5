#pragma once

#include "dse/cli/run_summary.hpp"
#include "dse/report/standing.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/uncertain/machine_flips.hpp"
#include "sim/base/json.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {

/// The best design of a machine, or why it has none.
struct BestDesign {
    std::string machine;
    std::uint64_t designs = 0, feasible = 0;
    std::optional<search::Row> best{};
    std::optional<search::Row> roomy{};  ///< if `best` leaves less than room_share to a limit: the best that leaves it
    std::vector<std::string> asked{};    ///< parameters of the machine that are worth asking
    std::string reason{};  ///< of a machine without a feasible design: its nearest miss, or what most designs break
};

/// Of a limit: what a design that is near none leaves of it.
inline constexpr double room_share = 0.2;

/// What a run of a question found: the best design of each machine. The run must outlive it.
class Recommendation {
  public:
    /// `figures`: names of metrics, the objective first; other names are left out. Of designs that are equal in the
    /// objective (up to search::equal_share) that counts which is better in the next figure, of those equal in it too
    /// in the one after it: no equal design is better in every figure. `limits`: conditions on metrics that designs
    /// meet beside those of the space, such as "ttft_p99 <= 1.5 s".
    Recommendation(RunSummary const& run, std::vector<std::string> figures, std::vector<std::string> limits);

    [[nodiscard]] std::vector<std::string> const& figures() const { return figures_; }

    [[nodiscard]] std::span<BestDesign const> candidates() const { return candidates_; }
    /// Positions of candidates, the best first, those without a design last.
    [[nodiscard]] std::vector<std::size_t> const& order() const { return order_; }
    [[nodiscard]] BestDesign const* winner() const;
    [[nodiscard]] bool proved() const { return run_.complete && run_.failed == 0; }
    [[nodiscard]] space::Columns const& columns() const { return columns_; }

    /// The value of a metric of a candidate's best design; nullopt if it does not apply or is unknown.
    [[nodiscard]] std::optional<models::Estimate> value(BestDesign const& one, std::string_view name) const;
    /// The same in words, with its unit; "" without a value.
    [[nodiscard]] std::string shown(BestDesign const& one, std::string_view name) const;
    /// With the interval in which a finer fidelity would be: "119 ms (at least 45 ms)"; an end without a bound is left
    /// out.
    [[nodiscard]] std::string with_interval(BestDesign const& one, std::string_view name) const;
    /// The parameters of the best design for which the machine had several values, as NAME and value.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> design(BestDesign const& one,
                                                                          bool all_axes = false) const;
    /// "device h100, weights int8": without devices, copies and what a scheduler has.
    [[nodiscard]] std::string in_words(BestDesign const& one) const;
    /// A parameter that is a number, such as `devices`; 1 if the machine does not have it.
    [[nodiscard]] std::uint64_t count(BestDesign const& one, std::string_view parameter) const;
    /// Id of the best design.
    [[nodiscard]] std::uint64_t point(BestDesign const& one) const;
    /// What the cost of a machine is: the "price" of a product, which its metric says, or a "bill" of materials.
    [[nodiscard]] std::string_view cost_basis(BestDesign const& one) const;
    /// What the result rests on: the assumptions, and who multiplies what if the machines differ in it.
    [[nodiscard]] std::string rests_on() const;
    /// How far the best design is from each limit: those of the space, then the others.
    [[nodiscard]] std::vector<report::Margin> margins(BestDesign const& one) const;
    /// "meets peak_power <= 3 W by its estimate, not by its upper bound": limits within an interval.
    [[nodiscard]] std::vector<std::string> close_limits(BestDesign const& one) const;
    /// The command that evaluates the best design.
    [[nodiscard]] std::string command(BestDesign const& one) const;
    /// The machines that have a best design, in order(), with the objective, and these designs, followed by those with
    /// room. At least one machine has one.
    [[nodiscard]] std::pair<space::Space, std::vector<uncertain::Finalist>> finalists() const;
    [[nodiscard]] space::Machine const& machine_of(BestDesign const& one) const;

  private:
    [[nodiscard]] std::string products(BestDesign const& one) const;
    [[nodiscard]] int metric_of(std::string_view name) const;
    void judge();
    void take_best_of_equal();
    [[nodiscard]] std::optional<search::Row> best_with_room(std::size_t m) const;
    /// A machine with all limits on its designs.
    [[nodiscard]] space::Machine limited(space::Machine machine) const;
    [[nodiscard]] std::vector<report::Margin> margins(space::Machine const& limited, search::Row row) const;
    [[nodiscard]] std::vector<models::Value> values_of(search::Row row) const {
        return run_.space->point(run_.store->task(row).point);
    }
    [[nodiscard]] std::string nearest_miss(std::size_t m, std::vector<search::Row> missed) const;
    /// The value of a metric of a row, minimised; infinite without a value.
    [[nodiscard]] double minimised(search::Row row, std::size_t metric) const;
    [[nodiscard]] bool has_better_figures(search::Row a, search::Row b) const;
    [[nodiscard]] bool beats(search::Row a, search::Row b) const;
    [[nodiscard]] bool is_better(std::size_t a, std::size_t b) const;

    RunSummary const& run_;
    space::Columns columns_;
    std::vector<std::string> figures_, limits_;
    std::size_t objective_ = 0;
    std::vector<BestDesign> candidates_;
    std::vector<std::size_t> order_;
};

/// What draws of uncertain constants say of the best designs.
struct Doubt {
    std::optional<double> share{};  ///< of the draws in which the winning machine stays; nullopt: there were none
    double design_share = 0.0;      ///< in which its design is the best, too
    std::uint64_t draws = 0;
    std::vector<std::string> flips{};  ///< the three nearest constants that turn the result, in words
    sim::Json flips_json = sim::Json::array();
};

/// Of Recommendation::finalists().
[[nodiscard]] Doubt doubt_of(space::Space const& machines, std::vector<uncertain::Finalist> const& designs,
                             uncertain::Uncertainty const& uncertainty, uncertain::FinalistWatch const& watch);

}  // namespace pimdse::dse::cli

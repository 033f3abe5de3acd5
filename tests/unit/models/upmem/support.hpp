#pragma once

#include "models/contract/validation.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/upmem.hpp"

#include <gtest/gtest.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace pimdse::models::upmem {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The architecture as a user meets it: parameters as text, metrics by name.
class Upmem {
  public:
    Upmem() : row_(architecture()), inputs_(prepare(row_, row_.parameters())) {}

    [[nodiscard]] std::vector<Value> point(Settings const& settings) const {
        auto parameters = inputs_.parameters;
        return point_with(parameters, settings);
    }
    [[nodiscard]] Outcome outcome(Settings const& settings, Fidelity fidelity = Fidelity::analytic) const {
        return row_.evaluate(inputs_, point(settings), fidelity);
    }
    [[nodiscard]] Estimate estimate(Settings const& settings, std::string const& metric,
                                    Fidelity fidelity = Fidelity::analytic) const {
        auto const result = outcome(settings, fidelity);
        if (auto const* verdict = std::get_if<Infeasible>(&result)) {
            ADD_FAILURE() << verdict->rule << ": " << verdict->reason;
            return {};
        }
        int const at = find_metric(row_.metrics(), metric);
        EXPECT_GE(at, 0) << metric;
        return std::get<Metrics>(result)[static_cast<std::size_t>(at)];
    }
    [[nodiscard]] double value(Settings const& settings, std::string const& metric,
                               Fidelity fidelity = Fidelity::analytic) const {
        return estimate(settings, metric, fidelity).value;
    }
    /// The reason why a point cannot exist, prefixed by its rule; "" if it can.
    [[nodiscard]] std::string refusal(Settings const& settings) const {
        auto const result = outcome(settings);
        auto const* verdict = std::get_if<Infeasible>(&result);
        return verdict == nullptr ? "" : verdict->rule + ": " + verdict->reason;
    }
    [[nodiscard]] Architecture const& row() const { return row_; }
    [[nodiscard]] Inputs const& inputs() const { return inputs_; }

  private:
    Architecture row_;
    Inputs inputs_;
};

inline Upmem const& upmem() {
    static Upmem const machine;
    return machine;
}

/// Its constants as an evaluation finds them.
inline Prepared const& prepared() { return upmem().inputs().as<Prepared>(); }

inline Design read_design(Point point) { return read_design(prepared(), point); }

/// Rows of a CSV file of the test data, by column name; lines that start with # are comments.
inline std::vector<std::map<std::string, std::string>> rows_of(std::string const& name) {
    std::ifstream file(std::string(PIMDSE_TEST_DATA) + "/upmem/" + name);
    EXPECT_TRUE(file.good()) << name;
    std::vector<std::map<std::string, std::string>> rows;
    std::vector<std::string> columns;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::vector<std::string> cells;
        std::istringstream stream(line);
        for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        cells.resize(columns.size());
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells[i];
    }
    return rows;
}

}  // namespace pimdse::models::upmem

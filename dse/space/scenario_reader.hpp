#pragma once

#include "dse/space/scenarios.hpp"
#include "models/contract/toml_file.hpp"

#include <toml++/impl/forward_declarations.h>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace pimdse::dse::space {

/// Reads [[scenario]], [aggregate] and [baseline] of a space file for an architecture with these parameters. A list in
/// a [[scenario]] table makes several scenarios. `file`: the name of the file in messages; every mistake is added to
/// `mistakes`. `tables`: the metrics of the machine's tables.
class ScenarioReader {
  public:
    ScenarioReader(models::Architecture const& architecture, std::string file, std::vector<std::string>& mistakes,
                   models::Assumptions assumptions, models::MetricList tables = {})
        : architecture_(architecture),
          file_(std::move(file)),
          mistakes_(mistakes),
          assumptions_(std::move(assumptions)) {
        parts_.tables = std::move(tables);
    }

    /// Whether a scenario of the file has traffic, so that the parameters of the machine contain those of the
    /// scheduler.
    [[nodiscard]] static bool finds_traffic(toml::table const& content);
    /// Texts that an open choice accepts are appended to the choices of `parameters`.
    [[nodiscard]] Scenarios read(toml::table const& content, models::Parameters& parameters);

  private:
    using Report = std::function<void(toml::node const&, std::string const&)>;
    void mistake(toml::node const& at, std::string const& sentence);
    [[nodiscard]] std::vector<WrittenScenario> works_in(toml::table const& scenario);
    [[nodiscard]] std::vector<std::string> texts_of(std::string_view key, toml::node const& node);
    void add_keys(std::string const& name, toml::table const& table, std::vector<std::string> const& keys,
                  std::vector<WrittenScenario>& works);
    void add_tables(models::TableReader& scenario, std::vector<WrittenScenario>& works);
    void report_traffic(WrittenScenario const& work, toml::table const& table, Report const& report);
    void read_list(toml::node const& node, models::Parameters& parameters);
    void read_scenario(toml::table const& table, models::Parameters& parameters);
    void report_by_key(WrittenScenario const& work, toml::table const& table, models::Parameters& parameters,
                       Report const& report);
    void read_aggregates(toml::node const& node, models::MetricList const& metrics);
    void read_baseline(toml::node const& node, models::Parameters& parameters);

    models::Architecture const& architecture_;
    std::string file_;
    std::vector<std::string>& mistakes_;
    models::Assumptions assumptions_;
    Scenarios::Parts parts_;
    std::set<std::string> reported_;  ///< mistakes in single scenarios
};

}  // namespace pimdse::dse::space

#pragma once

#include "dse/space/machine_reader.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// The readers of all machines of a space file: one architecture named at the root of the file, or one for each
/// [[machine]] table.
class MachineReaders {
  public:
    /// `file`: the name of the file in messages; `mistakes` must outlive this object.
    MachineReaders(std::string file, std::vector<std::string>& mistakes)
        : file_(std::move(file)), mistakes_(mistakes) {}

    /// Reads the assumptions shared by all machines; must be called before `find`. Without [assumptions], a single
    /// machine uses its own, and several machines use models::common_assumptions.
    void read_assumptions(toml::table const& content);
    /// Sets one assumption from a command-line flag; must be called before `find`.
    void assume(std::string const& key, std::string const& text, std::string const& where);
    /// Takes the tables of the file; must be called before `find`.
    void take_tables(std::vector<WrittenTable> tables) { written_tables_ = std::move(tables); }
    /// Finds the machines and reads their scenarios; false if the scenarios have mistakes. Throws InputError with all
    /// mistakes if the rest of the file cannot be understood without the machines.
    [[nodiscard]] bool find(toml::table const& content, models::TableReader& root);
    void read_workload(toml::table const& table);
    /// `of_one`: the parameters at the root of the file; may be nullptr.
    void read_parameters(toml::table const* of_one);
    /// `parameter`: "channels", or "umdam.channels" if the file has [[machine]] tables.
    void apply(std::string const& parameter, toml::node const& value, std::string const& where);
    /// Finishes all machines and relates the rows of tables to them.
    void finish(MachineReader::Notes& notes, std::vector<std::string>& remarks);

    /// Whether the file has [[machine]] tables.
    [[nodiscard]] bool several() const { return !tables_.empty(); }
    /// The reader of the machine with this name; "" means the only machine. Throws InputError.
    [[nodiscard]] MachineReader& called(std::string_view name);
    [[nodiscard]] std::vector<models::Architecture const*> architectures() const;
    /// The metrics of each machine and of its tables, without those of scenarios.
    [[nodiscard]] std::vector<models::MetricList> own_metrics() const;
    /// Metrics that every machine has.
    [[nodiscard]] models::MetricList common_metrics() const;
    /// Throws InputError if some machine lacks this metric or has it with another unit.
    void need_common(std::string const& metric) const;
    /// The reason why this metric does not apply to any point of some machine; "" if it applies to some points of every
    /// machine. `machine`: check this one only.
    [[nodiscard]] std::string why_never(std::string_view metric, std::string_view machine = "") const;
    /// Adds a constraint on metrics that all machines have. Throws InputError.
    void add_constraint(std::string const& name, std::string const& text);
    [[nodiscard]] std::vector<Machine> take();

  private:
    void add(models::TableReader& table, std::string name);
    void report_architecture(models::TableReader& table, std::string const& architecture, sim::InputError const& error);
    [[nodiscard]] static std::string architecture_in(models::TableReader& table);
    void find_several(toml::node const& machines, models::TableReader& root);
    void find_one_of_several(toml::table const& table);
    void declare_tables();
    void check_size();
    [[nodiscard]] std::vector<std::string> names() const;

    std::string file_;
    std::vector<std::string>& mistakes_;
    models::Assumptions assumptions_;
    std::vector<toml::table const*> tables_;  ///< the [[machine]] tables
    std::vector<WrittenTable> written_tables_;
    std::vector<std::unique_ptr<MachineReader>> readers_;
};

}  // namespace pimdse::dse::space

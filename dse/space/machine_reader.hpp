#pragma once

#include "dse/space/machine.hpp"
#include "dse/space/metric_table.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"

#include <toml++/impl/forward_declarations.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// Requests of a space file to enumerate the classes of a parameter. Classes are enumerated when all other axes are
/// known. The constructor's arguments must outlive this object.
class ClassRequests {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;
    ClassRequests(Machine& machine, Notes& notes, std::vector<std::string>& mistakes)
        : machine_(machine), notes_(notes), mistakes_(mistakes) {}

    /// If the node requests classes, records the request and returns true.
    bool take(models::Parameter const& parameter, toml::node const& node, std::string const& where);
    /// Drops the request for the parameter with this index, if there is one.
    void forget(int parameter);
    /// Replaces requests by axes of classes and counts orderings; `given`: the parameters that the file sets.
    void expand(std::set<int> const& given);

  private:
    struct Request {
        models::ClassRequest what;
        std::string where;
    };
    void expand(Request const& request, std::set<int> const& given);
    void count_orderings(std::size_t parameter, std::set<int> const& given);
    [[nodiscard]] models::AxisValues values_given(std::set<int> const& given) const;
    void note(models::Parameter const& parameter, models::Classes const& found);

    Machine& machine_;
    Notes& notes_;
    std::vector<std::string>& mistakes_;
    std::vector<Request> requests_;
};

/// Reads the part of a space file that describes one machine. Continues after a mistake so that all mistakes are
/// reported at once.
class MachineReader {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;

    /// `file`: the name of the file in messages; `mistakes` must outlive this object.
    MachineReader(models::Architecture const& architecture, std::string name, std::string file,
                  std::vector<std::string>& mistakes, models::Assumptions assumptions);
    MachineReader(MachineReader const&) = delete;
    MachineReader& operator=(MachineReader const&) = delete;

    /// Takes the parameters of the machine, each with its default; `traffic`: those of a scheduler, too.
    void take_parameters(bool traffic);
    /// Sets the user's own file of constants, see models::Constants.
    void take_constants(std::string file) { machine_.inputs.options.constants = std::move(file); }
    /// Declares a table of the machine, whose metrics the rest of the file may name. Must be called before the
    /// scenarios are read.
    void declare(WrittenTable const& table);
    /// Reads the scenarios. Must be called first, because the parameters that they set are then fixed. Returns false if
    /// there were mistakes.
    [[nodiscard]] bool read_scenarios(toml::table const& content);
    /// Reads the values of parameters; a workload may only contain keys that every architecture knows.
    void read_workload(toml::table const& table);
    void read_parameters(toml::table const& table);
    /// Replaces the file's values of a parameter by those of a command-line flag.
    void apply(std::string const& parameter, toml::node const& value, std::string const& where);
    /// Enumerates requested classes, adds notes about the result, and adds remarks about settings that may not be
    /// intended.
    void finish(Notes& notes, std::vector<std::string>& remarks);
    /// Relates the rows of declared tables to the values of all parameters; `one_of_several`: the space has several
    /// machines. To be called after finish().
    void bind_tables(bool one_of_several, std::vector<std::string>& remarks);
    /// Adds a constraint. Throws InputError.
    void add_constraint(std::string const& name, std::string const& text, models::Parameters const& parameters);
    /// Prepares the model inputs and returns the machine; nothing may be read afterwards.
    [[nodiscard]] Machine take();
    [[nodiscard]] Machine const& machine() const { return machine_; }

  private:
    [[nodiscard]] bool begins_names(std::string const& prefix) const;
    void set_axis(std::string_view key, toml::node const& node, std::string const& where);
    void bind_table(WrittenTable const& table, bool one_of_several, std::vector<std::string>& remarks);
    [[nodiscard]] bool varies(std::size_t parameter) const;
    void add_mistake(std::string sentence);

    std::string file_;
    std::vector<std::string>& mistakes_;
    Machine machine_;
    std::set<int> given_;
    Notes notes_;
    std::vector<WrittenTable> tables_;
    std::map<int, std::string> remarks_;  ///< by parameter index
    ClassRequests classes_{machine_, notes_, mistakes_};
};

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

#pragma once

#include "dse/space/machine.hpp"
#include "dse/space/metric_table.hpp"
#include "models/contract/architecture.hpp"

#include <toml++/impl/forward_declarations.h>
#include <map>
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

}  // namespace pimdse::dse::space

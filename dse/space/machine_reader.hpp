#pragma once

#include "dse/space/machine.hpp"
#include "models/contract/toml_file.hpp"

#include <toml++/toml.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// Parameters of which a space file asks for classes, which are enumerated when all other axes are known; what it is
/// made of must live as long.
class ClassRequests {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;
    ClassRequests(Machine& machine, Notes& notes, std::vector<std::string>& mistakes)
        : machine_(machine), notes_(notes), mistakes_(mistakes) {}

    /// Whether the node asks for classes, which is then remembered.
    bool take(models::Parameter const& parameter, toml::node const& node, std::string const& where);
    /// What was asked of the parameter with this index, if anything.
    void forget(int parameter);
    /// Makes axes of the classes and counts orderings; `given`: the parameters that the file speaks of.
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

/// Reads what a space file says of one machine; keeps going after a mistake so that all are reported at once.
class MachineReader {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;

    /// `file` stands for the file in messages; `mistakes` must live as long.
    MachineReader(models::Architecture const& architecture, std::string name, std::string file,
                  std::vector<std::string>& mistakes, models::Assumptions assumptions);
    MachineReader(MachineReader const&) = delete;
    MachineReader& operator=(MachineReader const&) = delete;

    /// A file of the user's own, see models::Constants.
    void take_constants(std::string file) { machine_.inputs.options.constants = std::move(file); }
    /// What scenarios decide is fixed before anything else is read. False: there were mistakes.
    [[nodiscard]] bool read_scenarios(toml::table const& content);
    /// Parameters and what they take; of a workload only keys that every architecture knows.
    void read_workload(toml::table const& table);
    void read_parameters(toml::table const& table);
    /// What a flag says of a parameter instead of the file.
    void apply(std::string const& parameter, toml::node const& value, std::string const& where);
    /// Makes axes of the classes that were asked for, and notes of what became of them; says what may not be meant.
    void finish(Notes& notes, std::vector<std::string>& remarks);
    /// Adds a condition, or mistakes.
    void add_constraint(std::string const& name, std::string const& text, models::Parameters const& parameters);
    /// Binds everything; nothing may be read afterwards.
    [[nodiscard]] Machine take();
    [[nodiscard]] Machine const& machine() const { return machine_; }

  private:
    void set_axis(std::string_view key, toml::node const& node, std::string const& where);

    std::string file_;
    std::vector<std::string>& mistakes_;
    Machine machine_;
    std::set<int> given_;
    Notes notes_;
    std::map<int, std::string> remarks_;  ///< by parameter
    ClassRequests classes_{machine_, notes_, mistakes_};
};

/// The readers of the machines of a space file: one architecture that the file names at its root, or each [[machine]].
class MachineReaders {
  public:
    /// `file` stands for the file in messages; `mistakes` must live as long, as must what is read.
    MachineReaders(std::string file, std::vector<std::string>& mistakes)
        : file_(std::move(file)), mistakes_(mistakes) {}

    /// What every machine is assumed to stand on; before `find`. Nothing said: as one machine describes itself, and
    /// models::common_assumptions of several.
    void read_assumptions(toml::table const& content);
    /// One of them, as a flag says it; before `find`.
    void assume(std::string const& key, std::string const& text, std::string const& where);
    /// Finds the machines, and what scenarios ask of them; false where it is not known what they ask. Throws InputError
    /// with all mistakes where nothing else can be understood after them.
    [[nodiscard]] bool find(toml::table const& content, models::TableReader& root);
    void read_workload(toml::table const& table);
    /// `of_one`: the parameters at the root of the file; may be none.
    void read_parameters(toml::table const* of_one);
    /// "channels", or "umdam.channels" where there are [[machine]]s.
    void apply(std::string const& parameter, toml::node const& value, std::string const& where);
    void finish(MachineReader::Notes& notes, std::vector<std::string>& remarks);

    /// Whether the file has [[machine]]s.
    [[nodiscard]] bool several() const { return !tables_.empty(); }
    /// The one with this name, or "" for the only one. Throws InputError.
    [[nodiscard]] MachineReader& called(std::string_view name);
    [[nodiscard]] std::vector<models::Architecture const*> architectures() const;
    /// Metrics that every machine has.
    [[nodiscard]] models::MetricList common_metrics() const;
    /// Throws InputError for a metric that some machine lacks or means otherwise.
    void need_common(std::string const& metric) const;
    /// Why some machine has this metric for none of its points; "" if all have it for some. Of one machine, or of all.
    [[nodiscard]] std::string why_never(std::string_view metric, std::string_view machine = "") const;
    /// Adds a condition on what all machines share. Throws InputError.
    void add_constraint(std::string const& name, std::string const& text);
    [[nodiscard]] std::vector<Machine> take();

  private:
    void add(models::TableReader& table, std::string name);
    void find_several(toml::node const& machines, models::TableReader& root);
    void find_one_of_several(toml::table const& table);
    void check_size();
    [[nodiscard]] std::vector<std::string> names() const;

    std::string file_;
    std::vector<std::string>& mistakes_;
    models::Assumptions assumptions_;
    std::vector<toml::table const*> tables_;
    std::vector<std::unique_ptr<MachineReader>> readers_;
};

}  // namespace pimdse::dse::space

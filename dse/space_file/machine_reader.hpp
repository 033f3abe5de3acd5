#pragma once

#include "dse/space/machine.hpp"
#include "dse/space_file/class_requests.hpp"

#include <toml++/toml.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space_file {

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
    [[nodiscard]] space::Machine take();
    [[nodiscard]] space::Machine const& machine() const { return machine_; }

  private:
    void set_axis(std::string_view key, toml::node const& node, std::string const& where);

    std::string file_;
    std::vector<std::string>& mistakes_;
    space::Machine machine_;
    std::set<int> given_;
    Notes notes_;
    std::map<int, std::string> remarks_;  ///< by parameter
    ClassRequests classes_{machine_, notes_, mistakes_};
};

}  // namespace pimdse::dse::space_file

#pragma once

#include "dse/space_file/machine_reader.hpp"
#include "models/contract/toml_file.hpp"

#include <toml++/toml.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space_file {

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
    [[nodiscard]] std::vector<space::Machine> take();

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

}  // namespace pimdse::dse::space_file

// What coarse results cost and how far they can be trusted: random designs at every fidelity against cycle level. Exit
// code 8 if an interval is left or a design is feasible at one level only.
#include "draw.hpp"
#include "dse/space/space_reader.hpp"
#include "models/catalogue.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"
#include "tally.hpp"

#include <fmt/format.h>
#include <boost/program_options.hpp>
#include <iostream>
#include <map>
#include <set>

namespace {

using namespace pimdse;
using models::Fidelity;
using models::Value;
namespace po = boost::program_options;

struct Options {
    std::vector<std::string> architectures;
    std::vector<std::string> spaces;
    std::size_t designs = 100;
    std::uint64_t seed = 1;
    double seconds = 10.0;
    std::string format = "text";
    bool analytic = false;
    std::vector<std::string> fixed;
};

std::string command(models::Architecture const& architecture, models::Parameters const& parameters,
                    std::vector<Value> const& point, Fidelity fidelity) {
    auto text = fmt::format("pimdse evaluate {} --fidelity {}", architecture.name, models::name_of(fidelity));
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (point[i] == parameters[i].default_value) continue;
        text += fmt::format(" --set '{}={}'", parameters[i].name, models::print_value(parameters[i], point[i]));
    }
    return text;
}

/// Compares designs of one architecture.
class Comparison {
  public:
    Comparison(models::Architecture const& architecture, models::Inputs const& inputs, Options const& options)
        : architecture_(architecture),
          inputs_(inputs),
          seconds_(options.seconds),
          finest_(options.analytic ? Fidelity::analytic : architecture.fidelities.back()) {
        for (auto const fidelity : architecture.fidelities)
            if (fidelity <= finest_) tallies_.try_emplace(fidelity, architecture.metrics(), fidelity);
    }

    /// False if the design is not feasible or too long at cycle level.
    bool look(std::vector<Value> const& point) {
        auto const analytic = fidelity::evaluate_here(architecture_, inputs_, point, Fidelity::analytic);
        if (finest_ == Fidelity::analytic) return count(analytic, point, finest_);
        auto const exact = fidelity::evaluate_apart(architecture_, inputs_, point, finest_, seconds_);
        if (!exact) return too_long(point, finest_);
        compare(Fidelity::analytic, analytic, *exact, point);
        return count(*exact, point, finest_);
    }

    /// A line of JSON for each fidelity, or text under a head.
    void print(std::string const& file, std::string const& name, Options const& options) const {
        if (options.format == "json") return print_json(file, name, options.seed);
        fmt::print("{}{}{}, seed {}:\n", file, file.empty() ? "" : ", ", name, options.seed);
        for (auto const& [_, tally] : tallies_) tally.print();
        for (auto const& text : too_long_) fmt::print("  LONGER than {} s: {}\n", seconds_, text);
    }
    [[nodiscard]] std::size_t violations() const {
        std::size_t sum = 0;
        for (auto const& [_, tally] : tallies_) sum += tally.violations();
        return sum;
    }

  private:
    void print_json(std::string const& file, std::string const& name, std::uint64_t seed) const {
        for (auto const& [_, tally] : tallies_) {
            auto row = tally.json();
            row.update({{"space", file}, {"machine", name}, {"seed", seed}, {"longer", too_long_}});
            fmt::print("{}\n", row.dump());
        }
    }
    bool count(fidelity::Measured const& measured, std::vector<Value> const& point, Fidelity fidelity) {
        if (!std::holds_alternative<models::Metrics>(measured.outcome)) return false;
        tallies_.at(fidelity).cost(measured.cpu, command(architecture_, inputs_.parameters, point, fidelity));
        return true;
    }
    bool too_long(std::vector<Value> const& point, Fidelity fidelity) {
        too_long_.push_back(command(architecture_, inputs_.parameters, point, fidelity));
        return false;
    }
    void compare(Fidelity fidelity, fidelity::Measured const& coarse, fidelity::Measured const& exact,
                 std::vector<Value> const& point) {
        auto const at = command(architecture_, inputs_.parameters, point, fidelity);
        auto const* metrics = std::get_if<models::Metrics>(&coarse.outcome);
        auto const* truth = std::get_if<models::Metrics>(&exact.outcome);
        auto& tally = tallies_.at(fidelity);
        if ((metrics == nullptr) != (truth == nullptr)) tally.disagree(at);
        if (metrics == nullptr || truth == nullptr) return;
        tally.cost(coarse.cpu, at);
        tally.compare(*metrics, *truth, at);
    }

    models::Architecture const& architecture_;
    models::Inputs const& inputs_;
    double seconds_;
    Fidelity finest_;
    std::map<Fidelity, fidelity::Tally> tallies_;
    std::vector<std::string> too_long_;
};

/// Places and values of "NAME=VALUE".
std::map<std::size_t, Value> fixed_values(models::Parameters& parameters, std::vector<std::string> const& texts) {
    std::map<std::size_t, Value> fixed;
    for (auto const& text : texts) {
        auto const name = text.substr(0, text.find('='));
        int const at = models::find_parameter(parameters, name);
        if (at < 0) throw sim::InputError(fmt::format("--set {}: no parameter is called {}", text, name));
        auto const place = static_cast<std::size_t>(at);
        fixed.emplace(place,
                      models::read_value(parameters[place], text.substr(std::min(name.size() + 1, text.size()))));
    }
    return fixed;
}

std::size_t of_architecture(models::Architecture const& architecture, Options const& options) {
    auto parameters = architecture.parameters();
    auto const fixed = fixed_values(parameters, options.fixed);
    auto const inputs = models::prepare(architecture, std::move(parameters));
    Comparison comparison(architecture, inputs, options);
    fidelity::Draw draw(inputs.parameters, options.seed);
    std::set<std::vector<Value>> known;
    std::size_t feasible = 0;
    for (std::size_t tried = 0; feasible < options.designs && tried < 50 * options.designs; ++tried) {
        auto point = draw.next();
        for (auto const& [place, value] : fixed) point[place] = value;
        if (known.insert(point).second && comparison.look(point)) ++feasible;
    }
    comparison.print("", std::string(architecture.name), options);
    return comparison.violations();
}

/// Designs of a space, each in one of its scenarios.
std::size_t of_space(std::string const& file, Options const& options) {
    auto const space = dse::space::parse_space(dse::space::read_space_text(file), file);
    std::mt19937_64 random(options.seed);
    std::vector<Comparison> comparisons;
    for (auto const& machine : space.machines())
        comparisons.emplace_back(*machine.architecture, machine.inputs, options);
    std::vector<Value> point;
    for (std::size_t i = 0; i < options.designs; ++i) {
        dse::space::PointId const id{random() % space.size()};
        space.decode(id, point);
        auto const place = space.machine_of(id);
        auto const& scenarios = space.machines()[place].scenarios.list();
        if (!scenarios.empty())
            for (auto const& [parameter, value] : scenarios[random() % scenarios.size()].asks) point[parameter] = value;
        comparisons[place].look(point);
    }
    std::size_t violations = 0;
    for (std::size_t m = 0; m < comparisons.size(); ++m) {
        comparisons[m].print(file, space.machines()[m].name, options);
        violations += comparisons[m].violations();
    }
    return violations;
}

Options read(int count, char** words) {
    Options options;
    po::options_description flags("bench_fidelity [ARCH ...]: what coarse results cost and whether they hold");
    auto add = flags.add_options();
    add("help", "this list");
    add("architecture", po::value(&options.architectures)->multitoken(), "these; all unless a space is given");
    add("space", po::value(&options.spaces)->multitoken(), "designs of these files, in one of their scenarios each");
    add("designs", po::value(&options.designs), "of each");
    add("seed", po::value(&options.seed), "");
    add("format", po::value(&options.format), "text, or json: a line for each machine and fidelity");
    add("seconds", po::value(&options.seconds), "of CPU that a design may take");
    add("set", po::value(&options.fixed)->composing(),
        "NAME=VALUE, more than once: the same in every design, such as a small model for many designs in little time");
    add("analytic", po::bool_switch(&options.analytic), "the analytic level only: what it costs");
    po::positional_options_description positions;
    positions.add("architecture", -1);
    po::variables_map given;
    po::store(po::command_line_parser(count, words).options(flags).positional(positions).run(), given);
    po::notify(given);
    if (given.count("help") != 0) {
        std::cout << flags;
        std::exit(0);
    }
    if (options.architectures.empty() && options.spaces.empty())
        for (auto const& architecture : models::catalogue()) options.architectures.emplace_back(architecture.name);
    return options;
}

}  // namespace

int main(int count, char** words) {
    auto const options = read(count, words);
    std::size_t violations = 0;
    for (auto const& name : options.architectures)
        violations += of_architecture(models::find_architecture(name), options);
    for (auto const& file : options.spaces) violations += of_space(file, options);
    return violations == 0 ? 0 : 8;
}

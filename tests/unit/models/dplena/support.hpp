#pragma once

#include "models/contract/architecture.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/parameters.hpp"
#include "models/text/prepared.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What the tests of this folder share.
namespace support {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The settings with others behind them: of two with a name the last one counts.
Settings with(Settings settings, Settings const& more);
Settings with(Settings settings, std::string const& name, std::string const& value);
/// A generation with a model, of four steps a block, with more.
Settings generation(Settings const& more = {});

/// The machine with its constants, read once.
pimdse::models::Architecture const& architecture();
pimdse::models::Inputs const& inputs();
pimdse::models::dplena::Prepared const& prepared();
pimdse::models::dplena::MachineConstants const& machine();

/// The default point with these settings, values as a person writes them, on the machine of the paper's runs
/// (hbm_bus = compat, refresh = off, step_logits = apart) where they do not say otherwise.
std::vector<pimdse::models::Value> point(Settings const& settings);
pimdse::models::text::Design served(Settings const& settings);
/// That of its sampler.
pimdse::models::dplena::Design design(Settings const& settings);

pimdse::models::Outcome evaluate(Settings const& settings, pimdse::models::Fidelity fidelity);
/// One metric of a feasible point; throws if the point is infeasible.
pimdse::models::Estimate metric(Settings const& settings, std::string const& name, pimdse::models::Fidelity fidelity);
double value(Settings const& settings, std::string const& name,
             pimdse::models::Fidelity fidelity = pimdse::models::Fidelity::analytic);
/// The rule that the point breaks; "" if it is feasible.
std::string broken_rule(Settings const& settings);

pimdse::models::CycleKey key(Settings const& settings);

/// One line of tests/data/dplena_rows.csv.
struct Row {
    Settings settings;
    std::int64_t vector = 0, scalar = 0, control = 0, memory = 0, prefetches = 0, total = 0;
    double gigabytes_per_second = 0.0;
    std::string text;
};
std::vector<Row> const& rows();

/// A reproducible sequence of numbers.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    /// Uniform in [0, sides).
    std::int64_t below(std::int64_t sides) {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(sides));
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    template <class T>
    T const& one_of(std::vector<T> const& list) {
        return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
    }

  private:
    std::uint64_t state_;
};

}  // namespace support

#pragma once

#include "dse/space/machine.hpp"
#include "dse/space/space.hpp"
#include "dse/uncertain/draws.hpp"
#include "models/contract/architecture.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

/// The machine at this position of a space, with its baseline, under other values of constants; the points and their
/// numbers stay. Throws InputError if a rule of the machine does not allow the values.
[[nodiscard]] space::Machine varied_machine(space::Machine const& machine, std::size_t position,
                                            std::span<UncertainConstant const> constants, Settings const& settings);

/// The whole space under other values of constants. Throws as varied_machine.
[[nodiscard]] space::Space varied_space(space::Space const& space, std::span<UncertainConstant const> constants,
                                        Settings const& settings);

/// Draws under the rules of the machines. Throws InputError.
[[nodiscard]] Draws draws_of(space::Space const& space, Uncertainty const& uncertainty);

/// Whether the machine at this position reads the constant.
[[nodiscard]] bool reads(UncertainConstant const& constant, std::size_t machine);
/// The settings of constants that the machine at this position reads.
[[nodiscard]] Settings read_by(std::size_t machine, std::span<UncertainConstant const> constants,
                               Settings const& settings);

/// A round of evaluations of designs under several settings of the uncertain constants. Every process of a run makes
/// the same space from its text, so that designs are handed out, journalled and restored as those of any space.
struct Pass {
    std::string name;                             ///< "best", "worst", "feasible", "forms", "draws"
    std::vector<UncertainConstant> constants;     ///< names and bindings; a text has nothing else of them
    std::vector<std::vector<Settings>> machines;  ///< the settings of each machine of the space

    /// JSON; equal passes have equal texts.
    [[nodiscard]] std::string text() const;
    /// Throws InputError for anything but such a text.
    [[nodiscard]] static Pass from(std::string const& text);
    /// The largest number of settings of a machine.
    [[nodiscard]] std::size_t width() const;
};

/// DrawnValues of the objectives of a design under one setting [SI]; nullopt if the design is infeasible there.
using MaybeObjectives = std::optional<std::vector<double>>;

/// The points of a space, with one metric per objective and setting: the value of the objective, or NaN where the
/// design is infeasible. The original space must outlive it.
class PassSpace {
  public:
    /// Throws InputError if a rule of a machine does not allow a setting.
    PassSpace(space::Space const& original, Pass const& pass);
    PassSpace(PassSpace const&) = delete;
    PassSpace& operator=(PassSpace const&) = delete;

    [[nodiscard]] space::Space const& space() const { return *space_; }

  private:
    std::deque<models::Architecture> architectures_;  ///< addresses stay
    std::optional<space::Space> space_;
};

/// The values of a result of such a space, by setting.
[[nodiscard]] std::vector<MaybeObjectives> by_setting(models::Metrics const& metrics, std::size_t objectives,
                                                      std::size_t settings);

/// The objectives of a design of a machine; nullopt if it is infeasible. `machine`: the machine at this position of the
/// space, with its own or with other constants, whose parameters with one value replace those of the point. Throws
/// std::runtime_error for a defect of the model.
[[nodiscard]] MaybeObjectives objectives_of(space::Space const& space, std::size_t at, space::Machine const& machine,
                                            models::Point point, models::Fidelity fidelity);

}  // namespace pimdse::dse::uncertain

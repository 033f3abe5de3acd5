#pragma once

#include "models/chips/links.hpp"
#include "models/contract/constant_rules.hpp"
#include "models/text/bank_products.hpp"
#include "models/text/hardware.hpp"
#include "models/text/machine.hpp"
#include "models/text/request.hpp"
#include "sim/base/memo.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::text {

/// The rules that the constants of a machine must meet, for each of its variants; the machine lives longer.
[[nodiscard]] ConstantRules constant_rules_of(CompiledMachine const& machine);
/// The constants of a machine with these options, under the rules of its variants. Throws InputError.
[[nodiscard]] Constants constants_of_machine(CompiledMachine const& machine, ModelOptions const& options);

/// Number of the kind of link that the first link is like at a point, or the name that it gives for none.
[[nodiscard]] std::variant<std::size_t, std::string> link_like(CompiledMachine const& machine,
                                                               std::vector<double> const& numbers);

/// Everything that is the same for all points.
class Prepared {
  public:
    /// `models`: as for RequestReader. Throws InputError.
    Prepared(std::shared_ptr<CompiledMachine const> machine, Parameters const& parameters, ModelOptions const& options,
             ModelList const* models = nullptr);

    [[nodiscard]] CompiledMachine const& machine() const { return *machine_; }
    [[nodiscard]] RequestReader const& requests() const { return requests_; }
    /// What the kind of a part has prepared; nullptr of other units.
    [[nodiscard]] std::shared_ptr<void const> const& part_inputs(std::size_t unit) const { return parts_[unit]; }
    /// Whether no variant has a constant below 0, by number; the other numbers that every machine has never are.
    [[nodiscard]] std::vector<bool> non_negative_constants() const;
    [[nodiscard]] double host() const { return host_; }  ///< W; 0: it is not counted
    /// Factor within which measured kernels are stated to lie; 0: the machine states none.
    [[nodiscard]] double spread(Point point) const { return numbers(point)[machine_->spread()]; }
    /// All numbers at a point.
    [[nodiscard]] std::vector<double> numbers(Point point) const;
    /// The numbers that the point may break (number_limits.hpp).
    [[nodiscard]] std::vector<std::size_t> const& breakable(Point point) const { return breakable_[variant(point)]; }
    [[nodiscard]] LlmRequest request(Point point, std::vector<double> const& numbers) const;
    [[nodiscard]] MachineFigures hardware(LlmRequest const& request, std::vector<double> numbers, Point point,
                                          Fidelity fidelity) const;

  private:
    std::shared_ptr<CompiledMachine const> machine_;
    RequestReader requests_;
    int variant_;  ///< parameter; -1: none
    std::vector<Value> default_point_;
    std::vector<std::vector<double>> numbers_;         ///< all at the default point, by variant
    std::vector<std::vector<std::size_t>> breakable_;  ///< by variant
    double host_ = 0.0;
    std::optional<chips::KnownLinks> links_;          ///< if a rule sends bytes
    std::vector<std::optional<DramStream>> streams_;  ///< by memory
    std::vector<std::shared_ptr<void const>> parts_;  ///< by unit: what its kind has prepared

    struct BankKey {
        std::size_t memory = 0;
        BankChanges changes;
        auto operator<=>(BankKey const&) const = default;
    };
    sim::Memo<BankKey, std::shared_ptr<BankProducts const>> banks_;
    sim::Memo<GemmShape, GemmTraffic> tilings_;

    [[nodiscard]] std::size_t variant(Point point) const {
        return variant_ < 0 ? 0 : point[static_cast<std::size_t>(variant_)].as_choice();
    }
    void set_dram(MemorySlots const& slots, DramStream const& stream, Fidelity fidelity, MachineFigures const& all,
                  MemoryFigures& memory) const;
    void set_bank(UnitSlots const& slots, LlmRequest const& request, MachineFigures& all, UnitFigures& unit) const;
    static void set_part(PartKind const& kind, PartLaw const& part, MachineFigures& all, UnitFigures& unit);
};

/// Name of the machine at a point: its own, or that of the chosen variant.
[[nodiscard]] std::string name_at(CompiledMachine const& machine, Point point);

/// A point as the machine and the request that it stands for.
struct Design {
    LlmRequest request;
    MachineFigures hardware;
    Prepared const* prepared = nullptr;
    Fidelity fidelity = Fidelity::analytic;
    std::optional<PartLaw::Alone> alone{};  ///< all that is asked for, for one block of positions
    [[nodiscard]] double logit_bytes() const;
    /// Whether fidelities tell parts with laws in C++ apart only, and what else the file says is exact.
    [[nodiscard]] bool differs_in_parts_only() const;
};
[[nodiscard]] Design read_design(Prepared const& prepared, Point point, Fidelity fidelity = Fidelity::analytic);

/// Bytes of weights, of keys and values up to the last token and, for diffusion, of the logits of one step, in the
/// memories that hold them.
[[nodiscard]] std::vector<double> footprint(Design const& design);

/// Why a design cannot exist; nullopt if it can. `point` is that of the design.
[[nodiscard]] std::optional<Infeasible> broken_rule(Design const& design, Point point);
/// The same for one operator, whatever the model is.
[[nodiscard]] std::optional<Infeasible> broken_operator_rule(Design const& design, Point point);

}  // namespace pimdse::models::text

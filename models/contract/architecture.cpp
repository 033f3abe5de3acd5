#include "models/contract/architecture.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models {
namespace {

constexpr std::string_view in_banks = "in_bank_logic";

/// Silicon by process; silicon that is not part of `area` is memory.
std::vector<Share> by_process(AreaProcess process, Breakdown const& breakdown, double silicon) {
    double logic = 0.0, beside_banks = 0.0;
    for (auto const& share : breakdown.area)
        (process == AreaProcess::dram || share.what.starts_with(in_banks) ? beside_banks : logic) += share.amount;
    return {{"logic process", logic},
            {"DRAM process, logic beside banks", beside_banks},
            {"DRAM process, memory", std::max(0.0, silicon - logic - beside_banks)}};
}

/// What is furthest from its usual value, in decades.
class Outlier {
  public:
    void see(double value, double usual, std::string const& text) {
        double const decades = std::abs(std::log10(std::abs(value / usual)));
        if (!std::isfinite(decades) || decades <= decades_) return;
        decades_ = decades;
        text_ = text;
    }
    [[nodiscard]] std::string const& text() const { return text_; }

  private:
    double decades_ = 0.0;
    std::string text_;
};

/// Constants that are replaced are usual as shipped; those of a machine file are near 1 in their units.
void see_constants(Outlier& outlier, Architecture const& architecture, ModelOptions const& options) {
    auto const all = constants_of(architecture, options).all(), shipped = constants_of(architecture).all();
    for (auto const& [name, constant] : all) {
        double const unit = sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).in_si;
        auto const usual = shipped.find(name);
        bool const replaced = usual != shipped.end() && usual->second.si != constant.si;
        outlier.see(
            constant.si, replaced && usual->second.si != 0.0 ? usual->second.si : unit,
            fmt::format("{} = {:g} {} ({}:{})", name, constant.si / unit, constant.unit, constant.file, constant.line));
    }
}

void see_parameters(Outlier& outlier, Parameters const& parameters, Point point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
        auto const& parameter = parameters[i];
        if (parameter.kind != Kind::integer && parameter.kind != Kind::quantity) continue;
        auto const number = [](Value const& value) {
            return value.kind() == Kind::integer ? static_cast<double>(value.as_integer()) : value.as_quantity();
        };
        outlier.see(number(point[i]), number(parameter.default_value),
                    fmt::format("{} = {}", parameter.name, print_value(parameter, point[i])));
    }
}

}  // namespace

Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options) {
    auto prepared = architecture.prepare(parameters, options);
    auto group = architecture.prepare_group == nullptr ? nullptr : architecture.prepare_group(options);
    return {std::move(parameters), std::move(prepared), std::move(options), std::move(group)};
}

Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    return finite_or_defect(architecture, inputs, point,
                            outcome_safely([&] { return architecture.evaluate(inputs, point, fidelity); }));
}

Constants constants_of(Architecture const& architecture, ModelOptions const& options) {
    return architecture.constants ? architecture.constants(options) : Constants::load(architecture.name, options);
}

Explained explained(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    auto all = architecture.explain(inputs, point, fidelity);
    all.outcome = finite_or_defect(architecture, inputs, point, std::move(all.outcome));
    int const silicon = find_metric(architecture.metrics(), "silicon");
    auto const* metrics = std::get_if<Metrics>(&all.outcome);
    if (metrics != nullptr && silicon >= 0 && architecture.ledger != nullptr)
        all.silicon =
            by_process(architecture.ledger().process, all, (*metrics)[static_cast<std::size_t>(silicon)].value);
    return all;
}

Outcome finite_or_defect(Architecture const& architecture, Inputs const& inputs, Point point, Outcome outcome) {
    auto const* metrics = std::get_if<Metrics>(&outcome);
    if (metrics == nullptr) return outcome;
    auto const wrong = std::ranges::find_if(
        *metrics, [](Estimate const& metric) { return !std::isfinite(metric.value) && applies(metric); });
    if (wrong == metrics->end()) return outcome;
    auto const at = static_cast<std::size_t>(wrong - metrics->begin());
    auto const table = architecture.metrics();
    Outlier outlier;
    see_parameters(outlier, inputs.parameters, point);
    try {
        see_constants(outlier, architecture, inputs.options);
    } catch (sim::InputError const&) {
        // a pair has no constants of its own
    }
    return Defect{fmt::format("{} is not a finite number{}",
                              at < table.size() ? table[at].name : std::string("a figure of the service"),
                              outlier.text().empty() ? "" : fmt::format(". Is {} meant?", outlier.text())),
                  DefectKind::not_a_number};
}

bool is_read_by_groups_only(Architecture const& architecture, std::string_view constant) {
    return architecture.parts.empty() && constant.find('.') != std::string_view::npos;
}

Inputs with_drawn_for_groups(Architecture const& architecture, Inputs inputs, ModelOptions options) {
    if (architecture.prepare_group != nullptr) inputs.group = architecture.prepare_group(options);
    inputs.options = std::move(options);
    return inputs;
}

}  // namespace pimdse::models

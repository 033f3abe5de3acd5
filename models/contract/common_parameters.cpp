#include "models/contract/common_parameters.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/technology.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models {
namespace {

constexpr double longest_overhead = 1.0;  // s
/// Rows of technology.toml, by LaunchedBy.
constexpr std::array launch_rows{"layer_overhead", "layer_overhead_stream", "layer_overhead_dataflow"};

/// The parameters of this name, also those of a machine in a pair (prefill.attained_share).
std::vector<Parameter*> called(Parameters& parameters, std::string_view name) {
    std::vector<Parameter*> found;
    for (auto& parameter : parameters) {
        auto const dot = parameter.name.rfind('.');
        if (parameter.name.substr(dot == std::string::npos ? 0 : dot + 1) == name) found.push_back(&parameter);
    }
    return found;
}

double default_of(Parameter const& parameter, std::string_view name, Assumptions const& assumptions) {
    bool const share = name == attained_share_name;
    if (assumptions.view == View::hardware) return share ? 1.0 : 0.0;
    double const own = parameter.default_value.as_quantity();
    if (assumptions.view == View::own || (share && own == as_measured)) return own;
    return Technology::load(assumptions).row(parameter.technology.empty() ? name : parameter.technology).constant.si;
}

/// Defaults of a request that are the same on every machine unless a space sets others. The own default of an
/// architecture may be the one of its paper: batches of 16, blocks that are denoised in one step, no LM head.
struct RequestDefault {
    std::string_view parameter, value;
};
constexpr std::array request_defaults{RequestDefault{"batch", "1"}, RequestDefault{"lm_head", "counted"},
                                      RequestDefault{"generation", "autoregressive"}, RequestDefault{"steps", "32"}};

void set_request_defaults(Parameters& parameters) {
    for (auto const& [name, value] : request_defaults) {
        for (auto* parameter : called(parameters, name)) {
            bool const known =
                parameter->choices.empty() || std::ranges::find(parameter->choices, value) != parameter->choices.end();
            if (known) parameter->default_value = read_value(*parameter, std::string(value));
        }
    }
}

}  // namespace

Parameter attained_share(double default_value, std::string_view note) {
    double const min = default_value == as_measured ? 0.0 : 0x1p-7;
    return quantity(std::string(attained_share_name), "1", default_value, {min, 1.0},
                    fmt::format("share of the peak arithmetic rate that programs attain; {}", note));
}

Parameter layer_overhead(double default_si, LaunchedBy launch, std::string_view note) {
    auto parameter = quantity(std::string(layer_overhead_name), "us", default_si, {0.0, longest_overhead},
                              fmt::format("time to launch one layer of a pass; {}", note));
    parameter.technology = launch_rows.at(static_cast<std::size_t>(launch));
    return parameter;
}

std::string unreached_by_view(std::string_view machine, Parameters const& parameters, Assumptions const& assumptions) {
    if (assumptions.view == View::own) return "";
    auto const has = [&](std::string_view name) {
        return std::ranges::any_of(parameters, [&](Parameter const& one) { return one.name.ends_with(name); });
    };
    if (has(attained_share_name) || has(layer_overhead_name)) return "";
    return fmt::format("view {} does not reach {}, which has neither {} nor {}", text_of(assumptions, "view"), machine,
                       attained_share_name, layer_overhead_name);
}

void set_common_defaults(Parameters& parameters, Assumptions const& assumptions) {
    if (assumptions.view != View::own) set_request_defaults(parameters);
    for (auto const name : {attained_share_name, layer_overhead_name}) {
        auto const said = std::ranges::find(assumptions.common, name, &AssumptionTexts::value_type::first);
        for (auto* parameter : called(parameters, name))
            parameter->default_value = said != assumptions.common.end()
                                           ? read_value(*parameter, said->second)
                                           : Value::quantity(default_of(*parameter, name, assumptions));
    }
}

}  // namespace pimdse::models

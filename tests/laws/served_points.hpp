#pragma once

#include "models/catalogue.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/llm/language_models.hpp"
#include "models/machine_files.hpp"
#include "random_point.hpp"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Random designs of every architecture that serve a request of a language model.
namespace pimdse::laws {

using Values = std::vector<models::Value>;

/// Parameters that say what is asked for, by how many tokens or how exactly; the others are the machine.
inline bool is_workload(std::string_view parameter) {
    static std::set<std::string_view> const names{"llm",
                                                  "kernel",
                                                  "elements",
                                                  "input",
                                                  "output",
                                                  "batch",
                                                  "generation",
                                                  "steps",
                                                  "model_cache",
                                                  "block_length",
                                                  "draft",
                                                  "acceptance",
                                                  "draft_llm",
                                                  "scope",
                                                  "lora_rank",
                                                  "lora_targets",
                                                  "vocab",
                                                  "lm_head",
                                                  "remasking",
                                                  "generation_length",
                                                  "weights",
                                                  "weight_bits",
                                                  "products",
                                                  "kv_cache",
                                                  "mx_element",
                                                  "precision",
                                                  "denoising",
                                                  "count_first",
                                                  "confidence_threshold",
                                                  "confidence_factor",
                                                  "adapter_every"};
    return names.contains(parameter);
}

/// One architecture, its tables, and points of it; a point is a vector of values in the order of `parameters`.
class ServedMachine {
  public:
    explicit ServedMachine(models::Architecture const& of, models::Assumptions assumptions = {})
        : architecture_(&of),
          parameters_(of.parameters()),
          metrics_(of.metrics()),
          options_(std::string(), std::move(assumptions)) {
        models::set_common_defaults(parameters_, options_.assumptions);
        base_ = models::point_with(parameters_, base_settings());
        inputs_ = models::prepare(of, parameters_, options_);
    }

    [[nodiscard]] models::Architecture const& architecture() const { return *architecture_; }
    [[nodiscard]] std::string name() const { return std::string(architecture_->name); }
    [[nodiscard]] models::Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] models::Inputs const& inputs() const { return inputs_; }
    /// The default machine, large enough for small models, with an autoregressive request.
    [[nodiscard]] Values const& base() const { return base_; }

    [[nodiscard]] int find(std::string_view parameter) const { return models::find_parameter(parameters_, parameter); }
    [[nodiscard]] std::size_t at(std::string_view parameter) const { return static_cast<std::size_t>(find(parameter)); }
    [[nodiscard]] Values with(Values point, std::string_view parameter, std::int64_t count) const {
        point[at(parameter)] = models::Value::integer(count);
        return point;
    }
    /// `text` as a person writes it; a point without a parameter of this name stays as it is.
    [[nodiscard]] Values with(Values point, std::string_view parameter, std::string const& text) const {
        if (find(parameter) < 0) return point;
        auto row = parameters_[at(parameter)];
        point[at(parameter)] = models::read_value(row, text);
        return point;
    }
    [[nodiscard]] std::int64_t whole(Values const& point, std::string_view parameter) const {
        return point[at(parameter)].as_integer();
    }
    [[nodiscard]] double number(Values const& point, std::string_view parameter) const {
        auto const& value = point[at(parameter)];
        return value.kind() == models::Kind::integer ? static_cast<double>(value.as_integer()) : value.as_quantity();
    }
    /// The value as a person writes it; "" where there is no such parameter.
    [[nodiscard]] std::string text(Values const& point, std::string_view parameter) const {
        return find(parameter) < 0 ? "" : models::print_value(parameters_[at(parameter)], point[at(parameter)]);
    }
    [[nodiscard]] models::LanguageModel model(Values const& point) const {
        return models::load_language_model(text(point, "llm"));
    }

    [[nodiscard]] std::optional<models::Metrics> result(Values const& point, models::Fidelity fidelity) const {
        auto outcome = architecture_->evaluate(inputs_, point, fidelity);
        if (auto* metrics = std::get_if<models::Metrics>(&outcome)) return std::move(*metrics);
        return std::nullopt;
    }
    [[nodiscard]] std::optional<models::Metrics> result(Values const& point) const {
        return result(point, models::Fidelity::analytic);
    }
    [[nodiscard]] bool has_metric(std::string_view metric) const { return models::find_metric(metrics_, metric) >= 0; }
    /// Not a number where it does not apply.
    [[nodiscard]] double value(models::Metrics const& metrics, std::string_view metric) const {
        int const found = models::find_metric(metrics_, metric);
        return found < 0 ? std::nan("") : metrics[static_cast<std::size_t>(found)].value;
    }

    /// What evaluates a point on the command line.
    [[nodiscard]] std::string command(Values const& point, models::Fidelity fidelity) const {
        auto line = fmt::format("pimdse evaluate {}", architecture_->name);
        for (auto const& [key, said] : models::texts_of(options_.assumptions))
            line += fmt::format(" --assume {}", argument(key, said));
        auto const defaults = models::default_point(parameters_);
        for (std::size_t i = 0; i < point.size(); ++i) {
            if (point[i] == defaults[i]) continue;
            line +=
                fmt::format(" --set {}", argument(parameters_[i].name, models::print_value(parameters_[i], point[i])));
        }
        return fidelity == models::Fidelity::analytic
                   ? line
                   : fmt::format("{} --fidelity {}", line, models::name_of(fidelity));
    }
    [[nodiscard]] std::string command(Values const& point) const { return command(point, models::Fidelity::analytic); }

    /// A request of a small model on a machine with up to `changes` parameters that are no workload changed.
    [[nodiscard]] Values draw(Bits& bits, std::uint64_t changes = 6) const {
        static std::vector<std::string> const with_keys{"opt-125m", "qwen2.5-0.5b", "llama-3.2-1b",
                                                        "opt-350m", "opt-1.3b",     "qwen2.5-1.5b"};
        static auto const with_states = [] {
            auto all = with_keys;
            all.insert(all.end(), {"lfm2-350m", "mamba2-130m"});
            return all;
        }();
        bool const keeps_states = name() != "upmem" && name() != "cim_mesh";
        auto const& llms = keeps_states ? with_states : with_keys;
        auto point = with(base_, "llm", llms[bits.below(llms.size())]);
        auto const log_uniform = [&](double max) {
            return static_cast<std::int64_t>(std::exp2(std::log2(max) * static_cast<double>(bits.below(1001)) / 1000));
        };
        point = with(std::move(point), "input", log_uniform(1024));
        point = with(std::move(point), "output", log_uniform(128));
        point = with(std::move(point), "batch", bits.below(2) == 0 ? 1 : log_uniform(32));
        for (auto n = bits.below(changes + 1); n > 0; --n) {
            auto const which = bits.below(point.size());
            if (is_fixed(parameters_[which].name)) continue;
            point[which] = bits.below(4) == 0 ? anywhere(which, point[which], bits) : near(which, point[which], bits);
        }
        return point;
    }

    /// Any choice, or a number within a factor of 4; `now` where that is not allowed.
    [[nodiscard]] models::Value near(std::size_t which, models::Value now, Bits& bits) const {
        static constexpr std::array<double, 4> factors{0.25, 0.5, 2.0, 4.0};
        auto const& p = parameters_[which];
        if (p.kind == models::Kind::flag) return models::Value::flag(bits.below(2) == 1);
        if (p.kind == models::Kind::choice) {
            auto const value = models::Value::choice(bits.below(p.choices.size()));
            return built(p, value) ? value : now;
        }
        return scaled(which, now, factors[bits.below(factors.size())]).value_or(now);
    }
    /// Any choice, or a number anywhere in its declared range, small and large ones alike.
    [[nodiscard]] models::Value anywhere(std::size_t which, models::Value now, Bits& bits) const {
        auto const& p = parameters_[which];
        bool const is_whole = p.kind == models::Kind::integer;
        if ((!is_whole && p.kind != models::Kind::quantity) || p.upper == 0.0) return near(which, now, bits);
        double const lower = p.lower > 0.0 ? p.lower : std::min(1.0, 1e-6 * p.upper);
        double const to = lower * std::pow(p.upper / lower, static_cast<double>(bits.below(1001)) / 1000.0);
        return is_whole ? models::Value::integer(static_cast<std::int64_t>(to)) : models::Value::quantity(to);
    }
    /// A number times a factor; of 0 the factor's part of the largest that is allowed. Nothing where that is outside.
    [[nodiscard]] std::optional<models::Value> scaled(std::size_t which, models::Value now, double factor) const {
        auto const& p = parameters_[which];
        auto const from = p.kind == models::Kind::integer ? static_cast<double>(now.as_integer()) : now.as_quantity();
        bool const limited = p.lower != 0.0 || p.upper != 0.0;
        double to = from * factor;
        if (from == 0.0) to = p.kind == models::Kind::integer ? std::floor(4.0 * factor) : 1e-4 * factor * p.upper;
        if (p.kind == models::Kind::integer) to = std::floor(to);
        if (to == from || (limited ? to < p.lower || to > p.upper : to < 1.0)) return std::nullopt;
        return p.kind == models::Kind::integer ? models::Value::integer(static_cast<std::int64_t>(to))
                                               : models::Value::quantity(to);
    }

    /// Parameters of groups of devices, which are the same for every architecture.
    [[nodiscard]] bool is_of_group(std::string_view parameter) const {
        static std::set<std::string_view> const links{"link", "stage_link", "link_bandwidth", "link_latency",
                                                      "link_topology"};
        return links.contains(parameter) || is_division(parameter);
    }

  private:
    /// Drawn one by one, these rarely fit the number of devices and the batch.
    [[nodiscard]] static bool is_division(std::string_view parameter) {
        static std::set<std::string_view> const divisions{"tensor_parallel", "pipeline_parallel", "expert_parallel",
                                                          "data_parallel", "micro_batches"};
        return divisions.contains(parameter);
    }
    static std::string argument(std::string const& name, std::string const& value) {
        bool const quoted = value.find(' ') != std::string::npos;
        return fmt::format("{}{}={}{}", quoted ? "'" : "", name, value, quoted ? "'" : "");
    }

    /// Not drawn: the request, whether the machine is large enough, what takes long to evaluate, and whose timing is
    /// believed (presets keep the faults of simulators).
    [[nodiscard]] bool is_fixed(std::string_view parameter) const {
        static std::set<std::string_view> const sizes{"ranks", "dpus", "placement", "mapping", "sram_limit", "preset"};
        bool const is_umdam = architecture_->name == "umdam";
        if (parameter == "ranks" && is_umdam) return false;
        if (parameter == "mapping" && is_umdam) return true;
        return is_workload(parameter) || sizes.contains(parameter) || is_division(parameter);
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> base_settings() const {
        std::vector<std::pair<std::string, std::string>> settings = architecture_->workload.implied;
        std::map<std::string, std::vector<std::pair<std::string, std::string>>> const larger{
            {"upmem", {{"ranks", "40"}, {"dpus", "2560"}}}, {"cim_mesh", {{"scratchpad", "65536"}}}};
        if (auto const found = larger.find(name()); found != larger.end())
            settings.insert(settings.end(), found->second.begin(), found->second.end());
        settings.emplace_back("llm", "opt-125m");
        settings.emplace_back("generation", "autoregressive");
        settings.emplace_back("lora_targets", "none");
        std::erase_if(settings, [&](auto const& s) { return find(s.first) < 0; });
        return settings;
    }

    models::Architecture const* architecture_;
    models::Parameters parameters_;
    models::MetricList metrics_;
    models::ModelOptions options_;
    Values base_;
    models::Inputs inputs_;
};

/// Assumptions under which laws are tried: each machine by its papers; several on one footing; and deployed, with
/// hosts.
inline std::vector<models::Assumptions> footings() {
    auto deployed = models::common_assumptions();
    deployed.view = models::View::deployed;
    deployed.host = models::Host::included;
    return {models::Assumptions{}, models::common_assumptions(), deployed};
}

/// The machine under each of these.
inline std::vector<ServedMachine> on_every_footing(models::Architecture const& architecture) {
    std::vector<ServedMachine> all;
    for (auto const& assumptions : footings()) all.emplace_back(architecture, assumptions);
    return all;
}

inline std::vector<models::Architecture const*> all_architectures() {
    std::vector<models::Architecture const*> all;
    for (auto const& architecture : models::catalogue()) all.push_back(&architecture);
    return all;
}

/// Shipped machine files that are no choice of an architecture of the catalogue.
inline std::vector<models::Architecture const*> machines_of_files() {
    std::set<std::string, std::less<>> choices;
    for (auto const& architecture : models::catalogue())
        for (auto const& parameter : architecture.parameters())
            choices.insert(parameter.choices.begin(), parameter.choices.end());
    std::vector<models::Architecture const*> all;
    for (auto const& name : models::shipped_machines())
        if (!choices.contains(name)) all.push_back(&models::find_architecture(name));
    return all;
}

}  // namespace pimdse::laws

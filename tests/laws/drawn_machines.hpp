#pragma once

#include "law_count.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/text/prepared.hpp"
#include "models/text/text.hpp"
#include "random_machine.hpp"
#include "sim/base/check.hpp"
#include "tests/support/campaign.hpp"

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::laws {

using Values = std::vector<models::Value>;

/// A folder for machine files while the program runs.
inline std::filesystem::path const& machine_folder() {
    static struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / fmt::format("pimdse_machines_{}", ::getpid());
        Folder() { std::filesystem::create_directories(path); }
        ~Folder() { std::filesystem::remove_all(path); }
    } const folder;
    return folder.path;
}

/// A random machine as an architecture, and points of it.
class DrawnMachine {
  public:
    explicit DrawnMachine(std::uint64_t seed) : DrawnMachine(RandomMachine(seed), "") {}
    /// `text`: another text of its file; "": its own.
    DrawnMachine(RandomMachine written, std::string const& text) : written_(std::move(written)) {
        for (auto const& [name, variant] : written_.variants()) std::ofstream(machine_folder() / name) << variant;
        auto const file = machine_folder() / (written_.name() + ".toml");
        std::ofstream(file) << (text.empty() ? written_.text() : text);
        architecture_ = models::text::architecture(file);
        parameters_ = architecture_.parameters();
        metrics_ = architecture_.metrics();
        inputs_ = models::prepare(architecture_, parameters_);
    }

    [[nodiscard]] RandomMachine const& written() const { return written_; }
    [[nodiscard]] models::Architecture const& architecture() const { return architecture_; }
    [[nodiscard]] models::Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] models::Inputs const& inputs() const { return inputs_; }
    [[nodiscard]] models::text::Prepared const& prepared() const { return inputs_.as<models::text::Prepared>(); }

    /// Inputs with one constant changed; nullopt where a rule refuses it.
    [[nodiscard]] std::optional<models::Inputs> with_constant(std::string const& name, double si) const {
        models::ModelOptions options;
        options.drawn[name] = si;
        try {
            return models::prepare(architecture_, parameters_, options);
        } catch (sim::InputError const&) {
            return std::nullopt;
        }
    }
    [[nodiscard]] std::size_t at(std::string_view name) const {
        return static_cast<std::size_t>(models::find_parameter(parameters_, name));
    }
    [[nodiscard]] Values with(Values point, std::string_view name, std::string const& text) const {
        auto parameter = parameters_[at(name)];
        point[at(name)] = models::read_value(parameter, text);
        return point;
    }
    /// Whether the parameter is one of the machine's own, or its variant.
    [[nodiscard]] bool is_own(std::size_t parameter) const {
        return prepared().machine().file().parameters.end() != std::ranges::find(prepared().machine().file().parameters,
                                                                                 parameters_[parameter].name,
                                                                                 &models::Parameter::name);
    }

    /// Any value within the limits; the own parameters have both ends.
    [[nodiscard]] models::Value any(std::size_t which, Bits& bits) const {
        using models::Kind;
        using models::Value;
        auto const& p = parameters_[which];
        double const part = static_cast<double>(bits.below(1001)) / 1000.0;
        if (p.kind == Kind::choice) return Value::choice(bits.below(p.choices.size()));
        if (p.kind == Kind::flag) return Value::flag(bits.below(2) == 1);
        double const value = p.lower + (p.upper - p.lower) * part;
        return p.kind == Kind::integer ? Value::integer(std::llround(value)) : Value::quantity(value);
    }

    /// A request of a language model, token by token or by blocks, on any of the machine's settings.
    [[nodiscard]] Values draw(Bits& bits, bool may_denoise = true) const {
        static std::vector<std::string> const models_known{"opt-125m",   "llama-3.2-1b",  "llama-2-7b", "llama-3-8b",
                                                           "gemma-2-9b", "qwen3-30b-a3b", "gpt-oss-20b"};
        auto point = models::default_point(parameters_);
        for (std::size_t p = 0; p < parameters_.size(); ++p)
            if (is_own(p) && bits.below(3) != 0) point[p] = any(p, bits);
        auto const up_to = [&](std::uint64_t max) { return fmt::format("{}", 1 + bits.below(max)); };
        point = with(std::move(point), "input", up_to(bits.below(4) == 0 ? 2 : 1200));
        point = with(std::move(point), "batch", up_to(bits.below(3) == 0 ? 1 : 40));
        for (auto const* format : {"weights", "kv_cache"})
            if (bits.below(2) == 0) point[at(format)] = any(at(format), bits);
        if (may_denoise && bits.below(5) == 0) {
            auto const block = 2 + bits.below(40);
            point = with(std::move(point), "llm", "llada-8b");
            point = with(std::move(point), "generation", "diffusion");
            point = with(std::move(point), "block_length", fmt::format("{}", block));
            point = with(std::move(point), "output", fmt::format("{}", block * (1 + bits.below(4))));
            point = with(std::move(point), "steps", up_to(9));
            point[at("model_cache")] = any(at("model_cache"), bits);
            return point;
        }
        point = with(std::move(point), "llm", models_known[bits.below(models_known.size())]);
        return with(std::move(point), "output", up_to(60));
    }

    [[nodiscard]] std::optional<models::Metrics> result(Values const& point) const {
        auto outcome = architecture_.evaluate(inputs_, point, models::Fidelity::analytic);
        if (auto* metrics = std::get_if<models::Metrics>(&outcome)) return std::move(*metrics);
        return std::nullopt;
    }
    [[nodiscard]] models::Estimate metric(models::Metrics const& all, std::string_view name) const {
        return all[static_cast<std::size_t>(models::find_metric(metrics_, name))];
    }
    [[nodiscard]] std::string shown(Values const& point) const {
        return written_.name() + ": " + laws::shown(parameters_, point);
    }

  private:
    RandomMachine written_;
    models::Architecture architecture_;
    models::Parameters parameters_;
    models::MetricList metrics_;
    models::Inputs inputs_;
};

/// 20 machines in a test run, 1,000 in the campaign.
inline std::uint64_t machines_of() { return tests::draws<std::uint64_t>(1000, 3, 50); }

/// Calls `check` for random machines with `points` designs each that can be built.
template <class Check>
void for_machines(std::uint64_t points, Check const& check) {
    for (std::uint64_t seed = 0; seed < machines_of(); ++seed) {
        DrawnMachine const machine(seed);
        Bits bits(seed + 1);
        std::uint64_t built = 0;
        for (std::uint64_t tries = 0; tries < 4 * points && built < points; ++tries) {
            auto const point = machine.draw(bits);
            if (auto const metrics = machine.result(point)) {
                check(machine, point, *metrics, bits);
                ++built;
            }
        }
    }
}

}  // namespace pimdse::laws

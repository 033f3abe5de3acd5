#include "models/dplena/npu_file.hpp"

#include "models/contract/toml_file.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/source_files.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pimdse::models::dplena {
namespace {

std::shared_ptr<text::CompiledMachine const> const& machine() {
    static auto const read = [] {
        text::SourceFiles sources;
        auto file = text::read_machine(data_directory() / "models" / "dplena" / "npu.toml", sources);
        return std::make_shared<text::CompiledMachine const>(std::move(file));
    }();
    return read;
}

/// The parameter of dplena that a parameter of the file has another name for.
std::string_view name_in_dplena(std::string_view name) {
    if (name == "output") return "generation_length";
    return name == "clock" ? "frequency" : name;
}

/// Those of the file with the models of dplena's choices.
Parameters with_models(Parameters const& of_dplena) {
    auto parameters = machine()->parameters();
    for (auto& parameter : parameters)
        for (auto const& other : of_dplena)
            if (parameter.name == other.name && parameter.name.ends_with("llm")) parameter = other;
    return parameters;
}

}  // namespace

NpuFile::NpuFile(Parameters const& parameters, ModelOptions options, ModelList models)
    : options_(std::move(options)),
      models_(std::move(models)),
      parameters_(with_models(parameters)),
      point_(default_point(parameters_)) {
    auto const& own = parameters_;
    for (std::size_t i = 0; i < own.size(); ++i) {
        auto& from = from_.emplace_back();
        from.parameter = find_parameter(parameters, name_in_dplena(own[i].name));
        if (from.parameter < 0) continue;
        for (auto const& choice : parameters[static_cast<std::size_t>(from.parameter)].choices)
            from.choices.push_back(
                static_cast<std::size_t>(std::ranges::find(own[i].choices, choice) - own[i].choices.begin()));
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i].name == "weights") point_[i] = Value::choice(1);   // the only format of the file, for all models
        if (own[i].name == "kv_cache") point_[i] = Value::choice(0);  // the same
    }
}

text::Design NpuFile::at(Point point, Fidelity fidelity) const {
    auto own = point_;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (auto const& [parameter, choices] = from_[i]; parameter >= 0) {
            auto const& value = point[static_cast<std::size_t>(parameter)];
            bool const is_same = choices.empty() || value.as_choice() >= choices.size();  // a part of a model
            own[i] = is_same ? value : Value::choice(choices[value.as_choice()]);
        }
    std::call_once(asked_, [&] {
        prepared_ = std::make_unique<text::Prepared const>(machine(), parameters_, options_, &models_);
    });
    return text::read_design(*prepared_, own, fidelity);
}

}  // namespace pimdse::models::dplena

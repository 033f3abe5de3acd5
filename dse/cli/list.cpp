#include "dse/cli/verb.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/toml_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/find_architecture.hpp"
#include "models/llm/family.hpp"
#include "models/llm/language_models.hpp"
#include "sim/base/json.hpp"

#include <toml++/toml.h>
#include <set>

namespace pimdse::dse::cli {
namespace {

TextTable list_architectures() {
    TextTable listing({"architecture", "fidelities", "what it is"});
    for (auto const* architecture : models::shipped_architectures()) {
        std::vector<std::string_view> fidelities;
        for (auto const fidelity : architecture->fidelities) fidelities.push_back(models::name_of(fidelity));
        listing.add({std::string(architecture->name), fmt::format("{}", fmt::join(fidelities, " ")),
                     std::string(architecture->summary)});
    }
    return listing;
}

/// The group in which a model is listed.
std::string_view kind_of(models::LanguageModel const& model) {
    if (model.attention == models::Attention::bidirectional) return "diffusion";
    for (auto const& alike : models::alike_layers(model))
        if (alike.experts > 0) return "experts";
    return "dense";
}

TextTable list_models() {
    TextTable listing(
        {"model", "kind", "parameters", "used", "layers", "hidden", "heads", "kv_heads", "maximum_context"});
    auto const billions = [](std::int64_t count) { return fmt::format("{:.3f} B", static_cast<double>(count) / 1e9); };
    std::vector<std::vector<std::string>> rows;
    for (auto const& name : models::language_model_names()) {
        auto const model = models::load_language_model(name);
        rows.push_back({name, std::string(kind_of(model)), billions(models::total_parameters(model)),
                        billions(models::active_parameters(model)), fmt::format("{}", model.layers),
                        fmt::format("{}", model.hidden), fmt::format("{}", model.heads),
                        fmt::format("{}", model.kv_heads), fmt::format("{}", model.maximum_context)});
    }
    std::ranges::stable_sort(rows, {}, [](auto const& row) { return row[1]; });
    for (auto& row : rows) listing.add(std::move(row));
    return listing;
}

/// A value of a family as its file has it.
std::string text_of(sim::Json const* value) {
    if (value == nullptr || value->is_null()) return "";
    return value->is_string() ? value->get<std::string>() : value->dump();
}

/// The values of model_type that are read, and what their files may leave out.
TextTable list_families() {
    TextTable listing({"model_type", "attention", "windows", "experts", "kv_heads", "head_dim", "tied", "from"});
    for (auto const& name : models::family_names()) {
        auto const family = models::find_family(name);
        auto const by_default = [&](std::string_view key) {
            auto const found = family->defaults.find(key);
            return text_of(found == family->defaults.end() ? nullptr : &found->second);
        };
        auto const shape = [&](std::string_view key) {
            auto const value = family->of_shape(key);
            return text_of(&value);
        };
        bool const latent = shape("latent") == "true";
        listing.add({name, latent ? "latent" : shape("attention"), shape("windows"), shape("experts"),
                     latent ? "" : by_default("num_key_value_heads"), latent ? "" : by_default("head_dim"),
                     by_default("tie_word_embeddings"), family->source});
    }
    return listing;
}

/// The architecture of a space, or the architectures of its machines.
std::string architectures_of(toml::table const& space) {
    auto const* machines = space.get_as<toml::array>("machine");
    if (machines == nullptr) return space["architecture"].value_or(std::string{});
    std::set<std::string> names;
    for (auto const& machine : *machines) {
        if (auto const* table = machine.as_table()) names.insert((*table)["architecture"].value_or(std::string{}));
    }
    return fmt::format("{}", fmt::join(names, " "));
}

TextTable list_spaces() {
    TextTable listing({"space", "architecture", "question"});
    for (auto const& name : shipped_spaces()) {
        auto const read = models::read_toml(models::data_directory() / "spaces" / (name + ".toml"));
        auto const& content = *read;
        listing.add({fmt::format("spaces/{}.toml", name), architectures_of(content),
                     content["question"].value_or(content["title"].value_or(std::string{}))});
    }
    return listing;
}

TextTable list_dram() {
    TextTable listing({"dram", "source"});
    for (auto const& name : models::dram_standard_names()) {
        auto const read = models::read_toml(models::data_directory() / "models" / "dram" / (name + ".toml"));
        auto const& content = *read;
        listing.add({name, content["source"].value_or(std::string{})});
    }
    return listing;
}

TextTable list_strategies() {
    TextTable listing({"strategy", "what it does", "when to take it"});
    for (auto const& strategy : space::strategies())
        listing.add({std::string(strategy.name), std::string(strategy.summary), std::string(strategy.use)});
    return listing;
}

TextTable listing_of(std::string const& kind) {
    if (kind == "machines" || kind == "architectures") return list_architectures();
    if (kind == "models") return list_models();
    if (kind == "families") return list_families();
    if (kind == "spaces") return list_spaces();
    if (kind == "dram") return list_dram();
    if (kind == "strategies") return list_strategies();
    throw UsageError("'{}' cannot be listed.{}", kind,
                     sim::suggestion(kind, {"machines", "models", "families", "dram", "spaces", "strategies"}));
}

}  // namespace

int run_list(CommandLine const& values) {
    Format const format = format_of(values);
    auto const listing = listing_of(values.needed("kind"));
    format == Format::json ? print_json(listing.json()) : print_table(listing, format);
    return complete;
}

}  // namespace pimdse::dse::cli

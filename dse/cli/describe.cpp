#include "dse/cli/verb.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/find_architecture.hpp"
#include "models/free_of_cost.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/shard.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/json.hpp"

#include <cmath>
#include <iterator>
#include <variant>

namespace pimdse::dse::cli {
namespace {

using models::LanguageModel;
using sim::Json;

/// Bits of an element of keys and values: as the file says, or 16.
double bits_in_cache(LanguageModel const& m) { return models::cache_bits(m) > 0.0 ? models::cache_bits(m) : 16.0; }

std::string attention_text(LanguageModel const& m) {
    if (!m.attends) return models::has_state(m) ? std::string(models::text_of(m.state.kind)) : "none";
    auto const kind = m.kv_rank > 0                                     ? fmt::format("latent, rank {}", m.kv_rank)
                      : m.attention == models::Attention::bidirectional ? "bidirectional"
                                                                        : "causal";
    std::string text = kind;
    if (m.window > 0) text += fmt::format(", {} of {}", m.chunked ? "chunks" : "window", m.window);
    if (m.compression > 0) text += fmt::format(", a key for {} positions", m.compression);
    if (m.indexer.positions > 0)
        text += fmt::format(", {} {}", m.indexer.heads > 0 ? "an indexer chooses" : "a layer before it has chosen",
                            m.indexer.positions);
    if (m.shares_keys) text += ", keys of another layer";
    if (models::has_state(m)) text += fmt::format(", {}", models::text_of(m.state.kind));
    return text;
}

std::string feed_forward_text(LanguageModel const& m) {
    auto const experts = fmt::format("{} of {} experts of {}", m.experts_active, m.experts, m.expert_ffn);
    if (!models::has_network(m)) return "none";
    if (m.experts == 0) return fmt::format("{}{}", m.ffn, m.gated ? ", gated" : "");
    return m.ffn == 0 ? experts : fmt::format("{}, shared {}", experts, m.ffn);
}

/// Multiply-accumulates of one token, in all layers and the LM head.
struct TokenWork {
    std::int64_t weights = 0;        ///< products with weights
    double attention_per_key = 0.0;  ///< with one key and its value, in layers that attend to it
    double cached = 0.0;             ///< elements of keys and values that it adds
    double growing = 0.0;            ///< of these, those that no window drops
    // Of a sequence, whatever its length.
    std::int64_t state = 0, convolution = 0;  ///< elements
    double state_multiplications = 0.0;       ///< of one token
};

TokenWork token_work(LanguageModel const& model) {
    TokenWork work{models::lm_head_weights(model)};
    for (auto const& m : models::alike_layers(model)) {
        constexpr double many = 1e6;  // keys, so that latent attention does not expand its cache
        work.weights += m.layers * models::layer_weights(m, models::Experts::active);
        work.attention_per_key +=
            static_cast<double>(m.layers) * (models::attention_multiplications(m, 1.0, many, many - 1.0) / many +
                                             models::index_multiplications(m, 1.0, 1.0));
        work.state += m.layers * models::state_elements(m);
        work.convolution += m.layers * models::convolution_elements(m);
        work.state_multiplications += static_cast<double>(m.layers) * models::token_state_multiplications(m, 1.0);
        double const cached = static_cast<double>(m.layers) * models::kv_elements_per_token(m);
        work.cached += cached;
        work.growing += cached * (1.0 - models::share_in_window(m));
    }
    return work;
}

/// Without a decimal point if it is whole.
Json whole_or(double number) {
    auto const whole = static_cast<std::int64_t>(number);
    return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

Json numbers_json(models::NumberFormat const& f) {
    return {{"bits", f.bits},
            {"group_inputs", f.group_inputs},
            {"group_outputs", f.group_outputs},
            {"scale_bits", f.scale_bits},
            {"zero_bits", f.zero_bits},
            {"input_bits", f.input_bits},
            {"bits_per_weight", models::bits_per_weight(f)}};
}

/// The format in which the file stores the weights that it converts; null if it states none.
Json format_json(models::WeightFormat const& f) {
    if (f.method.empty()) return nullptr;
    auto json = numbers_json(f.usual);
    json["method"] = f.method;
    auto kept = Json::array();
    auto others = Json::object();
    for (auto const& [name, format] : f.others) {
        if (format == models::NumberFormat{})
            kept.push_back(name);
        else
            others[name] = numbers_json(format);
    }
    json["lm_head"] = others.contains("lm_head");
    json["kept"] = kept;
    json["others"] = others;
    return json;
}

Json model_json(std::string const& name, LanguageModel const& model) {
    auto const work = token_work(model);
    Json text{{"model", name},
              {"source", model.source},
              {"parameters", models::total_parameters(model)},
              {"active_parameters", models::active_parameters(model)},
              {"hidden", model.hidden},
              {"heads", model.heads},
              {"kv_heads", model.kv_heads},
              {"head_dimension", model.head_dimension},
              {"vocabulary", model.vocabulary},
              {"maximum_context", model.maximum_context},
              {"multiplications_per_token", work.weights},
              {"multiplications_per_key", work.attention_per_key},
              {"cached_elements_per_token", whole_or(work.cached)},
              {"cache_bits", bits_in_cache(model)},
              {"state_elements", work.state},
              {"convolution_elements", work.convolution},
              {"state_bytes", models::sequence_state_bytes(model)},
              {"state_multiplications_per_token", work.state_multiplications},
              {"weight_bytes", models::stored_bytes(model)},
              {"weight_format", format_json(model.weight_format)},
              {"remarks", model.remarks}};
    for (auto const& m : models::alike_layers(model))
        text["layer_kinds"].push_back({{"layers", m.layers},
                                       {"window", m.window},
                                       {"chunked", m.chunked},
                                       {"attends", m.attends},
                                       {"heads", m.heads},
                                       {"kv_heads", m.kv_heads},
                                       {"head_dimension", m.head_dimension},
                                       {"value_dimension", m.value_size()},
                                       {"shares_keys", m.shares_keys},
                                       {"indexed_positions", m.indexer.positions},
                                       {"state", models::name_of(m.state.kind)},
                                       {"state_elements", models::state_elements(m)},
                                       {"convolution_elements", models::convolution_elements(m)},
                                       {"ffn", m.ffn},
                                       {"experts", m.experts},
                                       {"experts_active", m.experts_active},
                                       {"expert_ffn", m.expert_ffn},
                                       {"expert_width", m.expert_width()},
                                       {"weights", models::layer_weights(m)},
                                       {"weight_format", format_json(m.weight_format)}});
    return text;
}

LanguageModel part_of(LanguageModel const& model, models::Division const& division) {
    auto const part = models::shard_of(model, division);
    if (auto const* whole = std::get_if<models::NotDivisible>(&part)) throw sim::InputError(whole->reason);
    return std::get<LanguageModel>(part);
}

/// "modelopt, 4.5 bits with scales; lm_head: 16"
std::string stored_text(models::WeightFormat const& f) {
    std::vector<std::string> others;
    for (auto const& [name, format] : f.others)
        others.push_back(fmt::format("{}: {:.4g}", name, models::bits_per_weight(format)));
    return others.empty() ? models::text_of(f) : fmt::format("{}; {}", models::text_of(f), fmt::join(others, ", "));
}

std::string billions(double number) { return fmt::format("{:.4g} G", number / 1e9); }

void print_layers(LanguageModel const& model, Format format) {
    TextTable layers({"layers", "attention", "feed-forward", "weights of a layer", "used per token"});
    for (auto const& m : models::alike_layers(model))
        layers.add({fmt::format("{}", m.layers), attention_text(m), feed_forward_text(m),
                    fmt::format("{}", models::layer_weights(m)),
                    fmt::format("{}", models::layer_weights(m, models::Experts::active))});
    print_table(layers, format);
}

/// Prints the kinds of layers, the parameters, the multiply-accumulates and the cache of a model: a name of models/llm,
/// or a path to a model file or config.json. If it is divided, those of the part that a device of the last stage has.
/// Throws InputError if it cannot be divided in this way.
void print_model(std::string const& name, models::Division const& division, Format format) {
    auto const model = part_of(models::load_language_model(name), division);
    if (format == Format::json) return print_json(model_json(name, model));
    auto const work = token_work(model);
    TextTable table({division.parts() == 1 ? name : model.name, "value"});
    table.add({"source", model.source});
    table.add({"parameters", billions(static_cast<double>(models::total_parameters(model)))});
    table.add({"used per token", billions(static_cast<double>(models::active_parameters(model)))});
    table.add({"residual stream", fmt::format("{}", model.hidden)});
    table.add(
        {"heads", fmt::format("{} of {}, keys and values {}", model.heads, model.head_dimension, model.kv_heads)});
    table.add({"vocabulary", fmt::format("{}{}", model.vocabulary, model.tied_embedding ? ", tied" : "")});
    table.add({"context", fmt::format("{}", model.maximum_context)});
    table.add({"multiplications per token", billions(static_cast<double>(work.weights))});
    table.add({"and per position attended to", fmt::format("{:.4g} M", work.attention_per_key / 1e6)});
    table.add(
        {"cache per token", fmt::format("{} elements, {:.4g} KiB in {:.4g} bit", work.cached,
                                        work.cached * bits_in_cache(model) / 8.0 / 1024.0, bits_in_cache(model))});
    if (work.growing < work.cached) table.add({"beyond the windows", fmt::format("{:g} elements", work.growing)});
    if (work.state + work.convolution > 0)
        table.add({"state of a sequence",
                   fmt::format("{} elements of {} bit and {} of 16 bit, {:.4g} MB", work.state, model.state_bits,
                               work.convolution, models::sequence_state_bytes(model) / 1e6)});
    table.add({"weights in its file",
               fmt::format("{:.4g} GB: {}", models::stored_bytes(model) / 1e9, stored_text(model.weight_format))});
    for (auto const& remark : model.remarks) table.add({"remark", remark});
    print_table(table, format);
    std::cout << "\n";
    print_layers(model, format);
}

std::string_view better_text(models::Sense sense) {
    return sense == models::Sense::none ? "-" : space::name_of_better(sense);
}

std::string in_unit(models::Parameter const& p, double si) {
    return space::shown_value(p, models::Value::quantity(si));
}

/// A limit of an integer parameter.
std::string count_text(models::Parameter const& p, double limit) {
    if (!(std::abs(limit) < 0x1p63)) return fmt::format("{}", limit);
    return space::shown_value(p, models::Value::integer(static_cast<std::int64_t>(limit)));
}

/// All choices of a parameter, or the first ones if there are many.
std::string names_text(std::string_view architecture, models::Parameter const& p) {
    constexpr std::size_t max = 8;
    if (p.choices.size() <= max) return fmt::format("{}", fmt::join(p.choices, " "));
    auto const end = p.choices.begin() + static_cast<std::ptrdiff_t>(max / 2);
    return fmt::format("{} and {} more: pimdse describe {} {}", fmt::join(p.choices.begin(), end, " "),
                       p.choices.size() - max / 2, architecture, p.name);
}

std::string values_text(std::string_view architecture, models::Parameter const& p) {
    if (p.kind == models::Kind::flag) return "true false";
    if (p.kind == models::Kind::choice)
        return p.name == "llm" && p.choices.size() > 4
                   ? "a model (pimdse list models)"
                   : fmt::format("{}{}", names_text(architecture, p), p.accepts ? " or text" : "");
    bool const limited = p.lower != 0.0 || p.upper != 0.0;
    if (limited && p.kind == models::Kind::quantity)
        return fmt::format("{} .. {}", in_unit(p, p.lower), in_unit(p, p.upper));
    if (limited) return fmt::format("{}..{}", count_text(p, p.lower), count_text(p, p.upper));
    return p.kind == models::Kind::integer ? "whole numbers" : "a quantity";
}

std::string remark(models::Parameter const& p) {
    std::string text = p.meaning;
    if (p.assumed) text += " (assumed)";
    if (p.resource) text += " (hardware)";
    for (auto const& missing : p.not_built)
        text += fmt::format(" [{} is not implemented yet: {}]",
                            missing.choice == "*" ? "any other value" : missing.choice, missing.sentence);
    return text;
}

Json parameter_json(std::string_view architecture, models::Parameter const& p) {
    Json text{{"name", p.name},       {"unit", p.unit},       {"default", models::print_value(p, p.default_value)},
              {"meaning", p.meaning}, {"assumed", p.assumed}, {"resource", p.resource}};
    text["kind"] = store::schema::name_of(p.kind);
    if (p.kind == models::Kind::choice) text["choices"] = p.choices;
    if (p.lower != 0.0 || p.upper != 0.0) {
        double const unit = p.kind == models::Kind::quantity && !p.unit.empty() ? sim::parse_unit(p.unit).in_si : 1.0;
        text["limits"] = {p.lower / unit, p.upper / unit};
    }
    if (auto const why = models::free_because(architecture, p.name); !why.empty()) text["free_because"] = why;
    if (!p.aliases.empty()) text["aliases"] = p.aliases;
    if (!p.items.empty()) text["permutes"] = p.items;
    for (auto const& missing : p.not_built)
        text["not_built"].push_back({{"choice", missing.choice}, {"why", missing.sentence}});
    return text;
}

Json metric_json(models::Metric const& m) {
    return {{"name", m.name},
            {"unit", m.unit},
            {"better", better_text(m.better)},
            {"meaning", m.meaning},
            {"assumed", m.assumed}};
}

std::string meaning_of(models::Metric const& m) {
    return m.meaning + (m.assumed ? " (rests on assumed constants)" : "");
}

Json architecture_json(models::Architecture const& architecture) {
    Json text{{"architecture", architecture.name},
              {"summary", architecture.summary},
              {"results_version", architecture.results_version}};
    for (auto const fidelity : architecture.fidelities) text["fidelities"].push_back(models::name_of(fidelity));
    for (auto const& p : architecture.parameters()) text["parameters"].push_back(parameter_json(architecture.name, p));
    for (auto const& m : architecture.metrics()) text["metrics"].push_back(metric_json(m));
    return text;
}

/// `called`: as the command line calls it.
void print_text(models::Architecture const& architecture, std::string const& called, Format format) {
    TextTable parameters({"parameter", "unit", "default", "values", "meaning"});
    for (auto const& p : architecture.parameters())
        parameters.add(
            {p.name, p.unit,
             format == Format::csv ? models::print_value(p, p.default_value) : space::shown_value(p, p.default_value),
             values_text(called, p), remark(p)});
    TextTable metrics({"metric", "unit", "better", "meaning"});
    for (auto const& m : architecture.metrics())
        metrics.add({m.name, m.unit, std::string(better_text(m.better)), meaning_of(m)});
    if (format == Format::csv) {
        std::cout << parameters.csv() << "\n" << metrics.csv();
        return;
    }
    std::vector<std::string_view> fidelities;
    for (auto const fidelity : architecture.fidelities) fidelities.push_back(models::name_of(fidelity));
    auto const head = fmt::format("{}: {}\n", architecture.name, architecture.summary);
    std::cout << fmt::format("{}fidelities: {}\n\n{}\n{}", wrapped(head, screen_width()), fmt::join(fidelities, ", "),
                             parameters.text(screen_width()), metrics.text(screen_width()));
}

/// The full description of one parameter.
void print_parameter(std::string_view architecture, models::Parameter const& p, Format format) {
    if (format == Format::json) return print_json(parameter_json(architecture, p));
    TextTable table({p.name, "description"});
    table.add({"meaning", remark(p)});
    if (!p.unit.empty()) table.add({"unit", p.unit});
    table.add({"default", models::print_value(p, p.default_value)});
    if (auto const why = models::free_because(architecture, p.name); !why.empty())
        table.add({"may be faster at no cost", std::string(why)});
    if (!p.aliases.empty()) table.add({"also called", fmt::format("{}", fmt::join(p.aliases, " "))});
    for (auto const& choice : p.choices) table.add({"value", choice});
    if (p.choices.empty()) table.add({"values", values_text("", p)});
    if (p.accepts) table.add({"values", "or any text"});
    if (!p.items.empty()) table.add({"permutes", fmt::format("{}", fmt::join(p.items, " "))});
    print_table(table, format);
}

void print_metric(models::Metric const& m, models::MetricList const& metrics, Format format) {
    if (format == Format::json) return print_json(metric_json(m));
    TextTable table({m.name, "description"});
    table.add({"meaning", meaning_of(m)});
    table.add({"unit", m.unit.empty() ? "1" : m.unit});
    table.add({"better", std::string(better_text(m.better))});
    if (m.name == "power" || m.name.starts_with("power@")) {
        bool const has_peak = models::find_metric(metrics, "peak_power") >= 0;
        table.add({"note", has_peak ? "the average over the whole request, which a long phase of low power reduces. "
                                      "peak_power is the largest mean of a phase; use it for a limit in watts"
                                    : "the average over the whole request, which a long phase of low power reduces"});
    }
    print_table(table, format);
}

/// Prints the parameter or metric of this name.
void print_named(models::Architecture const& architecture, std::string const& name, Format format) {
    auto const parameters = architecture.parameters();
    auto const& metrics = architecture.metrics();
    if (int const p = models::find_parameter(parameters, name); p >= 0)
        return print_parameter(architecture.name, parameters[static_cast<std::size_t>(p)], format);
    if (int const m = models::find_metric(metrics, name); m >= 0)
        return print_metric(metrics[static_cast<std::size_t>(m)], metrics, format);
    auto names = sim::names_of(parameters);
    std::ranges::move(sim::names_of(metrics), std::back_inserter(names));
    throw UsageError("'{}' is neither a parameter nor a metric of {}.{}", name, architecture.name,
                     sim::suggestion(name, names));
}

using Rows = std::span<models::LedgerRow const>;

Json rows_json(Rows rows, std::vector<models::LedgerEntry> const& entries) {
    Json list = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i)
        list.push_back({{"row", entries[i].row},
                        {"what", rows[i].meaning},
                        {"account", models::name_of(entries[i].account)},
                        {"why", entries[i].why}});
    return list;
}

void add_rows(TextTable& table, std::string const& quantity, Rows rows,
              std::vector<models::LedgerEntry> const& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        table.add({quantity, std::string(entries[i].row), std::string(models::name_of(entries[i].account)),
                   std::string(rows[i].meaning), std::string(entries[i].why)});
}

/// The ledger of an architecture: the account of every row of energy and area.
void print_ledger(models::Architecture const& architecture, Format format) {
    auto const ledger = architecture.ledger();
    if (format == Format::json)
        return print_json({{"architecture", architecture.name},
                           {"energy", rows_json(models::energy_rows, ledger.energy)},
                           {"area", rows_json(models::area_rows, ledger.area)}});
    TextTable table({"quantity", "row", "account", "meaning", "source, assumption or reason"});
    add_rows(table, "energy", models::energy_rows, ledger.energy);
    add_rows(table, "area", models::area_rows, ledger.area);
    print_table(table, format);
}

models::Division division_of(CommandLine const& values) {
    constexpr std::int64_t max_parts = 1 << 16;
    auto const parts = [&](char const* flag) { return number_of<std::int64_t>(values, flag, {1, max_parts}); };
    return {parts("tensor"), parts("expert"), parts("pipeline")};
}

}  // namespace

int run_describe(CommandLine const& values) {
    Format const format = format_of(values);
    auto const what = values.needed("architecture");
    if (what == "model") {
        if (values.contains("ledger")) throw UsageError("--ledger is of an architecture. Leave it out?");
        print_model(values.needed("name"), division_of(values), format);
        return complete;
    }
    for (auto const* flag : {"tensor", "expert", "pipeline"})
        if (!values[flag].defaulted())
            throw UsageError("--{0} is of a model. Use pimdse describe model NAME --{0} N?", flag);
    auto const& architecture = models::find_architecture(what);
    if (values.contains("name")) {
        if (values.contains("ledger"))
            throw UsageError(
                "--ledger prints the ledger of the whole architecture. Leave out the name of the parameter or metric?");
        print_named(architecture, values.text("name"), format);
    } else if (values.contains("ledger"))
        print_ledger(architecture, format);
    else
        format == Format::json ? print_json(architecture_json(architecture))
                               : print_text(architecture, space::shell_word(what), format);
    return complete;
}

}  // namespace pimdse::dse::cli

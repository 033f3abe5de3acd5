#include "models/llm/config_reader.hpp"

#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/json_numbers.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pimdse::models {
namespace {

using sim::Json;

/// Line of a position in a text, from 1.
std::size_t line_at(std::string_view text, std::size_t position) {
    auto const until = text.substr(0, std::min(position, text.size()));
    return 1 + static_cast<std::size_t>(std::ranges::count(until, '\n'));
}

std::string content_of(std::filesystem::path const& file) {
    constexpr std::uintmax_t largest = 16 << 20;
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw sim::InputError(sim::cannot_be_read(file.string(), "it is a folder; the config.json in it is needed"));
    auto const size = std::filesystem::file_size(file, error);
    if (!error && size > largest)
        throw sim::InputError("{}: the file has {} bytes (at most {} are accepted)", file.string(), size, largest);
    auto content = error ? std::nullopt : sim::file_text(file);  // a device has no size, and may have no end
    if (!content) throw sim::InputError(sim::cannot_be_read(file.string()));
    return *std::move(content);
}

Json parsed(std::filesystem::path const& file, std::string const& text) {
    Json fields;
    try {
        fields = Json::parse(text);
    } catch (Json::Error const& error) {
        throw sim::InputError("{}:{}: this is not JSON", file.string(),
                              line_at(text, std::max<std::size_t>(error.byte, 1) - 1));
    }
    if (!fields.is_object())
        throw sim::InputError("{}:1: it is not an object of fields, {{\"model_type\": ...}}", file.string());
    return fields;
}

/// Whether a value switches off what its field is about.
bool switched_off(Json const& value) {
    return value.is_null() || value == false || value == 0 ||
           ((value.is_array() || value.is_object()) && value.empty());
}

/// Whether the name of a field speaks of shapes: by one of the words between its underscores, unless its last word says
/// that it is something else, or it is a field of generation.
bool speaks_of_shapes(std::string_view field) {
    constexpr std::string_view words =
        "num n dim dims size rank head heads layer layers expert experts window chunk conv state ssm mamba "
        "vision audio latent sparse hidden router ffn mlp moe kv shared sink sinks vocab pattern bias qk lora "
        "gate gating interval mixer indexer mla cla ut loop loops compress ratios index cross encoder tie tied "
        "share engram";
    constexpr std::string_view harmless =
        "id ids dropout eps epsilon std coef coeff loss noise scaling range prob act logits type func activation "
        "init version scale factor multiplier multipliers token tokens index entropy softcapping fusion";
    constexpr std::string_view of_generation =
        "num_beams num_beam_groups num_return_sequences num_labels output_hidden_states no_repeat_ngram_size "
        "bad_words_ids encoder_no_repeat_ngram_size batch_size chunk_size_feed_forward num_assistant_tokens "
        "num_hidden_layers_to_output";
    auto const parts = sim::split(field, '_');
    auto const among = [](std::string_view names, std::string_view part) {
        return std::ranges::count(sim::split(names, ' '), part) > 0;
    };
    if (among(harmless, parts.back()) || among(of_generation, field) || std::ranges::count(parts, "fp32") > 0)
        return false;
    if (field.starts_with("layer_norm") || field.starts_with("do_layer_norm") || field.starts_with("init"))
        return false;
    return std::ranges::any_of(parts, [&](std::string_view part) { return among(words, part); });
}

/// Whether a field names a type of numbers that is not known to be as wide as unconverted ones.
bool names_narrow_type(std::string_view field, Json const& value) {
    if (!field.ends_with("dtype") || !value.is_string()) return false;
    auto const type = value.get<std::string>();
    constexpr std::array<std::string_view, 7> wide{"16", "32", "64", "auto", "half", "double", "none"};
    return type != "float" &&
           std::ranges::none_of(wide, [&](std::string_view part) { return type.find(part) != type.npos; });
}

}  // namespace

ConfigReader::ConfigReader(std::filesystem::path file, std::vector<std::string>& mistakes)
    : file_(std::move(file)),
      text_(std::make_shared<std::string const>(
          sim::with_unheld_numbers_quoted(sim::without_byte_order_mark(content_of(file_))))),
      fields_(parsed(file_, *text_)),
      mistakes_(mistakes) {}

ConfigReader::ConfigReader(std::filesystem::path file, Json fields, std::vector<std::string>& mistakes,
                           std::size_t line)
    : file_(std::move(file)),
      text_(std::make_shared<std::string const>()),
      line_(line),
      fields_(std::move(fields)),
      mistakes_(mistakes) {}

/// The library keeps no positions of values: an object begins behind its name.
ConfigReader::ConfigReader(ConfigReader const& whole, std::string_view field, Json fields)
    : file_(whole.file_),
      text_(whole.text_),
      line_(whole.line_),
      fields_(std::move(fields)),
      mistakes_(whole.mistakes_) {
    auto const at = text_->find(fmt::format("\"{}\"", field), whole.begin_);
    begin_ = at == text_->npos ? whole.begin_ : at;
}

Json const* ConfigReader::value(std::string_view field) {
    read_.emplace(field);
    auto const* found = fields_.member(field);
    auto const dot = field.find('.');
    if (found != nullptr || dot == field.npos) return found;
    read_.emplace(field.substr(0, dot));
    auto const* outer = fields_.member(field.substr(0, dot));
    if (outer == nullptr || !outer->is_array())
        return outer == nullptr ? nullptr : outer->member(field.substr(dot + 1));
    auto const entry = sim::number_in<std::size_t>(field.substr(dot + 1));
    return entry && *entry < outer->size() ? &(*outer)[*entry] : nullptr;
}

Json const* ConfigReader::present(std::string_view field) {
    auto const* found = value(field);
    return found == nullptr || found->is_null() ? nullptr : found;
}

/// The line is that of the first `"field"` of the text in this object or behind it.
void ConfigReader::mistake(std::string_view field, std::string const& sentence) {
    auto at = text_->find(fmt::format("\"{}\"", field), begin_);
    if (at == text_->npos) at = text_->find(fmt::format("\"{}\"", field.substr(field.rfind('.') + 1)), begin_);
    auto const line = line_ - 1 + line_at(*text_, at == text_->npos ? begin_ : at);
    auto text = fmt::format("{}:{}: {}", file_.string(), line, sentence);
    if (std::ranges::find(mistakes_, text) == mistakes_.end()) mistakes_.push_back(std::move(text));
}

std::optional<std::int64_t> ConfigReader::whole(std::string_view field, Json const& node, std::int64_t least,
                                                std::int64_t most) {
    if (node.is_number()) {
        auto const value = node.get<double>();
        if (value == std::floor(value) && value >= static_cast<double>(least) && value <= static_cast<double>(most))
            return static_cast<std::int64_t>(value);
    }
    mistake(field,
            fmt::format("{} = {} is not a whole number in {}..{}", field, sim::clipped(node.dump()), least, most));
    return std::nullopt;
}

std::int64_t ConfigReader::count(std::string_view field, std::int64_t most) {
    auto const* node = present(field);
    if (node == nullptr) {
        mistake(field, fmt::format("'{}' is missing (a whole number in 1..{})", field, most));
        return 1;
    }
    return whole(field, *node, 1, most).value_or(1);
}

std::int64_t ConfigReader::number_or(std::string_view field, std::int64_t least, std::int64_t most,
                                     std::int64_t otherwise) {
    auto const* node = present(field);
    return node == nullptr ? otherwise : whole(field, *node, least, most).value_or(otherwise);
}

bool ConfigReader::flag_or(std::string_view field, bool otherwise) {
    auto const* node = present(field);
    if (node == nullptr) return otherwise;
    if (node->is_boolean()) return node->get<bool>();
    mistake(field, fmt::format("{} = {} is neither true nor false", field, sim::clipped(node->dump())));
    return otherwise;
}

std::string ConfigReader::text_or(std::string_view field, std::string_view otherwise) {
    auto const* node = present(field);
    if (node == nullptr) return std::string(otherwise);
    if (node->is_string()) return node->get<std::string>();
    mistake(field, fmt::format("{} = {} is not a text in quotes", field, sim::clipped(node->dump())));
    return std::string(otherwise);
}

std::vector<std::string> ConfigReader::texts(std::string_view field) {
    auto const* node = present(field);
    if (node == nullptr) return {};
    if (node->is_array() && std::ranges::all_of(*node, &Json::is_string)) return node->get<std::vector<std::string>>();
    mistake(field, fmt::format("{} = {} is not a list of texts", field, sim::clipped(node->dump())));
    return {};
}

std::vector<std::int64_t> ConfigReader::counts(std::string_view field, std::int64_t most) {
    std::vector<std::int64_t> numbers;
    auto const add = [&](Json const& entry) {
        if (auto const number = whole(field, entry, 0, most)) numbers.push_back(*number);
    };
    auto const* node = present(field);
    if (node != nullptr && node->is_string()) {
        auto const text = node->get<std::string>();
        for (auto const word : sim::split(text, ',')) {
            auto const number = sim::number_in<std::int64_t>(sim::trimmed(word));
            add(number ? Json(*number) : Json(word));
        }
    } else if (node != nullptr && node->is_array()) {
        for (auto const& entry : *node) add(entry);
    } else if (node != nullptr) {
        mistake(field, fmt::format("{} = {} is not a list of numbers", field, sim::clipped(node->dump())));
    }
    return numbers;
}

ConfigReader ConfigReader::inside(std::string_view field) {
    auto const* node = present(field);
    if (node != nullptr && !node->is_object())
        mistake(field, fmt::format("{} = {} is not an object of fields", field, sim::clipped(node->dump())));
    return {*this, field, node != nullptr && node->is_object() ? *node : Json::object()};
}

std::vector<ConfigReader> ConfigReader::each(std::string_view field) {
    std::vector<ConfigReader> parts;
    auto const* node = value(field);
    if (node != nullptr && node->is_array() && !node->empty() && std::ranges::all_of(*node, &Json::is_object))
        for (auto const& entry : *node) parts.push_back({*this, field, entry});
    else
        mistake(field, fmt::format("{} is not a list of objects", field));
    return parts;
}

std::vector<std::string> ConfigReader::names() const {
    std::vector<std::string> names;
    for (auto const& [field, value] : fields_.items()) names.push_back(field);
    return names;
}

bool ConfigReader::is_on(std::string_view field) {
    auto const* node = present(field);
    return node != nullptr && !switched_off(*node);
}

bool ConfigReader::says(std::string_view field, std::string_view text) {
    auto const* node = present(field);
    auto const is_it = [&](Json const& one) { return (one.is_string() ? one.get<std::string>() : one.dump()) == text; };
    return node != nullptr && (node->is_array() ? std::ranges::any_of(*node, is_it) : is_it(*node));
}

bool ConfigReader::is_by_layer(std::string_view field, std::size_t entries, std::int64_t layers) {
    if (static_cast<std::int64_t>(entries) == layers) return true;
    mistake(field, fmt::format("{} has {} entries (there are {} layers)", field, entries, layers));
    return false;
}

void ConfigReader::refuse(std::string_view field, std::string_view why) {
    auto const* node = present(field);
    if (node == nullptr || switched_off(*node)) return;
    mistake(field, fmt::format("{} = {}: {}", field, sim::clipped(node->dump()), why));
}

void ConfigReader::refuse_unknown_shapes() {
    for (auto const& [field, value] : fields_.items()) {
        if (read_.contains(field) || switched_off(value)) continue;
        bool const is_type = names_narrow_type(field, value);
        if (!is_type && !speaks_of_shapes(field)) continue;
        mistake(field, fmt::format("{} = {} is not modelled ({}; take the field out if it changes none)",
                                   sim::clipped(field), sim::clipped(value.dump()),
                                   is_type ? "it names a format of weights" : "its name speaks of shapes"));
    }
}

void ConfigReader::refuse_unknown_fields() {
    std::vector<std::string> const known(read_.begin(), read_.end());
    for (auto const& field : names())
        if (!read_.contains(field))
            mistake(field, fmt::format("unknown key '{}'.{}", sim::clipped(field), sim::suggestion(field, known)));
}

Json json_of(toml::node const& node) {
    if (auto const* table = node.as_table()) {
        auto object = Json::object();
        for (auto const& [key, value] : *table) object[std::string(key.str())] = json_of(value);
        return object;
    }
    if (auto const* list = node.as_array()) {
        auto values = Json::array();
        for (auto const& entry : *list) values.push_back(json_of(entry));
        return values;
    }
    if (node.is_boolean()) return *node.value<bool>();
    if (node.is_integer()) return *node.value<std::int64_t>();
    if (node.is_floating_point()) return *node.value<double>();
    return scalar_text(node);
}

}  // namespace pimdse::models

#include "models/llm/config_modules.hpp"

#include "models/llm/weight_format.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace pimdse::models {
namespace {

constexpr std::string_view expression = "re:", layer_word = "layers.", expert_word = "experts.";

/// The number behind a word in a name, such as that of a layer.
std::optional<std::int64_t> number_behind(std::string_view name, std::string_view word) {
    auto const at = name.find(word);
    if (at == name.npos) return std::nullopt;
    auto const* first = name.data() + at + word.size();
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(first, name.data() + name.size(), number);
    bool const whole = error == std::errc() && (end == name.data() + name.size() || *end == '.' || *end == '\\');
    return whole ? std::optional(number) : std::nullopt;
}

/// Whether `name` is a module, or one around it: words of `module` between dots.
bool is_part(std::string_view module, std::string_view name) {
    for (auto at = module.find(name); at != module.npos; at = module.find(name, at + 1)) {
        auto const end = at + name.size();
        if ((at == 0 || module[at - 1] == '.') && (end == module.size() || module[end] == '.')) return true;
    }
    return false;
}

/// The name of a matrix of a layer; `expert` in place of the sign for any.
std::string module_of(ConfigFamily const& family, WeightMatrix const& matrix, bool beside_experts, std::int64_t layer,
                      std::int64_t expert) {
    auto own = family.module(matrix.name);
    auto const last = own.substr(own.rfind('.') + 1);
    if (matrix.count > 1) {
        auto const of_expert = family.module("expert_" + matrix.name);
        own = fmt::format("{}.{}", family.module("experts"), of_expert.empty() ? last : of_expert);
        if (auto const sign = own.find('#'); sign != own.npos) own.replace(sign, 1, fmt::format("{}", expert));
    } else if (beside_experts) {
        own = fmt::format("{}.{}", family.module("shared"), last);
    }
    return fmt::format("{}.{}.{}", family.module("layers"), layer, own);
}

/// The formats of the modules of one model.
class Formats {
  public:
    Formats(ConfigReader& file, ConfigFamily const& family, FormatRules const& rules)
        : file_(file), family_(family), all_(rules) {
        for (auto const& rule : rules.rules) {
            by_expert_ = by_expert_ || rule.of_one_expert();
            (rule.layer() ? of_layer_[*rule.layer()] : of_any_).push_back(&rule);
        }
    }

    [[nodiscard]] NumberFormat const* named(std::string const& module, std::int64_t layer) const {
        NumberFormat const* format = nullptr;
        ModuleRule const* first = nullptr;
        auto const look = [&](std::vector<ModuleRule const*> const& rules) {
            for (auto const* rule : rules) {
                if (!rule->means(module)) continue;
                if (first == nullptr || rule < first) first = rule;
                return;
            }
        };
        look(of_any_);
        if (auto const own = of_layer_.find(layer); own != of_layer_.end()) look(own->second);
        if (first != nullptr) format = &first->format();
        return format;
    }

    /// The format of layer `i`, which has these matrices.
    [[nodiscard]] WeightFormat of_layer(LanguageModel const& one, std::vector<WeightMatrix> const& matrices,
                                        std::int64_t i) const {
        WeightFormat format = ends_;
        bool const sparse = one.experts > 0;
        for (auto const& matrix : matrices) {
            bool const network = matrix.name == "gate" || matrix.name == "up" || matrix.name == "down";
            auto const of_expert = [&](std::int64_t expert) {
                auto const* named =
                    this->named(module_of(family_, matrix, sparse && network && matrix.count == 1, i, expert), i);
                return named == nullptr ? all_.usual : *named;
            };
            auto const own = of_expert(0);
            for (std::int64_t e = 1; by_expert_ && !file_.has_mistakes() && e < matrix.count; ++e) {
                if (of_expert(e) == own) continue;
                file_.mistake("quant_method", fmt::format("formats of single experts are not modelled ({})",
                                                          module_of(family_, matrix, false, i, e)));
                break;
            }
            if (own != all_.usual) format.others[matrix_key(matrix)] = own;
        }
        if (sparse)
            set_entry(format, "router", fmt::format("{}.{}.{}", family_.module("layers"), i, family_.module("router")),
                      all_.router, i);
        return format;
    }

    /// The formats of what is outside the layers.
    void set_ends() {
        ends_.method = all_.method;
        ends_.usual = all_.usual;
        set_entry(ends_, "lm_head", family_.module("lm_head"), all_.head, -1);
        set_entry(ends_, "embedding", family_.module("embedding"), all_.embedding, -1);
        if (all_.cache != NumberFormat{}) ends_.others[std::string(cache_entry)] = all_.cache;
        set_entry(ends_, "layer_table", family_.module("layer_table"), all_.embedding, -1);
    }

  private:
    void set_entry(WeightFormat& format, std::string const& entry, std::string const& module, bool otherwise,
                   std::int64_t layer) const {
        if (!otherwise) return;
        auto const* named = this->named(module, layer);
        auto const& own = named == nullptr ? all_.usual : *named;
        if (own != NumberFormat{}) format.others[entry] = own;
    }

    ConfigReader& file_;
    ConfigFamily const& family_;
    FormatRules const& all_;
    std::vector<ModuleRule const*> of_any_;
    std::map<std::int64_t, std::vector<ModuleRule const*>> of_layer_;
    bool by_expert_ = false;
    WeightFormat ends_;
};

}  // namespace

ModuleRule::ModuleRule(ConfigReader& file, std::string_view field, std::string name, Names meaning, NumberFormat format)
    : name_(std::move(name)), meaning_(meaning), format_(std::move(format)) {
    bool const marked = name_.starts_with(expression);
    if (marked) name_.erase(0, expression.size());
    if (meaning_ == Names::wildcards && !marked)
        pattern_ = PythonPattern::of_wildcards(name_);
    else if (marked || meaning_ == Names::parents)
        pattern_ = PythonPattern::parse(name_);
    if (marked && !pattern_)
        file.mistake(
            field, fmt::format("{}: '{}' is not a regular expression that is understood", field, sim::clipped(name_)));
    if (marked) meaning_ = Names::exact;
    of_one_expert_ = number_behind(name_, expert_word).has_value() ||
                     (marked && pattern_ && name_.find("expert") != name_.npos && pattern_->tells_digits_apart());
    if (!marked) layer_ = number_behind(name_, layer_word);
}

bool ModuleRule::means_exactly(std::string_view module) const {
    if (meaning_ == Names::exact) return pattern_ ? pattern_->matches(module) : module == name_;
    return is_part(module, name_) || (pattern_ && pattern_->matches(module));
}

bool ModuleRule::means(std::string_view module) const {
    if (means_exactly(module)) return true;
    // In a wrapper the same module has one of these names.
    constexpr std::array prefixes{"language_model.", "model.language_model.", "thinker."};
    constexpr std::string_view own = "model.";
    auto const inner = module.starts_with(own) ? module.substr(own.size()) : module;
    return std::ranges::any_of(prefixes, [&](char const* prefix) {
        return means_exactly(std::string(prefix) + std::string(module)) ||
               means_exactly(std::string(prefix) + std::string(inner));
    });
}

void set_formats(ConfigReader& file, ConfigFamily const& family, FormatRules const& rules, LanguageModel& model,
                 std::vector<LayerKind>& layers) {
    bool const renumbered = !family.of_shape("renumbered").is_null();
    if (renumbered && std::ranges::any_of(rules.rules, [](auto const& rule) { return rule.layer().has_value(); }))
        file.mistake(
            "quant_method",
            fmt::format("formats of single layers are not modelled in {}, whose layers have other numbers here",
                        family.name));
    Formats formats(file, family, rules);
    formats.set_ends();
    bool const alike = std::ranges::none_of(rules.rules, &ModuleRule::tells_layers_apart);
    /// Layers that are equal, and their format if it depends on the digits of their numbers only.
    struct Shape {
        LayerKind kind;
        LanguageModel one;
        std::map<std::size_t, std::size_t> formats{};  ///< by digits
    };
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        auto shape = std::ranges::find(shapes, layers[i], &Shape::kind);
        if (shape == shapes.end()) {
            auto one = model;
            set_layers(one, {layers[i]});
            shape = shapes.insert(shapes.end(), {layers[i], std::move(one)});
        }
        auto const [at, is_new] = shape->formats.try_emplace(fmt::formatted_size("{}", i));
        if (is_new || !alike) {
            auto format = formats.of_layer(shape->one, layer_matrices(shape->one), static_cast<std::int64_t>(i));
            auto const known = std::ranges::find(model.formats, format);
            at->second = static_cast<std::size_t>(known - model.formats.begin());
            if (known == model.formats.end()) model.formats.push_back(std::move(format));
        }
        layers[i].format = at->second;
    }
    model.weight_format = model.formats.front();
}

}  // namespace pimdse::models

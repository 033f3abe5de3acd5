#include "dse/uncertain/uncertainty_reader.hpp"

#include "dse/uncertain/known_constants.hpp"
#include "dse/uncertain/pass.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::string_view table_name = "uncertain";
constexpr std::array<std::string_view, 3> settings{"samples", "seed", "correlated"};
constexpr std::uint64_t max_samples = 100'000;
constexpr double deviations = 3.0;   // at which a normal distribution is cut off
constexpr double usual_times = 2.0;  // an assumed constant without a stated range: half to twice

/// An entry of the table: a name or a pattern, and the node with the range.
struct RangeEntry {
    std::string name;
    toml::node const* node = nullptr;
    std::string where;  ///< "FILE:LINE: [uncertain] NAME"
    [[nodiscard]] bool before(RangeEntry const& other) const {
        bool const a = is_pattern(name), b = is_pattern(other.name);
        return a != b ? a : name.size() < other.name.size();
    }
};

/// Numbers of a range in the dimension of a constant. Throws InputError.
class RangeTexts {
  public:
    explicit RangeTexts(UncertainConstant const& constant)
        : unit_(sim::parse_unit(constant.unit.empty() ? "1" : constant.unit)), text_(constant.unit) {}

    [[nodiscard]] double value(toml::node const* node, std::string_view what) const {
        if (node != nullptr && node->is_number()) {
            if (!unit_.dimension.is_number())
                throw sim::InputError("{} is a number without a unit. Write it in {}?", what, text_);
            return sim::in_si(node->value_or(0.0), unit_);
        }
        auto const* text = node == nullptr ? nullptr : node->as_string();
        if (text == nullptr) throw sim::InputError("{} must be a number with its unit", what);
        auto const quantity = sim::parse_quantity(text->get());
        if (quantity.dimension != unit_.dimension)
            throw sim::InputError("{} = '{}' is {} (it must be {}, in {})", what, text->get(),
                                  sim::a_dimension(quantity.dimension), sim::a_dimension(unit_.dimension),
                                  text_.empty() ? "1" : text_);
        return quantity.si;
    }

    [[nodiscard]] std::vector<double> list(toml::node const& node, std::string_view what) const {
        auto const* array = node.as_array();
        if (array == nullptr || array->empty()) throw sim::InputError("{} must be a list of values", what);
        std::vector<double> values;
        for (auto const& entry : *array) values.push_back(value(&entry, what));
        return values;
    }

  private:
    sim::Unit unit_;
    std::string text_;
};

void set_times(UncertainConstant& constant, double times) {
    constant.distribution = Distribution::log_uniform;
    constant.lower = constant.nominal / times;
    constant.upper = constant.nominal * times;
    if (constant.nominal < 0.0) std::swap(constant.lower, constant.upper);
}

void set_stated(UncertainConstant& constant, KnownConstant const& known) {
    bool const stated = known.stated_lower < known.stated_upper;
    if (!stated) return set_times(constant, usual_times);
    constant.lower = known.stated_lower;
    constant.upper = known.stated_upper;
    constant.distribution = constant.lower > 0.0 ? Distribution::log_uniform : Distribution::uniform;
}

/// Sets the distribution that an entry states. Throws InputError.
void set_range(UncertainConstant& constant, KnownConstant const& known, toml::node const& node) {
    constexpr std::string_view help =
        "write { low = .., high = .. }, { times = .. }, { normal = [mean, deviation] }, { choices = [..] } or "
        "\"stated\"";
    if (auto const* text = node.as_string(); text != nullptr && text->get() == "stated")
        return set_stated(constant, known);
    auto const* table = node.as_table();
    if (table == nullptr) throw sim::InputError("is not a range ({})", help);
    RangeTexts const texts(constant);
    auto const has = [&](char const* key) { return table->contains(key); };
    std::size_t const keys = table->size();
    if (has("times") && keys == 1) {
        double const times = table->get("times")->value_or(0.0);
        if (!(times > 1.0) || !std::isfinite(times)) throw sim::InputError("times must be a number above 1");
        set_times(constant, times);
    } else if (has("low") && has("high") && keys == 2) {
        constant.distribution = Distribution::uniform;
        constant.lower = texts.value(table->get("low"), "low");
        constant.upper = texts.value(table->get("high"), "high");
        if (!(constant.lower <= constant.upper)) throw sim::InputError("low must not be above high");
        if (constant.nominal < constant.lower || constant.nominal > constant.upper)
            throw sim::InputError("the value of the machine, {}, is not between low and high",
                                  constant.text_of(constant.nominal));
    } else if (has("normal") && keys == 1) {
        auto const pair = texts.list(*table->get("normal"), "normal");
        if (pair.size() != 2 || !(pair[1] > 0.0))
            throw sim::InputError("normal must be a mean and a standard deviation above 0");
        constant.distribution = Distribution::normal;
        constant.mean = pair[0];
        constant.deviation = pair[1];
        constant.lower = pair[0] - deviations * pair[1];
        constant.upper = pair[0] + deviations * pair[1];
    } else if (has("choices") && keys == 1) {
        constant.choices = texts.list(*table->get("choices"), "choices");
        std::ranges::sort(constant.choices);
        constant.distribution = Distribution::choices;
        constant.lower = constant.choices.front();
        constant.upper = constant.choices.back();
    } else {
        throw sim::InputError("is not a range ({})", help);
    }
    if (!(constant.lower > 0.0) && constant.nominal > 0.0 && !known.parameter)
        throw sim::InputError("the range begins at {}, but the constant must be above 0",
                              constant.text_of(constant.lower));
}

/// Finds out which values the rules of the machines accept.
class RuleCheck {
  public:
    RuleCheck(space::Space const& space, UncertainConstant& constant) : space_(space), constant_(constant) {}

    /// The sentence of the first rule that refuses the value; "" if all accept it.
    [[nodiscard]] std::string refusal(double si) const {
        std::vector<UncertainConstant> const one{constant_};
        for (std::size_t m = 0; m < space_.machines().size(); ++m) {
            if (!reads(constant_, m)) continue;
            try {
                auto const machine = varied_machine(space_.machines()[m], m, one, {{0, si}});
                if (auto why = beyond_limits(machine, m, si); !why.empty()) return why;
            } catch (sim::InputError const& error) {
                return error.sentences().front();
            }
        }
        return "";
    }

    /// Rounds values if the machine accepts whole numbers only.
    void find_whole() {
        if (constant_.whole || constant_.nominal != std::round(constant_.nominal)) return;
        constexpr double little = 1e-6;
        constant_.whole = !refusal(constant_.nominal * (1.0 + little)).empty() &&
                          !refusal(constant_.nominal * (1.0 - little)).empty();
    }

    /// The end of the range, or the accepted value that is nearest to it.
    [[nodiscard]] double accepted_end(double end) const {
        auto const at = [&](double si) { return constant_.rounded(si); };
        if (refusal(at(end)).empty()) return at(end);
        constexpr int halvings = 24;
        double inside = constant_.nominal, outside = end;
        for (int i = 0; i < halvings; ++i) {
            double const middle = inside / 2.0 + outside / 2.0;
            (refusal(at(middle)).empty() ? inside : outside) = middle;
        }
        return at(inside);
    }

  private:
    [[nodiscard]] std::string beyond_limits(space::Machine const& machine, std::size_t m, double si) const {
        for (auto const& binding : constant_.bindings) {
            if (binding.machine != m || binding.place != Binding::Place::parameter) continue;
            auto const at = static_cast<std::size_t>(models::find_parameter(machine.parameters(), binding.name));
            auto const& parameter = machine.parameters()[at];
            bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
            if (limited && (si < parameter.lower || si > parameter.upper))
                return fmt::format("parameter {} must be from {} to {}", parameter.name,
                                   constant_.text_of(parameter.lower), constant_.text_of(parameter.upper));
        }
        return "";
    }

    space::Space const& space_;
    UncertainConstant& constant_;
};

class UncertaintyReader {
  public:
    UncertaintyReader(space::Space const& space, std::string file)
        : space_(space), file_(std::move(file)), content_(models::parse_toml(space.text(), file_)) {}

    [[nodiscard]] bool has_table() const { return content_.contains(table_name); }

    Uncertainty read(UncertaintyFlags const& flags) {
        static toml::table const none;
        auto const* node = content_.get(table_name);
        if (node != nullptr && node->as_table() == nullptr)
            throw sim::InputError("{}: 'uncertain' must be a table, such as [uncertain]",
                                  models::place(file_, node->source()));
        auto const& table = node == nullptr ? none : *node->as_table();
        known_ = known_constants(space_);
        read_settings(table);
        if (flags.samples) result_.samples = *flags.samples;
        if (flags.seed) result_.seed = *flags.seed;
        read_entries(table);
        add_chosen();
        read_correlated(table);
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        if (result_.constants.empty())
            throw sim::InputError("{}: no constant is uncertain ({}). Name some in [uncertain]?", file_, why_none());
        return std::move(result_);
    }

  private:
    [[nodiscard]] std::string_view why_none() const {
        if (!chosen_.empty()) return "rules of the machines leave one value of each";
        return named_ ? "patterns leave out constants that are 0" : "no machine of the space has an assumed one";
    }

    void read_settings(toml::table const& table) {
        result_.samples = count(table, "samples", result_.samples, max_samples);
        result_.seed = count(table, "seed", result_.seed, UINT32_MAX);
    }

    std::uint64_t count(toml::table const& table, std::string_view key, std::uint64_t otherwise, std::uint64_t max) {
        auto const* node = table.get(key);
        if (node == nullptr) return otherwise;
        auto const value = node->is_integer() ? node->value_or(std::int64_t{-1}) : std::int64_t{-1};
        if (value >= 0 && static_cast<std::uint64_t>(value) <= max) return static_cast<std::uint64_t>(value);
        mistakes_.push_back(fmt::format("{}: '{}' must be a whole number from 0 to {}",
                                        models::place(file_, node->source()), key, max));
        return otherwise;
    }

    void read_entries(toml::table const& table) {
        std::vector<RangeEntry> entries;
        collect(table, "", entries);
        named_ = !entries.empty();
        if (!named_) {
            static toml::value<std::string> const stated{"stated"};
            entries.push_back({"*.assumed", &stated, file_ + ": *.assumed"});
        }
        std::ranges::stable_sort(entries, [](RangeEntry const& a, RangeEntry const& b) { return a.before(b); });
        for (auto const& entry : entries) choose(entry);
    }

    /// A key may be written "umdam.mac" or as a table [uncertain.umdam].
    void collect(toml::table const& table, std::string const& prefix, std::vector<RangeEntry>& into) {
        for (auto const& [key, node] : table) {
            if (prefix.empty() && std::ranges::find(settings, key.str()) != settings.end()) continue;
            auto const name = prefix + std::string(key.str());
            auto const* inner = node.as_table();
            if (inner != nullptr && !is_range(*inner) && !is_pattern(name) && name.find('.') == std::string::npos)
                collect(*inner, name + ".", into);
            else
                into.push_back(
                    {name, &node, fmt::format("{}: [uncertain] {}", models::place(file_, key.source()), name)});
        }
    }

    [[nodiscard]] static bool is_range(toml::table const& table) {
        constexpr std::array<char const*, 5> keys{"low", "high", "times", "normal", "choices"};
        return std::ranges::any_of(keys, [&](char const* key) { return table.contains(key); });
    }

    /// The name with the architecture in place of the name of a machine, and the machine; a plain name belongs to the
    /// only machine.
    [[nodiscard]] std::pair<std::string, int> resolved(std::string const& name) const {
        auto const dot = name.find('.');
        auto const& machines = space_.machines();
        if (dot == std::string::npos)
            return {machines.size() == 1 && !is_pattern(name) ? std::string(machines[0].architecture->name) + "." + name
                                                              : name,
                    -1};
        for (std::size_t m = 0; m < machines.size(); ++m) {
            auto const& machine = machines[m];
            if (machine.name == name.substr(0, dot) && machine.name != machine.architecture->name)
                return {std::string(machine.architecture->name) + name.substr(dot), static_cast<int>(m)};
        }
        return {name, -1};
    }

    void choose(RangeEntry const& entry) {
        auto const [name, machine] = resolved(entry.name);
        std::size_t found = 0;
        for (std::size_t k = 0; k < known_.size(); ++k) {
            if (!selects(name, known_[k])) continue;
            if (machine >= 0 && !reads(known_[k].constant, static_cast<std::size_t>(machine))) continue;
            ++found;
            bool const pattern = is_pattern(entry.name);
            if (pattern && known_[k].constant.nominal == 0.0) continue;
            chosen_.insert_or_assign(machine < 0 ? k : of_machine(k, static_cast<std::size_t>(machine)), entry);
        }
        if (found > 0) return;
        if (auto const reason = why_unread(space_, name); !reason.empty()) {
            mistakes_.push_back(fmt::format("{}: {}", entry.where, reason));
            return;
        }
        std::vector<std::string> names, of_table;  // of_table: those that begin with the same table
        for (auto const& known : known_) {
            names.push_back(known.constant.name);
            if (names.back().starts_with(name.substr(0, name.find('.') + 1))) of_table.push_back(names.back());
        }
        if (!of_table.empty()) names = std::move(of_table);
        mistakes_.push_back(entry.where + (is_pattern(entry.name)
                                               ? std::string(": no constant of the space has such a name")
                                               : ": the space has no such constant." + sim::suggestion(name, names)));
    }

    /// The constant of one machine alone: the others keep theirs.
    std::size_t of_machine(std::size_t k, std::size_t machine) {
        auto& bindings = known_[k].constant.bindings;
        if (std::ranges::all_of(bindings, [&](auto const& binding) { return binding.machine == machine; })) return k;
        auto own = known_[k];
        std::erase_if(own.constant.bindings, [&](auto const& binding) { return binding.machine != machine; });
        own.constant.name = space_.machines()[machine].name + own.constant.name.substr(own.constant.name.find('.'));
        std::erase_if(bindings, [&](auto const& binding) { return binding.machine == machine; });
        known_.push_back(std::move(own));
        return known_.size() - 1;
    }

    /// What is made of an entry of the table for a constant.
    struct Chosen {
        std::optional<UncertainConstant> constant{};  ///< nullopt: the rules of the machines leave no range
        std::string remark{}, mistake{};
    };

    void add_chosen() {
        std::vector<std::pair<std::size_t, RangeEntry const*>> entries;
        for (auto const& [at, entry] : chosen_) entries.emplace_back(at, &entry);
        std::vector<Chosen> all(entries.size());
        tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
            auto const& [at, entry] = entries[i];
            try {
                all[i] = chosen(known_[at], *entry);
            } catch (sim::InputError const& error) {
                all[i].mistake = fmt::format("{}: {}", entry->where, error.what());
            }
        });
        for (auto& one : all) {
            if (one.constant) result_.constants.push_back(std::move(*one.constant));
            if (!one.remark.empty()) result_.remarks.push_back(std::move(one.remark));
            if (!one.mistake.empty()) mistakes_.push_back(std::move(one.mistake));
        }
    }

    [[nodiscard]] Chosen chosen(KnownConstant const& known, RangeEntry const& entry) const {
        auto constant = known.constant;
        bool const exact = !is_pattern(entry.name);
        set_range(constant, known, *entry.node);
        constant.source = exact ? "stated in the space" : entry.name;
        if (result_.samples == 0) return {std::move(constant)};
        RuleCheck check(space_, constant);
        check.find_whole();
        if (exact) {
            for (double const end : {constant.lower, constant.upper})
                if (auto why = check.refusal(constant.rounded(end)); !why.empty())
                    throw sim::InputError("{} is refused: {}", constant.text_of(end), why);
            return {std::move(constant)};
        }
        auto remark = cut(constant, check);
        if (constant.lower == constant.upper) return {std::nullopt, std::move(remark)};
        return {std::move(constant), std::move(remark)};
    }

    /// Ranges of patterns end where the rules of a machine do. A remark, if one ends earlier than it would.
    static std::string cut(UncertainConstant& constant, RuleCheck const& check) {
        double const lower = check.accepted_end(constant.lower), upper = check.accepted_end(constant.upper);
        bool const same = lower == constant.rounded(constant.lower) && upper == constant.rounded(constant.upper);
        constant.lower = lower;
        constant.upper = upper;
        if (constant.distribution == Distribution::choices)
            std::erase_if(constant.choices, [&](double value) { return value < lower || value > upper; });
        return same ? ""
                    : fmt::format("the range of {} is {} to {} (its rules allow no more)", constant.name,
                                  constant.text_of(lower), constant.text_of(upper));
    }

    void read_correlated(toml::table const& table) {
        auto const* node = table.get("correlated");
        if (node == nullptr) return;
        auto const where = fmt::format("{}: [uncertain] correlated", models::place(file_, node->source()));
        auto const* list = node->as_array();
        if (list == nullptr) {
            mistakes_.push_back(where + " must be a list of pairs, such as [[\"*.dram_array\", 0.8]]");
            return;
        }
        for (auto const& entry : *list) read_group(entry, where);
    }

    /// ["PATTERN", COEFFICIENT], with one pattern or several.
    void read_group(toml::node const& node, std::string const& where) {
        auto const* list = node.as_array();
        auto const size = list == nullptr ? 0 : list->size();
        double const coefficient = size < 2 ? -1.0 : (*list)[size - 1].value_or(-1.0);
        if (size < 2 || !(coefficient >= 0.0 && coefficient <= 1.0)) {
            mistakes_.push_back(where + ": an entry must be names or patterns and a coefficient from 0 to 1");
            return;
        }
        Correlation group;
        group.coefficient = coefficient;
        for (std::size_t i = 0; i + 1 < size; ++i) add_to_group(group, (*list)[i].value_or(std::string{}), where);
        result_.correlated.push_back(std::move(group));
    }

    void add_to_group(Correlation& group, std::string const& pattern, std::string const& where) {
        std::size_t found = 0;
        for (std::size_t c = 0; c < result_.constants.size(); ++c) {
            KnownConstant known;
            known.constant.name = result_.constants[c].name;
            known.assumed = true;
            if (!selects(pattern, known)) continue;
            ++found;
            auto const taken = [&](Correlation const& other) {
                return std::ranges::find(other.constants, c) != other.constants.end();
            };
            if (std::ranges::any_of(result_.correlated, taken))
                mistakes_.push_back(fmt::format("{}: {} is in two groups", where, known.constant.name));
            if (!taken(group)) group.constants.push_back(c);
        }
        if (found == 0)
            mistakes_.push_back(fmt::format("{}: '{}' is the name of no uncertain constant", where, pattern));
    }

    space::Space const& space_;
    std::string file_;
    toml::table content_;
    std::vector<KnownConstant> known_;
    std::map<std::size_t, RangeEntry> chosen_;
    bool named_ = false;  ///< the table has entries
    std::vector<std::string> mistakes_;
    Uncertainty result_;
};

}  // namespace

std::optional<Uncertainty> read_uncertainty(space::Space const& space, std::string const& file,
                                            UncertaintyFlags const& flags) {
    UncertaintyReader reader(space, file);
    if (!reader.has_table() && !flags.samples) return std::nullopt;
    auto result = reader.read(flags);
    return result.samples > 0 ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace pimdse::dse::uncertain

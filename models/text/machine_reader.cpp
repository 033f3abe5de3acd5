#include "models/text/machine_reader.hpp"

#include "models/contract/constant_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/head.hpp"
#include "models/text/numbers.hpp"
#include "models/text/parameter_reader.hpp"
#include "models/text/part_kinds.hpp"
#include "models/text/request.hpp"
#include "models/text/section_readers.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace pimdse::models::text {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> held{"weights", "kv", "activations", "stage", "repeated"};
constexpr std::array<std::string_view, 23> sections{
    "schema", "name",    "summary", "results_version", "base",  "format", "parameter", "constant", "memory", "compute",
    "link",   "power",   "run",     "bounds",          "limit", "rule",   "number",    "metric",   "energy", "area",
    "cost",   "service", "explore"};

/// The keys of `own` replace those of `base`, table by table; a table in braces and, in `whole` ones, every table is
/// replaced as a whole, so that no source is said of another number. Nodes are moved: only these keep their lines.
void merge(toml::table& base, toml::table&& own, bool top = true, bool whole = false) {
    for (auto&& [key, node] : own) {
        auto* below = base.get_as<toml::table>(key.str());
        // Of the file itself, a table in braces is one like any other: some writers write all of them so.
        bool const merged = below != nullptr && node.is_table() && (top || !node.as_table()->is_inline()) && !whole;
        if (merged)
            merge(*below, std::move(*node.as_table()), false, top && key.str() == "constant");
        else
            base.insert_or_assign(key, std::move(node));
    }
}

/// The keys of a table in the order of the file.
std::vector<std::pair<std::string, toml::node const*>> in_order(toml::table const& table) {
    std::vector<std::pair<std::string, toml::node const*>> all;
    for (auto const& [key, node] : table) all.emplace_back(std::string(key.str()), &node);
    std::ranges::stable_sort(all, {}, [](auto const& entry) { return entry.second->source().begin.line; });
    return all;
}

class MachineReader {
  public:
    MachineReader(fs::path const& file, SourceFiles& sources)
        : file_(file), sources_(sources), numbers_(file, machine_, mistakes_) {
        machine_.file = file;
    }

    MachineFile read() {
        auto own = parse_toml(sources_.read(file_), file_.string());
        if (auto const* constants = own.get_as<toml::table>("constant"))
            for (auto const& [name, node] : in_order(*constants))
                own_constants_.emplace_back(name, place(file_, node->source()));
        auto const content = whole(file_, std::move(own));
        TableReader reader(content, file_, mistakes_);
        read_root(reader, content);
        read_fixed(reader, "format", [&](TableReader& keys) { read_formats(keys); });
        read_constants(reader, "");
        read_parameters(reader);
        ComponentReader components(file_, machine_, mistakes_);
        for (auto const& [section, list] : {std::pair{"memory", &machine_.memories},
                                            std::pair{"compute", &machine_.units}, std::pair{"link", &machine_.links}})
            each(reader, section, [&, section = section, list = list](std::string const& name, toml::table const& one) {
                if (auto component = components.read(section, name, one)) list->push_back(*std::move(component));
            });
        for (auto const* section : {"power", "cost", "bounds", "service"})
            read_fixed(reader, section, [](TableReader&) {});
        read_run(reader);
        read_further_numbers(reader);
        read_conditions(reader, "limit", "reason", machine_.limits);
        read_conditions(reader, "rule", "why", machine_.rules_of_constants);
        read_metrics(reader);
        read_entries(reader, "energy", machine_.energy);
        read_entries(reader, "area", machine_.area);
        reader.refuse_unknown_keys();
        take_constants_of_parts(machine_);
        check_constants();
        make_uncertain();
        check_names();
        if (!mistakes_.empty()) {
            add_mistakes_of_numbers();
            throw sim::InputError(mistakes_);
        }
        return std::move(machine_);
    }

  private:
    /// Whether an expression reads a constant that is assumed, or a number that does.
    /// `seen`: numbers that are followed already, which may depend on themselves.
    [[nodiscard]] bool reads_assumed(std::string const& text, std::set<std::string> seen = {}) const {
        return std::ranges::any_of(words_of(text), [&](std::string const& word) {
            for (std::size_t v = 0; v < std::max<std::size_t>(1, machine_.variants.size()); ++v)
                if (auto const row = machine_.constants.find(machine_.row_of(without_prefix(word), v));
                    row != machine_.constants.end() && row->second.assumed)
                    return true;
            auto const number = std::ranges::find(machine_.numbers, word, &WrittenNumber::name);
            if (number == machine_.numbers.end() || !seen.insert(word).second) return false;
            return reads_assumed(number->text, seen);
        });
    }

    /// An assumed number that rests on no assumed constant gets a factor, a constant that can be drawn and changed.
    void make_uncertain() {
        for (auto& number : machine_.numbers) {
            if (!number.assumed || reads_assumed(number.text)) continue;
            auto name = number.name;
            std::ranges::replace(name, '.', '_');
            Constant factor;
            factor.si = 1.0;
            factor.unit = "1";
            factor.source = fmt::format("factor of {}: {}", number.name, number.source);
            factor.assumed = true;
            factor.range_lower = number.lowest;
            factor.range_upper = number.highest;
            factor.file = file_.string();
            if (!machine_.constants.emplace(name, std::move(factor)).second) continue;
            number.text = fmt::format("({}) * {}", number.text, name);
        }
    }

    /// Those that only the expressions show, so that a reader of messages sees all of them.
    void add_mistakes_of_numbers() {
        try {
            NumberTable const table(machine_, parameters_of(machine_));
        } catch (sim::InputError const& error) {
            mistakes_.insert(mistakes_.end(), error.sentences().begin(), error.sentences().end());
        }
    }

    /// The text of a file that `by` names, as a table.
    toml::table parsed(fs::path const& file, toml::node const& by) {
        try {
            return parse_toml(sources_.read(file), file.string());
        } catch (sim::InputError const& error) {
            throw sim::InputError(fmt::format("{}: {}", place(file_, by.source()), error.what()));
        }
    }

    /// A path from the folder of the file, or the name of a machine that comes with the program.
    static fs::path path_of_base(fs::path const& file, std::string const& base) {
        bool const is_path = base.ends_with(".toml") || base.find('/') != std::string::npos;
        return is_path ? file.parent_path() / base
                       : data_directory() / "models" / "machines" / fmt::format("{}.toml", base);
    }

    /// The tables of a file over those of its base.
    toml::table whole(fs::path const& file, toml::table own, std::size_t files = 1) {
        constexpr std::size_t max_files = 8;
        auto const* base = own.get("base");
        if (base == nullptr) return own;
        if (!base->is_string()) {
            mistakes_.push_back(fmt::format("{}: 'base' is not a text in quotes", place(file, base->source())));
            return own;
        }
        if (files == max_files)
            throw sim::InputError(
                fmt::format("{}: {} files are each the base of another (is one of them its own base?)",
                            place(file, base->source()), max_files));
        auto const below = path_of_base(file, base->value_or(std::string()));
        auto all = whole(below, parsed(below, *base), files + 1);
        merge(all, std::move(own));
        // A machine of a family is the family with its choice made.
        if (auto* parameters = all.get_as<toml::table>("parameter"))
            for (auto const& [key, node] : *parameters)
                if (auto const* table = node.as_table(); table != nullptr && table->contains("files"))
                    machine_.chosen_parameter = std::string(key.str());
        if (!machine_.chosen_parameter.empty()) all.get_as<toml::table>("parameter")->erase(machine_.chosen_parameter);
        return all;
    }

    void read_root(TableReader& reader, toml::table const& content) {
        auto const head = read_head(reader, content, file_);
        machine_.name = head.name;
        machine_.summary = head.summary;
        for (auto const* elsewhere : {"base", "explore"}) (void)reader.node(elsewhere);
        auto const of_request = parameters_of({});
        for (auto const* key :
             {"llm", "input", "output", "batch", "generation", "steps", "block_length", "model_cache"})
            if (reader.node(key) != nullptr)
                read_default(reader, of_request.at(static_cast<std::size_t>(find_parameter(of_request, key))));
        if (reader.node("results_version") != nullptr)
            machine_.results_version = static_cast<int>(reader.count("results_version", {1, 1'000'000}));
    }

    void read_default(TableReader& reader, Parameter const& of) {
        if (of.kind == Kind::choice) {
            auto const at = std::ranges::find(of.choices, reader.one_of(of.name, of.choices)) - of.choices.begin();
            machine_.defaults.emplace_back(of.name, Value::choice(static_cast<std::size_t>(at)));
        } else {
            CountLimits const limits{static_cast<std::int64_t>(of.lower), static_cast<std::int64_t>(of.upper)};
            machine_.defaults.emplace_back(of.name, Value::integer(reader.count(of.name, limits)));
        }
    }

    /// Every table of a section, by name.
    template <class Read>
    void each(TableReader& reader, std::string_view section, Read const& read) {
        auto const* all = table_of(reader, section);
        if (all == nullptr) return;
        for (auto const& [name, node] : in_order(*all)) {
            if (auto const* one = node->as_table())
                read(name, *one);
            else
                mistakes_.push_back(
                    fmt::format("{}: '{}.{}' is not a table", place(file_, node->source()), section, name));
        }
    }

    void read_formats(TableReader& keys) {
        machine_.formats = formats_of(keys, "products", product_format_names());
        machine_.cache_formats = formats_of(keys, "cache", cache_format_names());
        if (machine_.formats.empty()) machine_.formats = {"fp16"};
        if (machine_.cache_formats.empty()) machine_.cache_formats = {"fp16"};
        auto const fixed = [&](std::string_view key, std::vector<std::string> choices, std::string& to) {
            choices.emplace_back(as_model_says);
            if (keys.node(key) != nullptr) to = keys.one_of(key, choices);
        };
        fixed("weights", machine_.formats, machine_.weights);
        fixed("kv_cache", machine_.cache_formats, machine_.kv_cache);
    }

    std::vector<std::string> formats_of(TableReader& keys, std::string_view key,
                                        std::vector<std::string> const& known) {
        std::vector<std::string> formats;
        auto const* node = keys.node(key);
        if (node == nullptr) return formats;
        auto const* list = node->as_array();
        if (list == nullptr) {
            keys.mistake(key, fmt::format("'{}' is not a list of formats", key));
            return formats;
        }
        if (list->empty()) keys.mistake(key, fmt::format("'{}' is an empty list", key));
        for (auto const& entry : *list) {
            auto const name = entry.value_or(std::string());
            if (std::ranges::find(known, name) == known.end())
                keys.mistake(key,
                             fmt::format("'{}' is not a format.{}", sim::clipped(name), sim::suggestion(name, known)));
            else if (std::ranges::find(formats, name) == formats.end())
                formats.push_back(name);
        }
        return formats;
    }

    Constant constant_of(std::string_view name, toml::table const& one, fs::path const& file) {
        auto constant = read_constant(name, one, file, mistakes_);
        if (!constant.acts_as.empty())
            mistakes_.push_back(
                fmt::format("{}: 'acts_as' is for constants of built-in machines (that of a text file "
                            "follows from its expressions)",
                            place(file, one.get("acts_as")->source())));
        return constant;
    }

    void read_constants(TableReader& reader, std::string const& prefix) {
        each(reader, "constant", [&](std::string const& name, toml::table const& one) {
            auto const before = mistakes_.size();
            auto constant = constant_of(name, one, file_);
            if (mistakes_.size() == before) machine_.constants.insert_or_assign(prefix + name, std::move(constant));
        });
    }

    void read_parameters(TableReader& reader) {
        each(reader, "parameter", [&](std::string const& name, toml::table const& one) {
            TableReader keys(one, file_, mistakes_);
            check_parameter_name(name, keys);
            if (keys.node("files") != nullptr)
                read_variants(name, one, keys);
            else if (auto parameter = read_parameter(name, keys))
                machine_.parameters.push_back(*std::move(parameter));
            keys.refuse_unknown_keys();
        });
    }

    /// Machines that differ in constants only, as choices of a parameter.
    void read_variants(std::string const& name, toml::table const& one, TableReader& keys) {
        auto const* files = one.get_as<toml::array>("files");
        auto const meaning = keys.text("meaning");
        if (files == nullptr || files->empty()) {
            keys.mistake("files", "'files' is not a list of machine files");
            return;
        }
        machine_.variant_parameter = name;
        for (auto const& entry : *files) {
            read_variant(file_.parent_path() / entry.value_or(std::string()), entry);
        }
        machine_.parameters.push_back({.name = name,
                                       .kind = Kind::choice,
                                       .default_value = Value::choice(0),
                                       .meaning = meaning,
                                       .choices = machine_.variants});
    }

    void read_variant(fs::path const& path, toml::node const& entry) {
        auto const content = parsed(path, entry);
        TableReader reader(content, path, mistakes_);
        auto const name = reader.text("name");
        machine_.variants.push_back(name);
        std::set<std::string> own;
        each(reader, "constant", [&](std::string const& constant, toml::table const& one) {
            auto const before = mistakes_.size();
            auto row = constant_of(constant, one, path);
            if (mistakes_.size() != before) return;
            machine_.constants.insert_or_assign(name + "_" + constant, std::move(row));
            own.insert(constant);
        });
        std::vector<std::string> const names(own.begin(), own.end());
        if (machine_.variants.size() == 1) machine_.varying = names;
        for (auto const& missing : machine_.varying)
            if (!own.contains(missing))
                mistakes_.push_back(
                    fmt::format("{}: constant '{}' is missing, which the other machines have", path.string(), missing));
        for (auto const& extra : names)
            if (std::ranges::find(machine_.varying, extra) == machine_.varying.end())
                mistakes_.push_back(fmt::format("{}: constant '{}' is one that the other machines do not have.{}",
                                                path.string(), extra, sim::suggestion(extra, machine_.varying)));
    }

    /// Numbers that belong to no component.
    void read_further_numbers(TableReader& reader) {
        each(reader, "number", [&](std::string const& name, toml::table const& one) {
            TableReader keys(one, file_, mistakes_);
            numbers_.read(keys, {"value", numbers_.dimension_in(keys, keys.text("unit")), "", false, NumberRange::any},
                          name);
            (void)keys.text_or("meaning", "");
            keys.refuse_unknown_keys();
        });
    }

    /// A section whose keys are known, and what it has beside numbers; it may be missing.
    template <class Others>
    void read_fixed(TableReader& reader, std::string_view section, Others const& read_others) {
        static toml::table const none;
        auto const* given = table_of(reader, section);
        TableReader keys(given == nullptr ? none : *given, file_, mistakes_);
        for (auto const& key : keys_of(section)) numbers_.read(keys, key, fmt::format("{}.{}", section, key.name));
        read_others(keys);
        keys.refuse_unknown_keys();
    }

    void read_run(TableReader& reader) {
        auto const* run = table_of(reader, "run");
        if (run == nullptr) {
            if (reader.node("run") == nullptr)
                mistakes_.push_back(
                    fmt::format("{}: [run] is missing (it says which component does what)", file_.string()));
            return;
        }
        for (auto const& [key, node] : in_order(*run)) {
            if (key == "overlap")
                read_overlap(*node);
            else if (key == "hold")
                read_hold(*node);
            else
                RuleReader(file_, machine_, mistakes_).read(key, *node);
        }
    }

    void read_overlap(toml::node const& node) {
        overlap_place_ = place(file_, node.source());
        auto const* sets = node.as_array();
        for (std::size_t i = 0; sets != nullptr && i < sets->size(); ++i) {
            auto const* set = (*sets)[i].as_array();
            if (set == nullptr) {
                sets = nullptr;
                break;
            }
            std::vector<std::string> names;
            for (auto const& entry : *set) names.push_back(entry.value_or(std::string()));
            machine_.overlap.push_back(std::move(names));
        }
        if (sets == nullptr)
            mistakes_.push_back(fmt::format("{}: 'overlap' is not a list of lists of components, [[\"a\", \"b\"]]",
                                            place(file_, node.source())));
    }

    void read_hold(toml::node const& node) {
        hold_place_ = place(file_, node.source());
        auto const* places = node.as_table();
        if (places == nullptr) {
            mistakes_.push_back(fmt::format("{}: 'hold' is not a table", place(file_, node.source())));
            return;
        }
        TableReader keys(*places, file_, mistakes_);
        for (auto const what : held)
            if (keys.node(what) != nullptr) machine_.hold.emplace(what, keys.text(what));
        keys.refuse_unknown_keys();
    }

    /// A condition, or a list of them with the same sentence.
    void read_conditions(TableReader& reader, std::string_view section, std::string_view sentence,
                         std::vector<WrittenLimit>& to) {
        each(reader, section, [&](std::string const& name, toml::table const& one) {
            TableReader keys(one, file_, mistakes_);
            auto const said = keys.text(sentence);
            auto const* list = keys.node("holds") == nullptr ? nullptr : keys.node("holds")->as_array();
            if (list == nullptr) {
                to.push_back({name, keys.text("holds"), said, place(file_, one.source())});
            } else {
                for (auto const& entry : *list) {
                    to.push_back({name, entry.value_or(std::string()), said, place(file_, entry.source())});
                    if (!entry.is_string())
                        mistakes_.push_back(fmt::format("{}: an entry of 'holds' is not a condition in quotes",
                                                        place(file_, entry.source())));
                }
            }
            keys.refuse_unknown_keys();
        });
    }

    void read_metrics(TableReader& reader) {
        each(reader, "metric", [&](std::string const& name, toml::table const& one) {
            TableReader keys(one, file_, mistakes_);
            WrittenMetric metric;
            metric.place = place(file_, one.source());
            metric.number = "metric." + name;
            auto const better = keys.one_of("better", {"lower", "higher", "neither"});
            metric.metric = {name, keys.text("unit"), keys.text("meaning"),
                             better == "lower"    ? Sense::minimize
                             : better == "higher" ? Sense::maximize
                                                  : Sense::none};
            NumberKey const key{"value", numbers_.dimension_in(keys, metric.metric.unit), "", false, NumberRange::any};
            numbers_.read(keys, key, metric.number);
            keys.refuse_unknown_keys();
            machine_.metrics.push_back(std::move(metric));
        });
    }

    void read_entries(TableReader& reader, std::string_view section, std::vector<WrittenEntry>& to) {
        auto const* given = table_of(reader, section);
        if (given == nullptr) return;
        TableReader rows(*given, file_, mistakes_);
        bool const of_area = section == "area";
        auto const read = [&](std::string const& name) {
            auto const* node = rows.node(name);
            if (node == nullptr) return;
            WrittenEntry entry{name, "", Account::none, ""};
            auto const* one = node->as_table();
            if (one != nullptr && one->contains("value") && of_area) {
                entry.number = fmt::format("area.{}", name);
                numbers_.read(rows, {name, {.metre = 2}, "", false}, entry.number);
                entry.why = machine_.numbers.back().source;
                entry.account = machine_.numbers.back().assumed ? Account::assumed : Account::counted;
            } else if (node->is_string()) {
                entry.why = node->value_or(std::string());
            } else {
                rows.mistake(
                    name,
                    fmt::format("'{}' is neither a sentence that says where it is counted nor {{ value, source }}",
                                name));
            }
            to.push_back(std::move(entry));
        };
        if (of_area)
            for (auto const& row : area_rows) read(std::string(row.name));
        else
            for (auto const& row : energy_rows) read(std::string(row.name));
        rows.refuse_unknown_keys();
    }

    /// Something reads the constants of the file itself: expressions, texts with names in braces, or parts.
    void check_constants() {
        if (!mistakes_.empty()) return;
        std::set<std::string> read;
        auto const add = [&](std::string const& text) {
            for (auto const& word : words_of(text)) read.insert(without_prefix(word));
        };
        for (auto const& number : machine_.numbers) add(number.text);
        for (auto const* conditions : {&machine_.limits, &machine_.rules_of_constants})
            for (auto const& one : *conditions) add(one.condition);
        for (auto const* components : {&machine_.memories, &machine_.units, &machine_.links})
            for (auto const& component : *components) {
                for (auto const& [_, text] : component.texts) add(text);
                auto const* part = part_kind(component.kind);
                if (part == nullptr || part->constants == nullptr) continue;
                auto const of_part = part->constants();
                for (auto const& [name, _] : of_part.all()) read.insert(name);
            }
        std::vector<std::string> known;
        for (auto const& [name, _] : machine_.constants)
            if (read.contains(name)) known.push_back(name);
        for (auto const& [name, where] : own_constants_)
            if (!read.contains(name))
                mistakes_.push_back(fmt::format("{}: nothing reads constant '{}'.{}", where, sim::clipped(name),
                                                sim::suggestion(name, known)));
    }

    /// Components that rules name exist, and all names differ.
    void check_names() {
        std::vector<std::string> memories, units, all;
        for (auto const& memory : machine_.memories) memories.push_back(memory.name);
        auto const tier = std::ranges::find(machine_.memories, "tier", &Component::kind);
        for (auto const& unit : machine_.units) units.push_back(unit.name);
        all = memories;
        all.insert(all.end(), units.begin(), units.end());
        for (auto const& link : machine_.links) all.push_back(link.name);
        std::set<std::string> seen(sections.begin(), sections.end());
        for (auto const& name : all)
            if (!seen.insert(name).second)
                mistakes_.push_back(fmt::format("{}: two components are named '{}', or it is the name of a section",
                                                file_.string(), name));
        auto const known = [&](std::string const& name, std::vector<std::string> const& names, std::string const& where,
                               std::string_view what) {
            if (std::ranges::find(names, name) == names.end())
                mistakes_.push_back(fmt::format("{}: there is no {} '{}'.{}", where, what, sim::clipped(name),
                                                sim::suggestion(name, names)));
            else if (tier != machine_.memories.end() && name == tier->name)
                mistakes_.push_back(
                    fmt::format("{}: '{}' is a tier, which has only what a cache evicts (kind = "
                                "\"rate\" for a memory that components read?)",
                                where, name));
        };
        for (auto const& rule : machine_.rules)
            if (!rule.on.empty()) known(rule.on, units, rule.place, "compute component");
        for (auto const& [what, memory] : machine_.hold) known(memory, memories, hold_place_, "memory");
        auto const keeps_all = [&](WrittenRule const& rule) {
            auto const unit = std::ranges::find(machine_.units, rule.on, &Component::name);
            auto const* part = unit == machine_.units.end() ? nullptr : part_kind(unit->kind);
            return part != nullptr && part->takes_passes();  // and keeps weights and keys itself
        };
        bool const whole = mistakes_.empty(),
                   has_none = std::ranges::any_of(machine_.rules, keeps_all) &&
                              std::ranges::all_of(machine_.rules, [&](WrittenRule const&rule) {
                                  return rule.on.empty() || keeps_all(rule);
                              });
        for (auto const* what : {"weights", "kv"})
            if (whole && !has_none && !machine_.hold.contains(what))
                mistakes_.push_back(fmt::format("{}: 'hold' names no memory of {} (without one they cost nothing)",
                                                hold_place_.empty() ? file_.string() : hold_place_, what));
        for (auto const& set : machine_.overlap)
            for (auto const& name : set) known(name, all, overlap_place_, "component");
        for (auto const& unit : machine_.units)
            for (auto const* key : {"memory", "buffer"})
                if (auto const found = unit.texts.find(key); found != unit.texts.end())
                    known(found->second, memories, unit.place, "memory");
        check_sharing();
    }

    /// Devices are one machine if its link says so, and if its numbers say what they have together.
    void check_sharing() {
        bool const reads = std::ranges::any_of(machine_.numbers, [](WrittenNumber const& number) {
            return words_of(number.text).contains(std::string(joined_name));
        });
        if (reads && !machine_.makes_one())
            mistakes_.push_back(
                fmt::format("{}: {} needs a first link with sharing = \"machine\", which joins devices "
                            "to one",
                            file_.string(), joined_name));
        if (!reads && machine_.makes_one())
            mistakes_.push_back(
                fmt::format("{}: devices are one machine (sharing = \"machine\"), but no number reads "
                            "{}, how many they are",
                            machine_.links.front().place, joined_name));
    }

    fs::path file_;
    SourceFiles& sources_;
    MachineFile machine_;
    std::string hold_place_, overlap_place_;  ///< in [run]
    std::vector<std::pair<std::string, std::string>>
        own_constants_;  ///< of the file without its base, and their places
    std::vector<std::string> mistakes_;
    NumberReader numbers_;
};

}  // namespace

MachineFile read_machine(fs::path const& file, SourceFiles& sources) { return MachineReader(file, sources).read(); }

}  // namespace pimdse::models::text

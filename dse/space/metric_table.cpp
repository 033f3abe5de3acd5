#include "dse/space/metric_table.hpp"

#include "dse/space/formula.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/head.hpp"
#include "sim/base/check.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace pimdse::dse::space {
namespace {

/// The key that is the name of a machine where no parameter is meant.
constexpr std::string_view machine_key = "machine";

constexpr std::size_t max_table_mistakes = 20;

std::vector<std::string> columns_of(TableHead const& head) {
    auto columns = head.keys;
    for (auto const& column : head.columns) columns.push_back(column.metric.name);
    return columns;
}

std::string assignments(std::vector<std::string> const& names, std::vector<std::string> const& texts) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < names.size(); ++i) words.push_back(fmt::format("{} = {}", names[i], texts[i]));
    return fmt::format("{}", fmt::join(words, ", "));
}

TableRow table_row(TableHead const& head, sim::CsvRows const& rows, std::vector<std::string> cells) {
    TableRow row{{}, {}, rows.line()};
    auto const keys = head.keys.size();
    for (std::size_t c = keys; c < cells.size(); ++c) {
        double const number = rows.number(cells[c], c);
        if (number < 0.0)
            rows.refuse(fmt::format(
                "{} = {} is negative (metrics count as non-negative). Give its size under a name such as {}_loss?",
                rows.name_of(c), cells[c], rows.name_of(c)));
        row.metrics.push_back(sim::in_si(number, head.columns[c - keys].size));
    }
    cells.resize(keys);
    row.keys = std::move(cells);
    return row;
}

/// Collects the sentences of errors, at most max_table_mistakes and each once.
class TableMistakes {
  public:
    template <class Read>
    void in(Read const& read) {
        try {
            read();
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) add(sentence);
        }
    }
    void add(std::string sentence) {
        if (!full() && std::ranges::find(list_, sentence) == list_.end()) list_.push_back(std::move(sentence));
    }
    [[nodiscard]] bool full() const { return list_.size() >= max_table_mistakes; }
    void throw_any() const {
        if (!list_.empty()) throw sim::InputError(list_);
    }

  private:
    std::vector<std::string> list_;
};

/// The value of a cell; nullopt for a text that no point of the space has. Throws InputError.
std::optional<models::Value> key_value(models::Parameter const& parameter, models::Parameter& scratch,
                                       std::string const& text) {
    if (parameter.kind == models::Kind::choice) {
        auto const choice = models::find_choice(parameter.choices, text);
        if (choice < parameter.choices.size()) return models::Value::choice(choice);
        if (parameter.accepts && models::names_own_file(text)) return std::nullopt;
    }
    auto const value = models::read_value(scratch, text);
    bool const is_new = value.kind() == models::Kind::choice && value.as_choice() >= parameter.choices.size();
    return is_new ? std::nullopt : std::optional(value);
}

/// The text of a value; a user's own file is called by its name, because a folder may move.
std::string key_text(models::Parameter const& parameter, models::Value const& value) {
    auto text = models::print_value(parameter, value);
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();  // of a folder
    return models::names_own_file(text) ? std::filesystem::path(text).filename().string() : text;
}

namespace fs = std::filesystem;

constexpr auto* table_example = R"(metrics = { accuracy = "higher" })";

/// The text of a regular file; nullopt if it cannot be read.
std::optional<std::string> text_of_table(fs::path const& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) ? sim::file_text(file) : std::nullopt;
}

/// Whether a condition can name a metric like this.
bool is_metric_name(std::string_view name) {
    constexpr std::array<std::string_view, 6> words{"and", "or", "not", "true", "false", machine_key};
    return models::text::is_machine_name(name) && std::ranges::find(words, name) == words.end();
}

/// Reads one table of a space file.
class OneTable {
  public:
    OneTable(toml::table const& table, fs::path const& space_file, std::vector<std::string>& mistakes)
        : reader_(table, space_file, mistakes),
          folder_(space_file.parent_path()),
          where_(models::place(space_file, table.source())),
          mistakes_(mistakes) {}

    /// The table; nullopt if its metrics are not known.
    std::optional<WrittenTable> read() {
        auto const known = mistakes_.size();
        auto const file = reader_.text("file");
        if (!file.empty()) head_.file = fs::absolute(folder_ / file).lexically_normal().string();
        head_.machine = reader_.text_or("machine", "");
        read_keys();
        read_metrics();
        reader_.refuse_unknown_keys();
        if (mistakes_.size() != known) return std::nullopt;
        WrittenTable written{head_, where_, read_content(file)};
        return written;
    }

  private:
    void read_keys() {
        auto const* node = reader_.node("keys");
        auto const* list = node == nullptr ? nullptr : node->as_array();
        bool const named = list != nullptr && !list->empty() &&
                           std::ranges::all_of(*list, [](auto const& entry) { return entry.is_string(); });
        if (!named)
            return reader_.mistake(
                "keys", node == nullptr ? "'keys' is missing (name the parameters whose values select a row)"
                                        : "'keys' must be a list of names of parameters, such as keys = [\"llm\"]");
        for (auto const& entry : *list) {
            auto key = entry.value_or(std::string{});
            if (std::ranges::find(head_.keys, key) != head_.keys.end())
                reader_.mistake("keys", fmt::format("keys: {} is given twice", key));
            head_.keys.push_back(std::move(key));
        }
    }

    void read_metrics() {
        auto const* node = reader_.node("metrics");
        auto const* list = node == nullptr ? nullptr : node->as_table();
        if (list == nullptr || list->empty())
            return reader_.mistake(
                "metrics",
                fmt::format("{} (the columns that are metrics, such as {})",
                            node == nullptr ? "'metrics' is missing" : "'metrics' must be a table", table_example));
        for (auto const& [name, entry] : *list) {
            try {
                read_metric(std::string(name.str()), entry);
            } catch (sim::InputError const& error) {
                reader_.mistake("metrics", fmt::format("metrics: {}", error.what()));
            }
        }
    }

    /// accuracy = "higher", or accuracy = { better = "higher", unit = "1" }.
    void read_metric(std::string name, toml::node const& entry) {
        if (!is_metric_name(name))
            throw sim::InputError("'{}' is not a valid name of a metric (a letter, then letters, digits and '_')",
                                  name);
        if (std::ranges::find(head_.keys, name) != head_.keys.end())
            throw sim::InputError("{} is a key of this table", name);
        std::string better, unit = "1";
        if (auto const* settings = entry.as_table()) {
            for (auto const& [key, value] : *settings) {
                if (key.str() != "better" && key.str() != "unit")
                    throw sim::InputError("{} has no setting '{}'. Known: better, unit.", name, key.str());
                (key.str() == "better" ? better : unit) = models::scalar_text(value);
            }
            if (!settings->contains("better"))
                throw sim::InputError(
                    "{} does not say which values are better. Write better = \"higher\" or better = \"lower\"?", name);
        } else {
            better = models::scalar_text(entry);
        }
        head_.columns.push_back(space::table_column(std::move(name), better, std::move(unit), head_.file));
    }

    /// nullptr if there were mistakes.
    std::shared_ptr<MetricTable const> read_content(std::string const& file) {
        auto text = text_of_table(head_.file);
        if (!text) {
            reader_.mistake("file", sim::cannot_be_read(file));
            return nullptr;
        }
        try {
            return std::make_shared<MetricTable const>(space::read_metric_table(head_, *std::move(text)));
        } catch (sim::InputError const& error) {
            auto const sentences = error.sentences();
            mistakes_.insert(mistakes_.end(), sentences.begin(), sentences.end());
            return nullptr;
        }
    }

    models::TableReader reader_;
    fs::path folder_;
    std::string where_;
    std::vector<std::string>& mistakes_;
    TableHead head_;
};

}  // namespace

std::string MetricTable::name() const { return std::filesystem::path(head.file).filename().string(); }

MetricTable read_metric_table(TableHead head, std::string text) {
    constexpr std::size_t largest = 16 << 20;
    if (text.size() > largest) throw sim::InputError("{}: has more than {} MiB", head.file, largest >> 20);
    sim::CsvRows rows(text, head.file, columns_of(head));
    MetricTable table{std::move(head), std::move(text), {}};
    TableMistakes mistakes;
    std::map<std::vector<std::string>, std::int64_t> lines;
    for (bool more = true; more && !mistakes.full();) {
        mistakes.in([&] {
            auto cells = rows.next();
            more = cells.has_value();
            if (!more) return;
            auto row = table_row(table.head, rows, std::move(*cells));
            auto const [first, fresh] = lines.try_emplace(row.keys, row.line);
            if (!fresh)
                rows.refuse(fmt::format("line {} has the same keys ({})", first->second,
                                        assignments(table.head.keys, row.keys)));
            table.rows.push_back(std::move(row));
        });
    }
    mistakes.throw_any();
    if (table.rows.empty()) throw sim::InputError("{}: has no rows below its first line", table.head.file);
    return table;
}

MachineTable::MachineTable(std::shared_ptr<MetricTable const> table, std::string machine, bool names_machines,
                           models::Parameters const& parameters)
    : table_(std::move(table)), machine_(std::move(machine)), names_machines_(names_machines) {
    auto const& head = table_->head;
    TableMistakes mistakes;
    std::size_t machine_at = head.keys.size();
    std::vector<std::size_t> cells;  // of keys_
    for (std::size_t k = 0; k < head.keys.size(); ++k) {
        int const at = models::find_parameter(parameters, head.keys[k]);
        if (head.keys[k] == machine_key && (names_machines || at < 0)) {
            machine_at = k;
        } else if (at >= 0) {
            keys_.push_back(static_cast<std::size_t>(at));
            cells.push_back(k);
        } else {
            mistakes.add(fmt::format("keys: {} has no parameter '{}'.{}", machine_, head.keys[k],
                                     sim::suggestion(head.keys[k], sim::names_of(parameters))));
        }
    }
    mistakes.throw_any();
    has_machine_key_ = machine_at < head.keys.size();
    std::vector<models::Parameter> scratch;
    for (auto const key : keys_) scratch.push_back(parameters[key]);
    std::map<std::vector<models::Value>, std::pair<std::int64_t, std::vector<double>>> found;
    for (auto const& row : table_->rows) {
        if (has_machine_key_ && row.keys[machine_at] != machine_) continue;
        mistakes.in([&] {
            std::vector<models::Value> values;
            bool known = true;
            for (std::size_t k = 0; k < keys_.size(); ++k) {
                auto const& text = row.keys[cells[k]];
                try {
                    auto const value = key_value(parameters[keys_[k]], scratch[k], text);
                    known = known && value.has_value();
                    if (value) values.push_back(*value);
                } catch (sim::InputError const& error) {
                    throw sim::InputError("{}:{}: {}", head.file, row.line, error.what());
                }
            }
            if (!known) return;
            auto const [first, fresh] = found.try_emplace(std::move(values), row.line, row.metrics);
            if (!fresh)
                throw sim::InputError("{}:{}: line {} has the same keys ({})", head.file, row.line, first->second.first,
                                      assignments(head.keys, row.keys));
        });
    }
    mistakes.throw_any();
    for (auto& [values, row] : found) rows_.push_back({values, std::move(row.second)});
}

MachineTable::Row const* MachineTable::row_of(models::Point point) const {
    auto const before = [&](Row const& row, models::Point at) {
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            if (row.keys[k] != at[keys_[k]]) return row.keys[k] < at[keys_[k]];
        }
        return false;
    };
    auto const found = std::lower_bound(rows_.begin(), rows_.end(), point, before);
    if (found == rows_.end()) return nullptr;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        if (found->keys[k] != point[keys_[k]]) return nullptr;
    }
    return &*found;
}

// This sentence is stored as a reason in result files and enters their digests: do not reword it.
std::string MachineTable::why_missing(models::Parameters const& parameters, models::Point point) const {
    std::vector<std::string> words;
    std::size_t next = 0;
    for (auto const& key : table_->head.keys) {
        bool const is_machine = has_machine_key_ && key == machine_key;
        auto const at = is_machine ? 0 : keys_[next++];
        words.push_back(fmt::format("{} = {}", key, is_machine ? machine_ : key_text(parameters[at], point[at])));
    }
    return fmt::format("{} has no row with {}", table_->name(), fmt::join(words, ", "));
}

TableColumn table_column(std::string name, std::string_view better, std::string unit, std::string_view file) {
    if (better != "higher" && better != "lower")
        throw sim::InputError("better of {} is '{}' (it is \"higher\" or \"lower\")", name, sim::clipped(better));
    sim::Unit read;
    try {
        read = sim::parse_unit(unit);
    } catch (sim::InputError const& error) {
        throw sim::InputError("unit of {}: {}", name, error.what());
    }
    TableColumn column;
    column.metric.name = std::move(name);
    column.metric.unit = read.dimension.is_number() ? "1" : si_unit_of(read.dimension);
    column.metric.meaning = fmt::format("from {}", std::filesystem::path(file).filename().string());
    column.metric.better = better == "higher" ? models::Sense::maximize : models::Sense::minimize;
    column.unit = std::move(unit);
    column.size = read;
    return column;
}

models::MetricList metrics_of(TableHead const& head) {
    models::MetricList metrics;
    for (auto const& column : head.columns) metrics.push_back(column.metric);
    return metrics;
}

WrittenTables read_tables(toml::table const& content, fs::path const& file, std::vector<std::string>& mistakes) {
    WrittenTables tables;
    auto const* node = content.get("table");
    if (node == nullptr) return tables;
    auto const add = [&](toml::node const& entry) {
        auto const* table = entry.as_table();
        if (table == nullptr)
            mistakes.push_back(fmt::format("{}: 'table' must be a table with file, keys and metrics",
                                           models::place(file, entry.source())));
        auto one = table == nullptr ? std::nullopt : OneTable(*table, file, mistakes).read();
        if (one)
            tables.list.push_back(*std::move(one));
        else
            tables.complete = false;
    };
    if (auto const* list = node->as_array()) {
        for (auto const& entry : *list) add(entry);
    } else {
        add(*node);
    }
    return tables;
}

std::vector<std::string> taken_names(TableHead const& head, models::MetricList const& metrics,
                                     models::Parameters const& parameters) {
    std::vector<std::string> sentences;
    for (auto const& [metric, unit, size] : head.columns) {
        bool const is_metric = models::find_metric(metrics, metric.name) >= 0;
        if (!is_metric && models::find_parameter(parameters, metric.name) < 0) continue;
        sentences.push_back(fmt::format("metrics: {0} is a {1} already. Name the column otherwise, such as own_{0}?",
                                        metric.name, is_metric ? "metric" : "parameter"));
    }
    return sentences;
}

}  // namespace pimdse::dse::space

#include "dse/space/table_reader.hpp"

#include "models/contract/toml_file.hpp"
#include "models/text/head.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace pimdse::dse::space {
namespace {

namespace fs = std::filesystem;

constexpr auto* table_example = R"(metrics = { accuracy = "higher" })";

/// The text of a regular file; nullopt if it cannot be read.
std::optional<std::string> text_of_table(fs::path const& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return stream ? std::optional(content.str()) : std::nullopt;
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
            throw sim::InputError(
                fmt::format("'{}' is not a valid name of a metric (a letter, then letters, digits and '_')", name));
        if (std::ranges::find(head_.keys, name) != head_.keys.end())
            throw sim::InputError(fmt::format("{} is a key of this table", name));
        std::string better, unit = "1";
        if (auto const* settings = entry.as_table()) {
            for (auto const& [key, value] : *settings) {
                if (key.str() != "better" && key.str() != "unit")
                    throw sim::InputError(fmt::format("{} has no setting '{}'. Known: better, unit.", name, key.str()));
                (key.str() == "better" ? better : unit) = models::scalar_text(value);
            }
            if (!settings->contains("better"))
                throw sim::InputError(
                    fmt::format("{} does not say which values are better. Write better = \"higher\" "
                                "or better = \"lower\"?",
                                name));
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

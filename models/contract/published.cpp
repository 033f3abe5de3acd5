#include "models/contract/published.hpp"

#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>

namespace pimdse::models {
namespace {

/// Text of the value of a parameter in the table `key`; on a mistake, adds a sentence.
std::string value_text(TableReader& reader, std::string_view key, std::string_view parameter, toml::node const& node) {
    try {
        return scalar_text(node);
    } catch (sim::InputError const& error) {
        reader.mistake(key, fmt::format("'{}' of '{}' is not a value ({})", parameter, key, error.what()));
        return "";
    }
}

std::vector<std::pair<std::string, std::string>> settings(TableReader& reader, std::string_view key) {
    std::vector<std::pair<std::string, std::string>> result;
    auto const* node = reader.node(key);
    if (node == nullptr) return result;
    if (auto const* table = node->as_table()) {
        for (auto const& [name, value] : *table)
            result.emplace_back(std::string(name.str()), value_text(reader, key, name.str(), value));
    } else {
        reader.mistake(key, fmt::format("'{}' is not a table of parameters", key));
    }
    return result;
}

std::vector<std::pair<std::string, std::vector<std::string>>> read_grid(TableReader& reader) {
    std::vector<std::pair<std::string, std::vector<std::string>>> grid;
    auto const* node = reader.node("grid");
    if (node == nullptr) return grid;
    auto const* table = node->as_table();
    if (table == nullptr) reader.mistake("grid", "'grid' is not a table of parameters");
    for (auto const& [name, values] : table == nullptr ? toml::table{} : *table) {
        auto const* list = values.as_array();
        if (list == nullptr || list->empty()) {
            reader.mistake("grid", fmt::format("'{}' of the grid is not a list of at least one value", name.str()));
            continue;
        }
        auto& [parameter, texts] = grid.emplace_back(std::string(name.str()), std::vector<std::string>{});
        for (auto const& value : *list) texts.push_back(value_text(reader, "grid", name.str(), value));
    }
    return grid;
}

/// The texts of a list that must not be empty; on a mistake, adds a sentence.
std::vector<std::string> texts_of(TableReader& reader, std::string_view key) {
    std::vector<std::string> texts;
    auto const* node = reader.node(key);
    auto const* list = node == nullptr ? nullptr : node->as_array();
    for (auto const& entry : list == nullptr ? toml::array{} : *list) texts.push_back(entry.value_or(std::string()));
    if (texts.empty() || std::ranges::find(texts, std::string()) != texts.end())
        reader.mistake(key, fmt::format("'{}' must be a list of at least one text", key));
    return texts;
}

constexpr std::array<std::string_view, 3> kinds{"claim", "consistency", "reference"};
constexpr std::array<std::string_view, 3> relations{"equal", "at_least", "at_most"};
constexpr std::array<std::string_view, 3> of_grids{"largest", "smallest", "spread"};

std::vector<UnmodelledClaim> unmodelled(TableReader& reader, std::filesystem::path const& file,
                                        std::vector<std::string>& mistakes) {
    std::vector<UnmodelledClaim> claims;
    auto const* node = reader.node("not_modelled");
    if (node == nullptr) return claims;
    auto const* list = node->as_array();
    if (list == nullptr || !std::ranges::all_of(*list, [](auto const& entry) { return entry.is_table(); })) {
        reader.mistake("not_modelled", "'not_modelled' is not a list of { claim, reason }");
        return claims;
    }
    for (auto const& entry : *list) {
        TableReader claim(*entry.as_table(), file, mistakes);
        claims.push_back({claim.text("claim"), claim.text("reason")});
        claim.refuse_unknown_keys();
    }
    return claims;
}

Paper read_paper(toml::table const& table, std::filesystem::path const& file, std::vector<std::string>& mistakes) {
    constexpr CountLimits years{1900, 2100};
    TableReader reader(table, file, mistakes);
    Paper paper;
    paper.name = reader.text("name");
    paper.title = reader.text("title");
    paper.authors = reader.text("authors");
    paper.year = static_cast<int>(reader.count("year", years));
    paper.identifier = reader.text("identifier");
    paper.sources = texts_of(reader, "sources");
    paper.evidence = reader.choice("evidence", evidence_names, Evidence::claimed);
    paper.not_modelled = unmodelled(reader, file, mistakes);
    reader.refuse_unknown_keys();
    return paper;
}

/// The paper with the longest text in its `sources` with which the source begins; nullptr if there is none.
Paper const* paper_of(std::string const& source, std::vector<Paper> const& papers) {
    Paper const* found = nullptr;
    std::size_t longest = 0;
    for (auto const& paper : papers) {
        for (auto const& start : paper.sources) {
            if (start.size() <= longest || !source.starts_with(start)) continue;
            found = &paper;
            longest = start.size();
        }
    }
    return found;
}

/// Values that begin with "./" are files beside that of the figures.
std::vector<std::pair<std::string, std::string>> with_paths(std::vector<std::pair<std::string, std::string>> set,
                                                            std::filesystem::path const& file) {
    for (auto& [name, value] : set)
        if (value.starts_with("./")) value = (file.parent_path() / value).lexically_normal().string();
    return set;
}

void read_comparison(TableReader& reader, std::filesystem::path const& file, PublishedFigure& figure) {
    figure.metric = reader.text("metric");
    figure.set = with_paths(settings(reader, "set"), file);
    figure.over = with_paths(settings(reader, "over"), file);
    figure.over_architecture = reader.text_or("over_architecture", "");
    figure.over_metric = reader.text_or("over_metric", "");
    if (!(figure.over_architecture.empty() && figure.over_metric.empty()) && reader.node("over") == nullptr)
        reader.mistake("over_metric",
                       "'over_architecture' and 'over_metric' need 'over', the point of the denominator");
    if (reader.node("measured") != nullptr) figure.measured = reader.number("measured");
    if (figure.measured != 0.0 && reader.node("over") != nullptr)
        reader.mistake("measured", "'measured' is divided by the metric, so 'over' must not divide the metric");
    figure.grid = read_grid(reader);
    figure.of_grid = reader.choice("of_grid", of_grids, OfGrid::largest);
    if (reader.node("of_grid") != nullptr && figure.grid.empty())
        reader.mistake("of_grid", "'of_grid' needs 'grid', the values that it evaluates");
    figure.fidelity = reader.text_or("fidelity", "analytic");
    figure.relation = reader.choice("relation", relations, Relation::equal);
}

/// Reads the status of the row, and the paper that its value comes from.
void read_standing(TableReader& reader, PublishedFigure& figure, std::vector<Paper> const& papers) {
    figure.kind = reader.choice("kind", kinds, FigureKind::claim);
    figure.contradicted = reader.flag_or("contradicted", false);
    figure.gate = reader.flag_or("gate", !figure.contradicted);
    figure.fitted = reader.flag_or("fitted", false);
    figure.note = reader.text_or("note", "");
    if (figure.contradicted && (figure.gate || figure.fitted || figure.kind != FigureKind::claim))
        reader.mistake("contradicted", "a contradicted figure must be a claim without gate, and it must not be fitted");
    if (figure.contradicted && figure.note.empty())
        reader.mistake("contradicted", "a contradicted figure needs a 'note' with the reason");
    auto const* paper = paper_of(figure.source, papers);
    if (paper == nullptr) {
        reader.mistake("source",
                       fmt::format("'{}' does not begin with one of the 'sources' of a [[paper]] of this file",
                                   sim::clipped(figure.source)));
        return;
    }
    figure.paper = paper->name;
    bool const ours = figure.kind == FigureKind::consistency;
    figure.evidence = reader.choice("evidence", evidence_names, ours ? Evidence::arithmetic : paper->evidence);
}

PublishedFigure read_figure(toml::table const& table, std::filesystem::path const& file,
                            std::vector<Paper> const& papers, std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    PublishedFigure figure;
    figure.name = reader.text("name");
    figure.source = reader.text("source");
    read_comparison(reader, file, figure);
    figure.unit = reader.text_or("unit", "1");
    figure.value = reader.number("value");
    figure.tolerance = reader.number("tolerance");
    read_standing(reader, figure, papers);
    reader.refuse_unknown_keys();
    try {
        figure.value = sim::in_si(figure.value, sim::parse_unit(figure.unit));
    } catch (sim::InputError const& error) {
        reader.mistake("unit", error.what());
    }
    return figure;
}

std::filesystem::path published_file_of(std::string_view architecture) {
    auto const models = data_directory() / "models";
    auto const own = models / std::string(architecture) / "published.toml";
    std::error_code none;
    if (std::filesystem::exists(own, none)) return own;
    return models / "machines" / "published" / fmt::format("{}.toml", architecture);
}

/// Calls `read` with each table of the list `name`.
template <class Read>
void for_each_table(toml::table const& content, std::string_view name, Read const& read) {
    auto const* list = content.get_as<toml::array>(name);
    if (list == nullptr) return;
    for (auto const& entry : *list) {
        if (auto const* table = entry.as_table()) read(*table);
    }
}

std::vector<Paper> papers_in(toml::table const& content, std::filesystem::path const& file,
                             std::vector<std::string>& mistakes) {
    std::vector<Paper> papers;
    for_each_table(content, "paper", [&](toml::table const& t) { papers.push_back(read_paper(t, file, mistakes)); });
    return papers;
}

}  // namespace

std::vector<PublishedFigure> load_published(std::string_view architecture) {
    auto const file = published_file_of(architecture);
    auto const content = read_toml(file);
    std::vector<std::string> mistakes;
    auto const papers = papers_in(*content, file, mistakes);
    std::vector<PublishedFigure> figures;
    for_each_table(*content, "figure",
                   [&](toml::table const& t) { figures.push_back(read_figure(t, file, papers, mistakes)); });
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return figures;
}

bool has_published(std::string_view architecture) {
    std::error_code none;
    return std::filesystem::exists(published_file_of(architecture), none);
}

std::vector<Paper> load_papers(std::string_view architecture) {
    auto const file = published_file_of(architecture);
    std::vector<std::string> mistakes;
    auto papers = papers_in(*read_toml(file), file, mistakes);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return papers;
}

}  // namespace pimdse::models

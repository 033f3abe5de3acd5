#include "dse/cli/verb.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/service/service.hpp"
#include "sim/base/json.hpp"

#include <ranges>

namespace pimdse::dse::cli {
namespace {

using sim::Json;

struct Checked {
    std::string architecture;
    models::FigureCheck check;
    [[nodiscard]] bool held() const { return check.figure.gate || check.figure.contradicted; }
    [[nodiscard]] bool failed() const { return held() && !check.as_stated(); }
    [[nodiscard]] bool is_claim() const { return check.figure.kind == models::FigureKind::claim; }
    [[nodiscard]] std::string verdict() const {
        if (failed()) return check.figure.contradicted ? "NOT CONTRADICTED" : "OUTSIDE";
        auto const status = models::status_of(check.figure);
        return status == "gated" ? "ok" : std::string(status);
    }
};

using Architectures = std::vector<models::Architecture const*>;

std::vector<Checked> check_all(Architectures const& architectures) {
    std::vector<Checked> all;
    for (auto const* architecture : architectures) {
        models::FigureChecker checker(*architecture, models::find_architecture, models::service::figure_of);
        for (auto const& figure : models::load_published(architecture->name))
            all.push_back({std::string(architecture->name), checker.check(figure)});
    }
    return all;
}

Json as_json(Checked const& checked) {
    auto const& [architecture, check] = checked;
    auto const& f = check.figure;
    return {{"architecture", architecture},
            {"paper", f.paper},
            {"figure", f.name},
            {"source", f.source},
            {"evidence", models::name_of(f.evidence)},
            {"metric", f.metric},
            {"fidelity", f.fidelity},
            {"published", f.value},
            {"ours", check.ours},
            {"error", check.error},
            {"tolerance", f.tolerance},
            {"gate", f.gate},
            {"status", models::status_of(f)},
            {"within", check.within},
            {"as_stated", check.as_stated()},
            {"note", f.note},
            {"problem", check.problem}};
}

struct CountedPaper {
    std::string architecture;
    models::Paper paper;
    models::ClaimCounts counts;
};

std::vector<CountedPaper> count_papers(Architectures const& architectures, std::vector<Checked> const& all) {
    std::vector<CountedPaper> papers;
    for (auto const* architecture : architectures) {
        std::string const name(architecture->name);
        std::vector<models::FigureCheck> own;
        for (auto const& checked : all) {
            if (checked.architecture == name) own.push_back(checked.check);
        }
        for (auto& paper : models::load_papers(name)) {
            auto const counts = models::count_claims(paper, own);
            papers.push_back({name, std::move(paper), counts});
        }
    }
    return papers;
}

Json as_json(CountedPaper const& counted) {
    auto const& [architecture, paper, n] = counted;
    auto const reason_json = [](auto const& one) -> Json { return {{"claim", one.claim}, {"reason", one.reason}}; };
    return {{"architecture", architecture},
            {"paper", paper.name},
            {"title", paper.title},
            {"authors", paper.authors},
            {"year", paper.year},
            {"identifier", paper.identifier},
            {"claims", n.claims()},
            {"reproduced", n.reproduced},
            {"fitted", n.fitted},
            {"contradicted", n.contradicted},
            {"shown", n.shown},
            {"failed", n.failed},
            {"not_modelled", paper.not_modelled | std::views::transform(reason_json)}};
}

std::string tolerance_text(models::PublishedFigure const& f) {
    auto const* side = f.relation == models::Relation::at_least  ? "at least, "
                       : f.relation == models::Relation::at_most ? "at most, "
                                                                 : "";
    return fmt::format("{}{:.2f} %", side, 100.0 * f.tolerance);
}

/// Prints the rows whose `is_claim` equals `claims`; csv has all rows in one table.
void print_figures(std::vector<Checked> const& all, bool claims, Format format) {
    TextTable table(
        {"architecture", "figure", "published", "ours", "error", "tolerance", "verdict", "evidence", "source"});
    for (auto const& checked : all) {
        if (format == Format::text && checked.is_claim() != claims) continue;
        auto const& check = checked.check;
        auto const& f = check.figure;
        auto const si_unit = f.over.empty() ? f.unit : "1";
        double const scale = sim::parse_unit(f.unit).in_si;
        auto const shown = [&](double si) {
            return fmt::format("{:.6g} {}", si / scale, si_unit == "1" ? "" : f.unit);
        };
        table.add({checked.architecture, f.name, shown(f.value),
                   check.problem.empty() ? shown(check.ours) : check.problem,
                   fmt::format("{:+.2f} %", 100.0 * check.error), tolerance_text(f), checked.verdict(),
                   std::string(models::name_of(f.evidence)), f.source});
    }
    cli::print_table(table, format);
}

/// Prints a row per paper with the counts of its claims.
void print_papers(std::vector<CountedPaper> const& papers) {
    TextTable table(
        {"architecture", "paper", "claims", "reproduced", "fitted", "contradicted", "shown", "not modelled", "failed"});
    for (auto const& [architecture, paper, n] : papers) {
        if (n.claims() == 0) continue;
        table.add({architecture, paper.name, fmt::format("{}", n.claims()), fmt::format("{}", n.reproduced),
                   fmt::format("{}", n.fitted), fmt::format("{}", n.contradicted), fmt::format("{}", n.shown),
                   fmt::format("{}", n.not_modelled), fmt::format("{}", n.failed)});
    }
    std::cout << table.text(screen_width());
}

void print_text(std::vector<CountedPaper> const& papers, std::vector<Checked> const& all) {
    std::cout << fmt::format("Published figures, each architecture as its own papers describe it ({})\n",
                             models::sentence_of(models::own_footing().assumptions));
    print_figures(all, true, Format::text);
    if (!std::ranges::all_of(all, &Checked::is_claim)) {
        std::cout << "\nConsistency checks: values computed by pimdse's authors and their runs of other programs; not "
                     "counted below\n";
        print_figures(all, false, Format::text);
    }
    std::cout << "\nClaims of each paper (measured, simulated, claimed or arithmetic: see the column evidence above)\n";
    print_papers(papers);
}

}  // namespace

int run_validate(CommandLine const& values) {
    Format const format = format_of(values);
    Architectures architectures;
    auto const published = models::published_architectures();
    if (values.contains("architecture")) {
        auto const wanted = values.text("architecture");
        auto const found = std::ranges::find(published, wanted, &models::Architecture::name);
        architectures.push_back(found != published.end() ? *found : &models::find_architecture(wanted));
        if (auto const name = architectures.front()->name; !models::has_published(name))
            throw sim::InputError(
                "there are no published figures of {} to compare it with (pimdse list machines: those "
                "that come with the program have them)",
                name);
    } else {
        architectures = published;
    }
    auto const all = check_all(architectures);
    auto const failed = std::ranges::count_if(all, &Checked::failed);
    auto const papers = count_papers(architectures, all);
    auto const each = std::views::transform([](auto const& row) { return as_json(row); });
    if (format == Format::json) print_json({{"figures", all | each}, {"papers", papers | each}});
    if (format == Format::csv) print_figures(all, true, format);
    if (format == Format::text) {
        print_text(papers, all);
        std::cout << fmt::format("not as stated: {} of {} gated or contradicted rows\n", failed,
                                 std::ranges::count_if(all, &Checked::held));
    }
    return failed > 0 ? mismatch : complete;
}

}  // namespace pimdse::dse::cli

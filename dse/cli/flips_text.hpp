#pragma once

#include "dse/cli/text_table.hpp"
#include "dse/flips/flips.hpp"

#include <string>

namespace pimdse::dse::cli {

/// A space and what was found of it, by the names and in the units that people read. Both must outlive this.
class FlipsText {
  public:
    FlipsText(space::Space const& space, flips::Report const& report) : space_(space), report_(report) {}

    /// Who wins what: a row for each scenario, metric and winning design, with the conditions under which it wins.
    [[nodiscard]] TextTable winners() const;
    /// A row for each change of an assumption that makes one machine win instead of another one, with the questions.
    [[nodiscard]] TextTable changes() const;
    /// The same, a row for each question.
    [[nodiscard]] TextTable every_change() const;
    /// Of all questions: "chat, latency, peak_power <= 15 W".
    [[nodiscard]] std::string question(std::size_t q) const;
    [[nodiscard]] std::string machine(std::optional<std::size_t> m) const;

  private:
    [[nodiscard]] std::vector<std::string> winner_row(std::size_t q, std::string const& under) const;
    [[nodiscard]] std::string break_even(flips::Flip const& flip) const;

    space::Space const& space_;
    flips::Report const& report_;
};

}  // namespace pimdse::dse::cli

#pragma once

#include "models/contract/ledger.hpp"
#include "models/text/result.hpp"

#include <string>
#include <vector>

namespace pimdse::models::text {

/// Rows of energy and area from the components and the file. The texts of the ledger live as long as this.
class LedgerTexts {
  public:
    explicit LedgerTexts(CompiledMachine const& machine);
    LedgerTexts(LedgerTexts const&) = delete;
    LedgerTexts& operator=(LedgerTexts const&) = delete;
    [[nodiscard]] Ledger const& ledger() const { return ledger_; }

  private:
    std::vector<std::string> texts_;
    Ledger ledger_;
};

/// The shares of time as bars on the component that each waits for, one after the other in the order of the phases: a
/// bar sums all passes of its phase.
[[nodiscard]] Trace trace_of(Result const& result);
/// Shares of time, energy and area.
[[nodiscard]] Breakdown breakdown_of(Result const& result);

}  // namespace pimdse::models::text

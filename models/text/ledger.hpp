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

/// Shares of time, energy and area.
[[nodiscard]] Breakdown breakdown_of(Result const& result);

}  // namespace pimdse::models::text

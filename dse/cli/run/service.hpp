#pragma once

#include "dse/cli/run/run_summary.hpp"
#include "dse/served/lines.hpp"
#include "dse/served/served_search.hpp"

#include <functional>

namespace pimdse::dse::cli::run {

/// What `pimdse serve` is at one process: a search whose requests are lines of standard input and whose replies are
/// lines of standard output.
class Service {
  public:
    Service(space::Space const& space, answers::ResultStore const& store, std::function<void()> commit);

    [[nodiscard]] served::ServedSearch& search() { return search_; }
    /// The last reply, when the file is sealed, to whoever asked to stop.
    void say_goodbye(RunSummary const& summary);

  private:
    served::Lines lines_;
    served::Replies replies_;
    served::ServedSearch search_;
};

}  // namespace pimdse::dse::cli::run

#include "dse/cli/run/service.hpp"

#include "dse/cli/json_text.hpp"

#include <unistd.h>
#include <utility>

namespace pimdse::dse::cli::run {

Service::Service(space::Space const& space, answers::ResultStore const& store, std::function<void()> commit)
    : lines_(STDIN_FILENO), replies_(STDOUT_FILENO), search_(space, store, lines_, replies_, std::move(commit)) {}

void Service::say_goodbye(RunSummary const& summary) {
    if (auto const& tag = search_.stop_tag()) {
        replies_.send(json_text({{"tag", *tag},
                                 {"sealed", summary.output.string()},
                                 {"points", summary.points},
                                 {"digest", summary.digest}},
                                -1));
    }
    replies_.finish();
}

}  // namespace pimdse::dse::cli::run

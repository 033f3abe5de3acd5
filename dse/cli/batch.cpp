#include "dse/cli/batch.hpp"

#include "dse/cli/exit_code.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/evaluate/answer_list.hpp"
#include "dse/served/answer_text.hpp"
#include "dse/served/request.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using nlohmann::ordered_json;

std::size_t choices_of(models::Parameters const& parameters) {
    std::size_t count = 0;
    for (auto const& parameter : parameters) count += parameter.choices.size();
    return count;
}

/// A machine that learns texts as lines name them.
class LineBatch {
  public:
    LineBatch(AskedPoint base, int threads)
        : base_(std::move(base)), parameters_(base_.machine.parameters()), threads_(threads) {}

    ordered_json reply_to(std::string const& line) {
        try {
            auto const request = served::read_free_request(parameters_, base_.point, line);
            auto const fidelity = request.fidelity.value_or(base_.fidelity);
            if (std::ranges::find(base_.machine.architecture->fidelities, fidelity) ==
                base_.machine.architecture->fidelities.end())
                throw served::Refusal{request.tag, "the architecture has no such fidelity"};
            renew();
            auto answers = ordered_json::array();
            auto const metrics = base_.machine.metrics();
            for (auto const& outcome : evaluate::outcomes_of(base_.machine, request.points, fidelity, threads_))
                answers.push_back(served::outcome_json(metrics, outcome));
            return {{"tag", request.tag}, {"answers", std::move(answers)}};
        } catch (served::Refusal const& refusal) {
            return {{"tag", refusal.tag}, {"error", refusal.sentence}};
        } catch (sim::InputError const& error) {
            return {{"tag", nullptr}, {"error", error.what()}};
        }
    }

  private:
    /// What the architecture reads anew where a line named a text that it has not met.
    void renew() {
        if (choices_of(parameters_) != choices_of(base_.machine.parameters()))
            base_.machine.inputs =
                models::prepare(*base_.machine.architecture, parameters_, base_.machine.inputs.options);
    }

    AskedPoint base_;
    models::Parameters parameters_;
    int threads_;
};

}  // namespace

int answer_batch(AskedPoint base, int threads) {
    LineBatch batch(std::move(base), threads);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos)
            std::cout << json_text(batch.reply_to(line), -1) << std::endl;  // whoever asked waits for it
    }
    return complete;
}

}  // namespace pimdse::dse::cli

#include "models/text/numbers.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

namespace pimdse::models::text {
std::set<std::string> words_of(std::string_view text) {
    std::set<std::string> words;
    auto const in_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    for (std::size_t at = 0; at < text.size();) {
        if (!in_word(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && in_word(text[end])) ++end;
        words.emplace(text.substr(at, end - at));
        at = end;
    }
    return words;
}

namespace {

/// Orders numbers so that each follows those that it reads.
class Ordering {
  public:
    Ordering(std::vector<WrittenNumber> const& numbers, std::vector<std::string>& mistakes)
        : numbers_(numbers), mistakes_(mistakes), state_(numbers.size(), State::waiting) {
        for (std::size_t i = 0; i < numbers.size(); ++i) positions_.emplace(numbers[i].name, i);
        for (std::size_t i = 0; i < numbers.size(); ++i) visit(i);
    }
    [[nodiscard]] std::vector<std::size_t> const& order() const { return order_; }

  private:
    enum class State : std::uint8_t { waiting, open, done };

    void visit(std::size_t i) {
        if (state_[i] == State::done) return;
        if (state_[i] == State::open) {
            mistakes_.push_back(fmt::format("{}: {} depends on itself", numbers_[i].place, numbers_[i].name));
            return;
        }
        state_[i] = State::open;
        for (auto const& word : words_of(numbers_[i].text))
            if (auto const found = positions_.find(word); found != positions_.end()) visit(found->second);
        state_[i] = State::done;
        order_.push_back(i);
    }

    std::vector<WrittenNumber> const& numbers_;
    std::vector<std::string>& mistakes_;
    std::vector<State> state_;
    std::map<std::string, std::size_t, std::less<>> positions_;
    std::vector<std::size_t> order_;
};

constexpr std::uint64_t given_bit = 1;
std::uint64_t bit_of(std::size_t parameter) { return std::uint64_t{1} << std::min<std::size_t>(parameter + 1, 63); }

bool is_zero(std::string_view text) { return text == "0" || text == "0.0"; }

}  // namespace

NumberTable::NumberTable(MachineFile const& file, Parameters const& parameters) {
    std::vector<std::string> mistakes;
    auto const add_name = [&](std::string const& name, sim::Dimension const& dimension) {
        positions_.emplace(name, names_.size());
        names_.push_back({name, dimension});
    };
    for (auto const given : given_names) add_name(std::string(given), {});
    for (auto const& name : constant_names(file)) {
        auto const& row = file.constants.at(file.row_of(name, 0));
        add_name(file.prefixed.contains(name) ? std::string(constant_prefix) + name : name,
                 sim::parse_unit(row.unit.empty() ? "1" : row.unit).dimension);
    }
    constants_ = names_.size();
    for (auto const& name : names_) {
        if (find_parameter(parameters, name.name) < 0) continue;
        auto const row = file.constants.find(file.row_of(name.name, 0));
        auto const where =
            row == file.constants.end() ? file.file.string() : fmt::format("{}:{}", row->second.file, row->second.line);
        mistakes.push_back(fmt::format("{}: '{}' is the name of a parameter, too", where, name.name));
    }
    MetricList const no_metrics;
    Ordering const ordering(file.numbers, mistakes);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    for (auto const i : ordering.order()) {
        auto const& number = file.numbers[i];
        if (positions_.contains(number.name)) {
            mistakes.push_back(fmt::format("{}: there are two numbers named {}", number.place, number.name));
            continue;
        }
        if (find_parameter(parameters, number.name) >= 0)
            mistakes.push_back(fmt::format("{}: '{}' is the name of a parameter, too", number.place, number.name));
        Expression expression{Expression::Parts{}};
        try {
            auto parsed = parse_arithmetic(number.text, {parameters, no_metrics, names_});
            if (parsed.dimension != number.dimension && !is_zero(number.text))
                throw sim::InputError(fmt::format("\"{}\" is {} (it must be {})", number.text,
                                                  sim::a_dimension(parsed.dimension),
                                                  sim::a_dimension(number.dimension)));
            expression = std::move(parsed.expression);
        } catch (sim::InputError const& error) {
            mistakes.push_back(fmt::format("{}: {}: {}", number.place, file.written_name(number.name), error.what()));
        }
        add_name(number.name, number.dimension);
        expressions_.push_back(std::move(expression));
        written_.push_back(number);
        ranges_.push_back(number.range);
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    std::vector<std::uint64_t> reads(names_.size(), 0);
    std::fill(reads.begin() + 1, reads.begin() + given_names.size(), given_bit);  // the first one is an assumption
    for (std::size_t i = 0; i < expressions_.size(); ++i) {
        auto& own = reads[constants_ + i];
        for (auto const& step : expressions_[i].steps()) {
            if (step.code == Expression::Code::parameter) own |= bit_of(step.index);
            if (step.code == Expression::Code::named) own |= reads[step.index];
        }
        if (own != 0) varying_.push_back({i, own});
    }
}

std::size_t NumberTable::at(std::string_view name) const {
    auto const found = positions_.find(name);
    sim::expects(found != positions_.end(), "the number exists");
    return found->second;
}

std::vector<double> NumberTable::values(Point point, std::span<double const> constants) const {
    std::vector<double> all(names_.size());
    std::ranges::copy(constants, all.begin());
    for (std::size_t i = 0; i < expressions_.size(); ++i) all[constants_ + i] = expressions_[i].number(point, {}, all);
    return all;
}

void NumberTable::move_to(Point point, Point from, std::vector<double>& all) const {
    auto moved = given_bit;
    for (std::size_t p = 0; p < std::min(point.size(), from.size()); ++p)
        if (point[p] != from[p]) moved |= bit_of(p);
    for (auto const& [i, reads] : varying_)
        if ((reads & moved) != 0) all[constants_ + i] = expressions_[i].number(point, {}, all);
}

std::vector<std::size_t> NumberTable::moving() const {
    std::vector<std::size_t> all;
    for (std::size_t given = 1; given < given_names.size(); ++given) all.push_back(given);
    for (auto const& number : varying_) all.push_back(constants_ + number.expression);
    return all;
}

std::string NumberTable::shown(std::size_t number, double si) const {
    auto const& dimension = names_[number].dimension;
    return sim::print_quantity(si, dimension == sim::Dimension{.second = -1} ? "Hz" : sim::unit_of(dimension));
}

std::vector<std::size_t> NumberTable::readers_of(std::size_t parameter) const {
    std::vector<std::size_t> readers;
    for (std::size_t i = 0; i < expressions_.size(); ++i)
        if (expressions_[i].reads_parameter(parameter)) readers.push_back(constants_ + i);
    return readers;
}

}  // namespace pimdse::models::text

#include "dse/space/expression_tree.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::space {
namespace {

using Code = models::Expression::Code;
using sim::Json;

/// By Expression::Code, the operators of a tree; columns and numbers have none.
constexpr std::array<std::string_view, 17> operators{"",   "",  "",   "+",  "-",  "*",   "/",  "-",  "<",
                                                     "<=", ">", ">=", "==", "!=", "and", "or", "not"};
static_assert(operators.size() == static_cast<std::size_t>(Code::logical_not) + 1);

std::string_view operator_of(Code code) { return operators[static_cast<std::size_t>(code)]; }

struct TreeNode {
    Json tree;
    models::Parameter const* choice = nullptr;  ///< the parameter that the node loads, if its values are names
};

TreeNode column(std::string_view kind, std::string const& name, double scale) {
    TreeNode node{{{kind, name}}};
    if (scale != 1.0) node.tree["scale"] = scale;
    return node;
}

TreeNode parameter_node(models::Parameter const& parameter, double scale) {
    auto node = column("parameter", parameter.name, parameter.kind == models::Kind::integer ? scale : 1.0);
    bool const has_names = parameter.kind == models::Kind::choice || parameter.kind == models::Kind::permutation;
    if (has_names) node.choice = &parameter;
    return node;
}

TreeNode metric_node(models::Metric const& metric, models::Expression::Step const& step) {
    auto node = column("metric", metric.name, step.scale);
    if (step.end != models::Expression::End::estimate)
        node.tree["end"] = step.end == models::Expression::End::upper ? "upper" : "lower";
    return node;
}

/// The operand next to a choice is the index of one of its names in the compiled form.
void name_index(TreeNode& operand, TreeNode const& choice) {
    if (choice.choice != nullptr) operand.tree = choice.choice->choices[operand.tree.get<std::size_t>()];
}

}  // namespace

Json tree_of(models::Expression const& expression, models::Vocabulary const& vocabulary) {
    std::vector<TreeNode> stack;
    for (auto const& step : expression.steps()) {
        if (step.code == Code::number) {
            stack.push_back({step.number});
        } else if (step.code == Code::parameter) {
            stack.push_back(parameter_node(vocabulary.parameters[step.index], step.scale));
        } else if (step.code == Code::metric) {
            stack.push_back(metric_node(vocabulary.metrics[step.index], step));
        } else if (step.code == Code::negate || step.code == Code::logical_not) {
            stack.back() = {Json::array({operator_of(step.code), std::move(stack.back().tree)})};
        } else {
            auto right = std::move(stack.back());
            stack.pop_back();
            auto& left = stack.back();
            name_index(left, right);
            name_index(right, left);
            left = {Json::array({operator_of(step.code), std::move(left.tree), std::move(right.tree)})};
        }
    }
    return std::move(stack.back().tree);
}

}  // namespace pimdse::dse::space

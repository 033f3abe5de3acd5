#pragma once

#include "dse/space/machine.hpp"

#include <toml++/toml.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space_file {

/// Parameters of which a space file asks for classes, which are enumerated when all other axes are known; what it is
/// made of must live as long.
class ClassRequests {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;
    ClassRequests(space::Machine& machine, Notes& notes, std::vector<std::string>& mistakes)
        : machine_(machine), notes_(notes), mistakes_(mistakes) {}

    /// Whether the node asks for classes, which is then remembered.
    bool take(models::Parameter const& parameter, toml::node const& node, std::string const& where);
    /// What was asked of the parameter with this index, if anything.
    void forget(int parameter);
    /// Makes axes of the classes and counts orderings; `given`: the parameters that the file speaks of.
    void expand(std::set<int> const& given);

  private:
    struct Request {
        models::ClassRequest what;
        std::string where;
    };
    void expand(Request const& request, std::set<int> const& given);
    void count_orderings(std::size_t parameter, std::set<int> const& given);
    [[nodiscard]] models::AxisValues values_given(std::set<int> const& given) const;
    void note(models::Parameter const& parameter, models::Classes const& found);

    space::Machine& machine_;
    Notes& notes_;
    std::vector<std::string>& mistakes_;
    std::vector<Request> requests_;
};

}  // namespace pimdse::dse::space_file

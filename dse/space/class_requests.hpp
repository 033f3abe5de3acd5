#pragma once

#include "dse/space/machine.hpp"

#include <toml++/impl/forward_declarations.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// Requests of a space file to enumerate the classes of a parameter. Classes are enumerated when all other axes are
/// known. The constructor's arguments must outlive this object.
class ClassRequests {
  public:
    using Notes = std::vector<std::pair<std::string, std::string>>;
    ClassRequests(Machine& machine, Notes& notes, std::vector<std::string>& mistakes)
        : machine_(machine), notes_(notes), mistakes_(mistakes) {}

    /// If the node requests classes, records the request and returns true.
    bool take(models::Parameter const& parameter, toml::node const& node, std::string const& where);
    /// Drops the request for the parameter with this index, if there is one.
    void forget(int parameter);
    /// Replaces requests by axes of classes and counts orderings; `given`: the parameters that the file sets.
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

    Machine& machine_;
    Notes& notes_;
    std::vector<std::string>& mistakes_;
    std::vector<Request> requests_;
};

}  // namespace pimdse::dse::space

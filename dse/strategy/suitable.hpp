#pragma once

namespace pimdse::dse::space {
class Space;
}  // namespace pimdse::dse::space

/// What strategies ask of a space; each throws InputError.
namespace pimdse::dse::strategy {

/// Of one that remembers every point it asks for: so few that memory holds them.
void refuse_too_many(space::Space const& space);

/// Of one whose next points depend on all answers before.
void refuse_shards(space::Space const& space);

}  // namespace pimdse::dse::strategy

"""Cycles of a directed graph given as {node: {successor, ...}}."""


def knots(edges):
    """The sets of more than one node that all reach each other (Tarjan), each sorted."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root not in index:
            walk(root, edges, index, low, stack, on_stack, found)
    return [k for k in found if len(k) > 1]


def walk(root, edges, index, low, stack, on_stack, found):
    path = [(root, iter(sorted(edges.get(root, ()))))]
    enter(root, index, low, stack, on_stack)
    while path:
        node, rest = path[-1]
        step = next((n for n in rest if n not in index or n in on_stack), None)
        if step is None:
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
            if low[node] == index[node]:
                found.append(take(node, stack, on_stack))
        elif step in index:
            low[node] = min(low[node], index[step])
        else:
            enter(step, index, low, stack, on_stack)
            path.append((step, iter(sorted(edges.get(step, ())))))


def enter(node, index, low, stack, on_stack):
    index[node] = low[node] = len(index)
    stack.append(node)
    on_stack.add(node)


def take(node, stack, on_stack):
    knot = []
    while not knot or knot[-1] != node:
        knot.append(stack.pop())
        on_stack.discard(knot[-1])
    return sorted(knot)


def shortest_cycle(edges, knot):
    """The shortest way from the first node of a knot back to it."""
    start, inside = knot[0], set(knot)
    came, wave = {}, [start]
    while wave:
        following = []
        for node in wave:
            for step in sorted(edges.get(node, ())):
                if step == start:
                    return way_back(came, start, node) + [start]
                if step in inside and step not in came:
                    came[step] = node
                    following.append(step)
        wave = following
    return []


def way_back(came, start, node):
    way = [node]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]

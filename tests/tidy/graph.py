"""Cycles of a directed graph given as {node: {successor, ...}}."""


def components(edges):
    """The strongly connected components with more than one node (Tarjan), each sorted."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root not in index:
            walk(root, edges, index, low, stack, on_stack, found)
    return [c for c in found if len(c) > 1]


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
                found.append(pop_component(node, stack, on_stack))
        elif step in index:
            low[node] = min(low[node], index[step])
        else:
            enter(step, index, low, stack, on_stack)
            path.append((step, iter(sorted(edges.get(step, ())))))


def enter(node, index, low, stack, on_stack):
    index[node] = low[node] = len(index)
    stack.append(node)
    on_stack.add(node)


def pop_component(node, stack, on_stack):
    component = []
    while not component or component[-1] != node:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return sorted(component)


def shortest_cycle(edges, component):
    """The shortest path from the first node of a component back to it."""
    start, inside = component[0], set(component)
    came, wave = {}, [start]
    while wave:
        following = []
        for node in wave:
            for step in sorted(edges.get(node, ())):
                if step == start:
                    return path_back(came, start, node) + [start]
                if step in inside and step not in came:
                    came[step] = node
                    following.append(step)
        wave = following
    return []


def path_back(came, start, node):
    path = [node]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path[::-1]

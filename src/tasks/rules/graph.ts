/** For each task, its blockers or its parent. */
export type Edges = ReadonlyMap<string, readonly string[]>;

/**
 * A path along the edges from a task back to itself, with that task at both ends; undefined without
 * a cycle.
 */
export function findCycle(edges: Edges, from: Iterable<string>): readonly string[] | undefined {
  const settled = new Set<string>();
  for (const start of from) {
    const path: string[] = [];
    const onPath = new Set<string>();
    // Iterative: a chain of blockers can be deeper than the stack.
    const open: { readonly id: string; readonly next: Iterator<string> }[] = [];
    const enter = (id: string) => {
      path.push(id);
      onPath.add(id);
      open.push({ id, next: (edges.get(id) ?? [])[Symbol.iterator]() });
    };
    if (!settled.has(start)) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const step = top.next.next();
      if (step.done) {
        settled.add(top.id);
        onPath.delete(top.id);
        path.pop();
        open.pop();
      } else if (onPath.has(step.value))
        return [...path.slice(path.indexOf(step.value)), step.value];
      else if (!settled.has(step.value)) enter(step.value);
    }
  }
  return undefined;
}

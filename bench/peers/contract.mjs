// The contract of a measured task tool, each in its own project.
//
// name           name in the tables
// isThere()      whether it can run here
// at(folder)     a new project there:
// cwd, env     working directory and environment of its programs
// commands     arguments of its command line, if it has one: version, list, ready, create(title)
// server       arguments of its MCP server
// calls        of the server: create(title), isCreated(result), ready
// fill(count)  tasks titled by titleOf, every second one blocked by the one before it
// kept()       id and title of every task that a new reader finds

export function titleOf(n) {
  return `Task number ${n} of the work at hand`;
}

/** The blocker of the nth task. */
export function dependencyOf(n) {
  return n % 2 === 1 ? n - 1 : undefined;
}

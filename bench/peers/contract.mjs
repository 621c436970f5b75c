// What each measured task tool is asked for, in a project of its own.
//
//   name           as the tables show it
//   isThere()      whether it can be run here
//   at(folder)     a new project there:
//     cwd, env     where and with what its programs run
//     commands     arguments of its command line, if it has one: version, list, ready, create(title)
//     server       arguments of its MCP server
//     calls        of the server: create(title), isCreated(result), ready
//     fill(count)  tasks titled by titleOf, every second one waiting for the one before it
//     kept()       id and title of every task that a new reader finds

export function titleOf(n) {
  return `Task number ${n} of the work at hand`;
}

/** The task that the nth one waits for. */
export function dependencyOf(n) {
  return n % 2 === 1 ? n - 1 : undefined;
}

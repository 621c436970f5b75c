/**
 * Tables of a configuration file: one for each command, with defaults of its options. `board` is `waymark` without a
 * command. A test compares them with the commands.
 */
export const TABLES: readonly string[] = [
  "archive",
  "board",
  "cost",
  "demo",
  "files",
  "history",
  "ls",
  "mcp",
  "mute",
  "pipe",
  "plan",
  "relay",
  "report",
  "serve",
  "statusline",
  "task",
  "todo",
  "todos",
  "tool",
  "verify",
  "watch",
];

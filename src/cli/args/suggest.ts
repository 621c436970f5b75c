import { nearest } from "../../core/text/nearest.ts";
import type { Entries } from "./command.ts";

/** Words of other tools, by the command they are typed after, and the command that does it here. */
export const SYNONYMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    agents: "ls",
    dashboard: "serve",
    follow: "watch",
    init: "setup",
    install: "setup",
    list: "ls",
    log: "history",
    open: "serve",
    ps: "ls",
    replay: "demo",
    sessions: "ls",
    status: "ls",
    sync: "relay",
    tail: "watch",
    uninstall: "setup",
    view: "show",
    web: "serve",
  },
  todo: {
    begin: "todo start",
    cancel: "todo drop",
    check: "todo done",
    close: "todo done",
    comment: "todo note",
    complete: "todo done",
    create: "todo add",
    delete: "todo rm",
    empty: "todo clear",
    finish: "todo done",
    history: "history",
    list: "todos",
    ls: "todos",
    new: "todo add",
    remove: "todo rm",
    rename: "todo edit",
    reset: "todo clear",
    show: "todos",
    skip: "todo drop",
    task: "todo promote",
    uncheck: "todo reopen",
    undo: "todo reopen",
    update: "todo edit",
  },
  task: {
    begin: "task claim",
    close: "task done",
    complete: "task done",
    create: "task add",
    delegate: "task assign",
    delete: "task cancel",
    deps: "task dep",
    drop: "task cancel",
    extend: "task renew",
    finish: "task done",
    follow: "task watch",
    get: "task show",
    give: "task assign",
    heartbeat: "task renew",
    log: "task history",
    ls: "task list",
    new: "task add",
    next: "task claim",
    pick: "task claim",
    remove: "task cancel",
    return: "task release",
    rm: "task cancel",
    start: "task claim",
    tail: "task watch",
    take: "task claim",
    transfer: "task assign",
    tree: "task graph",
    unclaim: "task release",
    update: "task edit",
    view: "task show",
  },
  plan: {
    accept: "plan approve",
    add: "plan propose",
    confirm: "plan approve",
    create: "plan propose",
    decline: "plan reject",
    deny: "plan reject",
    get: "plan show",
    list: "ls",
    ls: "ls",
    new: "plan propose",
    note: "plan comment",
    refuse: "plan reject",
    submit: "plan propose",
    view: "plan show",
  },
};

/** Alternatives to commands that users expect and Waymark does not have. */
const HINTS: Readonly<Record<string, string>> = {
  board: "Run `waymark` without a command to open the board.",
  tui: "Run `waymark` without a command to open the board.",
  ui: "Run `waymark` for the board, or `waymark serve` for the browser.",
  version: "Run `waymark --version`.",
};

/** The hint for an unknown command. */
export function commandHint(word: string, path: readonly string[]): string | undefined {
  const typed = [...path, word.toLowerCase()].join(" ");
  return Object.hasOwn(HINTS, typed) ? HINTS[typed] : undefined;
}

/** The command that an unknown word after `path` most likely means. */
export function suggestCommand(
  word: string,
  path: readonly string[],
  entries: Entries,
): string | undefined {
  const table = SYNONYMS[path.join(" ")] ?? {};
  const lower = word.toLowerCase();
  if (Object.hasOwn(table, lower)) return table[lower];
  const meant = nearest(word, Object.keys(entries));
  return meant === undefined ? undefined : [...path, meant].join(" ");
}

/** Options of other tools and the ones that do the same here. */
const OPTION_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  "--after": ["blocked-by"],
  "--assignee": ["as", "owner"],
  "--body": ["description"],
  "--confirm": ["yes"],
  "--depends-on": ["blocked-by"],
  "--directory": ["cwd"],
  "--duration": ["lease"],
  "--force": ["yes"],
  "--format": ["json"],
  "--message": ["comment", "reason"],
  "--output": ["json"],
  "--owner": ["as"],
  "--proof": ["evidence"],
  "--tag": ["label"],
  "--timeout": ["lease"],
  "--title": ["subject", "text"],
  "--ttl": ["lease"],
  "--user": ["as"],
  "-a": ["all"],
  "-f": ["yes"],
  "-j": ["json"],
  "-m": ["comment", "reason"],
  "-n": ["limit"],
  "-o": ["json"],
  "-p": ["port", "priority"],
  "-s": ["session"],
};

/** The option that an unknown one most likely means. */
export function suggestOption(option: string, known: readonly string[]): string | undefined {
  const synonyms = Object.hasOwn(OPTION_SYNONYMS, option) ? OPTION_SYNONYMS[option] : [];
  const synonym = synonyms?.find((name) => known.includes(name));
  if (synonym !== undefined) return `--${synonym}`;
  // One letter is near to any other.
  if (!option.startsWith("--")) return undefined;
  return nearest(
    option,
    known.map((name) => `--${name}`),
  );
}

import type { Entries } from "../../args/command.ts";

export const TASK_ACTIONS: Entries = {
  add: {
    summary: "Add a task, or many from JSONL",
    load: async () => (await import("./add.ts")).add,
  },
  list: {
    summary: "Show the tasks that are not closed, or those that fit",
    load: async () => (await import("./list.ts")).list,
  },
  ready: {
    summary: "Show what can be claimed now, the most urgent first",
    load: async () => (await import("./ready.ts")).ready,
  },
  show: {
    summary: "Show everything of one task",
    load: async () => (await import("./show.ts")).show,
  },
  graph: {
    summary: "Show which task waits for which",
    load: async () => (await import("./graph.ts")).graph,
  },
  history: {
    summary: "Show what happened to one task, or to all",
    load: async () => (await import("./history.ts")).history,
  },
  watch: {
    summary: "Follow what happens to tasks, one line for each change",
    load: async () => (await import("./watch.ts")).watch,
  },
  claim: {
    summary: "Take a task for yourself: the named one, or the most urgent that is ready",
    load: async () => (await import("./claim.ts")).claim,
  },
  renew: {
    summary: "Keep a task that you hold for another while",
    load: async () => (await import("./renew.ts")).renew,
  },
  release: {
    summary: "Give a task back, so that others can take it",
    load: async () => (await import("./release.ts")).release,
  },
  done: { summary: "Finish a task", load: async () => (await import("./done.ts")).done },
  fail: {
    summary: "Say that it did not work; it is tried again until the attempts are used up",
    load: async () => (await import("./fail.ts")).fail,
  },
  block: {
    summary: "Let a task wait for others",
    load: async () => (await import("./block.ts")).block,
  },
  unblock: {
    summary: "Let a task no longer wait for others",
    load: async () => (await import("./unblock.ts")).unblock,
  },
  dep: {
    summary: "Show what a task waits for and what waits for it",
    load: async () => (await import("./dep.ts")).dep,
  },
  edit: { summary: "Change what a task says", load: async () => (await import("./edit.ts")).edit },
  assign: {
    summary: "Give a task to somebody, also from hand to hand",
    load: async () => (await import("./assign.ts")).assign,
  },
  reopen: {
    summary: "Open a closed task again",
    load: async () => (await import("./reopen.ts")).reopen,
  },
  cancel: {
    summary: "Close a task that is no longer needed",
    load: async () => (await import("./cancel.ts")).cancel,
  },
  import: {
    summary: "Bring in the tasks of another tool, or a checklist",
    load: async () => (await import("./import.ts")).importTasks,
  },
  export: {
    summary: "Print all tasks as JSONL or markdown",
    load: async () => (await import("./export.ts")).exportTasks,
  },
};

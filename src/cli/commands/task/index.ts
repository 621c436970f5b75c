import type { Entries } from "../../args/command.ts";

export const TASK_ACTIONS: Entries = {
  add: {
    summary: "Add a task, or many from JSON lines or a checklist",
    load: async () => (await import("./add.ts")).add,
  },
  list: {
    summary: "List open and claimed tasks",
    load: async () => (await import("./list.ts")).list,
  },
  ready: {
    summary: "List tasks that can be claimed, most urgent first",
    load: async () => (await import("./ready.ts")).ready,
  },
  show: {
    summary: "Show one task in full",
    load: async () => (await import("./show.ts")).show,
  },
  graph: {
    summary: "Show the dependencies between tasks",
    load: async () => (await import("./graph.ts")).graph,
  },
  history: {
    summary: "Show the history of one task or of all",
    load: async () => (await import("./history.ts")).history,
  },
  watch: {
    summary: "Stream task changes as they happen",
    load: async () => (await import("./watch.ts")).watch,
  },
  claim: {
    summary: "Claim a task",
    load: async () => (await import("./claim.ts")).claim,
  },
  work: {
    summary: "Run a command for each task",
    load: async () => (await import("./work.ts")).work,
  },
  renew: {
    summary: "Extend the lease of a claimed task",
    load: async () => (await import("./renew.ts")).renew,
  },
  release: {
    summary: "Release a claimed task so that others can claim it",
    load: async () => (await import("./release.ts")).release,
  },
  done: { summary: "Complete a task", load: async () => (await import("./done.ts")).done },
  fail: {
    summary: "Report a failed attempt; the task is retried",
    load: async () => (await import("./fail.ts")).fail,
  },
  retry: {
    summary: "Retry failed tasks",
    load: async () => (await import("./retry.ts")).retry,
  },
  pause: {
    summary: "Pause the queue",
    load: async () => (await import("./pause.ts")).pause,
  },
  resume: {
    summary: "Resume the queue",
    load: async () => (await import("./resume.ts")).resume,
  },
  queue: {
    summary: "Show the state of the queue, or change its settings",
    load: async () => (await import("./queue.ts")).queue,
  },
  stats: {
    summary: "Show throughput and waiting times",
    load: async () => (await import("./stats.ts")).stats,
  },
  prune: {
    summary: "Delete tasks that were closed long ago",
    load: async () => (await import("./prune.ts")).prune,
  },
  block: {
    summary: "Add blockers to a task",
    load: async () => (await import("./block.ts")).block,
  },
  unblock: {
    summary: "Remove blockers from a task",
    load: async () => (await import("./unblock.ts")).unblock,
  },
  dep: {
    summary: "Show what blocks a task and what it blocks",
    load: async () => (await import("./dep.ts")).dep,
  },
  edit: { summary: "Edit a task", load: async () => (await import("./edit.ts")).edit },
  assign: {
    summary: "Assign a task to an owner",
    load: async () => (await import("./assign.ts")).assign,
  },
  reopen: {
    summary: "Reopen a closed task",
    load: async () => (await import("./reopen.ts")).reopen,
  },
  cancel: {
    summary: "Cancel a task that is no longer needed",
    load: async () => (await import("./cancel.ts")).cancel,
  },
  import: {
    summary: "Import tasks from another tool or a checklist",
    load: async () => (await import("./import.ts")).importTasks,
  },
  files: {
    summary: "Keep tasks as Markdown files, compatible with Backlog.md",
    load: async () => (await import("./files.ts")).taskFiles,
  },
  export: {
    summary: "Print all tasks as JSON lines or Markdown",
    load: async () => (await import("./export.ts")).exportTasks,
  },
};

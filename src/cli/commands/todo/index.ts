import type { Entries } from "../../args/command.ts";

const status = () => import("./status.ts");

export const TODO_ACTIONS: Entries = {
  add: {
    summary: "Add todos to the end of the list or of a phase",
    load: async () => (await import("./add.ts")).add,
  },
  start: {
    summary: "Start a todo",
    load: async () => (await status()).start,
  },
  done: { summary: "Complete todos", load: async () => (await status()).done },
  drop: {
    summary: "Drop todos; they stay in the list as cancelled",
    load: async () => (await status()).drop,
  },
  rm: { summary: "Remove todos from the list", load: async () => (await status()).rm },
  reopen: { summary: "Reopen closed todos", load: async () => (await status()).reopen },
  block: { summary: "Mark todos as blocked", load: async () => (await status()).block },
  unblock: {
    summary: "Make blocked todos pending again",
    load: async () => (await status()).unblock,
  },
  note: { summary: "Add a note to a todo", load: async () => (await import("./note.ts")).note },
  edit: {
    summary: "Edit one todo, or the whole list in your editor",
    load: async () => (await import("./edit.ts")).edit,
  },
  move: {
    summary: "Move a todo to another position",
    load: async () => (await import("./move.ts")).move,
  },
  clear: {
    summary: "Remove all todos; the history keeps them",
    load: async () => (await import("./clear.ts")).clear,
  },
  promote: {
    summary: "Turn todos into tasks for several agents",
    load: async () => (await import("./promote.ts")).promote,
  },
  import: {
    summary: "Replace the list with a Markdown checklist",
    load: async () => (await import("./import.ts")).importList,
  },
  export: {
    summary: "Print the list as a Markdown checklist",
    load: async () => (await import("./export.ts")).exportList,
  },
};

import type { Entries } from "../../args/command.ts";

const move = () => import("./status.ts");

export const TODO_ACTIONS: Entries = {
  add: {
    summary: "Add todos at the end of the list or of a phase",
    load: async () => (await import("./add.ts")).add,
  },
  start: {
    summary: "Begin a todo; it becomes the current one",
    load: async () => (await move()).start,
  },
  done: { summary: "Complete todos", load: async () => (await move()).done },
  drop: { summary: "Give todos up; they stay in the list", load: async () => (await move()).drop },
  rm: { summary: "Take todos out of the list", load: async () => (await move()).rm },
  reopen: { summary: "Make closed todos pending again", load: async () => (await move()).reopen },
  block: { summary: "Mark todos as waiting for something", load: async () => (await move()).block },
  unblock: {
    summary: "Make waiting todos pending again",
    load: async () => (await move()).unblock,
  },
  note: { summary: "Put a note on a todo", load: async () => (await import("./note.ts")).note },
  edit: {
    summary: "Change one todo, or the whole list in your editor",
    load: async () => (await import("./edit.ts")).edit,
  },
  move: {
    summary: "Put a todo at another place of the list",
    load: async () => (await import("./move.ts")).move,
  },
  clear: {
    summary: "Empty the list; it stays in the history",
    load: async () => (await import("./clear.ts")).clear,
  },
  promote: {
    summary: "Make todos tasks of the team",
    load: async () => (await import("./promote.ts")).promote,
  },
  import: {
    summary: "Replace the list by a markdown checklist",
    load: async () => (await import("./import.ts")).importList,
  },
  export: {
    summary: "Print the list as a markdown checklist",
    load: async () => (await import("./export.ts")).exportList,
  },
};

import type { Identity } from "../identity.ts";

export const identity = {
  id: "pi",
  name: "pi",
  code: "pi",
  basis: "pi 0.73.1 and the todo tool of its example extension; pi itself has no list",
  command: "pi",
  resumeCommand: "pi --session SESSION",
} satisfies Identity;

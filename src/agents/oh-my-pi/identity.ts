import type { Identity } from "../identity.ts";

export const identity = {
  id: "oh-my-pi",
  name: "oh-my-pi",
  code: "om",
  basis: "the source of 18.3.4, never run; todo_write by its description",
} satisfies Identity;

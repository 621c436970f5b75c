import type { Identity } from "../identity.ts";

export const identity = {
  id: "oh-my-pi",
  name: "oh-my-pi",
  code: "om",
  basis: "oh-my-pi 18.2.3; its former tool todo_write by its description",
  resumeCommand: "omp --resume SESSION",
} satisfies Identity;

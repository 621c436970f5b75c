import type { Identity } from "../identity.ts";

export const identity = {
  id: "langchain",
  name: "LangChain",
  code: "lc",
  basis: "deepagents 1.14.1 with langchain 1.5.14; Python by its description",
} satisfies Identity;

import type { Row } from "../table/table.ts";
import { identity } from "./identity.ts";

/** The format of its records. */
export const row: Row = {
  ...identity,
  format: "zed",
  tools: ["update_plan"],
  list: {
    args: "steps",
    kind: "items",
    item: { text: ["title"] },
    explanation: "title",
  },
  distinctive: [{ "Agent.content": "*" }],
};

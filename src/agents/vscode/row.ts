import type { Row } from "../table/table.ts";
import { identity } from "./identity.ts";

/** The format of its records. */
export const row: Row = {
  ...identity,
  format: "vscode",
  tools: ["manage_todo_list", "manageTodoList", "todo", "todos"],
  list: {
    args: "todoList",
    data: "todoList",
    kind: "items",
    item: { text: ["title"], id: ["id"] },
  },
  session: [{ when: { sessionId: "*", requests: "*" }, id: "sessionId", title: "customTitle" }],
  distinctive: [{ sessionId: "*", requests: "*", responderUsername: "*" }],
  locations: [
    {
      base: "editor",
      path: ["workspaceStorage"],
      depth: 2,
      kind: "document",
      file: /^[^/]+\/chatSessions\/([\w-]+)\.json$/,
    },
  ],
};

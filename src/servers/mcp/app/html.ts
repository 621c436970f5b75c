import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Resource } from "@modelcontextprotocol/server";
import { UI_MIME_TYPE, VIEW_URI } from "./extension.ts";

/** The view loads nothing, so hosts can deny every origin. It draws its own border. */
const UI_META = {
  ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: false },
};

export const VIEW_RESOURCE: Resource = {
  uri: VIEW_URI,
  name: "view",
  title: "Todo list",
  description: "The todo list, the plan and the shared tasks as a view for the user",
  mimeType: UI_MIME_TYPE,
  _meta: UI_META,
};

/** The page of the view. It has no data and no secret: models can read resources. */
export function viewContents() {
  const file = htmlFile();
  if (file === undefined) return undefined;
  return {
    uri: VIEW_URI,
    mimeType: UI_MIME_TYPE,
    text: readFileSync(file, "utf8"),
    _meta: UI_META,
  };
}

/** Beside the program, above the library and its chunks, or in the build of a clone. */
function htmlFile(): string | undefined {
  return [
    "./mcp-app.html",
    "../mcp-app.html",
    "../../mcp-app.html",
    "../../../../dist/mcp-app.html",
  ]
    .map((name) => fileURLToPath(new URL(name, import.meta.url)))
    .find((path) => existsSync(path));
}

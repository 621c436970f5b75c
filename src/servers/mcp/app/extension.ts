/**
 * servers/mcp/app: the list as a view inside a chat host (MCP Apps). `extension` has the names of the protocol, `html` the
 * resource, `view` its data, `tool` the calls of the view, `handles` proves that a call comes from one.
 */
import type {
  ClientCapabilities,
  Tool as Definition,
  ServerContext,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../../core/values.ts";
import { capabilitiesOf } from "../asking/elicitation.ts";
import { UI_EXTENSION } from "../introduction.ts";
import type { Client } from "../server.ts";

export const UI_MIME_TYPE = "text/html;profile=mcp-app";
export const VIEW_URI = "ui://waymark/list";

/** Whether the client shows views. Others get the same tools, resources and answers as without this extension. */
export function showsViews({ server, parts }: Client, context: ServerContext): boolean {
  return parts.showsViews === true || canShowViews(capabilitiesOf(server, context));
}

export function canShowViews(capabilities: ClientCapabilities | undefined): boolean {
  const { extensions } = (capabilities ?? {}) as { readonly extensions?: unknown };
  const settings = isRecord(extensions) ? extensions[UI_EXTENSION] : undefined;
  if (!isRecord(settings)) return false;
  const { mimeTypes } = settings;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(UI_MIME_TYPE);
}

/** A tool whose results the client draws with the view. Older hosts read the second field. */
export function drawnByView(definition: Definition): Definition {
  const { _meta } = definition;
  return {
    ...definition,
    _meta: { ..._meta, ui: { resourceUri: VIEW_URI }, "ui/resourceUri": VIEW_URI },
  };
}

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ToolResult } from "../../tools/run.ts";
import type { Tool } from "../../tools/tool.ts";

/** Where a client finds the id of the list that it wrote to, to name it in another call. */
export const LIST_META = "waymark/list";

export interface ListHandle {
  /** Only for clients that have no session of their own. */
  readonly id: string | undefined;
  /** Only the model's own words connect its calls, so it must be told. */
  readonly told: boolean;
}

/**
 * The answer in both forms. Some clients show their model the text, some nothing but the data:
 * so the data begins with the text, and what the text says anyway is not repeated in it.
 */
export function callResult(tool: Tool, result: ToolResult, list: ListHandle): CallToolResult {
  const { id, told } = list;
  const isTold = told && id !== undefined;
  const text = isTold ? `${result.text}\n\nlist: ${id}` : result.text;
  const known = dataOf(tool, result, text);
  const data = known && isTold ? { ...known, list: id } : known;
  return {
    content: [{ type: "text", text: tool.textIsData && data ? JSON.stringify(data) : text }],
    ...(data && { structuredContent: data }),
    ...(!result.ok && { isError: true }),
    // Some clients hand a failed answer to the model as it is, with everything that is in it.
    ...(result.ok && id !== undefined && { _meta: { [LIST_META]: id } }),
  };
}

type Data = Record<string, unknown>;

function dataOf(tool: Tool, result: ToolResult, text: string): Data | undefined {
  const { data } = result;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  // The text has what a person did meanwhile, which the data itself has not.
  if (tool.textIsData) return JSON.parse(result.text) as Data;
  const { current: _, next: __, ...rest } = data as Data;
  return { text, ...rest };
}

/** A call that could not be carried out, in words for the model. */
export function failedResult(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

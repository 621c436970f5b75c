import type { CallToolResult } from "@modelcontextprotocol/server";
import {
  joinText,
  json,
  line,
  type ModelText,
  modelText,
  neutralData,
} from "../../core/text/model-text.ts";
import type { ToolResult } from "../../tools/run.ts";
import type { TaskToolResult } from "../../tools/tasks/task-tool.ts";
import type { Tool } from "../../tools/tool.ts";

/** Where a client finds the id of the list that it wrote to, to name it in another call. */
const LIST_META = "waymark/list";

export interface ListHandle {
  /** Only for clients that have no session of their own. */
  readonly id: string | undefined;
  /** Only the model's own words connect its calls, so it must be told. */
  readonly told: boolean;
}

export interface Extras {
  readonly list: ListHandle;
  /** At most one thing that the model should know besides. */
  readonly nudge?: ModelText | undefined;
}

/**
 * The answer in both forms. Some clients show their model the text, some nothing but the data:
 * so the data begins with the text, and what the text says anyway is not repeated in it.
 */
export function callResult(
  tool: Tool,
  result: ToolResult,
  { list, nudge }: Extras,
): CallToolResult {
  const id = list.told ? list.id : undefined;
  const text = withList(
    joinText([result.text, ...(nudge === undefined ? [] : [nudge])], "\n\n"),
    id,
  );
  const known = tool.textIsData ? asData(result, nudge) : withText(result, text);
  const data = known && id !== undefined ? { ...known, list: id } : known;
  return {
    content: [textPart(tool.textIsData && data ? json(data) : text)],
    ...(data && { structuredContent: data }),
    ...(!result.ok && { isError: true }),
    // Some clients hand a failed answer to the model as it is, with everything that is in it.
    ...(result.ok && list.id !== undefined && { _meta: { [LIST_META]: list.id } }),
  };
}

export function taskResult(
  { ok, text: said, data }: TaskToolResult,
  list: ListHandle,
): CallToolResult {
  const id = list.told ? list.id : undefined;
  const text = withList(said, id);
  return {
    content: [textPart(text)],
    structuredContent: { text, ...neutralData(data), ...(id !== undefined && { list: id }) },
    ...(!ok && { isError: true }),
    ...(ok && list.id !== undefined && { _meta: { [LIST_META]: list.id } }),
  };
}

function withList(text: ModelText, id: string | undefined): ModelText {
  return id === undefined ? text : modelText`${text}\n\nlist: ${line(id)}`;
}

/** The only way that a text gets to a client's model. */
export function textPart(text: ModelText): { readonly type: "text"; readonly text: ModelText } {
  return { type: "text", text };
}

type Data = Record<string, unknown>;

function isData(data: unknown): data is Data {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

function withText({ data }: ToolResult, text: ModelText): Data | undefined {
  if (!isData(data)) return undefined;
  const { current: _, next: __, ...rest } = data;
  return { text, ...neutralData(rest) };
}

/** With what the user did meanwhile, which the data itself does not have. */
function asData({ data, notice }: ToolResult, nudge: ModelText | undefined): Data | undefined {
  if (!isData(data)) return undefined;
  return {
    ...neutralData(data),
    ...(notice !== undefined && { notice }),
    ...(nudge !== undefined && { nudge }),
  };
}

/** A call that could not be carried out, in words for the model. */
export function failedResult(message: ModelText): CallToolResult {
  return { content: [textPart(message)], isError: true };
}

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

/** `_meta` field with the id of the list, for clients that want to name it in another call. */
const LIST_META = "waymark/list";

export interface ListHandle {
  /** For clients without a session of their own. */
  readonly id: string | undefined;
  /** The model has to send the id back, so it is part of the text. */
  readonly inText: boolean;
}

export interface ResultExtras {
  readonly list: ListHandle;
  /** A reminder to append. */
  readonly reminder?: ModelText | undefined;
}

/**
 * The answer as text and as data. Some clients show their model only the text, others only the data, so the data starts with the
 * text and leaves out what the text says.
 */
export function callResult(
  tool: Tool,
  result: ToolResult,
  { list, reminder }: ResultExtras,
): CallToolResult {
  const id = list.inText ? list.id : undefined;
  const text = withList(
    joinText([result.text, ...(reminder === undefined ? [] : [reminder])], "\n\n"),
    id,
  );
  const known = tool.textIsData ? asData(result, reminder) : withText(result, text);
  const data = known && id !== undefined ? { ...known, list: id } : known;
  return {
    content: [textPart(tool.textIsData && data ? json(data) : text)],
    ...(data && { structuredContent: data }),
    ...(!result.ok && { isError: true }),
    // Some clients show their model a failed answer with everything in it, so it has no extra fields.
    ...(result.ok && list.id !== undefined && { _meta: { [LIST_META]: list.id } }),
  };
}

/** `isNew`: the call named no earlier answer, so it came from an agent without claims. */
export function taskResult(
  { ok, text: answer, data }: TaskToolResult,
  list: ListHandle & { readonly isNew?: boolean },
): CallToolResult {
  // The id of a refused call would lead the model away from the one of its claim.
  const isLost = !ok && list.isNew;
  const id = list.inText && !isLost ? list.id : undefined;
  const text = isLost ? modelText`${answer}\n\n${LOST}` : withList(answer, id);
  return {
    content: [textPart(text)],
    structuredContent: { text, ...neutralData(data), ...(id !== undefined && { list: id }) },
    ...(!ok && { isError: true }),
    ...(ok && list.id !== undefined && { _meta: { [LIST_META]: list.id } }),
  };
}

const LOST = modelText`This call had no "list", so it counts as a new agent. If an earlier answer named one, send it again.`;

function withList(text: ModelText, id: string | undefined): ModelText {
  if (id === undefined) return text;
  return modelText`${text}\n\nSend "list":"${line(id)}" with your next calls: it connects them to this list and to your claims.`;
}

/** Every text for a model passes through here, which its type enforces. */
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

/** The data of a tool whose text is its data, with the notice and the reminder. */
function asData({ data, notice }: ToolResult, reminder: ModelText | undefined): Data | undefined {
  if (!isData(data)) return undefined;
  return {
    ...neutralData(data),
    ...(notice !== undefined && { notice }),
    ...(reminder !== undefined && { reminder }),
  };
}

/** A failed call. */
export function failedResult(message: ModelText): CallToolResult {
  return { content: [textPart(message)], isError: true };
}

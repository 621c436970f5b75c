import type {
  CallToolResult,
  Tool as Definition,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Outcome } from "../../../core/model.ts";
import { type ModelText, modelText } from "../../../core/text/model-text.ts";
import type { Session } from "../../../sessions/caller/session.ts";
import { readOps, readPlanRequest } from "../../http/requests.ts";
import { readTaskRequest } from "../../http/tasks/requests.ts";
import { decideAsUser, editAsUser } from "../../user-edits.ts";
import { decisionMessage, reasons } from "../plans.ts";
import { callerOf } from "../request.ts";
import { failedResult, textPart } from "../result.ts";
import type { Client } from "../server.ts";
import { originOf, type ToolInput } from "../tools.ts";
import { readView } from "./view.ts";

/** Fields of `_meta` that views read. */
const VIEW_META = "waymark/view";
const TOKEN_META = "waymark/token";
const VIA = "mcp-app";

/** Called by views: reads a list and the tasks, and changes them as the user. Hosts hide it from models. */
export const VIEW_TOOL: Definition = {
  name: "view",
  description: "Used by the view of the list",
  inputSchema: {
    type: "object",
    properties: {
      of: { type: "object" },
      list: { type: "string" },
      tasks: { type: "boolean" },
      token: { type: "string" },
      edit: { type: "object" },
      plan: { type: "object" },
      task: { type: "object" },
    },
  },
  annotations: { destructiveHint: false, openWorldHint: false },
  _meta: { ui: { visibility: ["app"] } },
};

const NOT_A_VIEW = modelText`Only the view changes the list and the tasks for the user, and this call has no valid token of a view. Nothing was changed.`;

/**
 * Reads a list and the tasks for a view, or changes them as the user. Visibility is enforced by hosts only, so a change needs the token from the
 * `_meta` of an earlier answer, which no model reads.
 */
export async function viewCall(
  client: Client,
  { list: named, input }: ToolInput,
  context: ServerContext,
): Promise<CallToolResult> {
  const { parts, server } = client;
  const { handles } = parts;
  const { of, tasks, token, edit, plan, task } = input;
  const session = handles.resolve(of) ?? (await client.resolveList(named, context, "user"));
  let message: ModelText | undefined;
  const isChange = [edit, plan, task].some((given) => given !== undefined);
  if (isChange && !handles.accepts(session, token)) return failedResult(NOT_A_VIEW);
  if (task !== undefined) {
    const { op, key } = readTaskRequest(task);
    const store = await parts.tasks?.("writing");
    if (!store) return failedResult(modelText`This server has no tasks.`);
    const answer = await store.apply(op, { by: "user", via: VIA, key });
    if (!answer.ok) return failedResult(answer.refused.short ?? answer.refused.message);
  } else if (isChange) {
    const origin = originOf(parts, session, callerOf(server, context));
    const list = (await parts.lists.writing()).list(session, origin);
    let outcome: Outcome;
    if (plan !== undefined) {
      const request = readPlanRequest(plan);
      outcome = await decideAsUser(list, request, VIA);
      message = decisionMessage(request.decision, request.comment);
    } else outcome = (await editAsUser(list, readOps(edit), VIA)).outcome;
    if (!outcome.ok) return failedResult(reasons(outcome));
  }
  const text = modelText`The list is in the metadata, for the view.`;
  const answer = {
    content: [textPart(text)],
    structuredContent: { text, ...(message !== undefined && { message }) },
    _meta: { [TOKEN_META]: handles.tokenOf(session) },
  };
  return withView(client, answer, session, tasks === true);
}

/** An answer with the data that a view draws, in `_meta`: what models read stays the same, and views get texts as they are. */
export async function withView<R extends object>(
  client: Client,
  result: R,
  session: Session,
  withTasks: boolean,
): Promise<R> {
  const { parts } = client;
  const { _meta, isError } = result as CallToolResult;
  // Some clients show their model a failed answer with everything in it. A question has no answer yet.
  if (isError || !("content" in result)) return result;
  const view = await readView(parts, session, withTasks);
  const handle = parts.handles.handleOf(session);
  return { ...result, _meta: { ..._meta, [VIEW_META]: { ...handle, view } } };
}

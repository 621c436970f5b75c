/**
 * servers/mcp/asking: questions to the user of a client (elicitation). A handler returns `inputRequired`: clients of the new
 * protocol repeat the call with the answer; to older ones, the SDK sends a request and calls the handler again.
 */
import type {
  ClientCapabilities,
  InputRequiredResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from "../sdk.ts";

/** Clients of the new protocol send their capabilities with every request, others once. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const sent = (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
  return (sent as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {};
}

/** Whether the client can show a form. An empty capability means forms, as before there were other modes. */
export function canAsk(server: Server, context: ServerContext): boolean {
  const { elicitation } = capabilitiesOf(server, context);
  if (!elicitation) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

export interface Question {
  readonly key: string;
  /** Text for the user, escaped. */
  readonly message: string;
  readonly properties: Parameters<typeof inputRequired.elicit>[0]["requestedSchema"] extends infer S
    ? S extends { properties: infer P }
      ? P
      : never
    : never;
  readonly required: string[];
  /** Returned with the answer. */
  readonly state: string;
}

export function ask({ key, message, properties, required, state }: Question): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [key]: inputRequired.elicit({
        message,
        requestedSchema: { type: "object", properties, required },
      }),
    },
    requestState: state,
  });
}

/** The user's answer. `content` is present if the user sent the form. */
export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content: Readonly<Record<string, unknown>>;
  readonly state: string;
}

/** The answer to a question that an earlier round of this call asked. */
export function answerTo(server: Server, context: ServerContext, key: string): Answer | undefined {
  // Without the capability, no question was asked.
  if (!canAsk(server, context)) return undefined;
  const { inputResponses } = context.mcpReq;
  const state = context.mcpReq.requestState<string>();
  const response = inputResponse(inputResponses, key);
  if (response.kind !== "elicit" || typeof state !== "string") return undefined;
  return { action: response.action, content: response.content ?? {}, state };
}

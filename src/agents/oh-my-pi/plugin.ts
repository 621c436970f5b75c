/**
 * The extension of oh-my-pi, after the function that runs a hook command. A subagent's session file is in a directory
 * with the name of its main session.
 */
export const PLUGIN_BODY = String.raw`const isNative = commands.Stop.includes(" --native ");

const SUBAGENT = /Z_([^/\\]+)[/\\](?:.*[/\\])?([\w.-]+)\.jsonl$/;
const DEVICE = /^xd:\/\//;

export default function waymark(pi) {
  const started = new Set();
  const compacted = new Set();
  const inputs = new Map();

  const base = ({ sessionManager, cwd }) => {
    const [, session, agent] = SUBAGENT.exec(sessionManager.getSessionFile() ?? "") ?? [];
    return agent === undefined
      ? { session_id: sessionManager.getSessionId(), cwd }
      : { session_id: session, cwd, agent_id: agent };
  };
  const isSubagent = (ctx) => base(ctx).agent_id !== undefined;

  const begin = async (ctx) => {
    const id = ctx.sessionManager.getSessionId();
    if (started.has(id) && !compacted.has(id)) return undefined;
    const isOld = ctx.sessionManager.getEntries().some(({ type }) => type === "message");
    const source = compacted.delete(id) ? "compact" : isOld ? "resume" : "startup";
    started.add(id);
    return contextOf(await run("SessionStart", { ...base(ctx), source }));
  };

  // A call of a mounted tool is also reported as the write that carries it.
  const carries = ({ toolName, input }) => toolName === "write" && DEVICE.test(input?.path ?? "");

  const on = (event, work) => pi.on(event, withoutErrors(work));

  on("before_agent_start", async ({ prompt }, ctx) => {
    const tools = pi.getActiveTools();
    if (!isNative && tools.includes("todo"))
      await pi.setActiveTools(tools.filter((name) => name !== "todo"));
    const content = joined(
      await begin(ctx),
      contextOf(await run("UserPromptSubmit", { ...base(ctx), prompt })),
    );
    return content && { message: { customType: "waymark", content, display: false } };
  });

  on("tool_call", async (event, ctx) => {
    if (carries(event)) return undefined;
    const { toolName, toolCallId, input } = event;
    inputs.set(toolCallId, input);
    const answer = await run("PreToolUse", {
      ...base(ctx),
      tool_name: toolName,
      tool_input: input,
      tool_use_id: toolCallId,
    });
    const decision = answer?.hookSpecificOutput;
    if (decision?.permissionDecision !== "deny") return undefined;
    return { block: true, reason: decision.permissionDecisionReason };
  });

  on("tool_result", async (event, ctx) => {
    if (carries(event)) return undefined;
    const { toolName, toolCallId, input, content, details, isError } = event;
    inputs.delete(toolCallId);
    const text = joined(
      compacted.has(ctx.sessionManager.getSessionId()) ? await begin(ctx) : undefined,
      contextOf(
        await run("PostToolUse", {
          ...base(ctx),
          tool_name: toolName,
          tool_input: input,
          tool_response: { content, details, isError },
          tool_use_id: toolCallId,
        }),
      ),
    );
    return text && { content: [...content, { type: "text", text }] };
  });

  on("tool_approval_requested", async ({ toolName, toolCallId }, ctx) => {
    await run("PermissionRequest", {
      ...base(ctx),
      tool_name: toolName,
      tool_input: inputs.get(toolCallId) ?? {},
      tool_use_id: toolCallId,
    });
  });

  on("tool_approval_resolved", async (_, ctx) => {
    await run("PermissionResult", base(ctx));
  });

  on("session_stop", async ({ stop_hook_active, last_assistant_message }, ctx) => {
    const parts = last_assistant_message?.content ?? [];
    const answer = await run("Stop", {
      ...base(ctx),
      stop_hook_active,
      last_assistant_message: parts.map(({ text }) => text ?? "").join(""),
    });
    return answer?.decision === "block" ? answer : undefined;
  });

  on("agent_end", async ({ willContinue }, ctx) => {
    if (!willContinue && isSubagent(ctx)) await run("SubagentStop", base(ctx));
  });

  on("session_compact", async (_, ctx) => {
    compacted.add(ctx.sessionManager.getSessionId());
  });

  on("session_shutdown", async (_, ctx) => {
    if (!isSubagent(ctx)) await run("SessionEnd", { ...base(ctx), reason: "exit" });
  });
}
`;

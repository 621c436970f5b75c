/** The plugin of OpenClaw, after the function that runs a hook command. */
export const PLUGIN_BODY = `const sessions = new Map();
const parents = new Map();
const started = new Set();
const compacted = new Set();
const prompted = new Map();

const base = ({ sessionKey, sessionId, workspaceDir }) => {
  if (sessionKey !== undefined) sessions.set(sessionKey, sessionId);
  const parent = parents.get(sessionKey);
  return {
    session_id: sessionId,
    ...(workspaceDir !== undefined && { cwd: workspaceDir }),
    ...(parent !== undefined && { parent_session_id: parent }),
  };
};

const begin = async (ctx, isOld) => {
  const { sessionId } = ctx;
  if (started.has(sessionId) && !compacted.has(sessionId)) return undefined;
  const source = compacted.delete(sessionId) ? "compact" : isOld ? "resume" : "startup";
  started.add(sessionId);
  return contextOf(await run("SessionStart", { ...base(ctx), source }));
};

const prompt = async (event, ctx) => {
  const appendContext = joined(
    await begin(ctx, event.messages?.length > 0),
    contextOf(
      await run("UserPromptSubmit", {
        ...base(ctx),
        prompt: event.currentUserMessage ?? event.prompt,
      }),
    ),
  );
  return appendContext && { appendContext };
};

export default {
  id: "waymark",
  name: "Waymark",
  description: "Reports what the agent does to Waymark, and gives it reminders.",
  register(api) {
    const on = (event, work) =>
      api.on(
        event,
        withoutErrors(async (event, ctx) => {
          if (ctx?.sessionId !== undefined) return await work(event, ctx);
        }),
      );

    // A prompt is built again after a failed attempt of the same run.
    on("before_prompt_build", (event, ctx) => {
      if (ctx.trigger !== undefined && ctx.trigger !== "user") return undefined;
      const known = prompted.get(ctx.sessionId);
      if (known !== undefined && known.run === ctx.runId) return known.answer;
      const answer = prompt(event, ctx);
      prompted.set(ctx.sessionId, { run: ctx.runId, answer });
      return answer;
    });

    // Calls through tool_call are reported with the tool inside as well.
    on("before_tool_call", async ({ toolName, params, toolCallId }, ctx) => {
      if (toolName === "tool_call") return undefined;
      const answer = await run("PreToolUse", {
        ...base(ctx),
        tool_name: toolName,
        tool_input: params,
        tool_use_id: toolCallId,
      });
      const decision = answer?.hookSpecificOutput;
      if (decision?.permissionDecision !== "deny") return undefined;
      return { block: true, blockReason: decision.permissionDecisionReason };
    });

    on("after_tool_call", async ({ toolName, params, toolCallId, result, error }, ctx) => {
      if (toolName === "tool_call") return;
      await run("PostToolUse", {
        ...base(ctx),
        tool_name: toolName,
        tool_input: params,
        tool_response: result,
        ...(error !== undefined && { error }),
        tool_use_id: toolCallId,
      });
    });

    on("before_agent_finalize", async ({ lastAssistantMessage }, ctx) => {
      await run("Stop", { ...base(ctx), last_assistant_message: lastAssistantMessage });
    });

    on("after_compaction", async (_, { sessionId }) => {
      compacted.add(sessionId);
    });

    on("session_end", async ({ reason }, ctx) => {
      started.delete(ctx.sessionId);
      await run("SessionEnd", { ...base(ctx), reason });
    });

    api.on("subagent_spawned", ({ childSessionKey }, { requesterSessionKey }) => {
      const parent = sessions.get(requesterSessionKey);
      if (parent !== undefined) parents.set(childSessionKey, parent);
    });
  },
};
`;

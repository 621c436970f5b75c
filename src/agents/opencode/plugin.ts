/** opencode's own events for dialogs, which the hook command reads unchanged. */
export const REQUEST_EVENTS = [
  "permission.asked",
  // Before 1.1.
  "permission.updated",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
] as const;

/** The plugin of opencode, or of a fork of it, after the function that runs a hook command. */
export const PLUGIN_BODY = String.raw`const requests = new Set(${JSON.stringify(REQUEST_EVENTS)});

// "opencode run" exits when its session is idle, so a prompt sent then never reaches the model. With
// --attach the session belongs to a server, which keeps running.
const endsWhenIdle = () => {
  const args = process.argv.slice(2);
  return args.includes("run") && !args.some((arg) => arg.startsWith("--attach"));
};

export const Waymark = async ({ client, directory }) => {
  const parents = new Map();
  const created = new Set();
  const started = new Set();
  const continued = new Set();
  const compacted = new Set();

  const base = (sessionID) => ({
    session_id: sessionID,
    cwd: directory,
    ...(parents.get(sessionID) && { parent_session_id: parents.get(sessionID) }),
  });

  const begin = async (sessionID) => {
    if (started.has(sessionID) && !compacted.has(sessionID)) return undefined;
    const source = compacted.delete(sessionID)
      ? "compact"
      : created.has(sessionID)
        ? "startup"
        : "resume";
    started.add(sessionID);
    return contextOf(await run("SessionStart", { ...base(sessionID), source }));
  };

  const stop = async (sessionID) => {
    const active = continued.has(sessionID);
    const answer = await run("Stop", {
      ...base(sessionID),
      stop_hook_active: active,
      ...(endsWhenIdle() && { no_answer: true }),
    });
    continued.delete(sessionID);
    if (answer?.decision !== "block" || typeof answer.reason !== "string") return;
    continued.add(sessionID);
    await client.session.promptAsync({
      path: { id: sessionID },
      body: { parts: [{ type: "text", text: answer.reason, synthetic: true }] },
    });
  };

  return {
    event: withoutErrors(async ({ event }) => {
      const { type, properties } = event;
      const sessionID = properties?.sessionID ?? properties?.info?.id;
      if (type === "session.created") {
        created.add(properties.info.id);
        if (properties.info.parentID) parents.set(properties.info.id, properties.info.parentID);
      } else if (type === "session.idle") await stop(sessionID);
      else if (requests.has(type)) await run(type, { ...base(sessionID), ...properties });
      else if (type === "session.compacted") {
        compacted.add(sessionID);
        await run("PostCompact", base(sessionID));
      } else if (type === "session.deleted")
        await run("SessionEnd", { ...base(sessionID), reason: "deleted" });
    }),
    "chat.message": withoutErrors(async ({ sessionID }, { message, parts }) => {
      const prompt = parts
        .filter(({ type, synthetic }) => type === "text" && !synthetic)
        .map(({ text }) => text)
        .join("\n");
      const texts = [
        await begin(sessionID),
        prompt === ""
          ? undefined
          : contextOf(await run("UserPromptSubmit", { ...base(sessionID), prompt })),
      ].filter((text) => text !== undefined);
      const last = parts.at(-1)?.id ?? "prt_";
      texts.forEach((text, index) => {
        const id = last + "w" + index;
        parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
      });
    }),
    "tool.execute.before": withoutErrors(async ({ tool, sessionID, callID }, { args }) => {
      await run("PreToolUse", {
        ...base(sessionID),
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
      });
    }),
    "tool.execute.after": withoutErrors(async ({ tool, sessionID, callID, args }, output) => {
      const context = compacted.has(sessionID) ? await begin(sessionID) : undefined;
      const answer = await run("PostToolUse", {
        ...base(sessionID),
        tool_name: tool,
        tool_input: args,
        tool_response: output,
        tool_use_id: callID,
      });
      for (const text of [context, contextOf(answer)]) {
        if (text === undefined) continue;
        if (typeof output.output === "string") output.output += "\n\n" + text;
        else if (Array.isArray(output.content)) output.content.push({ type: "text", text });
      }
    }),
    "experimental.session.compacting": withoutErrors(async ({ sessionID }, output) => {
      const text = contextOf(
        await run("PreCompact", { ...base(sessionID), trigger: "auto" }),
      );
      if (text !== undefined && Array.isArray(output.context)) output.context.push(text);
    }),
  };
};
`;

// Written by scripts/plugins.mjs from src/agents/opencode/plugin.ts. Do not edit.
import { spawn } from "node:child_process";

const commands = {
  "SessionStart": "waymark hook opencode SessionStart",
  "UserPromptSubmit": "waymark hook opencode UserPromptSubmit",
  "PreToolUse": "waymark hook opencode PreToolUse",
  "PostToolUse": "waymark hook opencode PostToolUse",
  "permission.asked": "waymark hook opencode permission.asked",
  "permission.updated": "waymark hook opencode permission.updated",
  "permission.replied": "waymark hook opencode permission.replied",
  "question.asked": "waymark hook opencode question.asked",
  "question.replied": "waymark hook opencode question.replied",
  "question.rejected": "waymark hook opencode question.rejected",
  "Stop": "waymark hook opencode Stop",
  "PreCompact": "waymark hook opencode PreCompact",
  "PostCompact": "waymark hook opencode PostCompact",
  "SessionEnd": "waymark hook opencode SessionEnd"
};

const TIMEOUT = 10_000;
// With a check at every stop, the program limits the time itself.
const STOP_TIMEOUT = process.env.WAYMARK_STOP_CHECK ? 3_700_000 : TIMEOUT;

function run(event, input) {
  return new Promise((resolve) => {
    let child;
    const finish = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(() => {
      child?.kill();
      finish({});
    }, event === "Stop" ? STOP_TIMEOUT : TIMEOUT);
    try {
      child = spawn(commands[event], { shell: true, stdio: ["pipe", "pipe", "ignore"] });
      const chunks = [];
      child.on("error", () => finish({}));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (chunk) => chunks.push(chunk));
      child.on("close", () => {
        const text = Buffer.concat(chunks).toString("utf8").trim();
        try {
          finish(text === "" ? {} : JSON.parse(text));
        } catch {
          finish({});
        }
      });
      child.stdin.end(JSON.stringify({ ...input, hook_event_name: event }));
    } catch {
      finish({});
    }
  });
}

const contextOf = (answer) => {
  const text = answer?.hookSpecificOutput?.additionalContext;
  return typeof text === "string" && text !== "" ? text : undefined;
};

const joined = (...texts) => {
  const known = texts.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join("\n\n");
};

const withoutErrors = (work) => async (...args) => {
  try {
    return await work(...args);
  } catch {
    // An error of Waymark must not affect the session.
  }
};

const requests = new Set(["permission.asked","permission.updated","permission.replied","question.asked","question.replied","question.rejected"]);

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

/** The start of every plugin: `run` runs the hook command of an event and returns its answer. */
export const RUNNER = String.raw`import { spawn } from "node:child_process";

const commands = COMMANDS;

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

`;

// Eight agents that add tasks at the same time: how many additions were acknowledged, and how many
// of those exist afterwards.
import { runNode } from "./process.mjs";
import { openServer } from "./server.mjs";

const AGENTS = 8;
const EACH = 25;
/** Time limit for a tool. */
const SECONDS = 150;

export const CREATES = AGENTS * EACH;

/** A process for each task. */
export async function createdByCommand(name, project) {
  const { commands, cwd, env } = project;
  const create = async (title) => {
    const { failure } = await runNode(commands.create(title), { cwd, env, seconds: 30 });
    return failure === undefined;
  };
  return { tool: `${name}, command line`, ...(await addAll(project, Array(AGENTS).fill(create))) };
}

/** A server for each agent, as agents have them. */
export async function createdByServer(name, project) {
  const { server: args, cwd, env, calls } = project;
  const servers = [];
  const agent = async () => {
    const server = await openServer({ args, cwd, env });
    servers.push(server);
    return async (title) => calls.isCreated(await server.call(calls.create(title)));
  };
  const tool = `${name}, MCP`;
  try {
    const agents = await Promise.all(Array.from({ length: AGENTS }, agent));
    return { tool, ...(await addAll(project, agents)) };
  } catch (error) {
    return { tool, "told ok": error.message };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

async function addAll(project, agents) {
  const received = [];
  let refused = 0;
  const start = performance.now();
  const isLate = () => performance.now() - start > SECONDS * 1_000;
  const work = async (create, agent) => {
    for (let n = 0; n < EACH && !isLate(); n++) {
      const title = `Agent ${agent} task ${n}`;
      if (await create(title).catch(() => false)) received.push(title);
      else refused += 1;
    }
  };
  await Promise.all(agents.map(work));
  const seconds = (performance.now() - start) / 1_000;
  const wasLate = isLate();
  const { remark = wasLate ? `stopped after ${SECONDS} s` : "", ...loss } = await lossOf(
    project,
    received,
  );
  return {
    "told ok": received.length,
    "told no": refused,
    ...loss,
    seconds: seconds.toFixed(0),
    remark,
  };
}

async function lossOf(project, received) {
  try {
    const kept = await project.kept();
    const titles = new Set(kept.map(({ title }) => title));
    const found = received.filter((title) => titles.has(title)).length;
    return {
      kept: found,
      lost: received.length - found,
      "ids given twice": kept.length - new Set(kept.map(({ id }) => id)).size,
    };
  } catch (error) {
    const remark = `could not be read: ${error.message.split("\n")[0].slice(0, 80)}`;
    return { kept: 0, lost: received.length, "ids given twice": "", remark };
  }
}

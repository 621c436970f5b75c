import { IDENTITIES } from "../../agents/identities.ts";
import { UsageError } from "../../core/error.ts";
import {
  guidanceFromEnv,
  type Policy,
  policyFromEnv,
  readMaxTodos,
} from "../../core/list/policy.ts";
import type { ModelText } from "../../core/text/model-text.ts";
import { originHere } from "../../home/current-directory.ts";
import type { Caller, Tasks } from "../../servers/mcp/index.ts";
import { instructionsFor, introduce } from "../../servers/mcp/introduction.ts";
import type { OfferedTools } from "../../servers/mcp/offered-tools.ts";
import { watchParents } from "../../servers/mcp/parents.ts";
import type { Session } from "../../sessions/caller/session.ts";
import { version } from "../../setup/version.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { parseLease } from "../options/lease.ts";
import { OFF_IN_OPTION, offIn } from "../options/off-in.ts";
import { TOOLS_OPTION } from "../options/offered-tools.ts";
import { namedTrack, TRACK_OPTIONS } from "../options/track-selection.ts";

const options = {
  session: {
    ...TRACK_OPTIONS.session,
    summary: "Session",
    default: "the session of the agent that starts the server",
  },
  agent: TRACK_OPTIONS.agent,
  tools: TOOLS_OPTION,
  "max-todos": {
    type: "string",
    value: "COUNT",
    summary: "Maximum number of todos in a list, 1 to 10000",
    default: "WAYMARK_MAX_TODOS, or 20",
  },
  "off-in": OFF_IN_OPTION,
  lease: {
    type: "string",
    value: "TIME",
    summary: "Lease of claimed tasks, e.g. 90s, 5m, 1h",
    default: "5m",
  },
  name: { type: "string", value: "NAME", summary: "Name of the server", default: "waymark" },
} as const satisfies Options;

type McpCall = Call<typeof options>;
type SessionOf = (caller: Caller) => Promise<Session>;

export const mcp = defineCommand({
  arguments: [],
  options,
  notes: [
    "Agents start this server and talk to it over standard input and output; it exits with the agent. `waymark setup AGENT` configures it.",
    "--tools tasks offers the tasks of `waymark task`; claude-tasks offers them as TaskCreate, TaskUpdate, TaskGet and TaskList. The session of the agent owns what it claims, and its calls renew the leases.",
    "WAYMARK_TOOLS=off offers no tools. For --off-in, hooks report the commands that start a commit or a pull request: git add, git commit, gh pr create.",
  ],
  examples: [
    ...IDENTITIES.flatMap(({ name, addServerCommand: add }) =>
      add === undefined
        ? []
        : [{ command: `${add} waymark -- waymark mcp`, comment: `Add the server to ${name}` }],
    ),
    { command: "waymark mcp --tools todos,TodoWrite", comment: "Also offer TodoWrite" },
    { command: "waymark mcp --tools todos,plan", comment: "Let the agent propose plans" },
    { command: "waymark mcp --tools todos,tasks", comment: "Let it claim tasks" },
  ],
  seeAlso: ["setup", "serve"],
  run,
});

/** Milliseconds that running calls may take after the client has disconnected. */
const GRACE = 2_500;

async function run(call: McpCall): Promise<Exit> {
  const { values, home, env, terminal } = call;
  const { tools, ...others } = await offeredTools(env, values.tools);
  const lease = values.lease === undefined ? undefined : parseLease(values.lease);
  const limits = limitsIn(values["max-todos"]);
  const guidance = guidanceFromEnv(env);
  const policy = { ...policyFromEnv(env), ...limits };
  const off = offIn(values["off-in"], env);
  const named = namedTrack(values);
  const { name = "waymark" } = values;
  // Until the server is there, nothing has to be finished.
  let end = (): unknown => process.exit(EXIT.success);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end());
  watchParents(() => end());
  const streams = await introduce(reserveStdout(), {
    name,
    version: version(),
    instructions: await instructionsOf(tools, others),
  });
  if (!streams) return EXIT.success;
  const { todoServer } = await import("../../servers/mcp/index.ts");
  const sessionOf = named ? async () => named : await sessionOfCalls(call);
  const prove: Tasks["prove"] = async (task, run) => {
    const { proveForClients } = await import("../../servers/verify/task-proof.ts");
    return proveForClients({ home, env })(task, run);
  };
  const server = todoServer(home, {
    name,
    version: version(),
    tools,
    ...others,
    tasks: { tasks: home.tasks, lease, onOwner: home.links.meet, prove },
    sessionOf,
    guidance,
    policy,
    offIn: off,
    ...originHere(),
    onError: ({ message }) => terminal.printError(`waymark: ${message}`),
  });
  const connection = server.serve(streams);
  end = () => connection.close();
  await connection.closed;
  // An open input, or a store that waits for another process, would keep this process alive.
  process.stdin.destroy();
  setTimeout(() => process.exit(EXIT.success), GRACE).unref();
  return EXIT.success;
}

function limitsIn(given: string | undefined): Partial<Policy> {
  if (given === undefined) return {};
  const maxTodos = readMaxTodos(given);
  if (maxTodos === undefined)
    throw new UsageError(
      `Invalid --max-todos "${given.slice(0, 40)}". Use a number from 1 to 10000.`,
    );
  return { maxTodos };
}

/** The tools and their checks are loaded after the first answer, unless it depends on them. */
async function offeredTools(
  env: NodeJS.ProcessEnv,
  given: string | undefined,
): Promise<OfferedTools> {
  if (given === undefined && env.WAYMARK_TOOLS !== "off")
    return { tools: ["todos"], taskTools: [], plans: false };
  const { offeredTools: named } = await import("../../servers/mcp/offered-tools.ts");
  return named(env, given);
}

async function instructionsOf(
  [first]: OfferedTools["tools"],
  { taskTools: [taskTool] }: Pick<OfferedTools, "taskTools">,
): Promise<ModelText> {
  if (first === undefined || first === "todos") return instructionsFor(first, taskTool);
  const { TOOLS } = await import("../../tools/index.ts");
  return instructionsFor(TOOLS.find(({ id }) => id === first)?.name, taskTool);
}

async function sessionOfCalls({ values, env, home }: McpCall): Promise<SessionOf> {
  const { sessionOfCalls: resolver } = await import("../../servers/hooks/call-session.ts");
  return resolver({ env, home }, values.agent);
}

/** Reserves stdout for protocol messages; other output goes to stderr. */
function reserveStdout() {
  const { stdin, stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    input: stdin,
    output: { write, on: stdout.on.bind(stdout) },
  };
}

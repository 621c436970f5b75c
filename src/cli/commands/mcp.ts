import { IDENTITIES } from "../../agents/identities.ts";
import { UsageError } from "../../core/error.ts";
import {
  guidanceFromEnv,
  type Policy,
  policyFromEnv,
  readMaxTodos,
} from "../../core/list/policy.ts";
import { originHere } from "../../home/directory.ts";
import type { Asker } from "../../servers/mcp/index.ts";
import { offeredTools } from "../../servers/mcp/offered-tools.ts";
import type { Session } from "../../sessions/caller/session.ts";
import { version } from "../../setup/version.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { readLease } from "../options/lease.ts";
import { OFF_IN_OPTION, offIn } from "../options/off-in.ts";
import { TOOLS_OPTION } from "../options/offered-tools.ts";
import { namedTrack, TRACK_OPTIONS } from "../options/which-track.ts";

const options = {
  session: {
    ...TRACK_OPTIONS.session,
    summary: "The session; else what the agent tells of its own",
  },
  agent: TRACK_OPTIONS.agent,
  tools: TOOLS_OPTION,
  "max-todos": {
    type: "string",
    value: "COUNT",
    summary: "Most todos that a list may have (default: 20)",
  },
  "off-in": OFF_IN_OPTION,
  lease: {
    type: "string",
    value: "TIME",
    summary: "How long a claim lasts without a sign of life: 90s, 5m, 1h; 5m unless told",
  },
  name: { type: "string", value: "NAME", summary: 'What the server calls itself; else "waymark"' },
} as const satisfies Options;

type McpCall = Call<typeof options>;
type SessionOf = (asker: Asker) => Promise<Session>;

export const mcp = defineCommand({
  arguments: [],
  options,
  notes: [
    "An agent starts this program and speaks the Model Context Protocol with it over the standard input and output. It ends with the agent.",
    "tasks gives the agent the team's tasks (waymark task), claude-tasks the same as TaskCreate, TaskUpdate, TaskGet and TaskList. Its session is the owner of what it claims, and its calls renew its leases.",
    "WAYMARK_TOOLS=off offers no tools. --off-in, or WAYMARK_OFF_IN, recognizes a commit or a pull request by the commands that hooks report: git add, git commit, gh pr create.",
  ],
  examples: [
    ...IDENTITIES.flatMap(({ name, addServerCommand: add }) =>
      add === undefined
        ? []
        : [{ command: `${add} waymark -- waymark mcp`, says: `Give ${name} the list` }],
    ),
    { command: "waymark mcp --tools todos,TodoWrite", says: "Offer TodoWrite too" },
    { command: "waymark mcp --tools todos,plan", says: "Let the agent put a plan before you" },
    { command: "waymark mcp --tools todos,tasks", says: "Let it work on the team's tasks" },
  ],
  run,
});

/** How long what is still going on may take when the client is gone. */
const LAST_WORK = 2_500;

async function run(call: McpCall): Promise<Exit> {
  const { values, home, env, terminal } = call;
  const { tools, ...others } = offeredTools(env, values.tools);
  const lease = values.lease === undefined ? undefined : readLease(values.lease);
  const limits = limitsIn(values["max-todos"]);
  const sessionOf = await resolver(call);
  const streams = keepFramesPure();
  const [{ todoServer }, { watchParents }] = await Promise.all([
    import("../../servers/mcp/index.ts"),
    import("../../servers/mcp/parents.ts"),
  ]);
  const server = todoServer(home, {
    ...(values.name !== undefined && { name: values.name }),
    version: version(),
    tools,
    ...others,
    tasks: { tasks: home.tasks, lease, meet: home.links.meet },
    sessionOf,
    guidance: guidanceFromEnv(env),
    policy: { ...policyFromEnv(env), ...limits },
    offIn: offIn(values["off-in"], env),
    ...originHere(),
    onError: ({ message }) => terminal.say(`waymark: ${message}`),
  });
  const connection = server.serve(streams);
  const end = () => void connection.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  watchParents(end);
  await connection.closed;
  // An open input, or a store that waits for another process, would keep the program running.
  process.stdin.destroy();
  setTimeout(() => process.exit(EXIT.fine), LAST_WORK).unref();
  return EXIT.fine;
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

/** The named session, else the one that each call belongs to. */
async function resolver({ values, env, home }: McpCall): Promise<SessionOf> {
  const named = namedTrack(values);
  if (named) return async () => named;
  const { sessionOfCalls } = await import("../../servers/hooks/call-session.ts");
  return sessionOfCalls({ env, home }, values.agent);
}

/** Keeps the standard output for messages: whatever else is printed goes where the talk goes. */
function keepFramesPure() {
  const { stdin, stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    input: stdin,
    output: { write, on: stdout.on.bind(stdout) },
  };
}

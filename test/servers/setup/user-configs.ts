import fc from "fast-check";
import { type Agent, hasOneCommand } from "./agents.ts";
import { type Json, jsonTextOf } from "./configs.ts";

type Fields = { readonly [name: string]: Json };

/** Commands of entries named waymark. */
const START: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ["waymark", "mcp"],
  ["waymark", "mcp", "--tools", "todos,plan"],
  ["waymark", "mcp", "--session", "team"],
  ["npx", "-y", "waymark@latest", "mcp"],
  ["npx", "waymark", "mcp", "--off-in", "commit"],
  ["/opt/waymark/bin/waymark", "mcp"],
  ["/usr/bin/node", "/srv/waymark/bin/waymark.js", "mcp"],
  ["docker", "run", "-i", "--rm", "-v", "/data:/data", "me/waymark", "mcp"],
  ["sh", "-c", "cd /srv && exec waymark mcp"],
  ["/home/me/bin/my-server.sh"],
);

const URL = fc.constantFrom("http://127.0.0.1:7777/mcp", "https://todo.example.org/mcp?team=a");

/** Other fields, some with names that setup uses. */
const MORE: fc.Arbitrary<Fields> = fc.record(
  {
    env: fc.constantFrom<Json>({ WAYMARK_HOME: "/srv/home" }, {}, { A: "1", "b.c": "# no //" }),
    timeout: fc.constant<Json>(30_000),
    description: fc.constant<Json>('mine, "really" // yes'),
    trust: fc.boolean(),
    alwaysLoad: fc.boolean(),
    default_tools_approval_mode: fc.constant<Json>("prompt"),
    env_vars: fc.constant<Json>(["WAYMARK_HOME"]),
  },
  { requiredKeys: [] },
);

const OFF: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ enabled: true }) },
  { weight: 1, arbitrary: fc.constant({ enabled: false }) },
  { weight: 1, arbitrary: fc.constant({ disabled: true }) },
);

/** An entry of the user, in the format of the agent. */
function entryFor(agent: Agent): fc.Arbitrary<Fields> {
  const [local, remote] = hasOneCommand(agent) ? ["local", "remote"] : ["stdio", "http"];
  const type = (name: string): Fields =>
    agent === "claude" || hasOneCommand(agent) ? { type: name } : {};
  const started = START.map(
    ([command = "", ...args]): Fields =>
      hasOneCommand(agent)
        ? { ...type(local), command: [command, ...args] }
        : { ...type(local), command, args },
  );
  const reached = URL.map((url): Fields => ({ ...type(remote), url }));
  return fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: started }, { weight: 1, arbitrary: reached }),
      MORE,
      OFF,
    )
    .map(([start, more, off]) => ({ ...start, ...more, ...off }));
}

/** Hooks of the user: some run Waymark, some only mention it, some do neither. */
function groupFor(agent: Agent, event: string): fc.Arbitrary<Fields> {
  const command = fc.constantFrom(
    `waymark hook ${agent} ${event}`,
    `/usr/bin/node /srv/waymark/bin/waymark.js hook ${agent} ${event}`,
    `notify-send done; waymark hook ${agent} ${event}`,
    `echo "waymark hook ${agent} ${event}" >> ~/log`,
    `timeout 5 waymark-hook waymark hook ${agent} ${event}`,
    `waymark hook ${agent} ${event} || true`,
    `waymark hook ${agent} Other`,
    "say done",
  );
  const hook = fc.tuple(command, fc.boolean()).map(
    ([text, limited]): Fields => ({
      type: "command",
      command: text,
      ...(limited && { timeout: 5 }),
    }),
  );
  return fc
    .tuple(fc.array(hook, { minLength: 1, maxLength: 2 }), fc.boolean())
    .map(([hooks, matched]) => ({ ...(matched && { matcher: "Bash" }), hooks }));
}

function hooksFor(agent: Agent, events: readonly string[]): fc.Arbitrary<Fields> {
  const record = Object.fromEntries(
    events
      .slice(0, 4)
      .map((event) => [event, fc.array<Json>(groupFor(agent, event), { maxLength: 2 })]),
  );
  return fc.record(record, { requiredKeys: [] }) as fc.Arbitrary<Fields>;
}

const STATUS_LINE: fc.Arbitrary<Fields> = fc.constantFrom<Fields>(
  { type: "command", command: "waymark statusline | cut -c1-60", padding: 0 },
  { type: "command", command: "waymark statusline" },
  { type: "command", command: "mine" },
);

const OTHERS = { model: "x", theme: "dark", list: [1, { a: "waymark" }] };

/** One user's files, and their content. */
export interface OwnFiles {
  readonly texts: Readonly<Record<string, string>>;
  readonly entry: Fields;
  readonly hooks: Fields;
}

/** Configurations with the user's own entry `waymark` and hooks. */
export function ownFiles(agent: Agent, events: readonly string[]): fc.Arbitrary<OwnFiles> {
  return fc
    .tuple(entryFor(agent), hooksFor(agent, events), STATUS_LINE, fc.nat(2))
    .chain(([entry, hooks, statusLine, some]) => {
      const text = (value: Fields) => jsonTextOf(fc.constant(value));
      const rest = some === 0 ? {} : OTHERS;
      const servers = { waymark: entry, ...(some > 0 && { other: { command: "other" } }) };
      const done = (texts: Readonly<Record<string, string>>) => ({ texts, entry, hooks });
      switch (agent) {
        case "claude":
          return fc
            .tuple(
              text({ hooks, ...(some > 1 && { statusLine }) }),
              text({ mcpServers: servers, ...rest }),
            )
            .map(([settings, config]) =>
              done({ ".claude/settings.json": settings, ".claude.json": config }),
            );
        case "codex":
          return toml(entry, hooks).map((config) => done({ ".codex/config.toml": config }));
        case "copilot":
          return fc
            .tuple(text({ version: 1, hooks }), text({ mcpServers: servers, ...rest }))
            .map(([own, config]) =>
              done({ ".copilot/hooks/waymark.json": own, ".copilot/mcp-config.json": config }),
            );
        case "opencode":
        case "kilo":
          return text({ ...rest, mcp: servers }).map((config) =>
            done({ [`.config/${agent}/${agent}.json`]: config }),
          );
        case "kimi":
          return fc
            .tuple(flatToml(hooks), text({ mcpServers: servers, ...rest }))
            .map(([own, config]) =>
              done({ ".kimi-code/config.toml": own, ".kimi-code/mcp.json": config }),
            );
        case "omp":
          return text({ ...rest, mcpServers: servers }).map((config) =>
            done({ ".omp/agent/mcp.json": config }),
          );
        case "openclaw":
          return text({ ...rest, mcp: { servers } }).map((config) =>
            done({ ".openclaw/openclaw.json": config }),
          );
        default:
          return text({ ...rest, mcpServers: servers, hooks }).map((config) =>
            done({ [`.${agent}/settings.json`]: config }),
          );
      }
    });
}

/** The same as TOML, with the entry as a table, an inline table or dotted keys. */
function toml(entry: Fields, hooks: Fields): fc.Arbitrary<string> {
  const lines = (prefix: string) =>
    Object.entries(entry).map(([name, value]) => `${prefix}${name} = ${inline(value)}`);
  const { env, ...flat } = entry;
  const parted = [
    "[mcp_servers.waymark] # mine",
    ...Object.entries(flat).map(([name, value]) => `${name} = ${inline(value)} # ${name}`),
    ...(env === undefined
      ? []
      : [
          "",
          "[mcp_servers.waymark.env]",
          ...Object.entries(env as Fields).map(([name, value]) => `"${name}" = ${inline(value)}`),
        ]),
  ];
  const forms = fc.constantFrom(
    ["[mcp_servers.waymark]", "# why", ...lines("")],
    parted,
    ["[mcp_servers]", `waymark = ${inline(entry)}`],
    ["[mcp_servers]", ...lines("waymark.")],
  );
  const groups = Object.entries(hooks).flatMap(([event, list]) =>
    (list as readonly Json[]).flatMap((group) => [
      "",
      `[[hooks.${event}]]`,
      ...Object.entries(group as Fields).map(([name, value]) => `${name} = ${inline(value)}`),
    ]),
  );
  return fc
    .record({
      form: forms,
      crlf: fc.boolean(),
      mark: fc.boolean(),
      end: fc.constantFrom("", "\n", "\n\n# the end\n"),
      below: fc.constantFrom([], ["", "[tui]", "theme = 'x' # nice"]),
    })
    .map(({ form, crlf, mark, end, below }) => {
      const text = ["# mine", 'model = "x"', "", ...form, ...groups, ...below].join("\n") + end;
      return `${mark ? "\ufeff" : ""}${crlf ? text.replaceAll("\n", "\r\n") : text}`;
    });
}

/** The hooks as one list, in which each names its event. */
function flatToml(hooks: Fields): fc.Arbitrary<string> {
  const tables = Object.entries(hooks).flatMap(([event, list]) =>
    (list as readonly { readonly hooks: readonly Fields[]; readonly matcher?: string }[]).flatMap(
      ({ hooks: group, matcher }) =>
        group.flatMap(({ command, timeout }) => [
          "",
          "[[hooks]]",
          `event = ${inline(event)}`,
          `command = ${inline(command ?? "")}`,
          ...(timeout === undefined ? [] : [`timeout = ${inline(timeout)}`]),
          ...(matcher === undefined ? [] : [`matcher = ${inline(matcher)}`]),
        ]),
    ),
  );
  const end = fc.constantFrom("", "\n", '\n\n[tools]\ndisabled = ["FetchURL"] # mine\n');
  return end.map((last) => ['theme = "dark"', ...tables].join("\n") + last);
}

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value as Fields).map(
    ([name, each]) => `${JSON.stringify(name)} = ${inline(each)}`,
  );
  return `{ ${pairs.join(", ")} }`;
}

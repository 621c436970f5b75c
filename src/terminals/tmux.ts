import { shellWord, type TerminalProcess } from "../core/jump.ts";
import type { FocusablePane, Focused } from "./panes.ts";
import { ask } from "./run.ts";

const SEPARATOR = "\t";
const FIELDS = [
  "pane_id",
  "pane_tty",
  "session_id",
  "session_name",
  "window_id",
  "window_index",
  "pane_index",
  "window_activity",
  "pane_current_path",
  // The last one, because it may contain the separator.
  "window_name",
] as const;
type Row = Readonly<Record<(typeof FIELDS)[number], string>>;

/** `TMUX` is `SOCKET,PID,SESSION`. */
function socketOf(tmux: string | undefined): string | undefined {
  const socket = tmux?.replace(/,\d+,\d+$/, "");
  return socket?.startsWith("/") ? socket : undefined;
}

/**
 * Finds tmux panes by the terminal device of a process, which no other process outside of the pane has. Asks the server
 * of the process and that of this program, otherwise the default one.
 */
export function openTmux(
  env: NodeJS.ProcessEnv,
): (process: TerminalProcess) => Promise<FocusablePane | undefined> {
  const servers = new Map<string, Promise<readonly Row[]>>();
  const rowsOf = (socket: string): Promise<readonly Row[]> => {
    const known = servers.get(socket) ?? listPanes(socket, env);
    servers.set(socket, known);
    return known;
  };
  return async ({ tty, env: theirs }) => {
    if (tty === undefined) return undefined;
    const sockets = new Set([socketOf(theirs.TMUX), socketOf(env.TMUX), ""]);
    for (const socket of sockets) {
      if (socket === undefined) continue;
      const row = (await rowsOf(socket)).find((each) => each.pane_tty === tty);
      if (row) return paneOf(row, socket, env);
    }
    return undefined;
  };
}

/** The empty socket is the default server. With `-u`, tmux prints tabs whatever the locale is. */
function withSocket(socket: string, args: readonly string[]): readonly string[] {
  return socket === "" ? ["-u", ...args] : ["-u", "-S", socket, ...args];
}

async function listPanes(socket: string, env: NodeJS.ProcessEnv): Promise<readonly Row[]> {
  const format = FIELDS.map((field) => `#{${field}}`).join(SEPARATOR);
  const output = await ask("tmux", withSocket(socket, ["list-panes", "-a", "-F", format]), env);
  return (output ?? "").split("\n").flatMap((line) => {
    const parts = line.split(SEPARATOR);
    if (parts.length < FIELDS.length) return [];
    const last = FIELDS.length - 1;
    const values = [...parts.slice(0, last), parts.slice(last).join(" ")];
    return [Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])) as Row];
  });
}

function paneOf(row: Row, socket: string, env: NodeJS.ProcessEnv): FocusablePane {
  const label = `${row.session_name}:${row.window_index}.${row.pane_index}`;
  const activeAt = Number(row.window_activity) * 1_000;
  return {
    key: `tmux ${socket} ${row.pane_id}`,
    program: "tmux",
    label,
    ...(row.window_name !== "" && { title: row.window_name }),
    ...(row.pane_current_path !== "" && { cwd: row.pane_current_path }),
    ...(activeAt > 0 && { activeAt }),
    focus: () => focus(row, socket, env),
  };
}

interface Client {
  readonly name: string;
  readonly session: string;
  readonly activity: number;
}

async function focus(
  row: Row,
  socket: string,
  env: NodeJS.ProcessEnv,
): Promise<Focused | undefined> {
  const tmux = (...args: string[]) => ask("tmux", withSocket(socket, args), env);
  const client = await clientFor(row, socket, env);
  if (!client) {
    const target = row.session_name;
    const attach = [...(socket === "" ? [] : ["-S", socket]), "attach", "-t", target];
    // Selected, so that it is the pane that the user sees after attaching.
    await tmux("select-window", "-t", row.pane_id);
    await tmux("select-pane", "-t", row.pane_id);
    return { type: "detached", attach: ["tmux", ...attach].map(shellWord).join(" ") };
  }
  const before = await tmux(
    "display-message",
    "-p",
    "-c",
    client.name,
    "#{session_id} #{window_id}",
  );
  const switched = await tmux("switch-client", "-c", client.name, "-t", row.session_id);
  const window = await tmux("select-window", "-t", row.pane_id);
  const pane = await tmux("select-pane", "-t", row.pane_id);
  if (switched === undefined || window === undefined || pane === undefined) return undefined;
  const back = await backKey(row, before, (...args) => tmux(...args));
  return { type: "focused", ...(back !== undefined && { back }) };
}

/** The client that shows this program, or else the one that already shows the pane's session, or else the last used one. */
async function clientFor(
  row: Row,
  socket: string,
  env: NodeJS.ProcessEnv,
): Promise<Client | undefined> {
  const tmux = (...args: string[]) => ask("tmux", withSocket(socket, args), env);
  const format = ["client_name", "session_id", "client_activity"]
    .map((field) => `#{${field}}`)
    .join(SEPARATOR);
  const output = (await tmux("list-clients", "-F", format)) ?? "";
  const clients = output.split("\n").flatMap((line): Client[] => {
    const [name, session, activity] = line.split(SEPARATOR);
    return name && session ? [{ name, session, activity: Number(activity) || 0 }] : [];
  });
  const byUse = clients.sort((a, b) => b.activity - a.activity);
  const own =
    env.TMUX_PANE !== undefined && (socketOf(env.TMUX) ?? "") === socket
      ? (await tmux("display-message", "-p", "-t", env.TMUX_PANE, "#{session_id}"))?.trim()
      : undefined;
  return (
    byUse.find(({ session }) => session === own) ??
    byUse.find(({ session }) => session === row.session_id) ??
    byUse[0]
  );
}

/** The key that returns, if the default command is bound to it. */
async function backKey(
  row: Row,
  before: string | undefined,
  tmux: (...args: string[]) => Promise<string | undefined>,
): Promise<string | undefined> {
  const [session, window] = (before ?? "").trim().split(" ");
  if (session === undefined || session === "") return undefined;
  const command =
    session !== row.session_id
      ? "switch-client -l"
      : window !== row.window_id
        ? "last-window"
        : "last-pane";
  const keys = (await tmux("list-keys", "-T", "prefix")) ?? "";
  const bound = keys.split("\n").find((line) => line.trim().endsWith(` ${command}`));
  const key = bound && /-T\s+prefix\s+(\S+)\s/.exec(bound)?.[1];
  return key && `prefix ${key.replace(/^\\/, "")}`;
}

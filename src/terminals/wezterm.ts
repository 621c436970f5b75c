import type { TerminalProcess } from "../core/jump.ts";
import { isRecord } from "../core/values.ts";
import type { FocusablePane } from "./panes.ts";
import { ask } from "./run.ts";

/** The pane in which a process was started. If wezterm names its device, it must be that of the process. */
export async function weztermPane(
  { env: theirs, tty }: TerminalProcess,
  env: NodeJS.ProcessEnv,
): Promise<FocusablePane | undefined> {
  const { WEZTERM_PANE: pane, WEZTERM_UNIX_SOCKET: socket } = theirs;
  if (!/^\d+$/.test(pane ?? "")) return undefined;
  const own = { ...env, ...(socket !== undefined && { WEZTERM_UNIX_SOCKET: socket }) };
  const list = await ask("wezterm", ["cli", "list", "--format", "json"], own);
  const found = panesIn(list).find(({ pane_id: id }) => String(id) === pane);
  const device = found?.tty_name;
  if (!found || (typeof device === "string" && tty !== undefined && device !== tty))
    return undefined;
  return {
    key: `wezterm ${socket ?? ""} ${pane}`,
    program: "wezterm",
    label: `pane ${pane}`,
    ...(typeof found.title === "string" && found.title !== "" && { title: found.title }),
    async focus() {
      const args = ["cli", "activate-pane", "--pane-id", String(pane)];
      return (await ask("wezterm", args, own)) === undefined ? undefined : { type: "focused" };
    },
  };
}

function panesIn(json: string | undefined): readonly Readonly<Record<string, unknown>>[] {
  try {
    const read: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(read) ? read.filter(isRecord) : [];
  } catch {
    return [];
  }
}

import { redactUrl } from "../core/text/redact.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { Context } from "../home/open.ts";
import { trackOfOwner } from "../sessions/caller/session.ts";
import type { TaskCounts } from "../tasks/store.ts";

/** A task and whose it is, or was. */
export interface Held {
  readonly id: string;
  readonly owner: string;
}

/** How the team's tasks stand. */
export type TasksCheck =
  | {
      /** Where they are kept; of a server without what is secret in its address. */
      readonly store: string;
      readonly counts: TaskCounts;
      /** Open again because their holders fell silent. */
      readonly lapsed: readonly Held[];
      /** Held by owners of which no session is known on this machine: only their own calls renew them. */
      readonly strangers: readonly Held[];
    }
  | { readonly problem: string };

const MOST = 20;

/** Nothing where there are no tasks. */
export async function checkTasks(
  { home, env }: Pick<Context, "home" | "env">,
  sessions: ReadonlySet<string>,
): Promise<TasksCheck | undefined> {
  const server = env.WAYMARK_STORE || undefined;
  if (!server && !home.isThere()) return undefined;
  try {
    const store = await home.tasks("reading");
    const counts = await store.counts();
    const { ready, ...stands } = counts;
    if (Object.values(stands).every((count) => count === 0)) return undefined;
    const hosted = await (await home.reading()).tracks();
    const known = new Set([...sessions, ...hosted.map(({ session }) => session)]);
    const claimed = await store.list({ status: "claimed", limit: 1_000 });
    const open = await store.list({ status: "open", limit: 10_000 });
    const isStranger = (owner: string) => !known.has(trackOfOwner(owner)?.session ?? "");
    return {
      store: server ? redactUrl(server) : home.path,
      counts,
      lapsed: open
        .flatMap(({ id, lapsed }) => (lapsed ? [{ id, owner: lapsed.owner }] : []))
        .slice(0, MOST),
      strangers: claimed
        .flatMap(({ id, owner = "" }) => (isStranger(owner) ? [{ id, owner }] : []))
        .slice(0, MOST),
    };
  } catch (error) {
    return { problem: redactedMessage(error) };
  }
}

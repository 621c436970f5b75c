import { trackKey } from "../../core/text/ids.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Context } from "../../home/open.ts";
import { externalList } from "../read-list.ts";
import type { SessionSource } from "../source.ts";
import type { ExternalTrack } from "./catalog.ts";
import type { Follower } from "./follow.ts";
import type { Transcripts } from "./machine.ts";

/**
 * The transcripts of agents. Reading them all takes a while, so everything is loaded on first use, and `list` reads
 * the files once for each run of a command.
 */
export interface TranscriptSource extends SessionSource<ExternalTrack> {
  /** Reads all files; the result also lists them. */
  readAll(): Promise<Transcripts>;
  /** Opens databases; undefined where SQLite is missing. */
  driver(): Promise<Driver | undefined>;
}

export interface TranscriptOptions {
  /** Another user's home directory (default: this user's). */
  readonly userHome?: string | undefined;
  /** Whether a subscription saves its index when it ends, so that the next run starts fast. */
  readonly keepsIndex: boolean;
}

export function transcriptSource(
  call: Pick<Context, "home" | "env" | "terminal">,
  { userHome, keepsIndex }: TranscriptOptions,
): TranscriptSource {
  const { home, env, terminal } = call;
  let following: { readonly follower: Follower; readonly driver: Driver | undefined } | undefined;
  const readAll = async () => (await import("./machine.ts")).readTranscripts(call, userHome);
  const tracks = async () => following?.follower.tracks() ?? (await readAll()).tracks;
  const driver = async () => (following ? following.driver : (await readAll()).driver);
  const read = async (id: Parameters<TranscriptSource["read"]>[0]) => {
    const found = (await tracks()).find(({ live }) => trackKey(live) === trackKey(id));
    return found && externalList(found, await driver());
  };
  return {
    readAll,
    driver,
    list: tracks,
    read,
    history: async (id) => (await read(id))?.events() ?? [],
    async subscribe({ onUpdates, onChange }) {
      const [{ indexOf, saveIndexOf, machineOf }, { follow }, { DECODERS }, { loadDriver }] =
        await Promise.all([
          import("./machine.ts"),
          import("./follow.ts"),
          import("../../agents/index.ts"),
          import("../../engines/sqlite/driver.ts"),
        ]);
      const index = indexOf({ home }, userHome);
      const machine = machineOf(env, userHome);
      const opened = await loadDriver().catch((error: unknown) => {
        terminal.printError(`waymark: databases are skipped: ${redactedMessage(error)}`);
        return undefined;
      });
      const follower = follow(DECODERS, machine, {
        index,
        driver: opened,
        onUpdates: (updates) =>
          onUpdates?.(
            updates.map(({ event, live, change, before, after }) => ({
              id: { session: live.session, agent: live.agent },
              change,
              before,
              after,
              written: { event, live },
            })),
          ),
        onChange: () => onChange?.(),
        onProgress: () => onChange?.(),
        onWarning: (message) => terminal.printError(`waymark: ${message}`),
      });
      following = { follower, driver: opened };
      return {
        ready: follower.ready,
        list: follower.tracks,
        refresh: () => void follower.sweep(),
        stop() {
          follower.stop();
          if (keepsIndex && index.size > 0) saveIndexOf({ home, terminal }, index);
        },
      };
    },
  };
}

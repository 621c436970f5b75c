import type { StreamBase, StreamBody, StreamEvent } from "../core/stream/events.ts";
import type { TaskFilesPart } from "../tasks/formats/format.ts";
import type { AgentHooks } from "./common/hooks/agent.ts";
import type { SetupPart } from "./common/setup/agent.ts";
import type { Color, Identity } from "./identity.ts";

export type { Color, Identity };

/**
 * Everything known about one agent. A folder below `agents/` exports one, and the registry in
 * `index.ts` lists it. Every part but the identity is optional.
 */
export interface Agent {
  readonly identity: Identity;
  /** Reads its session files and its live output. */
  readonly decoder?: Dialect;
  /** The events of `waymark hook AGENT EVENT`. Needs a `shortName`. */
  readonly hooks?: AgentHooks;
  /** The changes of `waymark setup AGENT`. Needs a `shortName` and a `command`. */
  readonly setup?: SetupPart;
  /**
   * Writes an event in its own format, for `waymark pipe --format ID`. Returns nothing for events that the
   * format does not have.
   */
  encode?(event: StreamEvent, newId: (eventId: string) => string): unknown;
  /** Reads its task files for `waymark task import`. */
  readonly taskFiles?: TaskFilesPart;
}

/**
 * One agent's way of writing lists, plans and progress. Everything here is pure: records in, events
 * out. A decoder's memory is plain data, so that it can be kept on disk between two readings.
 */
export interface Dialect<S extends DialectState = DialectState>
  extends Pick<Identity, "id" | "name" | "proof"> {
  /**
   * A line in the middle of a session file that contains none of these, and nothing that is wanted,
   * cannot change a list, a plan or the mode. No needle may span a colon or comma of the JSON:
   * writers differ in white space. None where the agent keeps no file that grows.
   */
  readonly needles: readonly Needle[];
  /**
   * What else a line must be read for now: the ids of open list calls, and what says who writes as
   * long as nobody has. Asked again after each line that was read.
   */
  wanted?(state: S): readonly string[];
  /** Whether a record can only come from this agent (2), may come from it (1), or cannot (0). */
  sniff(record: unknown): 0 | 1 | 2;
  start(source: Source): S;
  /** Takes one record; remembers what it needs in `state`, says what it learnt through `emit`. */
  read(state: S, record: unknown, emit: Emit): void;
  /**
   * Takes what another source knows of the list of this session. A stream may begin after its first
   * steps: those of a resumed session are only in the files.
   */
  inherit?(state: S, earlier: S): void;
  /** The input is over: what was still open. */
  end?(state: S, emit: Emit): void;
  /** Where the agent keeps its sessions on this machine. */
  places?(machine: Machine): readonly Place[];
  readonly database?: DatabaseShape<S>;
  /** Of an agent that ships with its list switched off. */
  readonly listSetting?: ListSetting;
}

/** How the sessions of an agent are read that keeps them in an SQLite file. */
export interface DatabaseShape<S extends DialectState = DialectState> {
  /** What is asked for; the rows come under the same names. */
  readonly queries: Readonly<Record<string, string>>;
  /** What is asked for instead, where the past is wanted as well. */
  readonly history?: Readonly<Record<string, string>>;
  /** The records that the rows make. */
  records(rows: Readonly<Record<string, readonly unknown[]>>): readonly unknown[];
  /**
   * Decoder state for reading the database again. It keeps the known lists: an emptied list has no rows
   * left to report it.
   */
  resume?(known: S): S;
}

/** Why an agent keeps no list although it could, and what brings the list back. */
export interface ListSetting {
  /** The first version that it is so of; without it, the models decide. */
  readonly since?: string;
  readonly why: string;
  readonly setting: string;
}

/** A text on a line; of several, all of them, the first being the one that is looked for. */
export type Needle = string | readonly [string, ...string[]];

/** The memory of a decoder: plain data. */
export interface DialectState {
  /** The session that the record at hand belongs to; empty until it is known. */
  session: string;
}

/** Reports an event. */
export type Emit = (body: StreamBody, about?: About) => void;

/** What an event is about, where it is not the main agent of the session now. */
export interface About {
  /** Part of the event's id: a call id, a message id. Unique within session and type. */
  readonly key?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The event comes back as it was written before: with its own ids, agent and time. */
  readonly whole?: StreamBase | undefined;
  /** Time of the record: milliseconds, or a text that a date can be read from. */
  readonly at?: string | number | undefined;
}

/** Where records come from. */
export interface Source {
  /** `stream`: the agent's live output. `file`: a session file. `document`: one JSON file, read whole. */
  readonly kind: "stream" | "file" | "document";
  /** What the place of the file already tells. */
  readonly session?: string;
  readonly agent?: string;
  readonly parent?: string;
  readonly path?: string;
}

/** The machine that sessions are looked for on. */
export interface Machine {
  readonly home: string;
  readonly platform: "linux" | "darwin" | "win32";
  readonly env: Readonly<Record<string, string | undefined>>;
  join(...parts: string[]): string;
}

/** A folder that may hold sessions. */
export interface Place {
  readonly root: string;
  /** How many folders below the root files may lie. */
  readonly depth: number;
  readonly kind: Source["kind"] | "sqlite";
  /** The documents of a session are parts of one list, and are read together. */
  readonly together?: true;
  /** The process that a file is about: once it has ended, what the file says is out of date. */
  process?(path: readonly string[]): number | undefined;
  /** A file that says which directory the sessions of a folder belong to, where they do not. */
  readonly directories?: {
    readonly file: string;
    of(document: unknown, path: readonly string[]): string | undefined;
  };
  /** What a file of this folder is, by its path below the root, split; nothing if it is not ours. */
  accept(path: readonly string[]): Omit<Source, "kind" | "path"> | undefined;
}

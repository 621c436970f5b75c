import type { StreamBase, StreamBody, StreamEvent } from "../core/stream/events.ts";
import type { Color, Identity } from "./identity.ts";

export type { Color, Identity };

/**
 * An agent in the registry (`index.ts`): its identity, and how its records are read and written. Its folder may
 * also have `hooks.ts`, `setup.ts` and `task-files.ts`. The build finds these by name and lists them in separate
 * registries, so that listing sessions does not load them.
 */
export interface Agent {
  readonly identity: Identity;
  /** Reads session files and live output. */
  readonly decoder?: Decoder;
  /**
   * Writes an event in the agent's own format, for `waymark pipe --format ID`. Returns undefined for events
   * that the format cannot express.
   */
  encode?(event: StreamEvent, newId: (eventId: string) => string): unknown;
}

/**
 * Turns the records of one agent (lines of a session file, live output, rows of a database) into events. A decoder is
 * pure: it gets records and emits events. Its state is plain JSON data, because it is saved between two reads.
 */
export interface Decoder<S extends DecoderState = DecoderState>
  extends Pick<Identity, "id" | "name" | "basis"> {
  /**
   * Strings that mark the lines to parse. Readers skip a line in the middle of a session file that contains none of
   * them and none of `pendingNeedles`, so such a line must not change the list, the plan or the mode. A needle must
   * not span a colon or comma of the JSON, because white space differs between writers. Empty if the agent has no
   * append-only files.
   */
  readonly needles: readonly Needle[];
  /**
   * Needles that depend on the state, such as the ids of list calls whose result is pending, or a field that names
   * the model until it is known. Called again after every line that was read.
   */
  pendingNeedles?(state: S): readonly string[];
  /** How to read usage from lines of a session file that need not be read otherwise. */
  readonly usage?: UsageLines<S>;
  /** Scores a record: 2 if only this agent writes such records, 1 if this agent may have written it, otherwise 0. */
  score(record: unknown): 0 | 1 | 2;
  /** Creates the state for a new source. */
  start(source: Source): S;
  /** Reads one record: updates `state` and emits the events it contains. Must not throw. */
  read(state: S, record: unknown, emit: Emit): void;
  /**
   * Adopts the list that another source has of this session. The live output of a resumed session lacks its
   * earlier steps; the session files have them.
   */
  inherit?(state: S, earlier: S): void;
  /** Ends the input: emits the events that are still pending. */
  end?(state: S, emit: Emit): void;
  /** The directories with the agent's sessions. */
  locations?(machine: Machine): readonly SessionLocation[];
  /** Reads sessions from an SQLite database. */
  readonly database?: DatabaseFormat<S>;
  /** Set if the agent's own list is off by default. */
  readonly listSetting?: ListSetting;
}

/** How to read the sessions of an agent that stores them in SQLite. */
export interface DatabaseFormat<S extends DecoderState = DecoderState> {
  /** SQL queries by name. */
  readonly queries: Readonly<Record<string, string>>;
  /** Queries that also return the history, used in place of `queries` when one session is read in full. */
  readonly history?: Readonly<Record<string, string>>;
  /**
   * Queries for the records of one call, with `?` for its id, under the names that `records` knows. Without them, the
   * whole history is read to show a call.
   */
  readonly call?: Readonly<Record<string, string>>;
  /** Names of queries that return nothing if the database does not have their tables. */
  readonly optional?: readonly string[];
  /** Columns with texts that are compressed with Zstandard. Absent in versions of Node that cannot read them. */
  readonly zstd?: readonly string[];
  /** Converts the rows of the queries, by the same names, into records for `read`. */
  records(rows: Readonly<Record<string, readonly unknown[]>>): readonly unknown[];
  /**
   * Returns the state for reading the database again. It keeps the known lists, because a list that was emptied
   * has no rows left.
   */
  resume?(known: S): S;
}

/** Why an agent keeps no list by default, and the setting that turns it on. */
export interface ListSetting {
  /** The first version with the list off. If absent, it depends on the model. */
  readonly since?: string;
  readonly why: string;
  readonly setting: string;
}

/**
 * How to read the usage of a line without parsing all of it. `read` of the decoder emits the same events for such a
 * line.
 */
export interface UsageLines<S extends DecoderState = DecoderState> {
  /** Marks the lines with usage, like `Decoder.needles`. */
  readonly needle: Needle;
  /** The fields of the record that `read` gets. */
  readonly fields: FieldTree;
  /** Emits the `usage` events of a record. Must not throw. */
  read(state: S, record: unknown, emit: Emit): void;
}

/** Names of fields, nested like the record; `true` stands for a whole value. */
export interface FieldTree {
  readonly [name: string]: FieldTree | true;
}

/** A string to search a line for. In an array every string must occur; the first is the one searched for. */
export type Needle = string | readonly [string, ...string[]];

/** The state of a decoder: plain JSON data. */
export interface DecoderState {
  /** The session of the current record. Empty until it is known. */
  session: string;
}

/** Emits an event. Without a context it belongs to the main agent of the current session. */
export type Emit = (body: StreamBody, context?: EventContext) => void;

/** Identifies an event. Every field has a default: the source, the state of the decoder, the current time. */
export interface EventContext {
  /** Part of the event id, such as a call id or message id. Unique per session, agent and event type. */
  readonly key?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The complete identity of an event that Waymark itself wrote; the other fields are ignored. */
  readonly base?: StreamBase | undefined;
  /** The time of the record: milliseconds, or a string that `Date.parse` accepts. */
  readonly at?: string | number | undefined;
}

/** The origin of records. */
export interface Source {
  /** `stream`: live output. `file`: a session file that grows. `document`: a JSON file that is read as a whole. */
  readonly kind: "stream" | "file" | "document";
  /** The session id, if the path of the file contains it. */
  readonly session?: string;
  /** The agent id, if the path of the file contains it. */
  readonly agent?: string;
  /** The id of the agent that started this subagent, if the path of the file contains it. */
  readonly parent?: string;
  readonly path?: string;
}

/** The machine whose sessions are read. */
export interface Machine {
  readonly home: string;
  readonly platform: "linux" | "darwin" | "win32";
  readonly env: Readonly<Record<string, string | undefined>>;
  join(...parts: string[]): string;
}

/** A directory that may contain sessions. */
export interface SessionLocation {
  readonly root: string;
  /** How many levels of directories below the root may contain files. */
  readonly depth: number;
  readonly kind: Source["kind"] | "sqlite";
  /** The documents of a session are parts of one list and are read together. */
  readonly together?: true;
  /** The id of the process that a file describes. The file is out of date once that process has ended. */
  process?(path: readonly string[]): number | undefined;
  /** A file that maps the directories below the root to working directories, for sessions that do not name theirs. */
  readonly directories?: {
    readonly file: string;
    of(document: unknown, path: readonly string[]): string | undefined;
  };
  /** Identifies a file by its path segments below the root. Undefined if it is not a session file. */
  accept(path: readonly string[]): Omit<Source, "kind" | "path"> | undefined;
}

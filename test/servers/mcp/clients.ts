import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type TodoServerOptions, todoServer } from "../../../src/servers/mcp/index.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { endWithTest } from "../../child-processes.ts";
import { PROGRAM } from "../../cli/machine.ts";

export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client written by hand, as old ones are: a line out, a line in, nothing checked. */
export interface RawClient {
  /** Everything that came, in order. */
  readonly messages: readonly Message[];
  /** Lines as they came. */
  readonly lines: readonly string[];
  send(message: unknown): void;
  write(text: string | Buffer): void;
  /** Sends a request and waits for the message with its id. */
  ask(method: string, params?: unknown): Promise<Message>;
  call(input: unknown, tool?: string, meta?: Record<string, unknown>): Promise<ToolAnswer>;
  initialize(version?: string, name?: string): Promise<Message>;
  /** Waits for the first message, of those that came and those to come, that fits. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  end(): void;
}

export interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown> | undefined;
  readonly isError: boolean;
  readonly meta: Record<string, unknown> | undefined;
}

export function rawClient(
  toServer: Writable,
  fromServer: Readable,
  onMessage: (message: Message) => void = () => undefined,
): RawClient {
  const messages: Message[] = [];
  const lines: string[] = [];
  const waits = new Set<() => void>();
  let rest = "";
  let ids = 0;
  fromServer.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      const message = JSON.parse(line);
      messages.push(message);
      onMessage(message);
    }
    for (const wait of [...waits]) wait();
  });
  let isOver = false;
  fromServer.once("end", () => {
    isOver = true;
    for (const wait of [...waits]) wait();
  });
  const until: RawClient["until"] = (fits) =>
    new Promise((resolve, reject) => {
      let seen = 0;
      const look = () => {
        for (; seen < messages.length; seen++) {
          const message = messages[seen];
          if (!message || !fits(message)) continue;
          waits.delete(look);
          return resolve(message);
        }
        if (isOver) reject(new Error("the server ended without an answer"));
      };
      waits.add(look);
      look();
    });
  const send = (message: unknown) => void toServer.write(`${JSON.stringify(message)}\n`);
  const ask: RawClient["ask"] = (method, params) => {
    const id = ids++;
    send({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    return until((message) => message.id === id);
  };
  return {
    messages,
    lines,
    send,
    write: (text) => void toServer.write(text),
    ask,
    async call(input, name = "todos", meta) {
      const params = { name, arguments: input, ...(meta && { _meta: meta }) };
      return answerOf(await ask("tools/call", params));
    },
    async initialize(version = "2025-06-18", name = "by-hand") {
      const clientInfo = { name, version: "1" };
      const answer = await ask("initialize", {
        protocolVersion: version,
        capabilities: {},
        clientInfo,
      });
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      return answer;
    },
    until,
    end: () => void toServer.end(),
  };
}

export function answerOf({ result, error }: Message): ToolAnswer {
  if (!result) throw new Error(`an error instead of an answer: ${JSON.stringify(error)}`);
  const [block] = result.content as { readonly type: string; readonly text: string }[];
  return {
    text: block?.text ?? "",
    data: result.structuredContent as ToolAnswer["data"],
    isError: result.isError === true,
    meta: result._meta as ToolAnswer["meta"],
  };
}

export interface Served {
  readonly child: ChildProcess;
  readonly client: RawClient;
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

export interface ServeOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
}

export function environment({ home, env }: Pick<ServeOptions, "home" | "env">) {
  return { PATH: process.env.PATH ?? "", HOME: home, WAYMARK_HOME: home, LANG: "C.UTF-8", ...env };
}

/** The program as it is shipped, with a hand-written client at the other end. */
export function serveProgram(args: readonly string[], options: ServeOptions): Served {
  const child = endWithTest(
    spawn(process.execPath, [...(options.node ?? []), PROGRAM, "mcp", ...args], {
      cwd: options.cwd,
      env: environment(options),
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A program that ends early closes its input; what it says of that is in its output.
  child.stdin.on("error", () => undefined);
  const ended = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  return { child, client: rawClient(child.stdin, child.stdout), stderr: () => stderr, ended };
}

export type Era = "old" | "new";

/** The official client, in either protocol. */
export async function officialClient(
  era: Era,
  args: readonly string[],
  options: ServeOptions,
): Promise<Client> {
  const client = new Client(
    { name: "official", version: "1" },
    { versionNegotiation: { mode: era === "new" ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", ...args],
      env: environment(options),
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    }),
  );
  return client;
}

export interface InProcess {
  readonly tracker: Tracker;
  readonly client: RawClient;
  readonly errors: readonly Error[];
  readonly closed: Promise<void>;
}

/** A server in this process, on a list in memory. */
export function serveHere(
  options: TodoServerOptions = { track: { session: "s", agent: "main" } },
): InProcess {
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const errors: Error[] = [];
  const input = new PassThrough();
  const output = new PassThrough();
  const { closed } = todoServer(tracker, {
    ...options,
    onError: (error) => void errors.push(error),
  }).serve({ input, output });
  return { tracker, client: rawClient(input, output), errors, closed };
}

import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openTerminal } from "../../../src/cli/io/terminal.ts";
import { type Home, openHome } from "../../../src/home/open.ts";
import { type BoardServer, openBoardServer } from "../../../src/servers/http/board-server.ts";
import { type Machine, newMachine } from "../../cli/machine.ts";

/** The real server with its own home, for all tests of a file. */
export interface TestServer {
  readonly machine: Machine;
  readonly home: Home;
  readonly serving: BoardServer;
  readonly port: number;
  /** The lines on its terminal. */
  readonly printed: readonly string[];
}

/** `prepare` writes files of agents and returns the environment in which the server finds them. */
export function startTestServer(
  prepare?: (machine: Machine) => Readonly<Record<string, string>>,
  options: { readonly tools?: string; readonly store?: string } = {},
): () => TestServer {
  let served: TestServer | undefined;
  beforeAll(async () => {
    const machine = newMachine();
    const env = { ...prepare?.(machine), HOME: machine.root, WAYMARK_HOME: machine.home };
    const printed: string[] = [];
    const terminal = {
      ...openTerminal(env),
      printError: (line: string) => void printed.push(line),
    };
    const home = openHome(env, terminal.printError);
    const page = join(process.cwd(), "dist", "web");
    const serving = await openBoardServer(
      { home, env, terminal },
      { port: 0, page, version: "0", ...options },
    );
    served = { machine, home, serving, port: Number(new URL(serving.url).port), printed };
  });
  afterAll(async () => {
    await served?.serving.close();
    await served?.home.close();
    served?.machine.remove();
  });
  return () => {
    if (!served) throw new Error("the server does not run");
    return served;
  };
}

export interface RawAnswer {
  /** 0 if the connection was closed without a response. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const PATIENCE = 15_000;

export interface RawOptions {
  /** Resolve after the headers: the response may be endless. */
  readonly headOnly?: boolean;
}

/** Sends these bytes only, and returns the response. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  { headOnly = false }: RawOptions = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    // biome-ignore lint/style/noRestrictedGlobals: ends a request that hangs
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end of the answer to ${JSON.stringify(String(bytes).slice(0, 200))}`));
    }, PATIENCE);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answerIn(Buffer.concat(parts).toString("latin1")));
    };
    socket.on("data", (chunk: Buffer) => {
      parts.push(chunk);
      if (headOnly && Buffer.concat(parts).includes("\r\n\r\n")) done();
    });
    socket.on("end", done);
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes);
    if (!headOnly) socket.end();
  });
}

function answerIn(text: string): RawAnswer {
  const cut = text.indexOf("\r\n\r\n");
  const head = cut < 0 ? text : text.slice(0, cut);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: cut < 0 ? "" : text.slice(cut + 4),
  };
}

/** A request as bytes with exactly these headers. */
export function rawRequest(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  body = "",
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n${body}`);
}

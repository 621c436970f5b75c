import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { openTerminal } from "../../../src/cli/io/terminal.ts";
import { openHome } from "../../../src/home/open.ts";
import { openBoardServer } from "../../../src/servers/http/board-server.ts";
import { makeQuickPlace } from "../../faults/quick-place.ts";
import { holds } from "../check.ts";

export const grows = false;

/** Requests of one server: they add tasks. */
const MAX_REQUESTS = 1_000;
const LONGEST = 5_000;

async function start() {
  const root = makeQuickPlace();
  const env = { HOME: root, WAYMARK_HOME: join(root, "home") };
  const faults: string[] = [];
  const terminal = { ...openTerminal(env), printError: (line: string) => void faults.push(line) };
  const home = openHome(env, terminal.printError);
  const serving = await openBoardServer(
    { home, env, terminal },
    { port: 0, page: join("dist", "web"), version: "0" },
  );
  const port = Number(new URL(serving.url).port);
  let left = MAX_REQUESTS;
  return {
    port,
    faults,
    token: serving.token,
    isUsed: () => --left < 0,
    async close() {
      await serving.close();
      await home.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

let server: Awaited<ReturnType<typeof start>> | undefined;

/** `HOST` and `TOKEN` stand for those of the server. It answers every request, never with a fault of its own. */
export async function fuzz(bytes: Buffer): Promise<void> {
  if (server?.isUsed()) {
    await server.close();
    server = undefined;
  }
  server ??= await start();
  const { port, token, faults } = server;
  const text = bytes
    .toString("latin1")
    .replaceAll("HOST", `127.0.0.1:${port}`)
    .replaceAll("TOKEN", token);
  const answer = await send(port, Buffer.from(text, "latin1"));
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  holds(`no fault: ${status} ${answer.slice(-300)}`, status === undefined || Number(status) < 500);
  holds("no token for strangers", text.includes(token) || !answer.includes(token));
  holds(
    `no fault is printed: ${faults[0]}`,
    !faults.some((line) => /fault|TypeError|undefined/i.test(line)),
  );
}

/** The response, up to the headers if it is a stream of events. */
function send(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(LONGEST, () => reject(new Error("the server does not answer")));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (/\r\ncontent-type: text\/event-stream/i.test(text)) done();
    });
    for (const event of ["end", "error", "close"]) socket.on(event, done);
    socket.end(bytes);
  });
}

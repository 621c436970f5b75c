import { fileURLToPath } from "node:url";
import { WaymarkError } from "../../core/error.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { Playing } from "../../demo/play.ts";
import { isLost } from "../../engines/storage/lost.ts";
import { noteRefusal } from "../../engines/storage/refusals.ts";
import type { Context } from "../../home/open.ts";
import { forgetRunning, keptToken, noteRunning } from "../../home/server.ts";
import { type Feed, openFeed } from "../../sessions/feed.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { openAccess } from "./access/access.ts";
import type { SignInCommand } from "./access/message-page.ts";
import { agentsRoute } from "./agents-route.ts";
import { openBroadcast } from "./broadcast.ts";
import { handleWith } from "./fetch.ts";
import { pageRoutes } from "./files.ts";
import { demoStatus, openPageDemo } from "./page-demo.ts";
import { pageSource, whileShown } from "./page-source.ts";
import { type Route, sendJson, type Visit } from "./routes.ts";
import { type HttpServer, serveHttp } from "./server.ts";

type ServingCall = Pick<Context, "home" | "env" | "terminal">;

export interface ServingOptions {
  /** 0 for any that is free; none for the usual one, or the next that is free. */
  readonly port?: number | undefined;
  /** The agents of another home directory, and none of our own lists. */
  readonly userHome?: string | undefined;
  /** What agents are told. */
  readonly version: string;
  /** Which tools they are offered, by name. */
  readonly tools?: string | undefined;
  /** The server that machines share: their tracks are shown, and the tasks are there. */
  readonly store?: string | undefined;
  /** The folder of the page; beside the program if nothing is given. */
  readonly page?: string;
  /** The recorded demo, when the server shows that instead of real agents. */
  readonly demo?: Playing | undefined;
  /** The agents that the page names; those of this machine if nothing is given. */
  readonly agents?: (signal: AbortSignal) => Promise<readonly AgentSummary[]>;
}

/** The page, what it is fed with, and the door for agents, on one port. */
export interface Serving {
  readonly url: string;
  readonly token: string;
  readonly feed: Feed;
  /** Everything that needs a token. */
  readonly routes: readonly Route[];
  /** The files of the page. */
  readonly publicRoutes: readonly Route[];
  /** A one-time link that signs one browser in, and leads to an address on this server. */
  openingUrl(to?: string): string;
  close(): Promise<void>;
}

const USUAL_PORT = 4747;
const TRIES = 20;

export async function openServing(call: ServingCall, options: ServingOptions): Promise<Serving> {
  const { home, terminal } = call;
  const isOurs = options.userHome === undefined;
  const token = keptToken(home.path);
  // Whoever edits here writes: a list that comes later must be found where it is looked for.
  if (isOurs)
    await home.writing().catch((error: unknown) => {
      // The page says so, and works again once the user has decided.
      if (!isLost(error)) throw error;
    });
  const feed = await openFeed(call, { userHome: options.userHome, store: options.store });
  const broadcast = openBroadcast();
  const { demo } = options;
  const pageDemo = openPageDemo(call, { broadcast, isOffered: demo === undefined });
  const own = pageSource(call, {
    feed,
    broadcast: whileShown(broadcast, () => pageDemo.source === undefined),
    isWritable: isOurs,
    store: options.store,
    ...(demo && { demo: () => demoStatus(demo) }),
  });
  demo?.finished.then(
    () => broadcast.say("demo", demoStatus(demo)),
    // Reported where the demo is played.
    () => undefined,
  );
  const agents = agentDoor(call, options);
  let server: HttpServer | undefined;
  const page = options.page ?? fileURLToPath(new URL("./web/", import.meta.url));
  const publicRoutes = pageRoutes(page);
  const routes: readonly Route[] = [
    // While the page shows the demo, the same route of the demo answers.
    ...own.routes.map((route, place) => ({
      ...route,
      handle: (visit: Visit) => (pageDemo.source?.routes[place] ?? route).handle(visit),
    })),
    ...pageDemo.routes,
    agentsRoute(call, { feed, userHome: options.userHome, agents: options.agents }),
    {
      method: "POST",
      path: "/api/codes",
      handle: ({ response, url }) =>
        sendJson(response, 200, {
          url: server?.openingUrl(url.searchParams.get("to") ?? undefined),
        }),
    },
    ...(["GET", "POST", "DELETE"] as const).map((method) => ({
      method,
      path: "/mcp",
      handle: handleWith(agents.fetch),
    })),
  ];
  const access = openAccess(token);
  const command = servingCommand(call.env, demo ? "demo --page" : "serve");
  const onFault = (message: string) => terminal.say(`waymark: ${message}`);
  const onRefused = (status: number) => noteRefusal(home.path, "request", String(status));
  const opened = await onFreePort(options.port, (port) =>
    serveHttp({ routes, publicRoutes, command, access, port, onFault, onRefused }),
  ).catch((error: unknown) => {
    feed.stop();
    throw error;
  });
  server = opened;
  const running = { url: opened.url, pid: process.pid };
  if (isOurs) noteRunning(home.path, running);
  return {
    url: opened.url,
    token,
    feed,
    routes,
    publicRoutes,
    openingUrl: opened.openingUrl,
    async close() {
      forgetRunning(home.path, running);
      await pageDemo.close();
      feed.stop();
      own.stop();
      broadcast.close();
      await opened.close();
      await agents.close();
    },
  };
}

/** Any local user can read the sign-in page, so the command names no folder of this user. */
function servingCommand(env: NodeJS.ProcessEnv, args: string): SignInCommand {
  const isNamed = thisProgram(env, process.platform).before.length === 0;
  if (isNamed) return { run: `waymark ${args}` };
  return { run: `node bin/waymark.js ${args}`, where: "in your clone of Waymark" };
}

async function onFreePort(
  wanted: number | undefined,
  listen: (port: number) => Promise<HttpServer>,
): Promise<HttpServer> {
  if (wanted !== undefined) return listen(wanted);
  for (let port = USUAL_PORT; port < USUAL_PORT + TRIES; port++) {
    try {
      return await listen(port);
    } catch (error) {
      if (!(error instanceof WaymarkError) || error.code !== "port_taken") throw error;
    }
  }
  return listen(0);
}

/** Loaded with the first call: most who look at the board never call a tool. */
function agentDoor(
  { home, terminal, env }: ServingCall,
  { version, tools, store }: ServingOptions,
) {
  const open = async () => {
    const [{ todoServer }, { offeredTools }] = await Promise.all([
      import("../mcp/index.ts"),
      import("../mcp/offered-tools.ts"),
    ]);
    return todoServer(home, {
      version,
      ...offeredTools(env, tools),
      tasks: { tasks: (purpose) => home.tasks(purpose, store), meet: home.links.meet },
      onError: ({ message }) => terminal.say(`waymark: ${message}`),
    });
  };
  let server: ReturnType<typeof open> | undefined;
  return {
    async fetch(request: Request): Promise<Response> {
      server ??= open();
      return (await server).fetch(request);
    },
    close: async () => (await server)?.close(),
  };
}

import { fileURLToPath } from "node:url";
import { WaymarkError } from "../../core/error.ts";
import type { AgentSummary } from "../../core/wire.ts";
import type { Playing } from "../../demo/play.ts";
import { isStoreLost } from "../../engines/storage/lost-store.ts";
import { logRefusal } from "../../engines/storage/refusals.ts";
import type { Context } from "../../home/open.ts";
import { readPrices } from "../../home/prices.ts";
import { loadOrCreateToken, removeRunning, writeRunning } from "../../home/server.ts";
import { type Feed, openFeed } from "../../sessions/feed.ts";
import { thisProgram } from "../../setup/this-program.ts";
import { metricsReader, type ReadMetrics } from "../metrics.ts";
import { openAccess } from "./access/access.ts";
import type { SignInCommand } from "./access/message-page.ts";
import { agentsRoute } from "./agents-route.ts";
import { openBroadcast } from "./broadcast.ts";
import { fetchHandler } from "./fetch.ts";
import { pageRoutes } from "./files.ts";
import { metricsRoute } from "./metrics-route.ts";
import { demoStatus, openPageDemo } from "./page-demo.ts";
import { pageSource, whileShown } from "./page-source.ts";
import { reportRoutes } from "./report-routes.ts";
import { type RequestContext, type Route, sendJson } from "./routes.ts";
import { type HttpServer, serveHttp } from "./server.ts";

type BoardServerCall = Pick<Context, "home" | "env" | "terminal">;

export interface BoardServerOptions {
  /** 0 for any free port (default: the first free port from 4747). */
  readonly port?: number | undefined;
  /** Shows the agents of another home directory, and none of Waymark's own lists. */
  readonly userHome?: string | undefined;
  /** Waymark's version, which MCP clients receive. */
  readonly version: string;
  /** Names of the tools that MCP clients are offered, comma-separated. */
  readonly tools?: string | undefined;
  /** URL of a PostgreSQL server that several machines share: their sessions are shown, and it holds the tasks. */
  readonly store?: string | undefined;
  /** The directory with the files of the page (default: beside the program). */
  readonly page?: string;
  /** The recorded demo, if the server shows it instead of real agents. */
  readonly demo?: Playing | undefined;
  /** The agents that the page lists (default: those on this machine). */
  readonly agents?: (signal: AbortSignal) => Promise<readonly AgentSummary[]>;
}

/** The page with its API, and the MCP endpoint for agents, on one port. */
export interface BoardServer {
  readonly url: string;
  readonly token: string;
  readonly feed: Feed;
  /** The figures that `/metrics` shows. */
  readonly metrics: ReadMetrics;
  /** Routes that need a token. */
  readonly routes: readonly Route[];
  /** The files of the page. */
  readonly publicRoutes: readonly Route[];
  /** Creates a one-time link that signs in one browser and opens `to` on this server. */
  signInUrl(to?: string): string;
  close(): Promise<void>;
}

const DEFAULT_PORT = 4747;
const MAX_TRIES = 20;

export async function openBoardServer(
  call: BoardServerCall,
  options: BoardServerOptions,
): Promise<BoardServer> {
  const { home, terminal } = call;
  const isOwnHome = options.userHome === undefined;
  const token = loadOrCreateToken(home.path);
  // Read before anything is opened, because both can fail.
  const prices = readPrices(call.env);
  const page = pageRoutes(options.page ?? fileURLToPath(new URL("./web/", import.meta.url)));
  // Opened for writing: creates the store, so that the feed finds lists that are added later.
  if (isOwnHome)
    await home.writing().catch((error: unknown) => {
      // The page reports a lost store, and works again once the user has restored it.
      if (!isStoreLost(error)) throw error;
    });
  const feed = await openFeed(call, { userHome: options.userHome, store: options.store });
  const broadcast = openBroadcast();
  const { demo } = options;
  const pageDemo = openPageDemo(call, { broadcast, isOffered: demo === undefined });
  const own = pageSource(call, {
    feed,
    broadcast: whileShown(broadcast, () => pageDemo.source === undefined),
    isWritable: isOwnHome,
    hasChecks: isOwnHome && demo === undefined,
    store: options.store,
    ...(demo && { demo: () => demoStatus(demo) }),
  });
  demo?.finished.then(
    () => broadcast.publish("demo", demoStatus(demo)),
    // The caller that plays the demo reports the error.
    () => undefined,
  );
  const agents = mcpHandler(call, options);
  let server: HttpServer | undefined;
  const reports = reportRoutes(feed, prices);
  const metrics = metricsReader({
    feed,
    prices,
    ...(isOwnHome && {
      taskStats: async () => (await home.tasks("reading", options.store)).stats(),
    }),
  });
  const publicRoutes = [...page, ...reports.publicRoutes];
  const routes: readonly Route[] = [
    // While the page shows the demo, the demo's route at the same index answers.
    ...own.routes.map((route, index) => ({
      ...route,
      handle: (context: RequestContext) =>
        (pageDemo.source?.routes[index] ?? route).handle(context),
    })),
    ...pageDemo.routes,
    ...reports.routes,
    metricsRoute(metrics, options.version),
    agentsRoute(call, { feed, userHome: options.userHome, agents: options.agents }),
    {
      method: "POST",
      path: "/api/codes",
      handle: ({ response, url }) =>
        sendJson(response, 200, {
          url: server?.signInUrl(url.searchParams.get("to") ?? undefined),
        }),
    },
    ...(["GET", "POST", "DELETE"] as const).map((method) => ({
      method,
      path: "/mcp",
      handle: fetchHandler(agents.fetch),
    })),
  ];
  const access = openAccess(token);
  const command = servingCommand(call.env, demo ? "demo --page" : "serve");
  const onFault = (message: string) => terminal.printError(`waymark: ${message}`);
  const onRefused = (status: number) => logRefusal(home.path, "request", String(status));
  const close = async () => {
    if (server) removeRunning(home.path, { url: server.url, pid: process.pid });
    await pageDemo.close();
    feed.stop();
    await own.stop();
    broadcast.close();
    await server?.close();
    await agents.close();
  };
  try {
    server = await onFreePort(options.port, (port) =>
      serveHttp({ routes, publicRoutes, command, access, port, onFault, onRefused }),
    );
    if (isOwnHome) writeRunning(home.path, { url: server.url, pid: process.pid });
  } catch (error) {
    await close();
    throw error;
  }
  const { url, signInUrl } = server;
  return { url, token, feed, metrics, routes, publicRoutes, signInUrl, close };
}

/** The command on the sign-in page, without paths of this user: every local user can read that page. */
function servingCommand(env: NodeJS.ProcessEnv, args: string): SignInCommand {
  const isNamed = thisProgram(env, process.platform).prefixArgs.length === 0;
  if (isNamed) return { run: `waymark ${args}` };
  return { run: `node bin/waymark.js ${args}`, where: "in your clone of Waymark" };
}

async function onFreePort(
  wanted: number | undefined,
  listen: (port: number) => Promise<HttpServer>,
): Promise<HttpServer> {
  if (wanted !== undefined) return listen(wanted);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + MAX_TRIES; port++) {
    try {
      return await listen(port);
    } catch (error) {
      if (!(error instanceof WaymarkError) || error.code !== "port_taken") throw error;
    }
  }
  return listen(0);
}

/** The MCP endpoint. Loaded with the first request: most servers are used for the page only. */
function mcpHandler(
  { home, terminal, env }: BoardServerCall,
  { version, tools, store }: BoardServerOptions,
) {
  const open = async () => {
    const [{ todoServer }, { offeredTools }] = await Promise.all([
      import("../mcp/index.ts"),
      import("../mcp/offered-tools.ts"),
    ]);
    return todoServer(home, {
      version,
      ...offeredTools(env, tools),
      tasks: {
        tasks: (purpose) => home.tasks(purpose, store),
        onOwner: home.links.meet,
        prove: async (task, run) => {
          const { proveForClients } = await import("../verify/task-proof.ts");
          return proveForClients({ home, env })(task, run);
        },
      },
      onError: ({ message }) => terminal.printError(`waymark: ${message}`),
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

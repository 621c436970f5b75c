import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { isToolVisibilityAppOnly } from "@modelcontextprotocol/ext-apps/app-bridge";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { type Machine, newMachine, PROGRAM } from "../../cli/machine.ts";
import { type Era, environment } from "../../servers/mcp/clients.ts";
import { browserPerFile } from "../web/browser.ts";
import type { HostWindow } from "./host-page.ts";

const HOST = "http://host.test/";
/** Another origin, as hosts have to use. */
const VIEW = "http://view.test/";
/** The default of the protocol for a view that declares no origins. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; object-src 'none'; connect-src 'none'";
const EXTENSION = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

export interface HostOptions {
  readonly era?: Era;
  readonly session?: string;
  readonly tools?: string;
  /** Before the server starts. */
  readonly prepare?: (machine: Machine) => void;
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly context?: Record<string, unknown>;
  readonly hasTools?: boolean;
  readonly toolInfo?: string;
  readonly reducedMotion?: "reduce";
}

/** A chat host: a browser page with the view, and the server behind it. */
export interface ChatHost {
  readonly machine: Machine;
  readonly client: Client;
  readonly page: Page;
  /** The document of the view. */
  readonly view: Frame;
  /** Addresses that were requested, except those of host and view. */
  readonly requests: readonly string[];
  /** Calls of the view. */
  readonly calls: { readonly name: string; readonly arguments: Record<string, unknown> }[];
  /** Calls a tool as the model, and shows its result in the view. */
  show(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Refuses the calls of the view, as if the server had ended. */
  setLost(isLost: boolean): void;
  /** Replaces the results of the calls, as other hosts and servers send them. */
  alter(change: (result: Record<string, unknown>) => unknown): void;
}

let script: Promise<string> | undefined;

async function hostScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL("host-page.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** A host per test, in one browser per file. Errors of the page fail the test. */
export function hostPerTest(): (options?: HostOptions) => Promise<ChatHost> {
  const browser = browserPerFile();
  const ends: (() => Promise<unknown>)[] = [];
  const faults: string[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    expect(faults.splice(0)).toEqual([]);
  });
  return async (options = {}) => {
    const { host, end } = await openHost(browser(), options, faults);
    ends.push(end);
    return host;
  };
}

async function connect(
  machine: Machine,
  { era = "new", session = "s", tools = "todos,plan,tasks" }: HostOptions,
) {
  const client = new Client(
    { name: "host", version: "1" },
    {
      capabilities: { extensions: EXTENSION },
      versionNegotiation: { mode: era === "new" ? { pin: "2026-07-28" } : "legacy" },
    },
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--session", session, "--tools", tools],
      env: environment({ home: machine.home }),
      cwd: machine.cwd,
    }),
  );
  return client;
}

async function openHost(browser: Browser, options: HostOptions, faults: string[]) {
  const machine = newMachine();
  options.prepare?.(machine);
  const client = await connect(machine, options);
  const { contents } = await client.readResource({ uri: "ui://waymark/list" });
  const [content] = contents as { text: string }[];
  const { tools } = await client.listTools();
  const appOnly = tools.filter((tool) => isToolVisibilityAppOnly(tool)).map(({ name }) => name);

  const {
    theme = "light",
    width = 360,
    context = {},
    hasTools = true,
    toolInfo = "todos",
  } = options;
  const browserContext = await browser.newContext({
    viewport: { width: Math.max(width, 400), height: 900 },
    bypassCSP: false,
    ...(options.reducedMotion && { reducedMotion: options.reducedMotion }),
  });
  const page = await browserContext.newPage();
  const requests: string[] = [];
  page.on("request", (request) => {
    if (![HOST, VIEW].includes(request.url())) requests.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  script ??= hostScript();
  const source = await script;
  await page.route(HOST, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><html lang="en"><title>Host</title><body style="margin:16px;background:${theme === "dark" ? "#0b0c0e" : "#f0f0ed"}"></body></html>`,
    }),
  );
  await page.route(VIEW, (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "content-security-policy": POLICY },
      body: content?.text ?? "",
    }),
  );

  let isLost = false;
  let change: (result: Record<string, unknown>) => unknown = (result) => result;
  const calls: ChatHost["calls"] = [];
  await page.exposeFunction("callServerTool", async (params: ChatHost["calls"][number]) => {
    if (!appOnly.includes(params.name)) throw new Error(`${params.name} is not for views`);
    calls.push(params);
    if (isLost) throw new Error("The server is gone");
    return change(await client.callTool(params));
  });
  await page.goto(HOST);
  await page.addScriptTag({ content: source });
  await page.evaluate((given) => (window as unknown as HostWindow).host.open(given), {
    context: {
      theme,
      toolInfo: { tool: tools.find(({ name }) => name === toolInfo) },
      ...context,
    } as Record<string, unknown>,
    hasTools,
    viewUrl: VIEW,
    width,
    // Frames may not submit forms here: the view must not need them.
    sandbox: "allow-scripts",
  });
  const view = page.frames().find((frame) => frame.url() === VIEW);
  if (!view) throw new Error("the view was not loaded");
  const host: ChatHost = {
    machine,
    client,
    page,
    view,
    requests,
    calls,
    async show(name, args) {
      const result = await client.callTool({ name, arguments: args });
      await page.evaluate(
        ([given, shown]) =>
          (window as unknown as HostWindow).host.show(given as never, shown as never),
        [args, change(result as Record<string, unknown>)],
      );
      return result;
    },
    setLost(lost) {
      isLost = lost;
    },
    alter(given) {
      change = given;
    },
  };
  return {
    host,
    async end() {
      await browserContext.close();
      await client.close();
      machine.remove();
    },
  };
}

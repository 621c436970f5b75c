import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { type Machine, newMachine, PROGRAM } from "../../cli/machine.ts";
import { type Running, start } from "../../cli/running.ts";
import { browserPerFile } from "./browser.ts";

/** A machine with a server, and pages of it. */
export interface Stage {
  readonly machine: Machine;
  readonly faults: string[];
  url(): string;
  /** Opens a page in a new browser context that is not signed in. */
  visit(look?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  /** Creates a one-time link to an address of the server. */
  link(to?: string): Promise<string>;
  /** Opens a page in a new browser context, signed in. */
  open(look?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  serve(port?: number, options?: ServeOptions): Promise<void>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Limit of open files and connections of the server. */
  readonly handles?: number;
}

type Prepare = (machine: Machine) => Promise<void> | void;

/** A stage per test, in one browser per file. Page errors fail the test. */
export function stagePerTest(): (prepare: Prepare) => Promise<Stage> {
  const browser = browserPerFile();
  let stage: Stage | undefined;
  afterEach(async () => {
    const faults = stage?.faults ?? [];
    await stage?.end();
    stage = undefined;
    expect(faults).toEqual([]);
  });
  return async (prepare) => {
    stage = await newStage(browser(), prepare);
    return stage;
  };
}

export async function newStage(browser: Browser, prepare: Prepare): Promise<Stage> {
  const machine = newMachine();
  await prepare(machine);
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];
  let program: Running | undefined;
  let url = "";
  const stage: Stage = {
    machine,
    faults,
    url: () => url,
    async serve(port = 0, { env: more = {}, handles } = {}) {
      const env = { ...more, HOME: machine.root, WAYMARK_HOME: machine.home };
      const args = [PROGRAM, "serve", "--no-open", "--json", "--port", String(port)];
      program =
        handles === undefined
          ? start(process.execPath, args, env)
          : start(
              "sh",
              ["-c", `ulimit -n ${handles}; exec "$0" "$@"`, process.execPath, ...args],
              env,
            );
      await program.untilPrinted("\n");
      url = JSON.parse(readFileSync(join(machine.home, "serve.json"), "utf8")).url;
    },
    async stop() {
      program?.child.kill("SIGINT");
      await program?.finished;
      program = undefined;
    },
    async visit(look = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        timezoneId: "UTC",
        // A spinner would make the browser redraw 60 times a second.
        reducedMotion: "reduce",
        ...look,
      });
      contexts.push(context);
      // Intercept from the start: requests sent while interception is being
      // enabled are invisible to Playwright.
      await context.route("**/api/**", (route) => route.fallback());
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        // The browser also logs failed requests.
        if (message.type() === "error" && !/ERR_|Failed to load|status of/.test(message.text()))
          faults.push(message.text());
      });
      return page;
    },
    async link(to) {
      const token = readFileSync(join(machine.home, "serve-token"), "utf8").trim();
      const headers = { authorization: `Bearer ${token}` };
      const place = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
      const response = await fetch(`${url}api/codes${place}`, { method: "POST", headers });
      return ((await response.json()) as { url: string }).url;
    },
    async open(look) {
      const page = await stage.visit(look);
      await page.goto(await stage.link());
      await page.waitForSelector(".link-state.live", { state: "attached" });
      return page;
    },
    async end() {
      for (const context of contexts) await context.close();
      await stage.stop();
      machine.remove();
    },
  };
  await stage.serve();
  return stage;
}

/** Fills in a field, submits it, and waits for the form to close. */
export async function submitField(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label);
  await field.fill(text);
  await field.press("Enter");
  await field.waitFor({ state: "detached" });
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Machine, newMachine, PROGRAM } from "../../cli/machine.ts";
import { type Running, start } from "../../cli/running.ts";

/** A machine with a server on it, and pages that look at it. */
export interface Stage {
  readonly machine: Machine;
  readonly faults: string[];
  url(): string;
  /** A page of a browser of its own, let in. */
  open(browser: Browser, look?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  serve(port?: number): Promise<void>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

export async function newStage(prepare: (machine: Machine) => Promise<void>): Promise<Stage> {
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
    async serve(port = 0) {
      const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
      const args = [PROGRAM, "serve", "--no-open", "--json", "--port", String(port)];
      program = start(process.execPath, args, env);
      await program.says("\n");
      url = JSON.parse(readFileSync(join(machine.home, "serve.json"), "utf8")).url;
    },
    async stop() {
      program?.child.kill("SIGINT");
      await program?.finished;
      program = undefined;
    },
    async open(browser, look = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        timezoneId: "UTC",
        ...look,
      });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(8_000);
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        // That the link is gone is said by the browser, too.
        if (message.type() === "error" && !/ERR_|Failed to load|status of/.test(message.text()))
          faults.push(message.text());
      });
      const token = readFileSync(join(machine.home, "serve-token"), "utf8").trim();
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}api/codes`, { method: "POST", headers });
      const { url: opening } = (await answer.json()) as { url: string };
      await page.goto(opening);
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

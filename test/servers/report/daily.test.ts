import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localTime } from "../../../src/core/text/clock.ts";
import type { ReportWindow } from "../../../src/core/views/report/model.ts";
import {
  type LastReport,
  readLastReport,
  reportDaily,
  saveLastReport,
} from "../../../src/servers/report/daily.ts";
import { deliverReport, parseTarget } from "../../../src/servers/report/target.ts";
import { night } from "../../surfaces/report/night.ts";

const HOUR = 3_600_000;
// The formatter is kept for all tests of this process, in the zone of the first use.
localTime(0);
const zone = process.env.TZ;
beforeEach(() => {
  process.env.TZ = "Europe/Berlin";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** A daily report at 08:00, with a clock that the test sets. */
function daily(start: string, known?: LastReport, fails = 0) {
  let now = new Date(start).getTime();
  let tick: () => void = () => undefined;
  let last = known;
  let failures = fails;
  const runs: { readonly window: ReportWindow; readonly day: string; readonly at: string }[] = [];
  const problems: unknown[] = [];
  const { stop } = reportDaily({
    at: { hours: 8, minutes: 0 },
    now: () => now,
    every(_, callback) {
      tick = callback;
      return () => {
        tick = () => undefined;
      };
    },
    last: () => last,
    save: (saved) => {
      last = saved;
    },
    async run(window, day) {
      if (failures-- > 0) throw new Error("disk full");
      runs.push({ window, day, at: new Date(now).toISOString() });
    },
    onProblem: (error) => problems.push(error),
  });
  return {
    runs,
    problems,
    stop,
    days: () => runs.map(({ day }) => day),
    /** Sets the clock and lets the timer fire. */
    async at(time: string) {
      now = new Date(time).getTime();
      tick();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("daily report", () => {
  test("runs once a day, at or after its time", async () => {
    const report = daily("2026-11-17T07:59:40");
    await report.at("2026-11-17T07:59:59");
    expect(report.days()).toEqual([]);
    for (const time of ["08:00:05", "08:00:25", "12:00:00", "23:59:59"])
      await report.at(`2026-11-17T${time}`);
    await report.at("2026-11-18T07:59:00");
    await report.at("2026-11-18T08:00:00");
    expect(report.days()).toEqual(["2026-11-17", "2026-11-18"]);
    const [first, second] = report.runs;
    expect(second?.window.since).toBe(first?.window.until);
    expect((first?.window.until ?? 0) - (first?.window.since ?? 0)).toBe(24 * HOUR);
  });

  test("runs when the machine wakes up after its time", async () => {
    const report = daily("2026-11-16T22:00:00", {
      day: "2026-11-16",
      until: Date.parse("2026-11-16T08:00:00"),
    });
    await report.at("2026-11-17T10:30:00");
    expect(report.days()).toEqual(["2026-11-17"]);
    // Four days asleep: one report, which covers them.
    await report.at("2026-11-21T09:00:00");
    expect(report.days()).toEqual(["2026-11-17", "2026-11-21"]);
    const { since = 0, until = 0 } = report.runs[1]?.window ?? {};
    expect((until - since) / HOUR).toBeCloseTo(4 * 24 - 1.5);
  });

  test("does not run at the first start after its time, but at a restart", async () => {
    const first = daily("2026-11-17T10:00:00");
    await first.at("2026-11-17T10:01:00");
    expect(first.days()).toEqual([]);
    const known = { day: "2026-11-16", until: Date.parse("2026-11-16T08:00:00") };
    const restarted = daily("2026-11-17T10:00:00", known);
    await restarted.at("2026-11-17T10:00:20");
    expect(restarted.days()).toEqual(["2026-11-17"]);
    const again = daily("2026-11-17T11:00:00", { day: "2026-11-17", until: 0 });
    await again.at("2026-11-17T11:00:20");
    expect(again.days()).toEqual([]);
  });

  test("runs once on days with 23 and 25 hours, and if the clock is set back", async () => {
    const report = daily("2026-03-28T07:00:00");
    for (const time of ["2026-03-28T08:00:00", "2026-03-29T07:59:59", "2026-03-29T08:00:00"])
      await report.at(time);
    expect(report.days()).toEqual(["2026-03-28", "2026-03-29"]);
    expect((report.runs[1]?.window.until ?? 0) - (report.runs[1]?.window.since ?? 0)).toBe(
      23 * HOUR,
    );
    await report.at("2026-03-29T07:00:00");
    await report.at("2026-03-29T08:00:00");
    expect(report.days()).toHaveLength(2);
  });

  test("tries three times a day, ten minutes apart", async () => {
    const report = daily("2026-11-17T07:00:00", undefined, 9);
    for (let minute = 0; minute < 60; minute++)
      await report.at(`2026-11-17T08:${String(minute).padStart(2, "0")}:00`);
    expect(report.problems).toHaveLength(3);
    await report.at("2026-11-18T08:00:00");
    expect(report.problems).toHaveLength(4);
    await report.stop();
    await report.at("2026-11-19T08:00:00");
    expect(report.runs).toEqual([]);
  });

  test("remembers the last report; a damaged record counts as none", () => {
    const home = mkdtempSync(join(tmpdir(), "waymark-daily-"));
    try {
      expect(readLastReport(home)).toBeUndefined();
      saveLastReport(home, { day: "2026-11-17", until: 5 });
      expect(readLastReport(home)).toEqual({ day: "2026-11-17", until: 5 });
      for (const text of ["", "null", "[]", '{"day":3}']) {
        writeFileSync(join(home, "report.json"), text);
        expect(readLastReport(home)).toBeUndefined();
      }
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe("delivery", () => {
  let dir: string;
  let server: Server | undefined;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "waymark-target-"));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
    server?.close();
    server = undefined;
  });
  const refuse = (message: string): never => {
    throw new Error(message);
  };
  const options = {
    now: 0,
    day: "2026-11-17",
    signal: new AbortController().signal,
    pauses: [1, 1],
  };

  test("writes a dated file to a directory, or replaces one file in the format of its extension", async () => {
    await deliverReport(parseTarget(dir, refuse), night(), options);
    await deliverReport(parseTarget(dir, refuse), night(), { ...options, day: "2026-11-18" });
    expect(readdirSync(dir).sort()).toEqual(["waymark-2026-11-17.html", "waymark-2026-11-18.html"]);
    for (const [name, start] of [
      ["a.html", "<!doctype html>"],
      ["a.md", "# The night failed"],
      ["a.txt", "The night failed"],
      ["a.json", '{"since":'],
    ] as const) {
      const path = join(dir, name);
      for (let time = 0; time < 2; time++)
        expect(await deliverReport(parseTarget(path, refuse), night(), options)).toBe(path);
      expect(readFileSync(path, "utf8").startsWith(start)).toBe(true);
    }
  });

  test("posts to a webhook, retries temporary failures, and names no password", async () => {
    const bodies: string[] = [];
    const keys: unknown[] = [];
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        bodies.push(body);
        keys.push(request.headers["idempotency-key"]);
        response.writeHead(bodies.length === 1 ? 503 : 204).end();
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const target = parseTarget(`http://127.0.0.1:${port}/hook?token=s3cret`, refuse);
    expect(await deliverReport(target, night(), options)).not.toContain("s3cret");
    expect(bodies).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(JSON.parse(bodies[1] ?? "")).toMatchObject({
      title: expect.stringMatching(/^The night failed/),
      kind: "report",
      report: { verdict: "failed" },
    });
  });

  test("refuses targets that cannot work", () => {
    expect(() => parseTarget("ftp://x.test/a", refuse)).toThrow("Use an https:// or http:// URL");
    expect(() => parseTarget(join(dir, "a.pdf"), refuse)).toThrow(
      "ends in .html, .md, .txt or .json",
    );
    expect(() => parseTarget(join(dir, "no", "a.html"), refuse)).toThrow("does not exist");
  });
});

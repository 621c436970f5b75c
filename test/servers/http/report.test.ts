import { beforeAll, expect, test } from "vitest";
import { until } from "../../until.ts";
import { startTestServer } from "./test-server.ts";

const served = startTestServer();
const ask = (path: string, init: RequestInit = {}, hasToken = true) => {
  const { serving } = served();
  return fetch(new URL(path, serving.url), {
    ...init,
    headers: hasToken ? { authorization: `Bearer ${serving.token}` } : {},
  });
};
const since = () => Date.now() - 3_600_000;

beforeAll(async () => {
  served().machine.run(["todo", "add", "Paint <b>", "--session", "s"]);
  served().machine.run(["todo", "done", "Paint <b>", "--session", "s"]);
  await until(async () => (await ask("/api/tracks/s~main")).status === 200, "the list");
});

test("answers the report and its counts since a time", async () => {
  const report = await (await ask(`/api/report?since=${since()}`)).json();
  expect(report).toMatchObject({
    headline: "Finished, but nothing is proven.",
    unverified: [{ text: "Paint <b>", session: "s" }],
  });
  const away = await (await ask(`/api/away?since=${since()}`)).json();
  expect(away).toMatchObject({ proven: 0, unproven: 1, stuck: 0, needsYou: 0, cost: null });
  expect(await (await ask(`/api/away?since=${Date.now()}`)).json()).toMatchObject({ unproven: 0 });
});

test("refuses times that are not times", async () => {
  for (const given of ["", "x", "-1", "1e3", "1.5", String(Date.now() + 60_000)])
    for (const path of ["/api/report", "/api/away"])
      expect((await ask(`${path}?since=${given}`)).status).toBe(400);
  expect((await ask("/api/report/link?since=x", { method: "POST" })).status).toBe(400);
});

test("shows the report as a page to the holder of a ticket only", async () => {
  const link = await ask(`/api/report/link?since=${since()}`, { method: "POST" });
  const { path } = (await link.json()) as { path: string };
  const page = await ask(path, {}, false);
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toContain("Paint <b>");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; .*sandbox$/);
  expect(page.headers.get("cache-control")).toBe("no-store");
  for (const other of ["/report", "/report?ticket=", `${path}x`, "/report?ticket=__proto__"])
    expect((await ask(other, {}, false)).status).toBe(404);
});

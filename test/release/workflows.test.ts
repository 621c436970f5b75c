import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = ".github/workflows";
const { scripts, engines } = JSON.parse(readFileSync("package.json", "utf8"));
const workflows = readdirSync(FOLDER).map((file): [string, Workflow] => [
  file,
  parse(readFileSync(`${FOLDER}/${file}`, "utf8"), { strict: true }),
]);
const ci = workflows.find(([file]) => file === "ci.yml")?.[1];
const release = workflows.find(([file]) => file === "release.yml")?.[1];

describe.each(workflows)("%s", (_, { permissions, jobs }) => {
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it("calls scripts of package.json only", () => {
    const called = steps.flatMap(({ run = "" }) => [
      ...[...run.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name]) => name),
      ...(/\bnpm test\b/.test(run) ? ["test"] : []),
    ]);
    expect(called.filter((name) => !(name && name in scripts))).toEqual([]);
  });

  it("pins every action to a major version, and all of them are GitHub's own", () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((name) => !/^actions\/[\w-]+@(?:v\d+|[0-9a-f]{40})$/.test(name))).toEqual(
      [],
    );
  });

  it("reads only by default, keeps no credentials, and has time limits", () => {
    expect(permissions).toEqual({ contents: "read" });
    for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    for (const { with: options } of checkouts)
      expect(options).toMatchObject({ "persist-credentials": false });
  });

  it("puts no value of an event into a shell command", () => {
    expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
  });
});

test("CI tests every supported Node on three systems", () => {
  const matrix = ci?.jobs.test?.strategy?.matrix;
  expect(matrix?.os).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
  expect(matrix?.node).toEqual([20, 22, 24, 26]);
  expect(engines.node).toBe(">=20.19");
});

test("the adapters are tested every week against the current SDKs", () => {
  const text = readFileSync(`${FOLDER}/sdks.yml`, "utf8");
  expect(parse(text).on.schedule).toEqual([
    { cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) },
  ]);
  expect(text).toContain("npm run test:sdk -- --latest");
});

test("only the jobs that need it may write", () => {
  const extra = Object.entries({ ...ci?.jobs, ...release?.jobs }).flatMap(([name, job]) =>
    job.permissions ? [[name, job.permissions]] : [],
  );
  expect(extra).toEqual([
    ["publish", { contents: "read", "id-token": "write" }],
    ["github", { contents: "write" }],
  ]);
});

test("issue forms have what GitHub requires", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const forms = readdirSync(folder).filter((file) => file !== "config.yml");
  expect(forms).toHaveLength(2);
  for (const file of forms) {
    const { name, description, body } = parse(readFileSync(`${folder}/${file}`, "utf8"));
    expect([typeof name, typeof description]).toEqual(["string", "string"]);
    const ids = body.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of body) {
      expect(["textarea", "input"]).toContain(type);
      expect(attributes.label).toMatch(/\S/);
    }
  }
  const { contact_links } = parse(readFileSync(`${folder}/config.yml`, "utf8"));
  expect(contact_links[0].url).toMatch(/^https:\/\/github\.com\/[\w-]+\/waymark\/security/);
});

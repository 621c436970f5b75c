import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SECRET_VARIABLES } from "../../src/agents/secret-variables.ts";
import { checkEnvironment, MARKER } from "../../src/checks/run/environment.ts";

const PLACE = { cwd: "/run/work", temporary: "/run/tmp", marker: "m1" };

test("leaves out every declared secret, by name and by prefix", () => {
  const names = SECRET_VARIABLES.map((name) => name.replace(/\*$/, "X"));
  const env = checkEnvironment(Object.fromEntries(names.map((name) => [name, "1"])), PLACE);
  expect(Object.keys(env).toSorted()).toEqual(
    ["CI", "PWD", "TEMP", "TMP", "TMPDIR", MARKER].toSorted(),
  );
});

test("keeps other variables and the CI of the caller", () => {
  const env = checkEnvironment({ PATH: "/bin", HOME: "/home/ann", CI: "", NPM_TOKEN: "1" }, PLACE);
  expect(env).toMatchObject({ PATH: "/bin", HOME: "/home/ann", CI: "", NPM_TOKEN: "1" });
  expect(env).toMatchObject({ PWD: "/run/work", TMPDIR: "/run/tmp", [MARKER]: "m1" });
});

test("docs/reference/checks.md lists every declared secret", () => {
  const page = readFileSync("docs/reference/checks.md", "utf8");
  expect(SECRET_VARIABLES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryPlace } from "./stores/place.ts";

const { exports: doors } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, string | { types: string; default: string }>;
};

const built = Object.entries(doors).flatMap(([path, door]) =>
  typeof door === "string" ? [] : [{ name: join("waymark", path), ...door }],
);

/** What each door hands out; the types that come with them are checked below. */
test("every door of the package opens and hands something out", () => {
  const script = `
    const opened = {};
    for (const name of ${JSON.stringify(built.map(({ name }) => name))})
      opened[name] = Object.keys(await import(name)).length > 0;
    console.log(JSON.stringify(opened));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { encoding: "utf8" },
  );
  const all = Object.fromEntries(built.map(({ name }) => [name, true]));
  expect([stderr, JSON.parse(stdout || "{}")]).toEqual(["", all]);
});

test("every door of the package has its types", () => {
  const dir = temporaryPlace();
  const { status, stdout } = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", dir],
    { encoding: "utf8" },
  );
  const without = built
    .map(({ types }) => types.replace("./dist/types/", ""))
    .filter((file) => !existsSync(join(dir, file)));
  expect([status, stdout, without]).toEqual([0, "", []]);
});

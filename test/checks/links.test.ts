import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linkDependencies } from "../../src/checks/run/links.ts";
import { pythonPath } from "../../src/checks/run/python-path.ts";
import { repositoryOf } from "../../src/git/repository.ts";
import { newRepository, temporaryDirectory, writeFiles } from "../git/repositories.ts";

async function linked(cwd: string, names: readonly string[]) {
  const repository = await repositoryOf(cwd);
  if (!repository) throw new Error("no repository");
  const checkout = temporaryDirectory();
  return { checkout, paths: await linkDependencies(repository, checkout, names) };
}

test("links packages one by one; workspaces lead to the checkout", async () => {
  const cwd = newRepository({ ".gitignore": "node_modules\n.venv\n", "packages/a/a.js": "1" });
  writeFiles(cwd, {
    "node_modules/left/index.js": "left",
    "node_modules/@scope/right/index.js": "right",
    "node_modules/.cache/x": "1",
    "packages/a/node_modules/inner/index.js": "inner",
    ".venv/bin/python": "1",
  });
  symlinkSync("../packages/a", join(cwd, "node_modules/a"));
  mkdirSync(join(cwd, "node_modules/.bin"));
  symlinkSync("../left/index.js", join(cwd, "node_modules/.bin/left"));
  const { checkout, paths } = await linked(cwd, ["node_modules", ".venv"]);
  expect(paths.toSorted()).toEqual([".venv", "node_modules", "packages/a/node_modules"]);
  writeFiles(checkout, { "packages/a/a.js": "copy" });
  const text = (path: string) => readFileSync(join(checkout, path), "utf8");
  expect(text("node_modules/left/index.js")).toBe("left");
  expect(text("node_modules/@scope/right/index.js")).toBe("right");
  expect(text("node_modules/.bin/left")).toBe("left");
  expect(text("node_modules/a/a.js")).toBe("copy");
  expect(text("packages/a/node_modules/inner/index.js")).toBe("inner");
  expect(realpathSync(join(checkout, ".venv"))).toBe(join(cwd, ".venv"));
  expect(existsSync(join(checkout, "node_modules/.cache"))).toBe(false);
});

test("links only the named directories", async () => {
  const cwd = newRepository({ ".gitignore": "node_modules\nvendor\n" });
  writeFiles(cwd, { "node_modules/x/index.js": "1", "vendor/y": "1" });
  expect((await linked(cwd, ["vendor"])).paths).toEqual(["vendor"]);
  expect((await linked(cwd, [])).paths).toEqual([]);
});

test("imports editable packages from the checkout", () => {
  const root = temporaryDirectory();
  const packages = ".venv/lib/python3.12/site-packages";
  writeFiles(root, {
    [`${packages}/shop.pth`]: `${root}/src\nimport site\n`,
    [`${packages}/other.pth`]: "/elsewhere\n",
    [`${packages}/__editable___tool_1_0_finder.py`]: `MAPPING: dict = {'tool': '${root}/tools/tool'}\n`,
  });
  expect(pythonPath(root, "/copy", [".venv"], "/mine")).toBe("/copy/tools:/copy/src:/mine");
  expect(pythonPath(root, "/copy", ["node_modules"], "/mine")).toBeUndefined();
});

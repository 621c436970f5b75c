import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { obstacles } from "../../scripts/release.mjs";

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    version: "1.2.3",
    homepage: "https://github.com/ann/waymark",
    mcpName: "io.github.ann/waymark",
  }),
  "package-lock.json": JSON.stringify({ version: "1.2.3" }),
  "CHANGELOG.md": "# Changelog\n\n## 1.2.3, 2026-11-18\n\n- One thing.\n\n## 1.2.2, 2026-10-01\n",
};

function found(changed: Readonly<Record<string, string>> = {}, status = "", tag?: string) {
  const files = { ...FILES, ...changed };
  return obstacles({ read: (path) => files[path] ?? "", git: () => status, tag });
}

describe("a release", () => {
  it("has no obstacles in a clean checkout with matching versions", () => {
    expect(found()).toEqual([]);
    expect(found({}, "", "v1.2.3")).toEqual([]);
  });

  it.each([
    ["changed files", {}, " M README.md\n", undefined, /working tree has changes:\nM README\.md/],
    ["another tag", {}, "", "v1.2.4", /The tag is v1\.2\.4, the version 1\.2\.3/],
    [
      "a changelog without a date",
      { "CHANGELOG.md": "## 1.2.3, unreleased\n" },
      "",
      undefined,
      /starts with "1\.2\.3, unreleased"/,
    ],
    [
      "a changelog of another version",
      { "CHANGELOG.md": "## 1.2.30\n" },
      "",
      undefined,
      /instead of "1\.2\.3, DATE"/,
    ],
    [
      "an old lock file",
      { "package-lock.json": '{"version":"1.2.2"}' },
      "",
      undefined,
      /has version 1\.2\.2/,
    ],
    [
      "the placeholder of the owner",
      { "package.json": '{"version":"1.2.3","mcpName":"io.github.OWNER/waymark"}' },
      "",
      undefined,
      /still names OWNER/,
    ],
  ] as const)("is stopped by %s", (_, files, status, tag, message) => {
    const problems = found(files, status, tag);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it("reads the files of this checkout", () => {
    const read = (path: string) => readFileSync(path, "utf8");
    const problems = obstacles({ read, git: () => "" });
    const isReleased = !/unreleased/.test(read("CHANGELOG.md"));
    const isPublic = !read("package.json").includes("github.com/OWNER/");
    expect(problems).toHaveLength((isReleased ? 0 : 1) + (isPublic ? 0 : 1));
  });
});

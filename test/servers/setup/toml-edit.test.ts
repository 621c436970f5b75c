import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WaymarkError } from "../../../src/core/error.ts";
import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { scan } from "../../../src/setup/edit/toml-scan.ts";
import { tomlText } from "./configs.ts";

const server = { command: "waymark", args: ["mcp"] };
const group = { hooks: [{ type: "command", command: 'say "hi"' }] };

describe("adds tables at the end and removes them", () => {
  it.each<[string, string, string]>([
    ["nothing", "", '[mcp_servers.waymark]\ncommand = "waymark"\nargs = ["mcp"]\n'],
    [
      "a file without a final line break",
      'model = "x"',
      'model = "x"\n\n[mcp_servers.waymark]\ncommand = "waymark"\nargs = ["mcp"]\n',
    ],
    [
      "CRLF",
      'model = "x"\r\n',
      'model = "x"\r\n\r\n[mcp_servers.waymark]\r\ncommand = "waymark"\r\nargs = ["mcp"]\r\n',
    ],
  ])("%s", (_, before, after) => {
    expect(toml.set(before, ["mcp_servers", "waymark"], server)).toBe(after);
    const eol = before.includes("\r") ? "\r\n" : "\n";
    const whole = before === "" || before.endsWith("\n") ? before : `${before}${eol}`;
    expect(toml.unset(after, ["mcp_servers", "waymark"])).toBe(whole);
  });

  it("removes everything below a table, in any notation", () => {
    const text = [
      "[mcp_servers.waymark]",
      'command = "x"',
      "# why",
      "",
      '[mcp_servers."waymark".env]',
      'A = "b"',
      "",
      "# of the next",
      "[mcp_servers.other]",
      'command = "y"',
      "",
    ].join("\n");
    expect(toml.unset(text, ["mcp_servers", "waymark"])).toBe(
      '\n# of the next\n[mcp_servers.other]\ncommand = "y"\n',
    );
    expect(
      toml.unset('[mcp_servers]\nwaymark = { command = "x" }\na.b = 1\n', [
        "mcp_servers",
        "waymark",
      ]),
    ).toBe("[mcp_servers]\na.b = 1\n");
  });

  it("removes one of an array of tables", () => {
    const mine = '[[hooks.Stop]]\nmatcher = "a"\n[[hooks.Stop.hooks]]\ncommand = "mine"\n';
    const both = toml.append(mine, ["hooks", "Stop"], group);
    expect(both).toBe(
      `${mine}\n[[hooks.Stop]]\nhooks = [{ type = "command", command = "say \\"hi\\"" }]\n`,
    );
    expect(toml.drop(both, ["hooks", "Stop"], 1)).toBe(mine);
    expect(toml.read(toml.drop(both, ["hooks", "Stop"], 0), "f")).toEqual({
      hooks: { Stop: [group] },
    });
  });
});

describe("changes a single value in sandbox", () => {
  const path = ["tools", "update_plan", "enabled"];
  it.each([
    ["[tools.update_plan]\nenabled = false # off\n", "[tools.update_plan]\nenabled = true # off\n"],
    ["tools.update_plan.enabled = false\n", "tools.update_plan.enabled = true\n"],
    ["[tools]\nupdate_plan.enabled=false", "[tools]\nupdate_plan.enabled=true"],
    ["[tools.update_plan]\n", "[tools.update_plan]\nenabled = true\n"],
    ["[tools.update_plan]", "[tools.update_plan]\nenabled = true"],
    ["[tools]\nx = 1\n", "[tools]\nx = 1\n\n[tools.update_plan]\nenabled = true\n"],
  ])("%j", (before, after) => {
    expect(toml.set(before, path, true)).toBe(after);
    expect(toml.read(after, "f")).toMatchObject({ tools: { update_plan: { enabled: true } } });
  });
});

it("names the line of a syntax error", () => {
  let received: unknown;
  try {
    toml.read('a = 1\nb = \nc = "x"\n', "/x/config.toml");
  } catch (error) {
    received = error;
  }
  expect(received).toBeInstanceOf(WaymarkError);
  expect((received as Error).message).toMatch(
    /^\/x\/config\.toml:2 is not valid TOML \(.+\)\. Nothing was written\. Fix that line and run the command again\.$/,
  );
});

it("finds every statement and value of any file", () => {
  fc.assert(
    fc.property(tomlText, (text) => {
      toml.read(text, "f");
      for (const { kind, start, end, value } of scan(text)) {
        expect(start).toBeLessThan(end);
        const line = text.slice(start, end).trimStart();
        if (kind === "table") expect(line).toMatch(/^\[[^[]/);
        else if (kind === "array") expect(line).toMatch(/^\[\[/);
        else {
          const written = text.slice(value?.start, value?.end);
          expect(() => toml.read(`a = ${written}`, "f")).not.toThrow();
        }
      }
    }),
    { numRuns: 500 },
  );
});

it("changes nothing else in any file, and removal restores it", () => {
  fc.assert(
    fc.property(tomlText, (text) => {
      const before = toml.read(text, "f") as { hooks?: { Stop?: unknown[] }; mcp_servers?: object };
      const withServer = toml.set(text, ["mcp_servers", "waymark"], server);
      const after = toml.append(withServer, ["hooks", "Stop"], group);
      const count = before.hooks?.Stop?.length ?? 0;
      expect(toml.read(after, "f")).toEqual({
        ...before,
        mcp_servers: { ...before.mcp_servers, waymark: server },
        hooks: { ...before.hooks, Stop: [...(before.hooks?.Stop ?? []), group] },
      });
      const back = toml.unset(toml.drop(after, ["hooks", "Stop"], count), [
        "mcp_servers",
        "waymark",
      ]);
      expect(toml.read(back, "f")).toEqual(before);
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const whole = text === "" || text.endsWith("\n") ? text : `${text}${eol}`;
      expect(back).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ListForm } from "../../src/cli/print/list-form.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const S = ["--session", "s"];

const CHECKLIST = `# Now

- [x] Read
  > all of it
- [/] Write <!-- {"activeText":"Writing"} -->

# Later

- [!] Test
- [-] Dream
`;

function importing(input: string, ...args: string[]) {
  return machine.run(["todo", "import", "-", ...S, ...args], { input });
}

function exported(): string {
  return machine.run(["todo", "export", ...S]).stdout;
}

describe("import and export", () => {
  test("round-trip byte for byte", () => {
    expect(importing(CHECKLIST)).toEqual({
      status: 0,
      stdout: "Added 1, 2, 3, 4; 1 of 3 completed; now 2 Write\n",
      stderr: "",
    });
    expect(exported()).toBe(CHECKLIST);
  });

  test("names refused entries by their line", () => {
    const long = "x".repeat(501);
    const { status, stderr } = importing(`# Now\n\n- [ ] Read\n\n- [ ] ${long}\n`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        "waymark: Line 5: text has 501 characters; the limit is 500. Shorten it.\nNothing was changed.\n",
    });
  });

  test("does not empty the list for a file without a checklist", () => {
    importing(CHECKLIST);
    for (const input of ["", "words only\n", '{ "name": "x" }\n']) {
      const { status, stderr } = importing(input);
      expect({ status, isReported: stderr.includes("has no todos") }).toEqual({
        status: 1,
        isReported: true,
      });
    }
    expect(importing("- [ ]Test\n")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Line 1: no space between the marker and the text"),
    });
    expect(exported()).toBe(CHECKLIST);
  });

  test("accepts numbered items, and parses a long hostile line in bounded time", () => {
    expect(importing("1. [ ] Cut\n2) [x] Sew\n").status).toBe(0);
    expect(exported()).toBe("- [ ] Cut\n- [x] Sew\n");
    const begun = performance.now();
    expect(importing(`- [ ] ${"<!-- {".repeat(15_000)}\n`).status).toBe(1);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("replaces the list, and known todos keep their ids", () => {
    importing(CHECKLIST);
    writeFileSync(join(machine.cwd, "list.md"), "words\n\n- [ ] Test\n- [/] Write\n");
    const ran = machine.run(["todo", "import", "list.md", ...S]);
    expect(ran).toMatchObject({
      status: 0,
      stderr: "Ignored 1 line that is not part of a checklist.\n",
    });
    const { todos, version } = machine.json(["todos", ...S]) as ListForm;
    expect(version).toBe(2);
    expect(todos.map(({ id, text, phase, notes }) => ({ id, text, phase, notes }))).toEqual([
      { id: "3", text: "Test" },
      { id: "2", text: "Write" },
    ]);
  });

  test("keeps the first todo in progress; --promote starts one if there is none", () => {
    importing("- [/] A\n- [/] B\n");
    expect(exported()).toBe("- [/] A\n- [ ] B\n");
    importing("- [ ] A\n- [ ] B\n");
    expect(exported()).toBe("- [ ] A\n- [ ] B\n");
    importing("- [ ] A\n- [ ] B\n", "--promote");
    expect(exported()).toBe("- [/] A\n- [ ] B\n");
  });

  test("normalizes a list of the op tool: starts the first pending todo", () => {
    const init = { op: "init", list: [{ phase: "Build", items: ["A", "B"] }] };
    expect(machine.tool("todo_write", { ops: [init] }, ...S).status).toBe(0);
    importing("# Build\n\n- [x] A\n- [ ] B\n- [ ] C\n");
    expect(exported()).toBe("# Build\n\n- [x] A\n- [/] B\n- [ ] C\n");
  });

  test("does not normalize a list of Qwen Code's tool of the same name", () => {
    const todos = [{ id: "1", content: "A", status: "pending" }];
    expect(machine.tool("todo_write", { todos }, ...S).status).toBe(0);
    importing("- [ ] A\n- [ ] B\n");
    expect(exported()).not.toContain("[/]");
  });

  test("refuses a file that is not UTF-8", () => {
    writeFileSync(join(machine.cwd, "x.md"), Buffer.from([0x2d, 0xff]));
    expect(machine.run(["todo", "import", "x.md", ...S])).toEqual({
      status: 1,
      stdout: "",
      stderr: "waymark: x.md is not UTF-8 text. Save it as UTF-8. Nothing was changed.\n",
    });
  });
});

describe("edit (the editor is a shell script)", needs(NOT_ON_WINDOWS), () => {
  function editing(script: string, ...args: string[]) {
    const editor = join(machine.root, "my editor");
    writeFileSync(editor, `#!/bin/sh\nfile="$2"\n${script}\n`);
    chmodSync(editor, 0o755);
    return machine.run(["todo", "edit", ...S, ...args], {
      env: { EDITOR: `"${editor}" --wait`, TMPDIR: machine.root },
    });
  }

  function keptFile(stderr: string): string {
    const [, file = ""] =
      /Your changes are in (.*?)\. Apply them with `waymark todo import /.exec(stderr) ?? [];
    return file;
  }

  test("applies what was saved", () => {
    importing(CHECKLIST);
    const ran = editing(`sed -i 's/\\[!\\] Test/[ ] Test twice/' "$file"`);
    expect(ran).toEqual({
      status: 0,
      stdout: "1 of 3 completed; now 2 Write; next 3 Test twice\n",
      stderr: "",
    });
    expect(exported()).toBe(CHECKLIST.replace("[!] Test", "[ ] Test twice"));
    expect(machine.bash("ls -d ../waymark-*").stdout).toBe("");
  });

  test("starts the first pending todo of a list of the op tool", () => {
    const init = { op: "init", list: [{ phase: "Build", items: ["A", "B"] }] };
    machine.tool("todo_write", { ops: [init] }, ...S);
    expect(editing(`sed -i 's/\\[\\/\\] A/[x] A/' "$file"`).status).toBe(0);
    expect(exported()).toBe("# Build\n\n- [x] A\n- [/] B\n");
  });

  test("changes nothing if the file is unchanged or empty, or the editor fails", () => {
    importing(CHECKLIST);
    expect(editing(":")).toEqual({ status: 0, stdout: "", stderr: "Nothing was changed.\n" });
    expect(editing(': > "$file"').stderr).toBe("Nothing was changed.\n");
    expect(editing("exit 1")).toEqual({
      status: 1,
      stdout: "",
      stderr: "waymark: The editor failed, so nothing was changed.\n",
    });
    expect(machine.json(["todos", ...S])).toMatchObject({ version: 1 });
    expect(machine.bash("ls -d ../waymark-*").stdout).toBe("");
  });

  test("names mistakes by their lines and keeps the file", () => {
    importing(CHECKLIST);
    const { status, stderr } = editing(`printf -- '- [?] Odd\\n' >> "$file"`);
    expect(status).toBe(1);
    expect(stderr).toContain("waymark: Line 13: unknown marker [?]");
    const kept = readFileSync(keptFile(stderr), "utf8");
    expect(kept.split("\n")[12]).toBe("- [?] Odd");
    expect(exported()).toBe(CHECKLIST);
  });

  test("does not overwrite a list that changed in the meantime", () => {
    importing(CHECKLIST);
    const { status, stderr } = editing(
      `waymark todo add Meanwhile --session s && printf -- '- [ ] Mine\\n' >> "$file"`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain("The list has changed since you read it");
    expect(existsSync(keptFile(stderr))).toBe(true);
    expect(exported()).toContain("Meanwhile");
    expect(exported()).not.toContain("Mine");
  });

  test("starts a new list", () => {
    expect(editing(`printf -- '- [ ] First\\n' >> "$file"`).status).toBe(0);
    expect(exported()).toBe("- [ ] First\n");
  });

  test("reports a missing editor", () => {
    const { status, stderr } = machine.run(["todo", "edit", ...S], {
      env: { EDITOR: "no-such-editor", TMPDIR: machine.root },
    });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^waymark: Cannot start the editor "no-such-editor": .*\n$/);
  });
});

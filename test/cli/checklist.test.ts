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
  test("round trip, byte for byte", () => {
    expect(importing(CHECKLIST)).toEqual({
      status: 0,
      stdout: "added 1, 2, 3, 4; 1 of 3 completed; now 2 Write\n",
      stderr: "",
    });
    expect(exported()).toBe(CHECKLIST);
  });

  test("what is refused is named by its line", () => {
    const long = "x".repeat(501);
    const { status, stderr } = importing(`# Now\n\n- [ ] Read\n\n- [ ] ${long}\n`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        "waymark: Line 5: text has 501 characters; at most 500 are allowed.\nNothing was changed.\n",
    });
  });

  test("what is no checklist does not empty the list", () => {
    importing(CHECKLIST);
    for (const input of ["", "words only\n", '{ "name": "x" }\n']) {
      const { status, stderr } = importing(input);
      expect({ status, said: stderr.includes("has no todos") }).toEqual({ status: 1, said: true });
    }
    expect(importing("- [ ]Test\n")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Line 1: no space between the marker and the text"),
    });
    expect(exported()).toBe(CHECKLIST);
  });

  test("numbered items are items, and a long hostile line is no trap", () => {
    expect(importing("1. [ ] Cut\n2) [x] Sew\n").status).toBe(0);
    expect(exported()).toBe("- [ ] Cut\n- [x] Sew\n");
    const begun = performance.now();
    expect(importing(`- [ ] ${"<!-- {".repeat(15_000)}\n`).status).toBe(1);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("the file is the whole truth, and known todos keep their ids", () => {
    importing(CHECKLIST);
    writeFileSync(join(machine.cwd, "list.md"), "words\n\n- [ ] Test\n- [/] Write\n");
    const ran = machine.run(["todo", "import", "list.md", ...S]);
    expect(ran).toMatchObject({
      status: 0,
      stderr: "1 line is no part of a list and left out.\n",
    });
    const { todos, version } = machine.json(["todos", ...S]) as ListForm;
    expect(version).toBe(2);
    expect(todos.map(({ id, text, phase, notes }) => ({ id, text, phase, notes }))).toEqual([
      { id: "3", text: "Test" },
      { id: "2", text: "Write" },
    ]);
  });

  test("one focus: the first stays; --promote starts one where there is none", () => {
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

  test("leaves a list of Qwen Code's tool of the same name as it is written", () => {
    const todos = [{ id: "1", content: "A", status: "pending" }];
    expect(machine.tool("todo_write", { todos }, ...S).status).toBe(0);
    importing("- [ ] A\n- [ ] B\n");
    expect(exported()).not.toContain("[/]");
  });

  test("what is not UTF-8 is refused", () => {
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
      /What you wrote is in (.*); waymark todo import reads it/.exec(stderr) ?? [];
    return file;
  }

  test("what was saved is the list", () => {
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

  test("nothing saved, all deleted, or a failed editor: nothing changes", () => {
    importing(CHECKLIST);
    expect(editing(":")).toEqual({ status: 0, stdout: "", stderr: "Nothing was changed.\n" });
    expect(editing(': > "$file"').stderr).toBe("Nothing was changed.\n");
    expect(editing("exit 1")).toEqual({
      status: 1,
      stdout: "",
      stderr: "waymark: The editor failed: nothing was changed.\n",
    });
    expect(machine.json(["todos", ...S])).toMatchObject({ version: 1 });
    expect(machine.bash("ls -d ../waymark-*").stdout).toBe("");
  });

  test("mistakes are named with their lines, and the file is kept", () => {
    importing(CHECKLIST);
    const { status, stderr } = editing(`printf -- '- [?] Odd\\n' >> "$file"`);
    expect(status).toBe(1);
    expect(stderr).toContain("waymark: Line 13: unknown marker [?]");
    const kept = readFileSync(keptFile(stderr), "utf8");
    expect(kept.split("\n")[12]).toBe("- [?] Odd");
    expect(exported()).toBe(CHECKLIST);
  });

  test("a list that changed meanwhile is not written over", () => {
    importing(CHECKLIST);
    const { status, stderr } = editing(
      `waymark todo add Meanwhile --session s && printf -- '- [ ] Mine\\n' >> "$file"`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain("The list was changed in the meantime");
    expect(existsSync(keptFile(stderr))).toBe(true);
    expect(exported()).toContain("Meanwhile");
    expect(exported()).not.toContain("Mine");
  });

  test("a new list can begin in the editor", () => {
    expect(editing(`printf -- '- [ ] First\\n' >> "$file"`).status).toBe(0);
    expect(exported()).toBe("- [ ] First\n");
  });

  test("an editor that is not there", () => {
    const { status, stderr } = machine.run(["todo", "edit", ...S], {
      env: { EDITOR: "no-such-editor", TMPDIR: machine.root },
    });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^waymark: The editor "no-such-editor" does not start .*\n$/);
  });
});

import { NoAnswer } from "../../core/error.ts";
import { viewOf } from "../../core/views/view.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import type { TextStyle } from "../../surfaces/text/index.ts";
import { oneOf } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { readMoment } from "../args/moment.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { CLEAR_DELAY_OPTION } from "../options/clear-delay.ts";
import { listToRead, READ_OPTIONS } from "../options/which-track.ts";
import { listForm } from "../print/list-form.ts";

const STYLES = ["waymark", "boxed", "tree", "plan", "checkbox"] as const satisfies TextStyle[];

export const todos = defineCommand({
  arguments: [],
  options: {
    ...READ_OPTIONS,
    style: {
      type: "string",
      value: "NAME",
      summary: `How it is drawn: ${STYLES.join(", ")}`,
      words: STYLES,
    },
    at: {
      type: "string",
      value: "TIME",
      summary: "The list as it was then: an ISO time, the last HH:MM, or 10m ago (s, m, h, d)",
    },
    all: {
      type: "boolean",
      summary: "Whole notes, every row, and todos that have left the display",
    },
    "clear-delay": CLEAR_DELAY_OPTION,
    json: { type: "boolean", summary: "Print JSON" },
  },
  examples: [
    { command: "waymark todos", says: "The newest list of this directory" },
    { command: "waymark todos --session demo --style tree", says: "One list, by its phases" },
    { command: "waymark todos --session demo --at 1s --json", says: "As it was a second ago" },
  ],
  async run(call) {
    const { values, terminal } = call;
    const style = oneOf("--style", values.style ?? STYLES[0], STYLES);
    const now = Date.now();
    const at = values.at === undefined ? undefined : readMoment(values.at, now);
    const list = await listToRead(call, {
      onlyNow: at === undefined,
      ofCaller: true,
      saysChoice: true,
    });
    const track = await (at === undefined ? list.read() : list.at(at));
    if (values.json) {
      terminal.printJson(listForm(track));
      return EXIT.fine;
    }
    if (track.version === 0) {
      const when = values.at === undefined ? "" : ` at ${values.at}`;
      throw new NoAnswer(
        `Session ${list.id.session} has no list of agent ${list.id.agent}${when}. waymark ls shows which there are.`,
      );
    }
    // Imported late: for a program that reads JSON, nothing is drawn.
    const { renderList } = await import("../../surfaces/text/index.ts");
    const drawn = at ?? now;
    const { all = false } = values;
    const delay = clearDelayOf(call.env, values["clear-delay"]);
    const view = viewOf(track, drawn, delay);
    terminal.print(renderList(view, { ...textOptions(terminal, drawn), style, all }));
    return EXIT.fine;
  },
});

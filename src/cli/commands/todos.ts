import { CommandError } from "../../core/error.ts";
import { viewOf } from "../../core/views/view.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import type { TextStyle } from "../../surfaces/text/index.ts";
import { parseChoice } from "../args/arguments.ts";
import { defineCommand, JSON_OPTION } from "../args/command.ts";
import { parseTime } from "../args/time.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { CLEAR_DELAY_OPTION } from "../options/clear-delay.ts";
import { listToRead, READ_OPTIONS } from "../options/track-selection.ts";
import { listForm } from "../print/list-form.ts";

const STYLES = ["waymark", "boxed", "tree", "plan", "checkbox"] as const satisfies TextStyle[];

export const todos = defineCommand({
  arguments: [],
  options: {
    ...READ_OPTIONS,
    style: {
      type: "string",
      value: "NAME",
      summary: `Style: ${STYLES.join(", ")}`,
      default: "waymark",
      completions: STYLES,
    },
    at: {
      type: "string",
      value: "TIME",
      summary: "Show the list as it was: ISO 8601, HH:MM, or a duration ago such as 10m",
      default: "now",
      perCall: true,
    },
    all: {
      type: "boolean",
      summary: "Show all rows, full notes and hidden todos",
    },
    "clear-delay": CLEAR_DELAY_OPTION,
    json: JSON_OPTION,
  },
  examples: [
    { command: "waymark todos", comment: "Show the newest list in this directory" },
    { command: "waymark todos --session demo --style tree", comment: "Show a list by phases" },
    {
      command: "waymark todos --session demo --at 1s --json",
      comment: "Print the list as it was a second ago",
    },
  ],
  seeAlso: ["show", "history", "todo add"],
  async run(call) {
    const { values, terminal } = call;
    const style = parseChoice("--style", values.style ?? STYLES[0], STYLES);
    const now = Date.now();
    const at = values.at === undefined ? undefined : parseTime(values.at, now);
    const list = await listToRead(call, {
      onlyNow: at === undefined,
      prefersCaller: true,
      explainsChoice: true,
    });
    const track = await (at === undefined ? list.read() : list.at(at));
    if (values.json) {
      terminal.printJson(listForm(track));
      return EXIT.success;
    }
    if (track.version === 0) {
      const when = values.at === undefined ? "" : ` at ${values.at}`;
      throw new CommandError(
        `Session ${list.id.session} has no list of agent ${list.id.agent}${when}. \`waymark ls --all\` lists all sessions.`,
      );
    }
    // Imported on demand: JSON output does not need it.
    const { renderList } = await import("../../surfaces/text/index.ts");
    const drawn = at ?? now;
    const { all = false } = values;
    const delay = clearDelayOf(call.env, values["clear-delay"]);
    const view = viewOf(track, drawn, delay);
    terminal.print(renderList(view, { ...textOptions(terminal, drawn), style, all }));
    return EXIT.success;
  },
});

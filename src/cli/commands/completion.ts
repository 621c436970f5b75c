import { UsageError } from "../../core/error.ts";
import { currentDirectory } from "../../home/directory.ts";
import { oneOf } from "../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { ASKED, everyPlace } from "../completion/shape.ts";
import { EXIT } from "../io/exit.ts";
import { namedTrack, TRACK_OPTIONS } from "../options/which-track.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

const options = {
  words: {
    type: "string",
    value: "KIND",
    summary: `What the scripts ask for: ${ASKED.join(", ")}`,
    words: ASKED,
  },
  ...TRACK_OPTIONS,
} as const satisfies Options;

export const completion = defineCommand({
  usage: [SHELLS.join("|"), "--words KIND [--session ID] [--agent ID]"],
  arguments: [
    { name: "SHELL", summary: `your shell: ${SHELLS.join(", ")}`, optional: true, words: SHELLS },
  ],
  options,
  examples: [
    { command: 'eval "$(waymark completion bash)"', says: "For this shell; put it into ~/.bashrc" },
    { command: "waymark completion fish > waymark.fish", says: "Into a file" },
  ],
  async run(call) {
    const { args, values, terminal } = call;
    if (values.words !== undefined) {
      const words = await wordsOf(oneOf("--words", values.words, ASKED), call);
      if (words.length > 0) terminal.printText(words.join("\n"));
      return EXIT.fine;
    }
    if (args[0] === undefined) throw new UsageError(`SHELL is missing: ${SHELLS.join(", ")}.`);
    const shell = oneOf("SHELL", args[0], SHELLS);
    const places = await everyPlace();
    switch (shell) {
      case "bash":
        terminal.print((await import("../completion/bash.ts")).bashScript(places));
        return EXIT.fine;
      case "zsh":
        terminal.print((await import("../completion/zsh.ts")).zshScript(places));
        return EXIT.fine;
      case "fish":
        terminal.print((await import("../completion/fish.ts")).fishScript(places));
        return EXIT.fine;
    }
  },
});

const NEWEST = 50;

/** Nothing belongs to a directory that is gone. */
const here = () => ({ cwd: currentDirectory() ?? "" });

async function wordsOf(
  kind: (typeof ASKED)[number],
  { values, home }: Call<typeof options>,
): Promise<string[]> {
  const named = namedTrack(values);
  const tracker = await home.reading();
  switch (kind) {
    case "sessions": {
      const { knownSessions } = await import("../../sessions/listing/known.ts");
      return [...(await knownSessions(home, NEWEST))];
    }
    case "agents": {
      const where = named ? { session: named.session } : here();
      return [...new Set((await tracker.tracks(where)).map((track) => track.agent))];
    }
    case "todos": {
      const [track] = named ? [named] : await tracker.tracks({ ...here(), limit: 1 });
      return track ? (await tracker.list(track).get()).map((todo) => todo.id) : [];
    }
    case "tasks": {
      const tasks = await home.tasks("reading");
      const found = [
        ...(await tasks.list({ status: "claimed", limit: NEWEST })),
        ...(await tasks.ready({ limit: NEWEST })),
      ];
      return found.map(({ id }) => id);
    }
  }
}

import { UsageError } from "../../core/error.ts";
import { currentDirectory } from "../../home/current-directory.ts";
import { parseChoice } from "../args/arguments.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { completionPoints, DYNAMIC_KINDS } from "../completion/points.ts";
import { EXIT } from "../io/exit.ts";
import { namedTrack, TRACK_OPTIONS } from "../options/track-selection.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

const options = {
  words: {
    type: "string",
    value: "KIND",
    summary: `Print candidates for the scripts: ${DYNAMIC_KINDS.join(", ")}`,
    completions: DYNAMIC_KINDS,
    perCall: true,
  },
  ...TRACK_OPTIONS,
} as const satisfies Options;

export const completion = defineCommand({
  usage: ["SHELL", "--words KIND [--session ID] [--agent ID]"],
  arguments: [
    {
      name: "SHELL",
      summary: `Shell: ${SHELLS.join(", ")}`,
      optional: true,
      completions: SHELLS,
    },
  ],
  options,
  toleratesBrokenFiles: true,
  examples: [
    {
      command: 'eval "$(waymark completion bash)"',
      comment: "Enable completion in bash; add this line to ~/.bashrc",
    },
    { command: "waymark completion fish > waymark.fish", comment: "Write the script to a file" },
  ],
  async run(call) {
    const { args, values, terminal } = call;
    if (values.words !== undefined) {
      const words = await wordsOf(parseChoice("--words", values.words, DYNAMIC_KINDS), call);
      if (words.length > 0) terminal.printText(words.join("\n"));
      return EXIT.success;
    }
    if (args[0] === undefined)
      throw new UsageError(`Missing SHELL. Use one of: ${SHELLS.join(", ")}.`);
    const shell = parseChoice("SHELL", args[0], SHELLS);
    const points = await completionPoints();
    switch (shell) {
      case "bash":
        terminal.print((await import("../completion/bash.ts")).bashScript(points));
        return EXIT.success;
      case "zsh":
        terminal.print((await import("../completion/zsh.ts")).zshScript(points));
        return EXIT.success;
      case "fish":
        terminal.print((await import("../completion/fish.ts")).fishScript(points));
        return EXIT.success;
    }
  },
});

const NEWEST = 50;

/** No list belongs to a removed directory. */
const here = () => ({ cwd: currentDirectory() ?? "" });

async function wordsOf(
  kind: (typeof DYNAMIC_KINDS)[number],
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

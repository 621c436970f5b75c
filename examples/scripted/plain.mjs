import { ANSWERS } from "./script.mjs";

let turn = 0;

/** Replaces a model call: takes messages and tools, returns a text, calls, or both. */
export async function askModel(messages, tools) {
  if (messages.length === 0 || tools.length === 0) throw new Error("Nothing to answer.");
  return ANSWERS[turn++] ?? { text: "The script has ended." };
}

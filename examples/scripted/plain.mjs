import { ANSWERS } from "./script.mjs";

let turn = 0;

/** Stands for the call of a model: takes messages and tools, gives a text, calls, or both. */
export async function askModel(messages, tools) {
  if (messages.length === 0 || tools.length === 0) throw new Error("Nothing to answer.");
  return ANSWERS[turn++] ?? { text: "The script has ended." };
}

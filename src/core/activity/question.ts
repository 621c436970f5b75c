import { oneLine } from "../text/escape.ts";

/** Names of tools that ask the user a question and return the answer. */
const QUESTION_TOOLS: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "AskQuestion",
  "request_user_input",
  "ask_user",
  "ask_user_question",
  "ask_question",
  "question",
  "ask",
  "ask_followup_question",
]);

const MAX_QUESTION = 200;

/** The text of the question that a call asks the user; undefined for every other call. */
export function questionOf(tool: string, input: unknown): string | undefined {
  if (!QUESTION_TOOLS.has(tool)) return undefined;
  const given = fieldsOf(input);
  const asked = Array.isArray(given.questions)
    ? given.questions.map((each) => fieldsOf(each).question ?? each)
    : [given.question ?? given.message ?? given.prompt];
  const texts = asked.filter((each) => typeof each === "string" && each.trim() !== "");
  // The names are common words: without a question, it is some other tool.
  if (texts.length === 0) return undefined;
  const [first] = texts as string[];
  const more = texts.length > 1 ? ` (+${texts.length - 1} more)` : "";
  return oneLine((first ?? "").slice(0, MAX_QUESTION * 4)).slice(0, MAX_QUESTION) + more;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

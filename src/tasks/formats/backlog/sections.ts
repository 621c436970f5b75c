/**
 * The text of a task below its front matter. Backlog.md keeps it in sections with a heading and
 * comments that mark begin and end; the description of a task has the same sections as Markdown.
 */
interface Section {
  readonly name: string;
  readonly title: string;
  readonly mark: string;
  /** Whether Backlog.md leaves a line between the heading and the text. */
  readonly isSpaced: boolean;
}

/** In the order of Backlog.md. */
const SECTIONS = [
  { name: "description", title: "Description", mark: "SECTION:DESCRIPTION", isSpaced: true },
  { name: "criteria", title: "Acceptance Criteria", mark: "AC", isSpaced: false },
  { name: "definition", title: "Definition of Done", mark: "DOD", isSpaced: false },
  { name: "plan", title: "Implementation Plan", mark: "SECTION:PLAN", isSpaced: true },
  { name: "notes", title: "Implementation Notes", mark: "SECTION:NOTES", isSpaced: true },
  { name: "comments", title: "Comments", mark: "COMMENTS", isSpaced: false },
  { name: "summary", title: "Final Summary", mark: "SECTION:FINAL_SUMMARY", isSpaced: true },
] as const satisfies readonly Section[];

export type SectionName = (typeof SECTIONS)[number]["name"];
/** Texts by section; empty ones are left out. */
export type Sections = Readonly<Partial<Record<SectionName, string>>>;

export const SECTION_NAMES: readonly SectionName[] = SECTIONS.map(({ name }) => name);

const TITLES = SECTIONS.map(({ title }) => title).join("|");
const HEADING = new RegExp(`^## +(${TITLES})[ \\t]*(?=\\r?$)`, "gim");
const MARKS = /^[ \t]*<!--\s*(?:SECTION:[A-Z_]+|AC|DOD|COMMENTS?):(?:BEGIN|END)\s*-->[ \t]*\n?/gm;
const CONFLICT = /^(?=<{7}(?: |$)|={7}$|>{7}(?: |$))/gm;

const named = (title: string): SectionName =>
  SECTIONS.find((each) => each.title.toLowerCase() === title.toLowerCase())?.name ?? "description";

/**
 * The text of a section as both sides hold it. Lines that would end the section, or look like a
 * conflict of git, are indented by a space.
 */
export function sectionText(given: string): string {
  return given
    .replace(/\r\n?/g, "\n")
    .replace(MARKS, "")
    .replace(HEADING, " $&")
    .replace(CONFLICT, " ")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

/** Splits the description of a task into sections. */
export function splitSections(description: string): Sections {
  const text = description.replace(/\r\n?/g, "\n");
  const found: Partial<Record<SectionName, string>> = {};
  let name: SectionName = "description";
  let from = 0;
  const keep = (to: number) => {
    const part = sectionText(text.slice(from, to));
    if (part !== "") found[name] = part;
  };
  const seen = new Set<SectionName>();
  for (const heading of text.matchAll(HEADING)) {
    const next = named(heading[1] ?? "");
    const isFirst = text.slice(0, heading.index).trim() === "";
    if (seen.has(next) || (next === "description" && !isFirst)) continue;
    keep(heading.index);
    seen.add(next);
    name = next;
    from = heading.index + heading[0].length;
  }
  keep(text.length);
  return found;
}

/** Joins sections to the description of a task; undefined without text. */
export function joinSections(sections: Sections): string | undefined {
  const parts = SECTIONS.flatMap(({ name, title, isSpaced }) => {
    const text = sections[name] ?? "";
    if (text === "") return [];
    return name === "description" ? [text] : [`## ${title}\n${isSpaced ? "\n" : ""}${text}`];
  });
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** Position of a section in the body of a file. */
interface Region {
  readonly name: SectionName;
  /** Begin of the heading. */
  readonly start: number;
  /** Begin and end of the text. */
  readonly from: number;
  readonly to: number;
  /** End of the section, with its mark. */
  readonly end: number;
}

function regionsOf(body: string): readonly Region[] {
  const regions: Region[] = [];
  let past = 0;
  for (const heading of body.matchAll(HEADING)) {
    const name = named(heading[1] ?? "");
    if (heading.index < past || regions.some((each) => each.name === name)) continue;
    const begin = heading.index + heading[0].length;
    const region = markedRegion(body, name, begin) ?? openRegion(body, begin);
    regions.push({ name, start: heading.index, ...region });
    past = region.end;
  }
  if (regions.some(({ name }) => name === "description")) return regions;
  // Without the heading, the text before the first section is the description.
  const intro = trimmed(body, 0, regions[0]?.start ?? body.length);
  return intro.from < intro.to
    ? [{ name: "description", start: intro.from, ...intro }, ...regions]
    : regions;
}

type Span = Pick<Region, "from" | "to" | "end">;

function markedRegion(body: string, name: SectionName, begin: number): Span | undefined {
  const { mark } = SECTIONS.find((each) => each.name === name) ?? SECTIONS[0];
  const open = new RegExp(`^\\s*<!--\\s*${mark}:BEGIN\\s*-->[ \\t]*\\r?\\n?`).exec(
    body.slice(begin),
  );
  if (!open) return undefined;
  const from = begin + open[0].length;
  const close = new RegExp(`\\r?\\n?[ \\t]*<!--\\s*${mark}:END\\s*-->`).exec(body.slice(from));
  if (!close) return undefined;
  const to = from + close.index;
  return { from, to, end: to + close[0].length };
}

function openRegion(body: string, begin: number): Span {
  const [next] = body.slice(begin).matchAll(HEADING);
  return trimmed(body, begin, next ? begin + next.index : body.length);
}

/** Without the empty lines around the text. */
function trimmed(body: string, begin: number, limit: number): Span {
  const text = body.slice(begin, limit);
  const to = begin + text.trimEnd().length;
  const lead = /^(?:[ \t]*\r?\n)*/.exec(text)?.[0].length ?? 0;
  return { from: Math.min(begin + lead, to), to, end: to };
}

/** The sections of the body of a file. Other text stays in the file only. */
export function readSections(body: string): Sections {
  const entries = regionsOf(body).map(
    ({ name, from, to }) => [name, sectionText(body.slice(from, to))] as const,
  );
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}

/** The body with these sections; an empty text empties a section. All other text stays as it is. */
export function writeSections(body: string, wanted: Sections, eol: string): string {
  let text = body;
  for (const section of SECTIONS) {
    const next = wanted[section.name];
    if (next === undefined || next === (readSections(text)[section.name] ?? "")) continue;
    const region = regionsOf(text).find(({ name }) => name === section.name);
    const inside = next.replaceAll("\n", eol);
    text = region ? replaceIn(text, region, inside, eol) : insertIn(text, section, inside, eol);
  }
  return text;
}

function replaceIn(body: string, { from, to }: Region, text: string, eol: string): string {
  const before = body.slice(0, from);
  const after = body.slice(to);
  if (text === "") return before + after;
  const lead = before === "" || before.endsWith("\n") ? "" : `${eol}${eol}`;
  const trail = after === "" || /^\r?\n/.test(after) ? "" : eol;
  return `${before}${lead}${text}${trail}${after}`;
}

function insertIn(body: string, section: Section, text: string, eol: string): string {
  const { title, mark, isSpaced, name } = section;
  const lines = [
    `## ${title}`,
    ...(isSpaced ? [""] : []),
    `<!-- ${mark}:BEGIN -->`,
    text,
    `<!-- ${mark}:END -->`,
  ];
  const block = lines.join(eol);
  const before = SECTION_NAMES.slice(0, SECTION_NAMES.indexOf(name as SectionName));
  const last = regionsOf(body)
    .filter((each) => before.includes(each.name))
    .at(-1);
  if (last && last.end > 0) {
    const rest = body.slice(last.end);
    return `${body.slice(0, last.end)}${eol}${eol}${block}${rest === "" ? eol : rest}`;
  }
  const isBlank = body.trim() === "";
  return `${eol}${block}${eol}${isBlank ? "" : /^\r?\n/.test(body) ? body : `${eol}${body}`}`;
}

// The results of a complete run, as a page and as pictures.
import { chartText, drawChart } from "./charts.mjs";
import { tableText } from "./measure.mjs";

const PICTURES = "../docs/pictures";

/** `found` is the machine and the sections of one run; charts are those of `chartsOf`. */
export function resultsText({ date, node, processor, load, minutes, remarks, sections }, charts) {
  const head = [
    "# Results",
    "Written by `npm run bench -- --save`; the files beside this one show what is measured and how.",
    `${date}, Node ${node}, ${processor}, load ${load.before} before and ${load.after} after, ${minutes} min. Ratios come from one run and can be compared; times belong to this machine.`,
    ...remarks,
  ];
  const pictures = charts.map(
    (chart) => `![${chart.title}. ${chartText(chart)}](${PICTURES}/${chart.file})`,
  );
  return `${[...head, ...pictures, ...sections.flatMap(sectionText)].join("\n\n")}\n`;
}

function sectionText({ name, load, failure, shown }) {
  return [
    `## ${name}`,
    `Load ${load.before} before, ${load.after} after.`,
    ...shown.map(({ title, note, rows }) => (title ? `### ${title}` : (note ?? tableText(rows)))),
    ...(failure === undefined ? [] : [`It did not come to its end: ${failure}`]),
  ];
}

/** The pictures that this run has figures for. */
export function chartsOf(sections) {
  const rowsOf = (section, isWanted) =>
    tablesOf(sections, section).find(({ title, rows }) => isWanted(title, rows))?.rows ?? [];
  const start = rowsOf("peers", (title) => title === "Start");
  const servers = rowsOf("peers", (title) => title === "MCP server");
  const creates = rowsOf("peers", (title) => title?.includes("at once"));
  const queues = rowsOf("tasks", (_, rows) => rows.some(({ what }) => isQueue(what)));
  return [
    {
      file: "bench-creates.svg",
      title: "200 tasks added by 8 agents at once",
      panels: [
        {
          heading: "Acknowledged tasks that a new reader finds",
          rows: creates.map(keptRow),
        },
      ],
    },
    {
      file: "bench-start.svg",
      title: "Start of a command, to an empty Node program",
      panels: [
        { heading: "--version", rows: bars(start, "tool", "--version") },
        { heading: "A list of 100 tasks", rows: bars(start, "tool", "list") },
      ],
    },
    {
      file: "bench-mcp.svg",
      title: "MCP server, idle",
      panels: [
        { heading: "Memory", rows: bars(servers, "tool", "idle") },
        {
          heading: "Bytes of tools/list, which the model reads",
          rows: bars(servers, "tool", "bytes of tools/list"),
        },
      ],
    },
    {
      file: "bench-queues.svg",
      title: "Claim and finish on PostgreSQL",
      panels: [
        {
          heading: "Waymark's rate, as a multiple of the queue's",
          rows: bars(
            queues.filter(({ what }) => isQueue(what)),
            "what",
            "ratio",
          ).map((row) => ({ ...row, isOurs: true })),
          mark: 1,
        },
      ],
    },
  ]
    .filter(({ panels }) =>
      panels.every(({ rows }) => rows.some(({ value }) => value !== undefined)),
    )
    .map((chart) => ({ ...chart, svg: drawChart(chart) }));
}

const isQueue = (what = "") => /^\s+to /.test(what);

/** Each table of a section with the title above it. */
function tablesOf(sections, name) {
  let title;
  const tables = [];
  for (const each of sections.find((section) => section.name === name)?.shown ?? []) {
    if (each.title) title = each.title;
    if (each.rows) tables.push({ title, rows: each.rows });
  }
  return tables;
}

function bars(rows, label, column) {
  return rows
    .filter((row) => row[column] !== undefined && row[column] !== "")
    .map((row) => ({
      label: row[label].trim(),
      said: String(row[column]),
      ...measured(row[column]),
      isOurs: row[label].startsWith("waymark"),
    }));
}

function keptRow({ tool, "told ok": received, kept, remark }) {
  if (kept === undefined) return { label: tool, said: String(received), isOurs: false };
  return {
    label: tool,
    value: kept,
    whole: received,
    said: `${kept} of ${received}${remark ? `, ${remark.split(":")[0]}` : ""}`,
    isOurs: tool.startsWith("waymark"),
  };
}

/** Words in place of a figure have no bar. */
function measured(cell) {
  const value = Number.parseFloat(cell);
  return Number.isNaN(value) ? {} : { value };
}

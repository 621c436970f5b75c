// Draws docs/pictures/board.svg: the board while the recorded team works, as a terminal shows it.
// `node scripts/picture.mjs` needs `script` of util-linux and about a minute.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";

const COLUMNS = 92;
const ROWS = 26;
const EVERY = 3_000;
const SHOWN = 1.6;
const CELL = { width: 8.43, height: 19 };
const GROUND = "#16181d";
const INK = "#d7dae0";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
const command = `stty cols ${COLUMNS} rows ${ROWS}; exec "${process.execPath}" "${program}" demo`;
const child = spawn("script", ["-qefc", command, "/dev/null"], {
  stdio: ["pipe", "pipe", "inherit"],
  env: { ...process.env, TERM: "xterm-256color", COLORTERM: "truecolor" },
});
child.stdout.on("data", (chunk) => terminal.write(chunk));

const escaped = (text) =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character],
  );

const STEPS = [0, 95, 135, 175, 215, 255];
const BASIC =
  "#2e3440 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #abb2bf #5c6370 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #ffffff".split(
    " ",
  );

function hex(red, green, blue) {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function indexed(number) {
  if (number < 16) return BASIC[number];
  if (number >= 232) return hex(...Array(3).fill(8 + (number - 232) * 10));
  const index = number - 16;
  return hex(STEPS[Math.floor(index / 36)], STEPS[Math.floor(index / 6) % 6], STEPS[index % 6]);
}

function colorOf(cell, isInk) {
  const [isRgb, isIndexed, value] = isInk
    ? [cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()]
    : [cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()];
  if (isRgb) return hex((value >> 16) & 255, (value >> 8) & 255, value & 255);
  return isIndexed ? indexed(value) : isInk ? INK : undefined;
}

/** One row as SVG: an element for each run of cells with the same look. */
function drawRow(row) {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.baseY + row);
  const runs = [];
  for (let column = 0; line && column < COLUMNS; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const [ink, ground] = cell.isInverse()
      ? [colorOf(cell, false) ?? GROUND, colorOf(cell, true)]
      : [colorOf(cell, true), colorOf(cell, false)];
    const look = `fill="${ink}"${cell.isBold() ? ' font-weight="700"' : ""}${cell.isDim() ? ' opacity=".6"' : ""}`;
    const last = runs.at(-1);
    if (last?.look === look && last.ground === ground) {
      last.text += cell.getChars() || " ";
      last.width += cell.getWidth();
    } else
      runs.push({ column, look, ground, text: cell.getChars() || " ", width: cell.getWidth() });
  }
  return runs
    .map(({ column, look, ground, text, width }) => {
      const x = (column * CELL.width).toFixed(1);
      const wide = (width * CELL.width).toFixed(1);
      const back = ground
        ? `<rect x="${x}" y="0" width="${wide}" height="${CELL.height}" fill="${ground}"/>`
        : "";
      if (text.trim() === "") return back;
      const cut = text.trimEnd();
      const long = ((width - (text.length - cut.length)) * CELL.width).toFixed(1);
      return `${back}<text x="${x}" y="14" ${look} textLength="${long}">${escaped(cut)}</text>`;
    })
    .join("");
}

const drawn = new Map();
const frames = [];
const timer = setInterval(() => {
  const rows = Array.from({ length: ROWS }, (_, row) => drawRow(row)).map((svg) => {
    if (!drawn.has(svg)) drawn.set(svg, `r${drawn.size}`);
    return drawn.get(svg);
  });
  if (rows.join() !== frames.at(-1)?.join()) frames.push(rows);
}, EVERY);
await new Promise((resolve) => setTimeout(resolve, 66_000));
clearInterval(timer);
child.stdin.write("q");
await new Promise((resolve) => child.once("close", resolve));

const [width, height] = [COLUMNS * CELL.width + 32, ROWS * CELL.height + 32];
const whole = frames.length * SHOWN;
const share = (100 / frames.length).toFixed(3);
/** The frame for viewers without motion. */
const still = Math.floor(frames.length / 2);
const blank = [...drawn].find(([svg]) => svg === "")?.[1];
const body = frames.map((rows, index) => {
  const uses = rows
    .map((id, row) => (id === blank ? "" : `<use href="#${id}" y="${row * CELL.height}"/>`))
    .join("");
  // Negative, so that every frame is animated from the start and none shows its static style first.
  const delay = (index * SHOWN - whole).toFixed(1);
  return `<g class="${index === still ? "f still" : "f"}" style="animation-delay:${delay}s">${uses}</g>`;
});
writeFileSync(
  fileURLToPath(new URL("../docs/pictures/board.svg", import.meta.url)),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img" aria-label="The board in a terminal while a team of agents works">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}.f{visibility:hidden;animation:f ${whole.toFixed(1)}s step-end infinite}.still{visibility:visible}@media (prefers-reduced-motion:reduce){.f{animation:none}}@keyframes f{0%{visibility:visible}${share}%{visibility:hidden}}</style>
<defs>${[...drawn]
    .filter(([svg]) => svg !== "")
    .map(([svg, id]) => `<g id="${id}">${svg}</g>`)
    .join("\n")}</defs>
<rect width="100%" height="100%" rx="10" fill="${GROUND}"/>
<g transform="translate(16 16)">
${body.join("\n")}
</g></svg>
`,
);
console.log(`${frames.length} frames, ${drawn.size} different rows`);

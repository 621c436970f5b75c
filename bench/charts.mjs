// Bar charts as SVG with their own background, so that they look the same on light and dark pages.
const WIDTH = 760;
const LABELS = 270;
const LONGEST = 360;
const ROW = 26;
const GROUND = "#16181d";
const INK = "#d7dae0";
const FAINT = "#9aa0ab";
const PALE = "#3a3f4a";
const OURS = "#98c379";
const THEIRS = "#61afef";

const escaped = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign],
  );

/**
 * A row is a label, a text and, if it could be measured, a value; `whole` is the total of the
 * value. A panel's `mark` is a value at which a line is drawn.
 */
export function drawChart({ title, panels }) {
  const parts = [text(24, 34, title, INK, 'font-size="17" font-weight="600"')];
  let y = 52;
  for (const { heading, rows, mark } of panels) {
    parts.push(text(24, y + 17, heading, FAINT));
    y += ROW;
    const most = Math.max(mark ?? 0, ...rows.map(({ value, whole }) => whole ?? value ?? 0));
    const length = (value) => Math.max(2, Math.round((value / most) * LONGEST));
    const top = y;
    for (const { label, value, whole, said: printed, isOurs } of rows) {
      parts.push(text(LABELS - 10, y + 17, label, INK, 'text-anchor="end"'));
      if (whole !== undefined) parts.push(bar(y, length(whole), PALE));
      if (value > 0) parts.push(bar(y, length(value), isOurs ? OURS : THEIRS));
      const end = value === undefined ? 0 : length(whole ?? value) + 8;
      parts.push(text(LABELS + end, y + 17, printed, INK));
      y += ROW;
    }
    if (mark !== undefined) {
      const x = LABELS + length(mark);
      parts.push(
        `<line x1="${x}" x2="${x}" y1="${top}" y2="${y}" stroke="${INK}" stroke-dasharray="3 3"/>`,
      );
    }
    y += 10;
  }
  const height = y + 10;
  const alternative = chartText({ title, panels });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title told" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
<title id="title">${escaped(title)}</title>
<desc id="told">${escaped(alternative)}</desc>
<rect width="${WIDTH}" height="${height}" rx="10" fill="${GROUND}"/>
${parts.join("\n")}
</svg>
`;
}

/** The same as text. */
export function chartText({ panels }) {
  return panels
    .map(({ heading, rows }) => {
      const all = rows.map(({ label, said: printed }) => `${label} ${printed}`).join(", ");
      return `${heading}: ${all}.`;
    })
    .join(" ");
}

function bar(y, width, fill) {
  return `<rect x="${LABELS}" y="${y + 4}" width="${width}" height="${ROW - 8}" rx="3" fill="${fill}"/>`;
}

function text(x, y, words, fill, more = "") {
  return `<text x="${x}" y="${y}" fill="${fill}"${more && ` ${more}`}>${escaped(words)}</text>`;
}

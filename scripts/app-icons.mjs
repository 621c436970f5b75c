// Draws the icons of the installed page as PNG files. Browsers do not install a page that has only an SVG icon.
import { writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

/** The mark of `favicon.svg`, whose coordinates go from 0 to 18: x, y, width, height, opacity. */
const BARS = [
  [3, 1, 5, 16, 1],
  [10, 1, 5, 9, 0.55],
];
const SIZE = 18;
const RADIUS = 1.5;
const INK = [0xb0, 0x4a, 0x22];
const GROUND = [0xf7, 0xf7, 0xf5];
/** Points per pixel and axis that decide how much of the pixel a shape covers. */
const POINTS = 4;

/**
 * Each icon: its file, its pixels, and how much of its width the mark takes. Systems cut maskable icons to a circle of
 * 80 % of the width, so their ground fills the square and the mark is smaller.
 */
const ICONS = [
  { file: "icon-192.png", pixels: 192, share: 0.72, corner: 0.2 },
  { file: "icon-512.png", pixels: 512, share: 0.72, corner: 0.2 },
  { file: "icon-maskable-512.png", pixels: 512, share: 0.54, corner: 0 },
];

export function writeAppIcons(folder) {
  for (const { file, ...icon } of ICONS) writeFileSync(`${folder}/${file}`, drawIcon(icon));
}

/** Whether a point is in a rectangle with round corners. */
function isIn(x, y, left, top, width, height, radius) {
  if (x < left || x > left + width || y < top || y > top + height) return false;
  const dx = Math.max(left + radius - x, x - (left + width - radius), 0);
  const dy = Math.max(top + radius - y, y - (top + height - radius), 0);
  return dx * dx + dy * dy <= radius * radius;
}

function drawIcon({ pixels, share, corner }) {
  const scale = (pixels * share) / SIZE;
  const margin = (pixels - SIZE * scale) / 2;
  /** How much ink covers a point; -1 outside of the ground. */
  const inkAt = (x, y) => {
    if (!isIn(x, y, 0, 0, pixels, pixels, pixels * corner)) return -1;
    for (const [left, top, width, height, opacity] of BARS)
      if (isIn((x - margin) / scale, (y - margin) / scale, left, top, width, height, RADIUS))
        return opacity;
    return 0;
  };
  const stride = 1 + pixels * 4;
  const rows = Buffer.alloc(stride * pixels);
  for (let y = 0; y < pixels; y++)
    for (let x = 0; x < pixels; x++) rows.set(pixelAt(x, y, inkAt), y * stride + 1 + x * 4);
  return png(pixels, rows);
}

/** Red, green, blue and opacity of a pixel: the mean of its points. */
function pixelAt(x, y, inkAt) {
  const corner = inkAt(x, y);
  const isEven =
    inkAt(x + 1, y) === corner && inkAt(x, y + 1) === corner && inkAt(x + 1, y + 1) === corner;
  if (isEven) return corner < 0 ? colorOf(0, 0) : colorOf(corner, 1);
  let [opaque, inked] = [0, 0];
  for (let index = 0; index < POINTS * POINTS; index++) {
    const px = x + ((index % POINTS) + 0.5) / POINTS;
    const ink = inkAt(px, y + (Math.floor(index / POINTS) + 0.5) / POINTS);
    if (ink < 0) continue;
    opaque++;
    inked += ink;
  }
  return colorOf(opaque === 0 ? 0 : inked / opaque, opaque / (POINTS * POINTS));
}

function colorOf(ink, opacity) {
  const channels = GROUND.map((part, at) => Math.round(part + (INK[at] - part) * ink));
  return [...channels, Math.round(opacity * 255)];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CRC_TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, check]);
}

/** Eight bits per channel, with opacity. Each row begins with its filter, here none. */
function png(pixels, rows) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels, 0);
  head.writeUInt32BE(pixels, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

import { describe, expect, test } from "vitest";
import { formatClockSeconds, formatTime, localTime } from "../../src/core/text/clock.ts";
import {
  formatAgo,
  formatDuration,
  formatShortDuration,
  isoDuration,
  spellDuration,
} from "../../src/core/text/duration.ts";

describe("durations", () => {
  const times = [
    -5, 999, 1_000, 48_000, 61_000, 134_000, 300_000, 4_320_000, 86_400_000, 273_600_000,
  ];

  test("formats the two largest units", () => {
    expect(times.map(formatDuration)).toEqual([
      "0s",
      "0s",
      "1s",
      "48s",
      "1m 1s",
      "2m 14s",
      "5m 0s",
      "1h 12m",
      "1d 0h",
      "3d 4h",
    ]);
  });

  test("formats the largest unit", () => {
    expect(times.map(formatShortDuration)).toEqual([
      "0s",
      "0s",
      "1s",
      "48s",
      "1m",
      "2m",
      "5m",
      "1h",
      "1d",
      "3d",
    ]);
  });

  test("spells units for screen readers", () => {
    expect(times.map(spellDuration)).toEqual([
      "0 seconds",
      "0 seconds",
      "1 second",
      "48 seconds",
      "1 minute 1 second",
      "2 minutes 14 seconds",
      "5 minutes",
      "1 hour 12 minutes",
      "1 day",
      "3 days 4 hours",
    ]);
  });

  test("formats ISO 8601 durations", () => {
    expect(times.map(isoDuration)).toEqual([
      "PT0S",
      "PT0S",
      "PT1S",
      "PT48S",
      "PT1M1S",
      "PT2M14S",
      "PT5M0S",
      "PT1H12M",
      "P1DT0H",
      "P3DT4H",
    ]);
  });

  test("formats the time since an event", () => {
    const now = 1_000_000_000;
    const since = [-5_000, 0, 59_999, 60_000, 240_000, 7_200_000, 259_200_000];
    expect(since.map((ms) => formatAgo(now - ms, now))).toEqual([
      "just now",
      "just now",
      "just now",
      "1m ago",
      "4m ago",
      "2h ago",
      "3d ago",
    ]);
  });
});

describe("clock times", () => {
  const now = Date.UTC(2026, 10, 15, 14, 37, 9);

  test("adds the date to times of other days, and the year to times of other years", () => {
    const at = [now, now - 3_600_000, now - 86_400_000, Date.UTC(2025, 0, 2, 3, 4)];
    expect(at.map((each) => formatTime(each, now, "UTC"))).toEqual([
      "14:37",
      "13:37",
      "14 Nov 14:37",
      "2 Jan 2025 03:04",
    ]);
  });

  test("uses the given time zone", () => {
    expect(localTime(now, "Asia/Tokyo")).toEqual({ clock: "23:37", day: "15 Nov 2026" });
    expect(formatTime(now - 4 * 3_600_000, now, "Pacific/Auckland")).toBe("15 Nov 23:37");
  });

  test("adds seconds for logs", () => {
    expect(formatClockSeconds(now, "UTC")).toBe("14:37:09");
  });

  test("returns undefined for numbers that are not times", () => {
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 8.65e15])
      expect([localTime(at), formatTime(at, now), formatClockSeconds(at)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
  });
});

/** What the chart paints on its canvas, recorded instead of painted. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import type uPlot from "uplot";
import type { Timeline } from "../queries.ts";
import {
  type ChartColors,
  drawCut,
  drawLower,
  drawMarks,
  drawSpans,
  lower,
  lowerHeight,
  type StateSpan,
} from "./draw.ts";

const colors: ChartColors = {
  ink: "ink",
  muted: "muted",
  line: "line",
  chart: "chart",
  chartStrong: "chart-strong",
  chartBand: "chart-band",
  bad: "bad",
  badTint: "bad-tint",
  maintenance: "maintenance",
  accent: "accent",
  accentTint: "accent-tint",
  states: { passing: "good", degraded: "fair", failing: "bad", unknown: "none" },
  font: "12px sans-serif",
};

const startSecond = Date.parse("2026-11-16T07:00:00Z") / 1_000;
/** The canvas shows 200 s on 200 pixels from 10 to 210, and 100 pixels from 5 to 105. */
const box = { left: 10, top: 5, width: 200, height: 100 };

interface Painted {
  readonly what: "rect" | "line" | "shape";
  readonly color: string;
  readonly points: readonly (readonly [number, number])[];
  readonly isDashed: boolean;
}

/** Records rectangles as left, top and size, and paths as their points. */
function createPlot(times: readonly number[] = []) {
  const painted: Painted[] = [];
  const kept: object[] = [];
  let points: [number, number][] = [];
  let dash: readonly number[] = [];
  const add = (what: Painted["what"], color: string, list: Painted["points"]) =>
    painted.push({ what, color, points: list, isDashed: dash.length > 0 });
  const ctx = {
    fillStyle: "before",
    strokeStyle: "before",
    lineWidth: 1,
    save: () => kept.push({ fillStyle: ctx.fillStyle, strokeStyle: ctx.strokeStyle }),
    restore: () => Object.assign(ctx, kept.pop()),
    setLineDash: (segments: readonly number[]) => {
      dash = segments;
    },
    beginPath: () => {
      points = [];
    },
    moveTo: (x: number, y: number) => points.push([x, y]),
    lineTo: (x: number, y: number) => points.push([x, y]),
    closePath: () => {},
    stroke: () => add("line", ctx.strokeStyle, points),
    fill: () => add("shape", ctx.fillStyle, points),
    fillRect: (x: number, y: number, width: number, height: number) =>
      add("rect", ctx.fillStyle, [
        [x, y],
        [width, height],
      ]),
  };
  const valToPos = (second: number) => box.left + (second - startSecond);
  const plot = { bbox: box, ctx, valToPos, data: [times] } as unknown as uPlot;
  return { plot, painted, ctx };
}

const at = (second: number) => new Date((startSecond + second) * 1_000).toISOString();

const timeline = (more: object) =>
  ({
    maintenance: [],
    incidents: [],
    edits: [],
    annotations: [],
    alerts: [],
    ...more,
  }) as unknown as Timeline;

const ratioBefore = Object.getOwnPropertyDescriptor(globalThis, "devicePixelRatio");
beforeEach(() => {
  Object.defineProperty(globalThis, "devicePixelRatio", { configurable: true, value: 1 });
});
afterEach(() => {
  if (ratioBefore === undefined) Reflect.deleteProperty(globalThis, "devicePixelRatio");
  else Object.defineProperty(globalThis, "devicePixelRatio", ratioBefore);
});

test("maintenance and incidents are painted over the whole height, clipped to the chart", () => {
  const { plot, painted } = createPlot();
  const maintenance = [{ from: at(-50), to: at(20) }];
  const incidents = [
    { from: at(30), to: at(40) },
    { from: at(150), to: null },
  ];
  drawSpans(plot, timeline({ maintenance, incidents }), colors);
  assert.deepEqual(
    painted.map(({ color, points }) => [color, ...points.flat()]),
    [
      ["accent-tint", 10, 5, 20, 100],
      ["bad-tint", 40, 5, 10, 100],
      ["bad-tint", 160, 5, 50, 100],
    ],
  );
});

test("a span outside the range is not painted, and a short one stays visible", () => {
  const { plot, painted } = createPlot();
  const incidents = [
    { from: at(-20), to: at(-10) },
    { from: at(300), to: at(400) },
    { from: at(300), to: null },
    { from: at(50), to: at(50.2) },
  ];
  drawSpans(plot, timeline({ incidents }), colors);
  assert.deepEqual(
    painted.map(({ points }) => points[1]?.[0]),
    [1],
    "at least one pixel",
  );
});

test("nothing is painted while the timeline loads", () => {
  const { plot, painted } = createPlot();
  drawSpans(plot, null, colors);
  drawMarks(plot, null, colors);
  assert.deepEqual(painted, []);
});

test("each kind of mark has its own colour and its own shape on a dashed line", () => {
  const { plot, painted } = createPlot();
  const annotations = [
    { type: "NOTE", at: at(20) },
    { type: "DEPLOYMENT", at: at(30) },
  ];
  drawMarks(
    plot,
    timeline({ edits: [{ at: at(10) }], annotations, alerts: [{ at: at(40) }] }),
    colors,
  );
  const lines = painted.filter(({ what }) => what === "line");
  const shapes = painted.filter(({ what }) => what === "shape");
  assert.deepEqual(
    lines.map(({ color, points }) => [color, points[0]?.[0]]),
    [
      ["muted", 20.5],
      ["accent", 30.5],
      ["accent", 40.5],
      ["bad", 50.5],
    ],
  );
  assert.ok(lines.every(({ isDashed }) => isDashed) && shapes.every(({ isDashed }) => !isDashed));
  const centred = shapes.map(({ points }, index) =>
    points.map(([x, y]) => [x - (lines[index]?.points[0]?.[0] ?? 0), y]),
  );
  assert.equal(new Set(centred.map((one) => JSON.stringify(one))).size, 4, "told apart by shape");
  for (const points of centred) {
    assert.ok(points.every(([x = 0, y = 0]) => Math.abs(x) <= 4 && y >= 5 && y <= 13));
  }
});

test("a mark outside the range is left out instead of being moved to the edge", () => {
  const { plot, painted } = createPlot();
  drawMarks(plot, timeline({ alerts: [{ at: at(-1) }, { at: at(201) }] }), colors);
  assert.deepEqual(painted, []);
});

test("values above the scale are marked at the top, those within it are not", () => {
  const times = [0, 50, 100, 150, 250].map((second) => startSecond + second);
  const { plot, painted } = createPlot(times);
  drawCut(plot, { highest: [11, 10, null, 500, 900], top: 10 }, "chart-strong");
  assert.deepEqual(
    painted.map(({ color, points }) => [color, points[0]]),
    [
      ["chart-strong", [10, 5]],
      ["chart-strong", [160, 5]],
    ],
    "the last one is outside the range",
  );
});

const slots = [0, 1, 2].map((index) => ({
  fromSecond: startSecond + index * 50,
  toSecond: startSecond + (index + 1) * 50,
}));

test("bars grow with the share of failed runs, and the smallest share stays visible", () => {
  const { plot, painted } = createPlot();
  drawLower(plot, { shares: [0, 1, 0.001], spans: [], slots }, colors);
  const [axis, ...bars] = painted;
  const barsTop = box.top + box.height + lower.gap;
  assert.deepEqual(axis?.points, [
    [box.left, barsTop + lower.bars],
    [box.width, 1],
  ]);
  assert.deepEqual(
    bars.map(({ color, points }) => [color, ...points.flat()]),
    [
      ["bad", 60, barsTop, 49, lower.bars],
      ["bad", 110, barsTop + lower.bars - 2, 49, 2],
    ],
  );
});

test("a share without a slot is not painted", () => {
  const { plot, painted } = createPlot();
  drawLower(plot, { shares: [0, 0, 0, 1], spans: [], slots }, colors);
  assert.equal(painted.length, 1, "the axis only");
});

test("worse states are higher in the ribbon, and all stand on its bottom", () => {
  const { plot, painted } = createPlot();
  const states = ["failing", "degraded", "passing"] as const;
  const spans = states.map(
    (state, index): StateSpan => ({
      state,
      fromSecond: startSecond + index * 50,
      toSecond: startSecond + (index + 1) * 50,
    }),
  );
  drawLower(plot, { shares: [], spans, slots }, colors);
  const ribbon = painted.slice(1);
  assert.deepEqual(
    ribbon.map(({ color }) => color),
    ["bad", "fair", "good"],
  );
  const heights = ribbon.map(({ points }) => points[1]?.[1] ?? 0);
  assert.deepEqual(
    heights,
    [...heights].sort((one, other) => other - one),
  );
  assert.equal(heights[0], lower.ribbon, "a failing check fills the ribbon");
  const bottom = box.top + box.height + lowerHeight;
  for (const { points } of ribbon)
    assert.equal((points[0]?.[1] ?? 0) + (points[1]?.[1] ?? 0), bottom);
});

test("missing data is painted as dashes that end with the span", () => {
  const { plot, painted } = createPlot();
  const span = { state: "unknown", fromSecond: startSecond, toSecond: startSecond + 20 } as const;
  drawLower(plot, { shares: [], spans: [span], slots }, colors);
  const dashes = painted.slice(1);
  assert.ok(dashes.every(({ color }) => color === "none"));
  assert.deepEqual(
    dashes.map(({ points }) => [points[0]?.[0], points[1]?.[0]]),
    [
      [10, 3],
      [16, 3],
      [22, 3],
      [28, 2],
    ],
  );
});

test("a state outside the range is not painted, and a short one stays visible", () => {
  const { plot, painted } = createPlot();
  const spans = [
    { state: "failing", fromSecond: startSecond - 9, toSecond: startSecond },
    { state: "failing", fromSecond: startSecond + 9, toSecond: startSecond + 9.1 },
  ] as const;
  drawLower(plot, { shares: [], spans, slots }, colors);
  assert.deepEqual(
    painted.slice(1).map(({ points }) => points[1]?.[0]),
    [2],
  );
});

test("sizes grow with the pixels of the screen", () => {
  Object.defineProperty(globalThis, "devicePixelRatio", { configurable: true, value: 2 });
  const { plot, painted } = createPlot([startSecond]);
  drawLower(plot, { shares: [1], spans: [], slots }, colors);
  drawCut(plot, { highest: [2], top: 1 }, "ink");
  const [axis, bar, cut] = painted;
  assert.equal(axis?.points[1]?.[1], 2);
  assert.deepEqual(bar?.points[1], [48, 2 * lower.bars]);
  assert.deepEqual(cut?.points[1], [16, 17]);
});

test("the canvas keeps its colours", () => {
  const { plot, ctx } = createPlot([startSecond]);
  const incidents = [{ from: at(1), to: null }];
  drawSpans(plot, timeline({ incidents }), colors);
  drawMarks(plot, timeline({ alerts: [{ at: at(1) }] }), colors);
  drawCut(plot, { highest: [2], top: 1 }, "ink");
  drawLower(plot, { shares: [1], spans: [], slots }, colors);
  assert.deepEqual([ctx.fillStyle, ctx.strokeStyle], ["before", "before"]);
});

/** Parses the state of a check's page from the URL, so that a shared link opens the same view. */

export const ranges = {
  "1h": 3_600_000,
  "6h": 6 * 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
  "30d": 30 * 86_400_000,
  "90d": 90 * 86_400_000,
} as const;
export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];
export const defaultRange: RangeName = "24h";

/**
 * Returns the creation time in milliseconds from a UUIDv7 id; 0 for any other id. The API returns
 * only the day of creation.
 */
export function readBirth(id: string): number {
  const digits = id.replaceAll("-", "");
  return digits[12] === "7" ? Number.parseInt(digits.slice(0, 12), 16) : 0;
}

/** Whether the chart begins with the check, because no range is selected and it is younger. */
export function isSinceStart(search: RangeSearch, bornMs: number, nowMs: number): boolean {
  const isChosen = search.range !== undefined || isFixed(search);
  return !isChosen && nowMs - bornMs < ranges[defaultRange];
}

export const tabs = ["overview", "history", "alerts", "back-test", "code"] as const;
export type Tab = (typeof tabs)[number];

export const verdicts = ["failing", "degraded", "passing", "unknown"] as const;
export type Verdict = (typeof verdicts)[number];

export interface CheckSearch {
  readonly tab?: Tab;
  /** Name of a range that ends at the current time and therefore moves. */
  readonly range?: RangeName;
  /** Start of a fixed range in Unix seconds. `from` and `to` are both set or both missing. */
  readonly from?: number;
  readonly to?: number;
  readonly by?: "location";
  readonly view?: "table";
  readonly metric?: string;
  /** Value scale of the chart. If missing, the scale is clipped at outliers. */
  readonly scale?: "full" | "log";
  /** Whether the chart also shows the previous period for comparison. */
  readonly compare?: "before";
  /** Hidden chart parts, sorted and separated by dots. */
  readonly hide?: string;
  /** Filter of the run list by verdict. */
  readonly state?: Verdict;
  readonly location?: string;
  /** Id of the run opened in the side panel. */
  readonly run?: string;
}

const maxText = 100;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const lastSecond = 32_503_680_000;
const longestSeconds = 800 * 86_400;

function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((known) => known === value);
}

function readSecond(value: unknown): number | undefined {
  const second = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  const isSecond = Number.isSafeInteger(second) && Number(second) >= 0;
  return isSecond && Number(second) <= lastSecond ? Number(second) : undefined;
}

function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= maxText ? text : undefined;
}

/** Chart parts whose visibility the legend toggles. */
export const chartParts = [
  "p50",
  "p95",
  "p99",
  "band",
  "bars",
  "before",
  "incident",
  "maintenance",
  "alert",
  "edit",
  "note",
  "deployment",
] as const;
export type ChartPart = (typeof chartParts)[number];

export function listHidden(hide: unknown): ReadonlySet<ChartPart> {
  const names = typeof hide === "string" ? hide.split(".") : [];
  return new Set(chartParts.filter((part) => names.includes(part)));
}

/**
 * Toggles a chart part. Returns the new value of `hide`, which is `undefined` if nothing is hidden.
 */
export function toggleHidden(hide: unknown, part: ChartPart): string | undefined {
  const hidden = new Set(listHidden(hide));
  if (!hidden.delete(part)) hidden.add(part);
  return hidden.size === 0 ? undefined : [...hidden].toSorted().join(".");
}

/** Parses the query parameters of a URL. Invalid values are ignored. */
export function parseSearch(search: Readonly<Record<string, unknown>>): CheckSearch {
  const from = readSecond(search.from);
  const to = readSecond(search.to);
  const isRange = from !== undefined && to !== undefined && from < to;
  const tab = oneOf(search.tab, tabs);
  const range = oneOf(search.range, rangeNames);
  const state = oneOf(search.state, verdicts);
  const metric = readText(search.metric);
  const location = readText(search.location);
  const run = readText(search.run);
  const scale = oneOf(search.scale, ["full", "log"] as const);
  const hide = [...listHidden(search.hide)].toSorted().join(".");
  return {
    ...(tab && tab !== "overview" && { tab }),
    ...(isRange && { from: Math.max(from, to - longestSeconds), to }),
    ...(!isRange && range && { range }),
    ...(search.by === "location" && { by: "location" as const }),
    ...(search.view === "table" && { view: "table" as const }),
    ...(metric !== undefined && { metric }),
    ...(scale && { scale }),
    ...(search.compare === "before" && { compare: "before" as const }),
    ...(hide !== "" && { hide }),
    ...(state && { state }),
    ...(location !== undefined && { location }),
    ...(run !== undefined && uuid.test(run) && { run }),
  };
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export type RangeSearch = Pick<CheckSearch, "range" | "from" | "to">;

export const isFixed = ({ from, to }: RangeSearch): boolean =>
  from !== undefined && to !== undefined;

const shortestMs = 60_000;

/**
 * Returns the span of a range. Without a selected range, it is the last day, or the time since the
 * check was created at `bornMs` if that is shorter.
 */
export function readSpan(search: RangeSearch, nowMs: number, bornMs = 0): Span {
  const { range = defaultRange, from, to } = search;
  if (from !== undefined && to !== undefined) return { fromMs: from * 1_000, toMs: to * 1_000 };
  const fromMs = nowMs - ranges[range];
  if (!isSinceStart(search, bornMs, nowMs)) return { fromMs, toMs: nowMs };
  return { fromMs: Math.min(bornMs, nowMs - shortestMs), toMs: nowMs };
}

const longestMs = longestSeconds * 1_000;

/**
 * Converts a span to a fixed range that is at least a minute long and does not end in the future.
 */
export function toRangeSearch({ fromMs, toMs }: Span, nowMs: number): Required<FixedRange> {
  const end = Math.ceil(Math.min(toMs, nowMs) / 1_000);
  const length = Math.min(Math.max(toMs - fromMs, shortestMs), longestMs) / 1_000;
  return { from: Math.max(0, Math.floor(end - length)), to: end };
}

interface FixedRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Moves a span to earlier or later times by half its length, or doubles its length around its
 * middle.
 */
export function moveSpan({ fromMs, toMs }: Span, move: "earlier" | "later" | "out"): Span {
  const half = (toMs - fromMs) / 2;
  if (move === "earlier") return { fromMs: fromMs - half, toMs: toMs - half };
  if (move === "later") return { fromMs: fromMs + half, toMs: toMs + half };
  return { fromMs: fromMs - half, toMs: toMs + half };
}

/** Changes to the query parameters of the URL. A value of `undefined` removes the parameter. */
export type SearchChange = { readonly [Part in keyof CheckSearch]?: CheckSearch[Part] | undefined };

export function changeSearch(search: CheckSearch, change: SearchChange): CheckSearch {
  return parseSearch({ ...search, ...change });
}

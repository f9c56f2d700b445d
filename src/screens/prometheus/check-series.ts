import { allKinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import { type Verdict, verdicts } from "../../kinds/kit/verdict.ts";
import type { RunCounts } from "../../runs/results/index.ts";
import type { CheckWithRuns, NewestRun } from "../../runs/states/index.ts";

/** Formats of the response. In both, all series of a metric family are written together. */

export type ExpositionFormat = "text" | "openmetrics";

export const contentTypes: Readonly<Record<ExpositionFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Chooses OpenMetrics if the `Accept` header lists it first, otherwise the text format. Prometheus
 * lists its preferred format first.
 */
export function chooseFormat(accept: string | undefined): ExpositionFormat {
  return /^application\/openmetrics-text\b/i.test(accept?.trim() ?? "") ? "openmetrics" : "text";
}

interface FamilyDefinition {
  /** Name of the family; the name of a counter ends with `_total`. */
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
}

interface Family extends FamilyDefinition {
  readonly lines: string[];
}

export class Exposition {
  readonly #families = new Map<string, Family>();
  #seriesCount = 0;

  get seriesCount(): number {
    return this.#seriesCount;
  }

  /** Adds a series to its family. `labels` is text from `writeLabels`. */
  add(definition: FamilyDefinition, labels: string, value: number): void {
    let family = this.#families.get(definition.name);
    if (family === undefined) {
      family = { ...definition, lines: [] };
      this.#families.set(definition.name, family);
    }
    family.lines.push(`${definition.name}${labels === "" ? "" : `{${labels}}`} ${value}`);
    this.#seriesCount += 1;
  }

  write(format: ExpositionFormat): string {
    const texts: string[] = [];
    for (const { name, type, help, lines } of this.#families.values()) {
      const named = format === "openmetrics" && type === "counter" ? name.slice(0, -6) : name;
      texts.push(`# HELP ${named} ${escapeHelp(help)}`, `# TYPE ${named} ${type}`, ...lines);
    }
    if (format === "openmetrics") texts.push("# EOF");
    return `${texts.join("\n")}\n`;
  }
}

function writeLabels(labels: readonly (readonly [name: string, value: string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",");
}

/** Escapes a label value: line breaks become `\n`, and other control characters become spaces. */
function escapeLabel(value: string): string {
  return value
    .toWellFormed()
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replace(/\p{Cc}/gu, " ");
}

function escapeHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

const maxTagLabels = 10;
const tagLabel = /^([A-Za-z][A-Za-z0-9_.-]{0,63}):(.+)$/s;

/** Converts days to seconds, because promtool rejects other units of time. */
const secondsPerDay = 86_400;

export interface ScrapeOptions {
  /** Whether to write one series per location instead of one for all locations. */
  readonly hasLocations: boolean;
  /** Whether retried attempts count as failing results. */
  readonly countsRetries: boolean;
  readonly parsesTags: boolean;
}

interface ScrapedCheck {
  readonly check: CheckWithRuns;
  readonly status: Verdict;
  readonly counts: readonly RunCounts[];
}

const gauge = (name: string, help: string): FamilyDefinition => ({ name, type: "gauge", help });

const families = {
  status: gauge("vedette_check_status", "1 for the current status of a check, 0 for the others."),
  results: {
    name: "vedette_check_result_total",
    type: "counter",
    help: "Results of a check by status; the counter resets every 32 days.",
  },
  response: gauge(
    "vedette_check_response_time_seconds",
    "Response time of the latest run; absent if there was no response.",
  ),
  time: gauge("vedette_check_last_run_timestamp_seconds", "Start of the latest run."),
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

export const exported = gauge("vedette_checks_exported", "Number of exported checks.");
export const leftOut = gauge(
  "vedette_checks_left_out",
  "Number of checks left out because of the series limit.",
);

/** Rounds to nine significant digits, which is the precision of the stored four-byte figures. */
const round = (value: number) => Number(value.toPrecision(9));

export function addCheckSeries(
  exposition: Exposition,
  { check, status, counts }: ScrapedCheck,
  options: ScrapeOptions,
): void {
  const labels = writeLabels(listCheckLabels(check, options.parsesTags));
  for (const one of verdicts) {
    exposition.add(families.status, `${labels},status="${one}"`, one === status ? 1 : 0);
  }
  const at = (location: string) =>
    options.hasLocations ? `${labels},${writeLabels([["location", location]])}` : labels;
  for (const sum of options.hasLocations ? counts : [addUp(counts)]) {
    const failing = sum.failing + (options.countsRetries ? sum.retries : 0);
    const { passing, degraded } = sum;
    for (const [name, count] of Object.entries({ passing, degraded, failing })) {
      exposition.add(families.results, `${at(sum.location)},status="${name}"`, count);
    }
  }
  for (const run of options.hasLocations ? check.runs : findNewest(check.runs)) {
    addRunSeries(exposition, check.kind, run, at(run.location));
  }
}

function addRunSeries(
  exposition: Exposition,
  type: string,
  { startedAt, responseMs, figures }: NewestRun,
  labels: string,
): void {
  exposition.add(families.time, labels, startedAt.getTime() / 1_000);
  if (responseMs !== null) exposition.add(families.response, labels, round(responseMs / 1_000));
  const series = seriesOfKinds.get(type);
  if (figures === null || series === undefined) return;
  const add = (figure: FigureSeries | undefined, value: number) => {
    if (figure === undefined || !Number.isFinite(value)) return;
    const all = figure.labels === "" ? labels : `${labels},${figure.labels}`;
    exposition.add(figure.family, all, round(value * figure.factor));
  };
  const bytes = new DataView(figures.buffer, figures.byteOffset, figures.length);
  series.kind.readFigures(bytes, 0, figures.length, {
    counter: (place, value) => add(series.counters[place], value),
    part: (place, value) => add(series.parts[place], value),
    sample: () => {},
  });
}

function addUp(counts: readonly RunCounts[]): RunCounts {
  const sum = (read: (one: RunCounts) => number) => counts.reduce((all, one) => all + read(one), 0);
  return {
    location: "",
    passing: sum(({ passing }) => passing),
    degraded: sum(({ degraded }) => degraded),
    failing: sum(({ failing }) => failing),
    retries: sum(({ retries }) => retries),
  };
}

function findNewest(runs: readonly NewestRun[]): readonly NewestRun[] {
  const [first, ...rest] = runs;
  if (first === undefined) return [];
  return [rest.reduce((newest, run) => (run.startedAt > newest.startedAt ? run : newest), first)];
}

type Label = readonly [name: string, value: string];

const ownNames: ReadonlySet<string> = new Set([
  "name",
  "check_id",
  "check_type",
  "muted",
  "activated",
  "group",
  "tags",
  "location",
  "status",
  "type",
  "job",
  "instance",
]);

/**
 * Lists the labels that all series of a check have. A tag `team:edge` becomes the label
 * `team="edge"`.
 */
function listCheckLabels(check: CheckWithRuns, parsesTags: boolean): Label[] {
  const parsed = new Map<string, string>();
  const plain: string[] = [];
  for (const tag of new Set(check.tags)) {
    const [, key, value] = (parsesTags ? tagLabel.exec(tag) : null) ?? [];
    const name = key?.replace(/[.-]/g, "_");
    const isFree = name !== undefined && !ownNames.has(name) && !parsed.has(name);
    if (isFree && value !== undefined && parsed.size < maxTagLabels) parsed.set(name, value);
    else plain.push(tag);
  }
  return [
    ["name", check.name],
    ["check_id", check.id],
    ["check_type", check.kind],
    ["muted", String(check.isMuted)],
    ["activated", String(check.isActive)],
    ["group", check.groupName ?? ""],
    ["tags", plain.join(",")],
    ...parsed,
  ];
}

/** Series of one figure of a check's run. */
interface FigureSeries {
  readonly family: FamilyDefinition;
  /** Labels of the series, in addition to the labels of the check. */
  readonly labels: string;
  /** Factor that converts the figure to the unit of the series. */
  readonly factor: number;
}

interface KindSeries {
  readonly kind: Pick<Kind, "readFigures">;
  /** Series of the values that `parts` of the kind defines, in the same order. */
  readonly parts: readonly FigureSeries[];
  readonly counters: readonly FigureSeries[];
}

/**
 * Converts a figure name: `daysUntilExpiry` becomes `days_until_expiry`, and `TTFB` becomes `ttfb`.
 * `hopCount` becomes `hops`, because the suffix `_count` is reserved for histograms.
 */
const toSnakeCase = (name: string) =>
  name
    .replace(/(?<=[a-z0-9])[A-Z]/g, "_$&")
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, "_")
    .replace(/_count$/, "s");

function describeKind(kind: Kind): KindSeries {
  const { path, words, parts, counters } = kind;
  const start = `vedette_${path.replace(/[^a-z0-9]/g, "_")}`;
  const gauge = (name: string, help: string) => ({ name, type: "gauge", help }) as const;
  const timing = gauge(`${start}_timing_seconds`, `Times of the latest run of ${words.aCheck}.`);
  return {
    kind,
    parts: parts.map(({ metric, unit, label }): FigureSeries => {
      const name = toSnakeCase(metric);
      if (unit === "milliseconds") {
        const type = name.replace(/_ms$/, "");
        return { family: timing, labels: writeLabels([["type", type]]), factor: 0.001 };
      }
      const help = `${label}, in the latest run.`;
      if (name.startsWith("days_")) {
        const time = `${start}_${name.replace(/^days/, "time")}_seconds`;
        return { family: gauge(time, help), labels: "", factor: secondsPerDay };
      }
      if (unit === "percentage") {
        return { family: gauge(`${start}_${name}_ratio`, help), labels: "", factor: 0.01 };
      }
      return { family: gauge(`${start}_${name}`, help), labels: "", factor: 1 };
    }),
    counters: counters.map(({ name }) => {
      const help = `${name} of the latest run.`;
      return { family: gauge(`${start}_${toSnakeCase(name)}`, help), labels: "", factor: 1 };
    }),
  };
}

export const seriesOfKinds: ReadonlyMap<string, KindSeries> = new Map(
  allKinds.map((kind) => [kind.type, describeKind(kind)]),
);

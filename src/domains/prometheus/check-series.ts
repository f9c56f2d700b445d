import { type Verdict, verdicts } from "../../kinds/verdict.ts";
import type { RunCounts } from "../results/index.ts";
import type { CheckWithRuns, NewestRun } from "../states/index.ts";
import { type Exposition, type FamilyDefinition, writeLabels } from "./exposition.ts";
import { type FigureSeries, seriesOfKinds } from "./kind-families.ts";

const maxTagLabels = 10;
const tagLabel = /^([A-Za-z][A-Za-z0-9_.-]{0,63}):(.+)$/s;

export interface ScrapeOptions {
  /** Write one series per location instead of one for all. */
  readonly hasLocations: boolean;
  /** Count retried attempts as failing results. */
  readonly countsRetries: boolean;
  readonly parsesTags: boolean;
}

export interface ScrapedCheck {
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

/** Nine digits, because figures are stored in four bytes. */
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

/** Returns the labels of every series of a check. A tag `team:edge` becomes the label `team`. */
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

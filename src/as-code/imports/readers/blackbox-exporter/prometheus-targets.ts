import { RE2JS } from "re2js";
import type { ReadingBuilder } from "../../reading-builder.ts";
import { parseSeconds } from "../frequency.ts";
import { hideCredentials, Row, toAddressPart, toLogicalPart } from "../row.ts";
import {
  compileWhole,
  type Labels,
  parseRelabeling,
  type Relabel,
  writesTarget,
} from "./relabeling.ts";

/** One target of a scrape job, after relabeling. */
export interface ScrapeTarget {
  readonly job: string;
  /** Address that the exporter probes. */
  readonly address: string;
  readonly module: string;
  /** Whether relabeling chose the module. If so, one target may occur with several modules. */
  readonly isModuleOwn: boolean;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly labels: Labels;
}

/** A list of targets with common labels, from the configuration or from a target file. */
interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Labels;
}

/** An uploaded target file that `file_sd_configs` refers to. */
export interface TargetFile {
  readonly name: string;
  readonly groups: readonly TargetGroup[];
}

const defaultIntervalSeconds = 60;
const defaultTimeoutSeconds = 10;
const defaultModule = "http_2xx";

function toLabels(row: Row): Map<string, string> {
  return new Map(
    row.keys().flatMap((key): [string, string][] => {
      const value = row.get(key);
      const isScalar = ["string", "number", "boolean"].includes(typeof value);
      return isScalar && value !== "" ? [[key, String(value)]] : [];
    }),
  );
}

export const toTargetGroup = (value: unknown): TargetGroup => {
  const row = new Row(value);
  return { targets: row.list("targets").map(String), labels: toLabels(row.row("labels")) };
};

/**
 * Returns whether a file name matches a pattern of `file_sd_configs`. The pattern and the name may
 * start in different folders, so their path segments are compared from the end. The comparison
 * stops at the start of the shorter path. `*` is a wildcard in the last segment only.
 */
function matchesPattern(pattern: string, name: string): boolean {
  const wanted = pattern.split(/[/\\]/).reverse();
  const parts = name.split(/[/\\]/).reverse();
  const [last = ""] = wanted;
  const glob = compileWhole(last.split("*").map(RE2JS.quote).join(".*"));
  if (glob?.matcher(parts[0] ?? "").matches() !== true) return false;
  const shared = Math.min(wanted.length, parts.length);
  return parts.slice(1, shared).every((part, index) => part === wanted[index + 1]);
}

/** A scrape job with the settings of `prometheus.yml`. */
export interface Job {
  readonly name: string;
  readonly metricsPath: string;
  readonly params: ReadonlyMap<string, string>;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly groups: readonly TargetGroup[];
  /** File name patterns of `file_sd_configs`. */
  readonly filePatterns: readonly string[];
  /** Names of settings such as `kubernetes_sd_configs`, whose targets are not in any file. */
  readonly otherDiscovery: readonly string[];
  readonly rules: readonly unknown[];
}

function toParams(row: Row): Map<string, string> {
  return new Map(
    row.keys().flatMap((key): [string, string][] => {
      const [first] = row.list(key);
      return first === undefined ? [] : [[key, String(first)]];
    }),
  );
}

/** Parses one job of `scrape_configs`. */
export function parseJob(value: unknown, globals: Row): Job {
  const row = new Row(value);
  const read = (key: string) => parseSeconds(row.get(key)) || parseSeconds(globals.get(key));
  const intervalSeconds = read("scrape_interval") || defaultIntervalSeconds;
  const files = row.list("file_sd_configs").flatMap((config) => new Row(config).list("files"));
  return {
    name: row.text("job_name") ?? "job",
    metricsPath: row.text("metrics_path") ?? "/metrics",
    params: toParams(row.row("params")),
    intervalSeconds,
    timeoutSeconds: Math.min(read("scrape_timeout") || defaultTimeoutSeconds, intervalSeconds),
    groups: row.list("static_configs").map(toTargetGroup),
    filePatterns: files.map(String),
    otherDiscovery: row.keys().filter((key) => /^(?!file_sd_).*_sd_configs$/.test(key)),
    rules: row.list("relabel_configs"),
  };
}

/** Relabeling rules with which the Prometheus operator passes a target to the exporter. */
const operatorRules = [
  { source_labels: ["__address__"], target_label: "__param_target" },
  { source_labels: ["__param_target"], target_label: "instance" },
];

/** Parses a `Probe` resource of the Prometheus operator. */
export function parseProbe(resource: Row, globals: Row): Job {
  const spec = resource.row("spec");
  const config = spec.row("targets").row("staticConfig");
  const interval =
    parseSeconds(spec.get("interval")) || parseSeconds(globals.get("scrape_interval"));
  const intervalSeconds = interval || defaultIntervalSeconds;
  const timeout = parseSeconds(spec.get("scrapeTimeout")) || defaultTimeoutSeconds;
  const module = spec.text("module");
  const group = {
    targets: config.list("static").map(String),
    labels: toLabels(config.row("labels")),
  };
  const hasIngress = spec.row("targets").get("ingress") !== undefined;
  return {
    name: spec.text("jobName") ?? resource.row("metadata").text("name") ?? "probe",
    metricsPath: spec.row("prober").text("path") ?? "/probe",
    params: new Map(module === null ? [] : [["module", module]]),
    intervalSeconds,
    timeoutSeconds: Math.min(timeout, intervalSeconds),
    groups: [group],
    filePatterns: [],
    otherDiscovery: hasIngress ? ["targets.ingress"] : [],
    rules: [...operatorRules, ...config.list("relabelingConfigs")],
  };
}

/** Returns whether the targets of a job are probed through an exporter. */
export const isProbeJob = ({ metricsPath, rules }: Job): boolean =>
  /\/probe\/?$/.test(metricsPath) || writesTarget(rules);

function toScrapeTarget(job: Job, labels: Labels): ScrapeTarget {
  const read = (name: string) => labels.get(`__param_${name}`) ?? job.params.get(name);
  return {
    job: labels.get("job") ?? job.name,
    address: read("target") ?? "",
    module: read("module") ?? defaultModule,
    isModuleOwn: read("module") !== job.params.get("module"),
    intervalSeconds: parseSeconds(labels.get("__scrape_interval__")) || job.intervalSeconds,
    timeoutSeconds: parseSeconds(labels.get("__scrape_timeout__")) || job.timeoutSeconds,
    labels,
  };
}

function relabelTarget(
  job: Job,
  relabel: Relabel,
  { address, labels }: { readonly address: string; readonly labels: Labels },
): ScrapeTarget | null {
  const params = [...job.params].map(([key, value]) => [`__param_${key}`, value] as const);
  const before = new Map([
    ["job", job.name],
    ["__address__", address],
    ["__metrics_path__", job.metricsPath],
    ["__scheme__", "http"],
    ...params,
    ...labels,
  ]);
  const after = relabel(before);
  return after === null ? null : toScrapeTarget(job, after);
}

export const jobOrigin = (name: string) => ({
  origin: `prometheus/job-${toLogicalPart(name)}`,
  name,
});

export const targetOrigin = (job: string, address: string) => ({
  origin: `prometheus/${toLogicalPart(job)}/${toAddressPart(address)}`,
  name: hideCredentials(address),
});

/** Returns the target groups of a job. Reports targets that the uploaded files do not contain. */
function listGroups(
  builder: ReadingBuilder,
  job: Job,
  files: readonly TargetFile[],
): TargetGroup[] {
  for (const way of job.otherDiscovery) {
    builder.leaveOut(jobOrigin(job.name), `Targets of ${way} are not in a file.`);
  }
  const found = job.filePatterns.flatMap((pattern) => {
    const matching = files.filter(({ name }) => matchesPattern(pattern, name));
    if (matching.length === 0) {
      builder.leaveOut(jobOrigin(job.name), `No uploaded file matches ${pattern}.`);
    }
    return matching.flatMap(({ groups }) => groups);
  });
  return [...job.groups, ...found];
}

/** Returns the targets of a job. Reports the targets that relabeling drops. */
export function listTargets(
  builder: ReadingBuilder,
  job: Job,
  files: readonly TargetFile[],
): ScrapeTarget[] {
  const relabel = parseRelabeling(job.rules);
  if (typeof relabel === "number") {
    builder.leaveOut(
      jobOrigin(job.name),
      `Rule ${relabel} of its relabel_configs is not supported.`,
    );
    return [];
  }
  return listGroups(builder, job, files).flatMap(({ targets, labels }) =>
    targets.flatMap((address) => {
      const target = relabelTarget(job, relabel, { address, labels });
      if (target !== null && target.address !== "") return [target];
      const why = target === null ? "Relabeling drops it." : "Relabeling gives it no target.";
      builder.leaveOut(targetOrigin(job.name, address), why);
      return [];
    }),
  );
}

import { type ImportFile, type Reading, reference, UnreadableFile } from "../../reading.ts";
import { cutName, ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { parseYamlDocuments, readTextFile } from "../file-text.ts";
import { toAlertSettings, toFrequency } from "../frequency.ts";
import { hideCredentials, Row, toLogicalPart } from "../row.ts";
import { type AlertRule, readAlertRules, toEscalation } from "./alert-rules.ts";
import { Modules } from "./blackbox-modules.ts";
import type { TargetLimits } from "./module-scene.ts";
import {
  isProbeJob,
  type Job,
  jobOrigin,
  listTargets,
  parseJob,
  parseProbe,
  type ScrapeTarget,
  type TargetFile,
  targetOrigin,
  toTargetGroup,
} from "./prometheus-targets.ts";

/** Content of the uploaded files, sorted by type. */
interface Content {
  readonly modules: Map<string, Row>;
  readonly configs: Row[];
  readonly probes: Row[];
  readonly targetFiles: TargetFile[];
  readonly ruleGroups: unknown[];
}

function addModules(content: Content, modules: Row, fileName: string): void {
  for (const name of modules.keys()) {
    if (content.modules.has(name)) {
      throw new UnreadableFile(`${fileName} repeats the module ${name}.`);
    }
    content.modules.set(name, modules.row(name));
  }
}

const isTargetList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((entry) => Array.isArray(new Row(entry).get("targets")));

/** Adds a document to the content. Returns `false` if the type of the document is unknown. */
function addDocument(content: Content, document: unknown, fileName: string): boolean {
  if (document === null || document === undefined) return true;
  if (isTargetList(document)) {
    content.targetFiles.push({ name: fileName, groups: document.map(toTargetGroup) });
    return true;
  }
  const row = new Row(document);
  const kind = row.text("kind");
  if (kind === "List") {
    return row
      .list("items")
      .map((item) => addDocument(content, item, fileName))
      .every(Boolean);
  }
  if (kind === "Probe") content.probes.push(row);
  else if (kind === "PrometheusRule") content.ruleGroups.push(...row.row("spec").list("groups"));
  else if (row.get("modules") !== undefined) addModules(content, row.row("modules"), fileName);
  else if (Array.isArray(row.get("scrape_configs"))) content.configs.push(row);
  else if (Array.isArray(row.get("groups"))) content.ruleGroups.push(...row.list("groups"));
  else return false;
  return true;
}

function readContent(builder: ReadingBuilder, files: readonly ImportFile[]): Content {
  const content: Content = {
    modules: new Map(),
    configs: [],
    probes: [],
    targetFiles: [],
    ruleGroups: [],
  };
  for (const file of files) {
    const documents = parseYamlDocuments(readTextFile(file), file.name);
    const isKnown = documents.map((document) => addDocument(content, document, file.name));
    if (!isKnown.every(Boolean)) {
      builder.note(`${file.name} is not imported: it has no modules, targets or alert rules.`);
    }
  }
  if (content.configs.length + content.probes.length === 0) {
    throw new UnreadableFile(
      "There is no configuration of Prometheus: no file has scrape_configs, or is a Probe.",
    );
  }
  if (content.modules.size === 0) {
    throw new UnreadableFile(
      "There is no configuration of blackbox_exporter: no file has modules. Add blackbox.yml.",
    );
  }
  return content;
}

function listJobs(builder: ReadingBuilder, { configs, probes }: Content): Job[] {
  const [globals = new Row({})] = configs.map((config) => config.row("global"));
  const jobs = configs.flatMap((config) =>
    config.list("scrape_configs").map((job) => parseJob(job, config.row("global"))),
  );
  const others = jobs.filter((job) => !isProbeJob(job)).map(({ name }) => name);
  if (others.length > 0) {
    const names = others.slice(0, 20).join(", ");
    builder.note(`Jobs that probe nothing are not imported: ${names}.`);
  }
  if (configs.some((config) => config.list("scrape_config_files").length > 0)) {
    builder.note("Files of scrape_config_files are only read if they are part of the upload.");
  }
  return [...jobs.filter(isProbeJob), ...probes.map((probe) => parseProbe(probe, globals))];
}

interface Scene {
  readonly builder: ReadingBuilder;
  readonly modules: Modules;
  readonly rules: readonly AlertRule[];
  readonly usedRules: Set<AlertRule>;
  /** Keys of the reported rule changes, so that a change is not reported for every target. */
  readonly reported: Set<string>;
}

function reportRule(
  { builder, reported }: Scene,
  { origin }: AlertRule,
  change: { readonly from: string; readonly to: string; readonly why: string },
): void {
  const key = `${origin.origin} ${change.to}`;
  if (!reported.has(key)) builder.change(origin, "alert", change);
  reported.add(key);
}

function readLimits(rules: readonly AlertRule[]): TargetLimits {
  const slow = rules.flatMap(({ requirement }) =>
    requirement.kind === "duration" ? [requirement.ms] : [],
  );
  const days = rules.flatMap(({ requirement }) =>
    requirement.kind === "certificate" ? [requirement.days] : [],
  );
  return {
    slowMs: slow.length === 0 ? null : Math.min(...slow),
    statuses: rules.flatMap(({ requirement }) =>
      requirement.kind === "status" ? requirement.assertions : [],
    ),
    certificateDays: days.length === 0 ? null : Math.max(...days),
  };
}

/** Returns the alert settings of a check, based on the alert rule that fires first. */
function readEscalation(scene: Scene, rules: readonly AlertRule[], intervalSeconds: number) {
  const [first, ...others] = rules
    .filter(({ requirement }) => requirement.kind === "success")
    .sort((one, other) => one.forSeconds - other.forSeconds);
  if (first === undefined) return {};
  for (const other of others) {
    const why = "A check alerts once; of several rules the one that fires first counts.";
    reportRule(scene, other, { from: other.origin.name, to: first.origin.name, why });
  }
  return toEscalation(first, intervalSeconds, (change) => reportRule(scene, first, change));
}

function addGroup(builder: ReadingBuilder, job: string) {
  const { origin } = jobOrigin(job);
  if (!builder.has(origin)) {
    const payload = { name: cutName(job) };
    builder.add({ type: "check-group", logicalId: origin, payload }, job);
  }
  return reference(origin);
}

const ownLabels = new Set(["job", "instance"]);

function addTarget(scene: Scene, target: ScrapeTarget): void {
  const { builder, modules } = scene;
  const { job, address, labels, intervalSeconds, timeoutSeconds } = target;
  const name = hideCredentials(labels.get("instance") ?? address);
  const known = targetOrigin(job, address).origin;
  const origin = {
    origin: target.isModuleOwn ? `${known}#${toLogicalPart(target.module)}` : known,
    name,
  };
  const module = modules.find(target.module);
  if (module === null) {
    builder.leaveOut(origin, modules.explainMissing(target.module));
    return;
  }
  const rules = scene.rules.filter(({ selects }) => selects(labels));
  for (const rule of rules) scene.usedRules.add(rule);
  const limits = readLimits(rules);
  const checks = module({ origin, address, timeoutSeconds, limits });
  if (checks.length === 0) return;
  const hostname = labels.get("__param_hostname");
  if (hostname !== undefined) {
    const why = "A check sends the host of its URL.";
    builder.change(origin, "hostname", { from: hostname, to: "none", why });
  }
  const escalation = readEscalation(scene, rules, intervalSeconds);
  const common = {
    tags: [...labels]
      .filter(([key]) => !key.startsWith("__") && !ownLabels.has(key))
      .map(([key, value]) => cutName(`${key}:${value}`)),
    groupId: addGroup(builder, job),
    ...toFrequency(builder, origin, intervalSeconds),
  };
  for (const { payload, suffix, certificateDays } of checks) {
    const isFirst = suffix === undefined;
    const own = isFirst
      ? origin
      : { origin: `${origin.origin}#${suffix}`, name: `${name} (${suffix})` };
    builder.addCheck(own, payload, {
      ...common,
      ...toAlertSettings({ ...escalation, ...(certificateDays && { certificateDays }) }),
    });
  }
}

/** Reads blackbox.yml, prometheus.yml, and the target files and alert rules of Prometheus. */
export function readBlackboxExporter(files: readonly ImportFile[], options: ReadOptions): Reading {
  const builder = new ReadingBuilder(options);
  const content = readContent(builder, files);
  const rules = readAlertRules(builder, content.ruleGroups);
  const modules = new Modules(builder, content.modules);
  const scene = {
    builder,
    modules,
    rules,
    usedRules: new Set<AlertRule>(),
    reported: new Set<string>(),
  };
  for (const job of listJobs(builder, content)) {
    for (const target of listTargets(builder, job, content.targetFiles)) addTarget(scene, target);
  }
  for (const rule of rules) {
    if (!scene.usedRules.has(rule)) builder.leaveOut(rule.origin, "It selects no imported target.");
  }
  return builder.finish();
}

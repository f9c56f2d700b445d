import { type ImportFile, type Reading, reference, UnreadableFile } from "../../reading.ts";
import { cutName, type Origin, ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { maxFailedRuns, toAlertSettings, toFrequency } from "../frequency.ts";
import { Row, toLogicalPart } from "../row.ts";
import { parseSmokeping, type Section } from "./smokeping-config.ts";
import { findTranslator, listProbes, type Probe } from "./smokeping-probes.ts";

/** Limits that an alert definition sets for its targets. */
interface Alert {
  readonly origin: Origin;
  readonly failingLoss: number | null;
  readonly slowMs: number | null;
  /** Number of failing runs before the alert is sent. */
  readonly runs: number;
  readonly recipients: readonly string[];
}

const splitList = (text: string | undefined): string[] =>
  (text ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

interface Ending {
  readonly operator: string;
  readonly limit: number;
  readonly runs: number;
  /**
   * Whether the alert pattern contains other elements before the element that is repeated at the
   * end.
   */
  readonly isPart: boolean;
}

/** Reads the repeated element at the end of a pattern, such as `>10%` twice in `==0%,>10%,>10%`. */
function readEnding(pattern: string): Ending | null {
  const elements = pattern.split(",").map((element) => element.replaceAll(/\s+/g, ""));
  const last = elements.at(-1) ?? "";
  const [, operator, limit] = /^(>=|>|==)(\d+(?:\.\d+)?)%?$/.exec(last) ?? [];
  if (operator === undefined) return null;
  const first = elements.findLastIndex((element) => element !== last) + 1;
  return { operator, limit: Number(limit), runs: elements.length - first, isPart: first > 0 };
}

/**
 * Returns the packet loss at which a run fails. A check fails at this loss or above, so the limit
 * of a "greater than" pattern is raised to the next whole percent.
 */
function toFailingLoss({ operator, limit }: Ending): number {
  const percent = operator === ">" ? Math.floor(limit) + 1 : Math.ceil(limit);
  return Math.min(Math.max(percent, 1), 100);
}

function parseAlert(builder: ReadingBuilder, section: Section): Alert | null {
  const { name, values } = section;
  const origin = { origin: `smokeping/alert-${toLogicalPart(name)}`, name: `alert ${name}` };
  const [type, pattern = ""] = [values.get("type"), values.get("pattern")];
  const comment = values.get("comment");
  const ending = type === "loss" || type === "rtt" ? readEnding(pattern) : null;
  if (ending === null || (type === "rtt" && ending.operator === "==")) {
    const what = `${type ?? "pattern"} ${pattern}${comment === undefined ? "" : ` (${comment})`}`;
    builder.leaveOut(origin, `There is no counterpart of ${what}.`);
    return null;
  }
  const runs = Math.min(ending.runs, maxFailedRuns);
  const failingLoss = type === "loss" ? toFailingLoss(ending) : null;
  const slowMs = type === "rtt" ? ending.limit : null;
  if (ending.isPart || runs !== ending.runs) {
    const limit = failingLoss === null ? `above ${slowMs} ms` : `loss of ${failingLoss} %`;
    const to = `${limit} in ${runs} ${runs === 1 ? "run" : "runs"}`;
    const why = "A check counts failing runs, at most 5; what came before them does not matter.";
    builder.change(origin, "pattern", { from: pattern, to, why });
  }
  return { origin, failingLoss, slowMs, runs, recipients: splitList(values.get("to")) };
}

const address = /^[^\s|:<>]+@[^\s|:<>]+$/;

/** Alert definitions by name, and the channels for their recipients. */
class Alerts {
  readonly #builder: ReadingBuilder;
  readonly #alerts = new Map<string, Alert | null>();
  readonly #recipients: readonly string[];

  constructor(builder: ReadingBuilder, section: Section | undefined) {
    this.#builder = builder;
    this.#recipients = splitList(section?.values.get("to"));
    for (const one of section?.sections ?? []) {
      this.#alerts.set(one.name, parseAlert(builder, one));
    }
  }

  /** Returns the alerts with the given names, and reports names without a definition. */
  list(origin: Origin, names: string | null): Alert[] {
    return splitList(names ?? undefined).flatMap((name) => {
      const alert = this.#alerts.get(name);
      if (alert === undefined) {
        const why = "The files contain no such alert.";
        this.#builder.change(origin, "alerts", { from: name, to: "none", why });
      }
      return alert ?? [];
    });
  }

  /**
   * Subscribes recipients to the check of a target: the recipients of the section `Alerts`, of the
   * given alerts, and of the target (`alertee`). Without alerts, nobody is subscribed.
   */
  subscribe(check: string, alerts: readonly Alert[], alertee: string | null): void {
    if (alerts.length === 0) return;
    const recipients = [
      ...this.#recipients,
      ...splitList(alertee ?? undefined),
      ...alerts.flatMap((alert) => alert.recipients),
    ];
    for (const recipient of new Set(recipients)) {
      const channel = this.#addChannel(recipient);
      if (channel !== null) this.#builder.subscribe(channel, check);
    }
  }

  #addChannel(recipient: string): string | null {
    const [, inner = recipient] = /<([^>]+)>/.exec(recipient) ?? [];
    if (!address.test(inner)) {
      const what = recipient.startsWith("|") ? "programs" : "this form";
      this.#builder.note(`Recipients of ${what} are not imported; add an alert channel.`);
      return null;
    }
    const logicalId = `smokeping/mail-${toLogicalPart(inner.replace("@", "_at_"))}`;
    if (!this.#builder.has(logicalId)) {
      const payload = { type: "EMAIL", config: { address: inner }, sendRecovery: true };
      this.#builder.add({ type: "alert-channel", logicalId, payload }, inner);
    }
    return logicalId;
  }
}

/** Names of the values that subsections do not inherit. */
const ownValues = new Set([
  ...["host", "menu", "title", "remark", "hide", "note", "email", "rawlog", "parents"],
]);
const defaultStepSeconds = 300;

interface Scene {
  readonly builder: ReadingBuilder;
  readonly probes: ReadonlyMap<string, Probe>;
  readonly alerts: Alerts;
  readonly database: ReadonlyMap<string, string>;
}

/**
 * A section below the top section `Targets`. `above` contains the sections between `Targets` and
 * this section, outermost first.
 */
interface Node {
  readonly section: Section;
  readonly above: readonly Section[];
  readonly inherited: ReadonlyMap<string, string>;
}

const nameOf = ({ name, values }: Section) => values.get("menu") || values.get("title") || name;
const joinPath = (sections: readonly Section[]) => sections.map(({ name }) => name).join("/");

function addGroup(builder: ReadingBuilder, above: readonly Section[]) {
  if (above.length === 0) return null;
  const logicalId = `smokeping/group-${joinPath(above)}`;
  if (!builder.has(logicalId)) {
    const name = above.map(nameOf).join(" / ");
    builder.add({ type: "check-group", logicalId, payload: { name: cutName(name) } }, name);
  }
  return builder.has(logicalId) ? reference(logicalId) : null;
}

/**
 * Combines the alerts of a target. A check has one limit of each kind, so the lowest limits apply.
 */
function joinAlerts(builder: ReadingBuilder, origin: Origin, alerts: readonly Alert[]) {
  const pick = (key: "failingLoss" | "slowMs") => {
    const [first, ...others] = alerts
      .filter((alert) => alert[key] !== null)
      .sort((one, other) => (one[key] ?? 0) - (other[key] ?? 0));
    for (const other of others) {
      const why = "A check has one limit; the lowest counts.";
      builder.change(origin, "alerts", { from: other.origin.name, to: first?.origin.name, why });
    }
    return first;
  };
  const [loss, slow] = [pick("failingLoss"), pick("slowMs")];
  const runs = [loss, slow].flatMap((alert) => alert?.runs ?? []);
  return {
    failingLoss: loss?.failingLoss ?? null,
    slowMs: slow?.slowMs ?? null,
    failedRuns: runs.length === 0 ? 1 : Math.min(...runs),
  };
}

function reportSlaves(builder: ReadingBuilder, origin: Origin, values: Row): void {
  const slaves = values.text("slaves");
  if (slaves === null) return;
  const isOnly = values.text("nomasterpoll")?.toLowerCase() === "yes";
  const why = isOnly
    ? "Only slaves measure it. Create private locations and choose them in the check."
    : "Create private locations and choose them in the check.";
  builder.change(origin, "slaves", { from: slaves, to: "default location", why });
}

/** Returns the reason why a host cannot become a check, or `null`. */
function findHostFault(host: string): string | null {
  if (host.startsWith("DYNAMIC")) return "Its address is dynamic, and not in the file.";
  return host.startsWith("/") ? "It only combines the graphs of other targets." : null;
}

function addTarget(scene: Scene, { section, above, inherited }: Node, host: string): void {
  const { builder, probes, alerts, database } = scene;
  const path = [...above, section];
  const name = section.values.get("title") || nameOf(section);
  const origin = { origin: `smokeping/${joinPath(path)}`, name };
  const probeName = inherited.get("probe") ?? "";
  const probe = probes.get(probeName);
  const translate = probe === undefined ? null : findTranslator(probe.type);
  const fault = findHostFault(host);
  if (fault !== null || probe === undefined || translate === null) {
    const missing =
      probe === undefined
        ? `The files contain no probe ${probeName}.`
        : `There is no check for probes of type ${probe.type}.`;
    builder.leaveOut(origin, fault ?? missing);
    return;
  }
  const values = new Row(Object.fromEntries([...database, ...probe.values, ...inherited]));
  const own = alerts.list(origin, values.text("alerts"));
  const { failedRuns, ...limits } = joinAlerts(builder, origin, own);
  const payload = translate(builder, { origin, host, values, ...limits });
  if (payload === null) return;
  reportSlaves(builder, origin, values);
  const step = Number(probe.values.get("step") ?? database.get("step") ?? defaultStepSeconds);
  builder.addCheck(origin, payload, {
    tags: [...new Set(above.map((one) => one.name))],
    groupId: addGroup(builder, above),
    ...toFrequency(builder, origin, step > 0 ? step : defaultStepSeconds),
    ...toAlertSettings({ failedRuns }),
  });
  alerts.subscribe(origin.origin, own, values.text("alertee"));
}

function addTargets(scene: Scene, node: Node): void {
  const { section, above } = node;
  const host = section.values.get("host") ?? "";
  const values = new Map([...node.inherited, ...section.values]);
  if (host !== "") addTarget(scene, { ...node, inherited: values }, host);
  const inherited = new Map([...values].filter(([key]) => !ownValues.has(key)));
  for (const inner of section.sections) {
    addTargets(scene, { section: inner, above: [...above, section], inherited });
  }
}

/** Reads the configuration of SmokePing: one file, or several that include each other. */
export function readSmokeping(files: readonly ImportFile[], options: ReadOptions): Reading {
  const { sections, missing, unused } = parseSmokeping(files);
  const targets = sections.get("Targets");
  if (targets === undefined) {
    const reason =
      missing.length === 0
        ? ""
        : ` It includes files that are not uploaded: ${missing.join(", ")}.`;
    throw new UnreadableFile(
      `This is not a configuration of SmokePing: it has no section Targets.${reason}`,
    );
  }
  const builder = new ReadingBuilder(options);
  const alerts = new Alerts(builder, sections.get("Alerts"));
  const database = sections.get("Database")?.values ?? new Map();
  const scene = { builder, probes: listProbes(sections.get("Probes")), alerts, database };
  const inherited = new Map([...targets.values].filter(([key]) => !ownValues.has(key)));
  for (const section of targets.sections) addTargets(scene, { section, above: [], inherited });
  for (const { name } of sections.get("Slaves")?.sections ?? []) {
    const origin = { origin: `smokeping/slave-${name}`, name: `slave ${name}` };
    builder.leaveOut(origin, "Create a private location, and start a probe there.");
  }
  for (const name of missing) {
    builder.note(`The included file ${name} is not part of the upload. Add it to import it.`);
  }
  for (const name of unused) builder.note(`${name} is not imported: it has no section.`);
  builder.note("The history of SmokePing (RRD files) is not imported.");
  return builder.finish();
}

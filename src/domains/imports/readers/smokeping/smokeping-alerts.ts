import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import { toLogicalPart } from "../names.ts";
import { maxFailedRuns } from "../schedule.ts";
import type { Section } from "./smokeping-config.ts";

/** What an alert requires of its targets. */
export interface Alert {
  readonly origin: Origin;
  readonly failingLoss: number | null;
  readonly slowMs: number | null;
  /** Failing runs before the alert. */
  readonly runs: number;
  readonly recipients: readonly string[];
}

const splitList = (text: string | undefined): string[] =>
  (text ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

interface Ending {
  readonly operator: string;
  readonly limit: number;
  readonly runs: number;
  /** Whether the pattern has more than its equal last elements. */
  readonly isPart: boolean;
}

/** Reads the equal elements at the end of a pattern such as `==0%,>10%,>10%`. */
function readEnding(pattern: string): Ending | null {
  const elements = pattern.split(",").map((element) => element.replaceAll(/\s+/g, ""));
  const last = elements.at(-1) ?? "";
  const [, operator, limit] = /^(>=|>|==)(\d+(?:\.\d+)?)%?$/.exec(last) ?? [];
  if (operator === undefined) return null;
  const first = elements.findLastIndex((element) => element !== last) + 1;
  return { operator, limit: Number(limit), runs: elements.length - first, isPart: first > 0 };
}

/** Loss at which a run fails: a check compares with "at least". */
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

/** Alerts by name, and the channels of their recipients. */
export class Alerts {
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

  /** Returns the alerts of a list of names, and reports names without one. */
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

  /** Subscribes the recipients of the alerts, and of the target, to its check. */
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

import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { isTimeZone } from "../../../platform/text/time.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import {
  describeSchedule,
  findCronFault,
  graceMsOf,
  maxPeriodMs,
  minPeriodMs,
  periodMsOf,
  type Schedule,
  units,
} from "./expected-pings.ts";

export interface HeartbeatSettings extends VerdictSettings {
  readonly heartbeat: Schedule & { readonly pingToken: string };
}

type OwnSettings = Pick<HeartbeatSettings, "heartbeat">;

/** The request of a heartbeat run: the schedule at the time of the run, as text. */
export interface HeartbeatRequest {
  readonly schedule: string;
}

/**
 * Maximum value of `period` and `grace` in any unit: the longest allowed period, expressed in
 * seconds, the smallest unit. `findFaults` applies the exact limits.
 */
const maxAmount = maxPeriodMs / 1_000;
const Amount = Type.Number({ minimum: 0, maximum: maxAmount });
const Unit = OneOf(units);
const Expression = Type.String({ minLength: 1, maxLength: 100 });
const Zone = Type.String({ minLength: 1, maxLength: 64 });
/**
 * Schema of a token in requests. An empty string is accepted, because some clients send it instead
 * of `null`.
 */
const Token = OrNull(Type.Union([Type.String({ format: "uuid" }), Type.Literal("")]));

const words = {
  period: "How often a ping is expected: from 30 seconds to 365 days, in `periodUnit`.",
  periodUnit: "The unit of `period`.",
  grace: "Grace period in `graceUnit`: up to 365 days.",
  graceUnit: "The unit of `grace`.",
  cron: "A cron expression of five fields, instead of `period`; `null` to use `period`.",
  timezone: "The time zone of `cron`; default UTC.",
  pingToken: "The secret part of the ping URL; generated if omitted.",
  pingUrl: "The URL that the job pings with GET, HEAD or POST.",
};

const changeable = {
  period: Described(Type.Optional(Amount), words.period, 1),
  periodUnit: Described(Type.Optional(Unit), words.periodUnit, "days"),
  grace: Described(Type.Optional(Amount), words.grace, 30),
  graceUnit: Described(Type.Optional(Unit), words.graceUnit, "minutes"),
  cron: Described(Type.Optional(OrNull(Expression)), words.cron, null),
  timezone: Described(Type.Optional(OrNull(Zone)), words.timezone, "Europe/Berlin"),
  pingToken: Described(Type.Optional(Token), words.pingToken, null),
};

const Change = Type.Object(changeable);

const Shown = Type.Object(
  {
    period: Described(Type.Number(), words.period, 1),
    periodUnit: Described(Unit, words.periodUnit, "days"),
    grace: Described(Type.Number(), words.grace, 30),
    graceUnit: Described(Unit, words.graceUnit, "minutes"),
    cron: Described(OrNull(Type.String()), words.cron, null),
    timezone: Described(Type.String(), words.timezone, "UTC"),
    pingToken: Described(
      Type.String({ format: "uuid" }),
      words.pingToken,
      "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
    ),
    pingUrl: Described(
      Type.String(),
      words.pingUrl,
      "https://status.example.com/ping/7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
    ),
  },
  { title: "Heartbeat" },
);

const what = "When pings are expected, and the ping URL.";
const unusedRequest = Described(
  Type.Optional(OrNull(Type.Object({}, { additionalProperties: true }))),
  "Accepted for client compatibility; not used by heartbeat checks.",
);
const unused = {
  request: unusedRequest,
  script: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 500_000 }))),
    "Accepted for client compatibility; not used by heartbeat checks.",
  ),
};

export const fields = {
  target: {
    create: { heartbeat: Described(Change, what) },
    change: { heartbeat: Described(Type.Optional(Change), what) },
    shown: { heartbeat: Described(Shown, what) },
  },
  settings: {},
  unused: { create: unused, change: unused },
} as const satisfies KindFields;

const OwnChange = Type.Object({ heartbeat: Type.Optional(Change) });

/**
 * Default schedule. Its period 0 is invalid, so a new check must set a period or a cron expression.
 */
const usual: Schedule = {
  period: 0,
  periodUnit: "days",
  grace: 5,
  graceUnit: "minutes",
  cron: null,
  timezone: "UTC",
};

export function mergeSettings(
  before: OwnSettings | null,
  change: Type.Static<typeof OwnChange>,
): OwnSettings {
  const stored = before?.heartbeat ?? { ...usual, pingToken: "" };
  const given = change.heartbeat ?? {};
  // With a cron expression, the period has no effect, but it must be valid, because responses
  // contain it.
  const period = stored.period === 0 && given.cron ? 1 : stored.period;
  return {
    heartbeat: {
      period: given.period ?? period,
      periodUnit: given.periodUnit ?? stored.periodUnit,
      grace: given.grace ?? stored.grace,
      graceUnit: given.graceUnit ?? stored.graceUnit,
      cron: given.cron === undefined ? stored.cron : given.cron,
      timezone: given.timezone === null ? usual.timezone : (given.timezone ?? stored.timezone),
      pingToken: (given.pingToken || stored.pingToken || randomUUID()).toLowerCase(),
    },
  };
}

export function findFaults({ heartbeat }: OwnSettings): Fault[] {
  const { cron, timezone } = heartbeat;
  const periodMs = periodMsOf(heartbeat);
  const faults: Fault[] = [];
  if (periodMs < minPeriodMs || periodMs > maxPeriodMs) {
    faults.push({ key: "heartbeat.period", rule: "must be from 30 seconds to 365 days" });
  }
  if (graceMsOf(heartbeat) > maxPeriodMs) {
    faults.push({ key: "heartbeat.grace", rule: "must be at most 365 days" });
  }
  const isKnown = isTimeZone(timezone);
  if (!isKnown) {
    const rule = "must be a time zone name, such as Europe/Berlin";
    faults.push({ key: "heartbeat.timezone", rule });
  }
  const cronFault = cron === null || !isKnown ? null : findCronFault(cron, timezone);
  if (cronFault !== null) faults.push({ key: "heartbeat.cron", rule: cronFault });
  return faults;
}

export function showSettings(
  { heartbeat }: OwnSettings,
  { publicUrl }: { readonly publicUrl: string },
): object {
  const pingUrl = `${publicUrl.replace(/\/+$/, "")}/ping/${heartbeat.pingToken}`;
  return { heartbeat: { ...heartbeat, pingUrl } };
}

export function toRequest({ heartbeat }: OwnSettings): HeartbeatRequest {
  return { schedule: describeSchedule(heartbeat) };
}

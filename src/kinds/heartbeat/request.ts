import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { Fault, KindFields } from "../kind.ts";
import type { VerdictSettings } from "../verdict.ts";
import {
  describeSchedule,
  findCronFault,
  graceMsOf,
  isTimezone,
  maxPeriodMs,
  minPeriodMs,
  periodMsOf,
  type Schedule,
  units,
} from "./schedule.ts";

export interface HeartbeatSettings extends VerdictSettings {
  readonly heartbeat: Schedule & { readonly pingToken: string };
}

type OwnSettings = Pick<HeartbeatSettings, "heartbeat">;

/** What was expected, as a result tells it. */
export interface HeartbeatRequest {
  readonly schedule: string;
}

/** In seconds, more than anybody may name. */
const maxAmount = maxPeriodMs / 1_000;
const Amount = Type.Number({ minimum: 0, maximum: maxAmount });
const Unit = OneOf(units);
const Expression = Type.String({ minLength: 1, maxLength: 100 });
const Zone = Type.String({ minLength: 1, maxLength: 64 });
/** Some clients send an empty text where they have none. */
const Token = OrNull(Type.Union([Type.String({ format: "uuid" }), Type.Literal("")]));

const words = {
  period: "How often a ping is expected: from 30 seconds to 365 days, in `periodUnit`.",
  periodUnit: "The unit of `period`.",
  grace: "How late a ping may be: up to 365 days, in `graceUnit`.",
  graceUnit: "The unit of `grace`.",
  cron: "Five fields: when a ping is expected, in place of `period`; null: every `period`.",
  timezone: "The time zone of `cron`; UTC if not given.",
  pingToken: "The secret part of the address that is pinged; made by the service if not given.",
  pingUrl: "The address that the job pings, by GET, HEAD or POST.",
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

const what = "When pings are expected, and where.";
const unusedRequest = Described(
  Type.Optional(OrNull(Type.Object({}, { additionalProperties: true }))),
  "Accepted for clients that send it; a heartbeat has none.",
);
const unused = {
  request: unusedRequest,
  script: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 500_000 }))),
    "Accepted for clients that send it; a heartbeat has none.",
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

/** A period has no default: one or a cron expression must be given. */
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
  // It means nothing beside a cron expression, but is shown.
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
  const isKnown = isTimezone(timezone);
  if (!isKnown) {
    const rule = "must be the name of a time zone, such as Europe/Berlin";
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

import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { formatMilliseconds } from "../../../platform/text/figures.ts";
import { findPathFault } from "../../../sandbox/files.ts";
import type { ScriptMeasurement, ScriptRequest, Snapshot } from "../../../sandbox/script-run.ts";
import { readDigest } from "../../../sandbox/suites/suite.ts";
import type { Fault, Run } from "../../kit/definition.ts";
import { explain, judge, type ScriptReason } from "../../kit/scripts/judge.ts";
import {
  findFaults as findScriptFaults,
  mergeSettings as mergeScriptSettings,
  type ScriptSettings,
  fields as scriptFields,
  toRequest,
} from "../../kit/scripts/request.ts";
import { type Judgement, judgeByReasons } from "../../kit/verdict.ts";
import { parseDomain } from "./domain.ts";
import { findWorst, type VitalName, vitalNames } from "./vitals.ts";

interface Budget {
  readonly degraded?: number | null;
  readonly failing?: number | null;
}
type Budgets = Readonly<Partial<Record<VitalName, Budget | null>>>;

export interface BrowserSettings extends ScriptSettings {
  readonly webVitalBudgets: Budgets | null;
  /**
   * Host whose certificate each run reads, so that alerts can be sent before it expires; `null` for
   * none.
   */
  readonly sslCheckDomain: string | null;
  readonly snapshots: readonly Snapshot[];
}

export type BrowserReason =
  | ScriptReason
  | {
      readonly name: "web-vital-above-degraded" | "web-vital-above-failing";
      readonly vital: VitalName;
      readonly value: number;
      readonly limit: number;
      readonly url: string;
    };

const maxDomainLength = 255;
const maxSnapshots = 50;
const maxPathLength = 1_000;

const SnapshotSchema = Type.Object(
  {
    key: Type.String({
      description: "Key of the uploaded picture.",
      maxLength: 128,
      examples: ["bundle/1f2e…"],
    }),
    path: Type.String({
      description: "Where the tests look for it, relative to the files of the script.",
      minLength: 1,
      maxLength: maxPathLength,
      examples: ["home.spec.ts-snapshots/home-1-linux.png"],
    }),
  },
  { title: "BrowserSnapshot" },
);

const Limit = (description: string, maximum: number) =>
  Described(Type.Optional(OrNull(Type.Number({ minimum: 0, maximum }))), description);

const createBudget = (unit: string, maximum: number) =>
  Type.Object(
    {
      degraded: Limit(`A run with a higher value ${unit} is degraded.`, maximum),
      failing: Limit(`A run with a higher value ${unit} is failing.`, maximum),
    },
    { additionalProperties: false },
  );

const TimeBudget = createBudget("in milliseconds", 300_000);
const ScoreBudget = createBudget("as a score", 100);

const BudgetsSchema = Type.Object(
  {
    TTFB: Described(Type.Optional(OrNull(TimeBudget)), "Time to first byte."),
    FCP: Described(Type.Optional(OrNull(TimeBudget)), "First contentful paint."),
    LCP: Described(Type.Optional(OrNull(TimeBudget)), "Largest contentful paint."),
    CLS: Described(Type.Optional(OrNull(ScoreBudget)), "Cumulative layout shift."),
  },
  { title: "WebVitalBudgets", additionalProperties: false },
);

export const fields = {
  ...scriptFields,
  settings: {
    ...scriptFields.settings,
    webVitalBudgets: Described(
      Type.Optional(OrNull(BudgetsSchema)),
      "Limits of the web vitals of every page; `null` for none.",
      { LCP: { degraded: 2_500, failing: 4_000 } },
    ),
    sslCheckDomain: Described(
      Type.Optional(OrNull(Type.String({ maxLength: maxDomainLength }))),
      "A host, with a port unless it is 443. Each run reads its certificate, and channels with " +
        "`sslExpiry` receive an alert before it expires. `null` or empty for none.",
      "shop.example.com",
    ),
    snapshots: Described(
      Type.Optional(OrNull(Type.Array(SnapshotSchema, { maxItems: maxSnapshots }))),
      "Pictures that `toHaveScreenshot` compares pages with; upload them first.",
      [],
    ),
  },
};

type Before = Parameters<typeof mergeScriptSettings>[0] & Partial<BrowserSettings>;

export function mergeSettings(
  before: Before | null,
  change: Parameters<typeof mergeScriptSettings>[1] & Partial<BrowserSettings>,
): object {
  const { webVitalBudgets = before?.webVitalBudgets ?? null } = change;
  const { sslCheckDomain = before?.sslCheckDomain ?? null } = change;
  return {
    ...mergeScriptSettings(before, change),
    snapshots: (change.snapshots === undefined ? before?.snapshots : change.snapshots) ?? [],
    webVitalBudgets,
    sslCheckDomain: sslCheckDomain?.trim() || null,
  };
}

export function toBrowserRequest(settings: BrowserSettings): ScriptRequest {
  // Default values for checks that an earlier version stored without these fields.
  const { sslCheckDomain = null, snapshots = [] } = settings as Partial<BrowserSettings>;
  return {
    ...toRequest(settings),
    ...(snapshots.length > 0 && { snapshots }),
    ...(sslCheckDomain !== null && { certificateDomain: sslCheckDomain }),
  };
}

function findDomainFaults({ sslCheckDomain = null }: Partial<BrowserSettings>): Fault[] {
  const parsed = sslCheckDomain === null ? {} : parseDomain(sslCheckDomain);
  if (!("reason" in parsed)) return [];
  return [{ key: "sslCheckDomain", rule: `is not a valid host: ${parsed.reason}` }];
}

/**
 * Validates snapshots: pictures with which the tests of a browser check compare pages. The server
 * calls this function for the settings of a check. A probe calls it for the request that it
 * receives.
 */
export function findSnapshotFaults({
  snapshots = [],
  dependencies = [],
  scriptPath = null,
}: Partial<Pick<BrowserSettings, "snapshots" | "dependencies" | "scriptPath">>): Fault[] {
  const taken = new Set([scriptPath, ...dependencies.map(({ path }) => path)]);
  return snapshots.flatMap(({ path, key }, index): Fault[] => {
    const field = `snapshots.${index}`;
    if (readDigest(key) === null) {
      return [{ key: `${field}.key`, rule: "must be the key of an uploaded file" }];
    }
    const rule = findPathFault(path) ?? (taken.has(path) ? "must be unique" : null);
    taken.add(path);
    return rule === null ? [] : [{ key: `${field}.path`, rule }];
  });
}

export function findFaults(settings: BrowserSettings): Fault[] {
  const crossed = vitalNames.flatMap((name): Fault[] => {
    const { degraded = null, failing = null } = settings.webVitalBudgets?.[name] ?? {};
    if (degraded === null || failing === null || degraded <= failing) return [];
    return [
      { key: `webVitalBudgets.${name}.failing`, rule: "must be at least the degraded limit" },
    ];
  });
  return [
    ...findScriptFaults(settings),
    ...crossed,
    ...findDomainFaults(settings),
    ...findSnapshotFaults(settings),
  ];
}

type BrowserRun = Run<ScriptRequest, ScriptMeasurement>;

/** Judges a run by its script. If the script passes, the web vitals of the pages decide. */
export function judgeBrowser(settings: BrowserSettings, run: BrowserRun): Judgement {
  const judgement = judge(settings, run);
  if (run.outcome.kind !== "measured" || judgement.verdict !== "passing") return judgement;
  const { measurement } = run.outcome;
  const list = (level: keyof Budget) => listBreaches(settings.webVitalBudgets, measurement, level);
  return judgeByReasons(list("failing"), list("degraded"));
}

/**
 * Lists the web vitals that exceed their limit for `level`, which is either degraded or failing.
 * Each entry names the page with the worst value of the web vital.
 */
function listBreaches(
  budgets: Budgets | null,
  measurement: ScriptMeasurement,
  level: keyof Budget,
): BrowserReason[] {
  return vitalNames.flatMap((vital): BrowserReason[] => {
    const limit = budgets?.[vital]?.[level] ?? null;
    const worst = limit === null ? null : findWorst(measurement, vital);
    if (limit === null || worst === null || worst.value <= limit) return [];
    const url = toShortLine(worst.url, maxUrlLength);
    return [{ name: `web-vital-above-${level}`, vital, value: worst.value, limit, url }];
  });
}

const maxUrlLength = 200;

export function explainBrowser(reason: BrowserReason): string {
  if (!("vital" in reason)) return explain(reason);
  const { vital, value, limit, url } = reason;
  const format = (figure: number) =>
    vital === "CLS" ? String(Math.round(figure * 1_000) / 1_000) : formatMilliseconds(figure);
  return `${vital} of ${url} was ${format(value)}, above ${format(limit)}`;
}

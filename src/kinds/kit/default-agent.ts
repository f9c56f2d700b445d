import { type TSchema, Type } from "typebox";
import { clipText, quote } from "../../platform/text/clip.ts";
import { writeChange, writeMs, writePercent } from "../../platform/text/figures.ts";
import type { KindAgent, KindSpeech, OwnAgent, OwnSpeech, SpokenFigure } from "./agent.ts";
import { nameFigure, roundFigure, unitOf } from "./figures.ts";
import type { BareKind } from "./kind.ts";
import { secretMask } from "./secrets.ts";
import { field, figure, maxShownLength, type ToolFields } from "./tool-fields.ts";
import type { VerdictSettings } from "./verdict.ts";

/**
 * Creates the agent's view of a kind. Members that the kind does not provide are derived from its
 * other parts.
 */
export function createAgent(kind: BareKind, own: OwnAgent = {}): KindAgent {
  const { areShown } = kind.responseTimeLimits;
  return {
    names: own.names ?? [kind.type.toLowerCase().replaceAll("_", " ")],
    fieldHints: own.fieldHints ?? listDescriptions(kind.fields.target.create),
    hints: { ...createHints(kind), ...own.hints },
    checkFields: { ...(own.checkFields ?? createCheckFields(kind)), ...(areShown && timeLimits) },
    resultFields: own.resultFields ?? createResultFields(kind),
    runFields: own.runFields ?? createRunFields(kind),
    reasonFields: own.reasonFields ?? {},
    figureFields: own.figureFields ?? createFigureFields(kind),
    speech: createSpeech(kind, own.speech ?? {}),
  };
}

const timeLimits: ToolFields<VerdictSettings> = {
  degradedResponseTime: figure(
    "milliseconds above which a run is degraded",
    ({ degradedResponseTime }) => degradedResponseTime,
  ),
  maxResponseTime: figure(
    "milliseconds above which a run is failing",
    ({ maxResponseTime }) => maxResponseTime,
  ),
};

/** Returns the descriptions of fields by path, including the fields inside objects. */
function listDescriptions(
  fields: Readonly<Record<string, TSchema>>,
  path = "",
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, schema] of Object.entries(fields)) {
    const { description = "" } = schema as { readonly description?: string };
    found[`${path}${name}`] = description;
    if (Type.IsObject(schema)) {
      Object.assign(found, listDescriptions(schema.properties, `${path}${name}.`));
    }
  }
  return found;
}

function createHints({ parts, samples, words }: BareKind) {
  const shown = parts.filter(({ summary }) => summary !== undefined);
  return {
    run: `with the result document of ${words.aCheck}`,
    figures: shown.map(({ summary }) => summary?.noun).join(", ") || samples.noun,
    samples: `${samples.noun} of ${words.aCheck}`,
    creation: "",
  };
}

/** Returns one field with the kind's own settings in their API form, without secrets. */
function createCheckFields(kind: BareKind): ToolFields<VerdictSettings> {
  // By default, the agent shows the stored settings. A kind with `showSettings` has a different API
  // form, which may need more data than the settings, so the kind gets no default field.
  if (kind.showSettings !== undefined) return {};
  const { shown } = kind.fields.target;
  const hide = (settings: VerdictSettings) =>
    kind.secrets?.mapSettings(settings, (text) => text && secretMask) ?? settings;
  const names = Object.keys(shown);
  return {
    [`${kind.path}Settings`]: field(Type.Object(shown), (settings) => {
      const own = Object.entries(hide(settings)).filter(([name]) => names.includes(name));
      return shorten(Object.fromEntries(own));
    }),
  };
}

function createResultFields({ figures, parts, words }: BareKind): ToolFields<unknown> {
  const ofParts = parts.map((part, place) => [
    nameFigure(part),
    figure(part.label, (measurement: unknown) => figures(measurement).parts[place]),
  ]);
  return {
    responseTimeMs: figure(words.responseTime, (measurement) => figures(measurement).responseMs),
    ...Object.fromEntries(ofParts),
  };
}

/** Returns one field with the API document of the run. */
function createRunFields(kind: BareKind): KindAgent["runFields"] {
  return {
    [kind.documentField]: field(kind.DocumentSchema, (run) => shorten(kind.document(run))),
  };
}

const maxShownEntries = 10;

/** Shortens long texts and lists, because they would fill a language model's context. */
function shorten(value: unknown): unknown {
  if (typeof value === "string") return clipText(value, maxShownLength);
  if (Array.isArray(value)) return value.slice(0, maxShownEntries).map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
}

function createFigureFields({ parts }: BareKind): KindAgent["figureFields"] {
  return Object.fromEntries(
    parts.flatMap((part) =>
      part.summary === undefined
        ? []
        : [
            [
              nameFigure(part),
              figure(`average ${part.summary.noun}`, (averages) => averages[part.name]),
            ],
          ],
    ),
  );
}

/** Data of a check, result or run that the agent's tools return for every kind. */
interface CommonData {
  readonly hostname?: string;
  readonly ipFamily?: string;
  readonly resolvedIp?: string | null;
  readonly trouble?: Readonly<Record<string, unknown>> | null;
}

const sharedCulprits = {
  "name-not-resolved": "Name resolution seems to be the cause: no connection was attempted.",
  "connection-refused":
    "The host responds but refuses the connection: the service is not running, or a firewall rejects it.",
  "address-denied": "The probe's own rules forbid that address.",
};

function createSpeech(kind: BareKind, own: OwnSpeech): KindSpeech {
  const { words } = kind;
  const describeResult =
    own.describeResult ?? ((result: object) => describeParts(kind, result) || "no measurement");
  return {
    describeTarget: ({ hostname = "", ipFamily }: CommonData) =>
      `${words.verb} ${quote(hostname)}${ipFamily === undefined ? "" : ` over ${formatFamily(ipFamily)}`}`,
    describeSize: () => `${words.aRun.replace(/^an? /, "one ")} each time`,
    describeLimits: () => [],
    describeRun: (run) => {
      const trouble = describeTrouble(run, own.unmeasured);
      if (trouble !== null) return [trouble];
      return [describeResult(run), ...(own.listFindings?.(run) ?? [])];
    },
    describeDestination: ({ resolvedIp = null }: CommonData) =>
      resolvedIp === null ? "" : ` to ${resolvedIp}`,
    findEvidence: () => null,
    ownReasons: [],
    ...describeSpokenFigures(own.figures ?? listSpokenFigures(kind)),
    measure: null,
    proposal: null,
    ...own,
    describeResult,
    culprits: { ...sharedCulprits, ...own.culprits },
  };
}

const formatFamily = (ipFamily: string) => (ipFamily === "BOTH" ? "IPv4 and IPv6" : ipFamily);

/** Returns why a run measured nothing; `null` if it measured something. */
export function describeTrouble(
  { trouble = null }: Pick<CommonData, "trouble">,
  unmeasured = "nothing was measured",
): string | null {
  if (trouble === null) return null;
  const message = trouble.message ?? trouble.code ?? trouble.kind;
  return `${unmeasured}: ${quote(String(message ?? "unknown reason"), 200)}`;
}

/** Formats the figures of one result, such as "response time 12 ms, packet loss 4 %". */
function describeParts({ parts, words }: BareKind, result: object): string {
  const figures = [
    { name: "responseTimeMs", noun: words.responseTime, unit: "ms" as const },
    ...parts.map((part) => ({
      name: nameFigure(part),
      noun: `${part.label.charAt(0).toLowerCase()}${part.label.slice(1)}`,
      unit: unitOf(part),
    })),
  ];
  return describeSpokenFigures(figures).describeFigures(result);
}

function listSpokenFigures({ parts }: BareKind): SpokenFigure[] {
  return parts.flatMap((part) =>
    part.summary === undefined
      ? []
      : [{ name: nameFigure(part), noun: part.summary.noun, unit: unitOf(part) }],
  );
}

type FigurePhrases = Pick<KindSpeech, "describeFigures" | "describeChange" | "describeDifference">;

const writers = {
  ms: writeMs,
  "%": writePercent,
  days: (days: number) => `${Math.floor(days)} days`,
  "": (score: number) => String(roundFigure(score)),
} as const;
const differenceUnits = { ms: "ms", "%": "points", days: "days", "": "points" } as const;

function describeSpokenFigures(figures: readonly SpokenFigure[]): FigurePhrases {
  const read = (data: object, { name }: SpokenFigure) =>
    (data as Readonly<Record<string, number | null>>)[name] ?? null;
  const describe = (write: (spoken: SpokenFigure) => string | null) =>
    figures
      .map(write)
      .filter((text) => text !== null)
      .join(", ");
  return {
    describeFigures: (data) =>
      describe((spoken) => {
        const value = read(data, spoken);
        const { noun, before = noun, unit } = spoken;
        return value === null ? null : `${before} ${writers[unit](value)}`;
      }),
    describeChange: (before, now) =>
      describe((spoken) => {
        const [former, latter] = [read(before, spoken), read(now, spoken)];
        if (former === null || latter === null) return null;
        const write = writers[spoken.unit];
        return `${spoken.noun} ${write(former)} → ${write(latter)}`;
      }),
    describeDifference: (change) =>
      describe((spoken) => {
        const value = read(change, spoken);
        const { noun, unit } = spoken;
        return value === null ? null : `${noun} ${writeChange(value, differenceUnits[unit])}`;
      }),
  };
}

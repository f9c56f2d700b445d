import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { Described } from "../../platform/http/schema.ts";
import type { OwnAgent } from "./agent.ts";
import { createAgent } from "./default-agent.ts";
import type { KindFields } from "./definition.ts";
import { addFamilies, addFamilyFields } from "./families/add-families.ts";
import { nameFigure, unitOf } from "./figures.ts";
import type { AllFields, BareKind, Kind, KindParts } from "./kind.ts";
import type { Fact } from "./presentation.ts";
import { noTexts } from "./secrets.ts";
import type { KindStorage } from "./storage.ts";
import type { Reason, VerdictSettings } from "./verdict.ts";

/** Creates a kind from its parts. Missing members get defaults or are derived from the parts. */
export function createKind<
  Settings extends VerdictSettings,
  Request,
  Measurement,
  OwnReason extends Reason = Reason,
>(
  parts: KindParts<Settings, Request, Measurement, OwnReason>,
): Kind<Settings, Request, Measurement, OwnReason> {
  // The cast is needed so that kinds with different settings fit into one map, see `KindParts`.
  const ofOne = parts as unknown as KindParts;
  const hasFamilies = parts.families !== undefined;
  const bare = complete(hasFamilies ? addFamilies(ofOne) : ofOne);
  const agent = createAgent(bare, parts.agent as OwnAgent | undefined);
  const kind: Kind = { ...bare, agent: hasFamilies ? addFamilyFields(ofOne, agent) : agent };
  return kind as unknown as Kind<Settings, Request, Measurement, OwnReason>;
}

function complete({ agent: _agent, ...parts }: KindParts): BareKind {
  const path = parts.path ?? parts.type.toLowerCase().replaceAll("_", "-");
  const fields = completeFields(parts.fields);
  const documentField = `${toCamelCase(parts.type)}CheckResult`;
  return {
    ...defaults,
    describeLimits: (settings) => describeLimits(settings, parts.failsWhen),
    listFacts: (measurement) => listFacts(parts, measurement),
    ...parts,
    path,
    analyticsPath: parts.analyticsPath ?? path,
    isOrdered: parts.pings === undefined && parts.signals === undefined,
    fields,
    documentField,
    ownFieldNames: [documentField, ...(parts.ownFieldNames ?? [])],
    words: {
      ...defaultWords,
      aCheck: `${articleOf(parts.type)} ${parts.type} check`,
      ...parts.words,
    },
    operations: {
      name: capitalise(toCamelCase(parts.type)),
      create: describeCreation(fields.target.create),
      update: "An omitted field keeps its value.",
      ...parts.operations,
    },
  };
}

const defaults = {
  responseTimeLimits: { degradedMs: 3_000, failingMs: 5_000, highestMs: 45_000, areShown: true },
  maxBodyBytes: 1024 * 1024,
  findFaults: () => [],
  texts: noTexts,
  assertionSources: {},
  listAssertions: (settings: VerdictSettings) =>
    (settings as { readonly request?: { readonly assertions?: [] } }).request?.assertions ?? [],
  counters: [],
  parts: [],
  samples: { metric: "total", noun: "response time", label: "Response time" },
  explain: ({ name }: Reason) => name.replaceAll("-", " "),
  limitFields: {},
  limits: () => ({}),
  explainingFields: {},
  explainingFigures: () => ({}),
  listExamples: () => [],
};

const defaultWords = {
  aRun: "a run",
  verb: "checks",
  responseTime: "response time",
  exactFigures: "counts of runs",
};

/** Returns the indefinite article of a type. Types that start with U take "a": "a URL". */
const articleOf = (type: string) => (/^[AEIO]/.test(type) ? "an" : "a");

const capitalise = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Converts a type to camel case: "MULTI_STEP" becomes "multiStep". */
const toCamelCase = (type: string) =>
  type.toLowerCase().replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function completeFields({ target, settings = {}, scripts = {}, unused }: KindFields): AllFields {
  return {
    target: {
      create: target.create,
      change: target.change ?? mapFields(target.create, Type.Partial, Type.Optional),
      shown: target.shown ?? mapFields(target.create, Type.Required, (schema) => schema),
    },
    settings,
    scripts,
    unused: unused ?? { create: {}, change: {} },
  };
}

function mapFields(
  fields: TProperties,
  mapObject: (schema: TObject) => TSchema,
  mapAll: (schema: TSchema) => TSchema,
): TProperties {
  const mapped = Object.entries(fields).map(([name, schema]) => {
    const own = Type.IsObject(schema) ? mapObject(schema) : schema;
    const { description = "" } = schema as { readonly description?: string };
    return [name, Described(mapAll(own), description)];
  });
  return Object.fromEntries(mapped);
}

/** Formats the required fields, such as "`name` and `request.url` are required; …". */
function describeCreation(create: TProperties): string {
  const names = ["name", ...listRequired(create)].map((name) => `\`${name}\``);
  const last = names.pop();
  return (
    `${names.join(", ")} and ${last} are required; all other fields have defaults. ` +
    "The first run starts at once."
  );
}

function listRequired(fields: TProperties, path = ""): string[] {
  return Object.entries(fields).flatMap(([name, schema]) => {
    if (Type.IsOptional(schema)) return [];
    const here = `${path}${name}`;
    const nested = Type.IsObject(schema) ? listRequired(schema.properties, `${here}.`) : [];
    return nested.length === 0 ? [here] : nested;
  });
}

function describeLimits(
  { degradedResponseTime, maxResponseTime }: VerdictSettings,
  failsWhen = "it does not respond as expected",
): string {
  const most = maxResponseTime === null ? "" : ` or takes more than ${maxResponseTime} ms`;
  const failing = `failing when ${failsWhen}${most}`;
  if (degradedResponseTime === null) return `is ${failing}`;
  return `is degraded above ${degradedResponseTime} ms and ${failing}`;
}

function listFacts({ parts = [], figures }: KindStorage, measurement: unknown): Fact[] {
  const values = measurement === null ? [] : figures(measurement).parts;
  return parts.flatMap((part, place) =>
    part.summary === undefined
      ? []
      : [
          {
            name: nameFigure(part),
            label: part.label,
            value: values[place] ?? null,
            unit: unitOf(part),
          },
        ],
  );
}

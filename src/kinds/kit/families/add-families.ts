import { Type } from "typebox";
import type { Order } from "../../../contract/order.ts";
import type { OnStep, Outcome, Trouble } from "../../../contract/result.ts";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import type { IpFamily } from "../../../platform/net/host.ts";
import type { KindAgent } from "../agent.ts";
import type { Run } from "../definition.ts";
import { roundFigure } from "../figures.ts";
import type { KindParts } from "../kind.ts";
import type { Prober, StartProber } from "../prober.ts";
import { type ChangeText, type KindTexts, noTexts } from "../secrets.ts";
import { field, type ToolFields } from "../tool-fields.ts";
import { changeTrouble, mapOutcome } from "../variables/variables.ts";
import {
  areOutcomes,
  type ByFamily,
  combineOutcomes,
  families,
  isOfBoth,
  judgeBoth,
  type OfBoth,
  splitRun,
  toBoth,
  usesBoth,
  withFamily,
} from "./both-families.ts";

/** Returns the IP family that provides the figures: the worse one if both were measured. */
function findLead(
  { figures, families: { weigh } = {} }: KindParts,
  { IPv4, IPv6 }: ByFamily<Outcome>,
): IpFamily {
  if (IPv6.kind !== "measured") return "IPv4";
  if (IPv4.kind !== "measured") return "IPv6";
  const read =
    weigh ?? ((measurement) => figures(measurement).responseMs ?? Number.POSITIVE_INFINITY);
  return read(IPv6.measurement) > read(IPv4.measurement) ? "IPv6" : "IPv4";
}

/** Returns the measurement of the IP family that provides the figures. */
function leadMeasurement(kind: KindParts, measurement: unknown): unknown {
  if (!isOfBoth(measurement)) return measurement;
  const outcome = measurement.families[findLead(kind, measurement.families)];
  return outcome.kind === "measured" ? outcome.measurement : null;
}

/**
 * Returns the run of the IP family that provides the figures. If neither family was measured,
 * returns the run over IPv4 with the combined outcome.
 */
function leadRun(kind: KindParts, run: Run): Run {
  if (!usesBoth(run.request)) return run;
  const runs = splitRun(run);
  if (run.outcome.kind !== "measured") return { ...runs.IPv4, outcome: run.outcome };
  return runs[findLead(kind, { IPv4: runs.IPv4.outcome, IPv6: runs.IPv6.outcome })];
}

/**
 * Extends the text functions of a kind to measurements and errors that contain both IP families.
 */
function mapBothTexts(texts: KindTexts): KindTexts {
  // Kinds whose requests contain no variables all use the object `noTexts`, and other code compares
  // `texts` with this object to recognize them. The object must therefore be returned unchanged.
  if (texts === noTexts) return texts;
  const mapFamilies = ({ IPv4, IPv6 }: ByFamily<Outcome>, change: ChangeText) => ({
    IPv4: mapOutcome(texts, IPv4, change),
    IPv6: mapOutcome(texts, IPv6, change),
  });
  return {
    mapRequest: texts.mapRequest,
    mapMeasurement: (measurement, change) =>
      isOfBoth(measurement)
        ? { families: mapFamilies(measurement.families, change) }
        : texts.mapMeasurement(measurement, change),
    mapTrouble: (trouble, change) => {
      const changed = changeTrouble(trouble, change);
      if (!isOfBoth(trouble)) return changed;
      const both: Trouble & OfBoth = {
        ...changed,
        families: mapFamilies(trouble.families, change),
      };
      return both;
    },
  };
}

/**
 * Flag in the first byte of a stored detail with both IP families. The stored detail starts with
 * the complete detail of the family that provides the figures, because statistics read only that
 * part. It is followed by:
 *
 *     [ ]  detail of the other family, or its outcome as JSON if it was not measured; empty if
 *          neither family was measured
 *     u32  length of the first detail
 *     u8   flags
 */
const isStoredBoth = 0x80;
const trailerBytes = 5;
const leadsIpv6 = 1;
const isOtherMeasured = 2;
const isOtherJson = 4;

function encodeBoth(kind: KindParts, run: Run): Buffer {
  const { IPv4, IPv6 } = splitRun(run);
  const isMeasured = run.outcome.kind === "measured";
  const lead = isMeasured
    ? findLead(kind, { IPv4: IPv4.outcome, IPv6: IPv6.outcome })
    : families[0];
  const [first, second] = lead === "IPv6" ? [IPv6, IPv4] : [IPv4, IPv6];
  let flags = lead === "IPv6" ? leadsIpv6 : 0;
  let other: Buffer = Buffer.alloc(0);
  if (isMeasured && second.outcome.kind === "measured") {
    flags |= isOtherMeasured;
    other = kind.encode(second);
  } else if (isMeasured) {
    flags |= isOtherJson;
    other = Buffer.from(JSON.stringify(second.outcome));
  }
  const detail = kind.encode(first);
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(detail.length);
  trailer.writeUInt8(flags, 4);
  const whole = Buffer.concat([detail, other, trailer]);
  whole.writeUInt8(whole.readUInt8() | isStoredBoth);
  return whole;
}

type Rest = Parameters<KindParts["decode"]>[1];

function decodeBoth(kind: KindParts, stored: Buffer, rest: Rest): Run {
  const trailerAt = stored.length - trailerBytes;
  const firstEnd = stored.readUInt32LE(trailerAt);
  const flags = stored.readUInt8(trailerAt + 4);
  const detail = Buffer.from(stored.subarray(0, firstEnd));
  detail.writeUInt8(detail.readUInt8() & ~isStoredBoth);
  const { outcome: one, startedAtMs, ...first } = kind.decode(detail, rest);
  const request = toBoth(first.request);
  const otherBytes = stored.subarray(firstEnd, trailerAt);
  const other = decodeOther(kind, otherBytes, { flags, startedAtMs });
  if (other === null) return { request, startedAtMs, outcome: one };
  const outcomes =
    (flags & leadsIpv6) === 0 ? { IPv4: one, IPv6: other } : { IPv4: other, IPv6: one };
  const measurement = { families: outcomes };
  return { request, startedAtMs, outcome: { kind: "measured", measurement } };
}

function decodeOther(
  kind: KindParts,
  bytes: Buffer,
  { flags, startedAtMs }: { readonly flags: number; readonly startedAtMs: number },
): Outcome | null {
  if ((flags & isOtherJson) !== 0) return JSON.parse(bytes.toString("utf8")) as Outcome;
  if ((flags & isOtherMeasured) === 0) return null;
  return kind.decode(bytes, { startedAtMs, trouble: null }).outcome;
}

/**
 * Reads the figures of a stored detail with both IP families. The flag that marks such a detail is
 * cleared in a copy, because the kind cannot read it. Copying is affordable, because few runs
 * measure both families.
 */
function readBothFigures(
  kind: KindParts,
  ...[bytes, from, to, visitor]: Parameters<KindParts["readFigures"]>
): void {
  const detail = Buffer.from(new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from));
  detail.writeUInt8(detail.readUInt8() & ~isStoredBoth);
  const view = new DataView(detail.buffer, detail.byteOffset, detail.length);
  kind.readFigures(view, 0, detail.length, visitor);
}

/**
 * Returns the document of the IP family that provides the figures, with the documents of both IP
 * families in `families`.
 */
function documentBoth(kind: KindParts, run: Run): object {
  const { IPv4, IPv6 } = splitRun(run);
  const show = (one: Run) => ({ ...kind.document(one), responseTime: readResponseMs(kind, one) });
  const documents = { IPv4: show(IPv4), IPv6: show(IPv6) };
  return { ...kind.document(leadRun(kind, run)), families: documents };
}

function readResponseMs(kind: KindParts, { outcome }: Pick<Run, "outcome">): number | null {
  return outcome.kind === "measured"
    ? roundFigure(kind.figures(outcome.measurement).responseMs)
    : null;
}

function addToSchema(schema: KindParts["DocumentSchema"]): KindParts["DocumentSchema"] {
  const responseTime = Described(
    OrNull(Type.Number()),
    "The response time over this family in milliseconds; `null` if there was no response.",
    12.4,
  );
  const ofOne = Type.Object(
    { ...schema.properties, responseTime },
    { description: "The result over one family." },
  );
  const ofBoth = Type.Object(
    { IPv4: ofOne, IPv6: ofOne },
    {
      description:
        "The results of both families. Present if `ipFamily` is BOTH; the fields beside it are " +
        "then those of the family with the worse figures.",
    },
  );
  const { description = "" } = schema as { readonly description?: string };
  return Type.Object({ ...schema.properties, families: Type.Optional(ofBoth) }, { description });
}

/** Returns the response times over both IP families as facts about the run. */
function listFamilyFacts(kind: KindParts, measurement: unknown) {
  if (!isOfBoth(measurement)) return [];
  const noun = kind.words?.responseTime ?? "response time";
  return families.map((family) => {
    const outcome = measurement.families[family];
    return {
      name: `${family.toLowerCase()}Ms`,
      label: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} over ${family}`,
      value: readResponseMs(kind, { outcome }),
      unit: "ms",
    };
  });
}

/**
 * Extends a kind so that a run can measure both IP families. Runs with one family stay as they are.
 */
export function addFamilies(kind: KindParts): KindParts {
  const { texts = noTexts, listFacts, explainingFigures, findCertificate } = kind;
  const lead = (measurement: unknown) => leadMeasurement(kind, measurement);
  return {
    ...kind,
    texts: mapBothTexts(texts),
    DocumentSchema: addToSchema(kind.DocumentSchema),
    toRequest: (settings) => {
      const { request } = settings as { readonly request?: unknown };
      if (!usesBoth(request)) return kind.toRequest(settings);
      const ofOne = { ...settings, request: withFamily(request, families[0]) };
      return toBoth(kind.toRequest(ofOne));
    },
    isMeasurement: (value): value is unknown =>
      isOfBoth(value)
        ? areOutcomes(value.families, (one) => kind.isMeasurement(one))
        : kind.isMeasurement(value),
    judge: (settings, run) =>
      usesBoth(run.request) ? judgeBoth(kind, settings, run) : kind.judge(settings, run),
    figures: (measurement) => kind.figures(lead(measurement)),
    encode: (run) => (usesBoth(run.request) ? encodeBoth(kind, run) : kind.encode(run)),
    decode: (detail, rest) =>
      ((detail[0] ?? 0) & isStoredBoth) === 0
        ? kind.decode(detail, rest)
        : decodeBoth(kind, detail, rest),
    readFigures: (bytes, from, to, visitor) => {
      if (to <= from) return;
      if ((bytes.getUint8(from) & isStoredBoth) !== 0) {
        readBothFigures(kind, bytes, from, to, visitor);
      } else kind.readFigures(bytes, from, to, visitor);
    },
    document: (run) => (usesBoth(run.request) ? documentBoth(kind, run) : kind.document(run)),
    ...(explainingFigures && {
      explainingFigures: (measurement) => explainingFigures(lead(measurement)),
    }),
    ...(listFacts && {
      listFacts: (measurement) => [
        ...listFacts(lead(measurement)),
        ...listFamilyFacts(kind, measurement),
      ],
    }),
    ...(findCertificate && {
      findCertificate: (run) => {
        if (!usesBoth(run.request)) return findCertificate(run);
        const { IPv4, IPv6 } = splitRun(run);
        return findCertificate(IPv4) ?? findCertificate(IPv6);
      },
    }),
  };
}

const FamilyResult = Type.Object(
  {
    ipFamily: Type.String(),
    responseTimeMs: OrNull(Type.Number()),
    error: OrNull(Type.String({ description: "why it was not measured" })),
  },
  { additionalProperties: false },
);

const familiesField = field(
  OrNull(Type.Array(FamilyResult, { description: "both families; null if the run used one" })),
  () => null as readonly object[] | null,
);

/**
 * Extends the agent's fields to runs with both IP families. `families` contains both families, and
 * the other fields show the family that provides the figures.
 */
export function addFamilyFields(kind: KindParts, agent: KindAgent): KindAgent {
  const describe = ({ outcome }: Run, ipFamily: IpFamily) => ({
    ipFamily,
    responseTimeMs: readResponseMs(kind, { outcome }),
    error:
      outcome.kind === "measured"
        ? null
        : outcome.kind === "unreachable"
          ? outcome.trouble.message
          : outcome.message,
  });
  const readBoth = (run: Run) => {
    if (!usesBoth(run.request)) return null;
    const runs = splitRun(run);
    return families.map((family) => describe(runs[family], family));
  };
  return {
    ...agent,
    resultFields: mapFields(agent.resultFields, (measurement) =>
      leadMeasurement(kind, measurement),
    ),
    runFields: {
      ...mapFields(agent.runFields, (run) => leadRun(kind, run)),
      families: { ...familiesField, read: readBoth },
    },
  };
}

function mapFields<Input>(
  fields: ToolFields<Input>,
  map: (input: Input) => Input,
): ToolFields<Input> {
  const mapped = Object.entries(fields).map(([name, { schema, read }]) => [
    name,
    field(schema, (input: Input) => read(map(input))),
  ]);
  return Object.fromEntries(mapped);
}

/** Extends a prober to both IP families. An order for both becomes two runs that start together. */
export function withBothFamilies(start: StartProber): StartProber {
  return async (tools) => {
    const prober = await start(tools);
    return {
      ...prober,
      run: (order, onStep) =>
        usesBoth(order.request) ? runBoth(prober, order, onStep) : prober.run(order, onStep),
      texts: mapBothTexts(prober.texts),
      isFlawless: (measurement) =>
        isOfBoth(measurement)
          ? families.every((family) => isFlawless(prober, measurement.families[family]))
          : prober.isFlawless(measurement),
    };
  };
}

async function runBoth(prober: Prober, order: Order, onStep?: OnStep): Promise<Outcome> {
  const runOne = (family: IpFamily) =>
    prober.run(
      { ...order, request: withFamily(order.request, family) },
      onStep && ((step) => onStep({ ...step, family })),
    );
  const [IPv4, IPv6] = await Promise.all([runOne("IPv4"), runOne("IPv6")]);
  return combineOutcomes({ IPv4, IPv6 });
}

function isFlawless(prober: Prober, outcome: Outcome): boolean {
  return outcome.kind === "measured" && prober.isFlawless(outcome.measurement);
}

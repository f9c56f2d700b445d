import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { maxSubjectLength } from "../../../contract/seen-certificate.ts";
import {
  logLevels,
  type ScriptMeasurement,
  scriptEnds,
  scriptLimits,
  stepCategories,
} from "../../../sandbox/script-run.ts";
import type { Figures, SampleDefinition } from "../figures.ts";

/**
 * Each run has one sample: the duration of the script, which existing clients call response time.
 */
export const samples: SampleDefinition = {
  metric: "responseTime",
  noun: "duration",
  label: "Duration",
};

export function listFigures({ durationMs }: ScriptMeasurement): Figures {
  return { responseMs: durationMs, samples: [durationMs], counters: [], parts: [] };
}

const limits = scriptLimits;

const Text = (maxLength: number) => Type.String({ maxLength });
const OrNone = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const OneOf = (values: readonly string[]) => Type.Union(values.map((one) => Type.Literal(one)));
const Milliseconds = Type.Number({ minimum: 0, maximum: 1e9 });
const Count = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

const PageText = Text(limits.pageTextLength);
const PageTexts = Type.Array(PageText, { maxItems: limits.pageErrors });
const Status = OrNone(Type.Integer({ minimum: 0, maximum: 999 }));

const PageSchema = Type.Object(
  {
    url: PageText,
    startMs: Milliseconds,
    status: Status,
    vitals: Type.Object(
      {
        ttfbMs: OrNone(Milliseconds),
        fcpMs: OrNone(Milliseconds),
        lcpMs: OrNone(Milliseconds),
        cls: OrNone(Milliseconds),
      },
      { additionalProperties: false },
    ),
    consoleErrors: PageTexts,
    pageErrors: PageTexts,
    requestErrors: Type.Array(
      Type.Object(
        {
          method: Text(limits.methodLength),
          url: PageText,
          status: Status,
          error: OrNone(PageText),
        },
        { additionalProperties: false },
      ),
      { maxItems: limits.pageErrors },
    ),
  },
  { additionalProperties: false },
);

export const scriptErrorFields = {
  message: Text(limits.errorLength),
  stack: OrNone(Text(limits.stackLength)),
  file: OrNone(Text(limits.pathLength)),
  line: OrNone(Count),
  column: OrNone(Count),
};
export const scriptLogFields = {
  atMs: Milliseconds,
  level: OneOf(logLevels),
  text: Text(limits.logLength),
};

const CertificateSchema = Type.Union([
  Type.Object(
    {
      host: Text(limits.hostLength),
      fingerprint: Type.String({ pattern: "^[0-9a-f]{64}$" }),
      issuer: Text(maxSubjectLength),
      expiresAtMs: Type.Integer({ minimum: 0, maximum: 2 ** 40 * 1_000 }),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    { host: Text(limits.hostLength), error: Text(limits.denialLength) },
    { additionalProperties: false },
  ),
]);

const MeasurementSchema = Type.Object(
  {
    end: OneOf(scriptEnds),
    durationMs: Milliseconds,
    cpuMs: OrNone(Milliseconds),
    memoryBytes: OrNone(Type.Number({ minimum: 0, maximum: 1e15 })),
    runtime: Text(100),
    isolation: Text(20),
    steps: Type.Array(
      Type.Object(
        {
          title: Text(limits.titleLength),
          category: OneOf(stepCategories),
          depth: Type.Integer({ minimum: 0, maximum: limits.depth }),
          startMs: Milliseconds,
          durationMs: Milliseconds,
          error: OrNone(Text(limits.stepErrorLength)),
        },
        { additionalProperties: false },
      ),
      { maxItems: limits.steps },
    ),
    errors: Type.Array(Type.Object(scriptErrorFields, { additionalProperties: false }), {
      maxItems: limits.errors,
    }),
    logs: Type.Array(Type.Object(scriptLogFields, { additionalProperties: false }), {
      maxItems: limits.logs,
    }),
    connections: Type.Array(
      Type.Object(
        {
          host: Text(limits.hostLength),
          port: Type.Integer({ minimum: 0, maximum: 65_535 }),
          count: Count,
          denial: OrNone(Text(limits.denialLength)),
        },
        { additionalProperties: false },
      ),
      { maxItems: limits.connections },
    ),
    pages: Type.Array(PageSchema, { maxItems: limits.pages }),
    isCut: Type.Boolean(),
    certificate: Type.Optional(CertificateSchema),
  },
  { additionalProperties: false },
);

let compiled: { Check(value: unknown): boolean } | undefined;

/**
 * Returns whether a value is a valid measurement. Unknown fields are rejected, because a run is
 * stored as received. The validator is compiled on first use, because probes never use it.
 */
export function isScriptMeasurement(value: unknown): value is ScriptMeasurement {
  compiled ??= Compile(MeasurementSchema);
  if (!compiled.Check(value)) return false;
  const { logs } = value as ScriptMeasurement;
  return logs.reduce((sum, { text }) => sum + text.length, 0) <= limits.logsLength;
}

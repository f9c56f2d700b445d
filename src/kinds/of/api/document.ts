import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, ObjectOrNull, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { scriptEnds } from "../../../sandbox/script-run.ts";
import type { Run } from "../../kit/definition.ts";
import { ErrorSchema, LogSchema, showLog } from "../../kit/scripts/document.ts";
import { buildPhases, buildTimings } from "../../wire/http/http-figures.ts";
import type { HttpTrouble } from "../../wire/http/http-measurement.ts";
import { joinHeaders } from "../../wire/http/http-sources.ts";
import { describeTls, TlsSummarySchema } from "../../wire/tls/tls-document.ts";
import { findScripts } from "./codec.ts";
import { addParameters } from "./compose.ts";
import { type ApiMeasurement, maxKeptBodyLength } from "./measurement.ts";
import type { ApiRequest, KeyValue } from "./request.ts";
import { type HookRun, hideCredentials } from "./script-runs.ts";

const Milliseconds = OrNull(Type.Number());
const Pairs = Type.Record(Type.String(), Type.String());

const AssertionSchema = Type.Object(
  {
    source: Type.String({ description: "The compared source.", examples: ["STATUS_CODE"] }),
    property: Type.String({ description: "The part of the source.", examples: [""] }),
    comparison: Type.String({ description: "The comparison operator.", examples: ["EQUALS"] }),
    target: Type.String({ description: "The value to compare with.", examples: ["200"] }),
    regex: Described(OrNull(Type.String()), "The regular expression applied to the value.", ""),
    passed: Described(
      OrNull(Type.Boolean()),
      "Whether it passed; `null` if there was no response to evaluate.",
      true,
    ),
    actual: Type.Unknown({
      description: "The actual value, truncated if it is long.",
      examples: [200],
    }),
    error: Described(OrNull(Type.String()), "Why it failed; `null` if it passed.", null),
  },
  { title: "ApiAssertionResult" },
);

const RequestSchema = Type.Object(
  {
    method: Type.String({ description: "The method.", examples: ["GET"] }),
    url: Type.String({
      description: "The configured URL with its query parameters; secrets are masked.",
      examples: ["https://api.example.com/health"],
    }),
    data: Type.String({
      description: "The beginning of the request body. Empty if the run had no faults.",
      examples: [""],
    }),
    headers: Described(
      Pairs,
      "The request headers; secrets are masked. Empty if the run had no faults.",
      {},
    ),
    params: Described(Pairs, "The query parameters. Empty if the run had no faults.", {}),
  },
  { title: "ApiRequestSent" },
);

const PhasesSchema = Type.Object(
  {
    wait: Described(Milliseconds, "Time in redirects before the last request.", 0),
    dns: Described(Milliseconds, "Name resolution.", 3.1),
    tcp: Described(Milliseconds, "To connect.", 11.8),
    tls: Described(Milliseconds, "TLS handshake; `null` without TLS.", 14.2),
    firstByte: Described(Milliseconds, "From the request to the first byte of the response.", 31),
    download: Described(Milliseconds, "From the first byte to the last byte.", 0.4),
    total: Described(Milliseconds, "All together.", 60.5),
  },
  { title: "ApiTimingPhases" },
);

const HopSchema = Type.Object(
  {
    url: Type.String({ description: "The requested URL.", examples: ["http://api.example.com/"] }),
    status: Type.Integer({ description: "The status code.", examples: [301] }),
    resolvedIp: Type.String({ description: "The connected IP address.", examples: ["192.0.2.1"] }),
    timingPhases: Described(PhasesSchema, "Duration of each phase in milliseconds."),
  },
  { title: "ApiRedirect" },
);

const ResponseSchema = Type.Object(
  {
    status: Type.Integer({ description: "The status.", examples: [200] }),
    statusText: Type.String({ description: "The status text.", examples: ["OK"] }),
    url: Type.String({
      description: "The last requested URL.",
      examples: ["https://api.example.com/health"],
    }),
    resolvedIp: Type.String({ description: "The connected IP address.", examples: ["192.0.2.1"] }),
    httpVersion: Type.String({ description: "The HTTP version.", examples: ["1.1"] }),
    headers: Described(
      OrNull(Pairs),
      "Headers by lower-case name; `null` if not stored because the run had no faults.",
      null,
    ),
    body: Described(
      OrNull(Type.String()),
      `The first ${maxKeptBodyLength} characters of the body; \`null\` if not stored because the run had no faults.`,
      null,
    ),
    isBodyCut: Type.Boolean({ description: "Whether the body is longer than `body`." }),
    bodyError: Described(
      OrNull(Type.String()),
      "Why the body could not be decompressed; `null` if it could.",
      null,
    ),
    bytesReceived: Type.Integer({
      description: "Received bytes of the body, before decompression.",
      examples: [17],
    }),
    redirects: Type.Array(HopSchema, { description: "Followed redirects in order." }),
    timings: Described(
      Type.Object({
        lookup: Described(Milliseconds, "Name resolved.", 3.1),
        connect: Described(Milliseconds, "Connection established.", 14.9),
        secureConnect: Described(
          Milliseconds,
          "TLS handshake completed; `null` without TLS.",
          29.1,
        ),
        response: Described(Milliseconds, "First byte received.", 60.1),
        end: Described(Milliseconds, "Last byte received.", 60.5),
      }),
      "Milliseconds since the start of the run.",
    ),
    timingPhases: Described(PhasesSchema, "Duration of each phase in milliseconds."),
  },
  { title: "ApiResponse" },
);

const JobLogSchema = Type.Object(
  {
    setup: Type.Array(LogSchema, { description: "Of setup scripts.", examples: [[]] }),
    request: Type.Array(LogSchema, { description: "Always empty.", examples: [[]] }),
    teardown: Type.Array(LogSchema, { description: "Of teardown scripts.", examples: [[]] }),
  },
  { title: "ApiJobLog" },
);

const HookSchema = Type.Object(
  {
    end: Described(OneOf(scriptEnds), "How it ended.", "passed"),
    durationMs: Type.Number({ description: "Milliseconds that it took.", examples: [84] }),
    cpuMs: Described(Milliseconds, "CPU time of its processes; `null` if unknown.", 60),
    runtimeVersion: Type.String({ description: "Its runtime.", examples: ["2025.04"] }),
    isolation: Type.String({ description: "Isolation tier of its sandbox.", examples: ["A2"] }),
    errors: Type.Array(ErrorSchema, { description: "Its errors.", examples: [[]] }),
  },
  { title: "ApiScriptRun" },
);

const ScriptsSchema = Type.Object(
  {
    setup: Described(ObjectOrNull(HookSchema), "Setup scripts; `null` if none ran.", null),
    teardown: Described(ObjectOrNull(HookSchema), "Teardown scripts; `null` if none ran.", null),
  },
  { title: "ApiScriptRuns" },
);

export const DocumentSchema = Type.Object(
  {
    assertions: Type.Array(AssertionSchema, { description: "The assertions and their results." }),
    request: Described(RequestSchema, "The request."),
    response: Described(
      ObjectOrNull(ResponseSchema),
      "The response; `null` if there was none.",
      null,
    ),
    requestError: Described(
      OrNull(Type.String()),
      "Why there was no response; `null` if there was one.",
      null,
    ),
    certificate: Described(
      ObjectOrNull(TlsSummarySchema),
      "TLS facts of the last connection, even if it was not trusted; `null` without TLS.",
      null,
    ),
    jobLog: Described(
      ObjectOrNull(JobLogSchema),
      "What setup and teardown scripts logged; `null` if the check has none.",
      null,
    ),
    scripts: Described(
      ObjectOrNull(ScriptsSchema),
      "How setup and teardown scripts ended; `null` if the check has none.",
      null,
    ),
    jobAssets: Described(Type.Null(), "Always null.", null),
    pcapDataUrl: Described(Type.Null(), "Always null.", null),
  },
  { description: "The result of an API check." },
);

type ApiRun = Run<ApiRequest, ApiMeasurement>;

export function buildDocument(run: ApiRun): Type.Static<typeof DocumentSchema> {
  const { request, outcome } = run;
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const tls = measured?.tls ?? findTrouble(run)?.tls ?? null;
  return {
    assertions: buildAssertions(run),
    request: {
      method: request.method,
      url: addParameters({ ...request, url: hideCredentials(request.url) }),
      data: request.body,
      headers: toPairs(request.headers),
      params: toPairs(request.queryParameters),
    },
    response: measured && buildResponse(measured),
    requestError: toTrouble(outcome)?.message ?? null,
    certificate: tls ? describeTls(tls, run.startedAtMs) : null,
    ...buildScripts(run),
    jobAssets: null,
    pcapDataUrl: null,
  };
}

function buildScripts(run: ApiRun) {
  const runs = findScripts(run);
  if (runs === null) return { jobLog: null, scripts: null };
  const { setup, teardown } = runs;
  const listLogs = (hook: HookRun | null) =>
    hook === null ? [] : hook.logs.map((log) => showLog(log, run.startedAtMs + hook.startMs));
  const show = (hook: HookRun | null) => {
    if (hook === null) return null;
    const { end, durationMs, cpuMs, runtime: runtimeVersion, isolation, errors } = hook;
    return { end, durationMs, cpuMs, runtimeVersion, isolation, errors: [...errors] };
  };
  return {
    jobLog: { setup: listLogs(setup), request: [], teardown: listLogs(teardown) },
    scripts: { setup: show(setup), teardown: show(teardown) },
  };
}

function buildAssertions({ request, outcome }: ApiRun) {
  const results = outcome.kind === "measured" ? outcome.measurement.results : [];
  return request.assertions.map(({ source, property, comparison, target, regex }, index) => {
    const { passed = null, actual = null, message = "" } = results[index] ?? {};
    const error = passed === false ? message : null;
    return { source, property, comparison, target, regex: regex ?? null, passed, actual, error };
  });
}

function toPairs(pairs: readonly KeyValue[]): Record<string, string> {
  return joinHeaders(pairs.map(({ key, value }) => [key, value]));
}

function buildResponse(measured: ApiMeasurement) {
  const { body, isKept } = measured;
  return {
    status: measured.status,
    statusText: measured.statusText,
    url: measured.url,
    resolvedIp: measured.resolvedIp,
    httpVersion: measured.httpVersion,
    headers: isKept ? joinHeaders(measured.headers) : null,
    body: isKept ? body.text : null,
    isBodyCut: body.isCut,
    bodyError: body.fault,
    bytesReceived: measured.receivedBytes,
    redirects: measured.hops.map((hop) => ({
      url: hop.url,
      status: hop.status,
      resolvedIp: hop.resolvedIp,
      timingPhases: buildPhases(hop),
    })),
    timings: buildTimings(measured),
    timingPhases: buildPhases(measured),
  };
}

/** Returns the error of an `unreachable` outcome; `null` for every other outcome. */
export function findTrouble({ outcome }: Pick<ApiRun, "outcome">): HttpTrouble | null {
  return outcome.kind === "unreachable" ? (outcome.trouble as HttpTrouble) : null;
}

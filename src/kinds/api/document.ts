import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { Described, ObjectOrNull, OrNull } from "../../platform/http/schema.ts";
import type { HttpMeasurement, HttpTrouble } from "../http/http-measurement.ts";
import { joinHeaders } from "../http/http-sources.ts";
import type { Run } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { describeTls, TlsSummarySchema } from "../tls/tls-document.ts";
import { hideCredentials } from "./codec.ts";
import { addParameters } from "./compose.ts";
import { type ApiMeasurement, maxKeptBodyLength } from "./measurement.ts";
import type { ApiRequest, KeyValue } from "./request.ts";

const Milliseconds = OrNull(Type.Number());
const Pairs = Type.Record(Type.String(), Type.String());

const AssertionSchema = Type.Object(
  {
    source: Type.String({ description: "What was compared.", examples: ["STATUS_CODE"] }),
    property: Type.String({ description: "Which part of it.", examples: [""] }),
    comparison: Type.String({ description: "How it was compared.", examples: ["EQUALS"] }),
    target: Type.String({ description: "What it was compared with.", examples: ["200"] }),
    regex: Described(OrNull(Type.String()), "What was looked for in it.", ""),
    passed: Described(
      OrNull(Type.Boolean()),
      "Whether it held; null: there was no answer to hold it against.",
      true,
    ),
    actual: Type.Unknown({ description: "What was found, cut if it is long.", examples: [200] }),
    error: Described(OrNull(Type.String()), "Why it failed; null: it did not.", null),
  },
  { title: "ApiAssertionResult" },
);

const RequestSchema = Type.Object(
  {
    method: Type.String({ description: "The method.", examples: ["GET"] }),
    url: Type.String({
      description: "The address as it was written, with its parameters; secrets are masked.",
      examples: ["https://api.example.com/health"],
    }),
    data: Type.String({
      description: "The beginning of the body that was sent. Empty for a run without faults.",
      examples: [""],
    }),
    headers: Described(
      Pairs,
      "Header fields that were sent; secrets are masked. Empty for a run without faults.",
      {},
    ),
    params: Described(Pairs, "Parameters that were added. Empty for a run without faults.", {}),
  },
  { title: "ApiRequestSent" },
);

const PhasesSchema = Type.Object(
  {
    wait: Described(Milliseconds, "In redirects before the last request.", 0),
    dns: Described(Milliseconds, "To resolve the name.", 3.1),
    tcp: Described(Milliseconds, "To connect.", 11.8),
    tls: Described(Milliseconds, "For the TLS handshake; null: there was none.", 14.2),
    firstByte: Described(Milliseconds, "From the request to the answer.", 31),
    download: Described(Milliseconds, "From the first byte to the last.", 0.4),
    total: Described(Milliseconds, "All together.", 60.5),
  },
  { title: "ApiTimingPhases" },
);

const HopSchema = Type.Object(
  {
    url: Type.String({ description: "What was asked for.", examples: ["http://api.example.com/"] }),
    status: Type.Integer({ description: "The status that came.", examples: [301] }),
    resolvedIp: Type.String({ description: "The address connected to.", examples: ["192.0.2.1"] }),
    timingPhases: Described(PhasesSchema, "Milliseconds of each phase."),
  },
  { title: "ApiRedirect" },
);

const ResponseSchema = Type.Object(
  {
    status: Type.Integer({ description: "The status.", examples: [200] }),
    statusText: Type.String({ description: "The text after it.", examples: ["OK"] }),
    url: Type.String({
      description: "What was asked for at last.",
      examples: ["https://api.example.com/health"],
    }),
    resolvedIp: Type.String({ description: "The address connected to.", examples: ["192.0.2.1"] }),
    httpVersion: Type.String({ description: "The version of HTTP.", examples: ["1.1"] }),
    headers: Described(
      OrNull(Pairs),
      "Header fields by names in lower case; null: not kept, as nothing went wrong.",
      null,
    ),
    body: Described(
      OrNull(Type.String()),
      `The first ${maxKeptBodyLength} characters of the body; null: not kept, as nothing went wrong.`,
      null,
    ),
    isBodyCut: Type.Boolean({ description: "True: there is more than `body` shows." }),
    bodyError: Described(
      OrNull(Type.String()),
      "Why the body could not be unpacked; null: it could.",
      null,
    ),
    bytesReceived: Type.Integer({
      description: "Bytes of the body, as they came.",
      examples: [17],
    }),
    redirects: Type.Array(HopSchema, { description: "Redirects that were followed, in order." }),
    timings: Described(
      Type.Object({
        lookup: Described(Milliseconds, "The name was resolved.", 3.1),
        connect: Described(Milliseconds, "The connection stood.", 14.9),
        secureConnect: Described(Milliseconds, "TLS stood; null: there is none.", 29.1),
        response: Described(Milliseconds, "The first byte came.", 60.1),
        end: Described(Milliseconds, "The last byte came.", 60.5),
      }),
      "Milliseconds from the beginning of the run.",
    ),
    timingPhases: Described(PhasesSchema, "Milliseconds of each phase."),
  },
  { title: "ApiResponse" },
);

export const DocumentSchema = Type.Object(
  {
    assertions: Type.Array(AssertionSchema, { description: "Each, and what came of it." }),
    request: Described(RequestSchema, "What was asked for."),
    response: Described(ObjectOrNull(ResponseSchema), "What came back; null: no answer.", null),
    requestError: Described(OrNull(Type.String()), "Why no answer came; null: one did.", null),
    certificate: Described(
      ObjectOrNull(TlsSummarySchema),
      "What TLS showed at last, also where it was not trusted; null: there was none.",
      null,
    ),
    jobLog: Described(Type.Null(), "Always null: no script runs around a request.", null),
    jobAssets: Described(Type.Null(), "Always null.", null),
    pcapDataUrl: Described(Type.Null(), "Always null.", null),
  },
  { description: "What a request found." },
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
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
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

function buildPhases({
  phases,
  redirectMs = 0,
}: Pick<HttpMeasurement, "phases"> & { redirectMs?: number }) {
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = phases;
  const total = redirectMs + dnsMs + connectMs + (tlsMs ?? 0) + firstByteMs + bodyMs;
  return {
    wait: roundFigure(redirectMs),
    dns: roundFigure(dnsMs),
    tcp: roundFigure(connectMs),
    tls: roundFigure(tlsMs),
    firstByte: roundFigure(firstByteMs),
    download: roundFigure(bodyMs),
    total: roundFigure(total),
  };
}

function buildResponse(measured: ApiMeasurement) {
  const { phases, redirectMs, body, isKept } = measured;
  const lookup = redirectMs + phases.dnsMs;
  const connect = lookup + phases.connectMs;
  const secured = connect + (phases.tlsMs ?? 0);
  const response = secured + phases.firstByteMs;
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
    timings: {
      lookup: roundFigure(lookup),
      connect: roundFigure(connect),
      secureConnect: phases.tlsMs === null ? null : roundFigure(secured),
      response: roundFigure(response),
      end: roundFigure(response + phases.bodyMs),
    },
    timingPhases: buildPhases(measured),
  };
}

/** What is known of a run that got no answer. */
export function findTrouble({ outcome }: Pick<ApiRun, "outcome">): HttpTrouble | null {
  return outcome.kind === "unreachable" ? (outcome.trouble as HttpTrouble) : null;
}

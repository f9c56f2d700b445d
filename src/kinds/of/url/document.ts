import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  bodyEnds,
  type HttpHop,
  type HttpPhases,
  type HttpTrouble,
} from "../../wire/http/http-measurement.ts";
import { joinHeaders } from "../../wire/http/http-sources.ts";
import { describeTls, TlsSummarySchema } from "../../wire/tls/tls-document.ts";
import type { UrlMeasurement } from "./measurement.ts";
import { maxKeptBytes } from "./measurement.ts";
import type { UrlRequest } from "./request.ts";

const Nullable = OrNull(Type.Number());

const phaseFields = {
  dns: Described(Nullable, "Name resolution; `null` if unknown.", 3.1),
  tcp: Described(Nullable, "TCP connect; `null` if no connection was established.", 11.8),
  tls: Described(Nullable, "TLS handshake; `null` without TLS.", 24.5),
  firstByte: Described(
    Nullable,
    "From the request to the first byte of the response; `null` if there was none.",
    40.2,
  ),
  download: Described(Nullable, "From the first byte to the last; `null` if there was none.", 2.2),
};

const RedirectSchema = Type.Object({
  url: Type.String({ description: "The requested URL.", examples: ["http://shop.example.com/"] }),
  status: Type.Integer({ description: "The status code of the response.", examples: [301] }),
  resolvedIp: Type.String({
    description: "The connected IP address.",
    examples: ["192.0.2.1"],
  }),
  timingPhases: Type.Object(phaseFields, { description: "Milliseconds." }),
});

const ResponseSchema = Type.Object(
  {
    url: Type.String({
      description: "The last requested URL, after all redirects.",
      examples: ["https://shop.example.com/health"],
    }),
    ipFamily: Type.String({
      description: "The IP family used to connect to the host.",
      examples: ["IPv4"],
    }),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The connected IP address; `null` if the name did not resolve.",
      "192.0.2.1",
    ),
    status: Described(
      OrNull(Type.Integer()),
      "The status code; `null` if there was no response.",
      200,
    ),
    statusText: Type.String({ description: "The status text.", examples: ["OK"] }),
    httpVersion: Described(
      OrNull(Type.String()),
      "The HTTP version; `null` if there was no response.",
      "1.1",
    ),
    timingPhases: Type.Object(
      {
        wait: Described(Nullable, "Time in redirects before the last request.", 0),
        ...phaseFields,
        total: Described(Nullable, "Total; `null` if there was no complete response.", 81.8),
      },
      { description: "Phases of the last request in milliseconds." },
    ),
    redirects: Type.Array(RedirectSchema, {
      description: "Followed redirects in order.",
      examples: [[]],
    }),
    headers: Described(
      OrNull(Type.Record(Type.String(), Type.String())),
      "Headers by name; `null` if not stored because the status was as expected.",
      null,
    ),
    body: Described(
      OrNull(Type.String()),
      `The first ${maxKeptBytes} bytes of the body as text; \`null\` if not stored because the status was ` +
        "as expected.",
      null,
    ),
    bodyFault: Described(
      OrNull(Type.String()),
      "Why the body could not be decompressed; `null` if it could, or if it is not stored.",
      null,
    ),
    isBodyCut: Type.Boolean({
      description: "Whether the body is longer than `body`.",
      examples: [false],
    }),
    bytesReceived: Type.Integer({
      description: "Received bytes of the body before decompression; the probe stops at 1,048,576.",
      examples: [512],
    }),
    bodyEnd: Described(
      OrNull(OneOf(bodyEnds)),
      "How the body ended; `cut` if the probe stopped reading, `null` if there was no response.",
      "complete",
    ),
    certificate: Described(
      OrNull(TlsSummarySchema),
      "TLS facts; `null` without TLS, or if no connection was established.",
      null,
    ),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no response or no measurement; `null` if there was one.",
      null,
    ),
  },
  { title: "UrlResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "Timings and response.") },
  { description: "The result of a URL check." },
);

type UrlResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;
type UrlRun = Run<UrlRequest, UrlMeasurement>;

function showPhases(phases: Partial<HttpPhases>) {
  return {
    dns: roundFigure(phases.dnsMs ?? null),
    tcp: roundFigure(phases.connectMs ?? null),
    tls: roundFigure(phases.tlsMs ?? null),
    firstByte: roundFigure(phases.firstByteMs ?? null),
    download: roundFigure(phases.bodyMs ?? null),
  };
}

function showHop({ url, status, resolvedIp, phases }: HttpHop) {
  return { url, status, resolvedIp, timingPhases: showPhases(phases) };
}

/** Builds the response document. Every outcome has the same fields. */
export function buildResponse({ request, startedAtMs, outcome }: UrlRun): UrlResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as HttpTrouble) : null;
  const found = measured ?? trouble;
  const body = measured?.body ?? null;
  const isWhole = measured?.bodyEnd === "complete" || measured?.bodyEnd === "cut";
  return {
    url: found?.url ?? request.url,
    ipFamily: request.ipFamily,
    resolvedIp: found?.resolvedIp ?? null,
    status: measured?.status ?? null,
    statusText: measured?.statusText ?? "",
    httpVersion: measured?.httpVersion ?? null,
    timingPhases: {
      wait: roundFigure(measured?.redirectMs ?? null),
      ...showPhases(found?.phases ?? {}),
      total: isWhole ? roundFigure(measured.totalMs) : null,
    },
    redirects: (found?.hops ?? []).map(showHop),
    headers: measured && body && joinHeaders(measured.headers),
    body: body?.text ?? null,
    bodyFault: body?.fault ?? null,
    isBodyCut: body?.isCut ?? measured?.bodyEnd === "cut",
    bytesReceived: measured?.receivedBytes ?? 0,
    bodyEnd: measured?.bodyEnd ?? null,
    certificate: found?.tls ? describeTls(found.tls, startedAtMs) : null,
  };
}

/** Returns the fields of a run's error that the response does not contain already. */
function showTrouble(outcome: UrlRun["outcome"]): object | null {
  const trouble = toTrouble(outcome);
  if (outcome.kind !== "unreachable" || trouble === null) return trouble;
  const { kind, code, message, phase } = outcome.trouble as HttpTrouble;
  return { kind, code, message, phase };
}

export function buildDocument(run: UrlRun): Type.Static<typeof DocumentSchema> {
  return { response: { ...buildResponse(run), error: showTrouble(run.outcome) } };
}

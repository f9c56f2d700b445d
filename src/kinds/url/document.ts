import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import {
  bodyEnds,
  type HttpHop,
  type HttpPhases,
  type HttpTrouble,
} from "../http/http-measurement.ts";
import { joinHeaders } from "../http/http-sources.ts";
import type { Run } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { describeTls, TlsSummarySchema } from "../tls/tls-document.ts";
import { maxKeptBytes } from "./limits.ts";
import type { UrlMeasurement } from "./measurement.ts";
import type { UrlRequest } from "./request.ts";

const Nullable = OrNull(Type.Number());

const phaseFields = {
  dns: Described(Nullable, "To resolve the name; null: not known.", 3.1),
  tcp: Described(Nullable, "To connect; null: no connection was made.", 11.8),
  tls: Described(Nullable, "For the TLS handshake; null: there was none.", 24.5),
  firstByte: Described(
    Nullable,
    "From the request to the first byte of the answer; null: none came.",
    40.2,
  ),
  download: Described(Nullable, "From the first byte to the last; null: none came.", 2.2),
};

const RedirectSchema = Type.Object({
  url: Type.String({ description: "What was asked for.", examples: ["http://shop.example.com/"] }),
  status: Type.Integer({ description: "The status of the answer.", examples: [301] }),
  resolvedIp: Type.String({
    description: "The address that was connected to.",
    examples: ["192.0.2.1"],
  }),
  timingPhases: Type.Object(phaseFields, { description: "Milliseconds." }),
});

const ResponseSchema = Type.Object(
  {
    url: Type.String({
      description: "What was asked for at last, after all redirects.",
      examples: ["https://shop.example.com/health"],
    }),
    ipFamily: Type.String({
      description: "Which address of the host was connected to.",
      examples: ["IPv4"],
    }),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The address that was connected to; null: the name did not resolve.",
      "192.0.2.1",
    ),
    status: Described(OrNull(Type.Integer()), "The status; null: no answer came.", 200),
    statusText: Type.String({ description: "The text after the status.", examples: ["OK"] }),
    httpVersion: Described(
      OrNull(Type.String()),
      "The version of HTTP; null: no answer came.",
      "1.1",
    ),
    timingPhases: Type.Object(
      {
        wait: Described(Nullable, "In redirects, before the last request.", 0),
        ...phaseFields,
        total: Described(Nullable, "All together; null: no whole answer came.", 81.8),
      },
      { description: "Milliseconds, of the last request." },
    ),
    redirects: Type.Array(RedirectSchema, {
      description: "The redirects that were followed, in order.",
      examples: [[]],
    }),
    headers: Described(
      OrNull(Type.Record(Type.String(), Type.String())),
      "The header fields, by name; null: not kept, because the status was as expected.",
      null,
    ),
    body: Described(
      OrNull(Type.String()),
      `The body as text: its first ${maxKeptBytes} bytes; null: not kept, because the status was ` +
        "as expected.",
      null,
    ),
    bodyFault: Described(
      OrNull(Type.String()),
      "Why the body could not be unpacked; null: it could, or it is not kept.",
      null,
    ),
    isBodyCut: Type.Boolean({
      description: "True: the body has more than `body` shows.",
      examples: [false],
    }),
    bytesReceived: Type.Integer({
      description: "Bytes of the body that came, still packed; the probe stops at 1,048,576.",
      examples: [512],
    }),
    bodyEnd: Described(
      OrNull(OneOf(bodyEnds)),
      "How the body ended; `cut`: the probe stopped. Null: no answer came.",
      "complete",
    ),
    certificate: Described(
      OrNull(TlsSummarySchema),
      "What TLS showed; null: without TLS, or no connection was made.",
      null,
    ),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why no answer came, or nothing was learned; null: no such trouble.",
      null,
    ),
  },
  { title: "UrlResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "The times, and what came back.") },
  { description: "What a request measured." },
);

export type UrlResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;
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

/** The same fields whatever happened. */
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

/** What was found is in the response already; the trouble itself is short. */
function showTrouble(outcome: UrlRun["outcome"]): object | null {
  const trouble = toTrouble(outcome);
  if (outcome.kind !== "unreachable" || trouble === null) return trouble;
  const { kind, code, message, phase } = outcome.trouble as HttpTrouble;
  return { kind, code, message, phase };
}

export function buildDocument(run: UrlRun): Type.Static<typeof DocumentSchema> {
  return { response: { ...buildResponse(run), error: showTrouble(run.outcome) } };
}

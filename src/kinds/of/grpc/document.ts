import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import { joinHeaders } from "../../wire/http/http-sources.ts";
import { describeTls, TlsSummarySchema } from "../../wire/tls/tls-document.ts";
import {
  computeTotalMs,
  type GrpcMeasurement,
  type GrpcTrouble,
  healthStatuses,
  nameStatus,
} from "./measurement.ts";
import type { GrpcRequest } from "./request.ts";
import { modes } from "./request-schema.ts";

const Nullable = OrNull(Type.Number());
const NullableText = OrNull(Type.String());

const TimingsSchema = Type.Object(
  {
    dns: Described(Nullable, "Name resolution; `null` if unknown.", 3.1),
    tcp: Described(Nullable, "TCP connect; `null` if no connection was established.", 11.8),
    tls: Described(Nullable, "TLS handshake; `null` without TLS.", 24.5),
    reflection: Described(
      Nullable,
      "Time to obtain the method from the server's reflection service, which is not part of the " +
        "total; `null` without reflection.",
      null,
    ),
    call: Described(Nullable, "From the request to the status; `null` if there was none.", 8.4),
    total: Described(Nullable, "Total; `null` if there was no status.", 47.8),
  },
  { description: "Milliseconds." },
);

const ResponseSchema = Type.Object(
  {
    grpcMode: Described(OneOf(modes), "The mode of the check.", "HEALTH"),
    host: Type.String({
      description: "A host name or an IP address.",
      examples: ["grpc.example.com"],
    }),
    port: Type.Integer({ description: "The port.", examples: [443] }),
    ipFamily: Type.String({
      description: "The IP family used to connect to the host.",
      examples: ["IPv4"],
    }),
    resolvedIp: Described(
      NullableText,
      "The connected IP address; `null` if the name did not resolve.",
      "192.0.2.1",
    ),
    grpcMethod: Type.String({
      description: "The called method.",
      examples: ["grpc.health.v1.Health/Check"],
    }),
    grpcStatusCode: Described(
      OrNull(Type.Integer()),
      "The status code of the call; `null` if there was none.",
      0,
    ),
    grpcStatusName: Described(NullableText, "The name of the status code.", "OK"),
    grpcStatusMessage: Type.String({
      description: "The text that the server sent with the status.",
      examples: [""],
    }),
    healthStatus: Described(
      OrNull(Type.Integer()),
      "The health status; `null` if the health service did not respond.",
      1,
    ),
    healthStatusLabel: Described(NullableText, "The name of the health status.", "SERVING"),
    responseMessage: Type.String({
      description:
        "The beginning of the response message as JSON, with fields that have default values.",
      examples: ['{"status":"SERVING"}'],
    }),
    isCut: Type.Boolean({
      description: "Whether the message is longer than `responseMessage`.",
      examples: [false],
    }),
    bytesReceived: Type.Integer({
      description: "Size of the response message in bytes, before decoding.",
      examples: [2],
    }),
    metadata: Type.Record(Type.String(), Type.String(), {
      description: "Response metadata, from header fields and trailers, by lower-case name.",
      examples: [{ "x-request-id": "41c0" }],
    }),
    timingPhases: TimingsSchema,
    tls: Described(OrNull(TlsSummarySchema), "The TLS connection; `null` without TLS."),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no status or no measurement; `null` if there was one.",
      null,
    ),
  },
  { title: "GrpcResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "Status, response message and timings.") },
  { description: "The result of a gRPC check." },
);

type GrpcRun = Run<GrpcRequest, GrpcMeasurement>;

/** Result of a run in the format of the API, without TLS and error. Assertions read this format. */
type GrpcResponse = Omit<Type.Static<typeof ResponseSchema>, "error" | "tls">;

/** Builds the response document. Every outcome has the same fields. */
export function buildResponse({
  request,
  outcome,
}: Pick<GrpcRun, "request" | "outcome">): GrpcResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as GrpcTrouble) : null;
  const health = measured?.healthStatus ?? null;
  return {
    grpcMode: request.mode,
    host: request.hostname,
    port: request.port,
    ipFamily: request.ipFamily,
    resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
    grpcMethod: request.method ?? "grpc.health.v1.Health/Check",
    grpcStatusCode: measured?.statusCode ?? null,
    grpcStatusName: measured && nameStatus(measured.statusCode),
    grpcStatusMessage: measured?.statusMessage ?? "",
    healthStatus: health,
    healthStatusLabel: health === null ? null : (healthStatuses[health] ?? `status ${health}`),
    responseMessage: measured?.message ?? "",
    isCut: measured?.isCut ?? false,
    bytesReceived: measured?.receivedBytes ?? 0,
    metadata: joinHeaders(measured?.metadata ?? []),
    timingPhases: {
      dns: measured?.dnsMs ?? trouble?.dnsMs ?? null,
      tcp: measured?.connectMs ?? null,
      tls: measured?.tlsMs ?? null,
      reflection: measured?.reflectionMs ?? null,
      call: measured?.callMs ?? null,
      total: measured && roundFigure(computeTotalMs(measured)),
    },
  };
}

export function buildDocument(run: GrpcRun): Type.Static<typeof DocumentSchema> {
  const { outcome, startedAtMs } = run;
  const tls = outcome.kind === "measured" ? outcome.measurement.tls : null;
  return {
    response: {
      ...buildResponse(run),
      tls: tls && describeTls(tls, startedAtMs),
      error: toTrouble(outcome),
    },
  };
}

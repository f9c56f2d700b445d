import { createKind } from "../../kit/create-kind.ts";
import { toTcpTarget } from "../../kit/paths/path.ts";
import { toSeenCertificate } from "../../wire/tls/tls-facts.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, type GrpcReason, judge } from "./judge.ts";
import { type GrpcMeasurement, isGrpcMeasurement, listFigures, parts } from "./measurement.ts";
import {
  assertionSources,
  clientCertificateFor,
  deadlineMs,
  findFaults,
  type GrpcRequest,
  type GrpcSettings,
  mergeSettings,
  responseTimeLimits,
  texts,
  toRequest,
  writeTarget,
} from "./request.ts";
import { fields } from "./request-schema.ts";

/** Kind of checks that make one gRPC call and check its status, duration and response message. */
export const grpc = createKind<GrpcSettings, GrpcRequest, GrpcMeasurement, GrpcReason>({
  type: "GRPC",
  analyticsPath: "grpc-checks",
  fields,
  responseTimeLimits,
  ownFieldNames: ["grpcConfig", "protoContent", "healthStatus", "GRPC_"],
  mergeSettings,
  findFaults,
  target: ({ request }) => writeTarget(request),
  deadlineMs,
  toRequest,
  texts,
  clientCertificateFor,
  pathTarget: toTcpTarget,
  assertionSources,
  isMeasurement: isGrpcMeasurement,
  judge,
  findCertificate: ({ request, outcome }) =>
    outcome.kind === "measured" && outcome.measurement.tls !== null
      ? toSeenCertificate(request.hostname, outcome.measurement.tls)
      : null,
  parts,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: { aCheck: "a gRPC check", aRun: "a call", verb: "calls" },
  operations: {
    update: "An omitted field keeps its value, including fields of `grpcConfig`.",
    example: {
      request: { url: "127.0.0.1", port: 50_051, grpcConfig: { method: "shop.v1.Cart/Get" } },
    },
  },
  DocumentSchema,
  document: buildDocument,
  explain,
  agent: {
    // These texts are shorter than the API descriptions, because a language model reads them with
    // every question.
    fieldHints: {
      request: "The server and the call.",
      "request.url": "The host, without scheme and port.",
      "request.port": "The port to connect to.",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.skipSSL": "Whether to accept any certificate.",
      "request.timeout": "Timeout in seconds; default 60.",
      "request.grpcConfig": "What to call.",
      "request.grpcConfig.mode": "HEALTH for the health service, BEHAVIOR for a method.",
      "request.grpcConfig.tls": "Whether to use TLS; default true.",
      "request.grpcConfig.metadata": "Metadata to send.",
      "request.grpcConfig.serviceDefinition": "REFLECTION (default) or PROTO_FILE.",
      "request.grpcConfig.method": "The method, as package.Service/Method.",
      "request.grpcConfig.protoContent": "The .proto file, for PROTO_FILE.",
      "request.grpcConfig.message": "The message as JSON.",
      "request.grpcConfig.service": "The service to ask for; empty for the server.",
      "request.grpcConfig.encoding": "Only PROTOBUF.",
      "request.assertions": "Additional assertions on status, message or metadata.",
    },
  },
  failsWhen: "the call does not end with status OK, the service is not serving, an assertion fails",
});

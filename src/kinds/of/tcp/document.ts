import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import {
  answerEnds,
  computeTotalMs,
  maxKeptBytes,
  type TcpMeasurement,
  type TcpTrouble,
} from "./measurement.ts";
import type { TcpRequest } from "./request.ts";

const Nullable = OrNull(Type.Number());

const ResponseSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["db.example.com"],
    }),
    port: Type.Integer({ description: "The port.", examples: [5432] }),
    ipFamily: Type.String({
      description: "The IP family used to connect to the host.",
      examples: ["IPv4"],
    }),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The connected IP address; `null` if the name did not resolve.",
      "192.0.2.1",
    ),
    timings: Type.Object(
      {
        dns: Described(Nullable, "Name resolution; `null` if unknown.", 3.1),
        connection: Described(
          Nullable,
          "TCP connect; `null` if no connection was established.",
          11.8,
        ),
        firstByte: Described(
          Nullable,
          "From the connection to the first byte; `null` if none was awaited or received.",
          0.9,
        ),
        data: Described(
          Nullable,
          "From the connection to the last byte; `null` if none was awaited or received.",
          1.2,
        ),
        total: Described(
          Nullable,
          "Total; `null` if there was no connection or no response.",
          16.1,
        ),
      },
      { description: "Milliseconds." },
    ),
    answer: Described(
      OrNull(OneOf(answerEnds)),
      "How the wait for a response ended; `null` if no connection was established.",
      "received",
    ),
    bytesSent: Type.Integer({ description: "Number of bytes sent.", examples: [6] }),
    bytesReceived: Type.Integer({
      description: "Number of bytes received until the probe closed the connection.",
      examples: [7],
    }),
    data: Type.String({
      description: `The first ${maxKeptBytes} received bytes as text. Invalid UTF-8 becomes U+FFFD.`,
      examples: ["+PONG\r\n"],
    }),
    isCut: Type.Boolean({
      description: "Whether more was received than `data` contains.",
      examples: [false],
    }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no connection or no measurement; `null` if there was one.",
      null,
    ),
  },
  { title: "TcpResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "Timings and response.") },
  { description: "The result of a TCP check." },
);

/** Result of a run in the format of the API, without its error. Assertions read this format. */
type TcpResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;

/** Builds the response document. Every outcome has the same fields. */
export function buildResponse({
  request,
  outcome,
}: Pick<Run<TcpRequest, TcpMeasurement>, "request" | "outcome">): TcpResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as TcpTrouble) : null;
  return {
    hostname: request.hostname,
    port: request.port,
    ipFamily: request.ipFamily,
    resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
    timings: {
      dns: measured?.dnsMs ?? trouble?.dnsMs ?? null,
      connection: measured?.connectMs ?? null,
      firstByte: measured?.firstByteMs ?? null,
      data: measured?.dataMs ?? null,
      total: measured && roundFigure(computeTotalMs(measured)),
    },
    answer: measured?.answer ?? null,
    bytesSent: measured?.sentBytes ?? 0,
    bytesReceived: measured?.receivedBytes ?? 0,
    data: measured?.text ?? "",
    isCut: measured?.isCut ?? false,
  };
}

export function buildDocument(
  run: Run<TcpRequest, TcpMeasurement>,
): Type.Static<typeof DocumentSchema> {
  return { response: { ...buildResponse(run), error: toTrouble(run.outcome) } };
}

import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { Run } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { maxKeptBytes } from "./limits.ts";
import { answerEnds, computeTotalMs, type TcpMeasurement, type TcpTrouble } from "./measurement.ts";
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
      description: "Which address of the host was connected to.",
      examples: ["IPv4"],
    }),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The address that was connected to; null: the name did not resolve.",
      "192.0.2.1",
    ),
    timings: Type.Object(
      {
        dns: Described(Nullable, "To resolve the name; null: not known.", 3.1),
        connection: Described(Nullable, "To connect; null: no connection was made.", 11.8),
        firstByte: Described(
          Nullable,
          "From the connection to the first byte; null: none was awaited, or came.",
          0.9,
        ),
        data: Described(
          Nullable,
          "From the connection to the last byte; null: none was awaited, or came.",
          1.2,
        ),
        total: Described(
          Nullable,
          "All together; null: no connection was made, or no answer came.",
          16.1,
        ),
      },
      { description: "Milliseconds." },
    ),
    answer: Described(
      OrNull(OneOf(answerEnds)),
      "How the wait for an answer ended; null: no connection was made.",
      "received",
    ),
    bytesSent: Type.Integer({ description: "How many bytes were sent.", examples: [6] }),
    bytesReceived: Type.Integer({
      description: "How many bytes came until the probe hung up.",
      examples: [7],
    }),
    data: Type.String({
      description: `What came, as text: its first ${maxKeptBytes} bytes. Bytes that are no UTF-8 show as U+FFFD.`,
      examples: ["+PONG\r\n"],
    }),
    isCut: Type.Boolean({ description: "True: more came than `data` shows.", examples: [false] }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why no connection was made, or nothing was learned; null: no such trouble.",
      null,
    ),
  },
  { title: "TcpResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "The times, and what came back.") },
  { description: "What a connection measured." },
);

/** What a run found, in the words of the public API. Assertions read it, and replies carry it. */
export type TcpResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;

/** The same fields whatever happened. */
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

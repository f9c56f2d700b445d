import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildResponse } from "./document.ts";
import type { TcpMeasurement } from "./measurement.ts";
import type { TcpRequest, TcpSettings } from "./request.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
/** Enough for a person to recognise a response without filling a model's context. */
const maxShownLength = 500;

export const tools: KindTools<TcpSettings, TcpRequest, TcpMeasurement> = {
  checkFields: {
    port: Type.Integer({ description: "the port to connect to" }),
    ipFamily: Type.String({ description: "IPv4 or IPv6" }),
    sendsData: Type.Boolean({ description: "whether it sends data and awaits a response" }),
    degradedResponseTime: figure("milliseconds above which a run is degraded"),
    maxResponseTime: figure("milliseconds above which a run is failing"),
  },
  describeCheck: ({ request, degradedResponseTime, maxResponseTime }) => ({
    port: request.port,
    ipFamily: request.ipFamily,
    sendsData: request.data !== null && request.data !== "",
    degradedResponseTime,
    maxResponseTime,
  }),
  resultFields: {
    dnsMs: figure("name resolution time"),
    connectMs: figure("TCP connect time"),
    dataMs: figure("time from the connection to the last byte of the response"),
  },
  describeResult: (measurement) => ({
    dnsMs: roundFigure(measurement?.dnsMs ?? null),
    connectMs: roundFigure(measurement?.connectMs ?? null),
    dataMs: roundFigure(measurement?.dataMs ?? null),
  }),
  runFields: {
    hostname: Type.String({ description: "the host and port" }),
    port: Type.Integer(),
    resolvedIp: OrNull(Type.String({ description: "the IP address that the name resolved to" })),
    ipFamily: Type.String(),
    answer: OrNull(Type.String({ description: "how the wait for a response ended" })),
    bytesReceived: Type.Integer(),
    received: Type.String({ description: "the beginning of what the server sent" }),
  },
  describeRun: (run) => {
    const response = buildResponse(run);
    return {
      hostname: response.hostname,
      port: response.port,
      resolvedIp: response.resolvedIp,
      ipFamily: response.ipFamily,
      answer: response.answer,
      bytesReceived: response.bytesReceived,
      received: clipText(response.data, maxShownLength),
    };
  },
  reasonFields: { timeoutMs: Type.Optional(Type.Number()) },
  figureFields: { connectMs: figure("average TCP connect time") },
  describeFigures: ({ connection = null }) => ({ connectMs: roundFigure(connection) }),
  hints: {
    run: "with the times of a connection and what the server sent",
    figures: "connection time",
    samples: "response times of connections",
    creation: "",
  },
};

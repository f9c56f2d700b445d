import { Type } from "typebox";
import { OrNull } from "../../platform/http/schema.ts";
import { clipText } from "../../platform/text/clip.ts";
import type { KindTools } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { buildResponse } from "./document.ts";
import type { DnsMeasurement } from "./measurement.ts";
import type { DnsRequest } from "./order.ts";
import type { DnsSettings } from "./request.ts";
import { writeResponseCode } from "./wire/record-types.ts";

const figure = (description: string) => OrNull(Type.Number({ description }));
/** Enough for a person to recognise an answer without filling a model's context. */
const maxShownRecords = 10;
const maxShownLength = 200;

export const tools: KindTools<DnsSettings, DnsRequest, DnsMeasurement> = {
  checkFields: {
    recordType: Type.String({ description: "the record type" }),
    nameServer: OrNull(
      Type.String({ description: "the DNS server; `null` for that of the system" }),
    ),
    protocol: Type.String({ description: "UDP or TCP" }),
    degradedResponseTime: figure("milliseconds above which a run is degraded"),
    maxResponseTime: figure("milliseconds above which a run is failing"),
  },
  describeCheck: ({ request, degradedResponseTime, maxResponseTime }) => ({
    recordType: request.recordType,
    nameServer: request.nameServer,
    protocol: request.protocol,
    degradedResponseTime,
    maxResponseTime,
  }),
  resultFields: {
    udpMs: figure("time to the answer over UDP"),
    tcpMs: figure("time to the answer over TCP"),
    responseCode: OrNull(Type.String({ description: "such as NOERROR or NXDOMAIN" })),
  },
  describeResult: (measurement) => ({
    udpMs: roundFigure(measurement?.udpMs ?? null),
    tcpMs: roundFigure(measurement?.tcpMs ?? null),
    responseCode: measurement && writeResponseCode(measurement.responseCode),
  }),
  runFields: {
    query: Type.String({ description: "the queried name" }),
    recordType: Type.String(),
    nameServer: OrNull(
      Type.String({ description: "the DNS server; `null` for that of the system" }),
    ),
    resolvedIp: OrNull(Type.String({ description: "the IP address of the server" })),
    answers: Type.Array(Type.String(), { description: "the data of the first records" }),
    ignoredAnswers: Type.Integer({ description: "messages that answered other queries" }),
  },
  describeRun: (run) => {
    const response = buildResponse(run);
    const answers = response.json?.Answer ?? [];
    return {
      query: response.query,
      recordType: response.recordType,
      nameServer: response.nameServer,
      resolvedIp: response.resolvedIp,
      answers: answers
        .slice(0, maxShownRecords)
        .map(({ type, data }) => clipText(`${type} ${data}`, maxShownLength)),
      ignoredAnswers: response.ignoredAnswers,
    };
  },
  reasonFields: {
    responseCode: Type.Optional(Type.String()),
    recordType: Type.Optional(Type.String()),
    count: Type.Optional(Type.Number()),
  },
  /** The response time covers everything and is shown for every kind. */
  figureFields: {},
  describeFigures: () => ({}),
  hints: {
    run: "with the times and the answer of a DNS query",
    figures: "response time of queries",
    samples: "response times of queries",
    creation: "",
  },
};

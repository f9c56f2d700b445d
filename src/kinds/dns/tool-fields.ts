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
/** What a server sent is for people to recognise, not for a model to read at length. */
const maxShownRecords = 10;
const maxShownLength = 200;

export const tools: KindTools<DnsSettings, DnsRequest, DnsMeasurement> = {
  checkFields: {
    recordType: Type.String({ description: "the type of the records that are asked for" }),
    nameServer: OrNull(
      Type.String({ description: "the server that is asked; null: that of the system" }),
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
    udpMs: figure("time to the answer by UDP"),
    tcpMs: figure("time to the answer by TCP"),
    responseCode: OrNull(Type.String({ description: "such as NOERROR or NXDOMAIN" })),
  },
  describeResult: (measurement) => ({
    udpMs: roundFigure(measurement?.udpMs ?? null),
    tcpMs: roundFigure(measurement?.tcpMs ?? null),
    responseCode: measurement && writeResponseCode(measurement.responseCode),
  }),
  runFields: {
    query: Type.String({ description: "the name that was asked for" }),
    recordType: Type.String(),
    nameServer: OrNull(Type.String({ description: "the server; null: that of the system" })),
    resolvedIp: OrNull(Type.String({ description: "the address of the server" })),
    answers: Type.Array(Type.String(), { description: "the data of the first records" }),
    ignoredAnswers: Type.Integer({ description: "messages that answered something else" }),
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
  /** The response time says it all, and is shown of every kind. */
  figureFields: {},
  describeFigures: () => ({}),
  hints: {
    run: "of a DNS query its times and what the server answered",
    figures: "response time of queries",
    samples: "response times of queries",
    creation: "",
  },
};

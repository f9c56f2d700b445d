import { createKind } from "../../kit/create-kind.ts";
import { toTcpTarget } from "../../kit/paths/path.ts";
import { agent } from "./agent.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, judge, type TcpReason } from "./judge.ts";
import { isTcpMeasurement, listFigures, parts, type TcpMeasurement } from "./measurement.ts";
import {
  assertionSources,
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  responseTimeLimits,
  type TcpRequest,
  type TcpSettings,
  texts,
  toRequest,
  writeEndpoint,
} from "./request.ts";

/** Kind of checks that open a TCP connection and check the response time and the received data. */
export const tcp = createKind<TcpSettings, TcpRequest, TcpMeasurement, TcpReason>({
  type: "TCP",
  analyticsPath: "tcp-checks",
  fields,
  responseTimeLimits,
  ownFieldNames: ["RESPONSE_DATA", "bytesReceived", "sendsData"],
  mergeSettings,
  findFaults,
  target: ({ request }) => writeEndpoint(request),
  deadlineMs,
  toRequest,
  texts,
  pathTarget: toTcpTarget,
  families: {},
  capturesPackets: true,
  assertionSources,
  isMeasurement: isTcpMeasurement,
  judge,
  parts,
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: { aRun: "a connection", verb: "connects to" },
  operations: { example: { request: { hostname: "127.0.0.1", port: 22 } } },
  DocumentSchema,
  document: buildDocument,
  explain,
  failsWhen: "it does not connect",
  listFacts: (measurement) => [
    {
      name: "connectMs",
      label: "Connection time",
      value: measurement?.connectMs ?? null,
      unit: "ms",
    },
  ],
  agent,
});

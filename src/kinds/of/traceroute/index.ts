import { createKind } from "../../kit/create-kind.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { explain, judge, type TracerouteReason } from "./judge.ts";
import {
  isTracerouteMeasurement,
  listFigures,
  parts,
  type TracerouteMeasurement,
} from "./measurement.ts";
import {
  assertionSources,
  deadlineMs,
  findFaults,
  mergeSettings,
  responseTimeLimits,
  type TracerouteRequest,
  type TracerouteSettings,
  texts,
  toRequest,
  writeTarget,
} from "./request.ts";
import { fields } from "./request-schema.ts";

/**
 * Kind of checks that trace the path to a host and measure its number of hops, its packet loss and
 * its round-trip times.
 */
export const traceroute = createKind<
  TracerouteSettings,
  TracerouteRequest,
  TracerouteMeasurement,
  TracerouteReason
>({
  type: "TRACEROUTE",
  fields,
  responseTimeLimits,
  ownFieldNames: ["maxUnknownHops", "ptrLookup", "destinationReached", "HOP_COUNT"],
  mergeSettings,
  // Removes `packetSize`, because existing clients reject unknown fields.
  writeAsCode: ({ request: { packetSize: _packetSize, ...request }, ...settings }) => ({
    ...settings,
    request,
  }),
  findFaults,
  target: ({ request }) => writeTarget(request),
  deadlineMs,
  toRequest,
  texts,
  pathTarget: ({ hostname, protocol, port, ipFamily }) => ({ hostname, protocol, port, ipFamily }),
  assertionSources,
  isMeasurement: isTracerouteMeasurement,
  judge,
  parts,
  samples: { metric: "latency", noun: "round trip", label: "Round trip to the target" },
  figures: listFigures,
  encode,
  decode,
  figureBytes,
  readFigures,
  words: {
    aCheck: "a traceroute check",
    aRun: "a trace",
    verb: "traces the path to",
    responseTime: "average round trip to the target",
  },
  operations: {
    update:
      "An omitted field keeps its value. A change of `protocol` without `port` sets the usual port.",
    example: { request: { url: "127.0.0.1", protocol: "UDP", port: 33_434, ptrLookup: false } },
  },
  DocumentSchema,
  document: buildDocument,
  explain,
  failsWhen: "it does not reach its target",
  agent: {
    // Field descriptions for a language model. They are shorter than the descriptions in the API,
    // because the model receives them with every question of a user.
    fieldHints: {
      request: "The target and how to trace it.",
      "request.url": "The host, without scheme and port.",
      "request.protocol": "TCP (default), UDP or ICMP.",
      "request.port": "Port for TCP (443) and UDP (33434).",
      "request.ipFamily": "IPv4 or IPv6; default IPv4.",
      "request.maxHops": "Highest number of hops; default 30.",
      "request.maxUnknownHops": "Silent hops before it ends; default 15.",
      "request.ptrLookup": "Whether to look up names; default true.",
      "request.timeout": "Timeout in seconds; default 10.",
      "request.packetSize": "Bytes of a probe, to find MTU problems.",
      "request.assertions": "Assertions on round trip, hops or loss.",
    },
  },
});

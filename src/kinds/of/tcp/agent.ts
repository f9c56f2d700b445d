import { Type } from "typebox";
import { parseIpv6 } from "../../../platform/net/host.ts";
import { quote } from "../../../platform/text/clip.ts";
import { writeMs } from "../../../platform/text/figures.ts";
import type { OwnAgent, OwnSpeech, ReadTarget, SentenceWords } from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import { createTimedProposal, readEndpoints, readPorts } from "../../kit/timed-proposal.ts";
import {
  beginning,
  type DataOf,
  field,
  figure,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { buildResponse } from "./document.ts";
import type { TcpMeasurement } from "./measurement.ts";
import { responseTimeLimits, type TcpRequest, type TcpSettings, writeEndpoint } from "./request.ts";

interface ReadPort extends ReadTarget {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Reads hosts and ports. A host without its own port is combined with each port that the sentence
 * mentions separately.
 */
function readTargets(sentence: SentenceWords) {
  const { targets: hosts, refused } = readEndpoints(sentence);
  const ports = readPorts(sentence.words);
  const targets = new Map<string, ReadPort>();
  const without: string[] = [];
  for (const { hostname, port } of hosts) {
    const own = port === null ? ports : [port];
    if (own.length === 0) without.push(hostname);
    for (const one of own) {
      const label = writeEndpoint({ hostname, port: one });
      targets.set(label, { label, hostname, port: one });
    }
  }
  const reason = "it has no port; write for example db.example.com:5432.";
  return {
    targets: [...targets.values()],
    refused: [...refused, ...without.map((typed) => ({ typed, reason, instead: null }))],
  };
}

const proposal = createTimedProposal<ReadPort>(responseTimeLimits.highestMs, {
  claim: (line) => {
    if (/\btcp\b|\bports? \d/.test(line)) return 2;
    return /(?:^|[\s(])(?:[\w.-]*[a-z][\w.-]*|\d+(?:\.\d+){3}|\[[0-9a-f:]+\]):\d{2,5}\b/.test(line)
      ? 1
      : 0;
  },
  noun: "port",
  nouns: ["ports", "endpoints", "servers", "hosts", "targets"],
  askForTargets: "Which port? Write for example: connect to db.example.com:5432 every minute.",
  noTargetLeft: "There is no port left to connect to. A check needs a host and a port.",
  readTargets,
  buildRequest: ({ hostname, port }, isIpv6) => ({
    hostname,
    port,
    ipFamily: isIpv6 || parseIpv6(hostname) !== null ? "IPv6" : "IPv4",
  }),
});

const checkFields = {
  port: field(Type.Integer({ description: "the port to connect to" }), (c) => c.request.port),
  ipFamily: field(Type.String({ description: "IPv4, IPv6 or BOTH" }), (c) => c.request.ipFamily),
  sendsData: field(
    Type.Boolean({ description: "whether it sends data and awaits a response" }),
    ({ request: { data } }) => data !== null && data !== "",
  ),
} satisfies ToolFields<TcpSettings>;

const resultFields = {
  dnsMs: figure("name resolution time", ({ dnsMs }) => dnsMs),
  connectMs: figure("TCP connect time", ({ connectMs }) => connectMs),
  dataMs: figure(
    "time from the connection to the last byte of the response",
    ({ dataMs }) => dataMs,
  ),
} satisfies ToolFields<TcpMeasurement>;

const runFields = {
  hostname: field(Type.String({ description: "the host and port" }), (run) => run.request.hostname),
  port: field(Type.Integer(), ({ request }) => request.port),
  resolvedIp: textOrNull(
    "the IP address that the name resolved to",
    (run) => buildResponse(run).resolvedIp,
  ),
  ipFamily: field(Type.String(), ({ request }) => request.ipFamily),
  answer: textOrNull("how the wait for a response ended", (run) => buildResponse(run).answer),
  bytesReceived: field(Type.Integer(), (run) => buildResponse(run).bytesReceived),
  received: beginning("the beginning of what the server sent", (run) => buildResponse(run).data),
} satisfies ToolFields<Run<TcpRequest, TcpMeasurement>>;

type ResultData = ResultDataOf<typeof resultFields>;
type RunData = ResultData & DataOf<typeof runFields>;

const ends: Readonly<Record<string, string>> = {
  "timed-out": "the server did not respond in time",
  closed: "the server closed the connection before it sent anything",
  reset: "the server reset the connection before it sent anything",
};

const speech: OwnSpeech<DataOf<typeof checkFields>, ResultData, RunData> = {
  describeSize: ({ sendsData }) =>
    sendsData ? "one connection and one response a run" : "one connection a run",
  describeResult: ({ connectMs, dataMs }) => {
    if (connectMs === null) return "no connection";
    const answered = dataMs === null ? "" : `, answered after ${writeMs(dataMs)}`;
    return `connected in ${writeMs(connectMs)}${answered}`;
  },
  listFindings: ({ answer, received, bytesReceived }) => [
    ...[ends[answer ?? ""] ?? []].flat(),
    ...(bytesReceived === 0 ? [] : [`it sent ${bytesReceived} bytes: ${quote(received, 100)}`]),
  ],
  describeDestination: ({ port, resolvedIp }) =>
    resolvedIp === null ? "" : ` to ${writeEndpoint({ hostname: resolvedIp, port })}`,
  ownReasons: ["no-answer-in-time", "closed-before-data", "reset-before-data"],
  figures: [{ name: "connectMs", noun: "connecting", unit: "ms" }],
  proposal,
};

/** Defines what the agent shows of TCP checks and which words refer to them. */
export const agent: OwnAgent<TcpSettings, TcpRequest, TcpMeasurement> = {
  names: ["tcp", "port", "connection"],
  fieldHints: {
    request: "The host to connect to and the data to send.",
    "request.hostname": "The host name or IP address to connect to.",
    "request.port": "The port to connect to.",
    "request.data": "Text to send once connected; default none.",
    "request.ipFamily": "IPv4, IPv6, or BOTH to measure both in each run; default IPv4.",
    "request.assertions": "Additional assertions, such as a text in the response.",
  },
  hints: {
    run: "with the times of a connection and what the server sent",
    figures: "connection time",
    samples: "response times of connections",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: { timeoutMs: Type.Optional(Type.Number()) },
  figureFields: {
    connectMs: figure("average TCP connect time", (averages) => averages.connection),
  },
  speech,
};

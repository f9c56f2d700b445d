import { Type } from "typebox";
import { clipText, quote } from "../../../platform/text/clip.ts";
import { writeMs } from "../../../platform/text/figures.ts";
import type { OwnAgent, OwnSpeech, ReadTarget, SentenceWords } from "../../kit/agent.ts";
import { describeTrouble } from "../../kit/default-agent.ts";
import type { Run } from "../../kit/definition.ts";
import { createTimedProposal, type ReadEndpoint, readEndpoints } from "../../kit/timed-proposal.ts";
import {
  type DataOf,
  field,
  figure,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { buildResponse } from "./document.ts";
import type { DnsMeasurement } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import { type DnsSettings, responseTimeLimits } from "./request.ts";
import { queryTypes, writeResponseCode } from "./wire/record-types.ts";

interface ReadQuery extends ReadTarget {
  readonly query: string;
  readonly nameServer: string | null;
  readonly recordType: string;
}

/**
 * If one of these words precedes a host, the host is the DNS server rather than the queried name.
 */
const serverWords = new Set(
  "at using via server nameserver resolver asking ask through".split(" "),
);

/**
 * Finds a record type such as "MX" in a sentence; "A" if there is none. "A", "NS" and "HTTPS" count
 * only before "record", because they have other meanings too, such as the article "a".
 */
function readRecordType(words: readonly string[]): string {
  const found = words.findIndex((word, place) => {
    if (/^(?:aaaa|cname|mx|txt|soa|srv|caa|ptr)$/i.test(word)) return true;
    const isType = queryTypes.some((type) => type === word.toUpperCase());
    return isType && /^records?$/i.test(words[place + 1] ?? "");
  });
  return words[found]?.toUpperCase() ?? "A";
}

function readTargets(sentence: SentenceWords) {
  const { words } = sentence;
  const { targets: hosts, refused } = readEndpoints(sentence);
  const isServer = ({ index }: ReadEndpoint) =>
    serverWords.has(words[index - 1]?.toLowerCase() ?? "");
  const nameServer = hosts.find(isServer)?.hostname ?? null;
  const recordType = readRecordType(words);
  const queries = hosts.filter((host) => !isServer(host)).map(({ hostname }) => hostname);
  const targets = [...new Set(queries)].map((query) => ({
    label: `${query} (${recordType})`,
    query,
    nameServer,
    recordType,
  }));
  return { targets, refused };
}

const proposal = createTimedProposal<ReadQuery>(responseTimeLimits.highestMs, {
  claim: (line) => {
    if (/\b(?:a|aaaa|cname|mx|ns|txt|soa|https|srv|caa|ptr) records?\b/.test(line)) return 3;
    return /\bdns\b|\bname resolution\b/.test(line) ? 2 : 0;
  },
  noun: "name",
  nouns: ["names", "domains", "records", "zones"],
  askForTargets:
    "Which name? Write for example: watch the MX record of example.com at ns1.example.com.",
  noTargetLeft: "There is no name left to query. A check needs a domain name.",
  readTargets,
  buildRequest: ({ query, nameServer, recordType }) => ({
    query,
    recordType,
    ...(nameServer === null ? {} : { nameServer }),
  }),
});

/** Maximum number of records shown to a language model, which is enough to recognise an answer. */
const maxShownRecords = 10;
const maxRecordLength = 200;

const serverMeaning = "the DNS server; `null` for that of the system";

const checkFields = {
  recordType: field(
    Type.String({ description: "the record type" }),
    ({ request }) => request.recordType,
  ),
  nameServer: textOrNull(serverMeaning, ({ request }) => request.nameServer),
  protocol: field(Type.String({ description: "UDP or TCP" }), ({ request }) => request.protocol),
} satisfies ToolFields<DnsSettings>;

const resultFields = {
  udpMs: figure("time to the answer over UDP", ({ udpMs }) => udpMs),
  tcpMs: figure("time to the answer over TCP", ({ tcpMs }) => tcpMs),
  responseCode: textOrNull("such as NOERROR or NXDOMAIN", ({ responseCode }) =>
    writeResponseCode(responseCode),
  ),
} satisfies ToolFields<DnsMeasurement>;

const runFields = {
  query: field(Type.String({ description: "the queried name" }), ({ request }) => request.query),
  recordType: field(Type.String(), ({ request }) => request.recordType),
  nameServer: textOrNull(serverMeaning, (run) => buildResponse(run).nameServer),
  resolvedIp: textOrNull("the IP address of the server", (run) => buildResponse(run).resolvedIp),
  answers: field(
    Type.Array(Type.String(), { description: "the data of the first records" }),
    (run) =>
      (buildResponse(run).json?.Answer ?? [])
        .slice(0, maxShownRecords)
        .map(({ type, data }) => clipText(`${type} ${data}`, maxRecordLength)),
  ),
  ignoredAnswers: field(
    Type.Integer({ description: "messages that answered other queries" }),
    (run) => buildResponse(run).ignoredAnswers,
  ),
} satisfies ToolFields<Run<DnsRequest, DnsMeasurement>>;

/** The agent shows the queried name and record type as `hostname`, the common target field. */
type CheckData = DataOf<typeof checkFields> & { readonly hostname: string };
type ResultData = ResultDataOf<typeof resultFields>;
type RunData = ResultData &
  DataOf<typeof runFields> & { readonly trouble: Readonly<Record<string, unknown>> | null };

function describeResult({ udpMs, tcpMs, responseCode }: ResultData): string {
  if (responseCode === null) return "no answer";
  const ms = (udpMs ?? 0) + (tcpMs ?? 0);
  return `answered ${responseCode} in ${writeMs(ms)}${tcpMs === null ? "" : " by TCP"}`;
}

const maxAnswersShown = 5;

function describeAnswers(answers: readonly string[]): string {
  if (answers.length === 0) return "the answer has no records";
  const shown = answers.slice(0, maxAnswersShown).map((answer) => quote(answer, 100));
  const more = answers.length - shown.length;
  return `it answered ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function describeRun(run: RunData): string[] {
  const { answers, ignoredAnswers } = run;
  const ignored = ignoredAnswers === 0 ? [] : [`${ignoredAnswers} messages answered other queries`];
  const trouble = describeTrouble(run);
  if (trouble !== null) return [trouble, ...ignored];
  return [describeResult(run), describeAnswers(answers), ...ignored];
}

const speech: OwnSpeech<CheckData, ResultData, RunData> = {
  describeTarget: ({ hostname, nameServer, protocol }) =>
    `queries ${nameServer === null ? "the system's DNS server" : quote(nameServer)} for ${quote(hostname)} by ${protocol}`,
  describeSize: () => "one query a run",
  describeResult,
  describeRun,
  culprits: {
    "name-server-not-resolved": "The name of the DNS server itself does not resolve.",
    "name-server-refused": "The host responds, but no DNS server is listening on that port.",
    "answer-truncated":
      "The DNS server answers over UDP, but TCP is blocked or broken, so long answers cannot be fetched.",
  },
  ownReasons: ["response-code-not-noerror", "record-broken"],
  proposal,
};

/** Defines what the agent shows of DNS checks and which words refer to them. */
export const agent: OwnAgent<DnsSettings, DnsRequest, DnsMeasurement> = {
  names: ["dns", "name", "record"],
  fieldHints: {
    request: "The query and the DNS server.",
    "request.query": "The name to query.",
    "request.recordType": "The record type, such as A or MX.",
    "request.nameServer": "The DNS server; default that of the system.",
    "request.port": "The port of the server; default 53.",
    "request.protocol": "UDP or TCP; default UDP.",
    "request.ipFamily": "IPv4, IPv6, or BOTH to query over both in each run; default either.",
    "request.assertions": "Additional assertions, such as an address in the answer.",
  },
  hints: {
    run: "with the times and the answer of a DNS query",
    figures: "response time of queries",
    samples: "response times of queries",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: {
    responseCode: Type.Optional(Type.String()),
    recordType: Type.Optional(Type.String()),
    count: Type.Optional(Type.Number()),
  },
  speech,
};

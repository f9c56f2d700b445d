import { Type } from "typebox";
import { OrNull } from "../../../platform/http/schema.ts";
import { clipText, quote } from "../../../platform/text/clip.ts";
import type {
  OwnAgent,
  OwnSpeech,
  ReadTarget,
  RejectedTarget,
  SentenceWords,
} from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import { createTimedProposal } from "../../kit/timed-proposal.ts";
import {
  type DataOf,
  field,
  figure,
  maxShownLength,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { createHttpSpeech } from "../../wire/http/create-http-kind.ts";
import { buildResponse } from "./document.ts";
import type { UrlMeasurement } from "./measurement.ts";
import type { UrlRequest, UrlSettings } from "./request.ts";

interface ReadUrl extends ReadTarget {
  readonly url: string;
}

const highestMs = 45_000;

/** Reads the URLs of a sentence: words with http or https, and host names such as example.com. */
function readTargets({ words, taken, isPlain }: SentenceWords) {
  const targets = new Map<string, ReadUrl>();
  const refused: RejectedTarget[] = [];
  for (const [index, word] of words.entries()) {
    if (taken.has(index) || isPlain(word.toLowerCase())) continue;
    const isName = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?:[:/?].*)?$/u.test(word);
    if (!/^https?:\/\//i.test(word) && !(isName && /\p{L}/u.test(word))) continue;
    const written = /^https?:\/\//i.test(word) ? word : `https://${word}`;
    if (!URL.canParse(written)) {
      refused.push({ typed: word, reason: "it is not a URL.", instead: null });
      continue;
    }
    targets.set(written, { label: written.replace(/^https?:\/\//i, ""), url: written });
  }
  return { targets: [...targets.values()], refused };
}

const proposal = createTimedProposal<ReadUrl>(highestMs, {
  claim: (line) => {
    if (/\b(?:urls?|websites?|web ?pages?|https?) (?:checks?|monitors?)\b/.test(line)) return 2;
    if (/\bwebsites?\b|\bweb ?pages?\b|\burls?\b/.test(line)) return 2;
    return /https?:\/\//.test(line) ? 1 : 0;
  },
  noun: "URL",
  nouns: ["urls", "websites", "sites", "pages", "endpoints"],
  askForTargets:
    "Which URL? Write for example: watch https://shop.example.com/health every minute.",
  noTargetLeft: "There is no URL left to watch.",
  readTargets,
  buildRequest: ({ url }, isIpv6) => ({ url, ipFamily: isIpv6 ? "IPv6" : "IPv4" }),
});

const checkFields = {
  ipFamily: field(
    Type.String({ description: "IPv4, IPv6 or BOTH" }),
    ({ request }) => request.ipFamily,
  ),
  followRedirects: field(
    Type.Boolean({ description: "whether redirects are followed" }),
    ({ request }) => request.followRedirects,
  ),
} satisfies ToolFields<UrlSettings>;

const resultFields = {
  statusCode: field(
    OrNull(Type.Integer({ description: "the status code of the response" })),
    ({ status }) => status,
  ),
  dnsMs: figure("name resolution time", ({ phases }) => phases.dnsMs),
  connectMs: figure("time to connect", ({ phases }) => phases.connectMs),
  tlsMs: figure("TLS handshake time", ({ phases }) => phases.tlsMs),
  firstByteMs: figure("time to first byte", ({ phases }) => phases.firstByteMs),
} satisfies ToolFields<UrlMeasurement>;

const runFields = {
  url: field(
    Type.String({ description: "the last requested URL" }),
    (run) => buildResponse(run).url,
  ),
  resolvedIp: textOrNull(
    "the IP address that the name resolved to",
    (run) => buildResponse(run).resolvedIp,
  ),
  ipFamily: field(Type.String(), ({ request }) => request.ipFamily),
  statusText: field(
    Type.String({ description: "the status text" }),
    (run) => buildResponse(run).statusText,
  ),
  httpVersion: field(OrNull(Type.String()), (run) => buildResponse(run).httpVersion),
  redirectCount: field(
    Type.Integer({ description: "number of followed redirects" }),
    (run) => buildResponse(run).redirects.length,
  ),
  certificateValidTo: textOrNull(
    "expiry date of the certificate",
    (run) => buildResponse(run).certificate?.validTo,
  ),
  body: textOrNull("the beginning of the body, if the run failed", (run) => {
    const { body } = buildResponse(run);
    return body && clipText(body, maxShownLength);
  }),
} satisfies ToolFields<Run<UrlRequest, UrlMeasurement>>;

type ResultData = ResultDataOf<typeof resultFields>;
type RunData = ResultData & DataOf<typeof runFields>;

const speech: OwnSpeech<DataOf<typeof checkFields>, ResultData, RunData> = {
  ...createHttpSpeech(),
  describeSize: ({ followRedirects }) =>
    followRedirects ? "one request and its redirects a run" : "one request a run",
  listFindings: ({ redirectCount, certificateValidTo, body, url }) => {
    const redirects = redirectCount === 1 ? "one redirect" : `${redirectCount} redirects`;
    return [
      ...(redirectCount === 0 ? [] : [`${redirects} led to ${quote(url, 200)}`]),
      ...(certificateValidTo === null
        ? []
        : [`its certificate is valid until ${certificateValidTo.slice(0, 10)}`]),
      ...(body === null || body === "" ? [] : [`it sent ${quote(body, 100)}`]),
    ];
  },
  culprits: {
    "name-not-resolved": "Name resolution seems to be the cause: no request was sent.",
    "certificate-rejected": "The host responds, but browsers would not trust its certificate.",
    "error-status": "The server responds, so the network works: check the server's logs.",
  },
  ownReasons: ["body-incomplete"],
  figures: [{ name: "firstByteMs", noun: "answering", unit: "ms" }],
  proposal,
};

/** Defines what the agent shows of URL checks and which words refer to them. */
export const agent: OwnAgent<UrlSettings, UrlRequest, UrlMeasurement> = {
  names: ["url", "website", "site", "http", "https"],
  fieldHints: {
    request: "The request to send.",
    "request.url": "The URL, with http:// or https://.",
    "request.followRedirects": "Whether redirects are followed; default true.",
    "request.skipSSL": "Whether to accept a certificate that is not trusted.",
    "request.ipFamily": "IPv4, IPv6, or BOTH to measure both in each run; default IPv4.",
    "request.assertions": "Assertions on the status code; default below 400.",
  },
  hints: {
    run: "with the status code and times of a request and, if it failed, what the server sent",
    figures: "time to first byte",
    samples: "response times of requests",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: {
    status: Type.Optional(Type.Integer()),
    receivedBytes: Type.Optional(Type.Integer()),
  },
  speech,
};

import { Type } from "typebox";
import { OrNull } from "../../../platform/http/schema.ts";
import { parseIpv6 } from "../../../platform/net/host.ts";
import { quote } from "../../../platform/text/clip.ts";
import { writeMs } from "../../../platform/text/figures.ts";
import type { KindProposal, OwnAgent, OwnSpeech, SentenceWords } from "../../kit/agent.ts";
import type { Run } from "../../kit/definition.ts";
import { type ReadEndpoint, readEndpoints, readIpv6, readPorts } from "../../kit/timed-proposal.ts";
import {
  type DataOf,
  field,
  figure,
  type ResultDataOf,
  type ToolFields,
  textOrNull,
} from "../../kit/tool-fields.ts";
import { nameProtocol } from "../../wire/tls/tls-document.ts";
import { buildResponse } from "./document.ts";
import type { SslMeasurement } from "./measurement.ts";
import type { SslRequest, SslSettings } from "./request.ts";

interface MentionedSettings {
  readonly days: number | null;
  readonly isIpv6: boolean;
}

const usualPort = 443;
const mostDays = 365;

function readTargets(sentence: SentenceWords) {
  const { targets, refused } = readEndpoints(sentence);
  const [named = null] = readPorts(sentence.words);
  const each = targets.map((one) => [one.hostname, { ...one, port: one.port ?? named }] as const);
  return { targets: [...new Map(each).values()], refused };
}

const proposal: KindProposal<ReadEndpoint, MentionedSettings> = {
  claim: (line) => (/\b(?:certificates?|certs?|ssl|tls)\b/.test(line) ? 3 : 0),
  noun: "host",
  nouns: ["hosts", "sites", "servers", "domains", "certificates"],
  askForTargets:
    "Whose certificate? Write for example: watch the certificate of shop.example.com every hour.",
  noTargetLeft: "There is no host left. A check needs a host name and optionally a port.",
  readTargets,
  readSettings: (line) => {
    const days = /\b(\d{1,4}) days?\b/.exec(line)?.[1];
    return { days: days === undefined ? null : Number(days), isIpv6: readIpv6(line) };
  },
  fitSettings: ({ days, isIpv6 }, notes) => {
    const fitted = days === null ? null : Math.min(mostDays, Math.max(1, days));
    if (fitted !== days)
      notes.push(
        `The warning before expiry must be 1 to ${mostDays} days; it was set to ${fitted}.`,
      );
    return { days: fitted, isIpv6 };
  },
  buildBody: ({ hostname, port }, { days, isIpv6 }) => ({
    request: {
      sslConfig: {
        hostname,
        port: port ?? usualPort,
        ipFamily: isIpv6 || parseIpv6(hostname) !== null ? "IPv6" : "IPv4",
        ...(days === null ? {} : { alertDaysBeforeExpiry: days }),
      },
    },
  }),
};

const maxNamesShown = 10;

type SslRun = Run<SslRequest, SslMeasurement>;

const findCertificate = (run: SslRun) => buildResponse(run).certificate;

const checkFields = {
  port: field(
    Type.Integer({ description: "the port to connect to" }),
    ({ request }) => request.sslConfig.port,
  ),
  serverName: textOrNull(
    "the server name (SNI); `null` for the host name",
    ({ request }) => request.sslConfig.serverName,
  ),
  ipFamily: field(
    Type.String({ description: "IPv4 or IPv6" }),
    ({ request }) => request.sslConfig.ipFamily,
  ),
  alertDaysBeforeExpiry: field(
    Type.Integer({ description: "number of days before expiry at which a run becomes degraded" }),
    ({ request }) => request.sslConfig.alertDaysBeforeExpiry,
  ),
} satisfies ToolFields<SslSettings>;

const resultFields = {
  daysLeft: figure(
    "days until the certificate expires; negative if it has expired",
    ({ daysLeft }) => daysLeft,
  ),
  handshakeMs: figure("TLS handshake time", ({ handshakeMs }) => handshakeMs),
  tlsVersion: textOrNull("the TLS version", ({ tls }) => nameProtocol(tls.protocol)),
} satisfies ToolFields<SslMeasurement>;

const runFields = {
  hostname: field(
    Type.String({ description: "the host and port" }),
    ({ request }) => request.hostname,
  ),
  port: field(Type.Integer(), ({ request }) => request.port),
  serverName: field(
    Type.String({ description: "the name that the certificate must match" }),
    ({ request }) => request.serverName ?? request.hostname,
  ),
  resolvedIp: textOrNull(
    "the IP address that the name resolved to",
    (run) => buildResponse(run).resolvedIp,
  ),
  issuer: textOrNull("the issuer of the certificate", (run) => findCertificate(run)?.issuer),
  validTo: textOrNull("when the certificate expires", (run) => findCertificate(run)?.validTo),
  names: field(
    Type.Array(Type.String(), { description: "the names in the certificate" }),
    (run) => findCertificate(run)?.sans.slice(0, maxNamesShown) ?? [],
  ),
  chainTrusted: field(OrNull(Type.Boolean()), (run) => buildResponse(run).chainTrusted),
  hostnameVerified: field(OrNull(Type.Boolean()), (run) => buildResponse(run).hostnameVerified),
  cipherSuite: textOrNull("the cipher suite", (run) => buildResponse(run).cipherSuite),
  key: textOrNull("type and size of the key", (run) => {
    const certificate = findCertificate(run);
    return certificate && `${certificate.keyAlgorithm} ${certificate.keySizeBits ?? ""}`.trim();
  }),
} satisfies ToolFields<SslRun>;

type CheckData = DataOf<typeof checkFields>;
type ResultData = ResultDataOf<typeof resultFields>;
type RunData = ResultData & DataOf<typeof runFields>;
type FigureData = Pick<ResultData, "daysLeft">;

function writeDays(days: number | null): string {
  if (days === null) return "no data";
  const rounded = Math.floor(days);
  if (rounded < 0) return "expired";
  return `${rounded} ${rounded === 1 ? "day" : "days"} left`;
}

const describeDays = ({ daysLeft }: FigureData) =>
  daysLeft === null ? "" : `certificate ${writeDays(daysLeft)}`;

const speech: OwnSpeech<CheckData, ResultData, RunData, FigureData> = {
  describeSize: () => "one handshake a run",
  describeLimits: ({ alertDaysBeforeExpiry }) => [
    `degraded ${alertDaysBeforeExpiry} days before the certificate expires`,
  ],
  describeResult: ({ daysLeft, handshakeMs }) =>
    daysLeft === null
      ? "no handshake"
      : `certificate ${writeDays(daysLeft)}, handshake in ${writeMs(handshakeMs)}`,
  listFindings: ({ issuer, validTo, names }) => [
    ...(validTo === null ? [] : [`it expires on ${validTo.slice(0, 10)}`]),
    ...(issuer === null ? [] : [`it is signed by ${quote(issuer, 100)}`]),
    ...(names.length === 0 ? [] : [`it is for ${quote(names.join(", "), 200)}`]),
  ],
  culprits: {
    "not-tls": "Another service is listening on that port, or TLS is disabled there.",
    "incomplete-chain":
      "The server does not send the intermediate certificates: add them to its certificate file.",
    "certificate-expired": "The certificate was not renewed in time.",
    "certificate-expires-soon": "The certificate is due for renewal.",
  },
  describeFigures: describeDays,
  describeChange: (_before, now) => describeDays(now),
  describeDifference: () => "",
  proposal,
};

/** Defines what the agent shows of SSL checks and which words refer to them. */
export const agent: OwnAgent<SslSettings, SslRequest, SslMeasurement> = {
  names: ["ssl", "tls", "certificate", "cert"],
  fieldHints: {
    request: "The host whose certificate is monitored.",
    "request.sslConfig": "Host, port and certificate rules.",
    "request.sslConfig.hostname": "The host name or IP address to connect to.",
    "request.sslConfig.port": "The port to connect to; default 443.",
    "request.sslConfig.alertDaysBeforeExpiry":
      "Number of days before expiry at which the check becomes degraded; default 20.",
    "request.assertions": "Additional assertions, such as the name of the issuer.",
  },
  hints: {
    run: "with the issuer, names, expiry and chain of a certificate",
    figures: "days until the certificate expires",
    samples: "response times of handshakes",
    creation: "",
  },
  checkFields,
  resultFields,
  runFields,
  reasonFields: { daysLeft: Type.Optional(Type.Number()) },
  figureFields: {
    daysLeft: figure("average days until the certificate expires", (averages) => averages.days),
  },
  speech,
};

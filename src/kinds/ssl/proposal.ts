import type { KindProposal, SentenceWords } from "../agent.ts";
import { parseIpv6 } from "../network/ip-address.ts";
import { type ReadEndpoint, readEndpoints, readPorts } from "../sentences/read-endpoints.ts";
import { readIpv6 } from "../sentences/time-limits.ts";

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

export const proposal: KindProposal<ReadEndpoint, MentionedSettings> = {
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

import type { ReadTarget, SentenceWords } from "../agent.ts";
import { parseIpv6 } from "../network/ip-address.ts";
import { readEndpoints, readPorts } from "../sentences/read-endpoints.ts";
import { createTimedProposal } from "../sentences/time-limits.ts";
import { responseTimeLimits, writeEndpoint } from "./request.ts";

interface ReadPort extends ReadTarget {
  readonly hostname: string;
  readonly port: number;
}

/** Reads a port next to its host, or one port for all hosts without one. */
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

export const proposal = createTimedProposal<ReadPort>(responseTimeLimits.highestMs, {
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

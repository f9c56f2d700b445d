/** A DNS server with a zone that a test can change. */
import type { TestContext } from "node:test";
import {
  frame,
  readDnsQuestion,
  replyTo,
  startDnsServer,
  writeDnsName,
  writeDnsRecord,
} from "./dns-server.ts";

const types = { CNAME: 5, TXT: 16 } as const;
/** Maximum size of a UDP response. Larger responses are sent over TCP. */
const maxUdpBytes = 1_232;

export interface DnsZone {
  /** Address of the server, as the value of `DOMAIN_DNS_SERVERS`. */
  readonly server: string;
  readonly texts: Map<string, readonly string[]>;
  readonly aliases: Map<string, string>;
  /** Fault of the server: SERVFAIL for every query, or no response at all. */
  fault: "none" | "failing" | "silent";
  questionCount: number;
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number } {
  const question = readDnsQuestion(query);
  const labels: string[] = [];
  let at = 0;
  while (question.readUInt8(at) > 0) {
    const length = question.readUInt8(at);
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: question.readUInt16BE(at + 1) };
}

/** Encodes a TXT record. A text of more than 255 bytes is split into several strings. */
function writeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

export async function startDnsZone(t: Pick<TestContext, "after">): Promise<DnsZone> {
  const texts: DnsZone["texts"] = new Map();
  const aliases: DnsZone["aliases"] = new Map();
  const answer = (query: Buffer): Buffer => {
    zone.questionCount += 1;
    if (zone.fault === "failing") return replyTo(query, { code: 2 });
    const question = readQuestion(query);
    const answers: Buffer[] = [];
    let { name } = question;
    const alias = aliases.get(name);
    if (alias !== undefined) {
      const data = writeDnsName(alias);
      answers.push(writeDnsRecord(types.CNAME, data, { name: writeDnsName(name) }));
      if (question.type !== types.CNAME) name = alias.toLowerCase().replace(/\.$/, "");
    }
    if (question.type === types.TXT) {
      for (const text of texts.get(name) ?? []) {
        answers.push(writeDnsRecord(types.TXT, writeText(text), { name: writeDnsName(name) }));
      }
    }
    const isKnown = answers.length > 0 || texts.has(name);
    return replyTo(query, { code: isKnown ? 0 : 3, answers });
  };
  const { address, port } = await startDnsServer(t, {
    udp: (query) => {
      if (zone.fault === "silent") return [];
      const reply = answer(query);
      return [reply.length > maxUdpBytes ? replyTo(query, { flags: 0x0200 }) : reply];
    },
    tcp: (query, socket) => {
      if (zone.fault !== "silent") socket.end(frame(answer(query)));
    },
  });
  const zone: DnsZone = {
    server: `${address}:${port}`,
    texts,
    aliases,
    fault: "none",
    questionCount: 0,
  };
  return zone;
}

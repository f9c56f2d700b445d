import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { NameResolver } from "../../network/resolve.ts";

const headerBytes = 12;
const types = { 1: "IPv4", 28: "IPv6" } as const;
const timeToLive = 30;
const isAnswer = 0x8180;
const nameMissing = 3;
const maxNameBytes = 255;

/**
 * Answers a DNS query of a script with the probe's own resolver. Addresses are checked when the
 * script connects to them. Returns `null` for what is not a query.
 */
export async function answerQuery(query: Buffer, resolver: NameResolver): Promise<Buffer | null> {
  const question = readQuestion(query);
  if (question === null) return null;
  const { name, type, end } = question;
  const family = types[type as keyof typeof types];
  const found = family && (await resolver.resolve(name, family));
  const address = found?.address;
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  const isMissing = found?.error?.code === "ENOTFOUND";
  header.writeUInt16BE(isAnswer | (isMissing ? nameMissing : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === undefined ? 0 : 1, 6);
  const parts = [header, query.subarray(headerBytes, end)];
  if (address !== undefined && isIP(address) !== 0) parts.push(writeRecord(type, address));
  return Buffer.concat(parts);
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** Offset of the byte after the question. */
  readonly end: number;
}

function readQuestion(query: Buffer): Question | null {
  const hasOneQuestion = query.length > headerBytes && query.readUInt16BE(4) === 1;
  if (!hasOneQuestion || ((query[2] ?? 0) & 0x80) !== 0) return null;
  const labels: string[] = [];
  let place = headerBytes;
  for (;;) {
    const length = query[place];
    if (length === undefined || length > 63 || place > headerBytes + maxNameBytes) return null;
    place += 1;
    if (length === 0) break;
    labels.push(query.toString("latin1", place, place + length));
    place += length;
  }
  if (place + 4 > query.length) return null;
  return { name: labels.join("."), type: query.readUInt16BE(place), end: place + 4 };
}

function writeRecord(type: number, address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  const record = Buffer.alloc(12 + bytes.length);
  // A reference to the name of the question.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(timeToLive, 6);
  record.writeUInt16BE(bytes.length, 10);
  record.set(bytes, 12);
  return record;
}

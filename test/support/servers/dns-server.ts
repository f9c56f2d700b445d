/** DNS servers for tests, with scripted responses over UDP and TCP on one port. */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { findFreePort } from "./free-port.ts";

export interface DnsServer {
  readonly address: string;
  readonly port: number;
  /** Queries that the server has received. */
  readonly queries: { readonly protocol: "UDP" | "TCP"; readonly query: Buffer }[];
}

export interface DnsHandlers {
  /** Returns the UDP messages that the server sends as its response. */
  readonly udp?: (query: Buffer, queryCount: number) => readonly Buffer[];
  readonly tcp?: (query: Buffer, socket: Socket) => void;
}

export async function startDnsServer(
  t: Pick<TestContext, "after">,
  handlers: DnsHandlers,
  address = "127.0.0.1",
): Promise<DnsServer> {
  const queries: DnsServer["queries"] = [];
  const { udp, port } = await bindUdp(address);
  let udpCount = 0;
  udp.on("message", (query, { port: from, address: sender }) => {
    queries.push({ protocol: "UDP", query });
    udpCount += 1;
    for (const answer of handlers.udp?.(query, udpCount) ?? []) udp.send(answer, from, sender);
  });
  const open = new Set<Socket>();
  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("data", (framed) => {
      const query = (framed as Buffer).subarray(2);
      queries.push({ protocol: "TCP", query });
      handlers.tcp?.(query, socket);
    });
  });
  if (handlers.tcp !== undefined) {
    tcp.listen(port, address);
    await once(tcp, "listening");
  }
  t.after(() => {
    udp.close();
    tcp.close();
    for (const socket of open) socket.destroy();
  });
  return { address, port, queries };
}

/** Binds a UDP port whose number is also free for TCP. */
async function bindUdp(address: string): Promise<{ udp: UdpSocket; port: number }> {
  const port = await findFreePort(address);
  const udp = createSocket(address.includes(":") ? "udp6" : "udp4");
  udp.bind(port, address);
  await once(udp, "listening");
  return { udp, port };
}

export function writeDnsName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...parts, Buffer.from([0])]);
}

export function writeDnsRecord(
  type: number,
  data: Buffer | readonly number[],
  parts: { readonly name?: Buffer; readonly ttl?: number; readonly length?: number } = {},
): Buffer {
  const { name = Buffer.from([0xc0, 12]), ttl = 300, length = data.length } = parts;
  const rest = Buffer.alloc(10);
  rest.writeUInt16BE(type, 0);
  rest.writeUInt16BE(1, 2);
  rest.writeUInt32BE(ttl, 4);
  rest.writeUInt16BE(length, 8);
  return Buffer.concat([name, rest, Buffer.from(data)]);
}

export interface ReplyParts {
  readonly code?: number;
  /** Flags that are added to those of a response to a recursive query. */
  readonly flags?: number;
  readonly answers?: readonly Buffer[];
  readonly authorities?: readonly Buffer[];
  readonly additionals?: readonly Buffer[];
  /** Number of answers in the header, if it must differ from the real number. */
  readonly answerCount?: number;
}

/** Returns the bytes of the question section of a query. */
export function readDnsQuestion(query: Buffer): Buffer {
  let at = 12;
  while (query.readUInt8(at) > 0) at += query.readUInt8(at) + 1;
  return query.subarray(12, at + 5);
}

export function replyTo(query: Buffer, parts: ReplyParts = {}): Buffer {
  const { code = 0, flags = 0, answers = [], authorities = [], additionals = [] } = parts;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | flags | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(parts.answerCount ?? answers.length, 6);
  header.writeUInt16BE(authorities.length, 8);
  header.writeUInt16BE(additionals.length, 10);
  return Buffer.concat([
    header,
    readDnsQuestion(query),
    ...answers,
    ...authorities,
    ...additionals,
  ]);
}

/** Prepends the length to a message, as DNS over TCP requires. */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}

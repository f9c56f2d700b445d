import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { after, test } from "node:test";
import { findLack } from "../../../../test/support/programs/programs.ts";
import { createSocketThread } from "../network/socket-thread.ts";
import {
  type CaptureAnswer,
  type CaptureCall,
  clipPacket,
  maxPackets,
  writePcapng,
} from "./packet-capture.ts";

const thread = createSocketThread({ log: () => {}, reach: { allow: [], deny: [] } });
after(() => thread.close());
const captures = thread.open<CaptureCall, CaptureAnswer>(
  new URL("./packet-capture.ts", import.meta.url),
);

/** Prints a file as tcpdump reads it, one line per packet. */
function readWithTcpdump(file: Uint8Array): string[] {
  const { stdout, stderr } = spawnSync("tcpdump", ["-nnr", "-"], { input: file, encoding: "utf8" });
  assert.match(stderr, /link-type RAW/);
  return stdout.trim().split("\n");
}

const isPermitted = await captures.call({
  id: "first",
  target: { address: "127.0.0.1", protocol: "TCP", port: 1 },
  comment: "",
});
await captures.call({ id: "first" });
const skip = findLack("tcpdump") || (isPermitted !== true && "NOT TESTED: needs CAP_NET_RAW");

test("a capture has the headers of a connection, and none of its data", { skip }, async () => {
  const server = createServer((socket) => socket.end("a secret answer")).listen(0, "127.8.8.8");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  const id = randomUUID();
  const target = { address: "127.8.8.8", protocol: "TCP", port } as const;
  assert.equal(await captures.call({ id, target, comment: "A repeat." }), true);
  const socket = connect({ host: "127.8.8.8", port });
  socket.write("a secret question");
  socket.resume();
  await once(socket, "close");
  server.close();
  const file = await captures.call({ id });
  assert.ok(file instanceof Uint8Array);
  assert.ok(!Buffer.from(file).includes("secret"));
  assert.ok(Buffer.from(file).includes("A repeat."));
  const lines = readWithTcpdump(file);
  assert.match(lines[0] ?? "", new RegExp(`IP \\S+ > 127\\.8\\.8\\.8\\.${port}: Flags \\[S\\]`));
  assert.match(lines[1] ?? "", new RegExp(`IP 127\\.8\\.8\\.8\\.${port} > \\S+: Flags \\[S\\.\\]`));
  assert.ok(
    lines.some((line) => /length 15/.test(line)),
    "the length of the data is known",
  );
  const stamps = lines.map((line) => line.slice(0, 15));
  assert.deepEqual(stamps, stamps.toSorted());
  assert.equal(await captures.call({ id }), null, "a capture ends once");
});

test("few captures run at once, and a file has the last packets", { skip }, async () => {
  const target = { address: "127.8.8.9", protocol: "TCP", port: 9 } as const;
  const ids = Array.from({ length: 9 }, () => randomUUID());
  const started = await Promise.all(ids.map((id) => captures.call({ id, target, comment: "" })));
  assert.deepEqual(started, [...Array(8).fill(true), false]);
  for (let count = 0; count < maxPackets; count += 1) {
    const socket = connect({ host: "127.8.8.9", port: 9 });
    await once(socket, "error");
  }
  const [file] = await Promise.all(ids.map((id) => captures.call({ id })));
  assert.ok(file instanceof Uint8Array);
  const lines = readWithTcpdump(file);
  assert.equal(lines.length, maxPackets);
  assert.match(lines.at(-1) ?? "", /Flags \[R\.\]/, "the last packet is the last reset");
});

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const ipv4 = (protocol: string, rest: string) =>
  hex(`4500 0060 0000 0000 40${protocol} 0000 0a000001 c0000201 ${rest}`);
const tcp = "9c40 01bb 00000000 00000000 5002 0000 0000 0000";

test("packets are clipped to what belongs to the target", () => {
  const target = { protocol: "TCP", port: 443 } as const;
  const data = "73656372657421";
  assert.equal(clipPacket(ipv4("06", `${tcp} ${data}`), target)?.bytes.length, 40);
  assert.equal(clipPacket(ipv4("06", `${tcp} ${data}`), target)?.length, 0x60);
  assert.equal(clipPacket(ipv4("06", tcp), { protocol: "TCP", port: 80 }), null);
  assert.equal(clipPacket(ipv4("11", "0035 01bb 0010 0000"), target), null);
  const quote = Buffer.from(ipv4("06", `${tcp} ${data}`)).toString("hex");
  const exceeded = clipPacket(ipv4("01", `0b00 0000 00000000 ${quote}`), target);
  assert.equal(exceeded?.bytes.length, 20 + 8 + 20 + 8);
  assert.equal(clipPacket(ipv4("01", "0800 0000 0001 0001"), target), null);
  const ping = { protocol: "ICMP", port: null } as const;
  assert.equal(clipPacket(ipv4("01", "0800 0000 0001 0001 0102"), ping)?.bytes.length, 30);
  assert.equal(clipPacket(ipv4("01", `0b00 0000 00000000 ${quote}`), ping), null);
  for (const junk of ["", "45", "60", "4500", "4f00 0000", "6000 0000 0000"]) {
    assert.equal(clipPacket(hex(junk), target), null, junk);
  }
});

test("a file without packets is one that programs read", { skip: findLack("tcpdump") }, () => {
  assert.deepEqual(readWithTcpdump(writePcapng([], "")), [""]);
});

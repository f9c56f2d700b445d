import assert from "node:assert/strict";
import { closeSync } from "node:fs";
import { after, test } from "node:test";
import { waitUntil } from "../../../../../test/support/time/wait-until.ts";
import { ERRNO, IOVEC, MMSGHDR, SOCKADDR_IN } from "../../../wire/kernel/kernel-layout.ts";
import { NULL_POINTER, openLibc } from "../../../wire/kernel/libc.ts";
import { ControlReader, NO_STAMP } from "./matcher.ts";
import { createParsedPacket, ECHO_HEAD_BYTES, ECHO_REPLY, EchoWriter } from "./packet.ts";
import { WallClock } from "./send-lane.ts";
import { SocketOpener } from "./socket.ts";

const libc = openLibc(64 * 1024, null);
const { arena, call } = libc;
const cookie = { low: 0x1234_5678, high: 0x9abc_def0 };
const opener = new SocketOpener(libc, cookie);
const ident = 0x4711;
const datagram = opener.open("IPv4", "datagram", ident);
const outcome = datagram.ok ? datagram : opener.open("IPv4", "raw", ident);
const skip = outcome.ok ? false : "SKIPPED LOUDLY: no ICMP socket may be opened here";
after(() => {
  if (outcome.ok) closeSync(outcome.socket.fd);
});

test("errno is that of the failing call, on this thread", () => {
  assert.equal(call.socket(-1, -1, -1), -1);
  assert.ok([ERRNO.EAFNOSUPPORT, ERRNO.EINVAL].some((errno) => errno === libc.errno()));
});

test("the arena returns separate, aligned, zeroed blocks and rejects what does not fit", () => {
  const first = arena.take(10);
  const second = arena.take(10);
  assert.equal(first % 64, 0);
  assert.ok(second >= first + 10);
  assert.equal(arena.pointer(second) - arena.pointer(first), BigInt(second - first));
  assert.throws(() => arena.take(1_000_000), /too small/);
});

test("the kernel's clock is read in the right unit", () => {
  const beforeMs = Date.now();
  const baseSeconds = Math.floor(beforeMs / 1000);
  const nowMs = baseSeconds * 1000 + new WallClock(libc, baseSeconds).nowNs() / 1e6;
  assert.ok(nowMs >= beforeMs && nowMs < Date.now() + 1);
});

test("option values make the round trip through the kernel", { skip }, () => {
  assert.ok(outcome.ok);
  assert.ok(outcome.socket.receiveBufferBytes >= 212_992);
  assert.equal(opener.readDrops(outcome.socket), 0);
});

test("one real echo fills every field of the structs where it is expected", { skip }, async () => {
  assert.ok(outcome.ok);
  const { socket } = outcome;
  const [head, name, vector, message] = [32, 32, 16, 64].map((bytes) => arena.take(bytes));
  assert.ok(head !== undefined && name !== undefined && vector !== undefined);
  assert.ok(message !== undefined);
  const swapped = ((ident & 0xff) << 8) | (ident >> 8);
  new EchoWriter("IPv4", swapped, cookie).write(arena.words, head / 4, 77, 88);
  arena.halfWords[name / 2] = 2;
  arena.bytes.set([127, 5, 6, 7], name + SOCKADDR_IN.address);
  arena.longs[vector / 8] = arena.pointer(head);
  arena.longs[(vector + IOVEC.length) / 8] = BigInt(ECHO_HEAD_BYTES);
  arena.longs[message / 8] = arena.pointer(name);
  arena.words[(message + MMSGHDR.nameLength) / 4] = SOCKADDR_IN.size;
  arena.longs[(message + MMSGHDR.vectors) / 8] = arena.pointer(vector);
  arena.longs[(message + MMSGHDR.vectorCount) / 8] = 1n;
  assert.equal(call.sendmmsg(socket.fd, arena.pointer(message), 1, 0), 1);
  assert.equal(arena.words[(message + MMSGHDR.movedLength) / 4], ECHO_HEAD_BYTES);

  const data = arena.take(192);
  const control = arena.take(256);
  arena.longs[vector / 8] = arena.pointer(data);
  arena.longs[(vector + IOVEC.length) / 8] = 192n;
  arena.longs[(message + MMSGHDR.control) / 8] = arena.pointer(control);
  const receive = () => {
    arena.longs[(message + MMSGHDR.controlLength) / 8] = 256n;
    arena.bytes.fill(0, name, name + 32);
    return call.recvmmsg(socket.fd, arena.pointer(message), 1, 0, NULL_POINTER);
  };
  const sender = () => arena.bytes.subarray(name + 4, name + 8).join(".");
  // A busy kernel may reply slightly later, and a raw socket also receives replies to others.
  await waitUntil("the answer is there", () => receive() === 1 && sender() === "127.5.6.7");
  const length = arena.words[(message + MMSGHDR.movedLength) / 4] ?? 0;
  const headerBytes = socket.kind === "raw" ? 20 : 0;
  assert.equal(length, ECHO_HEAD_BYTES + headerBytes);
  const parsed = createParsedPacket();
  const kind = socket.parser.parseReceived(arena.bytes, data, data + length, parsed);
  assert.deepEqual([kind, parsed.packetId, parsed.generation], [ECHO_REPLY, 77, 88]);

  const reader = new ControlReader(0);
  const controlBytes = arena.words[(message + MMSGHDR.controlLength) / 4] ?? 0;
  reader.read(arena.words, control, controlBytes);
  assert.notEqual(reader.stampNs, NO_STAMP);
  // A tolerance of minutes is enough to check the unit.
  assert.ok(Math.abs(reader.stampNs / 1e6 - Date.now()) < 180_000);
});

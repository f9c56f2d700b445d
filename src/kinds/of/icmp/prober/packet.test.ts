import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createParsedPacket,
  ECHO_HEAD_BYTES,
  ECHO_REPLY,
  EchoWriter,
  ICMP_ERROR,
  type IpFamily,
  NOT_OURS,
  PacketParser,
} from "./packet.ts";

const word = fc.nat({ max: 0xffff_ffff });
const cookieOf = (low: number, high: number) => ({ low, high });
const echo = fc.record({ low: word, high: word, packetId: word, generation: word });
type Echo = { low: number; high: number; packetId: number; generation: number };

function buildHead(family: IpFamily, parts: Echo, ident = 0x1234): Uint8Array {
  const words = new Uint32Array(ECHO_HEAD_BYTES / 4);
  const writer = new EchoWriter(family, ident, cookieOf(parts.low, parts.high));
  writer.write(words, 0, parts.packetId, parts.generation);
  return new Uint8Array(words.buffer);
}

function buildReply(family: IpFamily, parts: Echo): Uint8Array {
  const reply = buildHead(family, parts);
  reply[0] = family === "IPv4" ? 0 : 129;
  return reply;
}

function join(...parts: readonly (Uint8Array | number)[]): Uint8Array {
  const sized = parts.map((part) => (typeof part === "number" ? new Uint8Array(part) : part));
  return Buffer.concat(sized);
}

function ipv4Header(ttl: number, optionWords = 0): Uint8Array {
  const header = new Uint8Array(20 + optionWords * 4);
  header[0] = 0x45 + optionWords;
  header[8] = ttl;
  return header;
}

function parserFor(family: IpFamily, kind: "datagram" | "raw", parts: Echo): PacketParser {
  return new PacketParser(family, kind, cookieOf(parts.low, parts.high));
}

test("the IPv4 checksum of every written request verifies, with any zero padding", () => {
  fc.assert(
    fc.property(echo, fc.nat({ max: 0xffff }), (parts, ident) => {
      const bytes = Buffer.from(buildHead("IPv4", parts, ident));
      let sum = 0;
      for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
      while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
      assert.equal(sum, 0xffff);
    }),
  );
});

test("a reply is recognised on every kind of socket, at any offset in the buffer", () => {
  const shapes = [
    { family: "IPv4", kind: "raw" },
    { family: "IPv4", kind: "datagram" },
    { family: "IPv6", kind: "raw" },
    { family: "IPv6", kind: "datagram" },
  ] as const;
  fc.assert(
    fc.property(
      echo,
      fc.constantFrom(...shapes),
      fc.nat({ max: 40 }),
      fc.nat({ max: 10 }),
      (parts, { family, kind }, lead, options) => {
        const startsWithIp = family === "IPv4" && kind === "raw";
        const header = startsWithIp ? ipv4Header(57, options) : 0;
        const bytes = join(lead, header, buildReply(family, parts), 20);
        const out = createParsedPacket();
        const found = parserFor(family, kind, parts).parseReceived(bytes, lead, bytes.length, out);
        assert.equal(found, ECHO_REPLY);
        assert.equal(out.packetId, parts.packetId);
        assert.equal(out.generation, parts.generation);
        assert.equal(out.ttl, startsWithIp ? 57 : 0);
      },
    ),
  );
});

test("a reply truncated after its cookie is recognised, one byte less is not", () => {
  const parts = { low: 1, high: 2, packetId: 3, generation: 4 };
  const parser = parserFor("IPv4", "datagram", parts);
  const reply = buildReply("IPv4", parts);
  const out = createParsedPacket();
  assert.equal(parser.parseReceived(reply, 0, reply.length, out), ECHO_REPLY);
  assert.equal(parser.parseReceived(reply, 0, reply.length - 1, out), NOT_OURS);
});

test("an ICMP error is recognised by the request that it quotes", () => {
  fc.assert(
    fc.property(echo, fc.constantFrom(3, 11, 12), fc.nat({ max: 15 }), (parts, type, code) => {
      const error = new Uint8Array([type, code, 0, 0, 0, 0, 0, 0]);
      const quoted = join(ipv4Header(1), buildHead("IPv4", parts));
      const bytes = join(ipv4Header(250), error, quoted);
      const out = createParsedPacket();
      const parser = parserFor("IPv4", "raw", parts);
      assert.equal(parser.parseReceived(bytes, 0, bytes.length, out), ICMP_ERROR);
      assert.deepEqual([out.type, out.code, out.packetId], [type, code, parts.packetId]);
      const v6 = join(new Uint8Array([1, code, 0, 0, 0, 0, 0, 0]), 40, buildHead("IPv6", parts));
      const v6Parser = parserFor("IPv6", "raw", parts);
      assert.equal(v6Parser.parseReceived(v6, 0, v6.length, out), ICMP_ERROR);
      assert.deepEqual([out.type, out.code, out.packetId], [1, code, parts.packetId]);
    }),
  );
});

test("a looped-back request is found after Ethernet, VLAN, unusual or no link headers", () => {
  fc.assert(
    fc.property(echo, fc.constantFrom(0, 4, 8, 14, 16, 18, 22), (parts, linkBytes) => {
      for (const family of ["IPv4", "IPv6"] as const) {
        const network = family === "IPv4" ? 20 : 40;
        const bytes = join(linkBytes + network, buildHead(family, parts), 30);
        const out = createParsedPacket();
        const parser = parserFor(family, "datagram", parts);
        assert.ok(parser.parseLooped(bytes, 0, bytes.length, out));
        assert.equal(out.packetId, parts.packetId);
      }
    }),
  );
});

test("the error queue's quoted packet is found at its ICMP header", () => {
  const parts = { low: 9, high: 8, packetId: 7, generation: 6 };
  const head = buildHead("IPv6", parts);
  const out = createParsedPacket();
  assert.ok(parserFor("IPv6", "datagram", parts).parseQuoted(head, 0, head.length, out));
  assert.equal(out.generation, 6);
});

test("random bytes and replies with another process's cookie are not ours", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(bytes, echo, word, (noise, parts, other) => {
      fc.pre(other !== parts.low);
      const out = createParsedPacket();
      for (const family of ["IPv4", "IPv6"] as const) {
        for (const kind of ["raw", "datagram"] as const) {
          const parser = new PacketParser(family, kind, cookieOf(other, parts.high));
          const reply = buildReply(family, parts);
          const full = family === "IPv4" && kind === "raw" ? join(ipv4Header(64), reply) : reply;
          assert.equal(parser.parseReceived(full, 0, full.length, out), NOT_OURS);
          assert.equal(parser.parseReceived(noise, 0, noise.length, out), NOT_OURS);
          assert.equal(parser.parseLooped(noise, 0, noise.length, out), false);
        }
      }
    }),
  );
});

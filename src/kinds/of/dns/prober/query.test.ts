import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import {
  frame,
  readDnsQuestion,
  replyTo,
  startDnsServer,
  writeDnsRecord,
} from "../../../../../test/support/servers/dns-server.ts";
import { decodeMessage } from "../wire/message.ts";
import { maxIgnoredAnswers, type QueryOrder, type QueryResult, sendQuery } from "./query.ts";

const question = { name: "www.example.com", type: 1 };
const patient = { ...question, protocol: "UDP", timeoutMs: 60_000 } as const;
/** Long enough for an answer on this machine, short enough for a test. */
const impatient = { ...patient, timeoutMs: 1_000 };

const address = (last: number) => writeDnsRecord(1, [192, 0, 2, last]);
const good = (query: Buffer) => replyTo(query, { answers: [address(1)] });
const truncated = (query: Buffer) => replyTo(query, { flags: 0x0200 });

async function answered(order: QueryOrder) {
  const result = await sendQuery(order);
  assert.ok(result.kind === "answered", JSON.stringify(result));
  const message = decodeMessage(Buffer.from(result.message, "base64"), true);
  return { ...result, data: message.answers.map(({ data }) => data) };
}

function failureOf(result: QueryResult) {
  assert.ok(result.kind === "failed", JSON.stringify(result));
  return [result.code, result.wasTruncated];
}

test("a server is queried by UDP over IPv4 and IPv6, and the answer is timed", async (t) => {
  for (const host of ["127.0.0.1", "::1"]) {
    const server = await startDnsServer(t, { udp: (query) => [good(query)] }, host);
    const result = await answered({ ...server, ...patient });
    assert.deepEqual(result.data, ["192.0.2.1"]);
    assert.ok(result.udpMs !== null && result.udpMs > 0 && result.tcpMs === null);
    assert.deepEqual([result.queriesSent, result.ignoredAnswers], [1, 0]);
    assert.equal(result.receivedBytes, good(server.queries[0]?.query ?? Buffer.alloc(0)).length);
  }
});

test("ids differ from query to query", async (t) => {
  const server = await startDnsServer(t, { udp: (query) => [good(query)] });
  await Promise.all(Array.from({ length: 40 }, () => answered({ ...server, ...patient })));
  const ids = new Set(server.queries.map(({ query }) => query.readUInt16BE(0)));
  assert.ok(ids.size > 30, `${ids.size} different ids`);
});

test("a TCP answer is read in chunks of any size", async (t) => {
  const server = await startDnsServer(t, {
    tcp: (query, socket) => {
      const bytes = [...frame(good(query))];
      const sendNext = () => {
        const next = bytes.shift();
        if (next !== undefined) socket.write(Buffer.from([next]), () => setImmediate(sendNext));
      };
      sendNext();
    },
  });
  const result = await answered({ ...server, ...patient, protocol: "TCP" });
  assert.deepEqual(result.data, ["192.0.2.1"]);
  assert.ok(result.udpMs === null && result.tcpMs !== null && result.tcpMs > 0);
  assert.deepEqual(
    server.queries.map(({ protocol }) => protocol),
    ["TCP"],
  );
});

test("an answer that is truncated over UDP is fetched over TCP", async (t) => {
  const server = await startDnsServer(t, {
    udp: (query) => [truncated(query)],
    tcp: (query, socket) => socket.end(frame(good(query))),
  });
  const result = await answered({ ...server, ...patient });
  assert.deepEqual(result.data, ["192.0.2.1"]);
  assert.ok(result.udpMs !== null && result.tcpMs !== null);
  assert.equal(result.queriesSent, 2);
});

test("a truncated answer without TCP fails with that reason", async (t) => {
  const server = await startDnsServer(t, { udp: (query) => [truncated(query)] });
  assert.deepEqual(failureOf(await sendQuery({ ...server, ...patient })), ["ECONNREFUSED", true]);
});

test("a lost query is retransmitted within the timeout", async (t) => {
  const server = await startDnsServer(t, {
    udp: (query, count) => (count < 2 ? [] : [good(query)]),
  });
  const result = await answered({ ...server, ...patient, timeoutMs: 6_000 });
  assert.equal(result.queriesSent, 2);
  const [first, ...rest] = server.queries.map(({ query }) => query.toString("hex"));
  assert.ok(rest.every((query) => query === first));
});

test("a silent server is waited for until the timeout", async (t) => {
  const server = await startDnsServer(t, { tcp: () => {} });
  const silent = await sendQuery({ ...server, ...impatient });
  assert.deepEqual(failureOf(silent), ["ETIMEDOUT", false]);
  assert.ok(silent.queriesSent >= 2 && silent.queriesSent <= 3, `${silent.queriesSent}`);
  const stalled = await sendQuery({ ...server, ...impatient, protocol: "TCP" });
  assert.deepEqual(failureOf(stalled), ["ETIMEDOUT", false]);
});

test("a closed port is reported at once", async (t) => {
  for (const host of ["127.0.0.1", "::1"]) {
    for (const protocol of ["UDP", "TCP"] as const) {
      const { port } = await startDnsServer(t, { tcp: () => {} }, "127.0.0.2");
      const result = await sendQuery({ address: host, port, ...patient, protocol });
      assert.deepEqual(failureOf(result), ["ECONNREFUSED", false], `${host} ${protocol}`);
    }
  }
});

test("answers to other ids or questions are ignored and counted until the right one arrives", async (t) => {
  const otherId = (query: Buffer) => {
    const answer = good(query);
    answer.writeUInt16BE((query.readUInt16BE(0) + 1) & 0xffff, 0);
    return answer;
  };
  const otherName = (query: Buffer) => {
    const answer = good(query);
    answer.write("xxx", 13);
    return answer;
  };
  const wrong = (query: Buffer) => [
    otherId(query),
    otherName(query),
    query,
    Buffer.from([1]),
    Buffer.alloc(0),
  ];
  const server = await startDnsServer(t, {
    udp: (query) => [...wrong(query), good(query)],
    tcp: (query, socket) => {
      socket.write(Buffer.concat(wrong(query).map(frame)));
      socket.write(frame(good(query)));
    },
  });
  for (const protocol of ["UDP", "TCP"] as const) {
    const result = await answered({ ...server, ...patient, protocol });
    assert.deepEqual(result.data, ["192.0.2.1"], protocol);
    assert.equal(result.ignoredAnswers, 5, protocol);
  }
  const deaf = await startDnsServer(t, { udp: (query) => [otherId(query)] });
  const result = await sendQuery({ ...deaf, ...impatient });
  assert.deepEqual(failureOf(result), ["ETIMEDOUT", false]);
  // The answer to the last query may arrive too late.
  assert.ok(result.ignoredAnswers > 0 && result.ignoredAnswers <= result.queriesSent);
});

test("a server that keeps answering other queries is abandoned", async (t) => {
  const other = frame(Buffer.alloc(12));
  const flood = (socket: Socket) => {
    if (socket.destroyed) return;
    const many = Buffer.concat(Array.from({ length: 500 }, () => other));
    socket.write(many, (error) => {
      if (!error) flood(socket);
    });
  };
  const server = await startDnsServer(t, { tcp: (_query, socket) => flood(socket) });
  const result = await sendQuery({ ...server, ...patient, protocol: "TCP" });
  assert.deepEqual([result.kind, result.ignoredAnswers], ["flooded", maxIgnoredAnswers]);
});

test("a malformed answer is reported with its error", async (t) => {
  const lies = [
    (query: Buffer) => replyTo(query, { answers: [], answerCount: 9 }),
    (query: Buffer) => replyTo(query, { answers: [writeDnsRecord(1, [1], { length: 60_000 })] }),
    (query: Buffer) => {
      const at = 12 + readDnsQuestion(query).length;
      const name = Buffer.from([0xc0 | (at >> 8), at & 0xff]);
      return replyTo(query, { answers: [writeDnsRecord(1, [1, 2, 3, 4], { name })] });
    },
  ];
  for (const lie of lies) {
    const server = await startDnsServer(t, {
      udp: (query) => [lie(query)],
      tcp: (query, socket) => socket.end(frame(lie(query))),
    });
    for (const protocol of ["UDP", "TCP"] as const) {
      const result = await sendQuery({ ...server, ...patient, protocol });
      assert.equal(result.kind, "malformed", protocol);
    }
  }
});

test("a wrong TCP length, a closed connection and a single byte are failures", async (t) => {
  const endings: readonly (readonly [(query: Buffer, socket: Socket) => void, string])[] = [
    [(query, socket) => socket.end(frame(good(query)).subarray(0, 20)), "ECLOSED"],
    [(_query, socket) => socket.end(), "ECLOSED"],
    [(_query, socket) => socket.resetAndDestroy(), "ECONNRESET"],
    [(_query, socket) => socket.write(Buffer.from([0xff])), "ETIMEDOUT"],
    [
      (query, socket) => socket.write(Buffer.concat([Buffer.from("ffff", "hex"), good(query)])),
      "ETIMEDOUT",
    ],
  ];
  for (const [tcp, code] of endings) {
    const server = await startDnsServer(t, { tcp });
    const patience = code === "ETIMEDOUT" ? impatient : patient;
    const result = await sendQuery({ ...server, ...patience, protocol: "TCP" });
    assert.deepEqual(failureOf(result), [code, false]);
  }
});

test("the beginning of a huge TCP answer is kept", async (t) => {
  const answers = Array.from({ length: 4_000 }, (_, index) => address(index & 0xff));
  const server = await startDnsServer(t, {
    tcp: (query, socket) => socket.end(frame(replyTo(query, { answers }))),
  });
  const result = await answered({ ...server, ...patient, protocol: "TCP" });
  assert.ok(result.receivedBytes > 60_000);
  assert.ok(result.isCut && result.message.length < 8_192 * 1.4);
  assert.equal(result.data.length, 100);
});

test("a server without EDNS gets a plain query", async (t) => {
  const isExtended = (query: Buffer) => query.readUInt16BE(10) > 0;
  const answer = (query: Buffer) => (isExtended(query) ? replyTo(query, { code: 1 }) : good(query));
  const server = await startDnsServer(t, {
    udp: (query) => [answer(query)],
    tcp: (query, socket) => socket.end(frame(answer(query))),
  });
  for (const protocol of ["UDP", "TCP"] as const) {
    const result = await answered({ ...server, ...patient, protocol });
    assert.deepEqual([result.responseCode, result.queriesSent], [0, 2], protocol);
  }
  const stubborn = await startDnsServer(t, { udp: (query) => [replyTo(query, { code: 1 })] });
  const refused = await answered({ ...stubborn, ...patient });
  assert.deepEqual([refused.responseCode, refused.queriesSent], [1, 2]);
});

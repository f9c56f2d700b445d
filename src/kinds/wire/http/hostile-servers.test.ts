import assert from "node:assert/strict";
import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { test } from "../../../../test/support/long-run.ts";
import {
  getAnswer,
  getTrouble,
  nameAddresses,
} from "../../../../test/support/servers/http-asker.ts";
import { say, sayForever, serveRaw } from "../../../../test/support/servers/raw-server.ts";
import type { BodyEnd, HttpTrouble } from "./http-measurement.ts";
import { maxBodyBytes } from "./http-measurement.ts";

/** For servers that only a timeout ends. */
const impatient = { timeoutMs: 2_000 };

async function urlOf(t: TestContext, talk: (socket: Socket) => void): Promise<string> {
  return `http://here.example:${await serveRaw(t, talk)}/`;
}

const head = "HTTP/1.1 200 OK\r\n";

interface Hostile {
  readonly talk: (socket: Socket) => void;
  readonly kind: HttpTrouble["kind"];
  readonly message: RegExp;
  readonly isEndless?: true;
}

/** The client shares the event loop: after some turns it has read the bytes. */
function resetAfter(socket: Socket, turns: number): void {
  if (turns === 0) socket.resetAndDestroy();
  else setImmediate(resetAfter, socket, turns - 1);
}

/** Servers that never complete a response. */
const withoutAnswer: Readonly<Record<string, Hostile>> = {
  "says nothing": {
    talk: () => {},
    kind: "timed-out",
    message: /No response arrived within 2000 ms/,
    isEndless: true,
  },
  "sends a byte at a time, for ever": {
    talk: (socket) => {
      const timer = setInterval(() => socket.write("H"), 100);
      socket.on("close", () => clearInterval(timer));
    },
    kind: "broken-answer",
    message: /HTTP/,
  },
  "sends its header fields a byte at a time": {
    talk: (socket) => {
      socket.write(`${head}x: `);
      const timer = setInterval(() => socket.write("y"), 50);
      socket.on("close", () => clearInterval(timer));
    },
    kind: "timed-out",
    message: /No response arrived within 2000 ms/,
    isEndless: true,
  },
  "sends header fields without end": {
    talk: (socket) => {
      socket.write(head);
      sayForever(socket, "x-more: more\r\n".repeat(100));
    },
    kind: "broken-answer",
    message: /exceed 32768 bytes/,
  },
  "sends one header field without end": {
    talk: (socket) => {
      socket.write(`${head}x: `);
      sayForever(socket, "more".repeat(1_000));
    },
    kind: "broken-answer",
    message: /exceed 32768 bytes/,
  },
  "sends a status text without end": {
    talk: (socket) => {
      socket.write("HTTP/1.1 200 ");
      sayForever(socket, "more".repeat(1_000));
    },
    kind: "broken-answer",
    message: /exceed 32768 bytes/,
  },
  "sends interim responses without end": {
    talk: (socket) => sayForever(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
    kind: "broken-answer",
    message: /interim responses/,
  },
  "switches to another protocol": {
    talk: say("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    kind: "broken-answer",
    message: /another protocol/,
  },
  "speaks something else": {
    talk: say("SSH-2.0-OpenSSH_9.9\r\n"),
    kind: "broken-answer",
    message: /violates the HTTP protocol/,
  },
  "sends a header field with odd bytes in its name": {
    talk: say(`${head}x\0y: 1\r\n\r\n`),
    kind: "broken-answer",
    message: /violates the HTTP protocol/,
  },
  "sends a header field with a zero in its value": {
    talk: say(`${head}x: a\0b\r\n\r\n`),
    kind: "broken-answer",
    message: /violates the HTTP protocol/,
  },
  "sends two lengths": {
    talk: say(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    kind: "broken-answer",
    message: /violates the HTTP protocol/,
  },
  "closes at once": {
    talk: (socket) => void socket.end(),
    kind: "closed",
    message: /closed the connection without a response/,
  },
  "closes after the request": {
    talk: say(""),
    kind: "closed",
    message: /closed the connection without a response/,
  },
  "closes within its header fields": {
    talk: say(`${head}x: y`),
    kind: "closed",
    message: /closed the connection without a response/,
  },
  "resets after the request": {
    talk: (socket) => void socket.once("data", () => socket.resetAndDestroy()),
    kind: "reset",
    message: /reset before a response arrived/,
  },
};

for (const [what, { talk, kind, message, isEndless }] of Object.entries(withoutAnswer)) {
  test(`a server that ${what} is reported with the reason`, async (t) => {
    const trouble = await getTrouble(await urlOf(t, talk), isEndless ? impatient : {});
    assert.equal(trouble.kind, kind, trouble.message);
    assert.match(trouble.message, message);
    assert.equal(trouble.resolvedIp, "127.0.0.1");
    assert.equal(trouble.phase, "firstByte");
    assert.ok((trouble.phases.connectMs ?? -1) >= 0);
  });
}

interface HalfHostile {
  readonly talk: (socket: Socket) => void;
  readonly end: BodyEnd;
  readonly text?: string;
  readonly isEndless?: true;
}

/** Servers whose response starts well. */
const withAnswer: Readonly<Record<string, HalfHostile>> = {
  "sends a body without end": {
    talk: (socket) => {
      socket.write(`${head}\r\n`);
      sayForever(socket, "more".repeat(10_000));
    },
    end: "cut",
  },
  "sends a body without end in chunks of one byte": {
    talk: (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      sayForever(socket, "1\r\nx\r\n".repeat(10_000));
    },
    end: "cut",
  },
  "sends its body a byte at a time": {
    talk: (socket) => {
      socket.write(`${head}\r\n`);
      const timer = setInterval(() => socket.write("x"), 50);
      socket.on("close", () => clearInterval(timer));
    },
    end: "timed-out",
    isEndless: true,
  },
  "announces more than it sends": {
    talk: say(`${head}content-length: 10\r\n\r\nshort`),
    end: "closed",
    text: "short",
  },
  "sends more than it announces": {
    talk: say(`${head}content-length: 5\r\n\r\nshort and long`),
    end: "complete",
    text: "short",
  },
  "sends chunks whose length is no number": {
    talk: say(`${head}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\nzz\r\nlong\r\n0\r\n\r\n`),
    end: "broken",
    text: "short",
  },
  "sends a chunk of enormous length": {
    talk: say(`${head}transfer-encoding: chunked\r\n\r\n${"f".repeat(40)}\r\nx`),
    end: "broken",
    text: "",
  },
  "sends no last chunk": {
    talk: say(`${head}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`),
    end: "closed",
    text: "short",
  },
  "extends a chunk without end": {
    talk: (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n1;x=`);
      sayForever(socket, "more".repeat(1_000));
    },
    end: "broken",
  },
  "sends trailing fields without end": {
    talk: (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`);
      sayForever(socket, "x-more: more\r\n".repeat(100));
    },
    end: "broken",
  },
  "resets within its body": {
    talk: (socket) =>
      void socket.once("data", () => {
        socket.write(`${head}content-length: 10\r\n\r\nshort`, () => resetAfter(socket, 50));
      }),
    end: "reset",
    text: "short",
  },
};

for (const [what, { talk, end, text, isEndless }] of Object.entries(withAnswer)) {
  // Receiving it byte by byte takes two seconds of CPU.
  const isLong = what === "sends a body without end in chunks of one byte";
  test(`a server that ${what} is measured as far as possible`, { isLong }, async (t) => {
    const url = await urlOf(t, talk);
    const { measurement, body } = await getAnswer(url, isEndless ? impatient : {});
    assert.equal(measurement.status, 200);
    assert.equal(measurement.bodyEnd, end);
    if (text !== undefined) assert.equal(body.toString(), text);
    if (end === "cut") assert.equal(measurement.receivedBytes, maxBodyBytes);
    assert.ok(body.length <= maxBodyBytes);
  });
}

test("only the requested part of an endless body is kept", async (t) => {
  const url = await urlOf(t, (socket) => {
    socket.write(`${head}\r\n`);
    sayForever(socket, "more".repeat(10_000));
  });
  const { measurement, body } = await getAnswer(url, { keptBytes: 100 });
  assert.equal(measurement.receivedBytes, maxBodyBytes);
  assert.equal(body.toString(), "more".repeat(25));
});

test("unusual bytes in a status text and in header values become harmless text", async (t) => {
  const answer = `HTTP/1.1 299 \x07Fine\x1b[31m \xe9\r\nx-odd: \xff\xfe tab\there\r\n\r\n`;
  const url = await urlOf(t, say(Buffer.from(answer, "latin1")));
  const { measurement } = await getAnswer(url);
  assert.equal(measurement.status, 299);
  assert.doesNotMatch(measurement.statusText, /\p{Cc}/u);
  assert.equal(measurement.headers[0]?.[0], "x-odd");
});

test("a name that resolves to a denied address on a redirect is rejected", async (t) => {
  nameAddresses("rebound.example", ["127.0.0.1", "169.254.169.254"]);
  const url = await urlOf(t, say("HTTP/1.1 302 Found\r\nlocation: /again\r\n\r\n"));
  const trouble = await getTrouble(url.replace("here", "rebound"));
  assert.equal(trouble.kind, "denied");
  assert.equal(trouble.hops[0]?.resolvedIp, "127.0.0.1");
  assert.match(trouble.message, /169\.254\.169\.254/);
});

const { cert, key } = makeCertificate({ names: ["here.example"] });

const beforeTls: Readonly<Record<string, Hostile>> = {
  "stalls in the TLS handshake": {
    talk: () => {},
    kind: "timed-out",
    message: /TLS handshake did not complete within 2000 ms/,
    isEndless: true,
  },
  "sends garbage instead of TLS": {
    talk: say("HTTP/1.1 400 Bad Request\r\n\r\n"),
    kind: "tls-failed",
    message: /TLS/,
  },
  "sends garbage in TLS records": {
    talk: say(Buffer.concat([Buffer.from("160303000a", "hex"), Buffer.alloc(10, 0xff)])),
    kind: "tls-failed",
    message: /TLS handshake failed/,
  },
  "sends garbage without end": {
    talk: (socket) => sayForever(socket, Buffer.alloc(10_000, 0x16)),
    kind: "tls-failed",
    message: /TLS/,
  },
  "closes in the TLS handshake": {
    talk: say(""),
    kind: "closed",
    message: /during the TLS handshake/,
  },
  "resets in the TLS handshake": {
    talk: (socket) => void socket.once("data", () => socket.resetAndDestroy()),
    kind: "reset",
    message: /during the TLS handshake/,
  },
};

for (const [what, { talk, kind, message, isEndless }] of Object.entries(beforeTls)) {
  test(`a server that ${what} is reported with the reason`, async (t) => {
    const url = (await urlOf(t, talk)).replace("http:", "https:");
    const trouble = await getTrouble(url, isEndless ? impatient : {});
    assert.equal(trouble.kind, kind, trouble.message);
    assert.match(trouble.message, message);
    assert.equal(trouble.phase, "tls");
  });
}

/** One frame of HTTP/2. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

const settings = frame(4, 0, 0, Buffer.alloc(0));
const setting = frame(4, 0, 0, Buffer.from("000300000064", "hex"));
const ping = frame(6, 0, 0, Buffer.alloc(8));
/** `:status: 200`, without the end of the header block. */
const headersBegin = frame(1, 0, 1, Buffer.from([0x88]));
const status100 = frame(1, 4, 1, Buffer.from("0803313030", "hex"));

const http2Floods: Readonly<Record<string, readonly [first: Buffer, forEver: Buffer]>> = {
  "settings without end": [settings, setting],
  "pings without end": [settings, ping],
  "continuations without end": [
    Buffer.concat([settings, headersBegin]),
    frame(9, 0, 1, Buffer.from("000178016100017901620001780163", "hex")),
  ],
  "interim responses without end": [settings, status100],
  "window updates without end": [settings, frame(8, 0, 0, Buffer.from("00000001", "hex"))],
  "frames of no known type without end": [settings, frame(0xbb, 0, 0, Buffer.alloc(10_000))],
  "frames that are too long": [settings, frame(0, 0, 1, Buffer.alloc(100_000))],
  "text instead of frames": [Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), Buffer.from("x")],
};

for (const [what, [first, forEver]] of Object.entries(http2Floods)) {
  test(`an HTTP/2 server that sends ${what} is reported with the reason`, async (t) => {
    const many = Buffer.concat(Array.from({ length: 100 }, () => forEver));
    const port = await serveRaw(
      t,
      (socket) => {
        socket.once("data", () => {
          socket.write(first);
          sayForever(socket, many);
        });
      },
      { tls: { cert, key, ALPNProtocols: ["h2"] } },
    );
    const trouble = await getTrouble(`https://here.example:${port}/`, { skipSSL: true });
    assert.match(trouble.kind, /^(broken-answer|closed|reset)$/, trouble.message);
    assert.equal(trouble.phase, "firstByte");
  });
}

test("an HTTP/2 server that closes or resets its stream yields a clear body end", async (t) => {
  const ok = frame(1, 4, 1, Buffer.from([0x88]));
  const data = frame(0, 0, 1, Buffer.from("short"));
  const talks: readonly [string, Buffer][] = [
    ["closed", Buffer.concat([settings, ok, data])],
    ["broken", Buffer.concat([settings, ok, data, frame(3, 0, 1, Buffer.from("00000002", "hex"))])],
  ];
  for (const [end, bytes] of talks) {
    const tls = { cert, key, ALPNProtocols: ["h2"] };
    const port = await serveRaw(t, say(bytes), { tls });
    const url = `https://here.example:${port}/`;
    const { measurement, body } = await getAnswer(url, { skipSSL: true });
    assert.equal(measurement.bodyEnd, end);
    assert.equal(body.toString(), "short");
  }
});

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { makeCertificate } from "../../../../test/support/certificates/make-certificate.ts";
import { ask, getAnswer, getTrouble } from "../../../../test/support/servers/http-asker.ts";
import { say, serveRaw } from "../../../../test/support/servers/raw-server.ts";
import { maxRedirects } from "./http-measurement.ts";

type Handler = (request: http.IncomingMessage, answer: http.ServerResponse) => void;

async function serve(t: TestContext, handler: Handler, host = "127.0.0.1"): Promise<number> {
  const server = http.createServer(handler).listen(0, host);
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Records each request in order. */
function remember(answers: (path: string) => http.OutgoingHttpHeaders & { status?: number }) {
  const seen: { path: string; method: string; headers: http.IncomingHttpHeaders; body: string }[] =
    [];
  const handler: Handler = (request, answer) => {
    let body = "";
    request.on("data", (bytes) => {
      body += bytes;
    });
    request.on("end", () => {
      const path = request.url ?? "";
      seen.push({ path, method: request.method ?? "", headers: request.headers, body });
      const { status = 200, ...headers } = answers(path);
      answer.writeHead(status, headers).end(`at ${path}`);
    });
  };
  return { seen, handler };
}

test("a response has its status, headers, body and the time of each phase", async (t) => {
  const { seen, handler } = remember(() => ({ "X-One": "a", "set-cookie": ["b=1", "c=2"] }));
  const port = await serve(t, handler);
  const headers = [["X-Key", "secret"]] as const;
  const url = `http://user:p%40ss@here.example:${port}/path?query=1#fragment`;
  const { measurement, body } = await getAnswer(url, { headers });
  assert.equal(measurement.status, 200);
  assert.equal(measurement.statusText, "OK");
  assert.equal(measurement.httpVersion, "1.1");
  assert.equal(measurement.url, `http://here.example:${port}/path?query=1`);
  assert.equal(measurement.resolvedIp, "127.0.0.1");
  assert.equal(body.toString(), "at /path?query=1");
  assert.equal(measurement.receivedBytes, body.length);
  assert.equal(measurement.bodyEnd, "complete");
  const { dnsMs, connectMs, tlsMs, firstByteMs, bodyMs } = measurement.phases;
  assert.equal(tlsMs, null);
  assert.equal(measurement.totalMs, dnsMs + connectMs + firstByteMs + bodyMs);
  assert.ok([dnsMs, connectMs, firstByteMs].every((ms) => ms > 0) && bodyMs >= 0);
  const cookies = measurement.headers.filter(([name]) => name === "set-cookie");
  assert.deepEqual(cookies, [
    ["set-cookie", "b=1"],
    ["set-cookie", "c=2"],
  ]);
  assert.ok(measurement.headers.some(([name, value]) => name === "x-one" && value === "a"));
  const [request] = seen;
  assert.equal(request?.headers["x-key"], "secret");
  assert.equal(request?.headers.host, `here.example:${port}`);
  assert.equal(request?.headers.authorization, `Basic ${btoa("user:p@ss")}`);
  assert.equal(request?.headers.connection, "close");
});

test("methods and bodies are sent, and user-supplied connection headers are not", async (t) => {
  const { seen, handler } = remember(() => ({}));
  const port = await serve(t, handler);
  const headers = [
    ["transfer-encoding", "chunked"],
    ["content-length", "99999"],
    ["upgrade", "websocket"],
    ["host", "virtual.example"],
  ] as const;
  await getAnswer(`http://127.0.0.1:${port}/`, { method: "POST", body: "é=1", headers });
  assert.equal(seen[0]?.method, "POST");
  assert.equal(seen[0]?.body, "é=1");
  assert.equal(seen[0]?.headers["content-length"], "4");
  assert.equal(seen[0]?.headers.host, "virtual.example");
  const { body } = await getAnswer(`http://127.0.0.1:${port}/`, { method: "HEAD" });
  assert.equal(body.length, 0);
  const bad = await getTrouble(`http://127.0.0.1:${port}/`, { headers: [["x", "a\nb"]] });
  assert.equal(bad.kind, "failed");
  assert.match(bad.message, /cannot be sent/);
});

test("IPv6 is used if requested", async (t) => {
  const { seen, handler } = remember(() => ({}));
  const port = await serve(t, handler, "::1");
  const { measurement } = await getAnswer(`http://[::1]:${port}/`, { ipFamily: "IPv6" });
  assert.equal(measurement.resolvedIp, "::1");
  assert.equal(seen[0]?.headers.host, `[::1]:${port}`);
  assert.equal((await getTrouble(`http://[::1]:${port}/`)).code, "EADDRFAMILY");
});

test("redirects are followed, and each is recorded", async (t) => {
  const { seen, handler } = remember((path): http.OutgoingHttpHeaders & { status?: number } => {
    if (path === "/a") return { status: 301, location: "b" };
    if (path === "/b") return { status: 307, location: "//here.example:PORT/c" };
    return {};
  });
  const port = await serve(t, (request, answer) => {
    const writeHead = answer.writeHead.bind(answer);
    answer.writeHead = ((status: number, headers: http.OutgoingHttpHeaders) => {
      const location = headers.location?.replace("PORT", String(port));
      return writeHead(status, { ...headers, ...(location && { location }) });
    }) as typeof answer.writeHead;
    handler(request, answer);
  });
  const { measurement, body } = await getAnswer(`http://here.example:${port}/a`);
  assert.equal(body.toString(), "at /c");
  assert.deepEqual(
    measurement.hops.map(({ url, status, resolvedIp }) => [url, status, resolvedIp]),
    [
      [`http://here.example:${port}/a`, 301, "127.0.0.1"],
      [`http://here.example:${port}/b`, 307, "127.0.0.1"],
    ],
  );
  assert.ok(measurement.redirectMs > 0);
  assert.ok(measurement.totalMs > measurement.redirectMs);
  assert.equal(seen.length, 3);
  const stayed = await getAnswer(`http://here.example:${port}/a`, { followRedirects: false });
  assert.equal(stayed.measurement.status, 301);
  assert.deepEqual(stayed.measurement.hops, []);
});

test("headers and body are not sent to another origin", async (t) => {
  const other = remember(() => ({}));
  const otherPort = await serve(t, other.handler);
  const to = (status: number) => ({ status, location: `http://there.example:${otherPort}/` });
  const first = remember((path) => to(path === "/see" ? 303 : 307));
  const port = await serve(t, first.handler);
  const headers = [
    ["authorization", "Bearer secret"],
    ["cookie", "session=secret"],
    ["x-api-key", "secret"],
    ["accept", "text/html"],
    ["content-type", "text/plain"],
  ] as const;
  await getAnswer(`http://here.example:${port}/`, { headers });
  assert.ok(!JSON.stringify(other.seen[0]?.headers).includes("secret"));
  assert.equal(other.seen[0]?.headers.accept, "text/html");
  assert.equal(other.seen[0]?.headers.host, `there.example:${otherPort}`);
  const body = "password=secret";
  await getAnswer(`http://here.example:${port}/see`, { headers, method: "POST", body });
  assert.equal(other.seen[1]?.method, "GET");
  assert.equal(other.seen[1]?.body, "");
  assert.equal(other.seen[1]?.headers["content-type"], undefined);
  const kept = await getTrouble(`http://here.example:${port}/`, { headers, method: "POST", body });
  assert.equal(kept.kind, "redirect-refused");
  assert.match(kept.message, /another origin/);
  assert.equal(other.seen.length, 2);
});

test("a redirect within an origin keeps headers and body", async (t) => {
  const { seen, handler } = remember((path) =>
    path === "/" ? { status: 308, location: "/next" } : {},
  );
  const port = await serve(t, handler);
  const headers = [["x-api-key", "secret"]] as const;
  await getAnswer(`http://here.example:${port}/`, { headers, method: "POST", body: "a" });
  assert.equal(seen[1]?.headers["x-api-key"], "secret");
  assert.equal(seen[1]?.method, "POST");
  assert.equal(seen[1]?.body, "a");
});

test("bad redirects fail with a reason", async (t) => {
  let location = "/";
  const port = await serve(t, (_request, answer) => {
    answer.writeHead(302, { location }).end();
  });
  const url = `http://here.example:${port}/`;
  const loop = await getTrouble(url);
  assert.deepEqual([loop.kind, loop.hops.length], ["too-many-redirects", maxRedirects]);
  const refused = [
    "ftp://here.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    `http://here.example/${"a".repeat(3_000)}`,
  ];
  for (location of refused) {
    const trouble = await getTrouble(url);
    assert.equal(trouble.kind, "redirect-refused", location);
    assert.equal(trouble.resolvedIp, "127.0.0.1");
  }
  const denied = ["http://metadata.example/", "http://169.254.169.254/", "http://127.0.0.9/"];
  for (location of denied) {
    const trouble = await getTrouble(url);
    assert.equal(trouble.kind, "denied", location);
    assert.equal(trouble.hops.length, 1);
  }
});

const root = makeCertificate({ name: "Test Root", isAuthority: true });
const leaf = makeCertificate({ names: ["here.example"], issuer: root });
const member = makeCertificate({ name: "member", issuer: root });
/** Trusts the test's authority and requests a client certificate. */
const clientCertificate = {
  host: "*.example",
  certificate: member.cert,
  key: member.key,
  ca: root.cert,
};

async function serveSecurely(t: TestContext, version: "2" | "1.1", isMutual = false) {
  const options = { cert: leaf.cert, key: leaf.key, ca: [root.cert], requestCert: isMutual };
  const open = new Set<Duplex>();
  const server = version === "2" ? http2.createSecureServer(options) : https.createServer(options);
  server.on("connection", (socket: Duplex) => open.add(socket));
  server.on("request", (request: Readable & http.IncomingMessage, answer: http.ServerResponse) => {
    let body = "";
    request.on("data", (bytes) => {
      body += bytes;
    });
    request.on("end", () => {
      answer.writeHead(203, { "x-seen": `${request.method} ${request.url} ${body}` });
      answer.end(request.httpVersion);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("HTTP/2 is used if the server supports it, and HTTP/1.1 otherwise", async (t) => {
  for (const version of ["2", "1.1"] as const) {
    const port = await serveSecurely(t, version);
    const url = `https://here.example:${port}/x?y`;
    const { measurement, body } = await getAnswer(url, {
      method: "PUT",
      body: "hello",
      headers: [
        ["connection", "x"],
        ["x-a", "1"],
        ["X-A", "2"],
      ],
      clientCertificate,
    });
    assert.equal(measurement.httpVersion, version);
    assert.equal(measurement.status, 203);
    assert.equal(body.toString(), version === "2" ? "2.0" : "1.1");
    const seen = measurement.headers.find(([name]) => name === "x-seen")?.[1];
    assert.equal(seen, "PUT /x?y hello");
    assert.ok((measurement.phases.tlsMs ?? 0) > 0);
    assert.equal(measurement.tls?.fitsName, true);
    assert.equal(measurement.tls?.trustError, null);
  }
});

test("a client certificate is presented to its own hosts only", async (t) => {
  const port = await serveSecurely(t, "1.1", true);
  const url = `https://here.example:${port}/`;
  assert.equal((await getAnswer(url, { clientCertificate })).measurement.status, 203);
  const elsewhere = { ...clientCertificate, host: "other.example" };
  const refused = await getTrouble(url, { clientCertificate: elsewhere, skipSSL: true });
  assert.equal(refused.kind, "tls-failed", refused.message);
  const broken = { ...clientCertificate, key: "nonsense" };
  assert.equal((await getTrouble(url, { clientCertificate: broken })).kind, "tls-failed");
});

test("an untrusted certificate ends the run before any data is sent", async (t) => {
  const dayMs = 86_400_000;
  const trusted = { issuer: root };
  const names = ["here.example"];
  const faults = [
    [/expired on \d+ [A-Z][a-z]+ 2\d{3}\.$/, { ...trusted, names, validToMs: Date.now() - dayMs }],
    [
      /not valid before \d+ [A-Z][a-z]+ 2\d{3}/,
      { ...trusted, names, validFromMs: Date.now() + dayMs },
    ],
    [/for other\.example, not for here\.example/, { ...trusted, names: ["other.example"] }],
    [/is self-signed/, { names }],
  ] as const;
  for (const [sentence, input] of faults) {
    const made = makeCertificate(input);
    let received = 0;
    const talk = say("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    const port = await serveRaw(
      t,
      (socket) => {
        socket.on("data", (bytes) => {
          received += bytes.length;
        });
        talk(socket);
      },
      { tls: { cert: made.cert, key: made.key } },
    );
    const url = `https://here.example:${port}/`;
    const trouble = await getTrouble(url, { clientCertificate });
    assert.equal(trouble.kind, "certificate-rejected");
    assert.match(trouble.message, sentence);
    assert.equal(trouble.tls?.certificate.fingerprint.length, 64);
    assert.equal(received, 0);
    const { measurement } = await getAnswer(url, { clientCertificate, skipSSL: true });
    assert.equal(measurement.status, 200);
  }
});

test("unresolved names, refused connections and denied addresses are reported", async (t) => {
  const port = await serve(t, (_request, answer) => answer.end());
  const kindOf = async (url: string) => (await getTrouble(url)).kind;
  assert.equal(await kindOf("http://gone.example/"), "unresolved");
  assert.equal(await kindOf(`http://127.0.0.9:${port}/`), "denied");
  assert.equal(await kindOf("http://metadata.example/"), "denied");
  assert.equal(await kindOf("http://127.0.0.1:1/"), "refused");
  assert.equal(await kindOf("gopher://here.example/"), "failed");
  assert.equal((await ask(`http://here.example:${port}/`)).kind, "answered");
});

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createServer, type TLSSocket } from "node:tls";
import { makeCertificate } from "../../../../../test/support/certificates/make-certificate.ts";
import { noAssets, noScripts } from "../../../../../test/support/scripts/no-scripts.ts";
import { waitUntil } from "../../../../../test/support/time/wait-until.ts";
import type { Order } from "../../../../contract/order.ts";
import { createReach } from "../../../../platform/net/reach.ts";
import { createNameResolver } from "../../../../platform/net/resolve.ts";
import { createSocketThread } from "../../../wire/network/socket-thread.ts";
import { defaultBaseline } from "../baseline.ts";
import { isSslMeasurement } from "../measurement.ts";
import type { SslRequest } from "../request.ts";
import { startSslProber } from "./prober.ts";

const root = makeCertificate({ name: "Test Root", isAuthority: true });
const leaf = makeCertificate({ names: ["shop.example", "localhost"], issuer: root });

function makeOrder(port: number, changed: Partial<SslRequest> = {}, extra: Partial<Order> = {}) {
  const request: SslRequest = {
    hostname: "localhost",
    port,
    serverName: "shop.example",
    ipFamily: "IPv4",
    skipChainValidation: false,
    alertDaysBeforeExpiry: 20,
    baseline: defaultBaseline,
    timeoutMs: 30_000,
    clientCertificate: "auto",
    ...changed,
  };
  return {
    runId: "run",
    checkId: "check",
    kind: "SSL",
    location: "home",
    attempt: 1,
    dueAtMs: 0,
    startAtMs: 0,
    deadlineAtMs: 1,
    request,
    ...extra,
  } satisfies Order;
}

test("a prober resolves, guards, performs the handshake in the thread and returns the result", async (t) => {
  const client = makeCertificate({ name: "client", issuer: root });
  const server = createServer({
    cert: leaf.cert,
    key: leaf.key,
    requestCert: true,
    rejectUnauthorized: false,
    ca: root.cert,
  });
  const shown: (string | undefined)[] = [];
  const asked: (string | false | null | undefined)[] = [];
  server.on("secureConnection", (socket: TLSSocket & { servername?: string | false | null }) => {
    socket.on("error", () => {});
    shown.push(socket.getPeerX509Certificate()?.subject);
    asked.push(socket.servername);
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const reach = { allow: [], deny: ["127.0.0.9"] };
  const socketThread = createSocketThread({ reach, log: () => {} });
  t.after(() => socketThread.close());
  const resolver = createNameResolver({});
  const tools = {
    resolver,
    reach: createReach(reach),
    socketThread,
    scripts: noScripts,
    assets: noAssets,
  };
  const prober = await startSslProber({ ...tools, log: () => {} });
  t.after(() => prober.close());

  const plain = await prober.run(makeOrder(port));
  assert.ok(plain.kind === "measured", JSON.stringify(plain));
  assert.ok(isSslMeasurement(plain.measurement), JSON.stringify(plain.measurement));
  assert.equal(plain.measurement.tls.trustError, "SELF_SIGNED_CERT_IN_CHAIN");
  assert.equal(plain.measurement.tls.fitsName, true);
  assert.equal(plain.measurement.daysLeft, 89);
  assert.equal(prober.isFlawless(plain.measurement), true);

  const { cert: certificate, key } = client;
  const clientCertificate = { host: "shop.example", certificate, key, ca: root.cert };
  const known = await prober.run(makeOrder(port, {}, { clientCertificate }));
  assert.ok(known.kind === "measured" && isSslMeasurement(known.measurement));
  assert.equal(known.measurement.tls.trustError, null, "its authorities are trusted too");
  const elsewhere = { ...clientCertificate, host: "*.other.example" };
  await prober.run(makeOrder(port, {}, { clientCertificate: elsewhere }));
  await waitUntil("the server has seen all", () => shown.length === 3);
  assert.deepEqual(shown, [undefined, "CN=client", undefined]);
  assert.deepEqual(new Set(asked), new Set(["shop.example"]));

  const broken = { ...clientCertificate, key: "no key" };
  assert.equal(
    (await prober.run(makeOrder(port, {}, { clientCertificate: broken }))).kind,
    "cannot-check",
  );
  const troubleOf = async (changed: Partial<SslRequest>) => {
    const outcome = await prober.run(makeOrder(port, changed));
    assert.ok(outcome.kind === "unreachable", JSON.stringify(outcome));
    return [outcome.trouble.kind, outcome.trouble.code];
  };
  assert.deepEqual(await troubleOf({ hostname: "127.0.0.9" }), ["denied", "EDENIED"]);
  assert.deepEqual(await troubleOf({ hostname: "169.254.169.254" }), ["denied", "EDENIED"]);
  assert.deepEqual(await troubleOf({ port: 1 }), ["refused", "ECONNREFUSED"]);
  const nonsense = { ...makeOrder(port), request: { hostname: "localhost", port: "x" } };
  assert.equal((await prober.run(nonsense)).kind, "cannot-check");
});

import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import { insertCertificate } from "../../checks/client-certificates/store.ts";
import { insertVariable } from "../../checks/variables/variable-store.ts";
import type { Order } from "../../contract/order.ts";
import type { ClientCertificateNeed } from "../../kinds/kit/definition.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { TcpRequest } from "../../kinds/of/tcp/request.ts";
import { Encryption } from "../../platform/encryption.ts";
import { completeOrders, createOrder } from "./orders.ts";
import type { Watched } from "./watch-list.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

async function addVariable(key: string, value: string, flags: { secret?: boolean } = {}) {
  const { context, accountId, clock } = fixture;
  const sealed = { key, value: context.encryption.encrypt(value), isSealed: true, ...flags };
  await insertVariable(context.db, accountId, { ...sealed, createdAt: clock.now() });
  context.accountVariables.forget(accountId);
}

function orderOf(watched: Watched): Order {
  const nowMs = fixture.clock.now().getTime();
  return createOrder(watched, { location: "home", dueAtMs: nowMs, attempt: 1, startAtMs: nowMs });
}

const addTcp = (data: string | null) =>
  fixture.addCheck({ name: "Port", request: { hostname: "a.example", port: 5, data } }, "TCP");

test("an order gets the variables that it references and no others", async () => {
  await addVariable("TOKEN", "t0ken", { secret: true });
  await addVariable("HOST", "b.example");
  const watched = await addTcp(
    "{{TOKEN}} {{ HOST }} {{{HOST}}} {{REGION}} {{CHECK_NAME}} {{NOBODY}}",
  );
  const order = orderOf(watched);
  assert.equal(order.isIncomplete, true);
  assert.equal(JSON.stringify(order).includes("t0ken"), false);
  const { complete, faults } = await completeOrders(fixture.context, [order]);
  assert.deepEqual(faults, []);
  const [{ isIncomplete, variables, request } = assert.fail()] = complete;
  assert.equal(isIncomplete, undefined);
  assert.deepEqual(request, order.request);
  assert.deepEqual(variables, [
    { name: "TOKEN", value: "t0ken", isHidden: true },
    { name: "HOST", value: "b.example", isHidden: false },
    { name: "REGION", value: "home", isHidden: false },
    { name: "CHECK_NAME", value: "Port", isHidden: false },
  ]);
});

test("an order without references is unchanged and needs no query", async () => {
  const plain = [orderOf(await addTcp("{ {A} } {{ }}")), orderOf(await fixture.addCheck())];
  const { complete } = await completeOrders(fixture.context, plain);
  assert.equal(complete, plain);
  for (const order of plain) assert.equal("isIncomplete" in order, false);
});

test("a variable that cannot be decrypted fails the checks that reference it", async () => {
  await addVariable("BROKEN", "x");
  await addVariable("FINE", "y");
  const sealed = new Encryption(randomBytes(32)).encrypt("x");
  await fixture.query("update variables set sealed = $1 where key = 'BROKEN'", sealed);
  fixture.context.accountVariables.forgetAll();
  const orders = [
    orderOf(await addTcp("{{BROKEN}}")),
    orderOf(await addTcp("{{FINE}}")),
    orderOf(await addTcp(null)),
  ];
  const { complete, faults } = await completeOrders(fixture.context, orders);
  assert.equal(complete.length, 2);
  assert.deepEqual(
    faults.map(({ order, fault }) => [order.runId, fault.kind, fault.message]),
    [
      [
        orders[0]?.runId,
        "cannot-check",
        "The variable BROKEN cannot be decrypted with this server's encryption key. Enter it again.",
      ],
    ],
  );
});

test("orders without references are sent even if values of others cannot be loaded", async () => {
  const named = orderOf(await addTcp("{{HOST}}"));
  const plain = orderOf(await addTcp(null));
  const broken = {
    ...fixture.context,
    accountVariables: { find: () => Promise.reject(new Error("no database")) },
  } as unknown as typeof fixture.context;
  const { complete, faults } = await completeOrders(broken, [named, plain]);
  assert.deepEqual(complete, [plain]);
  assert.equal(faults[0]?.fault.message, "The variables of this check could not be loaded.");
});

test("the order of a deleted check is dropped", async () => {
  const watched = await addTcp("{{HOST}}");
  const order = orderOf(watched);
  await fixture.deleteCheck(watched.checkId);
  fixture.context.watchList.forget(watched.checkId);
  const { complete, faults } = await completeOrders(fixture.context, [order]);
  assert.deepEqual([complete, faults], [[], []]);
});

/** Creates a kind whose data is a secret and which presents a client certificate. */
function makeSecretive(watched: Watched, need?: ClientCertificateNeed): Watched {
  const kind: Kind = {
    ...watched.kind,
    secrets: {
      mapSettings: (settings) => settings,
      mapRequest: (request, change) => {
        const { data } = request as TcpRequest;
        return { ...(request as TcpRequest), data: change(data ?? "") };
      },
    },
    clientCertificateFor: (request) => need ?? { host: (request as TcpRequest).hostname },
  };
  return { ...watched, kind, needsValues: true };
}

test("a secret of the check is decrypted and referenced by name in the request", async () => {
  const { encryption } = fixture.context;
  const watched = makeSecretive(await addTcp(encryption.encrypt("user {{TOKEN}}")));
  const order = orderOf(watched);
  const { complete, faults } = await completeOrders(fixture.context, [order], [watched]);
  assert.deepEqual(faults, []);
  const [{ variables, request } = assert.fail()] = complete;
  assert.equal((request as TcpRequest).data, "{{$secret0}}");
  assert.deepEqual(variables, [
    { name: "TOKEN", value: "t0ken", isHidden: true },
    { name: "$secret0", value: "user t0ken", isHidden: true },
  ]);
  const foreign = makeSecretive(await addTcp("sealed with another key"));
  const failed = await completeOrders(fixture.context, [orderOf(foreign)], [foreign]);
  assert.match(
    failed.faults[0]?.fault.message ?? "",
    /^A secret of this check cannot be decrypted/,
  );
});

test("an order gets the certificate for its host, or the one that its check references", async () => {
  const { context, accountId, clock } = fixture;
  const add = async (host: string, sealedKey: string) => {
    const record = { id: randomUUID(), host, certificate: `cert of ${host}`, ca: null, sealedKey };
    await insertCertificate(context.db, accountId, { ...record, createdAt: clock.now() });
    context.accountCertificates.forget(accountId);
    return record.id;
  };
  const id = await add("*.example", context.encryption.encrypt("key"));
  const expected = { host: "*.example", certificate: "cert of *.example", key: "key", ca: null };
  const complete = async (need?: ClientCertificateNeed, hostname = "a.example") => {
    const check = { name: "Port", request: { hostname, port: 5, data: "" } };
    const watched = makeSecretive(await fixture.addCheck(check, "TCP"), need);
    const done = await completeOrders(context, [orderOf(watched)], [watched]);
    return done.complete[0]?.clientCertificate ?? done.faults[0]?.fault.message;
  };
  assert.deepEqual(await complete(), expected);
  await addVariable("NAME", "b.example");
  assert.deepEqual(await complete(undefined, "{{NAME}}"), expected);
  assert.deepEqual(await complete({ id }, "192.0.2.1"), expected);
  assert.equal(await complete(undefined, "192.0.2.1"), undefined);
  const gone = "The client certificate of this check does not exist.";
  assert.equal(await complete({ id: randomUUID() }), gone);
  await add("c.example", "sealed with another key");
  const unreadable = await complete(undefined, "c.example");
  assert.match(String(unreadable), /^The client certificate for c\.example cannot be decrypted/);
  assert.deepEqual(await complete(), expected, "others are not affected");
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly leastRole: string;
  readonly leastKeyRole: string;
}

async function readTable(): Promise<{ roles: { role: string }[]; operations: Operation[] }> {
  const answer = await app.call("GET", "/v1/roles");
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test("the table has exactly the operations that need authentication", async () => {
  const { operations } = await readTable();
  const { body: document } = await app.call("GET", "/openapi.json");
  const asking: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods as Record<string, object>)) {
      const { security } = operation as { security?: readonly object[] };
      if (security?.length !== 0) asking.push(`${method.toUpperCase()} ${path}`);
    }
  }
  const listed = operations.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(listed.sort(), asking.sort());
});

test("the server enforces the roles of the table", async () => {
  const { roles, operations } = await readTable();
  assert.deepEqual(
    roles.map(({ role }) => role),
    ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"],
  );
  const find = (id: string) => operations.find(({ operationId }) => operationId === id);
  assert.equal(find("listAuditEntries")?.leastRole, "ADMIN");
  assert.equal(find("testAlertChannel")?.leastRole, "READ_RUN");
  assert.equal(find("createAlertChannel")?.leastRole, "READ_WRITE");
  assert.equal(find("createAccount")?.leastRole, "OWNER");
  // Every user may change their own data; a read-only key must not create a stronger one.
  const { leastRole, leastKeyRole } = find("createApiKey") ?? {};
  assert.deepEqual([leastRole, leastKeyRole], ["READ_ONLY", "READ_WRITE"]);
});

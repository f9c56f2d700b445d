/** Roles, the chosen account, and the end of a session. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { chooseAccount, readChosenAccount } from "./chosen-account.ts";
import { createQueryClient } from "./query-client.ts";
import {
  type Access,
  fetchSelf,
  forgetSignOut,
  isSigningOut,
  mayDo,
  type Role,
  sessionQuery,
  signOut,
} from "./session.ts";

afterEach(() => {
  chooseAccount(null);
  forgetSignOut();
});

const listen = (respond: NonNullable<PartOptions["respond"]>) => renderPart(<p />, { respond });

test("each role has the permissions of the roles before it, and no others", () => {
  const accesses: readonly Access[] = ["read", "run", "write", "admin", "owner"];
  const roles: readonly Role[] = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"];
  const allowed = roles.map((role) => accesses.filter((access) => mayDo(role, access)).length);
  assert.deepEqual(allowed, [1, 2, 3, 4, 5]);
  assert.equal(mayDo("READ_RUN", "write"), false);
  assert.equal(mayDo("ADMIN", "owner"), false);
});

const user = { id: "u-1", email: "ada@example.test" };
const account = { id: "a-1", name: "Acme", role: "READ_RUN" };

test("the session is the user in the chosen account, which every request names", async (t) => {
  chooseAccount("a-1");
  const part = listen(({ path }) => Response.json(path.includes("users") ? user : account));
  const client = createQueryClient();
  t.after(() => client.clear());
  const session = await client.fetchQuery(sessionQuery);
  assert.deepEqual(session, { user, account, role: "READ_RUN" });
  assert.deepEqual(
    part.sent.map(({ headers }) => headers.get("x-service-account")),
    ["a-1", "a-1"],
  );
});

test("a user who has lost the chosen account gets their first one", async (t) => {
  chooseAccount("closed");
  const part = listen(({ path, headers }) => {
    if (headers.get("x-service-account") !== null) return rejectRequest(403, "No access.");
    return Response.json(path.includes("users") ? user : account);
  });
  const client = createQueryClient();
  t.after(() => client.clear());
  const session = await client.fetchQuery(sessionQuery);
  assert.equal(session.account.id, "a-1");
  assert.equal(readChosenAccount(), null);
  assert.equal(localStorage.getItem("vedette.account"), null);
  assert.equal(part.sent.at(-1)?.headers.get("x-service-account"), null);
});

test("a rejection without a chosen account, or for another reason, is not repeated", async () => {
  const first = listen(() => rejectRequest(403, "No access."));
  await assert.rejects(fetchSelf(), /No access/);
  assert.equal(first.sent.length, 1);
  chooseAccount("a-1");
  const second = listen(() => rejectRequest(401, "Sign in."));
  await assert.rejects(fetchSelf(), /Sign in/);
  assert.equal(second.sent.length, 1);
  assert.equal(readChosenAccount(), "a-1");
});

test("a sign-out that fails keeps the session and the account", async () => {
  chooseAccount("a-1");
  listen(() => rejectRequest(503, "Busy."));
  await assert.rejects(signOut(), /Busy/);
  assert.equal(isSigningOut(), false);
  assert.equal(readChosenAccount(), "a-1");
});

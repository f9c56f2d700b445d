import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addMember, createKey, signIn } from "../../../../test/support/apps/cast.ts";
import { roles } from "../caller.ts";
import { decideMemberChange } from "./member-store.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
beforeEach(() => app.clock.advance(600_000));
after(() => app.stop());

const members = "/v1/accounts/me/members";
const invites = "/v1/accounts/me/invites";

async function ownerId(): Promise<string> {
  return (await app.call("GET", "/v1/users/me")).body.id;
}

test("an invited person joins with the role of the invite and is listed", async () => {
  const invited = await app.call("POST", invites, {
    body: { email: "new@example.com", role: "READ_WRITE" },
  });
  assert.equal(invited.status, 201);
  assert.equal(invited.body.status, "PENDING");
  const pending = await app.call("GET", `${members}?type=invite`);
  assert.equal(pending.body.members[0].email, "new@example.com");
  assert.equal(pending.text.includes(invited.body.token), false);
  const joined = await app.call("POST", "/v1/invites/accept", {
    key: null,
    body: { token: invited.body.token, name: "New", password: "a good password" },
  });
  assert.equal(joined.status, 201);
  assert.equal(joined.body.role, "READ_WRITE");
  assert.equal(joined.body.accountId, app.owner.accountId);
  const listed = await app.call("GET", `${members}?search=new@`);
  assert.deepEqual(
    listed.body.members.map((member: { email: string; status: string }) => [
      member.email,
      member.status,
    ]),
    [["new@example.com", "ACTIVE"]],
  );
  const cookie = await signIn(app, "new@example.com", "a good password");
  assert.equal((await app.call("GET", "/v1/users/me", { cookie })).body.name, "New");
});

test("an invite works once, even for two concurrent requests", async () => {
  const { body } = await app.call("POST", invites, {
    body: { email: "once@example.com", role: "ADMIN" },
  });
  const accept = () =>
    app.call("POST", "/v1/invites/accept", {
      key: null,
      body: { token: body.token, password: "a good password" },
    });
  const statuses = (await Promise.all([accept(), accept()])).map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [201, 404]);
  assert.equal((await accept()).status, 404);
});

test("a withdrawn, replaced or week-old invite is not found", async () => {
  const body = { email: "late@example.com", role: "READ_ONLY" };
  const accept = async (token: string) =>
    (
      await app.call("POST", "/v1/invites/accept", {
        key: null,
        body: { token, password: "a good password" },
      })
    ).status;
  const first = await app.call("POST", invites, { body });
  const second = await app.call("POST", invites, { body });
  assert.equal(await accept(first.body.token), 404);
  assert.equal((await app.call("DELETE", `${invites}/${second.body.id}`)).status, 204);
  assert.equal(await accept(second.body.token), 404);
  const third = await app.call("POST", invites, { body });
  app.clock.advance(7 * 86_400_000);
  assert.equal(await accept(third.body.token), 404);
  const expired = await app.call("GET", `${members}?status=EXPIRED`);
  assert.equal(expired.body.members[0].email, body.email);
  assert.equal(await accept("there-is-no-such-token-at-all"), 404);
});

test("an existing user confirms their password instead of choosing one", async () => {
  const other = await app.call("POST", "/v1/accounts", { body: { name: "Second" } });
  const person = await addMember(app, "both@example.com", { role: "READ_ONLY" });
  const invite = await app.call("POST", `/v1/accounts/${other.body.id}/invites`, {
    body: { email: person.email, role: "ADMIN" },
  });
  const accept = (password: string) =>
    app.call("POST", "/v1/invites/accept", {
      key: null,
      body: { token: invite.body.token, password },
    });
  const wrong = await accept("not their password");
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.validation.keys, ["password"]);
  assert.equal((await accept(person.password)).status, 201);
  const cookie = await signIn(app, person.email, person.password);
  const accounts = await app.call("GET", "/v1/accounts", { cookie });
  assert.equal(accounts.body.length, 2);
});

test("viewing an invite leaves it open", async () => {
  const { body } = await app.call("POST", invites, {
    body: { email: "viewer@example.com", role: "READ_RUN" },
  });
  assert.ok(body.url.endsWith(`/invite#token=${body.token}`));
  assert.deepEqual([body.isMailed, body.mailFault], [false, null]);
  const view = (token: string) =>
    app.call("POST", "/v1/invites/view", { key: null, body: { token } });
  for (let look = 0; look < 2; look += 1) {
    const seen = await view(body.token);
    assert.equal(seen.status, 200);
    const { accountId, accountName, email, role, isKnown, inviterEmail } = seen.body;
    assert.deepEqual([accountId, accountName], [app.owner.accountId, "Vedette"]);
    assert.deepEqual([email, role, isKnown], ["viewer@example.com", "READ_RUN", false]);
    assert.match(inviterEmail, /^First key/);
  }
  assert.equal((await view("there-is-no-such-token-at-all")).status, 404);
  app.clock.advance(7 * 86_400_000);
  assert.equal((await view(body.token)).status, 404);
});

test("a new user who accepts with a valid password is signed in", async () => {
  const { body } = await app.call("POST", invites, {
    body: { email: "at-once@example.com", role: "READ_ONLY" },
  });
  const accept = (password: string) =>
    app.call("POST", "/v1/invites/accept", { key: null, body: { token: body.token, password } });
  const common = await accept("password123");
  assert.match(common.body.message, /^password is a common password/);
  const joined = await accept("a good password");
  const cookie = joined.headers.get("set-cookie")?.split(";")[0] ?? "";
  const sessions = await app.call("GET", "/v1/sessions", { cookie });
  assert.equal(sessions.body[0].way, "INVITE");
});

test("a signed-in user can join only with the invited address", async () => {
  const other = await app.call("POST", "/v1/accounts", { body: { name: "Third" } });
  const person = await addMember(app, "signed-in@example.com", { role: "READ_ONLY" });
  const invite = await app.call("POST", `/v1/accounts/${other.body.id}/invites`, {
    body: { email: person.email, role: "ADMIN" },
  });
  const join = (how: { cookie?: string }) =>
    app.call("POST", "/v1/invites/join", { ...how, body: { token: invite.body.token } });
  const somebody = await addMember(app, "somebody@example.com", { role: "READ_ONLY" });
  const wrong = await join({ cookie: await signIn(app, somebody.email, somebody.password) });
  assert.equal(wrong.status, 409);
  assert.match(wrong.body.message, /is for signed-in@example.com, but you are signed in as some/);
  assert.equal((await join({})).status, 403, "an API key cannot join");
  const cookie = await signIn(app, person.email, person.password);
  const joined = await join({ cookie });
  assert.deepEqual([joined.status, joined.body.role], [201, "ADMIN"]);
  assert.equal((await join({ cookie })).status, 404, "an invite works once");
  const accounts = await app.call("GET", "/v1/accounts", { cookie });
  const roles = accounts.body.map((one: { name: string; role: string }) => [one.name, one.role]);
  assert.deepEqual(roles, [
    ["Vedette", "READ_ONLY"],
    ["Third", "ADMIN"],
  ]);
  const there = await app.call("GET", "/v1/accounts/me", { cookie, account: other.body.id });
  assert.deepEqual([there.body.name, there.body.role], ["Third", "ADMIN"]);
});

test("the role limit of a key applies to the role shown in each account", async () => {
  const { body } = await app.call("POST", "/v1/api-keys", {
    body: { name: "k", role: "READ_RUN" },
  });
  const account = await app.call("GET", "/v1/accounts/me", { key: body.rawKey });
  assert.equal(account.body.role, "READ_RUN");
});

test("inviting a member again is a conflict", async () => {
  const answer = await app.call("POST", invites, {
    body: { email: "Owner@example.com", role: "READ_ONLY" },
  });
  assert.equal(answer.status, 409);
  assert.equal(answer.body.error, "Conflict");
});

test("an invite never makes an owner", async () => {
  const body = { email: "boss@example.com", role: "OWNER" };
  const answer = await app.call("POST", invites, { body });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation, { source: "body", keys: ["role"] });
});

test("a changed role takes effect immediately, even for cached keys", async () => {
  const person = await addMember(app, "demoted@example.com", { role: "ADMIN" });
  const cookie = await signIn(app, person.email, person.password);
  const { body } = await app.call("POST", "/v1/api-keys", {
    cookie,
    body: { name: "k", role: "ADMIN" },
  });
  const rename = () =>
    app.call("PATCH", "/v1/accounts/me", { key: body.rawKey, body: { name: "Vedette" } });
  assert.equal((await rename()).status, 200);
  const changed = await app.call("PATCH", `${members}/${person.userId}`, {
    body: { role: "READ_ONLY" },
  });
  assert.equal(changed.body.role, "READ_ONLY");
  assert.equal((await rename()).status, 403);
  assert.equal((await app.call("DELETE", `${members}/${person.userId}`)).status, 204);
  assert.equal((await app.call("GET", "/v1/runtimes", { key: body.rawKey })).status, 403);
  assert.equal((await app.call("DELETE", `${members}/${person.userId}`)).status, 404);
});

test("the last owner can be neither removed nor demoted", async () => {
  const path = `${members}/${await ownerId()}`;
  const demoted = await app.call("PATCH", path, { body: { role: "ADMIN" } });
  assert.equal(demoted.status, 409);
  assert.equal(demoted.body.message, "an account must have at least one owner");
  assert.equal((await app.call("DELETE", path)).status, 409);
});

test("only an owner can add, change or remove an owner", async () => {
  const { key } = await createKey(app, "ADMIN");
  const person = await addMember(app, "heir@example.com", { role: "ADMIN" });
  const crown = (by: string) =>
    app.call("PATCH", `${members}/${person.userId}`, { key: by, body: { role: "OWNER" } });
  assert.equal((await crown(key)).status, 403);
  assert.equal((await app.call("DELETE", `${members}/${await ownerId()}`, { key })).status, 403);
  assert.equal((await crown(ownerKey)).body.role, "OWNER");
  const cookie = await signIn(app, person.email, person.password);
  const back = await app.call("PATCH", `${members}/${person.userId}`, {
    cookie,
    body: { role: "ADMIN" },
  });
  assert.equal(back.status, 200);
});

test("two owners who demote each other concurrently leave one owner", async () => {
  const person = await addMember(app, "rival@example.com", { role: "ADMIN" });
  await app.call("PATCH", `${members}/${person.userId}`, { body: { role: "OWNER" } });
  const cookie = await signIn(app, person.email, person.password);
  const answers = await Promise.all([
    app.call("PATCH", `${members}/${person.userId}`, { body: { role: "ADMIN" } }),
    app.call("PATCH", `${members}/${await ownerId()}`, { cookie, body: { role: "ADMIN" } }),
  ]);
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  const owners = await app.call("GET", `${members}?role=OWNER`, { cookie });
  assert.equal(owners.body.members.length, 1);
  if (owners.body.members[0].userId === person.userId) {
    const crown = await app.call("PATCH", `${members}/${await ownerId()}`, {
      cookie,
      body: { role: "OWNER" },
    });
    assert.equal(crown.status, 200);
  }
});

test("a search treats wildcards literally", async () => {
  assert.equal((await app.call("GET", `${members}?search=%25`)).body.length, 0);
  assert.equal((await app.call("GET", `${members}?search=_`)).body.length, 0);
});

test("pages of members and invites contain each entry once", async () => {
  await addMember(app, "page@example.com", { role: "READ_ONLY" });
  await app.call("POST", invites, { body: { email: "open@example.com", role: "READ_ONLY" } });
  const seen: string[] = [];
  let nextId: string | null = null;
  do {
    const page = nextId === null ? "" : `&nextId=${nextId}`;
    const { body } = await app.call("GET", `${members}?limit=2${page}`);
    seen.push(...body.members.map((entry: { email: string }) => entry.email));
    nextId = body.nextId;
  } while (nextId !== null);
  const whole = await app.call("GET", `${members}?limit=100`);
  assert.deepEqual(
    seen,
    whole.body.members.map((entry: { email: string }) => entry.email),
  );
  assert.equal(new Set(seen).size, seen.length);
});

test("only an owner can change owners, and one owner always remains", () => {
  for (const callerRole of roles) {
    for (const from of roles) {
      for (const to of [...roles, null]) {
        for (const ownerCount of [1, 2]) {
          const decision = decideMemberChange(callerRole, { from, to, ownerCount });
          const concernsOwner = from === "OWNER" || to === "OWNER";
          if (concernsOwner && callerRole !== "OWNER") assert.equal(decision, "needs-owner");
          else if (from === "OWNER" && to !== "OWNER" && ownerCount === 1) {
            assert.equal(decision, "last-owner");
          } else assert.equal(decision, "allowed");
        }
      }
    }
  }
});

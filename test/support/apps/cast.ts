import { randomUUID } from "node:crypto";
import type { Role } from "../../../src/access/accounts/index.ts";
import { hashSecret } from "../../../src/platform/secrets.ts";
import { ownerPassword, type TestApp } from "./app.ts";

export const strangerPassword = "a stranger's password";

/** Signs in and returns the session cookie. */
export async function signIn(test: TestApp, email: string, password: string): Promise<string> {
  const answer = await test.call("POST", "/v1/sessions", { key: null, body: { email, password } });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (cookie === undefined) throw new Error(`sign-in failed: ${answer.text}`);
  return cookie;
}

/** Creates a service key with the given role in the owner's account. */
export async function createKey(
  test: TestApp,
  role: Role,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: `${role} key`, type: "SERVICE", role, ...more };
  const answer = await test.call("POST", "/v1/api-keys", { body });
  return { id: answer.body.id, key: answer.body.rawKey };
}

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

/** Adds a member to the account through an invitation. */
export async function addMember(
  test: TestApp,
  email: string,
  options: { readonly role: Role; readonly accountId?: string },
): Promise<Person> {
  const { role, accountId = test.owner.accountId } = options;
  const invite = await test.call("POST", `/v1/accounts/${accountId}/invites`, {
    body: { email, role },
  });
  const password = `password of ${email}`;
  let { token } = invite.body;
  if (token === null) {
    // The token was mailed. Replace it, because the mail receiver belongs to the test.
    token = randomUUID();
    const text = "update invites set token_hash = $2 where id = $1";
    await test.query(text, [invite.body.id, hashSecret(token)]);
  }
  const joined = await test.call("POST", "/v1/invites/accept", {
    key: null,
    body: { token, password },
  });
  return { userId: joined.body.userId, email, password };
}

const cookies = new WeakMap<TestApp, Map<Role, Promise<string>>>();

/**
 * Returns the session cookie of a member with the given role. Each server has one member per role.
 * The member with the owner role is the owner created on the first start.
 */
export function signInAs(test: TestApp, role: Role): Promise<string> {
  const known = cookies.get(test) ?? new Map<Role, Promise<string>>();
  cookies.set(test, known);
  const join = async () => {
    if (role === "OWNER") return signIn(test, test.owner.email, ownerPassword);
    const email = test.owner.email.replace("owner", role.toLowerCase().replaceAll("_", "-"));
    const member = await addMember(test, email, { role });
    return signIn(test, email, member.password);
  };
  const cookie = known.get(role) ?? join();
  known.set(role, cookie);
  return cookie;
}

export interface Stranger extends Person {
  readonly accountId: string;
  readonly key: string;
}

/** Adds a user with a separate account. The user must not have access to the test's account. */
export async function addStranger(test: TestApp): Promise<Stranger> {
  const account = await test.call("POST", "/v1/accounts", { body: { name: "Elsewhere" } });
  const accountId = account.body.id as string;
  const email = test.owner.email.replace("owner", "stranger");
  const person = await addMember(test, email, { role: "ADMIN", accountId });
  const cookie = await signIn(test, person.email, person.password);
  const key = await test.call("POST", "/v1/api-keys", {
    cookie,
    body: { name: "stranger's key", type: "USER", role: "ADMIN" },
  });
  return { ...person, accountId, key: key.body.rawKey };
}

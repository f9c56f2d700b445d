import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { ExplainedError, notFound } from "../../../platform/errors.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { AccountsContext } from "../context.ts";
import { type OpenedSession, openSession } from "../sessions/opened-session.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { findHomeAccount, listOwners } from "../store.ts";
import { findUser, findUserByEmail } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { insertLink, type LinkPurpose, type SignInLink, takeLink } from "./store.ts";

const linkLifetimeMs = 3_600_000;

/** Creates a link. Only the caller receives the token; the database stores its hash. */
export async function createLink(
  db: Database,
  link: { readonly userId: string; readonly purpose: LinkPurpose; readonly at: Date },
): Promise<string> {
  const { userId, purpose, at } = link;
  const token = createSecret();
  const expiresAt = new Date(at.getTime() + linkLifetimeMs);
  const tokenHash = hashSecret(token);
  await insertLink(db, { userId, purpose, createdAt: at, expiresAt, tokenHash });
  return token;
}

/**
 * Signs in with a one-time link. It skips the second factor, so that a user who lost theirs can
 * recover.
 */
export async function signInByLink(
  context: AccountsContext,
  token: string,
  origin: SessionOrigin,
): Promise<OpenedSession> {
  const at = context.clock.now();
  const link = await takeLink(context.db, { tokenHash: hashSecret(token), purpose: "SIGN_IN" });
  const user =
    link === null || !isLinkOpen(link, at) ? null : await findUser(context.db, link.userId);
  if (user === null) throw notFound();
  return openSession(context, user, { ...origin, way: "LINK" });
}

const example = "npm run vedette sign-in-link -- --email";

async function chooseUser(db: Database, email: string | null): Promise<User> {
  const owners = await listOwners(db);
  const [only, ...others] = owners;
  if (only === undefined) {
    throw new ExplainedError("There is no user yet. Start the server first with `npm start`.");
  }
  const listed = owners.map((owner) => `  ${owner.email}`).join("\n");
  if (email === null) {
    if (others.length === 0) return only;
    throw new ExplainedError(
      `There are several owners. Choose one with --email, for example\n` +
        `  ${example} ${only.email}\nThe owners are\n${listed}`,
    );
  }
  const user = await findUserByEmail(db, email);
  if (user !== null) return user;
  throw new ExplainedError(
    `No user has the email address ${email}. The owners are\n${listed}\nFor example\n` +
      `  ${example} ${only.email}`,
  );
}

/** For operators with access to the machine: the command line needs no password. */
export async function createLinkFromCommandLine(
  context: { readonly db: Database; readonly clock: Clock },
  email: string | null,
): Promise<{ readonly email: string; readonly token: string }> {
  return inTransaction(context.db, async (db) => {
    const user = await chooseUser(db, email);
    const at = context.clock.now();
    const token = await createLink(db, { userId: user.id, purpose: "SIGN_IN", at });
    const accountId = await findHomeAccount(db, user.id);
    if (accountId !== null) {
      const actor = {
        type: "SYSTEM" as const,
        credentialId: null,
        label: "Command line",
        accountId,
        address: null,
        requestId: null,
      };
      const changes = { email: user.email };
      const action = "sign-in-link.created";
      await writeAuditEntry(db, actor, { action, targetId: user.id, changes, at });
    }
    return { email: user.email, token };
  });
}

export function isLinkOpen(link: SignInLink, now: Date): boolean {
  return link.expiresAt > now;
}

/** The token goes into the fragment, which browsers never send, so no server or proxy logs it. */
export function buildSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`;
}

export function buildResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#token=${token}`;
}

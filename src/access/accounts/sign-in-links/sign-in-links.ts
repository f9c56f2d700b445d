import { Type } from "typebox";
import { renderResetMail } from "../../../pages/mails/account-mails.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import {
  conflict,
  ExplainedError,
  invalid,
  KnownError,
  notFound,
} from "../../../platform/errors.ts";
import { Described, Email, Nothing, publicAnswers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { createSecret, hashPassword, hashSecret } from "../../../platform/secrets.ts";
import { deleteApiKeysOfUser } from "../api-keys/api-key-store.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { AccountsContext } from "../context.ts";
import { isFamiliarNetwork } from "../credential-store.ts";
import { challengeUser } from "../second-factors/actions.ts";
import { SignInChallengeSchema, toWireChallenge } from "../second-factors/schema.ts";
import {
  type OpenedSession,
  openSession,
  presentSession,
  readSessionOrigin,
} from "../sessions/actions.ts";
import { CreatedSessionSchema, type SessionOrigin } from "../sessions/session.ts";
import {
  deleteLinksOfUser,
  deleteOtherSessions,
  insertLink,
  type LinkPurpose,
  type SignInLink,
  takeLink,
} from "../sessions/store.ts";
import { findHomeAccount, listOwners } from "../store.ts";
import { findUser, findUserByEmail, lockUser, updatePassword } from "../users/store.ts";
import { findPasswordFault, Password, type User, type UserWithPassword } from "../users/user.ts";

const linkLifetimeMs = 3_600_000;

/** Creates a one-time link and returns its token. The database stores only a hash of the token. */
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

/** Signs in with a one-time link. No second factor is needed, because the user may have lost it. */
async function signInByLink(
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

/** Creates a sign-in link for an operator on the command line, who needs no password. */
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

function isLinkOpen(link: SignInLink, now: Date): boolean {
  return link.expiresAt > now;
}

/** Builds the URL of a sign-in link. The token is in the fragment, so that no server logs it. */
export function buildSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`;
}

function buildResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#token=${token}`;
}

interface ResetRequester {
  readonly email: string;
  readonly address: string;
}

/**
 * Starts a password reset without waiting for its result. The response is sent before the user is
 * looked up, so neither its content nor its timing reveals whether the email address exists.
 */
function requestReset(context: AccountsContext, requester: ResetRequester): void {
  if (context.mailer === null) {
    throw conflict(
      "this server cannot send mail; run `npm run vedette sign-in-link` on it to create a link",
    );
  }
  const { allowed, resetSeconds } = context.resetLimits.takeForNetwork(requester.address);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  sendResetMail(context, requester).catch((error) =>
    context.log.warn({ err: error }, "password reset mail not sent"),
  );
}

async function sendResetMail(context: AccountsContext, requester: ResetRequester): Promise<void> {
  const { db, clock, mailer, resetLimits } = context;
  const { email, address } = requester;
  const isFamiliar = await isFamiliarNetwork(db, email, addressKey(address));
  if (!resetLimits.maySend({ email, address, isFamiliar })) return;
  const user = await findUserByEmail(db, email);
  if (user === null || mailer === null) return;
  const at = clock.now();
  const token = await createLink(db, { userId: user.id, purpose: "RESET", at });
  const publicUrl = context.publicUrl();
  const outcome = await mailer.send({
    to: user.email,
    content: renderResetMail({ url: buildResetUrl(publicUrl, token), address, publicUrl }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    messageId: hashSecret(token).toString("hex"),
  });
  if (outcome.kind === "failed") {
    const { reason } = outcome;
    context.log.warn({ reason }, "password reset mail not sent");
  }
}

/**
 * Sets a new password. Ends all sessions of the user, and revokes all links and API keys: anyone
 * who knew the old password could have created keys.
 */
async function resetPassword(
  context: AccountsContext,
  answer: { readonly token: string; readonly newPassword: string },
  origin: SessionOrigin,
): Promise<UserWithPassword> {
  const passwordHash = await hashPassword(answer.newPassword);
  const at = context.clock.now();
  const user = await inTransaction(context.db, async (db) => {
    const link = await takeLink(db, { tokenHash: hashSecret(answer.token), purpose: "RESET" });
    const found = link !== null && isLinkOpen(link, at) ? await lockUser(db, link.userId) : null;
    if (found === null) throw notFound();
    const fault = findPasswordFault(answer.newPassword, found.email);
    if (fault !== null) throw invalid("newPassword", fault);
    await updatePassword(db, found.id, { passwordHash, at });
    await deleteOtherSessions(db, found.id, null);
    await deleteLinksOfUser(db, found.id);
    const apiKeys = await deleteApiKeysOfUser(db, found.id);
    const accountId = await findHomeAccount(db, found.id);
    if (accountId !== null) {
      const actor = {
        type: "SESSION" as const,
        credentialId: null,
        label: found.email,
        accountId,
        address: origin.address,
        requestId: origin.requestId,
      };
      const note = { action: "user.password-reset", targetId: found.id, changes: { apiKeys }, at };
      await writeAuditEntry(db, actor, note);
    }
    return { ...found, passwordHash, credentialVersion: found.credentialVersion + 1 };
  });
  context.credentials.forgetAll();
  return user;
}

const LinkToken = Type.String({
  minLength: 20,
  maxLength: 200,
  description: "Token of the link: the value after `=`.",
  examples: ["q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE"],
});

const tags = ["Sessions"];

const ResetRequest = Type.Object(
  { email: Described(Email, "The email address.", "ada@example.com") },
  { title: "PasswordResetInput" },
);

const ResetAnswer = Type.Object(
  { token: LinkToken, newPassword: Password },
  { title: "PasswordResetAnswer" },
);

const LinkBody = Type.Object({ token: LinkToken }, { title: "SignInLink" });

export function addSignInLinkRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/sessions/link",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createSessionByLink",
        summary: "Sign in with a one-time link",
        description:
          "The response sets a session cookie. The first start prints a link, and `vedette " +
          "sign-in-link` creates another. It works once and expires after an hour. For an hour, " +
          "the session may set a password without the current one.",
        body: LinkBody,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers({ 201: CreatedSessionSchema }, "invalidRequest", "notFound"),
      },
    },
    async (request, reply) => {
      const opened = await signInByLink(context, request.body.token, readSessionOrigin(request));
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
}

export function addPasswordResetRoutes(server: HttpServer, context: AccountsContext): void {
  server.post(
    "/v1/password-resets",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "createPasswordReset",
        summary: "Mail a password reset link",
        description:
          "The response is the same whether or not the address exists. The link works once and " +
          "expires after an hour. 409 if the server cannot send mail.",
        body: ResetRequest,
        response: publicAnswers({ 204: Nothing }, "invalidRequest", "conflict"),
      },
    },
    async ({ body, ip }, reply) => {
      requestReset(context, { email: body.email, address: ip });
      return reply.code(204).send(null);
    },
  );
  server.post(
    "/v1/password-resets/answer",
    {
      config: { access: "public" },
      schema: {
        tags,
        operationId: "answerPasswordReset",
        summary: "Reset the password with the token of a mailed link, and sign in",
        description:
          "Ends every session of the user and deletes their API keys, but no service keys; the " +
          "response sets the cookie of a new session. A user " +
          "with a second factor receives 202, as when signing in. A rejected password does not " +
          "consume the link.",
        body: ResetAnswer,
        answerHeaders: ["Set-Cookie"],
        response: publicAnswers(
          { 201: CreatedSessionSchema, 202: SignInChallengeSchema },
          "invalidRequest",
          "notFound",
        ),
      },
    },
    async (request, reply) => {
      const origin = readSessionOrigin(request);
      const user = await resetPassword(context, request.body, origin);
      const proven = { user, way: "RESET" as const, host: request.host };
      const challenge = await challengeUser(context, proven);
      if (challenge !== null) return reply.code(202).send(toWireChallenge(challenge));
      const opened = await openSession(context, user, { ...origin, way: "RESET" });
      return reply.code(201).send(presentSession(context, reply, opened));
    },
  );
}

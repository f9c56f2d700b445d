import {
  renderEmailChangedMail,
  renderEmailChangeMail,
} from "../../../pages/mails/account-mails.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { findTakenConstraint } from "../../../platform/database-errors.ts";
import { conflict, invalid, KnownError, notFound } from "../../../platform/errors.ts";
import type { Mailer } from "../../../platform/mail.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import type { MailText } from "../../../platform/text/mail-text.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { getSignedInSelf, proveSelfUnlessFresh } from "../second-factors/proof.ts";
import { deleteLinksOfUser } from "../sessions/store.ts";
import { mayChoosePassword, type OwnUser, proveRightToChoose, viewSelf } from "./actions.ts";
import {
  deleteEmailChange,
  type EmailChange,
  findUserByEmail,
  lockUser,
  saveEmailChange,
  takeEmailChange,
  updateEmail,
} from "./store.ts";
import { isPlaceholderEmail, type User, type UserWithPassword } from "./user.ts";

const emailChangeLifetimeMs = 24 * 3_600_000;

/**
 * Builds the confirmation URL. The token is in the fragment, which browsers do not send to servers.
 */
function buildConfirmUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/confirm-email#token=${token}`;
}

interface EmailRequest {
  readonly email: string;
  readonly currentPassword?: string | undefined;
}

/**
 * Requires a proof of identity before the email address changes. Without the proof, a person with a
 * stolen session could set another address and then reset the password through that address.
 */
async function proveRightToChange(
  context: AccountsContext,
  caller: Caller,
  { currentPassword }: EmailRequest,
): Promise<UserWithPassword> {
  const user = await getSignedInSelf(context, caller);
  const isWithoutPassword = user.passwordHash === null && currentPassword === undefined;
  if (isWithoutPassword && !(await mayChoosePassword(context, caller))) {
    return proveSelfUnlessFresh(context, caller, {});
  }
  await proveRightToChoose(context, caller, { user, currentPassword });
  return user;
}

/**
 * Changes the email address. If the server can send mail, the user must first confirm the address
 * through a link. Otherwise, the change takes effect immediately.
 */
export async function changeEmail(
  context: AccountsContext,
  caller: Caller,
  request: EmailRequest,
): Promise<OwnUser> {
  const { email } = request;
  const user = await proveRightToChange(context, caller, request);
  if (email === user.email) throw invalid("email", "is already your address");
  if (isPlaceholderEmail(email)) throw invalid("email", "must be an address that can receive mail");
  const owner = await findUserByEmail(context.db, email);
  if (owner !== null && owner.id !== user.id) throw conflict(`${email} is already in use`);
  if (context.mailer === null) {
    await inTransaction(context.db, (db) =>
      storeEmail(context, caller, { db, user, email, isProven: false }),
    );
    context.credentials.forgetAll();
  } else {
    await requestConfirmation(context, caller, { user, email, mailer: context.mailer });
  }
  return viewSelf(context, caller);
}

async function requestConfirmation(
  context: AccountsContext,
  caller: Caller,
  { user, email, mailer }: { readonly user: User; readonly email: string; readonly mailer: Mailer },
): Promise<void> {
  const requester = { email, address: caller.address, isFamiliar: false };
  if (!context.resetLimits.maySend(requester)) {
    throw new KnownError("tooManyRequests", { retryAfterSeconds: 3_600 });
  }
  const at = context.clock.now();
  const token = createSecret();
  const tokenHash = hashSecret(token);
  const expiresAt = new Date(at.getTime() + emailChangeLifetimeMs);
  await inTransaction(context.db, async (db) => {
    await saveEmailChange(db, { userId: user.id, newEmail: email, tokenHash, at, expiresAt });
    const action = "user.email-requested";
    const changes = { email: { from: user.email, to: email } };
    await writeAuditEntry(db, caller, { action, targetId: user.id, changes, at });
  });
  const publicUrl = context.publicUrl();
  const url = buildConfirmUrl(publicUrl, token);
  const content = renderEmailChangeMail({ url, from: user.email, publicUrl });
  const outcome = await sendTo(mailer, email, { content, messageId: tokenHash.toString("hex") });
  if (outcome.kind === "sent") return;
  await deleteEmailChange(context.db, user.id);
  throw conflict(`the confirmation mail to ${email} could not be sent: ${outcome.reason}`);
}

function sendTo(
  mailer: Mailer,
  to: string,
  mail: { readonly content: MailText; readonly messageId: string },
) {
  const headers = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
  return mailer.send({ to, headers, ...mail });
}

interface StoredEmail {
  readonly db: Database;
  readonly user: User;
  readonly email: string;
  readonly isProven: boolean;
}

/** Stores the new email address. Links that were mailed to the old address stop working. */
async function storeEmail(
  { clock }: Pick<AccountsContext, "clock">,
  caller: Caller,
  { db, user, email, isProven }: StoredEmail,
): Promise<void> {
  const at = clock.now();
  await lockUser(db, user.id);
  try {
    await updateEmail(db, user.id, { email, isProven, at });
  } catch (error) {
    if (findTakenConstraint(error) !== "users_email") throw error;
    throw conflict(`${email} is already in use`);
  }
  await deleteLinksOfUser(db, user.id);
  await deleteEmailChange(db, user.id);
  const changes = { email: { from: user.email, to: email } };
  await writeAuditEntry(db, caller, {
    action: "user.email-changed",
    targetId: user.id,
    changes,
    at,
  });
}

/**
 * Confirms a new email address. Requires a session of the user, because the link alone does not
 * prove who opened it.
 */
export async function confirmEmail(
  context: AccountsContext,
  caller: Caller,
  token: string,
): Promise<OwnUser> {
  const user = await getSignedInSelf(context, caller);
  const at = context.clock.now();
  const taken = { userId: user.id, tokenHash: hashSecret(token) };
  const change: EmailChange = await inTransaction(context.db, async (db) => {
    const found = await takeEmailChange(db, taken);
    if (found === null || found.expiresAt <= at) throw notFound();
    await storeEmail(context, caller, { db, user, email: found.newEmail, isProven: true });
    return found;
  });
  context.credentials.forgetAll();
  if (!isPlaceholderEmail(user.email)) void notifyOldAddress(context, user, change);
  return viewSelf(context, caller);
}

async function notifyOldAddress(
  { mailer, log, publicUrl }: AccountsContext,
  user: User,
  { newEmail }: EmailChange,
): Promise<void> {
  if (mailer === null) return;
  const content = renderEmailChangedMail({ to: newEmail, publicUrl: publicUrl() });
  const outcome = await sendTo(mailer, user.email, { content, messageId: createSecret() });
  if (outcome.kind === "sent") return;
  log.warn({ reason: outcome.reason }, "could not notify the old address of the email change");
}

export async function cancelEmailChange(context: AccountsContext, caller: Caller): Promise<void> {
  const user = await getSignedInSelf(context, caller);
  await inTransaction(context.db, async (db) => {
    if (!(await deleteEmailChange(db, user.id))) throw notFound();
    const at = context.clock.now();
    await writeAuditEntry(db, caller, { action: "user.email-kept", targetId: user.id, at });
  });
}

import { renderResetMail } from "../../../pages/mails/account-mails.ts";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { hashPassword, hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { AccountsContext } from "../context.ts";
import { isFamiliarNetwork } from "../credential-store.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { deleteOtherSessions } from "../sessions/store.ts";
import { findHomeAccount } from "../store.ts";
import { findUserByEmail, lockUser, updatePassword } from "../users/store.ts";
import { findPasswordFault, type UserWithPassword } from "../users/user.ts";
import { buildResetUrl, createLink, isLinkOpen } from "./actions.ts";
import { deleteLinksOfUser, takeLink } from "./store.ts";

export interface ResetRequester {
  readonly email: string;
  readonly address: string;
}

/**
 * Responds before looking up the user, so that neither the response nor its timing reveals whether
 * the address exists.
 */
export function requestReset(context: AccountsContext, requester: ResetRequester): void {
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

/** Sets a new password, ends every session of the user and revokes all their links. */
export async function resetPassword(
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
      await writeAuditEntry(db, actor, { action: "user.password-reset", targetId: found.id, at });
    }
    return { ...found, passwordHash, credentialVersion: found.credentialVersion + 1 };
  });
  context.credentials.forgetAll();
  return user;
}

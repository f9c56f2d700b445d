import { inTransaction } from "../../../platform/database.ts";
import { KnownError } from "../../../platform/errors.ts";
import { spendChallenge } from "../challenges/challenges.ts";
import type { AccountsContext } from "../context.ts";
import { type OpenedSession, openSession } from "../sessions/opened-session.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { lockUser } from "../users/store.ts";
import type { SecondFactor } from "./second-factor.ts";
import { useRecoveryCode, useTotpCode } from "./verification.ts";

export interface CodeAnswer {
  readonly challengeToken: string;
  readonly method: Exclude<SecondFactor, "PASSKEY">;
  readonly code: string;
}

/**
 * Runs the second step of signing in. One transaction: if no session is opened, the code is not
 * consumed.
 */
export function signInByCode(
  context: AccountsContext,
  answer: CodeAnswer,
  origin: SessionOrigin,
): Promise<OpenedSession> {
  const challenge = context.challenges.get("second-factor", answer.challengeToken);
  const { userId, way, credentialVersion } = challenge.content;
  const guess = { userId, code: answer.code };
  return inTransaction(context.db, async (db) => {
    const user = await lockUser(db, userId);
    if (user?.credentialVersion !== credentialVersion) throw new KnownError("badChallenge");
    const verify = () =>
      answer.method === "TOTP" ? useTotpCode(context, db, guess) : useRecoveryCode(db, guess);
    const attempt = { email: user.email, address: origin.address };
    if (!(await context.codeGuard.check(db, attempt, verify))) throw new KnownError("badCode");
    await spendChallenge(db, challenge);
    const how = { ...origin, way, secondFactor: answer.method };
    return openSession({ ...context, db }, user, how);
  });
}

import { inTransaction } from "../../../platform/database.ts";
import { KnownError } from "../../../platform/errors.ts";
import type { AccountsContext } from "../context.ts";
import { type IssuedChallenge, spendChallenge } from "../credentials.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";
import { type OpenedSession, openSession } from "../sessions/actions.ts";
import type { SessionOrigin, SignInWay } from "../sessions/session.ts";
import { lockUser } from "../users/store.ts";
import type { UserWithPassword } from "../users/user.ts";
import { useRecoveryCode, useTotpCode } from "./proof.ts";
import { decideFactorsToOffer, type SecondFactor } from "./second-factor.ts";
import { findFactors } from "./store.ts";

export interface SecondFactorChallenge extends IssuedChallenge {
  readonly methods: readonly SecondFactor[];
}

/**
 * Issues a challenge to a user whose first factor is verified; returns `null` if none is needed.
 */
export async function challengeUser(
  context: AccountsContext,
  proven: {
    /** The user as read when the first factor was verified. */
    readonly user: Pick<UserWithPassword, "id" | "credentialVersion">;
    readonly way: SignInWay;
    readonly host: string;
  },
): Promise<SecondFactorChallenge | null> {
  const { user, way, host } = proven;
  const party = findRelyingParty(context.configuredUrl, host);
  const usableHost = party.kind === "usable" ? party.id : null;
  const methods = decideFactorsToOffer(await findFactors(context.db, user.id, usableHost));
  if (methods === null) return null;
  const { id: userId, credentialVersion } = user;
  const challenge = context.challenges.issue("second-factor", { userId, way, credentialVersion });
  return { ...challenge, methods };
}

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

import type { IssuedChallenge } from "../challenges/challenge.ts";
import type { AccountsContext } from "../context.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";
import type { SignInWay } from "../sessions/session.ts";
import type { UserWithPassword } from "../users/user.ts";
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

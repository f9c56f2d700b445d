import type { IssuedChallenge } from "../challenges/challenge.ts";
import type { AccountsContext } from "../context.ts";
import { findRelyingParty } from "../passkeys/relying-party.ts";
import type { SignInWay } from "../sessions/session.ts";
import { decideFactorsToOffer, type SecondFactor } from "./second-factor.ts";
import { findFactors } from "./store.ts";

export interface SecondFactorChallenge extends IssuedChallenge {
  readonly methods: readonly SecondFactor[];
}

/** Somebody whose first factor is proven; null when nothing more is asked of them. */
export async function challengeUser(
  context: AccountsContext,
  proven: { readonly userId: string; readonly way: SignInWay; readonly host: string },
): Promise<SecondFactorChallenge | null> {
  const { userId, way, host } = proven;
  const party = findRelyingParty(context.configuredUrl, host);
  const usableHost = party.kind === "usable" ? party.id : null;
  const methods = decideFactorsToOffer(await findFactors(context.db, userId, usableHost));
  if (methods === null) return null;
  return { ...context.challenges.issue("second-factor", { userId, way }), methods };
}

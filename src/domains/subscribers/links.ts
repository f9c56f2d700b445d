import { formatPageUrl } from "../status-pages/index.ts";
import type { SubscribersContext } from "./context.ts";
import type { SubscriberDelivery } from "./delivery-store.ts";
import { confirmMs } from "./subscriber.ts";
import { sealToken, type TokenPurpose } from "./token.ts";

/** A year is longer than anybody looks for a mail, and shorter than for ever. */
const manageMs = 365 * 86_400_000;

type LinkContext = Pick<SubscribersContext, "encryption" | "clock">;

export interface LinkTarget {
  readonly statusPageId: string;
  readonly subscriberId: string;
}

/** Below the page's own address, such as `confirm/{token}`. */
export function createLinkPath(
  { encryption, clock }: LinkContext,
  purpose: TokenPurpose,
  { statusPageId, subscriberId }: LinkTarget,
): string {
  const lifeMs = { confirm: confirmMs, manage: manageMs, unsubscribe: null }[purpose];
  const expiresAt = lifeMs === null ? null : new Date(clock.now().getTime() + lifeMs);
  return `${purpose}/${sealToken(encryption, { purpose, statusPageId, subscriberId, expiresAt })}`;
}

/** Absolute, for whoever reads it far from the page. */
export function createMessageLinks(
  context: Pick<SubscribersContext, "encryption" | "clock" | "publicUrl">,
  delivery: Pick<SubscriberDelivery, "page" | "statusPageId" | "subscriberId">,
) {
  const pageUrl = formatPageUrl(context.publicUrl(), delivery.page);
  const create = (purpose: TokenPurpose) =>
    `${pageUrl}${createLinkPath(context, purpose, delivery)}`;
  return {
    pageUrl,
    confirmUrl: create("confirm"),
    manageUrl: create("manage"),
    unsubscribeUrl: create("unsubscribe"),
  };
}

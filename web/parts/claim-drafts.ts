/** Drafts in a tab belong to one person: whoever signs in there next must not read them. */
const prefix = "vedette.draft.";
const ownerKey = "vedette.drafts-of";

export function claimDrafts(userId: string): void {
  try {
    if (sessionStorage.getItem(ownerKey) === userId) return;
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(prefix)) sessionStorage.removeItem(key);
    }
    sessionStorage.setItem(ownerKey, userId);
  } catch {
    // Without storage there are no drafts.
  }
}

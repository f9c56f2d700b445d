/** Assigns the drafts of a tab to a user, so that another user who signs in cannot read them. */
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
    // Storage is unavailable, so there are no drafts.
  }
}

/** Assigns the drafts in a tab to the signed-in user. Drafts of another user are deleted. */
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
    // Without browser storage there are no drafts.
  }
}

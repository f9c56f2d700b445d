/** The account that this browser works in; null: the user's first one. */
const key = "vedette.account";

export function readChosenAccount(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function chooseAccount(accountId: string | null): void {
  try {
    if (accountId === null) localStorage.removeItem(key);
    else localStorage.setItem(key, accountId);
  } catch {
    // Without storage the choice lasts until the page is loaded again.
  }
}

/**
 * Stores which account is selected in this browser; `null` selects the user's first account. A tab
 * keeps the account with which it was loaded, because all its cached data belongs to that account.
 */
const key = "vedette.account";

let chosen: string | null | undefined;

export function readChosenAccount(): string | null {
  if (chosen === undefined) chosen = readStored();
  return chosen;
}

function readStored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function chooseAccount(accountId: string | null): void {
  chosen = accountId;
  try {
    if (accountId === null) localStorage.removeItem(key);
    else localStorage.setItem(key, accountId);
  } catch {
    // Without browser storage, the selection lasts until the page is reloaded.
  }
}

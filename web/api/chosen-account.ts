/**
 * The account selected in this browser, or `null` for the user's first one. A tab keeps the account
 * that it was loaded with, because all its cached data belongs to that account.
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
    // Storage is unavailable: the choice lasts until the page is reloaded.
  }
}

/**
 * The account that this browser works in; null: the user's first one. A tab keeps the one that it
 * was loaded with: what it shows is of that account, whatever is chosen in another tab.
 */
const key = "vedette.account";

let chosen: string | null | undefined;

export function readChosenAccount(): string | null {
  if (chosen === undefined) chosen = readKept();
  return chosen;
}

function readKept(): string | null {
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
    // Without storage the choice lasts until the page is loaded again.
  }
}

import { ApiError } from "./api-error.ts";
import { chooseAccount } from "./chosen-account.ts";
import { api, send } from "./client.ts";

let isUnderWay = false;

/** Whether the session is ending because the user signed out in this window. */
export const isSigningOut = (): boolean => isUnderWay;

/** Reloads the page, because all data in memory belongs to the user who signed out. */
export async function signOut(): Promise<void> {
  isUnderWay = true;
  try {
    await send(api.DELETE("/v1/sessions/current"));
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 401;
    isUnderWay = isOver;
    if (!isOver) throw error;
  }
  chooseAccount(null);
  location.assign("/sign-in");
}

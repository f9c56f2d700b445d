import { ApiError } from "./api-error.ts";
import { chooseAccount } from "./chosen-account.ts";
import { api, send } from "./client.ts";

let isUnderWay = false;

/** Whether the session ends because somebody here wants it to. */
export const isSigningOut = (): boolean => isUnderWay;

/** Everything in memory belongs to who leaves: the sign-in is loaded anew. */
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

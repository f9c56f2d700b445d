/** The signed-in user, the current account, and the role of the user in the account. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { chooseAccount, readChosenAccount } from "./chosen-account.ts";
import { api, type Schemas, send } from "./client.ts";

let isUnderWay = false;

/** Returns whether the session is ending because the user signed out in this window. */
export const isSigningOut = (): boolean => isUnderWay;

/** Resets the sign-out state: component tests start the application repeatedly in one page. */
export function forgetSignOut(): void {
  isUnderWay = false;
}

/** Signs out and reloads the page, because data in memory belongs to the signed-out user. */
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

export type Role = "READ_ONLY" | "READ_RUN" | "READ_WRITE" | "ADMIN" | "OWNER";
export type Access = "read" | "run" | "write" | "admin" | "owner";

export interface SignedIn {
  readonly user: Schemas["OwnUser"];
  readonly account: Schemas["Account"];
  readonly role: Role;
}

/** Roles in ascending order; each role includes the permissions of the roles before it. */
const roles: readonly Role[] = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"];
const leastRole: Readonly<Record<Access, Role>> = {
  read: "READ_ONLY",
  run: "READ_RUN",
  write: "READ_WRITE",
  admin: "ADMIN",
  owner: "OWNER",
};

export function mayDo(role: Role, access: Access): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRole[access]);
}

async function fetchInChosenAccount(): Promise<SignedIn> {
  const [user, account] = await Promise.all([
    send(api.GET("/v1/users/me")),
    send(api.GET("/v1/accounts/me")),
  ]);
  return { user, account, role: account.role };
}

/**
 * Fetches data in the selected account. If the user no longer has access to this account, the
 * user's first account is selected instead.
 */
async function inOpenAccount<Data>(fetchData: () => Promise<Data>): Promise<Data> {
  try {
    return await fetchData();
  } catch (error) {
    const isClosed = error instanceof ApiError && error.status === 403;
    if (!isClosed || readChosenAccount() === null) throw error;
    chooseAccount(null);
    return fetchData();
  }
}

/** Fetches the signed-in user without account data, for screens outside the signed-in area. */
export function fetchSelf() {
  return inOpenAccount(() => send(api.GET("/v1/users/me")));
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  meta: { events: ["member", "account"] },
  queryFn: () => inOpenAccount(fetchInChosenAccount),
  staleTime: 60_000,
});

/** Returns the session, which only routes below the signed-in route may read. */
export function useSession(): SignedIn {
  const { data } = useQuery(sessionQuery);
  if (data === undefined) throw new Error("There is no session here.");
  return data;
}

/** Returns whether the user has a permission, to decide whether a control is shown. */
export function useMay(access: Access): boolean {
  return mayDo(useSession().role, access);
}

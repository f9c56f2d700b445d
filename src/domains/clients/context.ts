import type { AccountsContext } from "../accounts/index.ts";

/** Dependencies of the operations for existing clients. */
export type ClientsContext = AccountsContext;

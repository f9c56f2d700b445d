import type { Caller } from "../../accounts/index.ts";
import type { RunsContext } from "../context.ts";
import { listPlaceRecords, type PlaceRecord } from "./store.ts";

/** What each location sees, compared with the others. */
export function comparePlaces({ db }: RunsContext, { accountId }: Caller): Promise<PlaceRecord[]> {
  return listPlaceRecords(db, accountId);
}

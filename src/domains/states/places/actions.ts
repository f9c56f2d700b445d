import type { Caller } from "../../accounts/index.ts";
import type { StatesContext } from "../context.ts";
import { listPlaceRecords, type PlaceRecord } from "./store.ts";

/** Compares the verdicts of each location with those of the others. */
export function comparePlaces(
  { db }: StatesContext,
  { accountId }: Caller,
): Promise<PlaceRecord[]> {
  return listPlaceRecords(db, accountId);
}

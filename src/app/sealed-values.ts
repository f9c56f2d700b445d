import { listSealedTotps } from "../domains/accounts/index.ts";
import { listSealedInChannels } from "../domains/alert-channels/index.ts";
import { listSealedInChecks } from "../domains/checks/index.ts";
import { listSealedInCertificates } from "../domains/client-certificates/index.ts";
import { listSealedInSubscribers } from "../domains/subscribers/index.ts";
import { listSealedInVariables } from "../domains/variables/index.ts";
import type { Database } from "../platform/database.ts";

/** Of each room the newest: one value that opens is proof enough. */
const maxOfEach = 100;

/** Values that were sealed with the key of this database, as they are stored. */
export async function listSealedValues(db: Database): Promise<string[]> {
  return [
    ...(await listSealedInChannels(db, maxOfEach)),
    ...(await listSealedInSubscribers(db, maxOfEach)),
    ...(await listSealedInVariables(db, maxOfEach)),
    ...(await listSealedInCertificates(db, maxOfEach)),
    ...(await listSealedInChecks(db, maxOfEach)),
    ...(await listSealedTotps(db, maxOfEach)),
  ];
}

import { listSealedTotps } from "../domains/accounts/index.ts";
import { listSealedInChannels } from "../domains/alert-channels/index.ts";
import { listSealedInChecks } from "../domains/checks/index.ts";
import { listSealedInCertificates } from "../domains/client-certificates/index.ts";
import { listSealedInSubscribers } from "../domains/subscribers/index.ts";
import { listSealedInVariables } from "../domains/variables/index.ts";
import type { Database } from "../platform/database.ts";

/** The newest of each module; decrypting one value is sufficient proof. */
const maxOfEach = 100;

/** Lists values encrypted with the key of this database, as stored. */
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

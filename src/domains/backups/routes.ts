import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { describeBackups, requestBackup } from "./actions.ts";
import type { BackupsContext } from "./context.ts";
import { BackupList, BackupSchema, toWireBackup, toWireList } from "./schema.ts";

const tags = ["Backups"];

export function addBackupRoutes(server: HttpServer, context: BackupsContext): void {
  server.get(
    "/v1/backups",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "listBackups",
        summary: "List the backups that the servers made",
        description:
          "Of the whole installation. The files are in `BACKUP_DIR` and cannot be fetched here, " +
          "because each has the data of all accounts.",
        response: answers({ 200: BackupList }),
      },
    },
    async () => toWireList(await describeBackups(context)),
  );
  server.post(
    "/v1/backups",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "createBackup",
        summary: "Make a backup now",
        description:
          "Answers at once; list backups to see how far it is. Needs `BACKUP_DIR`, and no other " +
          "backup under way on any server.",
        response: answers({ 202: BackupSchema }, "conflict"),
      },
    },
    async ({ caller }, reply) =>
      reply.code(202).send(toWireBackup(await requestBackup(context, caller))),
  );
}

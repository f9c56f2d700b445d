import { answers } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { type BackupsContext, describeBackups, requestBackup } from "./actions.ts";
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
        summary: "List backups",
        description:
          "Backups contain the whole installation. The files are in `BACKUP_DIR` and cannot be " +
          "downloaded here, because each contains the data of all accounts.",
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
          "Returns immediately; list backups to see the progress. Needs `BACKUP_DIR`, and no " +
          "other backup in progress on any server.",
        response: answers({ 202: BackupSchema }, "conflict"),
      },
    },
    async ({ caller }, reply) =>
      reply.code(202).send(toWireBackup(await requestBackup(context, caller))),
  );
}

import { Type } from "typebox";
import { answers, DateTime, Described, OrNull } from "../platform/http/schema.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { type AboutTools, createAbout } from "./about.ts";

const Bytes = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });
const Count = (description: string, example: number) =>
  Type.Integer({ description, examples: [example] });
const Flag = (description: string) => Type.Boolean({ description });

const Health = Type.Object(
  {
    isReady: Flag("Whether the server is ready, as reported by `/readyz`."),
    problems: Type.Array(Type.String(), {
      description: "Current problems, human-readable; some of them leave the server ready.",
      examples: [[]],
    }),
    loops: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name of the loop.", examples: ["deliver alerts"] }),
        isEssential: Flag("Whether the server is not ready while this loop is stuck."),
        errors: Count("Number of failed turns since the start.", 0),
        lastSuccessAt: Described(
          OrNull(DateTime),
          "When a turn last succeeded; `null` if none has yet.",
        ),
        stuckSince: Described(
          OrNull(DateTime),
          "Since when the loop has been stuck; `null` while it makes progress.",
          null,
        ),
      }),
      { description: "Background loops." },
    ),
  },
  { description: "Health of the server." },
);

const Backups = Type.Object(
  {
    isScheduled: Flag("Whether this server creates scheduled backups."),
    lastSuccessAt: Described(OrNull(DateTime), "Snapshot time of the newest backup."),
    lastSizeBytes: Described(
      OrNull(Type.Number()),
      "Size of the newest backup in bytes.",
      48_000_000,
    ),
    lastDurationSeconds: Described(
      OrNull(Type.Number()),
      "Duration of the newest backup in seconds.",
      12.5,
    ),
    lastVerifiedAt: Described(
      OrNull(DateTime),
      "When a backup was last verified by restoring it into a temporary database.",
    ),
    problem: Described(
      OrNull(Type.String()),
      "Current problem with backups; `null` if there is none, or if no backups are created.",
      null,
    ),
  },
  { description: "Backups of the installation. `/v1/backups` lists all of them." },
);

const About = Type.Object(
  {
    version: Type.String({ description: "Version of this server.", examples: ["1.0.0"] }),
    licence: Type.String({ description: "Licence of the software.", examples: ["Apache-2.0"] }),
    startedAt: Described(DateTime, "When the server was started."),
    uptimeSeconds: Count("Uptime of the server in seconds.", 3_600),
    database: Type.Object(
      {
        isEmbedded: Flag("True for the embedded database; false for an external one."),
        version: Type.String({ description: "PostgreSQL version.", examples: ["18.1"] }),
        sizeBytes: Bytes("Size of the database on disk, in bytes.", 48_000_000),
      },
      { description: "The database." },
    ),
    disk: Type.Object(
      {
        freeBytes: Bytes("Free space in bytes.", 20_000_000_000),
        totalBytes: Bytes("Size of the disk in bytes.", 50_000_000_000),
      },
      { description: "The disk with the data folder." },
    ),
    retention: Type.Object(
      {
        resultsDays: Count("Days that results are retained.", 30),
        auditLogDays: Count("Days that audit log entries are retained.", 365),
      },
      { description: "Retention periods." },
    ),
    counts: Type.Object(
      {
        checks: Count("Number of checks of the account.", 12),
        channels: Count("Number of alert channels of the account.", 2),
        liveProbes: Count("Number of live probes of all accounts.", 1),
      },
      { description: "Counts of resources." },
    ),
    canSend: Type.Object(
      {
        mail: Flag("Whether a mail server is configured."),
        textMessages: Flag("Whether an SMS gateway is configured."),
        toPrivateAddresses: Flag("Whether alert channels may reach private and local addresses."),
      },
      { description: "What alert channels can use on this installation." },
    ),
    agent: Type.Object(
      {
        isBuiltIn: Flag(
          "Whether the agent answers without an external model, so that no data leaves this server.",
        ),
        model: Described(
          OrNull(Type.String()),
          "Name of the external model; `null` if there is none, or if the caller is not an admin.",
          null,
        ),
        host: Described(
          OrNull(Type.String()),
          "Host of the external model; `null` if there is none, or if the caller is not an admin.",
          null,
        ),
      },
      { description: "How the agent answers questions." },
    ),
    backups: Backups,
    health: Health,
  },
  { title: "About" },
);

export function addAboutRoutes(server: HttpServer, tools: AboutTools): void {
  const describe = createAbout(tools);
  server.get(
    "/v1/about",
    {
      config: { access: "read" },
      schema: {
        tags: ["Service"],
        operationId: "getAbout",
        summary: "Read the version, state and health of this installation",
        description:
          "Version, database, disk, retention and the health of background loops. " +
          "Sizes are at most half a minute old. Contains no secret.",
        response: answers({ 200: About }),
      },
    },
    ({ caller }) => describe(caller),
  );
}

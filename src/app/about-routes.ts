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
    isReady: Flag("Whether the server can do its work, as `/readyz` says."),
    problems: Type.Array(Type.String(), {
      description: "What does not get on, in words; some of it leaves the server ready.",
      examples: [[]],
    }),
    loops: Type.Array(
      Type.Object({
        name: Type.String({ description: "What it does.", examples: ["deliver alerts"] }),
        isEssential: Flag("Whether the server is of no use while this stands still."),
        errors: Count("How many turns have failed since the start.", 0),
        lastSuccessAt: Described(OrNull(DateTime), "When a turn last succeeded; null: none yet."),
        stuckSince: Described(
          OrNull(DateTime),
          "Since when it has not got on; null while it does.",
          null,
        ),
      }),
      { description: "The work in the background." },
    ),
  },
  { description: "How it is doing." },
);

const Backups = Type.Object(
  {
    isScheduled: Flag("Whether this server makes backups by itself."),
    lastSuccessAt: Described(OrNull(DateTime), "The moment that the newest one is of."),
    lastSizeBytes: Described(OrNull(Type.Number()), "Its size, in bytes.", 48_000_000),
    lastDurationSeconds: Described(OrNull(Type.Number()), "How long it took, in seconds.", 12.5),
    lastVerifiedAt: Described(
      OrNull(DateTime),
      "When one was last restored into a scratch database and compared.",
    ),
    problem: Described(
      OrNull(Type.String()),
      "What is wrong with backups, in words; null: nothing, or none are made.",
      null,
    ),
  },
  { description: "Backups that the servers make. `/v1/backups` has all of them." },
);

const About = Type.Object(
  {
    version: Type.String({ description: "The version of this server.", examples: ["1.0.0"] }),
    licence: Type.String({ description: "Its licence.", examples: ["Apache-2.0"] }),
    startedAt: Described(DateTime, "When it was started."),
    uptimeSeconds: Count("For how long it has run, in seconds.", 3_600),
    database: Type.Object(
      {
        isEmbedded: Flag("True: the database that comes with the server; false: one of your own."),
        version: Type.String({ description: "The version of PostgreSQL.", examples: ["18.1"] }),
        sizeBytes: Bytes("Its size on disk, in bytes.", 48_000_000),
      },
      { description: "The database." },
    ),
    disk: Type.Object(
      {
        freeBytes: Bytes("What is free, in bytes.", 20_000_000_000),
        totalBytes: Bytes("Its size, in bytes.", 50_000_000_000),
      },
      { description: "The disk with the data folder." },
    ),
    retention: Type.Object(
      {
        resultsDays: Count("Days that results are kept.", 30),
        auditLogDays: Count("Days that entries of the audit log are kept.", 365),
      },
      { description: "How long things are kept." },
    ),
    counts: Type.Object(
      {
        checks: Count("The account's checks.", 12),
        channels: Count("The account's alert channels.", 2),
        liveProbes: Count("Probes that are alive, of all accounts.", 1),
      },
      { description: "How many there are." },
    ),
    canSend: Type.Object(
      {
        mail: Flag("Whether a mail server is set."),
        textMessages: Flag("Whether a gateway for text messages is set."),
        toPrivateAddresses: Flag("Whether channels may reach private and local addresses."),
      },
      { description: "What alert channels can use here." },
    ),
    agent: Type.Object(
      {
        isBuiltIn: Flag("True: the agent answers by itself and nothing leaves this server."),
        model: Described(
          OrNull(Type.String()),
          "The model outside that is asked; null: none, or the caller is no admin.",
          null,
        ),
        host: Described(
          OrNull(Type.String()),
          "Where that model is; null: none, or the caller is no admin.",
          null,
        ),
      },
      { description: "Who answers questions." },
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
        summary: "Read what this installation is and how it is doing",
        description:
          "Version, database, disk, retention and the health of the work in the background. " +
          "Sizes are at most half a minute old. Contains no secret.",
        response: answers({ 200: About }),
      },
    },
    ({ caller }) => describe(caller),
  );
}

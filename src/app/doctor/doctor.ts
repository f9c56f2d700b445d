import { resolve } from "node:path";
import { Type } from "typebox";
import { type Caller, hasSeveralAccounts, requireAccess } from "../../access/accounts/index.ts";
import { decideBackupSettings, readBackupStanding } from "../../as-code/backups/index.ts";
import { listNatsLogins } from "../../checks/locations/index.ts";
import type { Config } from "../../config.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { Encryption, findKeyText } from "../../platform/encryption.ts";
import { answers, DateTime, Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { createMailer } from "../../platform/mail.ts";
import { listPendingMigrations } from "../../platform/migrations.ts";
import type { RecreatedStream } from "../../platform/nats/nats-streams.ts";
import { findKeyFit } from "../../platform/sealing-key.ts";
import { listReachFaults } from "../../response/alerting/index.ts";
import { listGapWarnings } from "../../response/on-call/index.ts";
import {
  diagnoseBloat,
  diagnoseClock,
  diagnoseConnections,
  diagnoseDamage,
  diagnoseOldTransactions,
  diagnoseQuarantine,
  diagnoseServers,
  diagnoseVersion,
  judgeBackups,
} from "./diagnose-database.ts";
import {
  diagnoseDisk,
  diagnoseFiles,
  diagnoseMail,
  diagnoseMemory,
  diagnoseNames,
  diagnoseScripts,
  diagnoseTimeService,
  diagnoseZone,
  gatherPingFacts,
  judgePing,
} from "./diagnose-machine.ts";
import {
  diagnoseBus,
  diagnoseNatsAccounts,
  judgeRecreatedStreams,
  judgeStranger,
} from "./diagnose-nats.ts";
import {
  areas,
  type Diagnosis,
  type Diagnostic,
  type Finding,
  findingsOf,
  levels,
  runDiagnostics,
} from "./finding.ts";

const DiagnosisSchema = Type.Object(
  {
    level: Described(OneOf([...levels]), "Level of the worst finding."),
    lookedAt: Described(DateTime, "When the diagnosis was made; at most half a minute ago."),
    findings: Type.Array(
      Type.Object({
        area: Described(OneOf([...areas]), "Area of the finding."),
        level: Described(
          OneOf([...levels]),
          "`fail`: something does not work; `warn`: a risk or a future failure; `ok`: no problem.",
        ),
        sentence: Type.String({
          description: "Human-readable description.",
          examples: ["PostgreSQL 18.4 answers."],
        }),
        fix: Described(
          OrNull(Type.String()),
          "Command or setting that fixes it; `null` if there is nothing to do.",
          null,
        ),
      }),
      { description: "All findings, the worst first." },
    ),
  },
  { title: "Diagnosis" },
);

const keptMs = 30_000;

/**
 * Returns a function that diagnoses the installation. The diagnosis is cached for half a minute,
 * because it connects to mail, NATS and DNS servers.
 */
export function createDoctor(listDiagnostics: () => readonly Diagnostic[], clock: Clock) {
  let known: Promise<Diagnosis & { readonly lookedAt: string }> | null = null;
  let lookedAtMs = 0;
  return (caller: Caller) => {
    requireAccess(caller, "admin");
    const nowMs = clock.nowMs();
    if (known !== null && nowMs >= lookedAtMs && nowMs - lookedAtMs < keptMs) return known;
    lookedAtMs = nowMs;
    const lookedAt = clock.now().toISOString();
    known = runDiagnostics(listDiagnostics()).then((diagnosis) => ({ ...diagnosis, lookedAt }));
    return known;
  };
}

export function addDoctorRoutes(
  server: HttpServer,
  examine: ReturnType<typeof createDoctor>,
): void {
  server.get(
    "/v1/doctor",
    {
      config: { access: "admin" },
      schema: {
        tags: ["Service"],
        operationId: "getDiagnosis",
        summary: "Diagnose the installation",
        description:
          "Diagnoses the machine, the database, the network, the backups and the servers, with instructions " +
          "for each problem. `vedette doctor` does the same without a running server. Contains no secret.",
        response: answers({ 200: DiagnosisSchema }),
      },
    },
    async ({ caller }) => {
      const { level, lookedAt, findings } = await examine(caller);
      return { level, lookedAt, findings: [...findings] };
    },
  );
}

const database = findingsOf("Database");
const checks = findingsOf("Checks");
const onCall = findingsOf("On call");

/**
 * Lists the diagnostics of this machine and its network, which need neither a database nor a
 * server.
 */
export function listMachineDiagnostics(config: Config): readonly Diagnostic[] {
  const machine = "Machine" as const;
  const { PUBLIC_URL, BACKUP_DIR, SMTP_URL } = config;
  const host = URL.parse(PUBLIC_URL ?? "")?.hostname ?? "example.com";
  return [
    {
      name: "Data disk",
      area: machine,
      run: () => diagnoseDisk(resolve(config.DATA_DIR), "DATA_DIR"),
    },
    ...(BACKUP_DIR === undefined
      ? []
      : [
          {
            name: "Backup disk",
            area: machine,
            run: () => diagnoseDisk(BACKUP_DIR, "BACKUP_DIR"),
          },
        ]),
    { name: "Memory", area: machine, run: diagnoseMemory },
    { name: "Open files", area: machine, run: diagnoseFiles },
    { name: "Time zone", area: machine, run: async () => diagnoseZone() },
    { name: "Time service", area: machine, run: diagnoseTimeService },
    { name: "Pings", area: "Checks", run: async () => [judgePing(await gatherPingFacts())] },
    { name: "Scripts", area: "Checks", run: () => diagnoseScripts(config) },
    { name: "Names", area: "Network", run: () => diagnoseNames(host) },
    { name: "Mail", area: "Network", run: () => diagnoseMail(SMTP_URL) },
    { name: "NATS", area: "Network", run: () => diagnoseBus(config.NATS_URL) },
  ];
}

async function diagnoseMigrations(db: Database): Promise<readonly Finding[]> {
  const pending = await listPendingMigrations(db);
  if (pending.length === 0) return [database.ok("The database schema is up to date.")];
  const names = pending.slice(0, 3).join(", ");
  return [
    database.warn(
      `${pending.length} migrations are pending (${names}).`,
      "`npm start` applies them, or `npm run vedette migrate`.",
    ),
  ];
}

async function diagnoseKey(db: Database, config: Config): Promise<readonly Finding[]> {
  const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  const encryption = text === null ? null : new Encryption(Buffer.from(text, "base64"));
  const fits = await findKeyFit(db, encryption);
  if (fits === null) return [database.ok("The database has no encrypted secrets yet.")];
  if (fits) {
    return [database.ok("The encryption key decrypts the secrets of this database.")];
  }
  return [
    database.fail(
      "The encryption key does not decrypt the secrets of this database.",
      "Restore encryption.key in DATA_DIR, or set ENCRYPTION_KEY. If it is lost: `npm run vedette accept-key`.",
    ),
  ];
}

/**
 * Lists members on call whom no page can reach, and accounts where a page that reaches nobody is
 * lost. A contact method counts only if this server can deliver to it. For example, email needs a
 * configured mail server.
 */
async function listFaultsOfReach(db: Database, config: Config, clock: Clock) {
  const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
  if (text === null) return [];
  const { SMTP_URL: url, MAIL_FROM: from, SMS_GATEWAY_URL: gatewayUrl } = config;
  const mailer = url === undefined ? null : createMailer({ url, from });
  const smsGateway = gatewayUrl === undefined ? null : { url: gatewayUrl, token: null };
  const encryption = new Encryption(Buffer.from(text, "base64"));
  try {
    return await listReachFaults({ db, clock, encryption, sendTools: { mailer, smsGateway } });
  } finally {
    mailer?.close();
  }
}

async function diagnoseReach(db: Database, config: Config, clock: Clock) {
  const faults = await listFaultsOfReach(db, config, clock);
  if (faults.length > 0 && (await hasSeveralAccounts(db))) {
    const fix = "Add contact methods and a fallback channel; see docs/on-call.md.";
    return [onCall.warn(`${faults.length} members or accounts cannot be reached by pages.`, fix)];
  }
  return faults.slice(0, 20).map(({ sentence, fix }) => onCall.warn(sentence, fix));
}

/**
 * Reports gaps in on-call schedules. If the installation has several accounts, only the number of
 * affected schedules is reported, because admins of other accounts must not see schedule names.
 */
async function diagnoseOnCall(db: Database, clock: Clock): Promise<readonly Finding[]> {
  const warnings = await listGapWarnings({ db, clock });
  const fix = "Add an override, or a layer below the others; see docs/on-call.md.";
  if (warnings.length > 0 && (await hasSeveralAccounts(db))) {
    const count = `${warnings.length} on-call ${warnings.length === 1 ? "schedule has" : "schedules have"}`;
    return [onCall.warn(`${count} times within 14 days when nobody is on call.`, fix)];
  }
  return warnings
    .slice(0, 20)
    .map(({ scheduleName, sentence }) => onCall.warn(`${scheduleName}: ${sentence}`, fix));
}

async function diagnoseBackups(db: Database, config: Config, clock: Clock) {
  const settings = decideBackupSettings(config);
  const { standing, problem } = await readBackupStanding(db, clock.nowMs(), settings);
  return judgeBackups(standing, problem, {
    ...settings,
    hasPassphrase: config.BACKUP_PASSPHRASE !== undefined,
  });
}

export function listDatabaseDiagnostics(
  config: Config,
  db: Database,
  clock: Clock,
): readonly Diagnostic[] {
  const diagnostic = (name: string, run: Diagnostic["run"]): Diagnostic => ({
    name,
    area: "Database",
    run,
  });
  return [
    diagnostic("PostgreSQL version", () => diagnoseVersion(db)),
    diagnostic("Clock", () => diagnoseClock(db, Date.now)),
    diagnostic("Connections", () => diagnoseConnections(db)),
    diagnostic("Bloat", () => diagnoseBloat(db)),
    diagnostic("Damage", () => diagnoseDamage(db)),
    diagnostic("Open transactions", () => diagnoseOldTransactions(db)),
    diagnostic("Quarantined work", () => diagnoseQuarantine(db)),
    diagnostic("Migrations", () => diagnoseMigrations(db)),
    diagnostic("Encryption key", () => diagnoseKey(db, config)),
    {
      name: "Servers",
      area: "Servers",
      run: () => diagnoseServers(db, clock, config.NATS_URL !== undefined),
    },
    { name: "On call", area: "On call", run: () => diagnoseOnCall(db, clock) },
    { name: "Contact methods", area: "On call", run: () => diagnoseReach(db, config, clock) },
    { name: "Backups", area: "Backups", run: () => diagnoseBackups(db, config, clock) },
    {
      name: "NATS accounts",
      area: "Network",
      run: async () =>
        config.NATS_URL === undefined
          ? []
          : diagnoseNatsAccounts(config.NATS_URL, await listNatsLogins(db)),
    },
  ];
}

/** Lists the diagnostics that only a running server can perform. */
export function listServerDiagnostics(parts: {
  readonly warnings: readonly string[];
  readonly checkHealth: () => Promise<{ readonly problems: readonly string[] }>;
  /** Returns when a client without a valid key last sent a hello over NATS; `null` if never. */
  readonly strangerAt: () => Date | null;
  readonly listRecreatedStreams: () => readonly RecreatedStream[];
}): readonly Diagnostic[] {
  return [
    { name: "NATS users", area: "Network", run: async () => judgeStranger(parts.strangerAt()) },
    {
      name: "NATS streams",
      area: "Network",
      run: async () => judgeRecreatedStreams(parts.listRecreatedStreams()),
    },
    {
      name: "The probe",
      area: "Checks",
      run: async () =>
        parts.warnings.map((warning) => {
          const [first = "", ...rest] = warning.split("\n");
          return checks.fail(first, rest.join("\n"));
        }),
    },
    {
      name: "Health",
      area: "Servers",
      run: async () => {
        const { problems: all } = await parts.checkHealth();
        // Overload is omitted here, because `diagnoseServers` reports it with instructions.
        const problems = all.filter((problem) => !problem.startsWith("overloaded:"));
        const { ok, fail } = findingsOf("Servers");
        if (problems.length === 0) return [ok("All background loops make progress.")];
        const advice = "See the log for the cause; /metrics has metrics of each loop.";
        return problems.map((problem) => fail(`Not well: ${problem}.`, advice));
      },
    },
  ];
}

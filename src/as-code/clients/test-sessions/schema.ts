import { Type } from "typebox";
import { SharedFiles } from "../../../checks/checks/index.ts";
import { defaultType } from "../../../kinds/index.ts";
import { formatTestSessionUrl } from "../../../pages/screens.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorPage,
  CursorQuery,
  DateTime,
  Described,
  Guid,
  Matching,
  OneOf,
  OrNull,
  toCursorPage,
} from "../../../platform/http/schema.ts";
import type { TestReport } from "./actions.ts";
import type { SentJob } from "./test-session.ts";
import {
  decideTestStatus,
  findStoppedAt,
  resultStatuses,
  type TestResult,
} from "./test-session.ts";

/** Maximum number of checks in one session. */
const maxChecks = 200;

const Key = Matching("^[\\w#./-]{1,255}$", "must be 1 to 255 letters, digits and -_/#.");
const Part = Matching("^[\\w-]{1,100}$", "must be 1 to 100 letters, digits, - and _");
const Tag = Type.String({ maxLength: 255 });

const RunLocation = Type.Optional(
  Type.Union(
    [
      Type.Object({
        type: Type.Literal("PUBLIC", { description: "A public location." }),
        region: Described(Part, "Its name.", "eu-west-1"),
      }),
      Type.Object({
        type: Type.Literal("PRIVATE", { description: "A private location." }),
        slugName: Described(Part, "Its slug.", "office"),
      }),
    ],
    { description: "Where to run: a public location, or a private one by its slug." },
  ),
);

const sessionFields = {
  name: Type.String({ description: "Name of the session.", minLength: 1, maxLength: 255 }),
  runLocation: RunLocation,
  shouldRecord: Type.Boolean({ description: "Whether lists show the session.", default: true }),
  repoInfo: Described(
    Type.Optional(OrNull(Type.Object({}, { maxProperties: 20 }))),
    "Commit and branch; stored as sent.",
  ),
  environment: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 255 }))),
    "Name of the environment.",
  ),
};

export const RunBody = Type.Object(
  {
    ...sessionFields,
    checkRunJobs: Type.Unsafe<SentJob[]>(
      Type.Array(
        Type.Object({
          logicalId: Described(Key, "The check's name in the project.", "home-page"),
          filePath: Described(
            Type.Optional(OrNull(Type.String({ maxLength: 2_000 }))),
            "File that defines it.",
          ),
          sourceInfo: Type.Object(
            {
              checkRunSuiteId: Described(Part, "Part of the topic of its events."),
              checkRunId: Described(Part, "Part of the topic of its events."),
            },
            { description: "Identifies the run in events." },
          ),
        }),
        {
          description: "The checks: bodies of `POST /v1/checks` with these fields.",
          minItems: 1,
          maxItems: maxChecks,
        },
      ),
    ),
    sharedFiles: Type.Optional(SharedFiles),
    streamLogs: Type.Boolean({
      description: "Whether events have what scripts write, and their tests, while they run.",
      default: false,
    }),
  },
  { title: "TestSessionInput" },
);

export const TriggerBody = Type.Object(
  {
    ...sessionFields,
    checkRunSuiteId: Described(Part, "Part of the topic of the events."),
    targetTags: Type.Optional(
      Type.Array(Type.Array(Tag, { maxItems: 20 }), {
        description: "Checks with all tags of one of these lists.",
        maxItems: 20,
      }),
    ),
    checkId: Type.Optional(
      Type.Array(Guid, { description: "Ids of checks.", maxItems: maxChecks }),
    ),
  },
  { title: "TestTriggerInput" },
);

export function readLocation({ runLocation }: Pick<Type.Static<typeof RunBody>, "runLocation">) {
  if (runLocation === undefined) return null;
  return runLocation.type === "PUBLIC" ? runLocation.region : runLocation.slugName;
}

const Ids = (description: string) =>
  Type.Record(Type.String(), Guid, { description, examples: [{}] });

export const StartedAnswer = Type.Object(
  {
    schedulingId: Described(Guid, "Id for waiting until the runs are scheduled."),
    testSessionId: Described(Guid, "The session's id."),
    testResultIds: Ids("Ids of the results, by logical id or check id."),
    sequenceIds: Ids("Parts of the topics of the events, by logical id or check id."),
    checks: Type.Array(
      Type.Object({
        id: Type.String({ description: "Logical id or check id.", examples: ["home-page"] }),
        name: Type.String({ description: "Name of the check.", examples: ["Home page"] }),
        checkType: Type.String({ description: "Its kind.", examples: [defaultType] }),
      }),
      { description: "The checks that run." },
    ),
  },
  { title: "StartedTestSession" },
);

export const TestSessionParams = Type.Object({
  testSessionId: Described(Guid, "The session's id."),
});
export const TestResultParams = Type.Object({
  testSessionId: Described(Guid, "The session's id."),
  testResultId: Described(Guid, "The result's id."),
});
export const TestListQuery = Type.Object(CursorQuery);

const WebUrl = (description: string) =>
  Type.String({ description, examples: ["https://vedette.example.com/test-sessions/…"] });
const Status = Described(OneOf(resultStatuses), "RUNNING until it has ended.", "PASSED");
const StoppedAt = Described(OrNull(DateTime), "When it ended; `null` if it has not.");
const StartedAt = Described(DateTime, "When it began.");

export const TestResultSchema = Type.Object(
  {
    testSessionResultId: Described(Guid, "The result's id."),
    testSessionResultLink: WebUrl("Its row in the web application."),
    checkId: Described(OrNull(Guid), "The check; `null` if it was not saved."),
    checkType: Type.String({ description: "The kind of check.", examples: [defaultType] }),
    name: Type.String({ description: "Name of the check.", examples: ["Home page"] }),
    filePath: Described(OrNull(Type.String()), "File that defines it.", null),
    status: Status,
    resultType: Described(OneOf(["FINAL", "PENDING"]), "PENDING until it has ended.", "FINAL"),
    hasErrors: Type.Boolean({ description: "True if nothing was measured." }),
    hasFailures: Type.Boolean({ description: "True if the run failed." }),
    isDegraded: Type.Boolean({ description: "True if the run is degraded." }),
    isCancelled: Type.Boolean({ description: "True if it was cancelled." }),
    aborted: Type.Boolean({ description: "Always false." }),
    error: Described(OrNull(Type.String()), "Why it failed; `null` if it did not.", null),
    errorGroupIds: Type.Array(Type.String(), { description: "Always empty.", examples: [[]] }),
    responseTime: Described(OrNull(Type.Number()), "Response time in milliseconds.", 12.4),
    startedAt: Described(OrNull(DateTime), "When it began; `null` if it has not."),
    stoppedAt: StoppedAt,
  },
  { title: "TestSessionResult" },
);

const common = {
  name: Type.String({ description: "Name of the session.", examples: ["Website"] }),
  status: Status,
  startedAt: StartedAt,
  stoppedAt: StoppedAt,
  errorGroupIds: Type.Array(Type.String(), { description: "Always empty.", examples: [[]] }),
};
export const TestSessionSchema = Type.Object(
  {
    testSessionId: Described(Guid, "The session's id."),
    testSessionLink: WebUrl("Its screen in the web application."),
    ...common,
    timeElapsed: Type.Number({ description: "Milliseconds since it began.", examples: [5120] }),
    results: Type.Array(TestResultSchema, { description: "One result per check." }),
  },
  { title: "TestSession" },
);

const IdList = (description: string) => Type.Array(Guid, { description });
const TestSessionEntry = Type.Object(
  {
    id: Described(Guid, "The session's id."),
    ...common,
    provider: Described(OneOf(["CLI", "TRIGGER"]), "TRIGGER if existing checks ran.", "CLI"),
    region: Type.String({ description: "Where it ran.", examples: ["eu-west-1"] }),
    invoker: Type.Object(
      { name: Type.String({ description: "User or key.", examples: ["ada@example.com"] }) },
      { description: "Who started it." },
    ),
    running: IdList("Results that are running."),
    passed: IdList("Results that passed."),
    failed: IdList("Results that failed."),
    cancelled: IdList("Results that were cancelled."),
    created_at: Described(DateTime, "When it began."),
  },
  { title: "TestSessionEntry" },
);
export const TestSessionPage = CursorPage(TestSessionEntry);

export function toWireResult(publicUrl: string, result: TestResult) {
  const { id, sessionId, status, error, document, startedAt, stoppedAt } = result;
  const { checkId, checkType, name, filePath, isDegraded, responseMs } = result;
  const hasFailures = status === "FAILED";
  return {
    testSessionResultId: id,
    testSessionResultLink: formatTestSessionUrl(publicUrl, sessionId, id),
    ...{ checkId, checkType, name, filePath, status, isDegraded, error, hasFailures },
    resultType: status === "RUNNING" ? ("PENDING" as const) : ("FINAL" as const),
    hasErrors: hasFailures && document === null,
    isCancelled: status === "CANCELLED",
    aborted: false,
    errorGroupIds: [],
    responseTime: responseMs,
    startedAt: startedAt && formatDateTime(startedAt),
    stoppedAt: stoppedAt && formatDateTime(stoppedAt),
  };
}

function describeReport({ session, results }: TestReport) {
  const status = decideTestStatus(results);
  const stoppedAt = status === "RUNNING" ? null : findStoppedAt(results);
  const { name, startedAt } = session;
  return {
    ...{ name, status, errorGroupIds: [] },
    startedAt: formatDateTime(startedAt),
    stoppedAt: stoppedAt && formatDateTime(stoppedAt),
  };
}

export function toWireReport(publicUrl: string, report: TestReport, nowMs: number) {
  const { session, results } = report;
  const { stoppedAt, ...shared } = describeReport(report);
  const endMs = stoppedAt === null ? nowMs : Date.parse(stoppedAt);
  return {
    testSessionId: session.id,
    testSessionLink: formatTestSessionUrl(publicUrl, session.id),
    ...{ ...shared, stoppedAt },
    timeElapsed: Math.max(0, endMs - session.startedAt.getTime()),
    results: results.map((result) => toWireResult(publicUrl, result)),
  };
}

export function toWirePage(reports: readonly TestReport[], limit: number) {
  const entries = reports.map((report) => {
    const { session, results } = report;
    const idsOf = (wanted: string) =>
      results.filter(({ status }) => status === wanted).map(({ id }) => id);
    return {
      id: session.id,
      ...describeReport(report),
      provider: session.provider,
      region: session.location,
      invoker: { name: session.invoker },
      ...{ running: idsOf("RUNNING"), passed: idsOf("PASSED") },
      ...{ failed: idsOf("FAILED"), cancelled: idsOf("CANCELLED") },
      created_at: formatDateTime(session.startedAt),
    };
  });
  return toCursorPage(entries, limit);
}

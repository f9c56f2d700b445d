import { Type } from "typebox";
import { embedSharedFiles, SharedFiles } from "../../checks/checks/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import {
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Matching,
  Name,
  OneOf,
  OrNull,
  RowId,
} from "../../platform/http/schema.ts";
import { type Deployment, deploymentStatuses } from "./deployment-store.ts";
import type { ProjectRequest } from "./desired-state.ts";
import type { AccountExport } from "./export.ts";
import {
  type DesiredResource,
  type Fields,
  logicalIdPattern,
  maxResources,
  nameResource,
  type ResourceType,
  resourceTypes,
} from "./resource.ts";
import type { Project, ResourceOwner } from "./store.ts";
import { DiffSchema, toWireId, type WireDiff } from "./wire-diff.ts";

/** Maximum uncompressed size of a project, in bytes. */
export const maxProjectBytes = 16 * 1024 * 1024;

export const LogicalId = Matching(
  logicalIdPattern,
  "must be letters, digits and the characters _ - / # .",
  {
    minLength: 1,
    maxLength: 255,
  },
);
const ResourceBody = Type.Object({
  logicalId: Described(LogicalId, "Its name in the code, unique for its type.", "ping-router"),
  type: Type.Enum([...resourceTypes], { type: "string", description: "The type of resource." }),
  member: Type.Optional(
    Type.Boolean({ description: "If false, the project only refers to it by `physicalId`." }),
  ),
  physicalId: Described(
    Type.Optional(OrNull(Type.Union([Type.String({ maxLength: 256 }), RowId]))),
    "Id of an object of the account: one that the project only refers to, or with a payload one " +
      "that it adopts. Without effect if the project owns the resource already.",
  ),
  sourceFile: Described(
    Type.Optional(OrNull(Type.String({ maxLength: 1_000 }))),
    "The file that describes it.",
  ),
  payload: Described(
    Type.Optional(OrNull(Type.Object({}, { additionalProperties: true }))),
    "The body that creates it, with references as `{ref: logicalId}`.",
  ),
});

export const ProjectBody = Type.Object(
  {
    project: Type.Object(
      {
        logicalId: Described(LogicalId, "Identifies the project in the account.", "network"),
        name: Described(Name, "Its name.", "Network"),
        repoUrl: Described(
          Type.Optional(OrNull(Type.String({ maxLength: 2_048 }))),
          "Address of its repository.",
        ),
      },
      { description: "The project." },
    ),
    resources: Type.Array(ResourceBody, {
      maxItems: maxResources,
      description: "Everything that the project owns or refers to.",
    }),
    sharedFiles: Type.Optional(SharedFiles),
  },
  { title: "ProjectInput" },
);
export type ProjectBody = Type.Static<typeof ProjectBody>;

const Flag = (description: string, value = false) => Type.Boolean({ description, default: value });

const Limit = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const planQuery = {
  preserveResources: Flag("Detach resources that are missing from the list, do not delete them."),
  keepResources: Flag("Leave resources that are missing from the list as they are."),
  pruneRelations: Flag(
    "Remove subscriptions and private locations of its checks and groups that no project owns.",
  ),
};
export const PreviewQuery = Type.Object({
  ...planQuery,
  detail: Described(
    Type.Optional(OneOf(["summary", "changes", "full"])),
    "`changes` lists the properties that change, `full` also the stored resource.",
  ),
});
export const DeployQuery = Type.Object({
  ...planQuery,
  dryRun: Flag("Only plan: store nothing."),
  scheduleOnDeploy: Flag("Run new and changed checks after the deployment."),
  scheduleOnDeployScope: Described(
    Type.Optional(OneOf(["changed", "all"])),
    "Which checks run after the deployment.",
  ),
  scheduleOnDeployThreshold: Limit(maxResources, "If more checks would run, none does."),
  scheduleOnDeployMinFrequency: Limit(1_440, "Minutes. More frequent checks are left out."),
  planToken: Type.Optional(
    Type.String({
      maxLength: 200,
      description: "`planToken` of a plan. If the account has changed since, the deployment fails.",
    }),
  ),
});
export const DeleteQuery = Type.Object({
  preserveResources: planQuery.preserveResources,
  dryRun: Flag("Only plan: store nothing."),
});

export const ProjectParams = Type.Object({
  logicalId: Described(LogicalId, "Identifies the project in the account."),
});
export const DeploymentParams = Type.Object({
  logicalId: Described(LogicalId, "Identifies the project in the account."),
  id: Described(Guid, "The deployment's id."),
});
export const CompletionQuery = Type.Object({
  maxWaitSeconds: Type.Integer({
    description: "How long to wait for the end of the deployment.",
    minimum: 0,
    maximum: 30,
    default: 30,
  }),
});
export const OwnersQuery = Type.Object({
  type: Described(Type.Optional(OneOf([...resourceTypes])), "Only resources of this type."),
  physicalId: Type.Optional(
    Type.String({ maxLength: 200, description: "Only the resource with this id." }),
  ),
  project: Type.Optional(
    Type.String({ maxLength: 255, description: "Only resources of the project with this id." }),
  ),
});

export const ProjectSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Network"] }),
    logicalId: Type.String({ description: "Identifies it in the account.", examples: ["network"] }),
    repoUrl: Described(OrNull(Type.String()), "Address of its repository; `null` if none.", null),
    createdAt: CreatedAt,
    updatedAt: Described(DateTime, "Time of the last deployment."),
  },
  { title: "Project" },
);
export const ProjectList = Type.Array(
  Type.Object({
    ...ProjectSchema.properties,
    resourceCount: Type.Integer({ description: "Number of resources that it owns." }),
  }),
);

export const PlanSchema = Type.Object(
  {
    project: Described(OrNull(ProjectSchema), "The project; `null` if it does not exist yet."),
    planToken: Type.String({
      description: "Stands for the state of the account that the plan was made for.",
      examples: ["v1.9J4Zk3"],
    }),
    diff: DiffSchema,
  },
  { title: "Plan" },
);
export const DryRunSchema = Type.Object(
  { project: PlanSchema.properties.project, diff: DiffSchema },
  { title: "DryRun" },
);

export const DeploymentSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    logicalId: Type.String({ description: "The project's logical id.", examples: ["network"] }),
    status: Described(OneOf([...deploymentStatuses]), "Its status."),
    dryRun: Type.Boolean({ description: "Always false." }),
    progress: Type.Integer({ description: "In percent.", examples: [100] }),
    error: Described(
      OrNull(
        Type.Object({
          code: Type.String({ description: "Machine-readable reason.", examples: ["PLAN_STALE"] }),
          message: Type.String({ description: "Names the resource and the field." }),
        }),
      ),
      "Why it failed; `null` otherwise.",
      null,
    ),
    result: Described(
      OrNull(
        Type.Object({
          project: Described(OrNull(ProjectSchema), "The project; `null` if nothing changed."),
          diff: DiffSchema,
        }),
      ),
      "What it changed; `null` before its end.",
      null,
    ),
    scheduleOnDeploy: Type.Boolean({
      description: "Whether checks run after it. False at the end if none was to run.",
    }),
    createdAt: CreatedAt,
    startedAt: Described(OrNull(DateTime), "When it started; `null` if it has not.", null),
    endedAt: Described(OrNull(DateTime), "When it ended; `null` if it has not.", null),
    cancelRequestedAt: Described(
      OrNull(DateTime),
      "When its end was requested; `null` if never.",
      null,
    ),
  },
  { title: "Deployment" },
);
export const DeploymentList = Type.Array(DeploymentSchema);

export const BusySchema = Type.Object(
  {
    statusCode: Type.Integer({ description: "409.", examples: [409] }),
    error: Type.String({ description: "The reason phrase.", examples: ["Conflict"] }),
    message: Type.String({ description: "What happened." }),
    deploymentId: Described(Guid, "The active deployment of the project."),
    retryAfter: Type.Integer({ description: "Seconds to wait.", examples: [2] }),
  },
  { title: "DeploymentInProgress" },
);

export const DeploymentEvents = Type.Unsafe<string>({
  description:
    "`progress` events with the percentage, then `complete` with the deployment. The stream ends " +
    "with the deployment.",
  content: {
    "text/event-stream": {
      schema: Type.String({ description: "Server-sent events; the data of each is JSON." }),
    },
    "application/x-ndjson": {
      schema: Type.String({ description: "One line per event; `event` is its name." }),
    },
  },
});

export const ExportQuery = Type.Object({
  project: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Only resources of the project with this id; with `adopt`, the project to be.",
    }),
  ),
  adopt: Flag("Only resources without a project, with their ids, so that a project adopts them."),
});
export const ExportSchema = Type.Object(
  {
    project: ProjectBody.properties.project,
    resources: Type.Array(Type.Pick(ResourceBody, ["type", "logicalId", "physicalId", "payload"]), {
      description: "As a deployment accepts them. A secret is `{$secret: name}`.",
    }),
    variables: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name of the variable.", examples: ["CHECK_WEB_TOKEN"] }),
        type: Described(OneOf([...resourceTypes]), "Type of the resource with the secret."),
        logicalId: Type.String({ description: "Name of that resource.", examples: ["web"] }),
        path: Type.String({ description: "The field.", examples: ["config.url"] }),
      }),
      { description: "The secrets, which an export does not contain." },
    ),
  },
  { title: "ProjectExport" },
);

export const OwnerList = Type.Array(
  Type.Object(
    {
      type: Described(OneOf([...resourceTypes]), "The type of resource."),
      physicalId: Described(Type.Union([Type.Integer(), Type.String()]), "Its id."),
      logicalId: Type.String({ description: "Its name in the code." }),
      sourceFile: Described(OrNull(Type.String()), "The file that describes it.", null),
      project: Type.Object(
        {
          logicalId: Type.String({ description: "Identifies the project.", examples: ["network"] }),
          name: Type.String({ description: "Its name.", examples: ["Network"] }),
        },
        { description: "The project that owns it." },
      ),
    },
    { title: "OwnedResource" },
  ),
);

export function toWireProject({ id, name, logicalId, repoUrl, createdAt, updatedAt }: Project) {
  const times = { createdAt: formatDateTime(createdAt), updatedAt: formatDateTime(updatedAt) };
  return { id, name, logicalId, repoUrl, ...times };
}

/** Casts the diff. The schema does not describe changed values, because they may have any type. */
function toWireDiff(diff: readonly WireDiff[]): Type.Static<typeof DiffSchema> {
  return [...diff] as unknown as Type.Static<typeof DiffSchema>;
}

export function toWirePlan(plan: {
  readonly project: Project | null;
  readonly planToken: string;
  readonly diff: readonly WireDiff[];
}) {
  const { project, planToken, diff } = plan;
  return { project: project && toWireProject(project), planToken, diff: toWireDiff(diff) };
}

/** Casts the export. The schema does not describe payloads, because they may have any type. */
export function toWireExport(exported: AccountExport): Type.Static<typeof ExportSchema> {
  return exported as unknown as Type.Static<typeof ExportSchema>;
}

export function toWireOwner(owner: ResourceOwner) {
  const { type, physicalId, logicalId, sourceFile, projectLogicalId, projectName } = owner;
  const project = { logicalId: projectLogicalId, name: projectName };
  return { type, physicalId: toWireId(type, physicalId), logicalId, sourceFile, project };
}

export function toWireDeployment(deployment: Deployment) {
  const { id, logicalId, status, progress, error, result, schedules } = deployment;
  const time = (at: Date | null) => at && formatDateTime(at);
  return {
    id,
    logicalId,
    status,
    dryRun: false,
    progress,
    error,
    result: result && { project: result.project, diff: toWireDiff(result.diff) },
    scheduleOnDeploy: schedules,
    createdAt: formatDateTime(deployment.createdAt),
    startedAt: time(deployment.startedAt),
    endedAt: time(deployment.endedAt),
    cancelRequestedAt: time(deployment.cancelRequestedAt),
  };
}

/** Request parsers for the formats of existing clients and of `vedette apply`. */

function fromWireResource(
  resource: ProjectBody["resources"][number],
  sharedFiles: NonNullable<ProjectBody["sharedFiles"]>,
): DesiredResource {
  const {
    type,
    logicalId,
    member,
    physicalId = null,
    payload = null,
    sourceFile = null,
  } = resource;
  const isMember = member ?? payload !== null;
  const known = { type: type as ResourceType, logicalId, isMember, sourceFile };
  if (isMember && payload === null) throw nameResource(known, invalid("payload", "is required"));
  const fields = payload && embedFiles(known, payload as Fields, sharedFiles);
  return { ...known, payload: fields, physicalId: physicalId === null ? null : String(physicalId) };
}

function embedFiles(
  resource: Pick<DesiredResource, "type" | "logicalId">,
  payload: Fields,
  sharedFiles: NonNullable<ProjectBody["sharedFiles"]>,
): Fields {
  try {
    return embedSharedFiles(payload, sharedFiles);
  } catch (error) {
    throw nameResource(resource, error);
  }
}

export function fromWireRequest(
  { project, resources, sharedFiles = [] }: ProjectBody,
  query: {
    readonly preserveResources: boolean;
    readonly keepResources: boolean;
    readonly pruneRelations: boolean;
  },
): ProjectRequest {
  return {
    logicalId: project.logicalId,
    name: project.name,
    repoUrl: project.repoUrl ?? null,
    resources: resources.map((resource) => fromWireResource(resource, sharedFiles)),
    missing: query.keepResources ? "keep" : query.preserveResources ? "detach" : "delete",
    prunesRelations: query.pruneRelations,
  };
}

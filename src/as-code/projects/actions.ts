import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { rehearse } from "./apply.ts";
import { findSubscriber } from "./assignments.ts";
import type { ProjectsContext } from "./context.ts";
import { type Deployment, listDeployments, requestCancel } from "./deployment-store.ts";
import { type DeploymentOptions, readDeployment } from "./deployments.ts";
import type { ProjectRequest } from "./desired-state.ts";
import { listRedactions } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { type DesiredResource, keyOf } from "./resource.ts";
import {
  findProject,
  insertProject,
  listOwners,
  listProjects,
  type Project,
  type ResourceOwner,
} from "./store.ts";
import { type DiffDetail, toOldEntry, toWireEntry, type WireDiff } from "./wire-diff.ts";

export interface Plan {
  readonly project: Project | null;
  readonly planToken: string;
  readonly diff: readonly WireDiff[];
}

/**
 * Returns the check or group under which clients show a subscription or an assignment; `null` for
 * other resources.
 */
function findFolder(resource: DesiredResource) {
  if (resource.type !== "alert-channel-subscription") return findSubscriber(resource);
  const { checkId, groupId } = (resource.payload ?? {}) as Record<string, { ref?: string } | null>;
  if (checkId?.ref) return { type: "check" as const, logicalId: checkId.ref };
  return groupId?.ref ? { type: "check-group" as const, logicalId: groupId.ref } : null;
}

interface PlanQuery {
  readonly request: ProjectRequest;
  readonly detail: DiffDetail;
  /** Whether to find also the faults that a deployment meets only while it stores resources. */
  readonly rehearses: boolean;
}

/** Returns the changes that a request would make, without storing anything. */
export async function planProject(
  context: ProjectsContext,
  caller: Caller,
  { request, detail, rehearses }: PlanQuery,
): Promise<Plan> {
  // All queries of a plan share one transaction and thus one connection.
  return inTransaction(context.db, async (db) => {
    const tools = { context: { ...context, db }, caller };
    const plan = rehearses ? rehearse : prepare;
    const { project, planToken, entries, current } = await plan(tools, request);
    const byKey = new Map(request.resources.map((one) => [keyOf(one), one]));
    const diff = entries.map((entry): WireDiff => {
      const resource = byKey.get(keyOf(entry));
      const foldedInto = resource && findFolder(resource);
      const stored = detail === "full" ? current.get(keyOf(entry)) : undefined;
      return {
        ...toWireEntry(entry, detail),
        ...(stored && { redactions: listRedactions(stored) }),
        ...(foldedInto && { foldedInto }),
        ...(resource?.sourceFile && { sourceFile: resource.sourceFile }),
      };
    });
    return { project, planToken, diff };
  });
}

/** Converts a plan for old clients, which know fewer kinds of actions. */
export function toOldPlan({ diff, ...plan }: Plan): Plan {
  return { ...plan, diff: diff.map(toOldEntry) };
}

/**
 * Returns a request to delete or detach all resources of a project; `null` if there is no such
 * project.
 */
export async function requestDeletion(
  { db }: ProjectsContext,
  { accountId }: Caller,
  query: { readonly logicalId: string; readonly preserveResources: boolean },
): Promise<{ readonly request: ProjectRequest; readonly options: DeploymentOptions } | null> {
  const project = await findProject(db, accountId, query.logicalId);
  if (project === null) return null;
  const { logicalId, name, repoUrl } = project;
  return {
    request: {
      ...{ logicalId, name, repoUrl, resources: [], prunesRelations: false },
      missing: query.preserveResources ? "detach" : "delete",
    },
    options: { planToken: null, runsAfter: null, knowsPlans: false, deletesProject: true },
  };
}

export async function getProject(
  { db }: ProjectsContext,
  { accountId }: Caller,
  logicalId: string,
): Promise<Project> {
  const project = await findProject(db, accountId, logicalId);
  if (project === null) throw notFound();
  return project;
}

/** Maximum number of projects or owned resources in one response. */
const maxListed = 10_000;

export function listOwnProjects({ db }: ProjectsContext, { accountId }: Caller) {
  return listProjects(db, accountId, maxListed);
}

export function listResourceOwners(
  { db }: ProjectsContext,
  { accountId }: Caller,
  filter: Omit<Parameters<typeof listOwners>[2], "limit">,
): Promise<ResourceOwner[]> {
  return listOwners(db, accountId, { ...filter, limit: maxListed });
}

/** Creates a project without resources. */
export async function createProject(
  context: ProjectsContext,
  caller: Caller,
  { logicalId, name, repoUrl }: Pick<Project, "logicalId" | "name" | "repoUrl">,
): Promise<Project> {
  const at = context.clock.now();
  const project = { id: randomUUIDv7(), logicalId, name, repoUrl, createdAt: at, updatedAt: at };
  return inTransaction(context.db, async (db) => {
    if (!(await insertProject(db, caller.accountId, project))) {
      throw conflict(`the account has another project with the logical id ${logicalId}`);
    }
    const note = { action: "project.created", targetId: project.id, changes: { name }, at };
    await writeAuditEntry(db, caller, note);
    return project;
  });
}

export async function listProjectDeployments(
  context: ProjectsContext,
  { accountId }: Caller,
  query: { readonly logicalId: string; readonly limit: number },
): Promise<Deployment[]> {
  return listDeployments(context.db, accountId, query);
}

/**
 * Requests the cancellation of a deployment. A deployment that has already ended is not affected.
 */
export async function cancelDeployment(
  context: ProjectsContext,
  caller: Caller,
  which: { readonly id: string; readonly logicalId: string },
): Promise<Deployment> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    if (!(await requestCancel(db, caller.accountId, { ...which, at }))) throw notFound();
    const note = { action: "deployment.cancelled", targetId: which.id, at };
    await writeAuditEntry(db, caller, { ...note, changes: { name: which.logicalId } });
  });
  return readDeployment(context, caller, which);
}

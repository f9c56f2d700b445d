import { invalid } from "../../platform/errors.ts";
import { embedSharedFiles } from "../checks/index.ts";
import type { ProjectRequest } from "./desired-state.ts";
import { type DesiredResource, type Fields, nameResource, type ResourceType } from "./resource.ts";
import type { ProjectBody } from "./schema.ts";

/** Requests as existing clients and `vedette apply` send them. */

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

import { invalid } from "../../platform/errors.ts";
import type { ProjectRequest } from "./desired-state.ts";
import { type DesiredResource, type Fields, nameResource, type ResourceType } from "./resource.ts";
import type { ProjectBody } from "./schema.ts";

/** Requests as existing clients and `vedette apply` send them. */

function fromWireResource(resource: ProjectBody["resources"][number]): DesiredResource {
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
  const fields = payload as Fields | null;
  return { ...known, payload: fields, physicalId: physicalId === null ? null : String(physicalId) };
}

export function fromWireRequest(
  { project, resources }: ProjectBody,
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
    resources: resources.map(fromWireResource),
    missing: query.keepResources ? "keep" : query.preserveResources ? "detach" : "delete",
    prunesRelations: query.pruneRelations,
  };
}

/**
 * Monitoring as code. A *project* owns *resources* (checks, groups, channels, pages and others)
 * that its code describes. A *plan* is the difference between the code and the account. A
 * *deployment* applies a plan in one transaction. Changes to an owned resource from outside the
 * code are *drift*. Other modules whose records own resources, such as `imports`, use the same
 * plans but store the ownership themselves. Tables: projects, project_resources, deployments,
 * project_imports.
 */
export { applyResources } from "./apply.ts";
export { findChangedMeanwhile } from "./concurrent-edits.ts";
export type { ProjectsContext, ResourcesContext } from "./context.ts";
export { loadCurrent, planResources, type StoredState } from "./desired-state.ts";
export {
  countActions,
  createPaint,
  hasChanges,
  type ShownPlan,
  writeDiff,
  writePlan,
} from "./files/plan-text.ts";
export {
  maxFileBytes,
  type ProjectFiles,
  readProjectFiles,
  type SourceFile,
} from "./files/read-files.ts";
export { type ExportedProject, writeProjectFile } from "./files/write-file.ts";
export {
  type DesiredResource,
  keyOf,
  type OwnedResource,
  openRemembered,
  sealRemembered,
} from "./resource.ts";
export { addProjectRoutes } from "./routes.ts";

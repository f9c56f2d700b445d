/**
 * Monitoring as code. A *project* owns *resources* (checks, groups, channels, pages and others)
 * that its code describes. A *plan* is the difference between the code and the account; a
 * *deployment* applies it in one transaction. What somebody else changes in an owned resource is
 * *drift*.
 * Tables: projects, project_resources, deployments, project_imports.
 */
export type { ProjectsContext } from "./context.ts";
export { addProjectRoutes } from "./routes.ts";

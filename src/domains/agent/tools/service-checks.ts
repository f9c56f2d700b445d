import type { Caller } from "../../accounts/index.ts";
import { listFollowedChecks } from "../../runs/index.ts";
import { listAllServices } from "../../status-pages/index.ts";
import type { AgentContext } from "../context.ts";

/** Maps checks to the services that follow them, by id or tag. */
export async function mapFollowers(
  context: AgentContext,
  caller: Caller,
): Promise<Map<string, string[]>> {
  const services = await listAllServices(context, caller);
  const checks = await listFollowedChecks(context.db, caller.accountId, {
    ids: [...new Set(services.flatMap(({ follows }) => follows.checkIds))],
    tags: [...new Set(services.flatMap(({ follows }) => follows.tags))],
  });
  return new Map(
    checks.map(({ id, tags }) => {
      const own = services.filter(
        ({ follows }) =>
          follows.checkIds.includes(id) || follows.tags.some((tag) => tags.includes(tag)),
      );
      return [id, own.map((service) => service.id)];
    }),
  );
}
